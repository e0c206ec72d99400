/* Tests of when streams submit, and what waits for what. The fake driver runs submitted work when a test says
 * so.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/vulkan/stream_fixture.h"

#include "tests/unit/runner.h"

#define MUCH 64u /* operations after which a stream submits on its own */

/* ---- submitting ------------------------------------------------------------------------------------ */

START_TEST(operations_are_not_submitted_without_a_request)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    for (uint64_t i = 1; i < MUCH; i++)
        ck_assert_int_eq(enqueue(stream, i), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 0);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 1);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(many_operations_are_submitted_without_a_request)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    for (uint64_t i = 1; i <= MUCH; i++)
        ck_assert_int_eq(enqueue(stream, i), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 1);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(a_marked_operation_completes_before_later_ones)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    for (uint64_t i = 1; i <= 3; i++) {
        ck_assert_int_eq(enqueue(stream, i), TRM_OK);
        if (i == 2)
            ck_assert_int_eq(ops->mark(stream, i), TRM_OK);
    }
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 2);
    ck_assert_uint_eq(driver.submissions, 1);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_uint_eq(completed(stream), 2);
    ck_assert_int_eq(ops->wait(stream, 2, UINT64_MAX), TRM_OK);
    ck_assert_int_eq(ops->wait(stream, 3, 1000), TRM_ERROR_TIMEOUT);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(a_wait_submits_up_to_its_operation_and_no_more)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    ck_assert_int_eq(ops->mark(stream, 1), TRM_OK);
    ck_assert_int_eq(enqueue(stream, 2), TRM_OK);
    ck_assert_int_eq(ops->wait(stream, 1, 1000), TRM_ERROR_TIMEOUT);
    ck_assert_uint_eq(driver_submitted(0), 1);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(a_stream_that_changes_queues_waits_for_itself)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_UPLOAD);
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    vulkan_stream_lock(stream);
    ck_assert_int_eq(vulkan_stream_to_compute(stream), TRM_OK);
    vulkan_stream_unlock(stream);
    ck_assert_int_eq(enqueue(stream, 2), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_submitted(1), 1);
    ck_assert_uint_eq(driver_submitted(0), 1);
    ck_assert_uint_eq(driver_run(0, 1), 0);
    ck_assert_uint_eq(driver_run(1, 1), 1);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_uint_eq(completed(stream), 2);
    finish_and_destroy(stream);
}
END_TEST

/* ---- waiting for other streams --------------------------------------------------------------------- */

START_TEST(submitted_work_is_waited_for_on_the_device)
{
    struct trm_backend_stream *first  = make_stream(TRM_STREAM_UPLOAD),
                              *second = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(enqueue(first, 1), TRM_OK);
    ck_assert_int_eq(ops->wait_stream(second, 1, first, 1), TRM_OK);
    ck_assert_int_eq(enqueue(second, 2), TRM_OK);
    ck_assert_int_eq(ops->flush(second), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 1);
    ck_assert_uint_eq(driver_run(0, 1), 0);
    finish_and_destroy(first);
    ck_assert_uint_eq(completed(second), 2);
    finish_and_destroy(second);
}
END_TEST

/* All share one queue, so everything in it must be able to run. */
START_TEST(work_behind_a_gate_is_waited_for_on_the_host)
{
    struct trm_backend_stream *streams[3];
    for (uint32_t i = 0; i < 3; i++)
        streams[i] = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(ops->gate(streams[0], 1), TRM_OK);
    ck_assert_int_eq(enqueue(streams[0], 2), TRM_OK);
    for (uint32_t i = 1; i < 3; i++) {
        ck_assert_int_eq(ops->wait_stream(streams[i], 1, streams[i - 1], i == 1 ? 2 : 1), TRM_OK);
        ck_assert_int_eq(ops->flush(streams[i]), TRM_OK);
    }
    ck_assert_uint_eq(driver_submitted(0), 0);
    ops->open_gates(streams[0], 1);
    ck_assert_uint_eq(driver_submitted(0), 3);
    ck_assert_uint_eq(driver_run(0, 3), 3);
    for (uint32_t i = 0; i < 3; i++)
        finish_and_destroy(streams[i]);
}
END_TEST

