/* Which streams of a pool have work: the queues of watches, and their notifications.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/pool.h"

/* Notifications that a slot waits for at once, apart from those of timed tasks. While one arrives, the other
 * covers the work that is enqueued meanwhile. */
#define ARMED_MOST 2u

void pipeline_pool_wake_locked(struct pipeline_stream_pool *pool)
{
    if (UNLIKELY(pool->listeners != NULL))
        pipeline_pool_tell_listeners_locked(pool);
    if (pool->sleepers == 0)
        return;
    atomic_fetch_add_explicit(&pool->epoch, 1, memory_order_release);
    base_futex_wake(&pool->epoch, UINT32_MAX);
}

/* ---- the queue ------------------------------------------------------------------------------ */

static void append_locked(struct pipeline_pool_slot *slot, struct pipeline_pool_watch *watch)
{
    if (slot->last != NULL)
        slot->last->next = watch;
    else
        slot->first = watch;
    slot->last = watch;
    slot->watches++;
    slot->unsure += !watch->is_sure;
    watch->is_queued = true;
    watch->pending   = 1;
}

static void settle_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch)
{
    if (--watch->pending > 0)
        return;
    watch->next = pool->spare;
    pool->spare = watch;
}

static void take_first_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                              uint64_t now, bool is_good)
{
    struct pipeline_pool_watch *watch = slot->first;
    slot->first                       = watch->next;
    if (slot->first == NULL)
        slot->last = NULL;
    slot->watches--;
    slot->armed -= watch->is_armed;
    slot->unsure -= !watch->is_sure;
    watch->is_queued = false;
    pipeline_pool_end_locked(pool, watch, now, is_good);
    settle_locked(pool, watch);
}

/* The stream has reached `value`, or never will. The work behind it begins earlier or later than predicted,
 * which moves the predicted ends of all later watches. */
static void end_up_to_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                             uint64_t value, uint64_t now, bool is_good)
{
    uint64_t late = 0;
    while (slot->first != NULL && slot->first->value <= value) {
        late = now - slot->first->predicted_end - slot->delay;
        take_first_locked(pool, slot, now, is_good);
    }
    if (slot->unwatched <= value)
        slot->unwatched = 0;
    slot->last_end = now;
    slot->delay += late;
    slot->predicted_end += late;
    if (slot->watches == 0 && slot->unwatched == 0)
        slot->predicted_end = slot->delay = 0;
    pipeline_pool_note_locked(pool, slot);
}

static void post_locked(struct pipeline_stream_pool *pool)
{
    if (pool->is_posted || pool->is_closing)
        return;
    pool->is_posted = true;
    pool->transits++;
    core_service_post(pool->service, &pool->job);
}

static bool is_unarmed(const struct pipeline_pool_slot *slot)
{
    return slot->first != NULL && slot->armed == 0;
}

/* ---- notifications -------------------------------------------------------------------------- */

/* For a drawn slot whose work has all ended. */
static void tell_owner_locked(const struct pipeline_pool_slot *slot)
{
    if (UNLIKELY(slot->owner != NULL) && slot->watches == 0 && slot->unwatched == 0)
        slot->owner->called(slot->owner);
}

/* On any thread, perhaps under a lock of the backend's. */
static void begun(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_watch *watch = base_container_of(notification, struct pipeline_pool_watch, begun);
    struct pipeline_stream_pool *pool = watch->pool;
    uint64_t now                      = base_now();
    base_lock_acquire(&pool->lock);
    if (status == TRM_OK)
        watch->begun_at = now;
    settle_locked(pool, watch);
    base_lock_release(&pool->lock);
}

/* The work of a stream ends in order. */
static void end_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch, int32_t status,
                       uint64_t now)
{
    struct pipeline_pool_slot *slot = watch->slot;
    if (status == TRM_OK)
        pipeline_pool_learn_locked(pool, watch, now);
    else
        slot->has_failed = true;
    end_up_to_locked(pool, slot, status == TRM_OK ? watch->value : UINT64_MAX, now, status == TRM_OK);
    if (is_unarmed(slot))
        post_locked(pool);
    tell_owner_locked(slot);
    pipeline_pool_wake_locked(pool);
}

/* Runs on any thread, perhaps under a lock of the backend's. A later notification may have arrived first. */
static void notified(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_watch *watch =
        base_container_of(notification, struct pipeline_pool_watch, notification);
    struct pipeline_stream_pool *pool = watch->pool;
    uint64_t now                      = base_now();
    base_lock_acquire(&pool->lock);
    if (watch->is_queued)
        end_locked(pool, watch, status, now);
    settle_locked(pool, watch);
    base_lock_release(&pool->lock);
}

