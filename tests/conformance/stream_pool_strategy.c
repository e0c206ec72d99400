/* Strategies of stream pools that look at what a task is: its priority, its workload.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "stream_pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define STREAMS 2u
#define WORKS 100u /* tasks that may run at once: no two write the same */

static bool nothing_held(void)
{
    if (hold_works())
        return false;
    skip("its streams cannot be held");
    return true;
}

/* A buffer, and a task that fills it. */
struct scene {
    struct trm_stream_pool *pool;
    struct trm_buffer *buffer;
    struct filling filling;
    struct trm_stream_task task;
    atomic_bool has_failed, is_done;
};

static void scene_begin_with(struct scene *scene, int32_t strategy)
{
    scene->pool    = make_pool(strategy, STREAMS);
    scene->buffer  = make_buffer(the.device, TRM_MEMORY_DEVICE, WORKS * 256);
    scene->filling = (struct filling){.span = trm_span_whole(scene->buffer), .byte = 5};
    scene->task    = function_task(fill, &scene->filling);
    atomic_init(&scene->has_failed, false);
    atomic_init(&scene->is_done, false);
}

static void scene_begin(struct scene *scene)
{
    scene_begin_with(scene, TRM_STREAM_PRIORITY);
}

static void scene_end(struct scene *scene)
{
    trm_stream_pool_destroy(scene->pool);
    trm_buffer_destroy(scene->buffer);
}

static struct trm_point submit_with(struct scene *scene, int32_t priority)
{
    scene->task.priority = priority;
    return submit(scene->pool, &scene->task);
}

static int32_t hold_there(void *user, struct trm_stream *stream)
{
    struct hold **hold = user;
    *hold              = hold_begin(stream);
    return TRM_OK;
}

static struct hold *submit_hold(struct scene *scene, int32_t priority, struct trm_point *point)
{
    struct hold *hold           = NULL;
    struct trm_stream_task task = function_task(hold_there, &hold);
    task.priority               = priority;
    *point                      = submit(scene->pool, &task);
    return hold;
}

static bool tells_priorities_apart(void)
{
    uint64_t count = 1;
    return trm_device_get_u64(the.device, TRM_DEVICE_PRIORITIES, &count) == TRM_OK && count > 1;
}

START_TEST(each_priority_has_streams_of_its_own)
{
    struct scene scene;
    scene_begin(&scene);
    struct trm_point low = submit_with(&scene, TRM_PRIORITY_LOW), high;
    ck_ok(trm_point_wait(low, TRM_FOREVER));
    high = submit_with(&scene, TRM_PRIORITY_HIGH);
    ck_ok(trm_point_wait(high, TRM_FOREVER));
    ck_assert_ptr_ne(low.stream, high.stream);
    ck_assert_uint_eq(stats_of(scene.pool).streams, 2);
    ck_assert_int_eq(stats_of(scene.pool).strategy, TRM_STREAM_PRIORITY);
    scene_end(&scene);
}
END_TEST

