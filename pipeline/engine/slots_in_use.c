/* How many slots are in use at once, where the library chooses: where host and device share memory by a
 * trial of its own (depth_trial.h), elsewhere by the trial of strategies, which also tries some with fewer
 * (choose.c). Of several devices all share the host's memory, and the first one's engine has the trial,
 * which is of the slots of all.
 *
 * Tokens that take little of the caches all together gain nothing from fewer slots, so they are not tried.
 * When the last slot that was added for a tuned pipeline has brought nothing, it rests. So does the last one
 * where a strategy is tried, or is the fastest, with a slot less. Then tokens use the same slots as if it had
 * never been there. What the trial finds is a number, of any slots: those used last are the warmest.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "pipeline/engine/spread.h"

/* Where the C library does not know the sizes of the second-level and the first-level cache. */
#define CACHE_BYTES (UINT64_C(1) << 20)
#define FIRST_BYTES (UINT64_C(32) << 10)

/* All slots in use take little if they fit into such a part of the second-level cache of one processor.
 * Where threads cannot share them evenly, a slot wanders from one to another: of three slots, each of two
 * threads takes the one that the other had before, and three of 512 KiB beside 2 MiB were a fifth slower
 * than two. */
#define LITTLE 4

/* Where the strategy of one of several devices is on trial: after so many tokens it is asked for again. */
#define CHOOSING_TOKENS 256

/* A pipeline that drops results keeps the newest one while the next is on its way, which takes a slot
 * more. */
static bool may_have_fewer(const struct pipeline *pipeline)
{
    return pipeline->engine->host_count == 0 && pipeline->desc.on_full == TRM_FULL_BLOCK;
}

bool pipeline_slots_may_rest(const struct pipeline *pipeline)
{
    return pipeline->front == pipeline && may_have_fewer(pipeline);
}

void pipeline_slots_allow_fewer(struct pipeline *pipeline)
{
    pipeline->engine->slots_in_use.may_try = may_have_fewer(pipeline);
}

void pipeline_slots_rest(struct pipeline *pipeline, uint32_t most)
{
    base_biased_lock_acquire(&pipeline->front->lock);
    pipeline->engine->slots_in_use.most = most;
    pipeline_tuning_settle(&pipeline->engine->tuning);
    base_biased_lock_release(&pipeline->front->lock);
}

static bool may_try(const struct pipeline *front)
{
    for (uint32_t i = 0; i < front->member_count; i++)
        if (!front->members[i]->engine->slots_in_use.may_try)
            return false;
    return true;
}

static uint64_t bytes_of(int level, uint64_t otherwise)
{
    long bytes = sysconf(level);
    return bytes > 0 ? (uint64_t)bytes : otherwise;
}

static uint64_t cache_bytes(void)
{
    return bytes_of(_SC_LEVEL2_CACHE_SIZE, CACHE_BYTES);
}

bool pipeline_slots_are_small(const struct pipeline *pipeline, uint32_t count)
{
    uint64_t bytes = pipeline->engine->slot_bytes + pipeline_slot_host_bytes(pipeline);
    return pipeline->engine->unified && bytes <= cache_bytes() / count;
}

/* The fewest slots that may be faster than all: one where all together take much of the second-level cache;
 * or where one fits into the first-level cache, and all take more than half of it. Where the library began
 * with one slot more, since such small ones cost nothing, it may do without: four of 64 KiB are a tenth
 * faster than three or a tenth slower, as the two threads share the tokens. */
static uint32_t find_fewest(const struct pipeline *pipeline, uint32_t depth)
{
    uint64_t bytes = pipeline->engine->slot_bytes, first = bytes_of(_SC_LEVEL1_DCACHE_SIZE, FIRST_BYTES);
    bool is_first_smaller = bytes <= first && bytes > first / 2 / depth;

    if (bytes > cache_bytes() / LITTLE / depth || is_first_smaller)
        return 1;
    return pipeline->desc.depth == 0 && depth > PIPELINE_DEPTH_TUNED_FIRST && bytes > first
               ? PIPELINE_DEPTH_TUNED_FIRST
               : depth;
}