START_TEST(an_open_gate_defers_nothing)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    ops->open_gates(stream, 5);
    ck_assert_int_eq(ops->gate(stream, 5), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 1);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(a_stream_fails_with_the_one_that_it_waits_for)
{
    struct trm_backend_stream *first  = make_stream(TRM_STREAM_COMPUTE),
                              *second = make_stream(TRM_STREAM_COMPUTE);
    uint64_t value                    = 0;
    ck_assert_int_eq(ops->gate(first, 1), TRM_OK);
    ck_assert_int_eq(enqueue(second, 1), TRM_OK);
    ck_assert_int_eq(ops->mark(second, 1), TRM_OK);
    ck_assert_int_eq(ops->wait_stream(second, 2, first, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(second), TRM_OK);
    ops->abandon(first, TRM_ERROR_KERNEL);
    ck_assert_int_eq(ops->query(first, &value), TRM_ERROR_KERNEL);
    ck_assert_int_eq(ops->query(second, &value), TRM_OK); /* its first operation is still running */
    run_everything();
    ck_assert_int_eq(ops->wait(second, 2, UINT64_MAX), TRM_ERROR_KERNEL);
    ck_assert_int_eq(ops->query(second, &value), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(value, 1);
    ops->destroy(first);
    ops->destroy(second);
}
END_TEST

START_TEST(complete_operations_of_a_failed_stream_can_be_waited_for)
{
    struct trm_backend_stream *first  = make_stream(TRM_STREAM_UPLOAD),
                              *second = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(enqueue(first, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(first), TRM_OK);
    ops->abandon(first, TRM_ERROR_CANCELLED);
    ck_assert_int_eq(ops->wait_stream(second, 1, first, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(second), TRM_OK);
    run_everything();
    ck_assert_int_eq(ops->wait(second, 1, UINT64_MAX), TRM_OK);
    ops->destroy(first);
    finish_and_destroy(second);
}
END_TEST

/* ---- queues ------------------------------------------------------------------------------------------ */

START_TEST(work_on_a_new_queue_follows_the_streams_earlier_work)
{
    struct trm_backend_stream *up      = make_stream(TRM_STREAM_UPLOAD),
                              *compute = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_ptr_ne(up->queue, compute->queue);
    ck_assert_int_eq(enqueue(up, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(up), TRM_OK);
    vulkan_stream_lock(up);
    ck_assert_int_eq(vulkan_stream_join_queue(up, compute->queue), TRM_OK);
    vulkan_stream_unlock(up);
    ck_assert_uint_eq(compute->queue->streams, 2);
    ck_assert_int_eq(enqueue(up, 2), TRM_OK);
    ck_assert_int_eq(ops->flush(up), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0) + driver_submitted(1), 2);
    ck_assert_uint_eq(driver_run(0, 1), 0);
    run_everything();
    ck_assert_uint_eq(completed(up), 2);
    finish_and_destroy(up);
    finish_and_destroy(compute);
}
END_TEST

START_TEST(a_stream_knows_the_queue_of_the_first_compute_stream_that_waited)
{
    struct trm_backend_stream *up = make_stream(TRM_STREAM_UPLOAD), *down = make_stream(TRM_STREAM_DOWNLOAD),
                              *first  = make_stream(TRM_STREAM_COMPUTE),
                              *second = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(enqueue(up, 1), TRM_OK);
    ck_assert_int_eq(ops->wait_stream(down, 1, up, 1), TRM_OK);
    ck_assert_ptr_null(up->reader);
    ck_assert_int_eq(ops->wait_stream(first, 1, up, 1), TRM_OK);
    ck_assert_ptr_eq(up->reader, first->queue);
    ck_assert_int_eq(ops->wait_stream(second, 1, up, 1), TRM_OK);
    ck_assert_ptr_eq(up->reader, first->queue);
    finish_and_destroy(up);
    finish_and_destroy(down);
    finish_and_destroy(first);
    finish_and_destroy(second);
}
END_TEST

/* ---- host copies ----------------------------------------------------------------------------------- */

START_TEST(a_number_is_complete_after_the_host_copies)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_DOWNLOAD);
    char from[2] = {'a', 'b'}, to[2] = {0, 0};
    ck_assert_int_eq(enqueue_finish(stream, 1, &to[0], &from[0]), TRM_OK);
    ck_assert_int_eq(ops->mark(stream, 1), TRM_OK);
    ck_assert_int_eq(enqueue(stream, 2), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(completed(stream), 0);
    ck_assert_uint_eq(driver_run(1, 2), 2);
    ck_assert_int_eq(to[0], 0);
    ck_assert_uint_eq(completed(stream), 2);
    ck_assert_int_eq(to[0], 'a');
    finish_and_destroy(stream);
}
END_TEST

START_TEST(the_service_runs_host_copies_for_a_waiting_stream)
{
    struct trm_backend_stream *first  = make_stream(TRM_STREAM_DOWNLOAD),
                              *second = make_stream(TRM_STREAM_COMPUTE);
    struct told told                  = {0};
    char from = 'a', to = 0;
    ck_assert_int_eq(enqueue_finish(first, 1, &to, &from), TRM_OK);
    ck_assert_int_eq(ops->wait_stream(second, 1, first, 1), TRM_OK);
    ck_assert_int_eq(ops->notify(second, 1, tell, &told), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 0);
    ck_assert_uint_eq(driver_run(1, 1), 1);
    while (driver_submitted(0) == 0)
        sched_yield();
    run_everything();
    ck_assert_int_eq(wait_until_told(&told), TRM_OK);
    ck_assert_int_eq(to, 'a');
    finish_and_destroy(first);
    finish_and_destroy(second);
}
END_TEST

START_TEST(a_job_runs_after_everything_before_it_and_before_everything_after_it)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct test_job job               = {.status = TRM_OK};
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    enqueue_job(stream, 2, &job);
    ck_assert_int_eq(enqueue(stream, 3), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 1);
    ck_assert_uint_eq(atomic_load(&job.has_run), 0);
    run_everything();
    while (atomic_load(&job.has_run) == 0)
        trm_util_futex_wait(&job.has_run, 0, TRM_UTIL_NEVER);
    ck_assert_uint_eq(completed(stream), 1);
    ck_assert_uint_eq(driver_submitted(0), 1);
    let_end(&job);
    ck_assert_int_eq(ops->wait(stream, 2, UINT64_MAX), TRM_OK);
    finish_and_destroy(stream);
    ck_assert_uint_eq(atomic_load(&job.released), 1);
}
END_TEST

START_TEST(a_failed_job_fails_its_stream_with_its_sentence)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct test_job job               = {.status = TRM_ERROR_OUT_OF_DEVICE_MEMORY, .job.native = 7};
    snprintf(job.job.sentence, sizeof(job.job.sentence), "There is no room.");
    enqueue_job(stream, 1, &job);
    ck_assert_int_eq(enqueue(stream, 2), TRM_OK);
    let_end(&job);
    ck_assert_int_eq(ops->wait(stream, 2, UINT64_MAX), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_str_eq(driver.sentence, "There is no room.");
    ck_assert_int_eq(driver.native, 7);
    ck_assert_int_ne(enqueue(stream, 3), TRM_OK);
    ops->destroy(stream);
    ck_assert_uint_eq(driver_submitted(0), 0);
}
END_TEST

START_TEST(a_job_that_has_not_begun_is_skipped_when_the_stream_is_abandoned)
{
    struct trm_backend_stream *busy   = make_stream(TRM_STREAM_COMPUTE),
                              *stream = make_stream(TRM_STREAM_COMPUTE);
    struct test_job first = {.status = TRM_OK}, second = {.status = TRM_OK};
    enqueue_job(busy, 1, &first);
    while (atomic_load(&first.has_run) == 0)
        trm_util_futex_wait(&first.has_run, 0, TRM_UTIL_NEVER);
    enqueue_job(stream, 1, &second);
    ops->abandon(stream, TRM_ERROR_CANCELLED);
    ck_assert_int_eq(ops->wait(stream, 1, UINT64_MAX), TRM_ERROR_CANCELLED);
    ck_assert_uint_eq(atomic_load(&second.released), 1);
    let_end(&first);
    ck_assert_int_eq(ops->wait(busy, 1, UINT64_MAX), TRM_OK);
    ops->destroy(stream);
    ops->destroy(busy);
    ck_assert_uint_eq(atomic_load(&second.has_run), 0);
}
END_TEST

static Suite *streams_suite(void)
{
    Suite *suite = suite_create("streams of the vulkan backend");
    TCase *tests = tcase_create("streams");
    tcase_add_checked_fixture(tests, driver_setup, driver_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, operations_are_not_submitted_without_a_request);
    tcase_add_test(tests, many_operations_are_submitted_without_a_request);
    tcase_add_test(tests, a_marked_operation_completes_before_later_ones);
    tcase_add_test(tests, a_wait_submits_up_to_its_operation_and_no_more);
    tcase_add_test(tests, a_stream_that_changes_queues_waits_for_itself);
    tcase_add_test(tests, submitted_work_is_waited_for_on_the_device);
    tcase_add_test(tests, work_behind_a_gate_is_waited_for_on_the_host);
    tcase_add_test(tests, an_open_gate_defers_nothing);
    tcase_add_test(tests, a_stream_fails_with_the_one_that_it_waits_for);
    tcase_add_test(tests, complete_operations_of_a_failed_stream_can_be_waited_for);
    tcase_add_test(tests, work_on_a_new_queue_follows_the_streams_earlier_work);
    tcase_add_test(tests, a_stream_knows_the_queue_of_the_first_compute_stream_that_waited);
    tcase_add_test(tests, a_number_is_complete_after_the_host_copies);
    tcase_add_test(tests, the_service_runs_host_copies_for_a_waiting_stream);
    tcase_add_test(tests, a_job_runs_after_everything_before_it_and_before_everything_after_it);
    tcase_add_test(tests, a_failed_job_fails_its_stream_with_its_sentence);
    tcase_add_test(tests, a_job_that_has_not_begun_is_skipped_when_the_stream_is_abandoned);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(streams_suite)
