/* A pool on the fake backend, and loans and tasks of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_POOL_FIXTURE_H
#define TESTS_UNIT_PIPELINE_POOL_FIXTURE_H

#include <check.h>
#include <string.h>

#include "core/object/object.h"
#include "pipeline/pool/pool.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static struct fake fake;
static struct pipeline_stream_pool *pool;
static struct trm_stream_pool *handle;

static inline void open_pool(uint32_t most)
{
    const struct trm_setting settings[]    = {{"stream.models", "no"}};
    const struct trm_context_desc desc     = {.struct_size   = sizeof(desc),
                                              .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                              .settings      = settings,
                                              .setting_count = 1};
    const struct trm_stream_pool_desc wish = {.struct_size = sizeof(wish), .most = most};
    fake_init(&fake, FAKE_ALL, &desc);
    struct core_device *device = core_object_enter(fake_open(&fake), CORE_DEVICE);
    OK(pipeline_pool_create(device, &wish, true, &pool));
    core_object_leave(&device->object);
    handle = core_object_publish(&pool->object);
}

/* What is noted of slots is what they are. */
static inline void ck_notes(void)
{
    static struct pipeline_stream_pool anew;
    base_lock_acquire(&pool->lock);
    memcpy(anew.slots, pool->slots, sizeof(anew.slots));
    uint64_t free_slots = pool->free_slots, idle_slots = pool->idle_slots, used_slots = pool->used_slots;
    uint32_t used = pool->used;
    base_lock_release(&pool->lock);
    for (uint32_t i = 0; i < TRM_STREAM_POOL_MOST; i++)
        pipeline_pool_note_locked(&anew, &anew.slots[i]);
    ck_assert_uint_eq(free_slots, anew.free_slots);
    ck_assert_uint_eq(idle_slots, anew.idle_slots);
    ck_assert_uint_eq(used_slots, anew.used_slots);
    ck_assert_uint_eq(used, anew.used);
}

static inline void close_pool(void)
{
    ck_notes();
    fake_let_run(&fake);
    ck_notes();
    trm_stream_pool_destroy(handle);
    fake_fini(&fake);
}

static inline uint32_t notifications(void)
{
    return atomic_load(&fake.calls[FAKE_CALL_NOTIFY]);
}

static inline struct trm_stream_pool_stats stats(void)
{
    struct trm_stream_pool_stats now = {.struct_size = sizeof(now)};
    OK(trm_stream_pool_get_stats(handle, &now));
    return now;
}

/* A kernel that is known to take so long. Nothing looks into it. */
static inline struct trm_stream_task known_kernel(uint64_t took)
{
    const struct trm_stream_task task = {.struct_size = sizeof(task), .kernel = (struct trm_kernel *)&fake};
    struct pipeline_task_key key      = pipeline_task_key_of(&task);
    for (int i = 0; i < 16; i++)
        pipeline_task_model_add(&pool->models, &key, (double)took);
    return task;
}

/* As trm_stream_pool_submit() does it, but that there is nothing to launch. */
static inline struct trm_point submit(const struct trm_stream_task *task)
{
    struct pipeline_pool_request request = {
        .timeout_ns = TRM_FOREVER, .task = task, .key = pipeline_task_key_of(task)};
    struct pipeline_pool_slot *slot;
    struct trm_point point;
    OK(pipeline_pool_lend(pool, &request, &slot));
    uint64_t before = core_stream_next(slot->stream);
    for (uint32_t i = 0; i < task->after_count; i++)
        OK(trm_stream_wait(slot->stream->object.handle, task->after[i]));
    if (core_stream_next(slot->stream) > before)
        request.waited = core_stream_next(slot->stream) - 1;
    OK(fake_enqueue(slot->stream->object.handle));
    OK(trm_stream_mark(slot->stream->object.handle, &point));
    pipeline_pool_take_back(pool, slot, &request);
    return point;
}

/* A stream is lent, gets work and is given back. */
static inline void lend_once(void)
{
    struct trm_stream *stream;
    OK(trm_stream_pool_acquire(handle, 0, TRM_FOREVER, &stream));
    OK(fake_enqueue(stream));
    OK(trm_stream_pool_release(handle, stream));
}

static inline void acquire_idle(uint64_t timeout_ns, int32_t expected)
{
    struct trm_stream *stream;
    ck_assert_int_eq(trm_stream_pool_acquire(handle, TRM_STREAM_POOL_IDLE, timeout_ns, &stream), expected);
    if (expected == TRM_OK)
        OK(trm_stream_pool_release(handle, stream));
}

#endif
