/* Strategies: which stream of a pool is lent next.
 *
 * Round-robin is what PyTorch's pool of streams does (c10/cuda/CUDAStream.cpp), but for idle streams, which
 * come first here. Least-loaded is the rule of a list scheduler: the earliest predicted end (R. L. Graham,
 * "Bounds on Multiprocessing Timing Anomalies", 1969).
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/object/object.h"
#include "pipeline/pool/pool.h"

#define NONE UINT32_MAX

/* Two streams end at about the same time if the later one needs no more than an eighth (1 / NEARLY) of the
 * time that is left, NEARLY_NS and the error of the predictions beyond the earlier one. */
#define NEARLY 8
#define NEARLY_NS 2000

static const char *const names[] = {
    [TRM_STREAM_DEFAULT] = "default",           [TRM_STREAM_ROUND_ROBIN] = "round-robin",
    [TRM_STREAM_LEAST_LOADED] = "least-loaded", [TRM_STREAM_AUTO] = "auto",
    [TRM_STREAM_PRIORITY] = "priority",         [TRM_STREAM_WORKLOAD] = "workload",
};

#define STRATEGIES ((int32_t)(sizeof(names) / sizeof(names[0])))

/* The candidates of each kind that were found so far. */
struct found {
    const struct pipeline_pool_request *request;
    uint64_t now; /* base_now(); 0: it has not been needed yet */
    bool is_round_robin;
    bool keeps_turn;
    uint32_t idle, busy, empty, failed;
    uint32_t next;                   /* busy, and first in turn */
    uint32_t follow;                 /* the task comes after its last work */
    uint32_t stay;                   /* the task comes after earlier work of it, and `after` ends last */
    struct pipeline_pool_mark after; /* that work */
    uint32_t hinder;                 /* its last work is of a workload that hinders the task's */
    uint32_t hindering;              /* such workloads: bit i is enum trm_stream_workload i */
    uint32_t used;
};

/* Notes an idle slot. A strategy that keeps the turn prefers the slot whose turn it is, and then the one that
 * was lent longest ago; any other takes the first. */
static void consider_idle(const struct pipeline_stream_pool *pool, uint32_t index, struct found *found)
{
    if (found->idle == NONE || (found->keeps_turn && found->idle != pool->turn &&
                                pool->slots[index].lent < pool->slots[found->idle].lent))
        found->idle = index;
}

static bool has_failed(const struct pipeline_pool_slot *slot)
{
    return slot->has_failed || atomic_load_explicit(&slot->stream->failure, memory_order_acquire) != NULL;
}

static bool ends_earlier(const struct pipeline_stream_pool *pool, uint32_t index, uint32_t other)
{
    return other == NONE || pool->slots[index].predicted_end < pool->slots[other].predicted_end;
}

/* Whether the task comes after work of the slot's stream. */
static void consider_after(const struct pipeline_pool_slot *slot, uint32_t index, struct found *found)
{
    const struct trm_stream_task *task = found->request->task;
    if (task == NULL || task->after_count == 0)
        return;
    if (pipeline_pool_is_followed(slot, task))
        found->follow = index;
    struct pipeline_pool_mark after;
    if (pipeline_pool_find_after(slot, task, &after) && after.end > found->after.end) {
        found->stay  = index;
        found->after = after;
    }
}

static void consider_busy(const struct pipeline_stream_pool *pool, uint32_t index, struct found *found)
{
    const struct pipeline_pool_slot *slot = &pool->slots[index];
    if (found->next == NONE)
        found->next = index;
    if (found->busy == NONE || (!found->is_round_robin && ends_earlier(pool, index, found->busy)))
        found->busy = index;
    consider_after(slot, index, found);
    if ((found->hindering >> slot->workload & 1) != 0 && ends_earlier(pool, index, found->hinder))
        found->hinder = index;
}

/* Considers a stream whose loans were not watched. For a call that wants an idle stream, a stream whose work
 * is only presumed to have ended is busy. That work may still run, so the stream is also a candidate for a
 * task that comes after it: behind it the task needs no wait. */
