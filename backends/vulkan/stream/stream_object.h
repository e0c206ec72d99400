/* vulkan backend: the stream.
 *
 *     open       the batch that is being recorded
 *     deferred   closed batches that are not submitted yet, oldest first: nothing has requested them, or they
 *                wait for a gate, a job, or a timeline whose signal is not submitted yet
 *     in flight  submitted batches, oldest first; reaped when they are seen to have ended
 *     spare      batches for reuse
 *
 * A batch is closed at the next operation after a mark(), when a gate, a wait or a job requires it, and when
 * it has become large. flush() and waits submit it, and so does the stream once much has been enqueued.
 *
 * Why nothing hangs, even if all streams share one queue:
 *   - Submitted work waits, on the device, only for values that will be reached without the host: those up
 *     to timeline->submitted. For everything else (a gate, a job, a value that is not submitted, a host
 *     copy of another batch, an external semaphore) the batch waits on the host, deferred, and so do all
 *     batches after it.
 *   - So the device always finishes what was submitted; a thread that sleeps in the driver wakes, or the
 *     driver reports that the device is lost.
 *   - A deferred batch waits only for work that was enqueued before it, so the only possible cycles are
 *     those that the program creates with gates.
 *   - A thread that makes a value available then checks for streams that wait for it
 *     (vulkan_device_unstall()). A stream that has to wait first puts itself on the list and then checks
 *     once more.
 *   - A thread that sleeps on the host (stream->wake_count) is woken by every event that it may wait for:
 *     submission, the end of jobs and host copies, failure, loss of the device.
 *
 * If the host has to finish a batch (copies out of staging memory), the device signals `device_timeline`; the
 * first thread that waits, queries or watches then runs the copies and signals the stream's timeline. Batches
 * that are submitted before that has happened end in the same way, since values must increase in order.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STREAM_OBJECT_H
#define BACKENDS_VULKAN_STREAM_STREAM_OBJECT_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/batch.h"
#include "backends/vulkan/stream/kernel_timing.h"
#include "backends/vulkan/stream/timeline.h"

/* A call that is due when an operation is complete, or will never be. Called once, without locks. */
struct vulkan_notice {
    struct vulkan_notice *next;
    uint64_t value;
    int32_t status; /* what the call reports */
    bool listed;    /* in stream->notices */
    void (*call)(struct vulkan_notice *notice);
    struct trm_backend_stream *stream; /* for notifications of the core: the stream, with a reference */
    trm_notify_fn notify;
    void *user;
};

struct trm_backend_stream {
    struct trm_backend_device *device;
    struct trm_backend_stream *next, *previous; /* device->streams */
    struct vulkan_queue *queue;
    int32_t role, priority;
    bool computes; /* has needed a compute queue, for launches or timestamps: stays on one */
    struct vulkan_timed_launch timed_launch;
    /* One of the core, one for each watch and job, and one for being in a list of the device. */
    _Atomic uint32_t references;
    pthread_mutex_t lock; /* protects all below that is not atomic. Recursive, for the report of a loss */
    struct vulkan_timeline *timeline;
    /* Values of batches that the host still has to finish; made when first needed. */
    struct vulkan_timeline *device_timeline;
    uint64_t device_value;
    struct vulkan_batch *open;
    struct vulkan_batch *deferred, *last_deferred;
    struct vulkan_batch *in_flight, *last_in_flight;
    struct vulkan_batch *spare;
    struct vulkan_batch *job;        /* its job is on the copying thread; in no list */
    struct vulkan_queue *last_queue; /* the queue of the last submission */
    /* Queue of the first compute stream that has waited for this stream, and so uses its uploads; NULL:
     * none. */
    _Atomic(struct vulkan_queue *) reader;
    struct vulkan_recorder recorder; /* records the open batch, and knows its accesses */
    uint64_t enqueued;               /* number of the last operation */
    uint64_t marked;                 /* only for the enqueuing thread */
    uint64_t requested;              /* operations up to here are submitted as soon as possible */
    /* Streams on the device wait for values up to here, so that host copies cannot be left to waiting
     * threads. */
    uint64_t awaited;
    uint32_t waiting_operations; /* enqueued since the last attempt to submit everything; with their bytes */
    uint64_t waiting_bytes;
    _Atomic uint64_t gates;      /* gates up to here are open */
    _Atomic uint32_t host_ended; /* batches in flight that the host ends */
    bool finishing;              /* a thread runs host copies */
    bool settled;                /* has failed, and nothing of it runs any more */
    bool destroyed;              /* the core has destroyed it; only references of the backend are left */
    bool unstall;                /* other streams may be able to submit: see vulkan_stream_unlock() */
    struct vulkan_notice *notices, *spare_notices; /* by value */
    /* Futex: changes with every event on the host that a thread may sleep for. */
    _Atomic uint32_t wake_count;
    _Atomic uint32_t sleepers;
    bool stalled; /* in device->stalled; under device->stall_lock */
    struct trm_backend_stream *next_stalled;
    bool attended; /* in the service's list; under the service's lock */
    struct trm_backend_stream *next_attended;
    bool alarmed; /* knows that the device is lost; under device->streams_lock */
    /* The last operation before which host memory may still be written: a gate, a wait for another stream, a
     * job, or a download to plain host memory. Once it is complete, small uploads are copied when they are
     * enqueued. */
    uint64_t host_written;
};

