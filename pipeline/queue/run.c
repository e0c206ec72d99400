/* Runs: a source and a sink for all tokens, and how a run begins and ends.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"

/* ---- in a run ------------------------------------------------------------------------------- */

void pipeline_run_fill(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    bool has_ended;
    while (queue->mode != PIPELINE_SERVING && queue->workers == 0 && !queue->is_filling) {
        struct pipeline_slot *slot = pipeline_load_pop(pipeline, &has_ended);
        if (slot == NULL && !has_ended && queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0 &&
            pipeline_reap(pipeline, 0) > 0)
            continue;
        if (slot == NULL)
            break;
        queue->is_filling = true;
        base_biased_lock_release(&pipeline->lock);
        int32_t answer = pipeline_load(slot, NULL);
        if (pipeline_queue_is_timed(slot))
            queue->load_ns = slot->load_end - slot->load_begin;
        if (answer == TRM_OK)
            pipeline_submit(slot, false);
        else
            base_biased_lock_acquire(&pipeline->lock);
        queue->is_filling = false;
        if (answer != TRM_OK)
            pipeline_load_dispose(slot, answer);
        pipeline_queue_wake_changed(queue);
        if (queue->quiet_waiters > 0)
            base_condition_broadcast(&queue->quiet);
    }
}

/* No function takes the results: they are where they go, or are discarded. Reading the clock again would take
 * longer. */
static void consume_none(struct pipeline_slot *slot)
{
    struct pipeline_queue *queue = slot->front->queue;
    slot->sink_begin             = pipeline_queue_is_timed(slot) ? base_now() : 0;
    slot->sink_end               = slot->sink_begin;
    slot->sink_ran               = 0;
    queue->sink_ns               = 0;
    atomic_store_explicit(&queue->sink_took, 0, memory_order_relaxed);
    pipeline_queue_finish(slot);
}

/* Takes the lock, like pipeline_queue_finish(). */
static void consume(struct pipeline_slot *slot)
{
    struct pipeline *pipeline    = slot->front;
    struct pipeline_queue *queue = pipeline->queue;
    bool is_timed                = pipeline_queue_is_timed(slot);
    bool is_long =
        is_timed && atomic_load_explicit(&queue->sink_took, memory_order_relaxed) > PIPELINE_LONG_END_NS;
    uint64_t ran     = is_long ? base_thread_time() : 0;
    slot->sink_begin = is_timed ? base_now() : 0;
    base_error_clear();
    int32_t status = pipeline_sink_consume(&queue->sink, &slot->token);
    slot->sink_end = is_timed ? base_now() : 0;
    slot->sink_ran = is_long ? base_thread_time() - ran : 0;
    if (is_timed) {
        queue->sink_ns = slot->sink_end - slot->sink_begin;
        atomic_store_explicit(&queue->sink_took, queue->sink_ns, memory_order_relaxed);
    }
    if (status == TRM_OK) {
        pipeline_queue_finish(slot);
        return;
    }
    if (status > 0)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "the sink returned %d, which is not a status", status);
    pipeline_failure_name(slot, "sink", status);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_failure_note(slot, false);
    pipeline_queue_retire(slot, status, true);
}

void pipeline_run_consume(struct pipeline_slot *slot)
{
    base_biased_lock_release(&slot->front->lock);
    if (slot->front->queue->sink.consume != NULL)
        consume(slot);
    else
        consume_none(slot);
}

/* ---- locks that favour the thread that runs the pipeline ------------------------------------ */

/* So many tokens without another thread that takes the locks, and they favour this one. Twice as many after
 * each time that it did not last. */
#define CALM_TOKENS 16u
#define CALM_TOKENS_MOST 65536u

/* A short token would take the locks five times, for a fifth of its time. With the lock. The other one comes
 * before it, so it is left alone if a thread has it. */
static void favour_this_thread(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->calm_enough == 0 || (base_biased_lock_favours_me(&pipeline->lock) &&
                                    base_biased_lock_favours_me(&pipeline->enqueue_lock)))
        return;
    if (++queue->calm < queue->calm_enough || !base_biased_lock_try_acquire(&pipeline->enqueue_lock))
        return;
    base_biased_lock_favour(&pipeline->enqueue_lock);
    base_biased_lock_release(&pipeline->enqueue_lock);
    base_biased_lock_favour(&pipeline->lock);
    queue->calm = 0;
    if (queue->calm_enough < CALM_TOKENS_MOST)
        queue->calm_enough *= 2;
}

/* With the lock, released meanwhile. */
static void favour_no_thread(struct pipeline *pipeline)
{
    base_biased_lock_release(&pipeline->lock);
    base_biased_lock_acquire(&pipeline->enqueue_lock);
    base_biased_lock_unfavour(&pipeline->enqueue_lock);
    base_biased_lock_acquire(&pipeline->lock);
    base_biased_lock_unfavour(&pipeline->lock);
    base_biased_lock_release(&pipeline->enqueue_lock);
}

