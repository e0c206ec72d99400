/* vulkan backend: batches. A stretch of a stream that is one VkSubmitInfo: what it waits for, its commands, what it
 * signals, and what the host does before and after.
 *
 * Batches are reused: one holds a command pool, whose memory is kept when it is reset. All of it is under the stream's lock;
 * only what the host copies at its end (finishes) is gone through without, by one thread at a time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_BATCH_H
#define BACKENDS_VULKAN_STREAM_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

struct trm_backend_kernel;
struct trm_backend_stream;
struct vulkan_queue;
struct vulkan_staging;
struct vulkan_timeline;

/* Somebody wants to know when a timeline gets somewhere; see service.h. */
struct vulkan_watch {
    struct vulkan_watch *next;
    struct vulkan_timeline *timeline;
    uint64_t value;
    void (*call)(struct vulkan_watch *watch);
    bool is_cancelled; /* the service's */
};

/* A place of a timeline: to be waited for, or signalled, on the device. Holds a reference. */
struct vulkan_wait {
    struct vulkan_timeline *timeline;
    uint64_t value;
};

/* What the host copies when the device has come to the batch's end: out of staging memory. Row by row where height is not 1. */
struct vulkan_host_copy {
    void *destination;
    const void *source;
    uint64_t width, height, destination_pitch, source_pitch; /* bytes, rows */
};

/* Work of the host in the stream's order, done by the service's copying thread while nothing else of the stream runs. */
struct vulkan_job {
    int32_t (*run)(struct vulkan_job *job); /* a failure fails the stream, with the sentence below */
    void (*release)(struct vulkan_job *job);
    struct trm_backend_stream *stream;
    struct vulkan_job *next; /* the service's */
    int64_t native;
    char sentence[200]; /* empty: words that fit any copy */
};

struct vulkan_batch {
    struct vulkan_batch *next;
    struct trm_backend_stream *stream;
    struct vulkan_queue *queue; /* that its command pool is for */
    VkCommandPool pool;
    /* Commands in their order: our own command buffers, which `pool` has, and graphs' between them. */
    VkCommandBuffer *commands;
    uint32_t command_count, command_capacity;
    VkCommandBuffer *own;
    uint32_t own_count, own_capacity, own_used;
    bool recording; /* the last of `commands` is our own and open */
    struct vulkan_wait *waits;
    uint32_t wait_count, wait_capacity;
    struct vulkan_wait *signals; /* besides the stream's own timeline */
    uint32_t signal_count, signal_capacity;
    struct vulkan_host_copy *host_copies;
    uint32_t host_copy_count, host_copy_capacity;
    struct vulkan_staging *staging; /* list of pieces that it uses; given back when it is reaped */
    VkDescriptorPool descriptors;   /* where the device has no push descriptors; else null */
    struct vulkan_job *job;         /* then there are no commands */
    uint64_t gate;                  /* held back until gates up to this number are open; 0: none */
    uint64_t first, value;          /* numbers of its first and last operation; `value` is what it signals */
    uint64_t
        device_value; /* not 0: the device signals this on stream->device_timeline, and the host then `value` */
    uint32_t operations;
    const struct trm_backend_kernel *last_kernel; /* what it ran last, for the report of a loss; NULL: none */

    /* The stream is attended to when the batch has ended, or when what it waits for outside is reached. A batch that is done
     * with is not used again before its watch has been called. */
    struct vulkan_watch watch;
    bool watched, done;
};

/* progress.c: watch->call() of its watch. */
void vulkan_batch_watched(struct vulkan_watch *watch);

/* ---- batch.c. The caller holds the stream's lock. */

/* An empty batch for the stream's queue, a used one where there is one. */
int32_t vulkan_batch_acquire(struct trm_backend_stream *stream, struct vulkan_batch **batch);
/* Done with: gives back what it holds, and is kept to be used again. */
void vulkan_batch_recycle(struct vulkan_batch *batch);
/* Nothing of it is in use. */
void vulkan_batch_destroy(struct vulkan_batch *batch);

/* Open a command buffer of its own; end it, if one is open. */
int32_t vulkan_batch_begin(struct vulkan_batch *batch);
int32_t vulkan_batch_end(struct vulkan_batch *batch);

/* A command buffer of others. */
int32_t vulkan_batch_add_commands(struct vulkan_batch *batch, VkCommandBuffer commands);
int32_t vulkan_batch_add_wait(struct vulkan_batch *batch, struct vulkan_timeline *timeline, uint64_t value);
int32_t vulkan_batch_add_signal(struct vulkan_batch *batch, struct vulkan_timeline *timeline, uint64_t value);
int32_t vulkan_batch_add_host_copy(struct trm_backend_stream *stream, struct vulkan_batch *batch,
                                   const struct vulkan_host_copy *copy);

/* Do what the host does at its end. Takes no lock. */
void vulkan_batch_run_host_copies(const struct vulkan_batch *batch);

#endif