/* ---- the trial ------------------------------------------------------------------------------ */

/* The devices that are not lost, their slots without those that rest, and the engine of one of them. */
struct living {
    uint32_t devices, depth;
    const struct pipeline *member;
};

static struct living find_living(const struct pipeline *front)
{
    struct living living = {.member = front->members[0]};

    for (uint32_t i = 0; i < front->member_count; i++) {
        const struct pipeline *member = front->members[i];
        if (front->member_count > 1 && core_device_is_lost(member->device))
            continue;
        living.devices++;
        living.depth += atomic_load_explicit(&member->depth, memory_order_relaxed);
        living.member = member;
    }
    uint32_t most = front->members[0]->engine->slots_in_use.most;
    if (most != 0 && front->member_count == 1)
        living.depth = most;
    return living;
}

/* Whether the devices or slots are no longer those of the trial. */
static bool has_changed(const struct pipeline_slots_in_use *in_use, const struct living *living)
{
    return !in_use->has_begun || in_use->trial.devices != living->devices ||
           in_use->trial.ways[0].slots != living->depth;
}

static void begin(const struct pipeline *front, struct pipeline_slots_in_use *in_use,
                  const struct living *living)
{
    uint32_t each = living->devices != 0 ? living->depth / living->devices : 1;
    uint32_t least =
        may_try(front) && living->devices != 0 ? find_fewest(living->member, each) : living->depth;

    in_use->has_begun = true;
    if (least != 1 && front->member_count != 1)
        least = living->depth;
    pipeline_depth_trial_begin(&in_use->trial, living->depth, living->devices, least);
    in_use->trial.is_spread = living->devices > 1 && pipeline_spread_is_possible(front);
}

/* Whether a way has all devices work on one token. */
static bool spreads(const struct pipeline_depth_trial *trial, uint32_t way)
{
    return trial->is_spread && trial->ways[way].slots == 1;
}

/* "…; 1 of 3 slots at a time: 612.3 µs each, 1040.9 with all". In place of what an earlier trial
 * found. */
static void explain(struct pipeline *pipeline, struct pipeline_slots_in_use *in_use)
{
    const struct pipeline_depth_trial *trial = &in_use->trial;
    uint64_t chosen = pipeline_depth_trial_ns(trial, trial->choice), all = pipeline_depth_trial_ns(trial, 0);

    if (in_use->reason_length == 0)
        in_use->reason_length = (uint32_t)strlen(pipeline->reason);
    char *reason = pipeline->reason + in_use->reason_length;
    *reason      = '\0';
    if (trial->choice != 0)
        snprintf(reason, sizeof(pipeline->reason) - in_use->reason_length,
                 "; %" PRIu32 " of %" PRIu32 " slots at a time%s: %" PRIu64 ".%" PRIu64 " µs each, %" PRIu64
                 ".%" PRIu64 " with all",
                 trial->ways[trial->choice].slots, trial->ways[0].slots,
                 spreads(trial, trial->choice) ? ", by all devices" : "", chosen / 1000, chosen % 1000 / 100,
                 all / 1000, all % 1000 / 100);
}

/* 0: all. */
static uint32_t slots_of(const struct pipeline_slots_in_use *in_use, uint32_t way)
{
    return way != 0 || in_use->most != 0 ? in_use->trial.ways[way].slots : 0;
}

uint32_t pipeline_slots_chosen(const struct pipeline *pipeline)
{
    const struct pipeline_slots_in_use *in_use = &pipeline->front->members[0]->engine->slots_in_use;
    return in_use->has_begun ? slots_of(in_use, in_use->trial.choice) : 0;
}

