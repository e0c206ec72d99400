/* cuda backend: streams.
 *
 * A stream is a CUstream that does not wait for the legacy stream. Every operation is a struct cuda_job: something that is either
 * submitted to the driver at once or, while the stream holds back, copied and submitted later (hold.c). A stream holds back
 *   - behind a gate that is closed,
 *   - behind a wait for a place of another stream that has not been submitted there,
 *   - from a copy on that the driver would do while the caller waits (copy.h), until somebody asks for it,
 * and everything that comes behind. The device is thus never made to wait for the host: whatever was submitted comes to its end
 * by itself, so no call of the driver that waits for the device (freeing memory, loading code) can hang.
 *
 * Marks (mark.c) are where somebody will wait: {value, event without timing}, in a ring in order of value. Events are re-used
 * once they are complete and nobody is within a driver call with them (`users`). A wait for a number takes the first mark at or
 * after it; where there is none, it marks the end of what has been submitted, which is later than it need be but right.
 *
 * Waits look at the event for device->spin_ns, and then sleep: in the driver, on an event that blocks (sleeping.h) or on
 * stream->moved for what has not been submitted yet.
 *
 * Failures: an error of submitting held operations, abandon(), or the loss of the device. A stream that waits for one that fails
 * fails with it. From then on nothing more is submitted, and enqueueing is refused; what has been submitted comes to its end, and
 * when it has, the stream answers with the failure (failing.c).
 *
 * Files: stream.c (the table, making and ending), enqueue.c (copies, fills, launches, waits, marks as jobs), hold.c, mark.c,
 * wait.c (query, wait), notify.c, failing.c, peer.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_STREAM_H
#define CUDA_STREAM_STREAM_H

#include "backends/cuda/driver/objects.h"
#include "backends/cuda/lock.h"

struct cuda_held;
struct cuda_replays;

/* An operation. */
struct cuda_job {
    /* Hands it to the driver; runs with the context entered where that is needed. A status; the failure has been explained. */
    int32_t (*submit)(struct trm_backend_stream *stream, const void *what);
    /* Of `size` bytes, which are copied where it is held back: no pointers to what lives for the call only. */
    const void *what;
    uint32_t size;
};

struct cuda_mark {
    struct cuda_mark *next; /* of those that are spare */
    uint64_t value;
    CUevent event;
    _Atomic uint32_t users; /* it is not used again while there are any; begun under the marks' lock */
};

/* The ring begins at `first`; its capacity is a power of two. */
struct cuda_marks {
    struct cuda_lock lock; /* all below; nothing is called under it, and it may be taken under any other */
    struct cuda_mark **ring;
    uint32_t first, count, capacity;
    struct cuda_mark *spare;
};

/* Somebody who is to be told when a number is complete. */
struct cuda_notice {
    struct cuda_notice *next;
    uint64_t value;
    trm_notify_fn notify;
    void *user;
    bool listed; /* in stream->notices */
    bool kept;   /* the caller's memory: not to be used again */
};

/* A watching thread that waits for a number of the stream; on its stack. */
struct cuda_sitter {
    struct cuda_sitter *next;
    uint64_t value;
};

/* Bits of stream->holds. */
#define CUDA_HOLDS_BACK 1u   /* there are held operations */
#define CUDA_HOLDS_FAILED 2u /* enqueueing is refused */

struct trm_backend_stream {
    struct trm_backend_instance *instance;
    struct trm_backend_device *device; /* gone, once this is destroyed and others hold references still */
    struct trm_backend_stream *next, *previous; /* device->streams */
    CUstream handle;
    bool borrowed; /* the handle is the application's */
    int32_t priority;

    /* 0: what is enqueued is submitted at once. Written under instance->hold_lock. */
    _Atomic uint32_t holds;
    _Atomic uint64_t submitted; /* the highest number that the driver has */
    _Atomic uint64_t completed; /* the highest number known to be complete */
    _Atomic uint64_t opened;    /* gates up to here are open */
    _Atomic int32_t failure;    /* TRM_OK or the first failure's status; written under instance->hold_lock */
    int64_t failure_native;     /* these two are written before it */
    char failure_sentence[256];
    _Atomic(const char *)
        running; /* name of the last kernel launched, for the report of a loss; lives as long as its module */

