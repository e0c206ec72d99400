/* cpu backend: the life of a stream and the changes of its state.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/stream.h"

#include "backends/cpu/stream/session.h"

#include <sched.h>
#include <string.h>

/* ---- state */

/* An idle stream becomes queued under the lock alone: a stream that is in neither state nor list can be
 * destroyed. False when it was not idle any more. */
static bool queue(struct trm_backend_stream *stream)
{
    struct cpu_pool *pool     = &stream->instance->pool;
    struct cpu_worker *picked = NULL;
    uint32_t idle             = CPU_IDLE;
    pthread_mutex_lock(&pool->lock);
    bool queued = atomic_compare_exchange_strong(&stream->state, &idle, CPU_QUEUED);
    if (queued) {
        cpu_pool_push_locked(pool, stream);
        picked = cpu_pool_pick_locked(pool, 1);
    }
    pthread_mutex_unlock(&pool->lock);
    cpu_pool_wake(picked);
    return queued;
}

/* Also where nothing changes the state has to be written: then the owner sees all that was enqueued
 * before. */
void cpu_stream_submit(struct trm_backend_stream *stream)
{
    uint32_t state = atomic_load(&stream->state);
    while (true) {
        if (state == CPU_IDLE) {
            if (queue(stream))
                return;
            state = atomic_load(&stream->state);
            continue;
        }
        uint32_t next = state == CPU_RUNNING ? CPU_DIRTY : state;
        if (atomic_compare_exchange_weak(&stream->state, &state, next))
            return;
    }
}

bool cpu_stream_claim(struct trm_backend_stream *stream)
{
    uint32_t state = atomic_load_explicit(&stream->state, memory_order_relaxed);
    while (state == CPU_IDLE || state == CPU_QUEUED) {
        if (atomic_compare_exchange_weak(&stream->state, &state, CPU_RUNNING)) {
            stream->owed = state == CPU_QUEUED;
            return true;
        }
    }
    return false;
}

struct trm_backend_stream *cpu_stream_claim_root_locked(struct trm_backend_stream *stream)
{
    while (stream != NULL) {
        if (cpu_stream_claim(stream)) {
            stream->owed = true;
            return stream;
        }
        uint32_t state = atomic_load(&stream->state);
        if (state == CPU_PARKED) {
            stream = stream->blocked_on;
        } else if (state == CPU_RUNNING || state == CPU_DIRTY) {
            if (atomic_compare_exchange_strong(&stream->state, &state, CPU_DIRTY))
                return NULL;
        }
    }
    return NULL;
}

bool cpu_stream_let_go(struct trm_backend_stream *stream)
{
    uint32_t running = CPU_RUNNING;
    if (atomic_compare_exchange_strong(&stream->state, &running, CPU_IDLE))
        return true;
    atomic_exchange(&stream->state, CPU_RUNNING);
    stream->owed = true;
    return false;
}

/* The caller owns it; or it is parked, and the caller has the lock in which it found that. */
static struct cpu_worker *requeue_locked(struct trm_backend_stream *stream, bool may_nudge)
{
    struct cpu_pool *pool = &stream->instance->pool;
    atomic_exchange(&stream->state, CPU_QUEUED);
    cpu_pool_push_locked(pool, stream);
    return may_nudge && cpu_watch_nudge_locked(stream) ? NULL : cpu_pool_pick_locked(pool, 1);
}

static void hand_on(struct trm_backend_stream *stream, bool may_nudge)
{
    struct cpu_pool *pool = &stream->instance->pool;
    pthread_mutex_lock(&pool->lock);
    struct cpu_worker *picked = requeue_locked(stream, may_nudge);
    pthread_mutex_unlock(&pool->lock);
    cpu_pool_wake(picked);
}

void cpu_stream_hand_over(struct trm_backend_stream *stream)
{
    hand_on(stream, false);
}

void cpu_stream_hand_back(struct trm_backend_stream *stream)
{
    hand_on(stream, true);
}

/* ---- life */

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **result)
{
    struct trm_backend_instance *instance = device->instance;
    int32_t status                        = cpu_pool_start(instance);
    if (status != TRM_OK)
        return status;
    struct trm_backend_stream *stream = cpu_allocate(instance, sizeof(*stream));
    if (stream == NULL)
        return trm_util_fail_host_memory(instance->host, "a stream");
    memset(stream, 0, sizeof(*stream));
    stream->instance        = instance;
    stream->writer.slots    = stream->first_slots;
    stream->writer.capacity = CPU_FIRST_SLOTS;
    stream->writer.limit    = CPU_FIRST_SLOTS;
    stream->reader.slots    = stream->first_slots;
    stream->reader.capacity = CPU_FIRST_SLOTS;
    stream->priority        = desc->priority > 0 ? 0 : desc->priority < 0 ? 2 : 1;
    stream->park.kind       = CPU_WATCH_STREAM;
    stream->park.stream     = stream;
    atomic_init(&stream->references, 1);
    atomic_init(&stream->watched, UINT64_MAX);
    atomic_init(&stream->state, CPU_IDLE);
    *result = stream;
    return TRM_OK;
}

