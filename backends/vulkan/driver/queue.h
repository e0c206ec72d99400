/* vulkan backend: queues. Which families there are, which queue a stream gets, and submitting.
 *
 * A device is opened with a few queues of a family for compute, of one without graphics where there is one, and of a family
 * for transfers alone. Upload and download streams get queues of the latter, each direction its own where there are two. The
 * others get queues for compute: the least used of the wanted priority. Where there is one, all share it. Slots share two with a
 * driver that is slow to change between queues.
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
    uint32_t timestamp_bits; /* 0: no timestamps on it */
    int32_t priority;        /* enum trm_priority that it was made with */
    bool can_compute;
    pthread_mutex_t lock; /* around every use of `handle` */
    bool used;            /* something was submitted to it; under that lock */
    _Atomic uint32_t streams;
};

struct vulkan_queues {
    struct vulkan_queue compute[VULKAN_QUEUES_MOST], transfer[VULKAN_QUEUES_MOST];
    uint32_t compute_count, transfer_count; /* transfer_count may be 0: compute queues do both */
    uint32_t families[2];                   /* that streams use */
    uint32_t family_count;
    /* of an application's own device: all families that use memory of ours; else sharing_count is 0 */
    uint32_t sharing[VULKAN_SHARING_MOST];
    uint32_t sharing_count;
    /* of an application's own device: called around each use of a queue, instead of `lock`; may be NULL */
    void (*external_lock)(void *user, uint32_t family, uint32_t index);
    void (*external_unlock)(void *user, uint32_t family, uint32_t index);
    void *external_user;
};

/* What vkCreateDevice is to make; `infos` has room for two, priorities live in the plan. */
struct vulkan_queue_plan {
    VkDeviceQueueCreateInfo infos[2];
    uint32_t info_count;
    float priorities[2][VULKAN_QUEUES_MOST];
};
void vulkan_queues_plan(const struct vulkan_physical *physical, struct vulkan_queue_plan *plan);

/* After the device was made with the plan. */
int32_t vulkan_queues_init(struct trm_backend_device *device, const struct vulkan_queue_plan *plan);
void vulkan_queues_fini(struct trm_backend_device *device);

/* One queue of a device that is open: that of a family with an index; made with that priority. */
void vulkan_queue_init(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t family,
                       uint32_t index, int32_t priority);

/* The queue for a stream (enum trm_stream_role, enum trm_priority), one that `computes` or not as it may be. Whoever uses it takes
 * it, and gives it back when he goes. */
struct vulkan_queue *vulkan_queue_choose(struct trm_backend_device *device, int32_t role, int32_t priority,
                                         bool computes);
struct vulkan_queue *vulkan_queue_retain(struct vulkan_queue *queue);
void vulkan_queue_release(struct vulkan_queue *queue);

/* vkQueueSubmit under the lock. send: nothing is made of its result. */
VkResult vulkan_queue_send(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t count,
                           const VkSubmitInfo *submits);
/* A negative result has been explained, and the loss of the device latched. */
int32_t vulkan_queue_submit(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t count,
                            const VkSubmitInfo *submits);

#endif
