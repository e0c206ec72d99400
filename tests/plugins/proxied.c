/* Faults of a backend, made by the proxy: the core passes them on, keeps the first cause, and leaks nothing.
 * Each test runs over the template backend and, where it was built, over cpu.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nest.h"
#include "proxy/control.h"

enum {
    SIZE = 4096
};

static const char *const targets[] = {"backends/template/template", "backends/cpu"};

/* What a test works with. */
static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;
static struct trm_buffer *buffer;
static const struct proxy_control *control;
static unsigned char bytes[SIZE];

static int32_t upload(void)
{
    return trm_upload(stream, trm_span_whole(buffer), bytes);
}

/* A context whose only backend is the proxy around target number `target`. */
static void load_proxy(int target)
{
    nest_add_module("tests/plugins/proxy");
    nest_copy(nest_module(targets[target]), "target.so");
    setenv("PROXY_TARGET", nest_path("target.so"), 1);
    context = nest_context(NULL, nest_path("proxy.so"));
}

static void open_proxy(int target)
{
    int32_t status;

    load_proxy(target);
    status = trm_device_open(context, NULL, &device);
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    control = proxy_control_of(nest_path("proxy.so"));
    ck_assert_ptr_nonnull(control);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, SIZE, &buffer), TRM_OK);
}

/* All that was made has been ended, once, and the core has kept the contract. */
static void close_proxy(void)
{
    static const char *const objects[] = {"instance", "device", "memory", "stream",
                                          "module",   "stamp",  "graph",  "semaphore"};
    char breach[160]                   = "";

    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
        ck_assert_msg(control->created(objects[i]) == control->destroyed(objects[i]),
                      "%s: %llu made, %llu ended", objects[i],
                      (unsigned long long)control->created(objects[i]),
                      (unsigned long long)control->destroyed(objects[i]));
    ck_assert_uint_eq(control->created("instance"), 1);
    ck_assert_msg(control->breaches(breach, sizeof(breach)) == 0, "the core broke the contract: %s", breach);
}

/* ---- as it is --------------------------------------------------------------------------------------- */

START_TEST(a_proxied_device_works_and_says_that_it_is_one)
{
    char name[300] = "";

    open_proxy(_i);
    ck_assert_int_eq(trm_device_get_info(device, TRM_DEVICE_NAME, name, sizeof(name), NULL), TRM_OK);
    ck_assert_ptr_nonnull(strstr(name, " (proxy)"));
    nest_device_works(context, NULL);
    ck_assert_uint_gt(control->calls("copy"), 0);
    close_proxy();
}
END_TEST

START_TEST(a_proxy_without_a_target_says_so)
{
    struct trm_device *none = NULL;

    nest_add_module("tests/plugins/proxy");
    unsetenv("PROXY_TARGET");
    context = nest_context(NULL, nest_path("proxy.so"));
    ck_assert_int_ne(trm_device_open(context, NULL, &none), TRM_OK);
    nest_refused(context, "proxy.so", TRM_CANDIDATE_TABLES, "PROXY_TARGET is not set");
    trm_context_destroy(context);
}
END_TEST

/* ---- calls that fail -------------------------------------------------------------------------------- */

START_TEST(an_operation_that_cannot_be_enqueued_fails_alone)
{
    open_proxy(_i);
    ck_assert_int_eq(control->fault("copy:2:once:-14"), TRM_OK);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(upload(), TRM_ERROR_BACKEND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "of copy fail"));
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    close_proxy();
}
END_TEST

START_TEST(an_operation_that_always_fails_fails_always)
{
    open_proxy(_i);
    ck_assert_int_eq(control->fault("copy:1:forever:-14"), TRM_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(upload(), TRM_ERROR_BACKEND);
    control->disarm();
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    close_proxy();
}
END_TEST

START_TEST(a_fault_named_in_the_environment_is_made)
{
    setenv("PROXY_FAULT", "stream_create:1:once:-14,load:1:once:-6", 1);
    load_proxy(_i);
    ck_assert_int_eq(trm_device_open(context, NULL, &device), TRM_OK);
    control = proxy_control_of(nest_path("proxy.so"));
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream),
                     TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream), TRM_OK);
    buffer = NULL;
    close_proxy();
}
END_TEST

START_TEST(memory_that_is_refused_once_is_asked_for_again)
{
    struct trm_buffer *large = NULL;

    open_proxy(_i);
    ck_assert_int_eq(control->fault("allocate:1:once:-5"), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, 256u << 20, &large), TRM_OK);
    trm_buffer_destroy(large);
    close_proxy();
}
END_TEST