/* Passes all tokens of the source to the sink. With the lock, released meanwhile. It stays with this thread
 * from the end of a token to the begin of the next, and from there to the wait: taking it costs a short
 * token a fortieth of its time. */
static void pass_all(struct pipeline *pipeline)
{
    struct base_failure failure;
    struct pipeline_calling calling;
    struct pipeline_slot *slot;
    int32_t status;
    bool may_be_plain = pipeline_next_may_be_plain(pipeline);
    /* Once for all calls of the source and the sink. */
    pipeline_calling_push(&calling, pipeline, false);
    bool is_alone                = pipeline->queue->workers == 0;
    bool may_favour              = is_alone && pipeline->object.context->has_barriers;
    pipeline->queue->calm        = 0;
    pipeline->queue->calm_enough = may_favour ? CALM_TOKENS : 0;
    /* Loaders read it. */
    if (is_alone)
        pipeline->queue->calling = &calling;
    do {
        favour_this_thread(pipeline);
        pipeline_run_fill(pipeline);
        slot   = may_be_plain ? pipeline_next_plain(pipeline) : NULL;
        status = TRM_OK;
        if (slot == NULL)
            status = pipeline_next(pipeline, PIPELINE_SLOT_SINK, BASE_NEVER, &slot, &failure);
        if (status == TRM_OK)
            pipeline_run_consume(slot);
    } while (status == TRM_OK || status == PIPELINE_NEXT_FILL || status == PIPELINE_NEXT_FAILED);
    if (may_favour)
        favour_no_thread(pipeline);
    if (is_alone)
        pipeline->queue->calling = NULL;
    pipeline_calling_pop(&calling);
}

/* ---- beginning ------------------------------------------------------------------------------ */

int32_t pipeline_run_may_begin(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->is_closing)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline is being destroyed");
    if (queue->mode == PIPELINE_STARTED && queue->stop == PIPELINE_STOPPED)
        pipeline_run_finish(pipeline, BASE_NEVER);
    if (queue->mode != PIPELINE_SERVING)
        return base_fail_static(TRM_ERROR_BUSY, "the pipeline is running or started already");
    if (queue->is_changing)
        return base_fail_static(TRM_ERROR_BUSY, "the order of the pipeline's stages is being changed");
    uint32_t owned = queue->slots_in[PIPELINE_SLOT_HELD] + queue->slots_in[PIPELINE_SLOT_OUT];
    if (owned > 0)
        return base_fail(TRM_ERROR_BUSY,
                         "the program has %u token%s of the pipeline: submit, discard or release %s", owned,
                         base_plural(owned), owned == 1 ? "it" : "them");
    if (pipeline_queue_in_flight(queue) > queue->slots_in[PIPELINE_SLOT_ABANDONED])
        return base_fail_static(TRM_ERROR_BUSY,
                                "submitted tokens have not been fetched with trm_pipeline_next()");
    return TRM_OK;
}

/* With the lock. */
static void forget_last(struct pipeline *pipeline, int32_t mode)
{
    struct pipeline_queue *queue = pipeline->queue;
    queue->mode                  = mode;
    queue->stop                  = PIPELINE_GOING;
    queue->is_told               = false;
    queue->is_over               = false;
    queue->cause.status          = TRM_OK;
    queue->cancelled_at          = 0;
    queue->was_cancelled         = false;
    queue->next_index            = 0;
    queue->turn                  = 0;
    queue->end_index             = UINT64_MAX;
    queue->has_source_ended      = false;
    memset(queue->filled, 0, sizeof(queue->filled));
    queue->facts       = (struct pipeline_report_facts){.source_flags = 0};
    queue->ahead_facts = (struct pipeline_ahead_facts){.limit = 0};
    pipeline_queue_forget_counts(pipeline);
    pipeline_members_forget_stay(pipeline);
    pipeline->failure.status     = TRM_OK;
    pipeline->loss_of_run.status = TRM_OK;
    pipeline_measure_reset(pipeline->measure);
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        pipeline_measure_reset(pipeline->members[i]->measure);
    pipeline_queue_wake_changed(queue);
}

/* Waits for work that an earlier run left on the device. With the lock, released meanwhile. */
static int32_t wait_for_last(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    /* A stream may also have failed unnoticed. */
    if (queue->dirty == PIPELINE_CLEAN)
        queue->dirty = PIPELINE_DIRTY_KNOWN;
    int32_t status = pipeline_failure_clean(pipeline, BASE_NEVER);
    while (status == TRM_OK && queue->is_engine_open && queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0) {
        if (queue->is_closing || queue->stop != PIPELINE_GOING)
            status = base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
        else
            pipeline_reap(pipeline, BASE_NEVER);
    }
    if (status != TRM_OK || !queue->is_engine_open)
        return status;
    queue->is_engine_open = false;
    base_biased_lock_release(&pipeline->lock);
    pipeline_members_end(pipeline);
    base_biased_lock_acquire(&pipeline->lock);
    return TRM_OK;
}