/* The backend takes no notification, so this thread waits. */
static void wait_for_end(struct pipeline_stream_pool *pool, struct core_stream *stream,
                         struct pipeline_pool_watch *watch)
{
    struct pipeline_pool_slot *slot = watch->slot;
    core_stream_wait_finished(stream, watch->value, TRM_FOREVER);
    base_lock_acquire(&pool->lock);
    if (watch->is_queued)
        end_up_to_locked(pool, slot, watch->value, base_now(), false);
    settle_locked(pool, watch);
    tell_owner_locked(slot);
    pipeline_pool_wake_locked(pool);
    base_lock_release(&pool->lock);
}

static void arm_locked(struct pipeline_pool_watch *watch, uint64_t begin)
{
    struct pipeline_pool_slot *slot = watch->slot;
    slot->armed++;
    slot->stamped   = watch->value;
    watch->is_armed = true;
    watch->begun_at = begin != 0 ? UINT64_MAX : 0;
    watch->pending += begin != 0 ? 2 : 1;
}

/* Asks for the notifications of a watch that was armed: of operation `begin`, where it is not 0, and of its
 * end. Without the lock. */
static void notify_of(struct pipeline_stream_pool *pool, struct core_stream *stream,
                      struct pipeline_pool_watch *watch, uint64_t begin)
{
    if (begin != 0 && core_notify(stream, begin, &watch->begun) != TRM_OK) {
        base_lock_acquire(&pool->lock);
        settle_locked(pool, watch);
        base_lock_release(&pool->lock);
    }
    if (core_notify(stream, watch->value, &watch->notification) != TRM_OK)
        wait_for_end(pool, stream, watch);
}

/* ---- watching ------------------------------------------------------------------------------- */

/* A watch. With the lock, which this releases to allocate one. NULL: out of memory. */
static struct pipeline_pool_watch *take_spare_locked(struct pipeline_stream_pool *pool)
{
    struct pipeline_pool_watch *watch = pool->spare;
    if (watch != NULL) {
        pool->spare = watch->next;
        return watch;
    }
    base_lock_release(&pool->lock);
    watch = core_allocate(pool->object.context, sizeof(*watch));
    base_lock_acquire(&pool->lock);
    return watch;
}

/* The operation whose notification tells that the work of a timed task begins; 0: none is needed, since the
 * task is not timed or the operation is notified anyway. */
static uint64_t begin_of(const struct pipeline_pool_slot *slot, const struct pipeline_pool_request *request,
                         uint64_t before, bool wants_time)
{
    uint64_t completed = atomic_load_explicit(&slot->stream->completed, memory_order_acquire);
    if (!wants_time)
        return 0;
    if (request->waited > completed)
        return request->waited;
    return before > completed && before != slot->stamped ? before : 0;
}

/* Whether the work may have begun at another time than the end of the watch before it, or the time when it
 * was enqueued. */
static bool is_vague(const struct pipeline_pool_slot *slot, const struct pipeline_pool_request *request)
{
    uint64_t completed = atomic_load_explicit(&slot->stream->completed, memory_order_acquire);
    uint64_t watched   = slot->last != NULL ? slot->last->value : 0;
    return request->waited > completed || (slot->unwatched > completed && slot->unwatched > watched);
}

/* A loan that is watched. `last` is its last operation, `before` the one before its first. */
struct loan {
    uint64_t before, last, released;
    struct pipeline_pool_watch *watch; /* a spare watch for it; NULL: out of memory */
};

static void begin_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                         const struct pipeline_pool_request *request, const struct loan *loan,
                         const struct pipeline_pool_outlook *outlook)
{
    struct pipeline_pool_watch *watch = loan->watch;
    watch->notification.notified      = notified;
    watch->begun.notified             = begun;
    watch->next                       = NULL;
    watch->pool                       = pool;
    watch->slot                       = slot;
    watch->is_armed                   = false;
    watch->is_sure                    = outlook->is_sure;
    watch->is_vague                   = is_vague(slot, request);
    watch->value                      = loan->last;
    watch->released                   = loan->released;
    watch->begun_at                   = 0;
    watch->operations                 = loan->last - loan->before;
    watch->key                        = request->key;
    watch->work                       = request->work;
    watch->bytes                      = request->task != NULL ? request->task->bytes : 0;
    watch->workload = request->task != NULL ? request->task->workload : TRM_STREAM_WORKLOAD_FOUND;
    pipeline_pool_begin_locked(pool, watch, outlook, request->ready_at);
    append_locked(slot, watch);
}