    struct cuda_marks marks;

    /* Of the thread that submits: it enqueues, or has `pumping`. */
    struct cuda_mark *prepared;   /* for the next mark */
    struct cuda_replays *replays; /* replay.c; made at the first launch that may be one */
    int64_t refused_native;       /* why the last operation was refused; valid for as long as the call */
    char refused[256];

    /* hold.c; under instance->hold_lock */
    struct cuda_held *held, *last_held, *spare_held;
    uint32_t held_count, spare_held_count;
    _Atomic uint32_t pumping;                /* 1: a thread submits what was held */
    int32_t pump_again;                      /* how somebody else wanted it done meanwhile */
    struct trm_backend_stream *next_holding; /* instance->holding */

    _Atomic uint32_t
        references; /* the memory of the struct: the core's one, those of held waits of other streams */

    pthread_mutex_t lock; /* all below */
    pthread_cond_t moved; /* `submitted` has grown, or the stream has failed, or nobody is inside */
    uint32_t sleepers;    /* on `moved` */
    uint32_t
        inside; /* threads of the backend's own accord that use the stream: it is destroyed when there are none */
    bool destroyed;
    struct cuda_notice *notices, *spare_notices; /* by value */
    struct cuda_sitter *sitters;
    bool telling; /* a thread goes through the notices that are due */

    /* watching.c; under device->watching's lock */
    bool queued, wants_pump;
    struct trm_backend_stream *next_queued;
};

/* ---- stream.c ----------------------------------------------------------------------------------- */

/* The parts of creating that an application's own CUstream shares (adopt.c): `borrowed` is NULL, or that stream. */
int32_t cuda_stream_make(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                         CUstream borrowed, bool is_borrowed, struct trm_backend_stream **stream);

/* One whose waits end by CLOCK_MONOTONIC. False: no memory. */
bool cuda_condition_init(pthread_cond_t *condition);

/* Keep the stream from being destroyed for a while. Whoever calls it knows by other means that it lives. */
void cuda_stream_enter(struct trm_backend_stream *stream);
void cuda_stream_leave(struct trm_backend_stream *stream);

static inline void cuda_stream_retain(struct trm_backend_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
}
void cuda_stream_release(struct trm_backend_stream *stream);

static inline uint64_t cuda_stream_submitted(const struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->submitted, memory_order_acquire);
}

static inline void cuda_stream_has_submitted(struct trm_backend_stream *stream, uint64_t value)
{
    atomic_store_explicit(&stream->submitted, value, memory_order_release);
}

static inline uint64_t cuda_stream_completed(const struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire);
}

/* ---- enqueue.c ---------------------------------------------------------------------------------- */

/* The driver has refused to take an operation: explains that. For cuda_job.submit. */
int32_t cuda_stream_refused(struct trm_backend_stream *stream, CUresult result, const char *call)
    __attribute__((cold));
/* The same of an operation that concerns `other` too, whose loss it may have been that the driver answered with. */
int32_t cuda_stream_refused_with(struct trm_backend_stream *stream, struct trm_backend_device *other,
                                 CUresult result, const char *call) __attribute__((cold));

/* Let the stream wait, on the device, for `value` of `other`, which has been submitted there. */
int32_t cuda_stream_follow(struct trm_backend_stream *stream, struct trm_backend_stream *other,
                           uint64_t value);

int32_t cuda_stream_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
int32_t cuda_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_copy_2d_desc *desc);
int32_t cuda_stream_fill(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc);
int32_t cuda_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_launch_desc *desc);
int32_t cuda_stream_mark(struct trm_backend_stream *stream, uint64_t value);
int32_t cuda_stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_stream *other, uint64_t other_value);
int32_t cuda_stream_gate(struct trm_backend_stream *stream, uint64_t value);
int32_t cuda_stream_prefetch(struct trm_backend_stream *stream, uint64_t value,
                             struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                             uint32_t to_host);

