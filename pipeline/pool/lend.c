/* Lending streams and taking them back.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* After so many loans the pool ends a stream that it did not need in any of them. */
#define WINDOW 256

static int32_t fail_closing(void)
{
    return base_fail(TRM_ERROR_INVALID_HANDLE, "the stream pool is being destroyed");
}

/* ---- slots in transit ----------------------------------------------------------------------- */

void pipeline_pool_enter_transit_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    slot->state = PIPELINE_POOL_SLOT_TRANSIT;
    pipeline_pool_note_locked(pool, slot);
    pool->transits++;
}

void pipeline_pool_leave_transit_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                        enum pipeline_pool_slot_state state)
{
    slot->state = state;
    pipeline_pool_note_locked(pool, slot);
    pool->transits--;
    pipeline_pool_wake_locked(pool);
}

/* Other calls also read the streams of slots in transit (pool.c). */
static void set_stream(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                       struct core_stream *stream)
{
    base_lock_acquire(&pool->lock);
    *slot = (struct pipeline_pool_slot){.state = PIPELINE_POOL_SLOT_TRANSIT, .stream = stream};
    base_lock_release(&pool->lock);
}

static void end_quietly(struct core_stream *stream)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    core_stream_end(stream);
    base_error_restore(&saved);
}

static void end_stream(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    struct core_stream *stream = slot->stream;
    end_quietly(stream);
    set_stream(pool, slot, NULL);
    core_object_release(&stream->object);
}

/* Retains the failed stream of a slot, which points name, and ends the one that was retained first. There are
 * at most as many slots in transit as places, so one call at a time uses each place. */
static void retain_failed_stream(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    base_lock_acquire(&pool->lock);
    struct core_stream **place = &pool->retained[pool->retained_turn++ % TRM_STREAM_POOL_MOST];
    struct core_stream *oldest = *place;
    base_lock_release(&pool->lock);
    if (oldest != NULL)
        end_quietly(oldest);
    base_lock_acquire(&pool->lock);
    *place = slot->stream;
    *slot  = (struct pipeline_pool_slot){.state = PIPELINE_POOL_SLOT_TRANSIT};
    base_lock_release(&pool->lock);
    if (oldest != NULL)
        core_object_release(&oldest->object);
}

static int32_t make_stream(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    struct core_stream *stream;
    int32_t priority = pipeline_pool_priority(pool, (uint32_t)(slot - pool->slots));
    int32_t status   = core_stream_create(pool->device, pool->role, priority, pool->stream_flags, &stream);
    if (status != TRM_OK)
        return status;
    core_stream_set_static_name(stream, pool->stream_names[priority - TRM_PRIORITY_LOW]);
    core_object_retain(&stream->object);
    core_object_publish(&stream->object);
    set_stream(pool, slot, stream);
    return TRM_OK;
}

/* ---- lending -------------------------------------------------------------------------------- */

/* The slot of a task stays in transit until its work is enqueued. */
static void lend_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot, uint32_t used,
                        const struct pipeline_pool_request *request)
{
    if (request->task == NULL || request->listener != NULL) {
        slot->state = PIPELINE_POOL_SLOT_LENT;
        pipeline_pool_note_locked(pool, slot);
        slot->owner = request->listener;
        pool->lent++;
        /* the data of its group may name the task's end */
        slot->has_points |= request->task != NULL && pool->is_member;
    } else {
        pipeline_pool_enter_transit_locked(pool, slot);
        slot->has_points = true;
    }
    pool->stats.tasks += request->task != NULL;
    slot->lent = ++pool->stats.loans;
    pool->window++;
    if (used + 1 > pool->peak)
        pool->peak = used + 1;
}

/* Makes the stream of an empty slot, or of one whose stream has failed, and lends it. Returns with the
 * lock. */
static int32_t make_and_lend_locked(struct pipeline_stream_pool *pool,
                                    const struct pipeline_pool_choice *choice,
                                    const struct pipeline_pool_request *request)
{
    struct pipeline_pool_slot *slot = &pool->slots[choice->index];
    bool is_new                     = choice->step == PIPELINE_POOL_GROW;
    pipeline_pool_enter_transit_locked(pool, slot);
    base_lock_release(&pool->lock);
    if (!is_new && slot->has_points)
        retain_failed_stream(pool, slot);
    else if (!is_new)
        end_stream(pool, slot);
    int32_t status = make_stream(pool, slot);
    base_lock_acquire(&pool->lock);
    pool->streams += (status == TRM_OK) - (is_new ? 0 : 1);
    pipeline_pool_leave_transit_locked(pool, slot,
                                       status == TRM_OK ? PIPELINE_POOL_SLOT_FREE : PIPELINE_POOL_SLOT_EMPTY);
    if (status != TRM_OK)
        return status;
    if (is_new)
        pool->stats.grown++;
    else
        pool->stats.replaced++;
    lend_locked(pool, slot, choice->used, request);
    return TRM_OK;
}