static __attribute__((noinline)) void consider_unwatched(const struct pipeline_stream_pool *pool,
                                                         uint32_t index, struct found *found)
{
    const struct pipeline_pool_slot *slot = &pool->slots[index];
    if (!found->request->wants_idle && found->now == 0)
        found->now = base_now();
    if (!pipeline_pool_slot_is_idle(slot, found->now)) {
        consider_busy(pool, index, found);
        return;
    }
    consider_idle(pool, index, found);
    consider_after(slot, index, found);
}

static bool has_work(const struct pipeline_pool_slot *slot)
{
    return (slot->watches | slot->unwatched) != 0;
}

static inline void consider_free(const struct pipeline_stream_pool *pool,
                                 const struct pipeline_pool_slot *slot, uint32_t index, struct found *found)
{
    bool is_idle = !has_work(slot);
    found->used += !is_idle;
    if (has_failed(slot)) {
        if (slot->watches == 0)
            found->failed = index;
    } else if (is_idle) {
        consider_idle(pool, index, found);
    } else if (slot->watches > 0) {
        consider_busy(pool, index, found);
    } else {
        consider_unwatched(pool, index, found);
    }
}

static bool is_used(const struct pipeline_pool_slot *slot)
{
    return slot->state != PIPELINE_POOL_SLOT_EMPTY &&
           (slot->state != PIPELINE_POOL_SLOT_FREE || has_work(slot));
}

static inline void consider(const struct pipeline_stream_pool *pool, const struct pipeline_pool_slot *slot,
                            uint32_t index, struct found *found)
{
    if (slot->state == PIPELINE_POOL_SLOT_EMPTY) {
        if (found->empty == NONE)
            found->empty = index;
        return;
    }
    if (slot->state != PIPELINE_POOL_SLOT_FREE)
        found->used++;
    else
        consider_free(pool, slot, index, found);
}

/* Chooses the stream whose turn it is, unless another one is predicted to end clearly earlier. A program that
 * repeats the same tasks then gives each stream the same ones, which the driver of a GPU takes in less time
 * (backends/cuda/stream/replay.h). That saves more than an end that is predicted a little earlier. */
static uint32_t choose_busy(const struct pipeline_stream_pool *pool, const struct found *found)
{
    const struct pipeline_pool_slot *first = &pool->slots[found->busy], *next = &pool->slots[found->next];
    uint64_t now    = found->now != 0 ? found->now : base_now();
    uint64_t left   = first->predicted_end > now ? first->predicted_end - now : 0;
    uint64_t spread = first->spread > next->spread ? first->spread : next->spread;
    uint64_t most   = now + left + left / NEARLY + NEARLY_NS + spread;
    return next->predicted_end <= most ? found->next : found->busy;
}

/* For a task that comes after earlier work of a stream: decides whether the task stays on that stream,
 * behind all that the stream has, or goes to the best of the others. A task of unknown duration goes to
 * another one. */
static void leave_or_stay(struct pipeline_stream_pool *pool, struct found *found)
{
    const struct pipeline_task_model *model = pipeline_task_model_find(&pool->models, &found->request->key);
    bool is_full                            = found->used >= pool->at_once;
    if (model == NULL || model->least == 0)
        return;
    if (is_full)
        found->idle = found->failed = found->empty = NONE;
    bool is_free   = found->idle != NONE || found->failed != NONE || found->empty != NONE;
    uint64_t now   = found->now != 0 ? found->now : base_now();
    uint64_t other = is_free               ? now
                     : found->busy != NONE ? pool->slots[found->busy].predicted_end
                                           : UINT64_MAX;
    if (pipeline_pool_stays(&pool->slots[found->stay], &found->after, (uint64_t)model->least, other, is_full))
        found->follow = found->stay;
}

/* Whether a task may go to the stream of what it comes after. A pool that uses round-robin as TRM_STREAM_AUTO
 * found it best allows that: the trial tells only about independent tasks. */
static bool may_follow(const struct pipeline_stream_pool *pool)
{
    return pool->strategy != TRM_STREAM_ROUND_ROBIN;
}