/* A trial has ended. */
static void note_end(const struct pipeline *front, struct pipeline_slots_in_use *in_use)
{
    uint32_t chosen = pipeline_slots_chosen(front->members[0]);

    explain(front->members[0], in_use);
    in_use->has_news = chosen != in_use->told;
    in_use->told     = chosen;
    for (uint32_t i = 0; in_use->trial.choice != 0 && i < front->member_count; i++)
        pipeline_tuning_settle(&front->members[i]->engine->tuning);
}

static void note_spread(struct pipeline *front, const struct pipeline_depth_trial *trial)
{
    atomic_store_explicit(&front->is_spreading, spreads(trial, trial->way), memory_order_relaxed);
}

/* While strategies are tried, some with fewer slots, which is decided when a token is enqueued. Of several
 * devices none is tried with fewer, and the first may get too few tokens for its trial ever to end. */
static uint32_t slots_meanwhile(const struct pipeline *front, uint32_t *rest)
{
    *rest = front->member_count == 1 ? 1 : CHOOSING_TOKENS;
    return atomic_load_explicit(&front->members[0]->engine->choice.slots, memory_order_relaxed);
}

uint32_t pipeline_engine_slots_in_use(struct pipeline *front, uint32_t *rest)
{
    struct pipeline_slots_in_use *in_use = &front->members[0]->engine->slots_in_use;
    struct pipeline_depth_trial *trial   = &in_use->trial;

    if (pipeline_is_choosing(front->members[0]))
        return slots_meanwhile(front, rest);
    struct living living = find_living(front);
    if (has_changed(in_use, &living)) {
        begin(front, in_use, &living);
    } else {
        uint32_t trials = trial->trials;
        pipeline_depth_trial_next(trial, base_now());
        if (trial->trials != trials)
            note_end(front, in_use);
    }
    *rest = trial->rest;
    note_spread(front, trial);
    return slots_of(in_use, trial->way);
}

bool pipeline_engine_slots_are_first(const struct pipeline *front)
{
    const struct pipeline_device *engine = front->members[0]->engine;

    if (front->member_count > 1)
        return false;
    if (pipeline_is_choosing(front->members[0]))
        return atomic_load_explicit(&engine->choice.slots, memory_order_relaxed) != 0;
    return engine->slots_in_use.most != 0 && engine->slots_in_use.trial.way == 0;
}

void pipeline_engine_slots_interrupt(struct pipeline *front, uint32_t *rest)
{
    struct pipeline_slots_in_use *in_use = &front->members[0]->engine->slots_in_use;

    if (!in_use->has_begun || pipeline_is_choosing(front->members[0])) {
        *rest = 1;
    } else {
        uint32_t trials = in_use->trial.trials;
        pipeline_depth_trial_interrupt(&in_use->trial, *rest);
        if (in_use->trial.trials != trials)
            note_end(front, in_use);
        *rest = in_use->trial.rest;
        note_spread(front, &in_use->trial);
    }
}

bool pipeline_slots_are_tried(const struct pipeline *pipeline)
{
    const struct pipeline_slots_in_use *in_use = &pipeline->front->members[0]->engine->slots_in_use;
    return in_use->has_begun && pipeline_depth_trial_goes_on(&in_use->trial);
}

/* A program's log may ask for a report, which takes the lock. */
void pipeline_engine_slots_tell(struct pipeline *front)
{
    struct pipeline *first               = front->members[0];
    struct pipeline_slots_in_use *in_use = &first->engine->slots_in_use;
    char reason[sizeof(first->reason)];

    if (!in_use->has_news)
        return;
    in_use->has_news = false;
    base_text_copy(reason, sizeof(reason), first->reason);
    base_biased_lock_release(&front->lock);
    core_object_log(&first->device->object, TRM_LOG_INFO, "pipeline \"%s\": %s", first->name, reason);
    base_biased_lock_acquire(&front->lock);
}
