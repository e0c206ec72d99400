/* vulkan backend: queues: which families there are, which queue a stream gets, and submission.
 *
 * A device is opened with a few queues of a compute family (one without graphics if there is one) and of a
 * transfer family. Upload and download streams get transfer queues, one for each direction if there are two.
 * Other streams get compute queues: the least used one of the wanted priority. Without a transfer family all
 * streams share the compute queues. On drivers that switch slowly between queues, pipeline slots share two.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_QUEUE_H
#define BACKENDS_VULKAN_DRIVER_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/functions.h"

#define VULKAN_QUEUES_MOST 16u
#define VULKAN_SHARING_MOST 32u

struct trm_backend_device;
struct vulkan_physical;

struct vulkan_queue {
    VkQueue handle;
    uint32_t family;
    uint32_t index;          /* in the family */
    uint32_t timestamp_bits; /* 0: the queue has no timestamps */
    int32_t priority;        /* enum trm_priority */
    bool can_compute;
    pthread_mutex_t lock; /* held around every use of `handle` */
    _Atomic bool used;    /* something was submitted to it */
    _Atomic uint32_t streams;
    VkSemaphore mark; /* stream/retire.c; NULL: none yet */
    uint64_t marks;   /* the last value that the queue was asked to signal */
};

struct vulkan_queues {
    struct vulkan_queue compute[VULKAN_QUEUES_MOST], transfer[VULKAN_QUEUES_MOST];
    uint32_t compute_count, transfer_count; /* transfer_count may be 0: compute queues then do both */
    uint32_t families[2];                   /* families of these queues */
    uint32_t family_count;
    /* An application's own device: all families that share our memory; else sharing_count is 0. */
    uint32_t sharing[VULKAN_SHARING_MOST];
    uint32_t sharing_count;
    /* An application's own device: called around each use of a queue, instead of `lock`; may be NULL. */
    void (*external_lock)(void *user, uint32_t family, uint32_t index);
    void (*external_unlock)(void *user, uint32_t family, uint32_t index);
    void *external_user;
};

/* What vkCreateDevice shall create: room for two families, with the priorities that `infos` points to. */
struct vulkan_queue_plan {
    VkDeviceQueueCreateInfo infos[2];
    uint32_t info_count;
    float priorities[2][VULKAN_QUEUES_MOST];
};
void vulkan_queues_plan(const struct vulkan_physical *physical, struct vulkan_queue_plan *plan);

/* Get the queues of a device that was created with the plan. */
int32_t vulkan_queues_init(struct trm_backend_device *device, const struct vulkan_queue_plan *plan);
void vulkan_queues_fini(struct trm_backend_device *device);

/* Get one queue of a device that is open, by family and index. */
void vulkan_queue_init(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t family,
                       uint32_t index, int32_t priority);

/* Choose the queue for a stream (enum trm_stream_role, enum trm_priority); `computes`: it must run kernels.
 * retain and release count the streams of a queue. */
struct vulkan_queue *vulkan_queue_choose(struct trm_backend_device *device, int32_t role, int32_t priority,
                                         bool computes);
struct vulkan_queue *vulkan_queue_retain(struct vulkan_queue *queue);
void vulkan_queue_release(struct vulkan_queue *queue);

/* vkQueueSubmit under the queue's lock. Does not explain a failure. */
VkResult vulkan_queue_send(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t count,
                           const VkSubmitInfo *submits);
/* The same; explains a failure, and latches the loss of the device. */
int32_t vulkan_queue_submit(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t count,
                            const VkSubmitInfo *submits);

#endif