static struct pipeline_pool_choice choice_of(const struct pipeline_stream_pool *pool,
                                             const struct found *found)
{
    if (found->follow != NONE && may_follow(pool))
        return (struct pipeline_pool_choice){PIPELINE_POOL_LEND, found->follow, found->used};
    if (found->hinder != NONE)
        return (struct pipeline_pool_choice){PIPELINE_POOL_LEND, found->hinder, found->used};
    if (found->idle != NONE)
        return (struct pipeline_pool_choice){PIPELINE_POOL_LEND, found->idle, found->used};
    if (found->failed != NONE)
        return (struct pipeline_pool_choice){PIPELINE_POOL_REPLACE, found->failed, found->used};
    if (found->empty != NONE)
        return (struct pipeline_pool_choice){PIPELINE_POOL_GROW, found->empty, found->used};
    if (found->busy != NONE && !found->request->wants_idle) {
        uint32_t busy = found->keeps_turn ? choose_busy(pool, found) : found->busy;
        return (struct pipeline_pool_choice){PIPELINE_POOL_LEND, busy, found->used};
    }
    return (struct pipeline_pool_choice){PIPELINE_POOL_WAIT, NONE, found->used};
}

/* ---- workloads ------------------------------------------------------------------------------ */

static int32_t workload_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request)
{
    const struct pipeline_task_model *model = pipeline_task_model_find(&pool->models, &request->key);
    return pipeline_task_workload_of(&pool->workloads, request->task->workload, request->task->bytes,
                                     model != NULL ? model->least : 0);
}

/* ---- priorities ----------------------------------------------------------------------------- */

/* The most unfinished tasks of a priority that is held back. */
#define HELD_MOST 2

/* Which part of the slots a priority has. */
static uint32_t band_of(int32_t priority)
{
    return priority < TRM_PRIORITY_NORMAL ? 0 : priority == TRM_PRIORITY_NORMAL ? 1 : 2;
}

int32_t pipeline_pool_priority(const struct pipeline_stream_pool *pool, uint32_t index)
{
    if (pool->strategy != TRM_STREAM_PRIORITY)
        return pool->priority;
    return (int32_t)(index / pool->most) + TRM_PRIORITY_LOW;
}

/* The slot's unfinished tasks. A task that is being enqueued counts, although it has no watch yet. */
static uint32_t tasks_locked(const struct pipeline_pool_slot *slot)
{
    return slot->watches > 0 ? slot->watches : slot->state == PIPELINE_POOL_SLOT_TRANSIT;
}

static bool is_held_back_locked(const struct pipeline_stream_pool *pool, uint32_t band)
{
    uint32_t own = 0;
    if (band == band_of(TRM_PRIORITY_HIGH))
        return false;
    for (uint32_t i = band * pool->most; i < pool->slot_count; i++) {
        uint32_t tasks = tasks_locked(&pool->slots[i]);
        if (i < (band + 1) * pool->most)
            own += tasks;
        else if (tasks > 0)
            return true;
    }
    return own >= HELD_MOST;
}

