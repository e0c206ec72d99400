/* cpu backend: running the operations of streams.
 *
 * Whoever runs a stream publishes how far it came after every dear operation and every few cheap ones,
 * since telling others costs about as much as a cheap operation itself. Streams that become runnable on
 * the way are run next by the same thread, while their data is in its cache; before a dear operation
 * they are passed to the workers.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/session.h"

#include "backends/cpu/stream/graph.h"

#define PUBLISH_EVERY 32u
#define TURN 256u        /* operations of a stream in a row, while others wait */
#define QUIET_NS 20000u  /* how long an enqueueing call may help */
#define GATE_NS 20000u   /* how long one that opens a gate goes on with the stream */
#define BRIEF_NS 2000u   /* what is run at once rather than waking somebody for it */
#define DEEP_NS 50000u   /* an operation from here on keeps a worker from serving others for long */
#define COSTLY_TURNS 64u /* a dear operation counts as so many */

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

static bool somebody_is_due(struct trm_backend_stream *stream)
{
    uint64_t watched = atomic_load(&stream->watched);
    return watched <= atomic_load_explicit(&stream->completed, memory_order_relaxed) ||
           (watched != UINT64_MAX && cpu_stream_failure(stream) != NULL);
}

void cpu_session_tell(struct cpu_session *session, struct trm_backend_stream *stream)
{
    if (somebody_is_due(stream))
        cpu_watch_fire(session, stream);
}

void cpu_session_publish(struct cpu_session *session, struct trm_backend_stream *stream)
{
    session->unpublished = 0;
    atomic_store_explicit(&stream->head, stream->reader.position, memory_order_release);
    if (atomic_load_explicit(&stream->completed, memory_order_relaxed) == stream->done)
        return;
    atomic_exchange(&stream->completed, stream->done);
    cpu_session_tell(session, stream);
}

static bool goal_reached(const struct cpu_session *session)
{
    return session->goal != NULL && (cpu_stream_reached(session->goal, session->goal_value) ||
                                     cpu_stream_failure(session->goal) != NULL);
}

static bool has_enough(const struct cpu_session *session)
{
    return session->token == CPU_NO_TOKEN || goal_reached(session) ||
           (session->quiet && session->spent_ns > QUIET_NS) ||
           (session->brief_ns != 0 && session->spent_ns > session->brief_ns);
}

/* ---- letting go before the end */

static bool has_more(struct trm_backend_stream *stream)
{
    return stream->reader.position != atomic_load_explicit(&stream->tail, memory_order_acquire);
}

/* What was submitted is left to the workers, and so is telling of those who are due; what was not
 * submitted may wait. */
static void leave(struct trm_backend_stream *stream)
{
    do {
        if ((stream->owed && has_more(stream)) || somebody_is_due(stream)) {
            cpu_stream_hand_over(stream);
            return;
        }
    } while (!cpu_stream_let_go(stream));
}

/* ---- failing */

static void skip_all(struct trm_backend_stream *stream, uint64_t tail)
{
    struct cpu_ring_reader *reader = &stream->reader;
    stream->inner                  = NULL;
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
    cpu_session_publish(session, stream);
    skip_all(stream, atomic_load_explicit(&stream->tail, memory_order_acquire));
    atomic_store(&stream->failure, failure);
    cpu_session_tell(session, stream);
}

static void fail_abandoned(struct cpu_session *session, struct trm_backend_stream *stream)
{
    int32_t status = atomic_load(&stream->abandoned);
    cpu_session_fail(
        session, stream,
        cpu_failure_make(session->instance, status, 0, "The stream was given up with its work undone."));
}

/* ---- operations */

/* The next one, in the ring or in the graph that the ring has come to. */
static const struct cpu_op *current(struct trm_backend_stream *stream)
{
    return stream->inner != NULL ? stream->inner : cpu_ring_at(&stream->reader);
}

/* Go past it. A graph is an operation of the ring, which is done when its last one is. */
static void advance(struct trm_backend_stream *stream, const struct cpu_op *op)
{
    if (stream->inner != NULL && !op->last) {
        stream->inner++;
        return;
    }
    if (stream->inner != NULL) {
        stream->inner = NULL;
        op            = cpu_ring_at(&stream->reader);
    }
    stream->done = op->value;
    cpu_op_release(stream, op);
    cpu_ring_advance(&stream->reader, op);
}