/* What remains to be done without the lock. */
struct plan {
    struct pipeline_pool_watch *watch; /* NULL: out of memory */
    bool is_armed;
    bool lacks_service;
    uint64_t begin; /* as in notify_of() */
};

static struct plan plan_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                               const struct pipeline_pool_request *request, const struct loan *loan,
                               const struct pipeline_pool_outlook *outlook)
{
    struct plan plan = {.watch = loan->watch};
    bool wants_time  = request->key.what != 0 && outlook->wants_sample;
    bool is_full     = slot->armed >= ARMED_MOST;
    if (plan.watch == NULL)
        return plan;
    plan.lacks_service = is_full && pool->service == NULL;
    plan.begin         = begin_of(slot, request, loan->before, wants_time);
    plan.is_armed      = !is_full || plan.lacks_service || wants_time || request->wants_end ||
                    pool->sleepers > 0 || pool->listeners != NULL || pipeline_pool_needs_each_end(pool);
    begin_locked(pool, slot, request, loan, outlook);
    if (plan.is_armed)
        arm_locked(plan.watch, plan.begin);
    return plan;
}

static void find_service(struct pipeline_stream_pool *pool);

/* Out of memory for a watch: this thread waits. */
static void carry_out(struct pipeline_stream_pool *pool, struct core_stream *stream, const struct plan *plan,
                      uint64_t last)
{
    if (plan->watch == NULL)
        core_stream_wait_finished(stream, last, TRM_FOREVER);
    else if (plan->is_armed)
        notify_of(pool, stream, plan->watch, plan->begin);
    else
        core_stream_submit(stream, last);
    if (plan->lacks_service)
        find_service(pool);
}

void pipeline_pool_refresh_locked(struct pipeline_pool_slot *slot)
{
    if (slot->unwatched == 0 ||
        atomic_load_explicit(&slot->stream->completed, memory_order_acquire) < slot->unwatched)
        return;
    slot->unwatched = 0;
    if (slot->watches == 0)
        slot->predicted_end = 0;
}

void pipeline_pool_watch(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                         const struct pipeline_pool_request *request)
{
    struct core_stream *stream = slot->stream;
    struct loan loan           = {.before = slot->seen};
    struct base_saved_error saved;
    loan.last  = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    slot->seen = loan.last;
    if (loan.last == loan.before)
        return;
    if (atomic_load_explicit(&stream->completed, memory_order_acquire) >= loan.last) {
        if (request->begun != 0 && core_stream_failure_status(stream) == TRM_OK)
            pipeline_pool_learn_ended(pool, request);
        return;
    }
    base_error_save(&saved);
    /* A task of a pool over a group may run while it is still being enqueued. */
    loan.released = request->begun != 0 ? request->begun : base_now();
    base_lock_acquire(&pool->lock);
    pipeline_pool_refresh_locked(slot);
    struct pipeline_pool_outlook outlook = pipeline_pool_look_ahead_locked(pool, slot, request);
    bool is_presumed = pipeline_pool_presume_locked(pool, slot, request, &outlook, loan.released);
    struct plan plan = {.watch = NULL};
    if (!is_presumed) {
        loan.watch = take_spare_locked(pool);
        plan       = plan_locked(pool, slot, request, &loan, &outlook);
    }
    base_lock_release(&pool->lock);
    if (is_presumed)
        core_stream_submit(stream, loan.last);
    else
        carry_out(pool, stream, &plan, loan.last);
    base_error_restore(&saved);
}

/* ---- what no notification tells of ----------------------------------------------------------- */

uint64_t pipeline_pool_untold_locked(const struct pipeline_pool_slot *slot)
{
    const struct pipeline_pool_watch *last = slot->last;
    if (slot->unwatched != 0 && (last == NULL || last->value < slot->unwatched))
        return slot->unwatched;
    return last != NULL && !last->is_armed ? last->value : 0;
}

/* The work up to `value` had ended when the backend was asked. The time of its end is not known, so the pool
 * learns nothing. */