START_TEST(memory_that_is_refused_for_ever_is_an_error)
{
    struct trm_buffer *large = NULL;

    open_proxy(_i);
    ck_assert_int_eq(control->fault("allocate:1:forever:-5"), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(device, TRM_MEMORY_DEVICE, 256u << 20, &large),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(large);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    control->disarm();
    close_proxy();
}
END_TEST

START_TEST(a_device_that_cannot_be_opened_can_be_opened_later)
{
    struct trm_device *again = NULL;

    open_proxy(_i);
    ck_assert_int_eq(control->fault("device_open:1:once:-14"), TRM_OK);
    ck_assert_int_eq(trm_device_open(context, NULL, &again), TRM_ERROR_BACKEND);
    ck_assert_ptr_null(again);
    ck_assert_int_eq(trm_device_open(context, NULL, &again), TRM_OK);
    trm_device_destroy(again);
    close_proxy();
}
END_TEST

START_TEST(a_failing_probe_refuses_the_backend)
{
    struct trm_device *none = NULL;

    setenv("PROXY_FAULT", "probe:1:forever:-14", 1);
    load_proxy(_i);
    ck_assert_int_ne(trm_device_open(context, NULL, &none), TRM_OK);
    nest_refused(context, "proxy.so", TRM_CANDIDATE_TABLES, "the proxy makes probe fail");
    trm_context_destroy(context);
}
END_TEST

static struct trm_graph *record_upload(void)
{
    struct trm_graph *graph      = NULL;
    struct trm_stream *recording = NULL;

    ck_assert_int_eq(trm_graph_create(device, &graph), TRM_OK);
    ck_assert_int_eq(trm_graph_record(graph, &recording), TRM_OK);
    ck_assert_int_eq(trm_upload(recording, trm_span_whole(buffer), bytes), TRM_OK);
    return graph;
}

/* On the one that has graphs. */
START_TEST(calls_about_graphs_fail_alone)
{
    struct trm_graph_exec *exec = NULL;

    open_proxy(1);
    struct trm_graph *graph = record_upload();
    ck_assert_int_eq(control->fault("graph_create:1:once:-5,graph_launch:2:once:-14,graph_update:1:once:-14"),
                     TRM_OK);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(exec);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_ERROR_BACKEND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "of graph_launch fail"));
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(buffer, 0, 8), bytes), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(buffer, 0, 8), bytes), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_eq(control->calls("graph_create"), 2);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    close_proxy();
}
END_TEST

/* ---- streams that fail ------------------------------------------------------------------------------ */

START_TEST(a_stream_that_fails_keeps_its_first_cause)
{
    struct trm_point before, after;

    open_proxy(_i);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(stream, &before), TRM_OK);
    ck_assert_int_eq(trm_point_wait(before, TRM_FOREVER), TRM_OK);

    ck_assert_int_eq(control->async_fault("copy:1:-14"), TRM_OK);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(stream, &after), TRM_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(trm_point_wait(after, TRM_FOREVER), TRM_ERROR_BACKEND);
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "The proxy made the stream fail"));
        ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_BACKEND);
        ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_BACKEND);
        ck_assert_int_eq(upload(), TRM_ERROR_BACKEND);
    }
    close_proxy();
}
END_TEST

START_TEST(a_lost_device_stays_lost_on_all_its_streams)
{
    struct trm_stream *other = NULL;

    open_proxy(_i);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &other), TRM_OK);
    ck_assert_int_eq(control->async_fault("copy:1:-9"), TRM_OK);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_DEVICE_LOST);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trm_download(other, bytes, trm_span_whole(buffer)), TRM_ERROR_DEVICE_LOST);
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "The proxy made the stream fail"));
    }
    trm_stream_destroy(other);
    close_proxy();
}
END_TEST

START_TEST(a_stream_that_waits_for_a_failed_one_fails_with_it)
{
    struct trm_stream *other = NULL;
    struct trm_point point;

    open_proxy(_i);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &other), TRM_OK);
    ck_assert_int_eq(control->async_fault("copy:1:-18"), TRM_OK);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(stream, &point), TRM_OK);
    (void)trm_stream_wait(other, point); /* where it is emulated on the host, the failure may show here */
    (void)trm_download(other, bytes, trm_span_whole(buffer));
    ck_assert_int_eq(trm_stream_sync(other), TRM_ERROR_KERNEL);
    trm_stream_destroy(other);
    close_proxy();
}
END_TEST

static void note_status(void *user, int32_t status)
{
    *(int32_t *)user = status;
}

