/* Models of tasks in a file of the cache, which outlive the pool: one file for each device and driver.
 *
 * The cache checks that the file is this user's and complete (core/cache); what it says is checked here
 * again, so that a file of another machine or of another version is ignored. A process reads the file, merges
 * what it has learned, and puts a new one in its place: of two that do so at the same moment one prevails,
 * and the samples of the other are lost, which costs some tasks that are learned from again.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_MODEL_STORED_H
#define PIPELINE_MODEL_STORED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "core/device/device.h"

#define PIPELINE_STORED_EXTENSION ".models"

/* The most models of a file; those learned longest ago are left out. */
#define PIPELINE_STORED_MOST 512u

/* Which device the models are of. */
struct pipeline_stored_device {
    char backend[32];
    char version[32]; /* of the backend */
    char name[128];
    char driver[128];
    uint64_t units;
};

/* One model. Times are in nanoseconds. */
struct pipeline_stored_model {
    uint8_t kernel[BASE_SHA256_BYTES]; /* of its code, its constants and its name */
    char name[64];                     /* of the kernel, for people */
    uint32_t size;                     /* as in struct pipeline_task_key */
    int32_t workload;
    uint64_t samples;
    uint64_t learned; /* nanoseconds since 1970 */
    double mean, spread;
    double least; /* as in struct pipeline_task_model */
};

/* The file as it is written. */
struct pipeline_stored_head {
    char magic[16];
    uint32_t version;
    uint32_t count;
    struct pipeline_stored_device device;
    double best_rate;      /* as in struct pipeline_task_workloads; 0: not known */
    uint32_t side_by_side; /* streams that run at once, as measured; 0: not known */
    uint32_t reserved;
};

struct pipeline_stored {
    struct pipeline_stored_head head;
    uint32_t capacity;
    struct pipeline_stored_model models[];
};

/* What a pool adds to a file. */
struct pipeline_stored_news {
    struct pipeline_stored_model model;        /* as it is now */
    const struct pipeline_stored_model *begun; /* as it was read; NULL: it was not in the file */
    uint64_t fresh;                            /* samples since */
};

void pipeline_stored_device_of(struct core_device *device, struct pipeline_stored_device *found);

/* An empty one with room for so many; NULL without memory. */
struct pipeline_stored *pipeline_stored_create(struct core_context *context,
                                               const struct pipeline_stored_device *device,
                                               uint32_t capacity);
void pipeline_stored_destroy(struct core_context *context, struct pipeline_stored *stored);

/* Reads a file, with room for `more` models. NULL: it is missing, or damaged or another's, and logged so. */
struct pipeline_stored *pipeline_stored_read(struct core_context *context, const char *path, uint32_t more);
/* The file of a device. NULL also when it is of another device. */
struct pipeline_stored *pipeline_stored_load(struct core_context *context,
                                             const struct pipeline_stored_device *device, uint32_t more);

const struct pipeline_stored_model *pipeline_stored_find(const struct pipeline_stored *stored,
                                                         const uint8_t kernel[BASE_SHA256_BYTES],
                                                         uint32_t size, int32_t workload);
/* Puts news in. A model that another process has changed since is averaged, weighted by samples. There is
 * room. */
void pipeline_stored_merge(struct pipeline_stored *stored, const struct pipeline_stored_news *news);
/* Writes the file. Failures are logged. */
void pipeline_stored_save(struct core_context *context, struct pipeline_stored *stored);

#endif