/* Sleeps until a stream may be available. In a callback, another thread runs the callbacks meanwhile, since
 * one of them may give a stream back. False: the deadline has passed. */
static bool sleep_locked(struct pipeline_stream_pool *pool, uint64_t deadline)
{
    uint32_t epoch = atomic_load_explicit(&pool->epoch, memory_order_relaxed);
    pool->sleepers++;
    base_lock_release(&pool->lock);
    core_service_block();
    bool is_in_time = base_futex_wait(&pool->epoch, epoch, deadline);
    core_service_unblock();
    base_lock_acquire(&pool->lock);
    pool->sleepers--;
    return is_in_time;
}

static int32_t fail_timeout_locked(const struct pipeline_stream_pool *pool,
                                   const struct pipeline_pool_request *request)
{
    return base_fail(TRM_ERROR_TIMEOUT,
                     "no stream of the pool is %s: %" PRIu32 " of at most %" PRIu32 " are lent",
                     request->wants_idle ? "idle" : "free", pool->lent, pool->most);
}

/* Whether the request needs to know which presumed ends have really come. A call that wants an idle stream
 * does; any other call may wait for the owner of a drawn slot. */
static bool has_to_settle_locked(const struct pipeline_stream_pool *pool,
                                 const struct pipeline_pool_request *request,
                                 const struct pipeline_pool_choice *choice)
{
    bool is_content =
        request->wants_idle ? choice->step == PIPELINE_POOL_LEND : choice->step != PIPELINE_POOL_WAIT;
    if (is_content || pool->is_closing)
        return false;
    return request->listener != NULL ? pipeline_pool_is_silent_locked(pool)
                                     : pipeline_pool_is_unsettled_locked(pool);
}

/* Counts as a sleeping thread, so that other calls presume no more ends and the loop terminates. With the
 * lock, released meanwhile. */
static void settle_for_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request,
                              struct pipeline_pool_choice *choice)
{
    pool->sleepers++;
    while (has_to_settle_locked(pool, request, choice)) {
        base_lock_release(&pool->lock);
        pipeline_pool_settle(pool, request->listener != NULL);
        base_lock_acquire(&pool->lock);
        *choice = pipeline_pool_choose_locked(pool, request);
    }
    pool->sleepers--;
}

static int32_t lend_slowly_locked(struct pipeline_stream_pool *pool,
                                  const struct pipeline_pool_request *request,
                                  struct pipeline_pool_choice *choice)
{
    uint64_t deadline = base_deadline(request->timeout_ns);
    bool is_in_time   = request->timeout_ns != 0;
    settle_for_locked(pool, request, choice);
    if (choice->step == PIPELINE_POOL_WAIT)
        pool->stats.waits++;
    for (;;) {
        settle_for_locked(pool, request, choice);
        if (pool->is_closing)
            return fail_closing();
        if (choice->step == PIPELINE_POOL_LEND) {
            lend_locked(pool, &pool->slots[choice->index], choice->used, request);
            return TRM_OK;
        }
        if (choice->step != PIPELINE_POOL_WAIT)
            return make_and_lend_locked(pool, choice, request);
        if (!is_in_time && request->listener != NULL)
            pipeline_pool_listen_locked(pool, request->listener);
        if (!is_in_time)
            return fail_timeout_locked(pool, request);
        is_in_time = sleep_locked(pool, deadline);
        *choice    = pipeline_pool_choose_locked(pool, request);
    }
}

/* Makes the model of a kernel that the pool does not know yet. With the lock, released meanwhile. */
static void recall_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request)
{
    if (LIKELY(!pipeline_pool_lacks_model_locked(pool, request->task, &request->key)))
        return;
    base_lock_release(&pool->lock);
    pipeline_pool_stored_recall(pool, request->task, &request->key);
    base_lock_acquire(&pool->lock);
}