void cpu_stream_retain(struct trm_backend_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
}

void cpu_stream_release(struct trm_backend_stream *stream)
{
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) != 1)
        return;
    struct trm_backend_instance *instance = stream->instance;
    cpu_failure_release(instance, atomic_load(&stream->failure));
    trm_util_release(instance->host, stream, sizeof(*stream));
}

/* Work is complete, but whoever completed it may not have let go yet, or may have left it to a worker
 * to tell of it. A WAIT of another stream that has not run yet may still name this one; it keeps the
 * struct, not the rings. */
static void stream_destroy(struct trm_backend_stream *stream)
{
    struct cpu_pool *pool      = &stream->instance->pool;
    struct cpu_session session = {.instance = stream->instance, .token = CPU_NO_TOKEN};
    while (!cpu_stream_claim(stream))
        sched_yield();
    cpu_session_tell(&session, stream);
    pthread_mutex_lock(&pool->lock);
    cpu_pool_remove_locked(pool, stream);
    pthread_mutex_unlock(&pool->lock);
    uint64_t tail = atomic_load(&stream->tail);
    while (stream->reader.position != tail) {
        const struct cpu_op *op = cpu_ring_at(&stream->reader);
        cpu_op_release(stream, op);
        if (op->kind == CPU_OP_JUMP)
            cpu_ring_follow(stream);
        else
            cpu_ring_advance(&stream->reader, op);
    }
    cpu_ring_fini(stream);
    cpu_stream_release(stream);
}

/* ---- small slots of the table */

int32_t cpu_stream_report(struct trm_backend_stream *stream)
{
    const struct cpu_failure *failure = cpu_stream_failure(stream);
    if (failure == NULL)
        return TRM_OK;
    const struct trm_host *host = stream->instance->host;
    return host->fail(host->context, failure->status, failure->native_code, failure->sentence);
}

static int32_t stream_flush(struct trm_backend_stream *stream)
{
    if (cpu_stream_failure(stream) != NULL)
        return cpu_stream_report(stream);
    if (atomic_load_explicit(&stream->tail, memory_order_acquire) !=
        atomic_load_explicit(&stream->head, memory_order_acquire))
        cpu_stream_submit(stream);
    return TRM_OK;
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    const struct cpu_failure *failure = cpu_stream_failure(stream);
    *completed                        = atomic_load(&stream->completed);
    return failure != NULL ? cpu_stream_report(stream) : TRM_OK;
}

static bool is_parked_at_open_gate(const struct trm_backend_stream *stream)
{
    return atomic_load(&stream->state) == CPU_PARKED && stream->blocked_on == NULL &&
           stream->park.value <= stream->gates_open;
}

/* What comes after the gate is run here, where it is short: the thread that opened it has just done something for this
 * stream, and another one would have to be woken. What is dearer is left to those who wait, or to the workers. */
static void stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    struct cpu_pool *pool     = &stream->instance->pool;
    struct cpu_worker *picked = NULL;
    uint32_t token            = CPU_NO_TOKEN;
    pthread_mutex_lock(&pool->lock);
    if (stream->gates_open < value)
        stream->gates_open = value;
    if (is_parked_at_open_gate(stream)) {
        token = cpu_token_take(pool);
        if (token != CPU_NO_TOKEN) {
            atomic_exchange(&stream->state, CPU_RUNNING);
            stream->owed = true;
        } else {
            picked = requeue_locked(stream, true);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    cpu_pool_wake(picked);
    if (token != CPU_NO_TOKEN)
        cpu_session_run_claimed(stream, token);
}

/* Claim a stream that is parked, so that it can be given up. */
static bool unpark(struct trm_backend_stream *stream)
{
    struct cpu_pool *pool = &stream->instance->pool;
    pthread_mutex_lock(&pool->lock);
    bool parked = atomic_load(&stream->state) == CPU_PARKED;
    if (parked) {
        if (stream->blocked_on != NULL)
            cpu_watch_remove_locked(stream->blocked_on, &stream->park);
        atomic_exchange(&stream->state, CPU_RUNNING);
    }
    pthread_mutex_unlock(&pool->lock);
    return parked;
}

/* The caller may hold what a notification needs, hence the quiet session. Whoever runs the stream just
 * now sees the mark before the next operation, and before the next part of one that is split. */
static void stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    struct cpu_session session = {.instance = stream->instance, .token = CPU_NO_TOKEN, .quiet = true};
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
    .wait        = cpu_wait,
    .wait_any    = cpu_wait_any,
    .notify      = cpu_notify,
    .abandon     = stream_abandon,
};