static inline void vulkan_stream_lock(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
}

/* Release the lock, then submit for other streams what has become possible. */
void vulkan_stream_unlock(struct trm_backend_stream *stream);

/* ---- for code that enqueues; the caller has locked the stream with the functions above ----------------- */

/* stream_failure.c: TRM_OK, or the first failure of the stream or device, explained. */
int32_t vulkan_stream_check(struct trm_backend_stream *stream);

/* Get a batch with an open command buffer for operation `value`; stream->recorder records into it. */
int32_t vulkan_stream_open(struct trm_backend_stream *stream, uint64_t value, struct vulkan_batch **batch);

/* Note that the operation was recorded, and moves `bytes`. Submits if much has been enqueued. Commands of an
 * operation that failed halfway are harmless: they are complete, and are not noted here. */
int32_t vulkan_stream_note(struct trm_backend_stream *stream, uint64_t value, uint64_t bytes);

/* Close the open batch if it has operations. */
int32_t vulkan_stream_close_batch(struct trm_backend_stream *stream);

/* Add a command buffer that was recorded elsewhere, and may be pending, as operation `value`. `last_kernel`
 * is the last kernel in it; NULL: none. */
int32_t vulkan_stream_add_commands(struct trm_backend_stream *stream, uint64_t value,
                                   VkCommandBuffer commands, const struct trm_backend_kernel *last_kernel);

/* Add a job as operation `value`; it is released when it has run or is dropped. On a failure the caller keeps
 * it. */
int32_t vulkan_stream_add_job(struct trm_backend_stream *stream, uint64_t value, struct vulkan_job *job);

/* Add a wait until the timeline reaches `number`, as operation `value`. */
int32_t vulkan_stream_add_wait(struct trm_backend_stream *stream, uint64_t value,
                               struct vulkan_timeline *timeline, uint64_t number);
/* Add a signal of `number` to an external timeline, as operation `value`. */
int32_t vulkan_stream_add_signal(struct trm_backend_stream *stream, uint64_t value,
                                 struct vulkan_timeline *timeline, uint64_t number);
/* Add an empty operation `value`. */
int32_t vulkan_stream_add_nothing(struct trm_backend_stream *stream, uint64_t value);

/* Move the stream to a queue that runs kernels, or, if there is such a queue, to one that does not. */
int32_t vulkan_stream_change_queue(struct trm_backend_stream *stream, bool computes);
/* Move the stream to this queue. */
int32_t vulkan_stream_join_queue(struct trm_backend_stream *stream, struct vulkan_queue *queue);
/* Move the stream to a compute queue. It stays there. */
int32_t vulkan_stream_to_compute(struct trm_backend_stream *stream);

/* Add a gate as operation `value`. */
int32_t vulkan_stream_add_gate(struct trm_backend_stream *stream, uint64_t value);

/* ---- submit.c; the caller has locked the stream -- */

/* Submit what can be submitted up to `value` (UINT64_MAX: everything), and the rest as soon as it can be. */
void vulkan_stream_submit(struct trm_backend_stream *stream, uint64_t value);

/* Watch the ends of batches that a notification or another stream depends on. */
void vulkan_stream_watch_in_flight(struct trm_backend_stream *stream);

