/* Tests of lost devices: every call that can detect the loss, every wait, everything that must end anyway.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/barrier.h"
#include "tests/device/scenario.h"
#include "tests/vulkan/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    N       = 1000,
    WAITERS = 4
};

/* ---- at every call ---- */

/* Whether the call reported the loss; there may be fewer calls this time. */
static bool lose_at(uint64_t n)
{
    struct scenario_end end;
    char rule[64];
    snprintf(rule, sizeof(rule), "any:%u:once:VK_ERROR_DEVICE_LOST", (unsigned)n);
    ck_assert_int_eq(shim->arm(rule), 0);
    scenario_run(&end, NULL);
    bool lost = shim->failures() > 0;
    if (end.status != TRM_OK) {
        ck_assert_msg(lost && end.status == TRM_ERROR_DEVICE_LOST, "%s (%s): %s gave %s: %s", rule,
                      shim->failed_function(), end.step, trm_status_name(end.status), end.sentence);
        ck_assert_int_eq(end.error.status, end.status);
        ck_assert_msg(strstr(end.sentence, "lost"), "%s gave: %s", end.step, end.sentence);
    }
    check_nothing_left(rule);
    shim->arm(NULL);
    return lost;
}

static uint64_t scenario_calls(void)
{
    uint64_t calls = shim->fallible_calls();
    scenario_succeed("with nothing that is lost", NULL);
    check_nothing_left("a scenario in which nothing was lost");
    return shim->fallible_calls() - calls;
}

START_TEST(a_loss_in_any_call_is_a_status_and_leaks_nothing)
{
    driver_stays_loaded();
    (void)scenario_calls(); /* the first takes longer */
    uint64_t begin = rounds_now_ns(), calls = scenario_calls();
    uint64_t stride = choose_stride(calls, rounds_now_ns() - begin, sanitized() ? 23 : 1);
    ck_assert_uint_gt(calls, 10);
    for (uint64_t n = 1 + stride / 2; n <= calls; n += stride)
        ck_assert(lose_at(n) || n > 10);
    scenario_calls();
}
END_TEST

/* ---- one loss, seen from all threads --- */

static struct trm_kernel *kernel;
static struct trm_buffer *buffer;

static void open_all(void)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = 4 * N};
    world_open();
    kernel = affine_on(the.device);
    ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
    ck_ok(trm_stream_sync(the.stream));
}

static void close_all(void)
{
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    world_close();
}

/* Enqueues work that takes a tenth of a second for each launch. */
static void dawdle(uint32_t launches)
{
    struct trm_argument argument = trm_arg_u32(100000);
    struct trm_grid grid         = trm_grid_1d(1, 0);
    struct trm_kernel *slow      = NULL;
    ck_ok(dawdle_load(the.device, &slow));
    for (uint32_t i = 0; i < launches; i++)
        ck_ok(trm_launch(the.stream, slow, &grid, &argument, 1));
    ck_ok(trm_stream_flush(the.stream));
    trm_kernel_destroy(slow);
}

/* The device is lost at the next submission. */
static void lose(struct trm_stream *stream)
{
    ck_assert_int_eq(shim->arm("vkQueueSubmit:1:once:VK_ERROR_DEVICE_LOST"), 0);
    (void)affine_launch(stream, kernel, buffer, N, 1, 1);
    (void)trm_stream_flush(stream);
    ck_assert_uint_eq(shim->failures(), 1);
}

/* Whether the loss was reported with the name of the kernel. */
static bool is_named(uint32_t launches)
{
    dawdle(launches);
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    ck_sentence_has("lost");
    return strstr(trm_last_error().sentence, "\"dawdle\"") != NULL;
}

/* On a busy machine the work may have ended before the device is lost; then again with more of it. */
START_TEST(a_loss_is_always_reported_with_the_same_sentence_that_names_what_was_running)
{
    static uint32_t numbers[N];
    char first[1024];
    uint32_t launches = 1;
    for (; launches < 64 && !is_named(launches); launches *= 4) {
        close_all();
        open_all();
    }
    ck_assert_uint_lt(launches, 64);
    snprintf(first, sizeof(first), "%s", trm_last_error().sentence);
    for (int i = 0; i < 3; i++) {
        ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
        ck_assert_str_eq(trm_last_error().sentence, first);
    }
    ck_fails(trm_download(the.stream, numbers, trm_span_whole(buffer)), TRM_ERROR_DEVICE_LOST);
    ck_fails(affine_launch(the.stream, kernel, buffer, N, 1, 1), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_fill(the.stream, trm_span_whole(buffer), 0, 1), TRM_ERROR_DEVICE_LOST);
}
END_TEST

