/* cpu backend: running the operations of streams.
 *
 * A session publishes how far its stream has come after every costly operation and after every few cheap
 * ones, since notifying other threads costs about as much as a cheap operation. Streams that become ready
 * meanwhile run next in the same thread, while their data is in its cache; before a costly operation they
 * are passed to the workers. So do streams that the current one waits for: a thread of the program goes back
 * and forth between streams that wait for each other, and parks none of them, as long as it has claimed them
 * all. A worker parks them: it would get ahead of a thread that flushes each operation, which then would have
 * to put the stream into the run queue each time.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/session.h"

#include "backends/cpu/stream/graph.h"

#define PUBLISH_EVERY 32u
#define TURN 256u       /* operations of one stream in a row, while other streams wait */
#define QUIET_NS 20000u /* how long an enqueueing call may help */
#define GATE_NS 20000u  /* how long the thread that opens a gate goes on with the stream */
#define SHORT_NS 2000u  /* work that runs at once, since waking a worker would take longer */
#define LONG_RUNNING_NS \
    50000u               /* from this cost on, a worker that runs an operation does not count as awake */
#define COSTLY_TURNS 64u /* a costly operation counts as so many */
#define HELD_MOST 4u     /* streams of a session beyond which one that waits is parked */

/* ---- ready streams */

void cpu_session_add_ready(struct cpu_session *session, struct trm_backend_stream *stream)
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

/* ---- publishing */

static bool has_due_waiters(struct trm_backend_stream *stream)
{
    uint64_t watched = atomic_load(&stream->awaited);
    return watched <= atomic_load_explicit(&stream->completed, memory_order_relaxed) ||
           (watched != UINT64_MAX && cpu_stream_failure(stream) != NULL);
}

void cpu_session_notify(struct cpu_session *session, struct trm_backend_stream *stream)
{
    if (has_due_waiters(stream))
        cpu_waiters_notify(session, stream);
}

/* The exchange is also the fence between `completed` and `awaited` that cpu_waiter_add_locked() relies on. */
bool cpu_session_publish_alone(struct trm_backend_stream *stream)
{
    atomic_store_explicit(&stream->head, stream->reader.position, memory_order_release);
    if (stream->announced == stream->done)
        return false;
    stream->announced = stream->done;
    atomic_exchange(&stream->completed, stream->done);
    return has_due_waiters(stream);
}

void cpu_session_publish(struct cpu_session *session, struct trm_backend_stream *stream)
{
    if (cpu_session_publish_alone(stream))
        cpu_waiters_notify(session, stream);
}

/* Publish a stream that is about to be held, without a fence: the thread of a waiter that is missed here sees
 * `completed`, or the waiter is found by the next cpu_session_publish(). */
static void publish_held(struct cpu_session *session, struct trm_backend_stream *stream)
{
    atomic_store_explicit(&stream->head, stream->reader.position, memory_order_release);
    atomic_store_explicit(&stream->completed, stream->done, memory_order_release);
    if (atomic_load_explicit(&stream->awaited, memory_order_relaxed) <= stream->done)
        cpu_waiters_notify(session, stream);
}

/* Publish all streams that the session has claimed. */
static void publish_all(struct cpu_session *session, struct trm_backend_stream *stream)
{
    session->unpublished = 0;
    cpu_session_publish(session, stream);
    for (stream = session->ready_first; stream != NULL; stream = stream->ready_next)
        cpu_session_publish(session, stream);
}

static bool has_reached_goal(const struct cpu_session *session)
{
    return session->goal != NULL && (cpu_stream_has_reached(session->goal, session->goal_value) ||
                                     cpu_stream_failure(session->goal) != NULL);
}

static bool is_finished(const struct cpu_session *session)
{
    return session->token == CPU_NO_TOKEN || has_reached_goal(session) ||
           (session->is_quiet && session->spent_ns > QUIET_NS) ||
           (session->budget_ns != 0 && session->spent_ns > session->budget_ns);
}

/* ---- giving up the claim before the end */

static bool has_more(struct trm_backend_stream *stream)
{
    return stream->reader.position != atomic_load_explicit(&stream->tail, memory_order_acquire);
}

/* Leave the stream. The workers get its submitted operations, and notify the waiters that are due; other
 * operations may wait. */
static void leave(struct trm_backend_stream *stream)
{
    do {
        if ((stream->must_run && has_more(stream)) || has_due_waiters(stream)) {
            cpu_stream_requeue(stream);
            return;
        }
    } while (!cpu_stream_unclaim(stream));
}

/* ---- held streams */