START_TEST(a_graph_that_fails_fails_its_stream)
{
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *other    = NULL;

    open_proxy(_i);
    struct trm_graph *graph = record_upload();
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &other), TRM_OK);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
    ck_assert_int_eq(control->async_fault(_i == 0 ? "copy:2:-14" : "graph_launch:2:-14"), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_ERROR_BACKEND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "The proxy made the stream fail"));
    ck_assert_int_eq(trm_graph_launch(exec, other), TRM_OK); /* elsewhere it is as good as ever */
    ck_assert_int_eq(trm_stream_sync(other), TRM_OK);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_stream_destroy(other);
    close_proxy();
}
END_TEST

START_TEST(a_callback_behind_a_failure_learns_of_it)
{
    int32_t told = 1;

    open_proxy(_i);
    ck_assert_int_eq(control->async_fault("copy:1:-14"), TRM_OK);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_callback(stream, note_status, &told), TRM_OK);
    trm_stream_destroy(stream); /* drains it: the callback has run */
    stream = NULL;
    ck_assert_int_eq(told, TRM_ERROR_BACKEND);
    close_proxy();
}
END_TEST

START_TEST(one_failed_stream_does_not_harm_another)
{
    struct trm_stream *other = NULL;

    open_proxy(_i);
    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &other), TRM_OK);
    ck_assert_int_eq(control->async_fault("copy:1:-14"), TRM_OK);
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_download(other, bytes, trm_span_whole(buffer)), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(other), TRM_OK);
    trm_stream_destroy(other);
    close_proxy();
}
END_TEST

/* ---- slow ones, and those that can do less ---------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

START_TEST(a_slow_operation_takes_its_time_and_succeeds)
{
    uint64_t begin;

    open_proxy(_i);
    ck_assert_int_eq(control->delay("copy:50000"), TRM_OK);
    begin = now_ns();
    ck_assert_int_eq(upload(), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_ge(now_ns() - begin, 50000000);
    control->disarm();
    close_proxy();
}
END_TEST

/* A fill and a download that a graph does again, timed. */
static void use_graph(struct trm_event *const events[2])
{
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;

    ck_assert_int_eq(trm_graph_create(device, &graph), TRM_OK);
    ck_assert_int_eq(trm_graph_record(graph, &recording), TRM_OK);
    ck_assert_int_eq(trm_event_record(events[0], recording), TRM_OK);
    ck_assert_int_eq(trm_fill(recording, trm_span_whole(buffer), 0x77, 1), TRM_OK);
    ck_assert_int_eq(trm_download(recording, bytes, trm_span_whole(buffer)), TRM_OK);
    ck_assert_int_eq(trm_event_record(events[1], recording), TRM_OK);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
    for (int i = 0; i < 3; i++) {
        memset(bytes, 0, SIZE);
        ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
        ck_assert_int_eq(trm_graph_update_download(exec, 2, bytes, trm_span_of(buffer, 0, SIZE - i - 1)),
                         TRM_OK);
        ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
        ck_assert_uint_eq(bytes[0], 0x77);
        ck_assert_uint_eq(bytes[SIZE - 1], i == 0 ? 0x77 : 0);
    }
    trm_graph_destroy(graph);
    trm_graph_exec_destroy(exec);
}

/* Everything that the core emulates, at least once. */
static void use_everything(void)
{
    struct trm_rows rows = {.buffer = buffer, .pitch = 64}, host = {.host = bytes, .pitch = 32};
    struct trm_stream *other = NULL;
    struct trm_event *events[2];
    struct trm_point points[2];
    int64_t elapsed = -1;
    uint32_t which  = 9;
    int32_t told    = 1;

    ck_assert_int_eq(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &other), TRM_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(trm_event_create(device, TRM_EVENT_TIMING, &events[i]), TRM_OK);
    ck_assert_int_eq(trm_event_record(events[0], stream), TRM_OK);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 0x1234, 2), TRM_OK);
    ck_assert_int_eq(trm_copy_2d(stream, &host, &rows, 32, 8), TRM_OK);
    ck_assert_int_eq(trm_event_record(events[1], stream), TRM_OK);
    ck_assert_int_eq(trm_stream_flush(stream), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(stream, &points[0]), TRM_OK);
    ck_assert_int_eq(trm_stream_wait(other, points[0]), TRM_OK);
    ck_assert_int_eq(trm_stream_callback(other, note_status, &told), TRM_OK);
    ck_assert_int_eq(trm_stream_mark(other, &points[1]), TRM_OK);
    ck_assert_int_eq(trm_wait_any(points, 2, TRM_FOREVER, &which), TRM_OK);
    ck_assert_uint_lt(which, 2);
    ck_assert_int_eq(trm_wait_all(points, 2, TRM_FOREVER), TRM_OK);

    ck_assert_int_eq(told, TRM_OK);
    for (int i = 0; i < 256; i += 2)
        ck_assert_uint_eq(bytes[i] | bytes[i + 1] << 8, 0x1234);
    ck_assert_int_eq(trm_event_elapsed(events[0], events[1], &elapsed), TRM_OK);
    ck_assert_int_ge(elapsed, 0);
    use_graph(events);
    ck_assert_int_eq(trm_event_elapsed(events[0], events[1], &elapsed), TRM_OK);
    ck_assert_int_ge(elapsed, 0);
    for (int i = 0; i < 2; i++)
        trm_event_destroy(events[i]);
    trm_stream_destroy(other);
}

