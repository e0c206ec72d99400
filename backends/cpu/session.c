/* cpu backend: running the operations of streams.
 *
 * Whoever runs a stream publishes how far it came after every dear operation and every few cheap ones, since telling
 * others costs about as much as a cheap operation itself. Streams that become runnable on the way are run next by the same
 * thread, while their data is in its cache; before a dear operation they are passed to the workers.
 * SPDX-License-Identifier: MIT
 */
#include "session.h"

#include "job.h"
#include "launch.h"
#include "profile.h"

#define PUBLISH_EVERY 32u
#define TURN 256u                /* operations of a stream in a row, while others wait */
#define COSTLY_TURNS 64u         /* a dear operation counts as so many */
#define SPLIT_BYTES (256u << 10) /* copies and fills from here on are worth several threads */
#define LEAST_PART (128u << 10)
#define MOST_PART (1u << 20)

/* ---- the list of what to run next */

void cpu_session_add(struct cpu_session *session, struct trm_backend_stream *stream)
{
    stream->ready_next                                                                = NULL;
    *(session->ready_last ? &session->ready_last->ready_next : &session->ready_first) = stream;
    session->ready_last                                                               = stream;
}

static struct trm_backend_stream *take_ready(struct cpu_session *session)
{
    struct trm_backend_stream *stream = session->ready_first;
    if (stream == NULL)
        return NULL;
    session->ready_first = stream->ready_next;
    if (session->ready_first == NULL)
        session->ready_last = NULL;
    return stream;
}

static void pass_on_ready(struct cpu_session *session)
{
    for (struct trm_backend_stream *stream; (stream = take_ready(session)) != NULL;)
        cpu_stream_hand_over(stream);
}

/* ---- publishing */

static void publish(struct cpu_session *session, struct trm_backend_stream *stream)
{
    session->unpublished = 0;
    atomic_store_explicit(&stream->head, stream->reader.position, memory_order_release);
    if (atomic_load_explicit(&stream->completed, memory_order_relaxed) == stream->done)
        return;
    atomic_exchange(&stream->completed, stream->done);
    if (atomic_load(&stream->watched) <= stream->done)
        cpu_watch_fire(session, stream);
}

static bool goal_reached(const struct cpu_session *session)
{
    return session->goal != NULL && (cpu_stream_reached(session->goal, session->goal_value) ||
                                     cpu_stream_failure(session->goal) != NULL);
}

/* ---- letting go before the end */

static bool has_more(struct trm_backend_stream *stream)
{
    return stream->reader.position != atomic_load_explicit(&stream->tail, memory_order_acquire);
}

/* What was submitted is left to the workers; what was not may wait. */
static void leave(struct trm_backend_stream *stream)
{
    do {
        if (stream->owed && has_more(stream)) {
            cpu_stream_hand_over(stream);
            return;
        }
    } while (!cpu_stream_let_go(stream));
}

/* ---- failing */

static void skip_all(struct trm_backend_stream *stream, uint64_t tail)
{
    struct cpu_ring_reader *reader = &stream->reader;
    while (reader->position != tail) {
        const struct cpu_op *op = cpu_ring_at(reader);
        cpu_op_release(stream, op);
        if (op->kind == CPU_OP_JUMP)
            cpu_ring_follow(stream);
        else
            cpu_ring_advance(reader, op);
    }
    atomic_store_explicit(&stream->head, reader->position, memory_order_release);
}

/* The failure becomes visible last: from then on nothing of the program's is touched. */
void cpu_session_fail(struct cpu_session *session, struct trm_backend_stream *stream,
                      struct cpu_failure *failure)
{
    publish(session, stream);
    skip_all(stream, atomic_load_explicit(&stream->tail, memory_order_acquire));
    atomic_store(&stream->failure, failure);
    if (atomic_load(&stream->watched) != UINT64_MAX)
        cpu_watch_fire(session, stream);
}