/* The next operation: in the ring, or in the graph that the ring has reached. */
static const struct cpu_op *current_op(struct trm_backend_stream *stream)
{
    return stream->graph_op != NULL ? stream->graph_op : cpu_ring_at(&stream->reader);
}

/* A failure of `other`, too, ends the wait. */
bool cpu_session_park(struct cpu_session *session, struct trm_backend_stream *stream,
                      struct trm_backend_stream *other, uint64_t value, struct trm_backend_stream **root)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    bool has_due                    = cpu_session_publish_alone(stream);
    struct cpu_waiter *due          = NULL;

    pthread_mutex_lock(scheduler->lock);
    if (has_due)
        due = cpu_waiters_take_due_locked(session, stream);
    stream->park.value = value;
    bool is_parked     = !cpu_stream_is_abandoned(stream) && cpu_waiter_add_locked(other, &stream->park);
    if (is_parked) {
        stream->blocked_on = other;
        atomic_exchange(&stream->state, CPU_STREAM_PARKED);
        /* The last of the session's ready streams is its own already. */
        if (root != NULL && session->ready_last != other)
            *root = cpu_stream_claim_root_locked(other);
    }
    pthread_mutex_unlock(scheduler->lock);
    cpu_waiters_notify_taken(scheduler, due);
    return is_parked;
}

/* A parked stream notifies no waiter, so the notifications that a quiet session left out must be sent before
 * it parks. */
static bool has_notified(struct cpu_session *session, struct trm_backend_stream *stream)
{
    if (!session->is_quiet)
        return true;
    cpu_session_publish(session, stream);
    return !has_due_waiters(stream);
}

/* Leave a stream whose next operation waits for `other`, and run `other` next. The stream stays claimed,
 * behind `other` in the list, so that going back and forth between streams takes no lock. False when this
 * session cannot run `other`, or has many streams, so that the caller has to park the stream; or when the
 * stream cannot be parked, which is necessary before another thread may get `other`. */
static bool hold(struct cpu_session *session, struct trm_backend_stream *stream,
                 struct trm_backend_stream *other)
{
    struct trm_backend_stream *own = session->ready_first;
    uint32_t count                 = 0;
    if (!has_notified(session, stream))
        return false;
    while (own != NULL && own != other && count < HELD_MOST) {
        own = own->ready_next;
        count++;
    }
    if (count == HELD_MOST)
        return false;
    if (own == NULL) {
        if (cpu_stream_failure(other) != NULL || !cpu_stream_claim(other))
            return false;
        other->is_held = false;
        cpu_session_add_ready(session, other);
    }
    other->must_run = true;
    publish_held(session, stream);
    stream->is_held     = true;
    session->is_holding = true;
    cpu_session_add_ready(session, stream);
    return true;
}

/* Park the held streams whose waits are not over. Called before the session leaves its stream to another
 * thread, since it would claim that again at once, and before an operation that takes long. */
static void park_held(struct cpu_session *session)
{
    struct trm_backend_stream *stream = session->ready_first;
    session->ready_first = session->ready_last = NULL;
    for (struct trm_backend_stream *next; stream != NULL; stream = next) {
        const struct cpu_op *op = current_op(stream);
        bool was_held           = stream->is_held;
        next                    = stream->ready_next;
        stream->is_held         = false;
        if (was_held && has_notified(session, stream) &&
            cpu_session_park(session, stream, op->wait.other, op->wait.value, NULL))
            continue;
        cpu_session_add_ready(session, stream);
    }
}

static void pass_on_ready(struct cpu_session *session)
{
    park_held(session);
    for (struct trm_backend_stream *stream; (stream = take_ready(session)) != NULL;)
        cpu_stream_requeue(stream);
}

/* ---- failing */

static void skip_all(struct trm_backend_stream *stream, uint64_t tail)
{
    struct cpu_ring_reader *reader = &stream->reader;
    stream->graph_op               = NULL;
    while (reader->position != tail) {
        const struct cpu_op *op = cpu_ring_at(reader);
        cpu_operation_release(stream, op);
        if (op->kind == CPU_OP_JUMP)
            cpu_ring_follow_jump(stream);
        else
            cpu_ring_advance(reader, op);
    }
    atomic_store_explicit(&stream->head, reader->position, memory_order_release);
}

/* The failure becomes visible last: from then on no operation of the stream touches the program's memory. */
void cpu_session_fail(struct cpu_session *session, struct trm_backend_stream *stream,
                      struct cpu_failure *failure)
{
    cpu_session_publish(session, stream);
    skip_all(stream, atomic_load_explicit(&stream->tail, memory_order_acquire));
    atomic_store(&stream->failure, failure);
    cpu_session_notify(session, stream);
}

