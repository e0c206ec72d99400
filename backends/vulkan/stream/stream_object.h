/* vulkan backend: streams.
 *
 *     open      the batch that is being recorded
 *     held      closed batches that are not submitted yet, oldest first: nobody has asked for them, or they wait for a gate,
 *               a job, or a timeline whose signal has not been submitted
 *     flying    submitted, oldest first; reaped when their end is seen
 *     spare     to be used again
 *
 * A batch is closed where mark() says that somebody will wait (when the next operation comes), where a gate, a wait or a job
 * needs it, and when much is in it. It is submitted by flush, by a wait, and when much has been enqueued.
 *
 * Why nothing hangs, also where all streams share one queue:
 *   - What is submitted waits, on the device, only for numbers that are certain to come without the host: those up to
 *     timeline->submitted. All else that a batch waits for (a gate, a job, a number that has not been submitted, the host's
 *     part of another batch, a semaphore of others) it waits for on the host, as a held batch, and with it all behind it.
 *   - So the device always comes to the end of what it was given; what sleeps in the driver wakes, or the driver says
 *     that the device is lost.
 *   - What a held batch waits for was enqueued before it, so there are no cycles but those that the program makes with
 *     gates.
 *   - Whoever brings a number about looks afterwards for streams that were held back for it (vulkan_device_unstall()); who is
 *     held back puts itself on the list first and then looks once more.
 *   - Whoever sleeps on the host (stream->moved) is woken by every change of what it may wait for: submission, the end of
 *     jobs and copies, failure, loss of the device (vulkan_device_alarm()).
 *
 * Where the host ends batches (copies out of staging memory), the device signals `helper`, and whoever comes first, who waits,
 * who asks or the watching thread, does the copies and signals the timeline. What is submitted behind such a batch before that has
 * happened ends in the same way, for numbers come in order.
 *
 * Files: stream.c (the table, making and ending), open.c (what those need who enqueue), submit.c (held to flying), progress.c
 * (flying to spare), wait.c (query, wait), notify.c (notifications, waiting for any), failing.c (failures and abandoning),
 * enqueue.c (copies, fills, launches).
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STREAM_OBJECT_H
#define BACKENDS_VULKAN_STREAM_STREAM_OBJECT_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/batch.h"
#include "backends/vulkan/stream/kernel_timing.h"
#include "backends/vulkan/stream/timeline.h"

/* Somebody is to be told when a number is complete, or that it never will be. Called without locks, once. */
struct vulkan_notice {
    struct vulkan_notice *next;
    uint64_t value;
    int32_t status; /* what it is told */
    bool listed;    /* in stream->notices */
    void (*call)(struct vulkan_notice *notice);
    struct trm_backend_stream
        *stream; /* of a notification of the core's, with a reference; and whom it goes to */
    trm_notify_fn notify;
    void *user;
};

struct trm_backend_stream {
    struct trm_backend_device *device;
    struct trm_backend_stream *next, *previous; /* device->streams */
    struct vulkan_queue *queue;
    int32_t role, priority;
    bool computes; /* it has launches or what else needs a queue that computes: it stays on one */
    struct vulkan_timed_launch timed_launch;
    _Atomic uint32_t
        references; /* the core's; one for every watch and job, and for being in a list of the device's */
    pthread_mutex_t lock; /* all below but what is atomic. Recursive, for the report of a loss */
    struct vulkan_timeline *timeline;
    struct vulkan_timeline
        *device_timeline; /* made when first needed: ends of batches that the host still has to finish */
    uint64_t device_value;
    struct vulkan_batch *open;
    struct vulkan_batch *deferred, *last_deferred;
    struct vulkan_batch *in_flight, *last_in_flight;
    struct vulkan_batch *spare;
    struct vulkan_batch *job;        /* whose job was given to the copying thread; not in a list */
    struct vulkan_queue *last_queue; /* where the last batch went */
    /* Of the first stream for kernels that has waited for this one: what it uploads is for them. NULL: none has. */
    _Atomic(struct vulkan_queue *) reader;
    struct vulkan_recorder recorder; /* where commands of the open batch go, and which accesses they made */
    uint64_t enqueued;               /* number of the last operation */
    uint64_t marked;                 /* the enqueuing thread's */
    uint64_t requested;              /* all up to here is to be submitted as soon as it can be */
    uint64_t awaited; /* streams on the device wait for numbers up to here, so that the host's part is not
                                         to be left to whoever waits */
    uint32_t waiting_operations; /* enqueued since it was last tried to submit everything; and their bytes */
    uint64_t waiting_bytes;
    _Atomic uint64_t gates;      /* open up to here */
    _Atomic uint32_t host_ended; /* flying batches that the host ends */
    bool finishing;              /* a thread is at that */
    bool settled;                /* it has failed, and nothing of it runs any more */
    bool destroyed;              /* only references of the backend's own are left */
    bool unstall;                /* what others may wait for has come on: see vulkan_stream_unlock() */
    struct vulkan_notice *notices, *spare_notices; /* by value */
    _Atomic uint32_t
        wake_count; /* futex: changes with all that a thread may sleep for which the device does not bring about */
    _Atomic uint32_t sleepers;
    bool stalled; /* in device->stalled; under device->stall_lock */
    struct trm_backend_stream *next_stalled;
    bool attended; /* in the service's list; under its lock */
    struct trm_backend_stream *next_attended;
    bool alarmed; /* knows of the loss of the device; under device->streams_lock */
    /* The host's memory may be written by what is before the next operation: the last number of a gate, a wait for another
     * stream, a job or a download into memory that the device does not reach. Once that is complete, small uploads
     * are copied when they are enqueued. */
    uint64_t host_written;
};