/* Before an operation that may take long. False when it is left to somebody else. */
static bool prepare_costly(struct cpu_session *session, struct trm_backend_stream *stream,
                           const struct cpu_op *op)
{
    cpu_session_publish(session, stream);
    if (op->cost > session->most_ns) {
        session->refused = true;
        if (session->brief_ns != 0)
            cpu_stream_hand_back(stream);
        else
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

/* After an operation: account for it. False when the session is to go elsewhere; then the stream was
 * let go of. */
static bool finish(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    bool costly = op->cost >= CPU_COSTLY_NS;
    session->turns += costly ? COSTLY_TURNS : 1;
    session->spent_ns += op->cost;
    advance(stream, op);
    bool at_goal = stream == session->goal && stream->done >= session->goal_value;
    if (!costly && !at_goal && ++session->unpublished < PUBLISH_EVERY)
        return true;
    cpu_session_publish(session, stream);
    if (at_goal || has_enough(session)) {
        leave(stream);
        return false;
    }
    return session->turns < TURN || take_turns(session, stream);
}

/* A stream that is parked tells nobody: what a quiet session has not told must be told before. */
static bool may_park(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    if (!session->quiet || (op->kind != CPU_OP_WAIT && op->kind != CPU_OP_GATE))
        return true;
    cpu_session_publish(session, stream);
    if (!somebody_is_due(stream))
        return true;
    leave(stream);
    return false;
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

/* For long this worker serves no other stream, so somebody else is to do that. */
static bool run_deep(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure **failure)
{
    struct cpu_pool *pool = &session->instance->pool;
    atomic_fetch_add(&pool->deep, 1);
    if (atomic_load(&pool->runnable) != 0)
        cpu_pool_rouse(pool, 1);
    bool ours = cpu_op_run(session, stream, op, failure);
    atomic_fetch_sub(&pool->deep, 1);
    return ours;
}

/* One operation, or a step within the ring. False when the stream is no longer ours. */
static bool step(struct cpu_session *session, struct trm_backend_stream *stream)
{
    const struct cpu_op *op     = current(stream);
    struct cpu_failure *failure = NULL;
    if (op->kind == CPU_OP_GRAPH) {
        stream->inner = cpu_graph_enter(op->graph.graph);
        return true;
    }
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
    if (!may_park(session, stream, op))
        return false;
    bool ours = op->cost < DEEP_NS || !session->worker ? cpu_op_run(session, stream, op, &failure)
                                                       : run_deep(session, stream, op, &failure);
    return ours && conclude(session, stream, op, failure);
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
    cpu_session_tell(session, stream);
    if (has_more(stream))
        atomic_store_explicit(&stream->processor, cpu_here(), memory_order_relaxed);
    do {
        uint64_t tail = atomic_load_explicit(&stream->tail, memory_order_acquire);
        if (cpu_stream_failure(stream) != NULL)
            skip_all(stream, tail);
        else if (!run_until(session, stream, tail))
            return;
        if (is_abandoned(stream) && cpu_stream_failure(stream) == NULL)
            fail_abandoned(session, stream);
        cpu_session_publish(session, stream);
        stream->owed = false;
        if (somebody_is_due(stream)) {
            cpu_stream_hand_over(stream);
            return;
        }
    } while (!cpu_stream_let_go(stream));
}

void cpu_session_run(struct cpu_session *session, struct trm_backend_stream *stream)
{
    while (stream != NULL) {
        drain(session, stream);
        stream = has_enough(session) ? NULL : take_ready(session);
    }
    pass_on_ready(session);
    cpu_pool_worked(&session->instance->pool);
}

void cpu_session_resume(struct cpu_session *session, struct trm_backend_stream *stream,
                        struct cpu_failure *failure)
{
    const struct cpu_op *op = current(stream);
    bool ours               = conclude(session, stream, op, failure);
    cpu_session_run(session, ours ? stream : take_ready(session));
}

void cpu_session_run_claimed(struct trm_backend_stream *stream, uint32_t token)
{
    struct cpu_session session = {
        .instance = stream->instance,
        .token    = token,
        .brief_ns = GATE_NS,
        .most_ns  = CPU_COSTLY_NS,
    };
    cpu_session_run(&session, stream);
    cpu_token_give(&stream->instance->pool, token);
}

void cpu_session_run_brief(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->instance;
    struct cpu_session session            = {
                   .instance = instance,
                   .brief_ns = BRIEF_NS,
                   .most_ns  = CPU_COSTLY_NS,
    };
    if (atomic_load(&stream->state) != CPU_IDLE)
        return;
    session.token = cpu_token_take(&instance->pool);
    if (session.token == CPU_NO_TOKEN)
        return;
    if (cpu_stream_claim(stream)) {
        stream->owed = true;
        cpu_session_run(&session, stream);
    }
    cpu_token_give(&instance->pool, session.token);
}