START_TEST(a_backend_with_all_that_it_has_does_everything)
{
    open_proxy(_i);
    use_everything();
    close_proxy();
}
END_TEST

START_TEST(a_backend_without_any_optional_slot_does_everything)
{
    static const char *const optional[] = {"copy_2d", "fill",         "mark",         "wait_stream",
                                           "gate",    "flush",        "notify",       "wait_any",
                                           "abandon", "stamp_record", "host_pointer", "graph_create"};

    setenv("PROXY_WITHOUT", "all", 1);
    open_proxy(_i);
    use_everything();
    for (size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++)
        ck_assert_msg(control->calls(optional[i]) == 0, "%s was called", optional[i]);
    close_proxy();
}
END_TEST

START_TEST(a_backend_without_one_optional_slot_does_everything)
{
    static const char *const optional[] = {"copy_2d", "fill",         "mark",     "wait_stream",
                                           "gate",    "notify",       "wait_any", "abandon",
                                           "profile", "host_pointer", "graph",    "graph_update"};

    setenv("PROXY_WITHOUT", optional[_i / 2], 1);
    open_proxy(_i % 2);
    use_everything();
    close_proxy();
}
END_TEST

static Suite *make_suite(int count)
{
    Suite *suite = suite_create("backends with faults");
    TCase *calls = tcase_create("calls"), *streams = tcase_create("streams"), *less = tcase_create("less");

    tcase_add_checked_fixture(calls, nest_make, nest_remove);
    tcase_add_loop_test(calls, a_proxied_device_works_and_says_that_it_is_one, 0, count);
    tcase_add_test(calls, a_proxy_without_a_target_says_so);
    tcase_add_loop_test(calls, an_operation_that_cannot_be_enqueued_fails_alone, 0, count);
    tcase_add_loop_test(calls, an_operation_that_always_fails_fails_always, 0, count);
    tcase_add_loop_test(calls, a_fault_named_in_the_environment_is_made, 0, count);
    tcase_add_loop_test(calls, memory_that_is_refused_once_is_asked_for_again, 0, count);
    tcase_add_loop_test(calls, memory_that_is_refused_for_ever_is_an_error, 0, count);
    tcase_add_loop_test(calls, a_device_that_cannot_be_opened_can_be_opened_later, 0, count);
    tcase_add_loop_test(calls, a_failing_probe_refuses_the_backend, 0, count);
    if (count > 1)
        tcase_add_test(calls, calls_about_graphs_fail_alone);
    suite_add_tcase(suite, calls);

    tcase_add_checked_fixture(streams, nest_make, nest_remove);
    tcase_add_loop_test(streams, a_stream_that_fails_keeps_its_first_cause, 0, count);
    tcase_add_loop_test(streams, a_lost_device_stays_lost_on_all_its_streams, 0, count);
    tcase_add_loop_test(streams, a_stream_that_waits_for_a_failed_one_fails_with_it, 0, count);
    tcase_add_loop_test(streams, a_callback_behind_a_failure_learns_of_it, 0, count);
    tcase_add_loop_test(streams, one_failed_stream_does_not_harm_another, 0, count);
    tcase_add_loop_test(streams, a_graph_that_fails_fails_its_stream, 0, count);
    suite_add_tcase(suite, streams);

    tcase_add_checked_fixture(less, nest_make, nest_remove);
    tcase_add_loop_test(less, a_slow_operation_takes_its_time_and_succeeds, 0, count);
    tcase_add_loop_test(less, a_backend_with_all_that_it_has_does_everything, 0, count);
    tcase_add_loop_test(less, a_backend_without_any_optional_slot_does_everything, 0, count);
    for (int i = 0; i < 12; i++)
        for (int target = 0; target < count; target++)
            tcase_add_loop_test(less, a_backend_without_one_optional_slot_does_everything, 2 * i + target,
                                2 * i + target + 1);
    suite_add_tcase(suite, less);
    return suite;
}

int main(void)
{
    const char *backends = getenv("BACKENDS");
    int has_cpu          = backends != NULL && strstr(backends, "backends/cpu.la") != NULL;
    SRunner *runner      = srunner_create(make_suite(has_cpu ? 2 : 1));
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
