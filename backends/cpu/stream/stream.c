/* cpu backend: creating and destroying streams, and the changes of their state.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/stream.h"

#include "backends/cpu/stream/session.h"

#include <sched.h>
#include <string.h>

/* ---- state */

/* Queue an idle stream. Both the state and the list change under the lock, so that a stream that is idle is
 * in no list and can be destroyed. False when it was not idle any more. */
static bool queue_idle(struct trm_backend_stream *stream)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_worker *picked       = NULL;
    uint32_t idle                   = CPU_STREAM_IDLE;
    pthread_mutex_lock(scheduler->lock);
    bool is_queued = atomic_compare_exchange_strong(&stream->state, &idle, CPU_STREAM_QUEUED);
    if (is_queued) {
        cpu_scheduler_push_locked(scheduler, stream);
        picked = cpu_workers_pick_locked(scheduler, 1);
    }
    pthread_mutex_unlock(scheduler->lock);
    cpu_workers_wake_picked(picked);
    return is_queued;
}

/* The state is written even where it does not change: then the owner sees everything that was enqueued
 * before. */
void cpu_stream_submit(struct trm_backend_stream *stream)
{
    uint32_t state = atomic_load(&stream->state);
    while (true) {
        if (state == CPU_STREAM_IDLE) {
            if (queue_idle(stream))
                return;
            state = atomic_load(&stream->state);
            continue;
        }
        uint32_t next = state == CPU_STREAM_RUNNING ? CPU_STREAM_DIRTY : state;
        if (atomic_compare_exchange_weak(&stream->state, &state, next))
            return;
    }
}

bool cpu_stream_claim(struct trm_backend_stream *stream)
{
    uint32_t state = atomic_load_explicit(&stream->state, memory_order_relaxed);
    while (state == CPU_STREAM_IDLE || state == CPU_STREAM_QUEUED) {
        if (atomic_compare_exchange_weak(&stream->state, &state, CPU_STREAM_RUNNING)) {
            stream->must_run = state == CPU_STREAM_QUEUED;
            return true;
        }
    }
    return false;
}

struct trm_backend_stream *cpu_stream_claim_root_locked(struct trm_backend_stream *stream)
{
    while (stream != NULL) {
        if (cpu_stream_claim(stream)) {
            stream->must_run = true;
            return stream;
        }
        uint32_t state = atomic_load(&stream->state);
        if (state == CPU_STREAM_PARKED) {
            stream = stream->blocked_on;
        } else if (state == CPU_STREAM_RUNNING || state == CPU_STREAM_DIRTY) {
            if (atomic_compare_exchange_strong(&stream->state, &state, CPU_STREAM_DIRTY))
                return NULL;
        }
    }
    return NULL;
}

bool cpu_stream_unclaim(struct trm_backend_stream *stream)
{
    uint32_t running = CPU_STREAM_RUNNING;
    if (atomic_compare_exchange_strong(&stream->state, &running, CPU_STREAM_IDLE))
        return true;
    atomic_exchange(&stream->state, CPU_STREAM_RUNNING);
    stream->must_run = true;
    return false;
}

/* The caller owns the stream, or found it parked under the lock that it still holds. */
static struct cpu_worker *requeue_locked(struct trm_backend_stream *stream, bool may_nudge)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    atomic_exchange(&stream->state, CPU_STREAM_QUEUED);
    cpu_scheduler_push_locked(scheduler, stream);
    return may_nudge && cpu_waiter_nudge_locked(stream) ? NULL : cpu_workers_pick_locked(scheduler, 1);
}

static void requeue(struct trm_backend_stream *stream, bool may_nudge)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    pthread_mutex_lock(scheduler->lock);
    struct cpu_worker *picked = requeue_locked(stream, may_nudge);
    pthread_mutex_unlock(scheduler->lock);
    cpu_workers_wake_picked(picked);
}

void cpu_stream_requeue(struct trm_backend_stream *stream)
{
    requeue(stream, false);
}

void cpu_stream_requeue_for_waiter(struct trm_backend_stream *stream)
{
    requeue(stream, true);
}

/* ---- creating and destroying */

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **result)
{
    struct trm_backend_instance *instance = device->instance;
    int32_t status                        = cpu_scheduler_start(device->scheduler);
    if (status != TRM_OK)
        return status;
    struct trm_backend_stream *stream = cpu_allocate(instance, sizeof(*stream));
    if (stream == NULL)
        return trm_util_fail_host_memory(instance->host, "a stream");
    memset(stream, 0, sizeof(*stream));
    stream->scheduler       = device->scheduler;
    stream->writer.slots    = stream->first_slots;
    stream->writer.capacity = CPU_FIRST_SLOTS;
    stream->writer.limit    = CPU_FIRST_SLOTS;
    stream->reader.slots    = stream->first_slots;
    stream->reader.capacity = CPU_FIRST_SLOTS;
    stream->priority        = desc->priority > 0 ? 0 : desc->priority < 0 ? 2 : 1;
    stream->park.kind       = CPU_WAITER_STREAM;
    stream->park.stream     = stream;
    atomic_init(&stream->references, 1);
    atomic_init(&stream->awaited, UINT64_MAX);
    atomic_init(&stream->state, CPU_STREAM_IDLE);
    *result = stream;
    return TRM_OK;
}

/* The stream may be gone from its device, but not from the instance. */
static void release(struct trm_backend_instance *instance, struct trm_backend_stream *stream, uint32_t count)
{
    if (count == 0 || atomic_fetch_sub_explicit(&stream->references, count, memory_order_acq_rel) != count)
        return;
    cpu_failure_release(instance, atomic_load(&stream->failure));
    trm_util_release(instance->host, stream, sizeof(*stream));
}

