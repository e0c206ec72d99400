/* vulkan backend: shared by staging.c, staging_image.c and staging_job.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STAGING_INTERNAL_H
#define BACKENDS_VULKAN_STREAM_STAGING_INTERNAL_H

#include "backends/vulkan/stream/staging.h"

#define VULKAN_LANES 2u

/* A piece of pinned memory. A batch takes its small copies from one piece until it is full. */
struct vulkan_staging {
    struct vulkan_staging *next;
    struct trm_backend_memory *memory;
    uint64_t used; /* bytes */
};

/* One of the pieces that jobs use in turn, with the commands that copy from or to it. */
struct vulkan_lane {
    struct trm_backend_memory *memory;         /* VULKAN_STAGING_PIECE bytes */
    VkCommandPool pools[VULKAN_FAMILIES_MOST]; /* one for each of device->queues.families */
    VkCommandBuffer commands[VULKAN_FAMILIES_MOST];
    uint64_t busy; /* in use until the timeline reaches this */
};

struct vulkan_copy_job;

struct vulkan_stager {
    pthread_mutex_t lock; /* the lists; no function is called under it */
    struct vulkan_staging *small, *large;
    uint64_t idle; /* bytes in the lists */
    struct vulkan_copy_job *jobs;
    /* Held while a thread that enqueues a job creates what is missing of these. Afterwards only the copying
     * thread uses them. */
    pthread_mutex_t making;
    struct vulkan_timeline *timeline;
    uint64_t value;
    struct vulkan_lane lanes[VULKAN_LANES];
};

/* staging.c: reserve room in the batch's pieces. */
int32_t vulkan_staging_reserve(struct trm_backend_device *device, struct vulkan_batch *batch, uint64_t size,
                               struct trm_backend_memory **memory, uint64_t *offset);

/* staging.c: `settled`: host memory already has the contents that an upload shall read. */
int32_t vulkan_staging_check_settled(struct trm_backend_stream *stream, bool *settled);

void vulkan_lanes_fini(struct trm_backend_device *device);

#endif