static inline void vulkan_stream_lock(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
}

/* Gives the lock back, and then does for other streams what has become possible. */
void vulkan_stream_unlock(struct trm_backend_stream *stream);

/* ---- for those who enqueue (enqueue.c, graph.c, profile.c, interop.c). The caller has locked the stream, with the functions
 * above. */

/* failing.c: TRM_OK, or the first failure (explained) of the stream or device. */
int32_t vulkan_stream_check(struct trm_backend_stream *stream);

/* A batch whose command buffer is open, for the operation `value`; its commands go to stream->recorder. */
int32_t vulkan_stream_open(struct trm_backend_stream *stream, uint64_t value, struct vulkan_batch **batch);

/* The operation was recorded: `bytes` that it moves. Submits where much has come together. What has been recorded in vain
 * (a failure in the middle) does not harm: it is not noted here, and the commands are complete in themselves. */
int32_t vulkan_stream_note(struct trm_backend_stream *stream, uint64_t value, uint64_t bytes);

/* Close the open batch, if there is one with operations in it. */
int32_t vulkan_stream_close_batch(struct trm_backend_stream *stream);

/* A command buffer that somebody else recorded, as operation `value`. It may be pending already. `named` is the last kernel in
 * it; NULL: none. */
int32_t vulkan_stream_add_commands(struct trm_backend_stream *stream, uint64_t value,
                                   VkCommandBuffer commands, const struct trm_backend_kernel *last_kernel);

/* A job as operation `value`; released when it has run or never will. On a failure it stays the caller's. */
int32_t vulkan_stream_add_job(struct trm_backend_stream *stream, uint64_t value, struct vulkan_job *job);

/* Wait until the timeline shows `number`, as operation `value`. */
int32_t vulkan_stream_add_wait(struct trm_backend_stream *stream, uint64_t value,
                               struct vulkan_timeline *timeline, uint64_t number);
/* Have the timeline, one from outside, show `number` when all before is complete, as operation `value`. */
int32_t vulkan_stream_add_signal(struct trm_backend_stream *stream, uint64_t value,
                                 struct vulkan_timeline *timeline, uint64_t number);
/* Nothing to do, as operation `value`. */
int32_t vulkan_stream_add_nothing(struct trm_backend_stream *stream, uint64_t value);

/* From here on the stream's queue is one that runs kernels, or, where the device has such, one that does not. */
int32_t vulkan_stream_change_queue(struct trm_backend_stream *stream, bool computes);
/* The same for one queue. */
int32_t vulkan_stream_join_queue(struct trm_backend_stream *stream, struct vulkan_queue *queue);
/* One that runs kernels, for good. */
int32_t vulkan_stream_to_compute(struct trm_backend_stream *stream);

/* open.c: a gate as operation `value`. */
int32_t vulkan_stream_add_gate(struct trm_backend_stream *stream, uint64_t value);

/* ---- submit.c. The caller has locked the stream. */