static void fail_abandoned(struct cpu_session *session, struct trm_backend_stream *stream)
{
    int32_t status = atomic_load(&stream->abandoned);
    cpu_session_fail(
        session, stream,
        cpu_failure_make(session->instance, status, 0, "The stream was given up with its work undone."));
}

/* ---- operations. They return false when the stream is no longer ours. */

static uint64_t part_bytes(const struct cpu_session *session, uint64_t size)
{
    uint64_t part = size / (session->instance->pool.size * 4u);
    part          = part < LEAST_PART ? LEAST_PART : part > MOST_PART ? MOST_PART : part;
    return part & ~(uint64_t)4095;
}

static bool run_flat(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     uint64_t size, struct cpu_failure **failure)
{
    if (size >= SPLIT_BYTES && session->instance->pool.size > 1)
        return cpu_job_run(session, stream, op, 0, size, part_bytes(session, size), failure);
    *failure = cpu_op_run_part(session, op, 0, size);
    return true;
}

static bool run_rows(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure **failure)
{
    uint64_t width = op->copy_2d.width, height = op->copy_2d.height;
    uint64_t rows = width >= MOST_PART ? 1 : LEAST_PART / width + 1;
    if (height >= 2 * rows && session->instance->pool.size > 1)
        return cpu_job_run(session, stream, op, 0, height, rows, failure);
    *failure = cpu_op_run_part(session, op, 0, height);
    return true;
}

/* `failure` is read first: once it is there, `completed` is final. */
static bool run_wait(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure **failure)
{
    struct cpu_pool *pool            = &session->instance->pool;
    struct trm_backend_stream *other = op->wait.other, *root = NULL;
    bool parked = false;
    while (other != stream) {
        struct cpu_failure *theirs = cpu_stream_failure(other);
        if (cpu_stream_reached(other, op->wait.value))
            return true;
        if (theirs != NULL) {
            *failure = cpu_failure_share(theirs);
            return true;
        }
        publish(session, stream);
        pthread_mutex_lock(&pool->lock);
        stream->park.value = op->wait.value;
        parked             = cpu_watch_add_locked(other, &stream->park);
        if (parked) {
            stream->blocked_on = other;
            atomic_exchange(&stream->state, CPU_PARKED);
            root = cpu_stream_claim_root_locked(other);
        }
        pthread_mutex_unlock(&pool->lock);
        if (root != NULL)
            cpu_session_add(session, root);
        if (parked)
            return false;
    }
    return true;
}

static bool run_gate(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    struct cpu_pool *pool = &session->instance->pool;
    publish(session, stream);
    pthread_mutex_lock(&pool->lock);
    bool open = stream->gates_open >= op->value;
    if (!open) {
        stream->park.value = op->value;
        stream->blocked_on = NULL;
        atomic_exchange(&stream->state, CPU_PARKED);
    }
    pthread_mutex_unlock(&pool->lock);
    return open;
}

static bool run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                struct cpu_failure **failure)
{
    switch (op->kind) {
    case CPU_OP_LAUNCH:
        return cpu_launch_run(session, stream, op, failure);
    case CPU_OP_COPY:
        return run_flat(session, stream, op, op->copy.size, failure);
    case CPU_OP_FILL:
        return run_flat(session, stream, op, op->fill.size, failure);
    case CPU_OP_COPY_2D:
        return run_rows(session, stream, op, failure);
    case CPU_OP_WAIT:
        return run_wait(session, stream, op, failure);
    case CPU_OP_GATE:
        return run_gate(session, stream, op);
    default:
        cpu_stamp_take(op->stamp.stamp);
        return true;
    }
}

/* Before an operation that may take long. False when it is left to somebody else. */
static bool prepare_costly(struct cpu_session *session, struct trm_backend_stream *stream,
                           const struct cpu_op *op)
{
    publish(session, stream);
    if (op->cost > session->most_ns) {
        cpu_stream_hand_over(stream);
        return false;
    }
    bool nearer = stream != session->goal && session->ready_first != NULL;
    if (!session->worker && (nearer || goal_reached(session))) {
        leave(stream);
        return false;
    }
    pass_on_ready(session);
    return true;
}

