/* How many slots are in use at once, where the library chooses and host and device share memory
 * (depth_trial.h). Of several devices all share the host's memory, and the first one's engine has the trial,
 * which is of the slots of all.
 *
 * Tokens that take little of the caches all together gain nothing from fewer slots, so they are not tried.
 * When the last slot that was added for a tuned pipeline has brought nothing, it rests.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "pipeline/engine/engine_internal.h"

/* Where the C library does not know the sizes of the second-level and the first-level cache. */
#define CACHE_BYTES (UINT64_C(1) << 20)
#define FIRST_BYTES (UINT64_C(32) << 10)

/* All tokens in use take little if they fit into such a part of the second-level cache of one processor. A
 * slot wanders from one to another, so that each comes to see all slots: three of 512 KiB beside 2 MiB were a
 * fifth slower than two. */
#define LITTLE 4

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
    return pipeline->engine->unified && pipeline_token_bytes(pipeline) <= cache_bytes() / LITTLE / count;
}

/* The fewest slots that may be faster than all: one where all together take much of the second-level cache;
 * or where one fits into the first-level cache, and all take more than half of it. Where the library began
 * with one slot more, since such small ones cost nothing, it may do without: four of 64 KiB are a tenth
 * faster than three or a tenth slower, as the two threads share the tokens. */
static uint32_t find_fewest(const struct pipeline *pipeline, uint32_t depth)
{
    uint64_t bytes = pipeline_token_bytes(pipeline), first = bytes_of(_SC_LEVEL1_DCACHE_SIZE, FIRST_BYTES);
    bool is_first_smaller = bytes <= first && bytes > first / 2 / depth;

    if (bytes > cache_bytes() / LITTLE / depth || is_first_smaller)
        return 1;
    return pipeline->desc.depth == 0 && depth > PIPELINE_DEPTH_TUNED_FIRST && bytes > first
               ? PIPELINE_DEPTH_TUNED_FIRST
               : depth;
}

static void begin(const struct pipeline *front, struct pipeline_slots_in_use *in_use)
{
    uint32_t depth = atomic_load_explicit(&front->depth, memory_order_relaxed);
    uint32_t each  = atomic_load_explicit(&front->members[0]->depth, memory_order_relaxed);
    uint32_t least = may_try(front) ? find_fewest(front->members[0], each) : each;

    in_use->has_begun = true;
    if (least != 1 && front->member_count != 1)
        least = depth;
    pipeline_depth_trial_begin(&in_use->trial, depth, front->member_count, least);
}

/* "…; 1 of 3 slots in use at a time: 612.3 us each, 1040.9 with all". In place of what an earlier trial
 * found. */
static void explain(struct pipeline *pipeline, struct pipeline_slots_in_use *in_use)
{
    const struct pipeline_depth_trial *trial = &in_use->trial;

    if (in_use->reason_length == 0)
        in_use->reason_length = (uint32_t)strlen(pipeline->reason);
    char *reason = pipeline->reason + in_use->reason_length;
    *reason      = '\0';
    if (trial->way == 0)
        return;
    snprintf(reason, sizeof(pipeline->reason) - in_use->reason_length,
             "; %" PRIu32 " of %" PRIu32 " slots in use at a time: %" PRIu64 ".%" PRIu64 " us each, %" PRIu64
             ".%" PRIu64 " with all",
             trial->slots[trial->way], trial->slots[0], trial->ns[trial->way] / 1000,
             trial->ns[trial->way] % 1000 / 100, trial->ns[0] / 1000, trial->ns[0] % 1000 / 100);
    core_object_log(&pipeline->device->object, TRM_LOG_INFO, "pipeline \"%s\": %s", pipeline->name,
                    pipeline->reason);
}

static void settle(const struct pipeline *front)
{
    for (uint32_t i = 0; i < front->member_count; i++)
        pipeline_tuning_settle(&front->members[i]->engine->tuning);
}

/* A trial has ended. */
static void note_end(const struct pipeline *front, struct pipeline_slots_in_use *in_use)
{
    explain(front->members[0], in_use);
    if (in_use->trial.way != 0)
        settle(front);
}

static void note_token(const struct pipeline *front, struct pipeline_slots_in_use *in_use)
{
    struct pipeline_depth_trial *trial = &in_use->trial;
    struct pipeline *first             = front->members[0];
    bool was_over                      = trial->is_over;

    pipeline_depth_trial_next(trial, base_now());
    if (trial->is_over && !was_over) {
        note_end(front, in_use);
    } else if (trial->is_due) {
        core_object_log(&first->device->object, TRM_LOG_DEBUG,
                        "pipeline \"%s\" tries numbers of slots again: %s", first->name,
                        trial->is_far ? "tokens take longer than in the trial" : "to confirm the trial");
        pipeline_depth_trial_again(trial, atomic_load_explicit(&front->depth, memory_order_relaxed));
    }
}

uint32_t pipeline_engine_slots_in_use(struct pipeline *front)
{
    struct pipeline_slots_in_use *in_use = &front->members[0]->engine->slots_in_use;
    struct pipeline_depth_trial *trial   = &in_use->trial;

    if (!in_use->has_begun)
        begin(front, in_use);
    if (pipeline_depth_trial_counts(trial))
        note_token(front, in_use);
    if (trial->way != 0)
        return trial->slots[trial->way];
    return trial->is_over ? in_use->most : 0;
}

bool pipeline_engine_tries_slots(const struct pipeline *front)
{
    const struct pipeline_slots_in_use *in_use = &front->members[0]->engine->slots_in_use;
    return in_use->has_begun && !in_use->trial.is_over;
}

bool pipeline_slots_are_tried(const struct pipeline *pipeline)
{
    return pipeline_engine_tries_slots(pipeline->front);
}

void pipeline_slots_trial_interrupt(struct pipeline *pipeline)
{
    struct pipeline_slots_in_use *in_use = &pipeline->engine->slots_in_use;

    base_biased_lock_acquire(&pipeline->front->lock);
    pipeline->engine->tuning.tokens = 0; /* its window ends with the run */
    if (in_use->has_begun) {
        bool was_over = in_use->trial.is_over;
        pipeline_depth_trial_interrupt(&in_use->trial);
        if (in_use->trial.is_over && !was_over)
            note_end(pipeline->front, in_use);
    }
    base_biased_lock_release(&pipeline->front->lock);
}