/* Where each operation is waited for, the call whose work is lost returns it. */
START_TEST(with_the_setting_serial_the_launch_that_loses_the_device_fails)
{
    const struct trm_setting setting = {"stream.serial", "yes"};
    struct trm_context *context;
    ck_ok(context_make(&setting, 1, &context));
    struct trm_device *device  = device_open(context, NULL);
    struct trm_stream *stream  = stream_open(device, TRM_STREAM_ANY);
    struct trm_kernel *affine  = affine_on(device);
    struct trm_buffer *numbers = buffer_open(device, TRM_MEMORY_DEVICE, 4 * N);
    ck_ok(affine_launch(stream, affine, numbers, N, 1, 1));
    ck_assert_int_eq(shim->arm("vkQueueSubmit:1:once:VK_ERROR_DEVICE_LOST"), 0);
    ck_fails(affine_launch(stream, affine, numbers, N, 1, 1), TRM_ERROR_DEVICE_LOST);
    ck_assert_uint_eq(shim->failures(), 1);
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 1, 1));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(numbers);
    trm_kernel_destroy(affine);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_loss_is_reported_to_the_other_streams_of_the_device)
{
    struct trm_stream *other = stream_open(the.device, TRM_STREAM_UPLOAD);
    lose(the.stream);
    int32_t status = trm_fill(other, trm_span_whole(buffer), 1, 1);
    if (status == TRM_OK)
        status = trm_stream_sync(other);
    ck_assert_int_eq(status, TRM_ERROR_DEVICE_LOST);
    trm_stream_destroy(other);
}
END_TEST

struct waiter {
    pthread_t thread;
    struct trm_stream *stream;
    struct trm_point point;
    int32_t status;
};

static void *wait_for_point(void *user)
{
    struct waiter *waiter = user;
    waiter->status        = trm_point_wait(waiter->point, TRM_FOREVER);
    return NULL;
}

/* The first stream waits behind a callback, the others wait for it. */
START_TEST(every_waiting_thread_reports_the_loss)
{
    struct barrier barrier = BARRIER_CLOSED;
    struct waiter waiters[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
        waiters[i].stream = stream_open(the.device, TRM_STREAM_ANY);
        if (i == 0)
            ck_ok(barrier_enqueue(waiters[0].stream, &barrier));
        else
            ck_ok(trm_stream_wait(waiters[i].stream, waiters[0].point));
        ck_ok(affine_launch(waiters[i].stream, kernel, buffer, N, 1, 1));
        ck_ok(trm_stream_mark(waiters[i].stream, &waiters[i].point));
    }
    for (int i = 0; i < WAITERS; i++)
        ck_assert_int_eq(pthread_create(&waiters[i].thread, NULL, wait_for_point, &waiters[i]), 0);
    lose(the.stream);
    barrier_open(&barrier);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        ck_assert_int_eq(waiters[i].status, TRM_ERROR_DEVICE_LOST);
        trm_stream_destroy(waiters[i].stream);
    }
}
END_TEST

static void keep_status(void *user, int32_t status)
{
    atomic_store((atomic_int *)user, status);
}

START_TEST(callbacks_report_the_loss_once)
{
    atomic_int told = 1;
    ck_assert_int_eq(shim->arm("vkQueueSubmit:1:once:VK_ERROR_DEVICE_LOST"), 0);
    (void)affine_launch(the.stream, kernel, buffer, N, 1, 1);
    int32_t status = trm_stream_callback(the.stream, keep_status, &told);
    ck_assert(trm_stream_sync(the.stream) != TRM_OK);
    trm_stream_destroy(the.stream); /* callbacks have run */
    the.stream = NULL;
    if (status == TRM_OK)
        ck_assert_int_eq(atomic_load(&told), TRM_ERROR_DEVICE_LOST);
}
END_TEST