/* ---- hold.c ------------------------------------------------------------------------------------- */

/* What may be done on the way; a higher one does what the lower ones do. */
enum cuda_pump {
    CUDA_PUMP_LAZILY = 1, /* copies that make the caller wait stay where they are */
    CUDA_PUMP_SOON = 2, /* those are given to a thread of the backend; and so is the rest where it is much */
    CUDA_PUMP_HERE = 3, /* the caller may wait */
};

/* Hold a job back, if the stream holds back or `blocks`, which is to say that the driver would make the caller wait; else submit it. */
int32_t cuda_hold_job(struct trm_backend_stream *stream, uint64_t value, struct cuda_job job, bool blocks);
int32_t cuda_hold_gate(struct trm_backend_stream *stream, uint64_t value);

/* What is enqueued goes to the driver at once. */
static inline bool cuda_stream_is_direct(const struct trm_backend_stream *stream)
{
    return __builtin_expect(atomic_load_explicit(&stream->holds, memory_order_acquire) == 0, 1);
}

/* Hand a job to the driver, with the context entered where that is needed. */
static inline int32_t cuda_job_submit(struct trm_backend_stream *stream, struct cuda_job job)
{
    CUcontext previous;
    int32_t status = cuda_enter_stream(stream->device, &previous);
    if (__builtin_expect(status != TRM_OK, 0))
        return status;
    status = job.submit(stream, job.what);
    cuda_leave(stream->device, previous);
    return status;
}

/* The same, as operation `value` of a stream that does not hold back. */
static inline int32_t cuda_stream_do_now(struct trm_backend_stream *stream, uint64_t value,
                                         struct cuda_job job)
{
    int32_t status = cuda_job_submit(stream, job);
    if (__builtin_expect(status == TRM_OK, 1))
        cuda_stream_has_submitted(stream, value);
    return status;
}

/* Enqueue as number `value`: submits, or copies it to be submitted in its turn. The status of the enqueueing call. */
static inline int32_t cuda_stream_do(struct trm_backend_stream *stream, uint64_t value, struct cuda_job job)
{
    if (!cuda_stream_is_direct(stream))
        return cuda_hold_job(stream, value, job, false);
    return cuda_stream_do_now(stream, value, job);
}

int32_t cuda_hold_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                       uint64_t other_value);

/* Submit what was held and need not be any more, here and on streams that wait for it. Any thread. */
void cuda_hold_pump(struct trm_backend_stream *stream, enum cuda_pump how);

static inline bool cuda_stream_holds_back(const struct trm_backend_stream *stream)
{
    return (atomic_load_explicit(&stream->holds, memory_order_acquire) & CUDA_HOLDS_BACK) != 0;
}

/* With the instance's hold lock: what the stream holds is taken off it, and streams that wait for it are seen to. The
 * caller frees what it is given, without the lock. */
struct cuda_held *cuda_hold_take_locked(struct trm_backend_stream *stream);
void cuda_hold_free(struct trm_backend_stream *stream, struct cuda_held *list);
/* With the lock, which is given back meanwhile: streams that wait for others and need not any more go on. */
void cuda_hold_go_on_locked(struct trm_backend_instance *instance);

/* Returns when everything up to `value` has been given to the driver; or the stream's failure. Sleeps on the host while the stream
 * holds back. */
int32_t cuda_stream_wait_submitted(struct trm_backend_stream *stream, uint64_t value);

/* ---- mark.c ------------------------------------------------------------------------------------- */

/* Mark the end of what was submitted, which is `value`. The thread that submits. */
int32_t cuda_mark_make(struct trm_backend_stream *stream, uint64_t value);

/* The first mark at or after `value`, which has been submitted, with one user more; where there is none it is made. Any thread.
 * NULL: it cannot be made, and why; CUDA_SUCCESS then says that there is no host memory. */
