/* How many notifications a pool asks its backend for, and what it knows without them.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>

#include "tests/unit/pipeline/pool/fixture.h"

/* Loans of a stream, many of them beside one in so many that is sampled. */
#define LOANS 640u
#define SAMPLED (LOANS / 64)

/* ---- loans behind one another --------------------------------------------------------------- */

START_TEST(loans_that_wait_behind_others_on_their_stream_ask_for_no_notification)
{
    open_pool(1);
    for (uint32_t i = 0; i < LOANS; i++)
        lend_once();
    /* Two, and one more before the service is there. */
    ck_assert_uint_le(notifications(), 3);
    ck_assert_uint_eq(stats().busy, 1);
    close_pool();
}
END_TEST

START_TEST(all_loans_have_ended_when_the_last_one_has)
{
    open_pool(1);
    for (uint32_t i = 0; i < LOANS; i++)
        lend_once();
    fake_let_run(&fake);
    acquire_idle(TRM_FOREVER, TRM_OK);
    ck_assert_uint_le(notifications(), 5);
    ck_assert_uint_eq(stats().busy, 0);
    ck_assert_uint_gt(stats().operation_ns, 0);
    close_pool();
}
END_TEST

START_TEST(a_stream_with_many_loans_is_idle_after_each_of_several_floods)
{
    open_pool(2);
    for (uint32_t round = 1; round <= 8; round++) {
        acquire_idle(TRM_FOREVER, TRM_OK);
        for (uint32_t i = 0; i < LOANS; i++)
            lend_once();
        for (uint32_t i = 0; i < pool->slot_count; i++)
            if (pool->slots[i].stream != NULL)
                fake_run(&fake, pool->slots[i].stream->object.handle,
                         atomic_load(&pool->slots[i].stream->enqueued));
    }
    acquire_idle(TRM_FOREVER, TRM_OK);
    ck_assert_uint_le(notifications(), 8 * 2 * 5);
    close_pool();
}
END_TEST

START_TEST(loans_behind_one_that_fails_have_ended_too)
{
    open_pool(1);
    for (uint32_t i = 0; i < LOANS; i++)
        lend_once();
    fake_fail(&fake, pool->slots[0].stream->object.handle, TRM_ERROR_KERNEL, 5, "it failed");
    acquire_idle(TRM_FOREVER, TRM_OK);
    ck_assert_uint_le(notifications(), 3);
    ck_assert_uint_eq(stats().replaced, 1);
    ck_assert_uint_eq(stats().busy, 0);
    close_pool();
}
END_TEST

START_TEST(a_pool_that_notifies_of_nothing_any_more_ends_with_loans_in_its_queues)
{
    open_pool(1);
    for (uint32_t i = 0; i < LOANS; i++)
        lend_once();
    atomic_store(&fake.fail_next[FAKE_CALL_NOTIFY], TRM_ERROR_OUT_OF_HOST_MEMORY);
    close_pool();
}
END_TEST

START_TEST(a_pool_over_host_processors_is_notified_of_each_end)
{
    open_pool(1);
    pool->is_host               = true;
    struct trm_stream_task task = known_kernel(1000);
    for (uint32_t i = 0; i < LOANS; i++)
        submit(&task);
    ck_assert_uint_eq(notifications(), LOANS);
    close_pool();
}
END_TEST

/* ---- kernels whose end is presumed ---------------------------------------------------------- */

START_TEST(a_short_kernel_that_is_known_is_watched_once_in_a_while)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1000);
    for (uint32_t i = 0; i < LOANS; i++)
        submit(&task);
    /* The beginning and the end of each that is sampled. */
    ck_assert_uint_le(notifications(), 2 * SAMPLED);
    ck_assert_uint_ge(notifications(), SAMPLED);
    close_pool();
}
END_TEST