/* ---- streams */

/* Others get their turn. A helper stays with its goal, and gives away what else became ready. */
static bool take_turns(struct cpu_session *session, struct trm_backend_stream *stream)
{
    bool others =
        session->worker && atomic_load_explicit(&session->instance->pool.runnable, memory_order_relaxed) != 0;
    session->turns = 0;
    if (stream == session->goal) {
        pass_on_ready(session);
        return true;
    }
    if (session->ready_first == NULL && !others)
        return true;
    leave(stream);
    return false;
}

/* After an operation: account for it. False when the session is to go elsewhere; then the stream was let go of. */
static bool finish(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    bool costly  = op->cost >= CPU_COSTLY_NS;
    stream->done = op->value;
    cpu_op_release(stream, op);
    cpu_ring_advance(&stream->reader, op);
    session->turns += costly ? COSTLY_TURNS : 1;
    bool at_goal = stream == session->goal && stream->done >= session->goal_value;
    if (!costly && !at_goal && ++session->unpublished < PUBLISH_EVERY)
        return true;
    publish(session, stream);
    if (at_goal || goal_reached(session)) {
        leave(stream);
        return false;
    }
    return session->turns < TURN || take_turns(session, stream);
}

static bool is_abandoned(struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->abandoned, memory_order_relaxed) != TRM_OK;
}

/* An abandoned stream may have left out parts of the operation, which hence does not count. */
static bool conclude(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure *failure)
{
    if (failure != NULL) {
        cpu_session_fail(session, stream, failure);
        return true;
    }
    return is_abandoned(stream) || finish(session, stream, op);
}

/* One operation, or a step within the ring. False when the stream is no longer ours. */
static bool step(struct cpu_session *session, struct trm_backend_stream *stream)
{
    const struct cpu_op *op     = cpu_ring_at(&stream->reader);
    struct cpu_failure *failure = NULL;
    if (op->kind == CPU_OP_WRAP) {
        cpu_ring_advance(&stream->reader, op);
        return true;
    }
    if (op->kind == CPU_OP_JUMP) {
        cpu_ring_follow(stream);
        return true;
    }
    if (op->cost >= CPU_COSTLY_NS && !prepare_costly(session, stream, op))
        return false;
    return run(session, stream, op, &failure) && conclude(session, stream, op, failure);
}

/* False when the stream is no longer ours. A failure goes beyond `tail`. */
static bool run_until(struct cpu_session *session, struct trm_backend_stream *stream, uint64_t tail)
{
    while ((int64_t)(tail - stream->reader.position) > 0 && !is_abandoned(stream))
        if (!step(session, stream))
            return false;
    return true;
}

/* All that is submitted. The stream is let go of, parked or handed over when this returns. */
static void drain(struct cpu_session *session, struct trm_backend_stream *stream)
{
    do {
        uint64_t tail = atomic_load_explicit(&stream->tail, memory_order_acquire);
        if (cpu_stream_failure(stream) != NULL)
            skip_all(stream, tail);
        else if (!run_until(session, stream, tail))
            return;
        if (is_abandoned(stream) && cpu_stream_failure(stream) == NULL)
            fail_abandoned(session, stream);
        publish(session, stream);
        stream->owed = false;
    } while (!cpu_stream_let_go(stream));
}

void cpu_session_run(struct cpu_session *session, struct trm_backend_stream *stream)
{
    while (stream != NULL) {
        drain(session, stream);
        bool enough = session->token == CPU_NO_TOKEN || goal_reached(session);
        stream      = enough ? NULL : take_ready(session);
    }
    pass_on_ready(session);
}

void cpu_session_resume(struct cpu_session *session, struct trm_backend_stream *stream,
                        struct cpu_failure *failure)
{
    const struct cpu_op *op = cpu_ring_at(&stream->reader);
    bool ours               = conclude(session, stream, op, failure);
    cpu_session_run(session, ours ? stream : take_ready(session));
}
