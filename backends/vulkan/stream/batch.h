/* vulkan backend: batches. A batch is a part of a stream that becomes one VkSubmitInfo: what it waits for,
 * its commands, what it signals, and what the host does before and after.
 *
 * Batches are reused: each has a command pool, which keeps its memory when it is reset. A batch is protected
 * by its stream's lock, except for its host copies: one thread at a time runs them without the lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_BATCH_H
#define BACKENDS_VULKAN_STREAM_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/record/record.h"

struct trm_backend_kernel;
struct trm_backend_stream;
struct vulkan_queue;
struct vulkan_staging;
struct vulkan_timeline;

/* Calls back when a timeline reaches a value; see service.h. */
struct vulkan_watch {
    struct vulkan_watch *next;
    struct vulkan_timeline *timeline;
    uint64_t value;
    void (*call)(struct vulkan_watch *watch);
    bool is_cancelled; /* the service's */
};

/* A value of a timeline that the device waits for or signals. Holds a reference to the timeline. */
struct vulkan_wait {
    struct vulkan_timeline *timeline;
    uint64_t value;
};

/* What the host copies out of staging memory when the device has finished the batch: `height` rows. */
struct vulkan_host_copy {
    void *destination;
    const void *source;
    uint64_t width, height, destination_pitch, source_pitch; /* bytes; height: rows */
};

/* Work of the host in the stream's order, done by the service's copying thread while nothing else of the
 * stream runs. */
struct vulkan_job {
    int32_t (*run)(struct vulkan_job *job); /* a failure fails the stream */
    void (*release)(struct vulkan_job *job);
    struct trm_backend_stream *stream;
    struct vulkan_job *next; /* the service's */
    int64_t native;
    char sentence[200]; /* explains a failure of run(); empty: a general sentence */
};

struct vulkan_batch {
    struct vulkan_batch *next;
    struct trm_backend_stream *stream;
    struct vulkan_queue *queue; /* the queue that its command pool is for */
    VkCommandPool pool;
    /* Commands in order: our own command buffers, from `pool`, and those of graphs between them. */
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
    struct vulkan_staging *staging; /* list of pieces in use; released when the batch is reaped */
    struct vulkan_descriptors descriptors;
    struct vulkan_job *job; /* a batch with a job has no commands */
    uint64_t gate;          /* deferred until gates up to this number are open; 0: none */
    uint64_t first, value;  /* numbers of its first and last operation; it signals `value` */
    /* If not 0, the device signals this on stream->device_timeline, and the host then signals `value`. */
    uint64_t device_value;
    uint32_t operations;
    const struct trm_backend_kernel *last_kernel; /* the last kernel, for the report of a loss; NULL: none */

    /* Wakes the service when the batch has ended, or when an external timeline that it waits for has reached
     * its value. A batch that is done is reused only after its watch has been called. */
    struct vulkan_watch watch;
    bool watched, done;
};

/* progress.c: call() of a batch's watch. */
void vulkan_batch_watched(struct vulkan_watch *watch);

/* ---- batch.c; the caller holds the stream's lock -- */

/* Get an empty batch for the stream's queue, recycled if possible. */
int32_t vulkan_batch_acquire(struct trm_backend_stream *stream, struct vulkan_batch **batch);
/* Release what the batch holds, and keep it for reuse. */
void vulkan_batch_recycle(struct vulkan_batch *batch);
/* Destroy a batch that is not in use. */
void vulkan_batch_destroy(struct vulkan_batch *batch);

/* Open a command buffer; end it if one is open. */
int32_t vulkan_batch_begin(struct vulkan_batch *batch);
int32_t vulkan_batch_end(struct vulkan_batch *batch);

/* Add a command buffer that the batch does not own. */
int32_t vulkan_batch_add_commands(struct vulkan_batch *batch, VkCommandBuffer commands);
int32_t vulkan_batch_add_wait(struct vulkan_batch *batch, struct vulkan_timeline *timeline, uint64_t value);
int32_t vulkan_batch_add_signal(struct vulkan_batch *batch, struct vulkan_timeline *timeline, uint64_t value);
int32_t vulkan_batch_add_host_copy(struct trm_backend_stream *stream, struct vulkan_batch *batch,
                                   const struct vulkan_host_copy *copy);

/* Run the host copies. Takes no lock. */
void vulkan_batch_run_host_copies(const struct vulkan_batch *batch);

#endif