START_TEST(a_task_of_high_priority_does_not_wait_behind_others)
{
    if (nothing_held())
        return;
    struct scene scene;
    struct trm_point low;
    scene_begin(&scene);
    struct hold *hold = submit_hold(&scene, TRM_PRIORITY_LOW, &low);
    for (uint32_t i = 0; i < 3 * STREAMS; i++)
        ck_ok(trm_point_wait(submit_with(&scene, TRM_PRIORITY_HIGH), TRM_FOREVER));
    ck_status(trm_point_done(low), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    scene_end(&scene);
}
END_TEST

START_TEST(a_device_with_priorities_gets_tasks_of_low_priority_at_once)
{
    if (nothing_held())
        return;
    if (!tells_priorities_apart()) {
        skip("it tells no priorities apart");
        return;
    }
    struct scene scene;
    struct trm_point high;
    scene_begin(&scene);
    struct hold *hold = submit_hold(&scene, TRM_PRIORITY_HIGH, &high);
    ck_ok(trm_point_wait(submit_with(&scene, TRM_PRIORITY_LOW), TRM_FOREVER));
    ck_status(trm_point_done(high), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    scene_end(&scene);
}
END_TEST

static void *submit_low(void *user)
{
    struct scene *scene = user;
    struct trm_point point;
    scene->task.priority = TRM_PRIORITY_LOW;
    if (trm_stream_pool_submit(scene->pool, &scene->task, &point) != TRM_OK)
        atomic_store(&scene->has_failed, true);
    atomic_store(&scene->is_done, true);
    return NULL;
}

START_TEST(a_device_without_priorities_gets_tasks_of_low_priority_after_the_others)
{
    if (nothing_held())
        return;
    if (tells_priorities_apart()) {
        skip("it tells priorities apart");
        return;
    }
    struct scene scene;
    struct trm_point high;
    pthread_t thread;
    scene_begin(&scene);
    struct hold *hold = submit_hold(&scene, TRM_PRIORITY_HIGH, &high);
    ck_assert_int_eq(pthread_create(&thread, NULL, submit_low, &scene), 0);
    while (stats_of(scene.pool).waits == 0 && !atomic_load(&scene.is_done))
        sched_yield();
    ck_assert(!atomic_load(&scene.is_done));
    hold_end(hold);
    pthread_join(thread, NULL);
    ck_assert(!atomic_load(&scene.has_failed));
    scene_end(&scene);
}
END_TEST

START_TEST(a_pool_of_priorities_has_a_third_of_the_streams_for_each)
{
    struct trm_stream_pool *pool     = NULL;
    struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .strategy = TRM_STREAM_PRIORITY};
    desc.most                        = TRM_STREAM_POOL_MOST / 3 + 1;
    ck_status(trm_stream_pool_create(the.device, &desc, &pool), TRM_ERROR_OUT_OF_RANGE);
    desc.most = TRM_STREAM_POOL_MOST / 3;
    ck_ok(trm_stream_pool_create(the.device, &desc, &pool));
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(tasks_of_all_workloads_are_done)
{
    struct scene scene;
    struct trm_point points[WORKS];
    scene_begin_with(&scene, TRM_STREAM_WORKLOAD);
    for (uint32_t i = 0; i < WORKS; i++) {
        scene.filling.span  = trm_span_of(scene.buffer, i * 256, 256);
        scene.task.workload = (int32_t)(i % (TRM_STREAM_WORKLOAD_COORDINATION + 1));
        scene.task.bytes    = i % 2 == 0 ? 256 : 0;
        points[i]           = submit(scene.pool, &scene.task);
    }
    ck_ok(trm_wait_all(points, WORKS, TRM_FOREVER));
    ck_assert_int_eq(stats_of(scene.pool).strategy, TRM_STREAM_WORKLOAD);
    ck_assert_uint_eq(stats_of(scene.pool).tasks, WORKS);
    scene_end(&scene);
}
END_TEST

START_TEST(a_prediction_tells_the_workload_that_was_given)
{
    if (nothing_held())
        return;
    struct scene scene;
    struct trm_point point;
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    scene_begin_with(&scene, TRM_STREAM_WORKLOAD);
    struct hold *hold      = submit_hold(&scene, TRM_PRIORITY_NORMAL, &point);
    scene.task.after       = &point; /* so that the pool sees it end */
    scene.task.after_count = 1;
    scene.task.workload    = TRM_STREAM_WORKLOAD_MEMORY;
    point                  = submit(scene.pool, &scene.task);
    hold_end(hold);
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    while (stats_of(scene.pool).busy > 0)
        sched_yield();
    ck_ok(trm_stream_pool_predict(scene.pool, &scene.task, &prediction));
    ck_assert_int_eq(prediction.workload, TRM_STREAM_WORKLOAD_MEMORY);
    scene_end(&scene);
}
END_TEST

void add_stream_pool_strategy(Suite *suite)
{
    TCase *group = group_make(suite, "strategies of stream pools");
    CASE(group, each_priority_has_streams_of_its_own);
    CASE(group, a_task_of_high_priority_does_not_wait_behind_others);
    CASE(group, a_device_with_priorities_gets_tasks_of_low_priority_at_once);
    CASE(group, a_device_without_priorities_gets_tasks_of_low_priority_after_the_others);
    CASE(group, tasks_of_all_workloads_are_done);
    CASE(group, a_prediction_tells_the_workload_that_was_given);
    CASE(group, a_pool_of_priorities_has_a_third_of_the_streams_for_each);
}