/* One the first time, many when the stream waits for the same one again. */
void cpu_stream_take_references(struct trm_backend_stream *stream, struct trm_backend_stream *other)
{
    uint32_t count = stream->spare_of == other ? CPU_REFERENCES_AT_ONCE : 1;
    release(stream->scheduler->instance, stream->spare_of, stream->writer.spare);
    atomic_fetch_add_explicit(&other->references, count, memory_order_relaxed);
    stream->spare_of     = other;
    stream->writer.spare = count;
}

void cpu_stream_drop_references(struct trm_backend_stream *stream)
{
    release(stream->scheduler->instance, stream->spent_of, stream->spent);
    stream->spent = 0;
}

/* The work is complete, but the thread that completed it may not have given up its claim yet, or may have
 * left notifications to a worker. A WAIT of another stream that has not run yet may still name this stream;
 * it keeps the struct, not the rings. */
static void stream_destroy(struct trm_backend_stream *stream)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_session session      = {.scheduler = stream->scheduler, .token = CPU_NO_TOKEN};
    while (!cpu_stream_claim(stream))
        sched_yield();
    cpu_session_notify(&session, stream);
    pthread_mutex_lock(scheduler->lock);
    cpu_scheduler_remove_locked(scheduler, stream);
    pthread_mutex_unlock(scheduler->lock);
    uint64_t tail = atomic_load(&stream->tail);
    while (stream->reader.position != tail) {
        const struct cpu_op *op = cpu_ring_at(&stream->reader);
        cpu_operation_release(stream, op);
        if (op->kind == CPU_OP_JUMP)
            cpu_ring_follow_jump(stream);
        else
            cpu_ring_advance(&stream->reader, op);
    }
    cpu_ring_fini(stream);
    release(stream->scheduler->instance, stream->spare_of, stream->writer.spare);
    release(stream->scheduler->instance, stream->spent_of, stream->spent);
    release(stream->scheduler->instance, stream, 1);
}

/* ---- small slots of the table */

static int32_t stream_flush(struct trm_backend_stream *stream)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report_failure(stream);
    if (atomic_load_explicit(&stream->tail, memory_order_acquire) !=
        atomic_load_explicit(&stream->head, memory_order_acquire))
        cpu_stream_submit(stream);
    return TRM_OK;
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    const struct cpu_failure *failure = cpu_stream_failure(stream);
    *completed                        = atomic_load(&stream->completed);
    return failure != NULL ? cpu_stream_report_failure(stream) : TRM_OK;
}

static bool is_parked_at_open_gate(const struct trm_backend_stream *stream)
{
    return atomic_load(&stream->state) == CPU_STREAM_PARKED && stream->blocked_on == NULL &&
           stream->park.value <= stream->open_gate;
}

/* Short operations behind the gate run here: this thread has just worked for the stream, and another thread
 * would have to be woken. Costly operations are left to a thread that waits, or to the workers. */
static void stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_worker *picked       = NULL;
    uint32_t token                  = CPU_NO_TOKEN;
    pthread_mutex_lock(scheduler->lock);
    if (stream->open_gate < value)
        stream->open_gate = value;
    if (is_parked_at_open_gate(stream)) {
        token = cpu_token_acquire(scheduler);
        if (token != CPU_NO_TOKEN) {
            atomic_exchange(&stream->state, CPU_STREAM_RUNNING);
            stream->must_run = true;
        } else {
            picked = requeue_locked(stream, true);
        }
    }
    pthread_mutex_unlock(scheduler->lock);
    cpu_workers_wake_picked(picked);
    if (token != CPU_NO_TOKEN)
        cpu_session_run_claimed(stream, token);
}

/* Claim a parked stream, so that it can be abandoned. */
static bool unpark(struct trm_backend_stream *stream)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    pthread_mutex_lock(scheduler->lock);
    bool is_parked = atomic_load(&stream->state) == CPU_STREAM_PARKED;
    if (is_parked) {
        if (stream->blocked_on != NULL)
            cpu_waiter_remove_locked(stream->blocked_on, &stream->park);
        atomic_exchange(&stream->state, CPU_STREAM_RUNNING);
    }
    pthread_mutex_unlock(scheduler->lock);
    return is_parked;
}

/* The caller may hold a lock that a notification needs, hence the quiet session. A thread that runs the
 * stream now sees the mark before the next operation, and before the next part of an operation in parts. */
static void stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    struct cpu_session session = {.scheduler = stream->scheduler, .token = CPU_NO_TOKEN, .is_quiet = true};
    int32_t none               = TRM_OK;
    atomic_compare_exchange_strong(&stream->abandoned, &none, status);
    if (!unpark(stream) && !cpu_stream_claim(stream)) {
        cpu_stream_submit(stream);
        return;
    }
    cpu_session_run(&session, stream);
}

const struct trm_stream_ops cpu_stream_ops = {
    .struct_size = sizeof(cpu_stream_ops),
    .create      = stream_create,
    .destroy     = stream_destroy,
    .copy        = cpu_enqueue_copy,
    .launch      = cpu_enqueue_launch,
    .copy_2d     = cpu_enqueue_copy_2d,
    .fill        = cpu_enqueue_fill,
    .wait_stream = cpu_enqueue_wait,
    .gate        = cpu_enqueue_gate,
    .open_gates  = stream_open_gates,
    .flush       = stream_flush,
    .query       = stream_query,
    .wait        = cpu_stream_wait,
    .wait_any    = cpu_stream_wait_any,
    .notify      = cpu_stream_notify,
    .abandon     = stream_abandon,
};