/* Submit for streams that waited for a value of another stream. The caller holds no lock. */
void vulkan_device_unstall(struct trm_backend_device *device);

/* ---- progress.c */

/* Recycle batches that are known to have ended, or (`ask`) that the driver says have ended. The caller has
 * locked the stream. */
void vulkan_stream_reap(struct trm_backend_stream *stream, bool ask);

/* The same, and run host copies of batches that the device has finished. The caller has locked the stream,
 * once; the lock is released meanwhile. */
void vulkan_stream_progress(struct trm_backend_stream *stream);

/* Do everything that is pending for the stream, and call due notices. The caller holds a reference and no
 * lock. */
void vulkan_stream_attend(struct trm_backend_stream *stream);

/* Finish a job. On the copying thread. */
void vulkan_stream_job_done(struct vulkan_job *job, int32_t status);

void vulkan_stream_retain(struct trm_backend_stream *stream);
void vulkan_stream_release(struct trm_backend_stream *stream);

/* Wake threads that sleep on the host for an event of the stream. Any thread. */
static inline void vulkan_stream_wake(struct trm_backend_stream *stream)
{
    atomic_fetch_add(&stream->wake_count, 1);
    if (atomic_load(&stream->sleepers) != 0)
        trm_util_futex_wake_all(&stream->wake_count);
}

/* ---- stream_failure.c -- */

/* Fail the stream: nothing will be submitted any more. The caller has locked the stream. It reports `status`
 * from when its submitted work has ended; then the timeline is advanced, so that all waits end. */
void vulkan_stream_break(struct trm_backend_stream *stream, int32_t status, int64_t native,
                         const char *sentence);

/* The same, where `last` is the last value that will be complete. */
void vulkan_stream_break_at(struct trm_backend_stream *stream, uint64_t last, int32_t status, int64_t native,
                            const char *sentence);

/* Settle a failed stream if nothing of it runs any more. The caller has locked the stream. */
void vulkan_stream_settle(struct trm_backend_stream *stream);

/* The status that the stream reports: TRM_OK while submitted work of a failed stream still runs. Not
 * explained; vulkan_stream_explain() explains. The caller has locked the stream. */
int32_t vulkan_stream_failure(const struct trm_backend_stream *stream);
int32_t vulkan_stream_explain(struct trm_backend_stream *stream);

/* Recycle all batches when the stream is destroyed. The caller has locked the stream. */
void vulkan_stream_end_in_flight(struct trm_backend_stream *stream);

/* A slot of the stream table: fail the stream on the core's request. */
void vulkan_stream_abandon(struct trm_backend_stream *stream, int32_t status);

/* device_loss.c: installed as device->loss_hooks. */
extern const struct vulkan_loss_hooks vulkan_stream_loss_hooks;

/* ---- enqueue.c -- */

/* The same copy, of one row. */
struct trm_copy_2d_desc vulkan_copy_as_rows(const struct trm_copy_desc *desc);

/* Slots of the stream table. */
int32_t vulkan_stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc);
int32_t vulkan_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc);
int32_t vulkan_stream_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc);
int32_t vulkan_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc);

/* ---- wait.c: slots of the stream table -- */

/* What a thread that waits for a value shall sleep on. */
struct vulkan_wait_target {
    /* NULL: until stream->wake_count differs from `seen`; the thread is then counted in stream->sleepers. */
    struct vulkan_timeline *timeline;
    uint64_t value;
    uint32_t seen;
};

/* TRM_OK: `value` is complete. TIMEOUT: sleep on `target` first. Otherwise the stream's failure, explained.
 * Submits. The caller holds no lock. */
int32_t vulkan_stream_poll(struct trm_backend_stream *stream, uint64_t value,
                           struct vulkan_wait_target *target);

int32_t vulkan_stream_query(struct trm_backend_stream *stream, uint64_t *completed);
int32_t vulkan_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);

/* ---- notify.c: slots of the stream table -- */
int32_t vulkan_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                               uint32_t count, uint64_t timeout_ns, uint32_t *which);
int32_t vulkan_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                             void *user);

/* Remove the due notices from the list, with their status. The caller has locked the stream. */
struct vulkan_notice *vulkan_stream_take_due_notices(struct trm_backend_stream *stream);
/* Call the notices. The caller holds no lock. */
void vulkan_notices_call(struct vulkan_notice *list);

#endif