int32_t pipeline_pool_strategy_locked(const struct pipeline_stream_pool *pool)
{
    if (pool->strategy == TRM_STREAM_AUTO)
        return pipeline_pool_trial_strategy(&pool->trial);
    return pool->strategy == TRM_STREAM_DEFAULT ? TRM_STREAM_LEAST_LOADED : pool->strategy;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static void consider_range(const struct pipeline_stream_pool *pool, uint32_t first, uint32_t end,
                           struct found *found)
{
    const struct pipeline_pool_slot *slot = &pool->slots[first];
    for (uint32_t i = first; i < end; i++, slot++)
        consider(pool, slot, i, found);
}

/* Whether least-loaded takes the idle stream that was lent longest ago. It does so where ends are presumed,
 * since work that is presumed to have ended may still run. As a rule that stream is the one whose turn it is;
 * a task that gets another one does not move the turn. Where the pool is told of each end, least-loaded takes
 * the first idle stream, whose memory is in the caches. */
static bool keeps_turn(const struct pipeline_stream_pool *pool, int32_t strategy)
{
    return strategy != TRM_STREAM_ROUND_ROBIN && !pool->is_host && pool->slot_count == pool->most;
}

/* Round-robin continues behind the stream that it took. */
static bool takes_turns(const struct pipeline_stream_pool *pool, int32_t strategy)
{
    return strategy == TRM_STREAM_ROUND_ROBIN || keeps_turn(pool, strategy);
}

/* A bit for each slot from `low` on and below `end`. */
static uint64_t bits_of(uint32_t low, uint32_t end)
{
    return (end < 64 ? UINT64_C(1) << end : 0) - (UINT64_C(1) << low);
}

/* Whether a free slot is idle, or presumed to be. */
static inline bool is_idle(const struct pipeline_stream_pool *pool,
                           const struct pipeline_pool_request *request, uint32_t index, uint64_t *now)
{
    const struct pipeline_pool_slot *slot = &pool->slots[index];
    if ((pool->idle_slots >> index & 1) != 0)
        return !has_failed(slot);
    if (slot->watches > 0)
        return false;
    if (*now == 0 && !request->wants_idle)
        *now = base_now();
    return pipeline_pool_slot_is_idle(slot, *now) && !has_failed(slot);
}

/* The first of some free slots, from the lowest bit on, that is idle; NONE: there is none. */
static inline uint32_t first_idle(const struct pipeline_stream_pool *pool,
                                  const struct pipeline_pool_request *request, uint64_t slots, uint64_t *now)
{
    for (; slots != 0; slots &= slots - 1)
        if (is_idle(pool, request, (uint32_t)__builtin_ctzll(slots), now))
            return (uint32_t)__builtin_ctzll(slots);
    return NONE;
}

/* The same for the slot that was lent longest ago; of equal ones, the first from `first` on. */
static uint32_t oldest_idle(const struct pipeline_stream_pool *pool,
                            const struct pipeline_pool_request *request, uint64_t slots, uint32_t first,
                            uint64_t *now)
{
    uint64_t parts[2] = {slots >> first << first, slots & ((UINT64_C(1) << first) - 1)};
    uint32_t found    = NONE;
    for (uint32_t i = 0; i < 2; i++)
        for (uint64_t left = parts[i]; left != 0; left &= left - 1) {
            uint32_t index = (uint32_t)__builtin_ctzll(left);
            bool is_older  = found == NONE || pool->slots[index].lent < pool->slots[found].lent;
            if (is_older && is_idle(pool, request, index, now))
                found = index;
        }
    return found;
}

/* A shortcut for consider_all() where an idle slot is preferred to all others: mostly it is the first one
 * that this looks at. Where the pool is told of each end, it presumes none. */
static inline uint32_t find_idle(const struct pipeline_stream_pool *pool,
                                 const struct pipeline_pool_request *request, int32_t strategy, uint32_t low,
                                 uint32_t first)
{
    uint64_t slots = (pool->is_host ? pool->idle_slots : pool->free_slots) & bits_of(low, low + pool->most);
    uint64_t now   = 0;
    if ((slots >> first & 1) != 0 && is_idle(pool, request, first, &now))
        return first;
    if (keeps_turn(pool, strategy))
        return oldest_idle(pool, request, slots, first, &now);
    uint32_t index = first_idle(pool, request, slots >> first << first, &now);
    if (index == NONE)
        index = first_idle(pool, request, slots & ((UINT64_C(1) << first) - 1), &now);
    return index;
}

/* Looks at the slots of a priority, and counts those that are used of all. */
static void consider_all(const struct pipeline_stream_pool *pool, uint32_t low, uint32_t first,
                         struct found *found)
{
    uint32_t end = low + pool->most;
    consider_range(pool, first, end, found);
    consider_range(pool, low, first, found);
    for (uint32_t i = 0; i < low; i++)
        found->used += is_used(&pool->slots[i]);
    for (uint32_t i = end; i < pool->slot_count; i++)
        found->used += is_used(&pool->slots[i]);
}

/* Whether the task may prefer a busy stream to an idle one: the stream of what it comes after, or one with
 * work of a workload that hinders its own. */
static bool may_wait(const struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request,
                     int32_t strategy)
{
    const struct trm_stream_task *task = request->task;
    return task != NULL && (strategy == TRM_STREAM_WORKLOAD || (task->after_count > 0 && may_follow(pool)));
}

static void take_turn(struct pipeline_stream_pool *pool, int32_t strategy, uint32_t index)
{
    uint32_t last = keeps_turn(pool, strategy) ? pool->turn : index;
    pool->turn    = last + 1 < pool->most ? last + 1 : 0;
}

/* Looks at all slots. */
static __attribute__((noinline)) struct pipeline_pool_choice choose_slowly_locked(
    struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request, int32_t strategy,
    uint32_t low, uint32_t first)
{
    struct found found = {.request = request,
                          .idle    = NONE,
                          .busy    = NONE,
                          .empty   = NONE,
                          .failed  = NONE,
                          .next    = NONE,
                          .follow  = NONE,
                          .stay    = NONE,
                          .hinder  = NONE};
    int32_t workload   = TRM_STREAM_WORKLOAD_FOUND;
    if (request->task != NULL && !request->wants_idle && strategy == TRM_STREAM_WORKLOAD) {
        workload        = workload_locked(pool, request);
        found.hindering = pool->workloads.hindering[workload];
    }
    found.is_round_robin = strategy == TRM_STREAM_ROUND_ROBIN;
    found.keeps_turn     = keeps_turn(pool, strategy);
    consider_all(pool, low, first, &found);
    if (found.stay != NONE && found.follow == NONE && may_follow(pool) && !request->wants_idle)
        leave_or_stay(pool, &found);
    struct pipeline_pool_choice choice = choice_of(pool, &found);
    if (choice.index != NONE)
        take_turn(pool, strategy, choice.index);
    if (choice.index != NONE && choice.index == found.hinder)
        pipeline_task_workload_heed(&pool->workloads, workload, pool->slots[choice.index].workload);
    return choice;
}

struct pipeline_pool_choice pipeline_pool_choose_locked(struct pipeline_stream_pool *pool,
                                                        const struct pipeline_pool_request *request)
{
    int32_t strategy = pipeline_pool_strategy_locked(pool);
    uint32_t band    = strategy == TRM_STREAM_PRIORITY ? band_of(request->priority) : 0;
    uint32_t low = band * pool->most, first = takes_turns(pool, strategy) ? pool->turn : low;
    if (UNLIKELY(pool->holds_back) && request->task != NULL && is_held_back_locked(pool, band))
        return (struct pipeline_pool_choice){PIPELINE_POOL_WAIT, NONE, 0};
    uint32_t idle = may_wait(pool, request, strategy) ? NONE : find_idle(pool, request, strategy, low, first);
    if (UNLIKELY(idle == NONE))
        return choose_slowly_locked(pool, request, strategy, low, first);
    take_turn(pool, strategy, idle);
    return (struct pipeline_pool_choice){PIPELINE_POOL_LEND, idle, pool->used};
}

/* ---- names ---------------------------------------------------------------------------------- */

int32_t trm_stream_strategy_find(const char *name, int32_t *strategy)
{
    int32_t status = core_output_check(strategy, "trm_stream_strategy_find", "strategy");
    if (status != TRM_OK)
        return status;
    if (name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_stream_strategy_find: `name` is NULL");
    for (int32_t i = 0; i < STRATEGIES; i++)
        if (strcmp(names[i], name) == 0) {
            *strategy = i;
            return TRM_OK;
        }
    return base_fail(TRM_ERROR_NOT_FOUND,
                     "there is no strategy of stream pools called \"%s\": use \"round-robin\", "
                     "\"least-loaded\", \"auto\", \"priority\" or \"workload\"",
                     name);
}

const char *trm_stream_strategy_name(int32_t strategy)
{
    return strategy >= 0 && strategy < STRATEGIES ? names[strategy] : NULL;
}