START_TEST(the_loss_of_one_device_is_not_that_of_another)
{
    struct trm_device *other  = device_open(the.context, NULL);
    struct trm_stream *stream = stream_open(other, TRM_STREAM_ANY);
    struct trm_buffer *there  = NULL;
    uint8_t byte              = 0;
    ck_ok(trm_buffer_create(other, TRM_MEMORY_DEVICE, 64, &there));
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    ck_ok(trm_fill(stream, trm_span_whole(there), 42, 1));
    ck_ok(trm_download(stream, &byte, trm_span_of(there, 63, 1)));
    ck_ok(trm_stream_sync(stream));
    ck_assert_uint_eq(byte, 42);
    trm_buffer_destroy(there);
    trm_stream_destroy(stream);
    trm_device_destroy(other);
}
END_TEST

START_TEST(a_device_can_be_opened_again_after_a_loss)
{
    lose(the.stream);
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    close_all();
    open_all();
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 1, 1));
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

START_TEST(a_failed_submission_fails_its_stream_and_no_other)
{
    struct trm_stream *other = stream_open(the.device, TRM_STREAM_ANY), *waiting = stream_open(the.device, 0);
    struct trm_point point;
    ck_assert_int_eq(shim->arm("vkQueueSubmit:1:once:VK_ERROR_OUT_OF_DEVICE_MEMORY"), 0);
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 1, 1));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(waiting, point));
    ck_ok(affine_launch(waiting, kernel, buffer, N, 1, 1));
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_sentence_has("VK_ERROR_OUT_OF_DEVICE_MEMORY");
    ck_assert_uint_eq(shim->failures(), 1);
    ck_fails(trm_stream_sync(waiting), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_ok(affine_launch(other, kernel, buffer, N, 1, 1));
    ck_ok(trm_stream_sync(other));
    trm_stream_destroy(waiting);
    trm_stream_destroy(other);
}
END_TEST

/* ---- pipelines ---- */

static int32_t run_losing_pipeline(int32_t mode)
{
    static uint8_t batch[16 * 4096], results[16 * 4096];
    struct trm_port ports[]       = {trm_port_input("in", 4096), trm_port_output("out", 4096)};
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .depth       = 3,
                                     .strategy    = TRM_STRATEGY_SLOT_STREAMS,
                                     .on_failure  = mode};
    struct trm_source source      = trm_source_memory(batch, sizeof(batch));
    struct trm_sink sink          = trm_sink_memory(results, sizeof(results));
    struct trm_pipeline *pipeline = NULL;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_assert_int_eq(shim->arm("vkQueueSubmit:5:once:VK_ERROR_DEVICE_LOST"), 0);
    int32_t status = trm_pipeline_run(pipeline, &source, &sink);
    ck_assert_uint_eq(shim->failures(), 1);
    trm_pipeline_destroy(pipeline);
    return status;
}

START_TEST(a_pipeline_ends_when_its_device_is_lost)
{
    static const int32_t modes[] = {TRM_FAILURE_STOP, TRM_FAILURE_DRAIN, TRM_FAILURE_SKIP};
    ck_assert_int_eq(run_losing_pipeline(modes[_i]), TRM_ERROR_DEVICE_LOST);
}
END_TEST

/* ---- suites ---- */

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *calls = group_make(suite, name), *one = group_make(suite, "one loss");
    tcase_add_checked_fixture(calls, shape, NULL);
    tcase_add_test(calls, a_loss_in_any_call_is_a_status_and_leaks_nothing);
    tcase_add_checked_fixture(one, shape, NULL);
    tcase_add_checked_fixture(one, open_all, close_all);
    tcase_add_test(one, a_loss_is_always_reported_with_the_same_sentence_that_names_what_was_running);
    tcase_add_test(one, with_the_setting_serial_the_launch_that_loses_the_device_fails);
    tcase_add_test(one, a_loss_is_reported_to_the_other_streams_of_the_device);
    tcase_add_test(one, every_waiting_thread_reports_the_loss);
    tcase_add_test(one, callbacks_report_the_loss_once);
    tcase_add_test(one, the_loss_of_one_device_is_not_that_of_another);
    tcase_add_test(one, a_device_can_be_opened_again_after_a_loss);
    tcase_add_test(one, a_failed_submission_fails_its_stream_and_no_other);
    tcase_add_loop_test(one, a_pipeline_ends_when_its_device_is_lost, 0, 3);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: device lost");
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    add_cases(suite, "minimal", shape_as_minimal);
    return run_suite(suite);
}
