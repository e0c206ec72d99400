/* How many slots are in use at once, where the library chooses and host and device share memory
 * (depth_trial.h). Of several devices all share the host's memory, and the first one's engine has the trial,
 * which is of the slots of all.
 *
 * Tokens that take little of the caches all together gain nothing from fewer slots, so they are not tried.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "pipeline/engine/engine_internal.h"

/* Where the C library does not know the size of the second-level cache. */
#define CACHE_BYTES (UINT64_C(1) << 20)

/* All tokens in use take little if they fit into such a part of the second-level cache of one processor. A
 * slot wanders from one to another, so that each comes to see all slots: three of 512 KiB beside 2 MiB were a
 * fifth slower than two. */
#define LITTLE 4

/* A pipeline that drops results keeps the newest one while the next is on its way, which takes a slot
 * more. */
void pipeline_slots_allow_fewer(struct pipeline *pipeline)
{
    pipeline->engine->slots_in_use.may_try =
        pipeline->engine->host_count == 0 && pipeline->desc.on_full == TRM_FULL_BLOCK;
}

static bool may_try(const struct pipeline *front)
{
    for (uint32_t i = 0; i < front->member_count; i++)
        if (!front->members[i]->engine->slots_in_use.may_try)
            return false;
    return true;
}

static uint64_t cache_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : CACHE_BYTES;
}

bool pipeline_slots_are_small(const struct pipeline *pipeline, uint32_t count)
{
    return pipeline->engine->unified && pipeline_token_bytes(pipeline) <= cache_bytes() / LITTLE / count;
}

static void begin(const struct pipeline *front, struct pipeline_slots_in_use *in_use)
{
    uint32_t depth = atomic_load_explicit(&front->depth, memory_order_relaxed);
    uint32_t each  = atomic_load_explicit(&front->members[0]->depth, memory_order_relaxed);

    in_use->has_begun = true;
    if (may_try(front) && pipeline_token_bytes(front->members[0]) > cache_bytes() / LITTLE / each)
        pipeline_depth_trial_begin(&in_use->trial, depth, front->member_count);
    else
        pipeline_depth_trial_begin(&in_use->trial, 1, 1);
}

/* "…; 1 of 3 slots in use at a time: 612.3 us each, 1040.9 with all" */
static void explain(struct pipeline *pipeline, const struct pipeline_depth_trial *trial)
{
    size_t length = strlen(pipeline->reason);

    snprintf(pipeline->reason + length, sizeof(pipeline->reason) - length,
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

uint32_t pipeline_engine_slots_in_use(struct pipeline *front)
{
    struct pipeline_slots_in_use *in_use = &front->members[0]->engine->slots_in_use;
    struct pipeline_depth_trial *trial   = &in_use->trial;

    if (!in_use->has_begun)
        begin(front, in_use);
    if (!trial->is_over) {
        pipeline_depth_trial_next(trial, base_now());
        if (trial->is_over && trial->way != 0) {
            explain(front->members[0], trial);
            settle(front);
        }
    }
    return trial->way == 0 ? 0 : trial->slots[trial->way];
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
    pthread_mutex_lock(&pipeline->front->lock);
    if (pipeline->engine->slots_in_use.has_begun)
        pipeline_depth_trial_interrupt(&pipeline->engine->slots_in_use.trial);
    pthread_mutex_unlock(&pipeline->front->lock);
}