START_TEST(a_kernel_that_has_taken_another_time_than_usual_is_watched_again)
{
    open_pool(1);
    struct trm_stream_task task  = known_kernel(1000);
    struct pipeline_task_key key = pipeline_task_key_of(&task);
    pipeline_task_model_add(&pool->models, &key, 50000);
    submit(&task);
    ck_assert_uint_eq(pool->slots[0].watches, 1);
    close_pool();
}
END_TEST

START_TEST(a_kernel_that_is_not_known_is_watched)
{
    open_pool(1);
    const struct trm_stream_task task = {.struct_size = sizeof(task), .kernel = (struct trm_kernel *)&fake};
    for (uint32_t i = 0; i < LOANS; i++)
        submit(&task);
    ck_assert_uint_eq(notifications(), LOANS);
    close_pool();
}
END_TEST

START_TEST(a_long_kernel_is_watched)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1000000);
    for (uint32_t i = 0; i < LOANS; i++)
        submit(&task);
    ck_assert_uint_eq(notifications(), LOANS);
    close_pool();
}
END_TEST

START_TEST(a_kernel_behind_a_loan_is_watched)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1000);
    lend_once();
    submit(&task);
    ck_assert_uint_eq(pool->slots[0].watches, 2);
    ck_assert_uint_eq(pool->slots[0].unwatched, 0);
    close_pool();
}
END_TEST

START_TEST(a_kernel_after_one_that_is_presumed_to_end_is_presumed_too)
{
    open_pool(2);
    struct trm_stream_task task = known_kernel(50000);
    struct trm_point first      = submit(&task);
    task.after                  = &first;
    task.after_count            = 1;
    submit(&task);
    ck_assert_uint_eq(pool->slots[0].watches + pool->slots[1].watches, 0);
    ck_assert_uint_eq(notifications(), 0);
    close_pool();
}
END_TEST

/* Lends a stream, and submits a known kernel behind a point of what is enqueued on it then. */
static void submit_behind_a_loan(bool is_reached)
{
    struct trm_stream_task task;
    struct trm_stream *lent;
    struct trm_point point;
    open_pool(2);
    task = known_kernel(1000);
    OK(trm_stream_pool_acquire(handle, 0, TRM_FOREVER, &lent));
    OK(fake_enqueue(lent));
    OK(trm_stream_mark(lent, &point));
    if (is_reached) {
        fake_run(&fake, lent, point.value);
        OK(trm_point_wait(point, TRM_FOREVER));
    }
    task.after       = &point;
    task.after_count = 1;
    submit(&task);
    OK(trm_stream_pool_release(handle, lent));
}

START_TEST(a_kernel_behind_work_of_a_stream_that_is_lent_is_watched)
{
    submit_behind_a_loan(false);
    ck_assert_uint_eq(pool->slots[1].watches, 1);
    ck_assert_uint_eq(pool->slots[1].unsure, 1);
    close_pool();
}
END_TEST

START_TEST(a_kernel_behind_a_point_of_a_lent_stream_that_is_reached_is_presumed)
{
    submit_behind_a_loan(true);
    ck_assert_uint_eq(pool->slots[1].watches, 0);
    ck_assert_uint_eq(pool->slots[1].unwatched, pool->slots[1].seen);
    close_pool();
}
END_TEST

START_TEST(a_call_for_an_idle_stream_does_not_trust_a_prediction)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1);
    submit(&task);
    ck_assert_uint_eq(notifications(), 0);
    acquire_idle(0, TRM_ERROR_TIMEOUT);
    ck_assert_uint_eq(stats().busy, 1);
    ck_assert_uint_eq(notifications(), 1);
    fake_let_run(&fake);
    acquire_idle(TRM_FOREVER, TRM_OK);
    ck_assert_uint_eq(stats().busy, 0);
    close_pool();
}
END_TEST

START_TEST(a_stream_is_found_idle_though_nothing_told_of_its_end)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(50000);
    submit(&task);
    fake_run(&fake, pool->slots[0].stream->object.handle, UINT64_MAX);
    acquire_idle(TRM_FOREVER, TRM_OK);
    ck_assert_uint_eq(notifications(), 0);
    close_pool();
}
END_TEST