struct cuda_mark *cuda_mark_get(struct trm_backend_stream *stream, uint64_t value, CUresult *result);
struct cuda_mark *cuda_mark_newest(struct trm_backend_stream *stream);
/* The first that is not known to be complete; NULL: all are. */
struct cuda_mark *cuda_mark_oldest(struct trm_backend_stream *stream);
static inline void cuda_mark_put(struct cuda_mark *mark)
{
    atomic_fetch_sub_explicit(&mark->users, 1, memory_order_release);
}

/* CUDA_SUCCESS, and noted; CUDA_ERROR_NOT_READY; or trouble. */
CUresult cuda_mark_ask(struct trm_backend_stream *stream, const struct cuda_mark *mark);

/* Everything up to `value` is complete. */
void cuda_stream_note(struct trm_backend_stream *stream, uint64_t value);

void cuda_marks_fini(struct trm_backend_stream *stream);

/* ---- wait.c ------------------------------------------------------------------------------------- */

int32_t cuda_stream_query(struct trm_backend_stream *stream, uint64_t *completed);
int32_t cuda_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);

/* Find out what is complete of what was submitted. */
void cuda_stream_look(struct trm_backend_stream *stream);

/* Wait for a number that has been submitted; looks first, and long where it `may_spin`. Returns when it is complete, or the
 * stream has failed. */
void cuda_stream_await(struct trm_backend_stream *stream, uint64_t value, bool may_spin);

/* ---- notify.c ----------------------------------------------------------------------------------- */

int32_t cuda_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                           void *user);

/* Tell those whose time has come. By one who has entered. */
void cuda_notices_tell(struct trm_backend_stream *stream);
/* What a thread that sees to the notices has to do next. */
enum cuda_step {
    CUDA_STEP_NONE,
    CUDA_STEP_TELL,
    CUDA_STEP_WAIT, /* for a number that no thread waits for */
};
/* With the stream's lock. */
enum cuda_step cuda_notices_next_locked(const struct trm_backend_stream *stream, uint64_t *value);
/* See to it that a thread waits for what is to be told. */
void cuda_notices_attend(struct trm_backend_stream *stream);

/* Wait for any number, with an end. */
int32_t cuda_stream_wait_until(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline);

/* ---- failing.c ---------------------------------------------------------------------------------- */

/* TRM_OK: `value` is complete; TIMEOUT: it is not yet; or the failure of the stream, where all that was submitted has ended. Says
 * nothing in words. */
int32_t cuda_stream_state(const struct trm_backend_stream *stream, uint64_t value);
/* The number that is to be waited for in place of `value`: a stream that has failed may never come to that. */
uint64_t cuda_stream_target(const struct trm_backend_stream *stream, uint64_t value);
/* The failure in words, in the calling thread; its status. */
int32_t cuda_stream_explain(struct trm_backend_stream *stream, int32_t status);
/* TRM_OK, or why nothing can be enqueued. */
int32_t cuda_stream_check(struct trm_backend_stream *stream);

/* The stream fails with `status`, explained by `sentence`, unless it has failed already. With the instance's hold lock; without
 * it the caller frees what was held, and wakes everybody who waits for the stream. */
struct cuda_held *cuda_stream_fail_locked(struct trm_backend_stream *stream, int32_t status, int64_t native,
                                          const char *sentence);
/* Its device is lost: the same, short of dropping what it holds and of waking anybody. */
void cuda_stream_mark_lost(struct trm_backend_stream *stream);

/* The driver cannot say how far the stream is. When this returns all that was submitted has ended, and the stream has failed. */
void cuda_stream_trouble(struct trm_backend_stream *stream, CUresult result, const char *call);

void cuda_stream_abandon(struct trm_backend_stream *stream, int32_t status);

/* Wake who sleeps on `moved`, and tell of what can be told of. */
void cuda_stream_wake(struct trm_backend_stream *stream);

/* The device is lost: wake all who wait for its streams. Called by cuda_device_fail(). */
void cuda_streams_alarm(struct trm_backend_device *device);

#endif