/* Submit all that can be up to `value` (UINT64_MAX: everything), now and when it becomes possible. */
void vulkan_stream_submit(struct trm_backend_stream *stream, uint64_t value);

/* See to it that the service attends to the stream where somebody counts on it. */
void vulkan_stream_watch_in_flight(struct trm_backend_stream *stream);

/* Try again the streams that were held back by a timeline that has come on. The caller holds no lock. */
void vulkan_device_unstall(struct trm_backend_device *device);

/* ---- progress.c */

/* Take back what has ended, as far as it is known, or (`ask`) as the driver says. The caller has locked the stream. */
void vulkan_stream_reap(struct trm_backend_stream *stream, bool ask);

/* The same, and do the host's part of what the device has come to the end of. The caller has locked the stream, once; the
 * lock is given up meanwhile. */
void vulkan_stream_progress(struct trm_backend_stream *stream);

/* Do all that can be done for the stream, and tell those who are to be told. The caller holds a reference, and no lock. */
void vulkan_stream_attend(struct trm_backend_stream *stream);

/* A job has ended. On the copying thread. */
void vulkan_stream_job_done(struct vulkan_job *job, int32_t status);

void vulkan_stream_retain(struct trm_backend_stream *stream);
void vulkan_stream_release(struct trm_backend_stream *stream);

/* What threads may sleep for has changed. Any thread. */
static inline void vulkan_stream_wake(struct trm_backend_stream *stream)
{
    atomic_fetch_add(&stream->wake_count, 1);
    if (atomic_load(&stream->sleepers) != 0)
        trm_util_futex_wake_all(&stream->wake_count);
}

/* ---- failing.c */

/* Nothing beyond what has been submitted will run. The caller has locked the stream. The stream answers with `status` from
 * when the submitted part has run to its end; then the timeline is moved on so that whoever waits wakes. */
void vulkan_stream_break(struct trm_backend_stream *stream, int32_t status, int64_t native,
                         const char *sentence);

/* The same where the last number that will be is known. */
void vulkan_stream_break_at(struct trm_backend_stream *stream, uint64_t last, int32_t status, int64_t native,
                            const char *sentence);

/* A broken stream of which nothing runs any more is at its end. The caller has locked the stream. */
void vulkan_stream_settle(struct trm_backend_stream *stream);

/* The status that the stream answers with by now: TRM_OK while submitted work of a broken stream still runs. The caller has
 * locked the stream. Not explained; vulkan_stream_explain() does that. */
int32_t vulkan_stream_failure(const struct trm_backend_stream *stream);
int32_t vulkan_stream_explain(struct trm_backend_stream *stream);

/* When the stream goes: everything is taken back. The caller has locked the stream. */
void vulkan_stream_end_in_flight(struct trm_backend_stream *stream);

/* Give the stream up; the slot of the table. */
void vulkan_stream_abandon(struct trm_backend_stream *stream, int32_t status);

/* device_loss.c: for device->loss_hooks. */
extern const struct vulkan_loss_hooks vulkan_stream_loss_hooks;

/* ---- enqueue.c: slots of the table */
int32_t vulkan_stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc);
int32_t vulkan_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc);
int32_t vulkan_stream_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc);
int32_t vulkan_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc);

/* ---- wait.c: slots of the table */

/* What a thread that waits for a number is to sleep for. */
struct vulkan_wait_target {
    struct vulkan_timeline
        *timeline; /* NULL: for stream->moved to change from `seen`; it counts as a sleeper */
    uint64_t value;
    uint32_t seen;
};

/* TRM_OK: `value` is complete. TIMEOUT: sleep first. Else the stream's failure, explained. Submits. No lock. */
int32_t vulkan_stream_poll(struct trm_backend_stream *stream, uint64_t value,
                           struct vulkan_wait_target *target);

int32_t vulkan_stream_query(struct trm_backend_stream *stream, uint64_t *completed);
int32_t vulkan_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);

/* ---- notify.c: slots of the table */
int32_t vulkan_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values,
                               uint32_t count, uint64_t timeout_ns, uint32_t *which);
int32_t vulkan_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                             void *user);

/* Those that are to be told by now, off the list, with what they are told. The caller has locked the stream. */
struct vulkan_notice *vulkan_stream_take_due_notices(struct trm_backend_stream *stream);
/* Tell them. No lock. */
void vulkan_notices_call(struct vulkan_notice *list);

#endif