static void fail_abandoned(struct cpu_session *session, struct trm_backend_stream *stream)
{
    int32_t status = atomic_load(&stream->abandoned);
    cpu_session_fail(session, stream,
                     cpu_failure_create(session->scheduler->instance, status, 0,
                                        "The stream was abandoned before its work was done."));
}

/* ---- operations */

/* Advance past an operation of the ring. */
static void advance_ring(struct trm_backend_stream *stream, const struct cpu_op *op)
{
    stream->done = op->value;
    if (op->kind == CPU_OP_WAIT)
        cpu_stream_release_other(stream, op->wait.other);
    else
        cpu_operation_release(stream, op);
    cpu_ring_advance(&stream->reader, op);
}

/* Advance past an operation. A graph is one operation of the ring, which is done when its last operation
 * is. */
static void advance(struct trm_backend_stream *stream, const struct cpu_op *op)
{
    if (stream->graph_op == NULL) {
        advance_ring(stream, op);
    } else if (op->is_last) {
        stream->graph_op = NULL;
        advance_ring(stream, cpu_ring_at(&stream->reader));
    } else {
        stream->graph_op++;
    }
}

/* Before a costly operation. False when it is left to another thread. */
static bool prepare_costly(struct cpu_session *session, struct trm_backend_stream *stream,
                           const struct cpu_op *op)
{
    publish_all(session, stream);
    park_held(session);
    if (op->cost > session->limit_ns) {
        session->met_costly = true;
        if (session->budget_ns != 0)
            cpu_stream_requeue_for_waiter(stream);
        else
            cpu_stream_requeue(stream);
        return false;
    }
    bool is_goal_elsewhere = stream != session->goal && session->ready_first != NULL;
    if (!session->is_worker && (is_goal_elsewhere || has_reached_goal(session))) {
        leave(stream);
        return false;
    }
    pass_on_ready(session);
    return true;
}

/* ---- streams */

/* Give other streams a turn. A helper stays with its goal, and passes on the other ready streams. */
static bool take_turns(struct cpu_session *session, struct trm_backend_stream *stream)
{
    bool has_others =
        session->is_worker && atomic_load_explicit(&session->scheduler->runnable, memory_order_relaxed) != 0;
    session->turns = 0;
    if (stream == session->goal) {
        pass_on_ready(session);
        return true;
    }
    park_held(session);
    if (session->ready_first == NULL && !has_others)
        return true;
    leave(stream);
    return false;
}

static bool is_at_goal(const struct cpu_session *session, const struct trm_backend_stream *stream)
{
    return stream == session->goal && stream->done >= session->goal_value;
}

/* After some operations, a costly one, or the goal: publish, and find out whether the session goes on with
 * the stream. */
static bool look_around(struct cpu_session *session, struct trm_backend_stream *stream)
{
    publish_all(session, stream);
    if (is_at_goal(session, stream) || is_finished(session)) {
        leave(stream);
        return false;
    }
    return session->turns < TURN || take_turns(session, stream);
}

/* Account for an operation that has finished. False when the session has left the stream and given up the
 * claim. */
static bool finish(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    uint32_t cost  = op->cost;
    bool is_costly = cost >= CPU_COSTLY_NS;
    session->turns += is_costly ? COSTLY_TURNS : 1;
    session->spent_ns += cost;
    advance(stream, op);
    if (++session->unpublished < PUBLISH_EVERY && !is_costly && !is_at_goal(session, stream))
        return true;
    return look_around(session, stream);
}

/* Before an operation that may park the stream. One that must notify first is left to a worker. */
static bool may_park(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op)
{
    if ((op->kind != CPU_OP_WAIT && op->kind != CPU_OP_GATE) || has_notified(session, stream))
        return true;
    park_held(session);
    leave(stream);
    return false;
}

/* After an operation, or its failure. An abandoned stream may have skipped parts of the operation, so it does
 * not count as finished. */
static bool conclude(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure *failure)
{
    if (failure != NULL) {
        cpu_session_fail(session, stream, failure);
        return true;
    }
    return cpu_stream_is_abandoned(stream) || finish(session, stream, op);
}

/* This worker will serve no other stream for long, so another worker is woken when streams wait. */
static bool run_long(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                     struct cpu_failure **failure)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    atomic_fetch_add(&scheduler->long_running, 1);
    if (atomic_load(&scheduler->runnable) != 0)
        cpu_workers_wake(scheduler, 1);
    bool is_ours = cpu_operation_run(session, stream, op, failure);
    atomic_fetch_sub(&scheduler->long_running, 1);
    return is_ours;
}