int32_t pipeline_pool_lend(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request,
                           struct pipeline_pool_slot **slot)
{
    int32_t status = TRM_OK;
    base_lock_acquire(&pool->lock);
    recall_locked(pool, request);
    struct pipeline_pool_choice choice = pipeline_pool_choose_locked(pool, request);
    bool is_full = request->only_tries && choice.step == PIPELINE_POOL_WAIT && !pool->is_closing;
    if (LIKELY(choice.step == PIPELINE_POOL_LEND && !pool->is_closing))
        lend_locked(pool, &pool->slots[choice.index], choice.used, request);
    else if (is_full)
        pool->stats.waits++;
    else
        status = lend_slowly_locked(pool, request, &choice);
    base_lock_release(&pool->lock);
    if (status == TRM_OK)
        *slot = is_full ? NULL : &pool->slots[choice.index];
    return status;
}

int32_t pipeline_pool_wait(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request)
{
    base_lock_acquire(&pool->lock);
    struct pipeline_pool_choice choice = pipeline_pool_choose_locked(pool, request);
    settle_for_locked(pool, request, &choice);
    while (!pool->is_closing && choice.step == PIPELINE_POOL_WAIT) {
        sleep_locked(pool, BASE_NEVER);
        choice = pipeline_pool_choose_locked(pool, request);
        settle_for_locked(pool, request, &choice);
    }
    int32_t status = pool->is_closing ? fail_closing() : TRM_OK;
    base_lock_release(&pool->lock);
    return status;
}

static bool is_away(const struct pipeline_pool_slot *slot)
{
    return slot->state == PIPELINE_POOL_SLOT_LENT || slot->state == PIPELINE_POOL_SLOT_TRANSIT ||
           slot->state == PIPELINE_POOL_SLOT_DRAWN;
}

/* The owner of a drawn slot gives it back once it knows that the work has ended. With the lock, released
 * meanwhile. */
static void wait_for_slot_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_slot *slot)
{
    pool->sleepers++;
    while (!pool->is_closing && is_away(slot)) {
        if (!pipeline_pool_is_unsettled_locked(pool)) {
            sleep_locked(pool, BASE_NEVER);
            continue;
        }
        base_lock_release(&pool->lock);
        pipeline_pool_settle(pool, false);
        base_lock_acquire(&pool->lock);
    }
    pool->sleepers--;
}

static uint32_t count_used_locked(const struct pipeline_stream_pool *pool)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        used += is_away(&pool->slots[i]) || pool->slots[i].watches > 0 || pool->slots[i].unwatched > 0;
    return used;
}

int32_t pipeline_pool_lend_slot(struct pipeline_stream_pool *pool, uint32_t index,
                                const struct pipeline_pool_request *request, struct pipeline_pool_slot **slot)
{
    struct pipeline_pool_slot *wanted = &pool->slots[index];
    int32_t status                    = TRM_OK;
    *slot                             = NULL;
    base_lock_acquire(&pool->lock);
    recall_locked(pool, request);
    pool->stats.waits += is_away(wanted);
    wait_for_slot_locked(pool, wanted);
    if (pool->is_closing) {
        status = fail_closing();
    } else if (wanted->state == PIPELINE_POOL_SLOT_FREE && !wanted->has_failed &&
               atomic_load_explicit(&wanted->stream->failure, memory_order_acquire) == NULL) {
        lend_locked(pool, wanted, count_used_locked(pool), request);
        *slot = wanted;
    }
    base_lock_release(&pool->lock);
    return status;
}

static int32_t acquire(struct pipeline_stream_pool *pool, uint32_t flags, uint64_t timeout_ns,
                       struct trm_stream **stream)
{
    struct pipeline_pool_request request = {.priority = pool->priority, .timeout_ns = timeout_ns};
    struct pipeline_pool_slot *slot;
    int32_t status = core_output_check(stream, "trm_stream_pool_acquire", "stream");
    if (status != TRM_OK)
        return status;
    if ((flags & ~(uint32_t)TRM_STREAM_POOL_IDLE) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_stream_pool_acquire: unknown flags %#" PRIx32,
                         flags);
    if (pool->team != NULL)
        return pipeline_pool_team_refuse("trm_stream_pool_acquire");
    request.wants_idle = (flags & TRM_STREAM_POOL_IDLE) != 0;
    status             = pipeline_pool_lend(pool, &request, &slot);
    if (status == TRM_OK)
        *stream = slot->stream->object.handle;
    return status;
}