START_TEST(a_stream_that_fails_under_kernels_that_are_not_watched_is_replaced)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1000);
    struct trm_point point      = submit(&task);
    ck_assert_uint_eq(notifications(), 0);
    fake_fail(&fake, point.stream, TRM_ERROR_KERNEL, 5, "it failed");
    acquire_idle(TRM_FOREVER, TRM_OK);
    ck_assert_uint_eq(stats().replaced, 1);
    ck_assert_int_eq(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_KERNEL);
    close_pool();
}
END_TEST

START_TEST(a_task_that_finds_its_stream_failed_tells_the_pool)
{
    open_pool(1);
    struct trm_stream_task task          = known_kernel(1000);
    struct pipeline_pool_request request = {
        .timeout_ns = TRM_FOREVER, .task = &task, .key = pipeline_task_key_of(&task)};
    struct pipeline_pool_slot *slot;
    fake_fail(&fake, submit(&task).stream, TRM_ERROR_KERNEL, 5, "it failed");
    OK(pipeline_pool_lend(pool, &request, &slot));
    ck_assert_int_eq(fake_enqueue(slot->stream->object.handle), TRM_ERROR_KERNEL);
    pipeline_pool_take_back(pool, slot, &request);
    submit(&task);
    ck_assert_uint_eq(stats().replaced, 1);
    close_pool();
}
END_TEST

static void *wait_for_idle(void *user)
{
    (void)user;
    acquire_idle(TRM_FOREVER, TRM_OK);
    return NULL;
}

START_TEST(a_call_that_waits_for_an_idle_stream_is_told_when_what_was_presumed_has_ended)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1);
    pthread_t thread;
    submit(&task);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_idle, NULL), 0);
    while (notifications() == 0)
        sched_yield();
    fake_let_run(&fake);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(notifications(), 1);
    close_pool();
}
END_TEST

START_TEST(statistics_ask_for_what_is_presumed)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1);
    submit(&task);
    fake_run(&fake, pool->slots[0].stream->object.handle, UINT64_MAX);
    ck_assert_uint_eq(stats().busy, 0);
    ck_assert_uint_eq(notifications(), 0);
    close_pool();
}
END_TEST

START_TEST(all_is_watched_while_a_thread_waits_for_a_stream)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(1000);
    pool->sleepers++;
    submit(&task);
    ck_assert_uint_eq(pool->slots[0].watches, 1);
    pool->sleepers--;
    close_pool();
}
END_TEST

START_TEST(a_sampled_kernel_puts_the_prediction_of_its_stream_right)
{
    open_pool(1);
    struct trm_stream_task task = known_kernel(100000);
    for (uint32_t i = 0; i < 64; i++)
        submit(&task);
    ck_assert_uint_gt(pool->slots[0].predicted_end, 0);
    ck_assert_uint_gt(pool->slots[0].unwatched, 0);
    fake_run(&fake, pool->slots[0].stream->object.handle, UINT64_MAX);
    ck_assert_uint_eq(pool->slots[0].predicted_end, 0);
    ck_assert_uint_eq(pool->slots[0].unwatched, 0);
    close_pool();
}
END_TEST

/* When the last loan of the queue is predicted to end. */
static uint64_t last_prediction(const struct pipeline_pool_slot *slot)
{
    return slot->last->predicted_end + slot->delay;
}

/* Each end puts right the prediction of the stream, and of each loan that is left, once. */
START_TEST(the_prediction_of_a_stream_is_that_of_its_last_loan_when_some_have_ended)
{
    open_pool(1);
    struct trm_stream_task task           = known_kernel(1000000000);
    const struct pipeline_pool_slot *slot = &pool->slots[0];
    struct trm_point points[4];
    for (uint32_t i = 0; i < 4; i++)
        points[i] = submit(&task);
    for (uint32_t i = 0; i < 3; i++) {
        fake_run(&fake, points[i].stream, points[i].value);
        ck_assert_uint_eq(slot->watches, 3 - i);
        ck_assert_uint_eq(slot->predicted_end, last_prediction(slot));
    }
    close_pool();
}
END_TEST

