/* Queues.
 *
 * Where families are made up, each queue is a thread: it takes what was submitted to it in order, waits on the host until the
 * semaphores allow it, and has it done by the one queue of the device behind, of which one thread at a time has hold.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_SHIM_QUEUE_H
#define VULKAN_SHIM_QUEUE_H

#include "shim.h"

/* A copy of a VkSubmitInfo and what belongs to it. */
struct shim_submission {
    struct shim_submission *next;
    VkSubmitInfo info;
    VkTimelineSemaphoreSubmitInfo values;
    VkFence fence; /* of the last one of a call */
};

/* Is what the program has as its VkQueue. */
struct shim_queue {
    struct shim_queue *next; /* of the device */
    struct shim_device *device;
    VkQueue real;
    uint32_t family, index;
    bool threaded;
    atomic_uint users; /* threads within calls that need the queue to themselves */
    uint32_t random;
    /* Under the device's lock: */
    struct shim_submission *first, *last;
    bool started, busy, ending;
    pthread_t thread;
};

/* submission.c: NULL where there is no memory. Those in flight are known to the ledger as users of their semaphores and
 * command pools. */
struct shim_submission *shim_submission_make(const VkSubmitInfo *info, VkFence fence);
void shim_submission_unuse(struct shim_submission *submission);
void shim_submission_release(struct shim_submission *submission);

/* Breaches of what may be submitted to a queue of the family. */
void shim_submission_check(const struct shim_queue *queue, const VkSubmitInfo *info);

#endif