/* Whether the times of every token's load and sink are needed: for the report, for deadlines, or by what
 * goes on in other threads. */
static bool needs_times(const struct pipeline *pipeline)
{
    const struct trm_pipeline_desc *desc = &pipeline->desc;
    return desc->measure != TRM_MEASURE_NONE || desc->token_timeout_ns != 0 || desc->trace_tokens != 0 ||
           desc->depth == 0 || pipeline->member_count > 1 || pipeline->queue->source.desc.workers > 0 ||
           pipeline->queue->mode != PIPELINE_RUNNING;
}

static int32_t open_ends(struct pipeline *pipeline, const struct trm_source *source,
                         const struct trm_sink *sink)
{
    struct pipeline_queue *queue = pipeline->queue;
    int32_t status               = pipeline_source_open(&queue->source, pipeline, source);
    if (status == TRM_OK)
        status = pipeline_sink_open(&queue->sink, pipeline, sink);
    if (status == TRM_OK)
        status = pipeline_ahead_begin(pipeline);
    if (status != TRM_OK)
        return status;
    queue->is_engine_open = true;
    pipeline_members_begin(pipeline, &queue->source.desc, &queue->sink.desc);
    queue->times_all = needs_times(pipeline);
    return pipeline_loaders_start(pipeline);
}

/* Keeps what the report says of the source and the sink, which may be gone then. With the lock. */
static void note_ends(struct pipeline_queue *queue)
{
    queue->facts.source_flags = queue->source.desc.flags;
    queue->facts.sink_flags   = queue->sink.desc.flags;
    queue->facts.is_started   = queue->mode == PIPELINE_STARTED;
    base_text_copy(queue->facts.source_name, sizeof(queue->facts.source_name), queue->source.name);
    base_text_copy(queue->facts.sink_name, sizeof(queue->facts.sink_name), queue->sink.name);
}

/* TRM_OK: the caller has to call pipeline_run_finish(). */
static int32_t begin(struct pipeline *pipeline, int32_t mode, const struct trm_source *source,
                     const struct trm_sink *sink)
{
    base_biased_lock_acquire(&pipeline->lock);
    int32_t status = pipeline_run_may_begin(pipeline);
    if (status != TRM_OK) {
        base_biased_lock_release(&pipeline->lock);
        return status;
    }
    forget_last(pipeline, mode);
    pipeline->queue->is_filling = true; /* no thread loads before everything is open */
    status                      = wait_for_last(pipeline);
    base_biased_lock_release(&pipeline->lock);
    if (status == TRM_OK)
        status = open_ends(pipeline, source, sink);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline->queue->is_filling = false;
    pipeline_measure_threads(pipeline->measure, pipeline->queue->workers, pipeline->queue->workers == 0);
    if (status == TRM_OK)
        note_ends(pipeline->queue);
    pipeline_queue_wake_all(pipeline->queue);
    if (status != TRM_OK) {
        struct base_saved_error saved;
        base_error_save(&saved);
        pipeline_run_finish(pipeline, BASE_NEVER);
        pipeline->queue->stop    = PIPELINE_GOING;
        pipeline->queue->is_over = false;
        base_error_restore(&saved);
    }
    base_biased_lock_release(&pipeline->lock);
    return status;
}

/* ---- ending --------------------------------------------------------------------------------- */

static bool has_overdue(const struct pipeline *pipeline)
{
    const struct pipeline_queue *queue = pipeline->queue;
    for (uint32_t i = 0; i < queue->depth; i++) {
        if (pipeline_slot_state(pipeline->slots[i]) == PIPELINE_SLOT_ABANDONED &&
            queue->entries[i].is_overdue)
            return true;
    }
    return false;
}

/* How long to wait for the device; begun: when the wait began. */
static uint64_t patience(const struct pipeline *pipeline, uint64_t begun, uint64_t deadline)
{
    uint64_t cancelled_at = pipeline->queue->cancelled_at;
    if (cancelled_at != 0 && cancelled_at + PIPELINE_HURRY_NS < deadline)
        deadline = cancelled_at + PIPELINE_HURRY_NS;
    /* A start has ended when its end was returned: trm_pipeline_next() waits no longer. */
    bool is_told = pipeline->queue->mode == PIPELINE_STARTED && pipeline->queue->stop != PIPELINE_STOPPED;
    if (begun + PIPELINE_HURRY_NS < deadline && (is_told || has_overdue(pipeline)))
        deadline = begun + PIPELINE_HURRY_NS;
    return deadline;
}