/* ---- a program's descriptor ------------------------------------------------------------------- */

/* As of a program that uses one structure for all its tasks. */
static int32_t reuse_task(void *user, struct trm_stream *stream)
{
    struct trm_stream_task *task = user;
    *task                        = (struct trm_stream_task){.kernel      = (struct trm_kernel *)&fake,
                                                            .after_count = UINT32_MAX,
                                                            .bytes       = 1,
                                                            .workload    = TRM_STREAM_WORKLOAD_COMPUTE};
    return fake_enqueue(stream);
}

START_TEST(a_function_may_change_the_structure_of_its_task)
{
    struct trm_stream_task task = {.struct_size = sizeof(task),
                                   .enqueue     = reuse_task,
                                   .user        = &task,
                                   .bytes       = 4096,
                                   .workload    = TRM_STREAM_WORKLOAD_MEMORY};
    struct trm_point point;
    open_pool(1);
    OK(trm_stream_pool_submit(handle, &task, &point));
    ck_assert_ptr_nonnull(pool->slots[0].last);
    ck_assert_uint_eq(pool->slots[0].last->bytes, 4096);
    ck_assert_int_eq(pool->slots[0].last->workload, TRM_STREAM_WORKLOAD_MEMORY);
    close_pool();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool watch");
    TCase *tests = tcase_create("watch");

    tcase_add_test(tests, loans_that_wait_behind_others_on_their_stream_ask_for_no_notification);
    tcase_add_test(tests, all_loans_have_ended_when_the_last_one_has);
    tcase_add_test(tests, a_stream_with_many_loans_is_idle_after_each_of_several_floods);
    tcase_add_test(tests, loans_behind_one_that_fails_have_ended_too);
    tcase_add_test(tests, a_pool_that_notifies_of_nothing_any_more_ends_with_loans_in_its_queues);
    tcase_add_test(tests, a_pool_over_host_processors_is_notified_of_each_end);
    tcase_add_test(tests, a_short_kernel_that_is_known_is_watched_once_in_a_while);
    tcase_add_test(tests, a_kernel_that_has_taken_another_time_than_usual_is_watched_again);
    tcase_add_test(tests, a_kernel_that_is_not_known_is_watched);
    tcase_add_test(tests, a_long_kernel_is_watched);
    tcase_add_test(tests, a_kernel_behind_a_loan_is_watched);
    tcase_add_test(tests, a_kernel_after_one_that_is_presumed_to_end_is_presumed_too);
    tcase_add_test(tests, a_kernel_behind_work_of_a_stream_that_is_lent_is_watched);
    tcase_add_test(tests, a_kernel_behind_a_point_of_a_lent_stream_that_is_reached_is_presumed);
    tcase_add_test(tests, a_call_for_an_idle_stream_does_not_trust_a_prediction);
    tcase_add_test(tests, a_stream_is_found_idle_though_nothing_told_of_its_end);
    tcase_add_test(tests, a_stream_that_fails_under_kernels_that_are_not_watched_is_replaced);
    tcase_add_test(tests, a_task_that_finds_its_stream_failed_tells_the_pool);
    tcase_add_test(tests, a_call_that_waits_for_an_idle_stream_is_told_when_what_was_presumed_has_ended);
    tcase_add_test(tests, statistics_ask_for_what_is_presumed);
    tcase_add_test(tests, all_is_watched_while_a_thread_waits_for_a_stream);
    tcase_add_test(tests, a_sampled_kernel_puts_the_prediction_of_its_stream_right);
    tcase_add_test(tests, the_prediction_of_a_stream_is_that_of_its_last_loan_when_some_have_ended);
    tcase_add_test(tests, a_function_may_change_the_structure_of_its_task);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