static void end_late(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                     const struct core_stream *stream, uint64_t value, bool is_owner)
{
    bool is_good = core_stream_failure_status(stream) == TRM_OK;
    base_lock_acquire(&pool->lock);
    if (slot->stream == stream) {
        slot->has_failed = slot->has_failed || !is_good;
        end_up_to_locked(pool, slot, is_good ? value : UINT64_MAX, base_now(), is_good);
        if (slot->first != NULL)
            slot->first->is_vague = true;
        if (is_unarmed(slot))
            post_locked(pool);
        if (!is_owner)
            tell_owner_locked(slot);
        pipeline_pool_wake_locked(pool);
    }
    base_lock_release(&pool->lock);
}

/* Plans the notification of the slot's last watch. With the lock, released meanwhile: other threads may use
 * the slot, or may have armed that watch. Returns the operation that the plan is for; 0: there is nothing to
 * do. */
static uint64_t plan_late_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                 const struct core_stream *stream, struct plan *plan)
{
    const struct pipeline_pool_request nothing = {.wants_end = true};
    const struct pipeline_pool_outlook outlook = {.is_sure = true};
    struct pipeline_pool_watch *spare          = take_spare_locked(pool);
    uint64_t last = slot->stream == stream ? pipeline_pool_untold_locked(slot) : 0;
    if (last != 0 && (slot->last == NULL || slot->last->value < last)) {
        const struct loan loan = {.before = last - 1, .last = last, .released = base_now(), .watch = spare};
        *plan                  = plan_locked(pool, slot, &nothing, &loan, &outlook);
        return last;
    }
    if (last != 0) {
        arm_locked(slot->last, 0);
        *plan = (struct plan){.watch = slot->last, .is_armed = true};
    }
    if (spare != NULL) {
        spare->next = pool->spare;
        pool->spare = spare;
    }
    return last;
}

bool pipeline_pool_find_ended(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                              struct core_stream *stream, uint64_t value, bool is_owner)
{
    if (!core_stream_has_finished(stream, value))
        return false; /* the stream may still have failed: perhaps only the core knows */
    end_late(pool, slot, stream, value, is_owner);
    return true;
}

void pipeline_pool_watch_rest(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                              struct core_stream *stream, uint64_t value)
{
    struct plan plan;
    if (pipeline_pool_find_ended(pool, slot, stream, value, false))
        return;
    base_lock_acquire(&pool->lock);
    uint64_t last = plan_late_locked(pool, slot, stream, &plan);
    base_lock_release(&pool->lock);
    if (last == 0)
        return;
    carry_out(pool, stream, &plan, last);
    if (plan.watch == NULL) /* out of memory for a watch: this thread has waited for the work */
        end_late(pool, slot, stream, last, false);
}

/* On the service thread. The job counts as a transit, so the pool stays until it gives the lock back for the
 * last time. */
static void arm_rest(struct core_job *job)
{
    struct pipeline_stream_pool *pool = base_container_of(job, struct pipeline_stream_pool, job);
    bool is_left                      = false;
    base_lock_acquire(&pool->lock);
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        struct pipeline_pool_slot *slot = &pool->slots[i];
        if (!is_unarmed(slot))
            continue;
        struct core_stream *stream = slot->stream; /* the slot may lose it meanwhile */
        uint64_t last              = slot->last->value;
        core_object_retain(&stream->object);
        base_lock_release(&pool->lock);
        pipeline_pool_watch_rest(pool, slot, stream, last);
        core_object_release(&stream->object);
        base_lock_acquire(&pool->lock);
    }
    for (uint32_t i = 0; i < pool->slot_count; i++)
        is_left = is_left || is_unarmed(&pool->slots[i]);
    pool->is_posted = false;
    pool->transits--;
    if (is_left)
        post_locked(pool);
    pipeline_pool_wake_locked(pool);
    base_lock_release(&pool->lock);
}

/* Without a service thread each watch is armed. */
static void find_service(struct pipeline_stream_pool *pool)
{
    struct core_service *service;
    if (core_service_get(pool->object.context, &service) != TRM_OK)
        return;
    base_lock_acquire(&pool->lock);
    pool->job.run = arm_rest;
    pool->service = service;
    base_lock_release(&pool->lock);
}

void pipeline_pool_free_watches(struct pipeline_stream_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        while (pool->slots[i].first != NULL) {
            struct pipeline_pool_watch *watch = pool->slots[i].first;
            pool->slots[i].first              = watch->next;
            core_free(pool->object.context, watch, sizeof(*watch));
        }
    while (pool->spare != NULL) {
        struct pipeline_pool_watch *watch = pool->spare;
        pool->spare                       = watch->next;
        core_free(pool->object.context, watch, sizeof(*watch));
    }
}