/* Waits for dropped tokens to end, as long as patience() allows. With the lock, released meanwhile. */
static void wait_for_abandoned(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    uint64_t begun               = queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0 ? base_now() : 0;
    while (queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0) {
        uint64_t until = patience(pipeline, begun, deadline);
        if (pipeline_reap(pipeline, until) == 0 && base_remaining(until) == 0)
            return;
    }
}

/* With the lock, released meanwhile. False: a thread was still at the source at the deadline. */
static bool stop_loading(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    queue->has_source_ended      = true;
    pipeline_queue_wake_all(queue);
    if (!pipeline_loaders_join(pipeline, deadline))
        return false;
    while (queue->is_filling) {
        if (!pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, deadline) && queue->is_filling)
            return false;
    }
    return pipeline_leader_claim(pipeline, deadline) == TRM_OK;
}

/* Closes source and sink when no work of the run is in flight or waited for. With the lock, released
 * meanwhile. */
static int32_t close_ends(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    bool is_quiet                = queue->slots_in[PIPELINE_SLOT_ABANDONED] == 0;
    bool ends                    = queue->is_engine_open && is_quiet;
    bool joins = ends && queue->stop == PIPELINE_GOING && pipeline->failure.status == TRM_OK;
    if (ends)
        queue->is_engine_open = false;
    base_biased_lock_release(&pipeline->lock);
    if (ends)
        pipeline_members_end(pipeline);
    pipeline_ahead_end(pipeline);
    pipeline_source_close(&queue->source);
    int32_t status = pipeline_sink_close(&queue->sink);
    if (status == TRM_OK && joins)
        status = pipeline_joins_finish(pipeline);
    else if (ends)
        pipeline_joins_drain(pipeline);
    base_biased_lock_acquire(&pipeline->lock);
    return status;
}

int32_t pipeline_run_finish(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    while (queue->is_finishing) {
        if (!pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, deadline) && queue->is_finishing)
            return TRM_ERROR_TIMEOUT;
    }
    if (queue->mode == PIPELINE_SERVING)
        return TRM_OK;
    queue->is_finishing = true;
    if (!stop_loading(pipeline, deadline)) {
        queue->is_finishing = false;
        pipeline_queue_wake_all(queue);
        return TRM_ERROR_TIMEOUT;
    }
    pipeline_failure_drop(pipeline, true);
    pipeline_leader_leave(pipeline);
    wait_for_abandoned(pipeline, deadline);
    int32_t status = close_ends(pipeline);
    if (queue->mode == PIPELINE_STARTED) {
        queue->is_over = true;
        queue->is_told = queue->is_told || queue->stop != PIPELINE_STOPPED;
        queue->stop    = PIPELINE_GOING;
    }
    queue->mode         = PIPELINE_SERVING;
    queue->is_finishing = false;
    pipeline_queue_wake_all(queue);
    return status;
}

/* ---- entry points --------------------------------------------------------------------------- */

/* How a run ended. With the lock. */
static int32_t outcome(struct pipeline *pipeline, int32_t finished)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct base_failure cause    = queue->cause;
    int32_t stop                 = queue->stop;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    /* The cause is reported here, so that later calls begin anew. */
    queue->stop = PIPELINE_GOING;
    return stop != PIPELINE_GOING ? base_failure_raise(&cause) : finished;
}

static int32_t run(struct pipeline *pipeline, const struct trm_source *source, const struct trm_sink *sink)
{
    int32_t status = begin(pipeline, PIPELINE_RUNNING, source, sink);
    if (status != TRM_OK)
        return status;
    base_biased_lock_acquire(&pipeline->lock);
    pass_all(pipeline);
    if (!pipeline->queue->times_all)
        pipeline_measure_until(pipeline->measure, base_now());
    status = pipeline_run_finish(pipeline, BASE_NEVER);
    status = outcome(pipeline, status);
    base_biased_lock_release(&pipeline->lock);
    return status;
}

int32_t trm_pipeline_run(struct trm_pipeline *handle, const struct trm_source *source,
                         const struct trm_sink *sink)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status = pipeline_calling_check(pipeline, "trm_pipeline_run()");
    if (status == TRM_OK)
        status = run(pipeline, source, sink);
    core_object_leave(&pipeline->object);
    return status;
}

int32_t trm_pipeline_start(struct trm_pipeline *handle, const struct trm_source *source)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status = pipeline_calling_check(pipeline, "trm_pipeline_start()");
    if (status == TRM_OK)
        status = begin(pipeline, PIPELINE_STARTED, source, NULL);
    core_object_leave(&pipeline->object);
    return status;
}