/* Run one operation, or take one step within the ring. False when this session no longer owns the stream. */
static bool step(struct cpu_session *session, struct trm_backend_stream *stream)
{
    const struct cpu_op *op     = current_op(stream);
    struct cpu_failure *failure = NULL;
    if (op->kind == CPU_OP_GRAPH) {
        stream->graph_op = cpu_graph_begin(op->graph.graph);
        return true;
    }
    if (op->kind == CPU_OP_WRAP) {
        cpu_ring_advance(&stream->reader, op);
        return true;
    }
    if (op->kind == CPU_OP_JUMP) {
        cpu_ring_follow_jump(stream);
        return true;
    }
    if (op->kind == CPU_OP_WAIT) {
        if (cpu_stream_has_reached(op->wait.other, op->wait.value))
            return finish(session, stream, op);
        if (!session->is_worker && op->wait.other != stream && hold(session, stream, op->wait.other))
            return false;
    }
    if (op->cost >= CPU_COSTLY_NS && !prepare_costly(session, stream, op))
        return false;
    if (!may_park(session, stream, op))
        return false;
    bool is_ours = op->cost < LONG_RUNNING_NS || !session->is_worker
                       ? cpu_operation_run(session, stream, op, &failure)
                       : run_long(session, stream, op, &failure);
    return is_ours && conclude(session, stream, op, failure);
}

/* Run up to `tail`; a failure skips beyond it. False when this session no longer owns the stream. */
static bool run_until(struct cpu_session *session, struct trm_backend_stream *stream, uint64_t tail)
{
    while ((int64_t)(tail - stream->reader.position) > 0 && !cpu_stream_is_abandoned(stream))
        if (!step(session, stream))
            return false;
    return true;
}

/* Begin with a stream that this session has just got. */
static void begin(struct cpu_session *session, struct trm_backend_stream *stream)
{
    cpu_session_notify(session, stream);
    if (has_more(stream))
        atomic_store_explicit(&stream->last_processor, cpu_current_processor(), memory_order_relaxed);
}

/* Run everything that is submitted. When this returns, the stream is held, unclaimed, parked or queued. */
static void drain(struct cpu_session *session, struct trm_backend_stream *stream)
{
    if (!stream->is_held)
        begin(session, stream);
    stream->is_held = false;
    do {
        uint64_t tail = atomic_load_explicit(&stream->tail, memory_order_acquire);
        if (cpu_stream_failure(stream) != NULL)
            skip_all(stream, tail);
        else if (!run_until(session, stream, tail))
            return;
        if (cpu_stream_is_abandoned(stream) && cpu_stream_failure(stream) == NULL)
            fail_abandoned(session, stream);
        cpu_session_publish(session, stream);
        stream->must_run = false;
        if (has_due_waiters(stream)) {
            cpu_stream_requeue(stream);
            return;
        }
    } while (!cpu_stream_unclaim(stream));
}

void cpu_session_run(struct cpu_session *session, struct trm_backend_stream *stream)
{
    while (stream != NULL) {
        drain(session, stream);
        /* A session that only holds streams makes no progress. */
        stream              = !session->is_holding && is_finished(session) ? NULL : take_ready(session);
        session->is_holding = false;
    }
    pass_on_ready(session);
    cpu_scheduler_note_work(session->scheduler);
}

void cpu_session_resume(struct cpu_session *session, struct trm_backend_stream *stream,
                        struct cpu_failure *failure)
{
    const struct cpu_op *op = current_op(stream);
    bool is_ours            = conclude(session, stream, op, failure);
    cpu_session_run(session, is_ours ? stream : take_ready(session));
}

void cpu_session_run_claimed(struct trm_backend_stream *stream, uint32_t token)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_session session      = {
             .scheduler = scheduler,
             .token     = token,
             .budget_ns = GATE_NS,
             .limit_ns  = CPU_COSTLY_NS,
    };
    cpu_session_run(&session, stream);
    cpu_token_release(scheduler, token);
}

void cpu_session_run_short(struct trm_backend_stream *stream)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_session session      = {
             .scheduler = scheduler,
             .budget_ns = SHORT_NS,
             .limit_ns  = CPU_COSTLY_NS,
    };
    if (atomic_load(&stream->state) != CPU_STREAM_IDLE)
        return;
    session.token = cpu_token_acquire(scheduler);
    if (session.token == CPU_NO_TOKEN)
        return;
    if (cpu_stream_claim(stream)) {
        stream->must_run = true;
        cpu_session_run(&session, stream);
    }
    cpu_token_release(scheduler, session.token);
}
