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

/* How many streams of the device run at once (pipeline/pool/width.c). */
struct pipeline_stored_width {
    uint32_t streams; /* the most that was measured; 0: not known */
    uint32_t made;    /* measurements */
    uint32_t steady;  /* those of them that nothing disturbed */
    uint32_t reserved;
    uint64_t measured; /* when the last one was made, in nanoseconds since 1970 */
};

/* The file as it is written. */
struct pipeline_stored_head {
    char magic[16];
    uint32_t version;
    uint32_t count;
    struct pipeline_stored_device device;
    double best_rate; /* as in struct pipeline_task_workloads; 0: not known */
    struct pipeline_stored_width width;
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
/* ---- width.c: measurements of how many streams run at once ------------------------------------ */

/* Nanoseconds since 1970, by which files tell when something was learned. */
uint64_t pipeline_stored_now(void);

/* Whether a later one is worth its time: what else the device has to do makes a measurement too low. */
bool pipeline_stored_width_is_due(const struct pipeline_stored_width *width, uint64_t now);
void pipeline_stored_width_add(struct pipeline_stored_width *width, uint32_t streams, bool is_steady,
                               uint64_t now);

/* ---- stored.c ------------------------------------------------------------------------------- */

/* Writes the file. Failures are logged. */
void pipeline_stored_save(struct core_context *context, struct pipeline_stored *stored);

#endif