int32_t trm_stream_pool_acquire(struct trm_stream_pool *handle, uint32_t flags, uint64_t timeout_ns,
                                struct trm_stream **stream)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = acquire(pool, flags, timeout_ns, stream);
    core_object_leave(&pool->object);
    return status;
}

/* ---- taking back ---------------------------------------------------------------------------- */

bool pipeline_pool_has_stream(struct pipeline_stream_pool *pool, const struct trm_stream *stream)
{
    bool is_found = false;
    base_lock_acquire(&pool->lock);
    for (uint32_t i = 0; i < pool->slot_count && !is_found; i++)
        is_found = pool->slots[i].stream != NULL && pool->slots[i].stream->object.handle == stream;
    base_lock_release(&pool->lock);
    return is_found;
}

static struct pipeline_pool_slot *find_lent_locked(struct pipeline_stream_pool *pool,
                                                   const struct trm_stream *stream)
{
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        struct pipeline_pool_slot *slot = &pool->slots[i];
        if (slot->state == PIPELINE_POOL_SLOT_LENT && slot->stream->object.handle == stream)
            return slot;
    }
    return NULL;
}

/* The slot of a stream to end: the last idle one, if the last loans did not need it. */
static struct pipeline_pool_slot *find_unneeded_locked(struct pipeline_stream_pool *pool)
{
    struct pipeline_pool_slot *found = NULL;
    if (pool->window < WINDOW)
        return NULL;
    if (pool->streams > pool->least && pool->streams > pool->peak)
        for (uint32_t i = 0; i < pool->slot_count; i++)
            if (pool->slots[i].state == PIPELINE_POOL_SLOT_FREE && pool->slots[i].watches == 0 &&
                pool->slots[i].unwatched == 0 && !pool->slots[i].has_points)
                found = &pool->slots[i];
    pool->window = 0;
    pool->peak   = 0;
    return found;
}

static void shrink(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    struct pipeline_pool_slot *slot = pool->is_closing ? NULL : find_unneeded_locked(pool);
    if (slot != NULL)
        pipeline_pool_enter_transit_locked(pool, slot);
    base_lock_release(&pool->lock);
    if (slot == NULL)
        return;
    end_stream(pool, slot);
    base_lock_acquire(&pool->lock);
    pool->streams--;
    pool->stats.shrunk++;
    pipeline_pool_leave_transit_locked(pool, slot, PIPELINE_POOL_SLOT_EMPTY);
    base_lock_release(&pool->lock);
}

void pipeline_pool_take_back(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                             const struct pipeline_pool_request *request)
{
    if (UNLIKELY(slot->stream->range_depth > 0))
        core_range_pop_all(slot->stream);
    pipeline_pool_watch(pool, slot, request);
    base_lock_acquire(&pool->lock);
    pipeline_pool_leave_transit_locked(pool, slot, PIPELINE_POOL_SLOT_FREE);
    bool is_window_over = pool->window >= WINDOW;
    bool has_moved =
        pool->strategy == TRM_STREAM_AUTO && pipeline_pool_trial_best(&pool->trial) != pool->told_strategy;
    base_lock_release(&pool->lock);
    if (is_window_over)
        shrink(pool);
    if (UNLIKELY(has_moved))
        pipeline_pool_tell_strategy(pool);
}

static int32_t release(struct pipeline_stream_pool *pool, const struct trm_stream *stream)
{
    const struct pipeline_pool_request loan = {.task = NULL};
    if (pool->team != NULL)
        return pipeline_pool_team_refuse("trm_stream_pool_release");
    base_lock_acquire(&pool->lock);
    struct pipeline_pool_slot *slot = find_lent_locked(pool, stream);
    if (slot != NULL) {
        pipeline_pool_enter_transit_locked(pool, slot);
        pool->lent--;
    }
    base_lock_release(&pool->lock);
    if (slot == NULL && core_object_find(stream, CORE_STREAM) == NULL)
        return base_last_status();
    if (slot == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_release: the pool has not lent this stream");
    pipeline_pool_take_back(pool, slot, &loan);
    return TRM_OK;
}

int32_t trm_stream_pool_release(struct trm_stream_pool *handle, struct trm_stream *stream)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = release(pool, stream);
    core_object_leave(&pool->object);
    return status;
}
