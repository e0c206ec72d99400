/* Queues.
 *
 * With configured families each queue is a thread: it takes its submissions in order, waits on the host until
 * the semaphores allow one, and runs it on the only queue of the real device, which one thread at a time may
 * use.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_SHIM_QUEUE_H
#define VULKAN_SHIM_QUEUE_H

#include "shim.h"

/* A copy of a VkSubmitInfo with its arrays. */
struct shim_submission {
    struct shim_submission *next;
    VkSubmitInfo info;
    VkTimelineSemaphoreSubmitInfo values;
    VkFence fence; /* of the last submission of a call */
};

/* The program's VkQueue. */
struct shim_queue {
    struct shim_queue *next; /* of the device */
    struct shim_device *device;
    VkQueue real;
    uint32_t family, index;
    bool threaded;
    atomic_uint users; /* threads in calls that need exclusive use of the queue */
    uint32_t random;
    /* Protected by the device's lock. */
    struct shim_submission *first, *last;
    bool started, busy, ending;
    bool executing; /* its signals are not raised yet, while it is busy */
    pthread_t thread;
};

/* submission.c: NULL without memory. The ledger counts submissions in flight as users of their semaphores and
 * command pools. */
struct shim_submission *shim_submission_make(const VkSubmitInfo *info, VkFence fence);
void shim_submission_unuse(struct shim_submission *submission);
void shim_submission_release(struct shim_submission *submission);

/* Report breaches by a submission to a queue of the family. */
void shim_submission_check(const struct shim_queue *queue, const VkSubmitInfo *info);

#endif
