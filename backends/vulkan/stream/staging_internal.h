/* vulkan backend: what staging.c and staging_job.c keep with the device.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STAGING_INTERNAL_H
#define BACKENDS_VULKAN_STREAM_STAGING_INTERNAL_H

#include "backends/vulkan/stream/staging.h"

#define VULKAN_LANES 2u

/* A piece of pinned memory. A batch takes its small copies out of one until it is full. */
struct vulkan_staging {
    struct vulkan_staging *next;
    struct trm_backend_memory *memory;
    uint64_t used; /* bytes */
};

/* One of the pieces that jobs use in turn, with the commands that copy from or to it. */
struct vulkan_lane {
    struct trm_backend_memory *memory;         /* VULKAN_STAGING_PIECE bytes */
    VkCommandPool pools[VULKAN_FAMILIES_MOST]; /* of device->queues.families */
    VkCommandBuffer commands[VULKAN_FAMILIES_MOST];
    uint64_t busy; /* until the timeline shows this */
};

struct vulkan_copy_job;

struct vulkan_stager {
    pthread_mutex_t lock; /* the lists; nothing is called under it */
    struct vulkan_staging *small, *large;
    uint64_t idle; /* bytes in them */
    struct vulkan_copy_job *jobs;
    /* Made under this, by whoever enqueues a job that needs them. Then they are the copying thread's alone. */
    pthread_mutex_t making;
    struct vulkan_timeline *timeline;
    uint64_t value;
    struct vulkan_lane lanes[VULKAN_LANES];
};

void vulkan_lanes_fini(struct trm_backend_device *device);

#endif
