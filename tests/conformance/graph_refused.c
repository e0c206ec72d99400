/* Graphs: what fails in them, and what cannot be recorded.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

/* ---- failing ---- */

START_TEST(a_kernel_that_fails_in_a_graph_fails_the_stream)
{
    if (functions_missing())
        return;
    static uint8_t got[64];
    struct trm_stream *recording, *stream = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_argument code  = trm_arg_i32(23);
    struct trm_grid grid      = trm_grid_1d(1, 1);
    char sentence[512];
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_launch(recording, kernel("fail"), &grid, &code, 1));
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 2, 1));
    struct trm_graph_exec *exec = instantiate(graph);
    trm_graph_launch(exec, stream); /* may already report the failure, on a device that finds it early */
    ck_status(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 23);
    snprintf(sentence, sizeof(sentence), "the stream failed earlier: %s", trm_last_error().sentence);
    ck_status(trm_graph_launch(exec, stream), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, sentence);
    get(the.stream, buffer, 0, got, 64);
    ck_assert_uint_eq(got[0], 1); /* the nodes behind it have not run */
    ck_assert_uint_eq(got[63], 1);
    /* After an update the instance works again, on a new stream. */
    code = trm_arg_i32(0);
    ck_ok(trm_graph_update_launch(exec, 1, &grid, &code, 1));
    ck_ok(trm_graph_launch(exec, the.stream));
    get(the.stream, buffer, 0, got, 64);
    ck_assert_uint_eq(got[0], 2);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_launch_on_a_failed_stream_gives_the_first_cause)
{
    if (functions_missing())
        return;
    struct trm_stream *recording, *stream = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_graph *graph   = make_graph(&recording);
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 1, 1));
    struct trm_graph_exec *exec = instantiate(graph);
    fail_stream(stream, 99);
    ck_status(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    ck_status(trm_graph_launch(exec, stream), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 99);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- what is refused ---- */

static void do_nothing(void *user, int32_t status)
{
    (void)user;
    (void)status;
}

START_TEST(what_cannot_be_replayed_is_refused)
{
    struct trm_stream *recording, *both[2];
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64), *made = NULL;
    struct trm_event *plain     = NULL;
    struct trm_point point      = {NULL, 77}, there;
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_event_create(the.device, 0, &plain));
    ck_ok(trm_stream_mark(the.stream, &there));
    both[0] = the.stream;
    both[1] = recording;
    ck_status(trm_stream_wait(recording, there), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_wait_event(recording, plain), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_callback(recording, do_nothing, NULL), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_alloc(recording, 64, &made), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_free(recording, buffer), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_mark(recording, &point), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_event_record(plain, recording), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_barrier(both, 2), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_graph_launch(exec, recording), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("recorded");
    ck_assert_ptr_null(made);
    ck_assert_uint_eq(point.value, 77);
    ck_assert_uint_eq(nodes_of(graph), 0);
    uint64_t size = 0;
    ck_ok(trm_buffer_size(buffer, &size)); /* it has not been freed */
    ck_ok(trm_stream_sync(the.stream));
    trm_graph_exec_destroy(exec);
    trm_event_destroy(plain);
    trm_buffer_destroy(buffer);
    trm_graph_destroy(graph);
}
END_TEST

START_TEST(a_recording_stream_cannot_be_waited_for)
{
    struct trm_stream *recording;
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 1, 1));
    struct trm_point points[2] = {{recording, 1}, {the.stream, 0}};
    uint32_t which             = 7;
    ck_status(trm_stream_sync(recording), TRM_ERROR_BUSY);
    ck_status(trm_stream_query(recording), TRM_ERROR_BUSY);
    ck_status(trm_point_wait(points[0], 0), TRM_ERROR_BUSY);
    ck_status(trm_point_wait(points[0], TRM_FOREVER), TRM_ERROR_BUSY);
    ck_status(trm_point_done(points[0]), TRM_ERROR_BUSY);
    ck_status(trm_wait_all(points, 2, TRM_FOREVER), TRM_ERROR_BUSY);
    ck_status(trm_wait_any(points, 2, TRM_FOREVER, &which), TRM_ERROR_BUSY);
    ck_status(trm_stream_wait(the.stream, points[0]), TRM_ERROR_BUSY);
    ck_ok(trm_stream_flush(recording)); /* there is nothing to submit */
    ck_ok(trm_device_sync(the.device));
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 2, 1)); /* and the recording goes on */
    ck_assert_uint_eq(nodes_of(graph), 2);
    trm_stream_destroy(recording);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 3, 1));
    trm_graph_destroy(graph);
    ck_status(trm_stream_sync(recording), TRM_ERROR_INVALID_HANDLE);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(recording_makes_the_checks_of_enqueueing)
{
    static uint8_t host[64];
    struct trm_stream *recording;
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_rows rows      = {.buffer = buffer, .pitch = 4};
    ck_status(trm_upload(recording, trm_span_of(buffer, 60, 8), host), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_download(recording, NULL, trm_span_whole(buffer)), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy(recording, trm_span_of(buffer, 0, 8), trm_span_of(buffer, 4, 8)),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_fill(recording, trm_span_whole(buffer), 1, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(recording, &rows, &rows, 8, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_upload(recording, trm_span_whole(NULL), host), TRM_ERROR_INVALID_HANDLE);
    if (functions_there()) {
        struct trm_grid grid      = trm_grid_1d(1, 1);
        struct trm_argument wrong = trm_arg_u64(1);
        ck_status(trm_launch(recording, kernel("fail"), &grid, &wrong, 1), TRM_ERROR_TYPE_MISMATCH);
        ck_status(trm_launch(recording, kernel("fail"), &grid, NULL, 0), TRM_ERROR_INVALID_ARGUMENT);
    }
    ck_assert_uint_eq(nodes_of(graph), 0);
    ck_ok(trm_upload(recording, trm_span_whole(buffer), host));
    ck_assert_uint_eq(nodes_of(graph), 1);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_graph_stays_on_its_device)
{
    static uint8_t host[64];
    struct trm_device *device = second_device();
    struct trm_stream *recording, *there = make_stream(device);
    struct trm_graph *graph = make_graph(&recording);
    struct trm_buffer *far  = make_buffer(device, TRM_MEMORY_DEVICE, 64);
    struct trm_buffer *near = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_event *event = NULL;
    ck_ok(trm_event_create(device, TRM_EVENT_TIMING, &event));
    ck_status(trm_upload(recording, trm_span_whole(far), host), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_event_record(event, recording), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_copy(recording, trm_span_whole(near), trm_span_whole(far)), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_copy(recording, trm_span_whole(far), trm_span_whole(near)), TRM_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(nodes_of(graph), 0);
    ck_ok(trm_upload(recording, trm_span_whole(near), host));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_status(trm_graph_launch(exec, there), TRM_ERROR_WRONG_DEVICE);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_sync(there));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_event_destroy(event);
    trm_buffer_destroy(far);
    trm_buffer_destroy(near);
}
END_TEST

START_TEST(results_of_graphs_need_a_place)
{
    struct trm_stream *recording;
    struct trm_graph *graph     = make_graph(&recording);
    struct trm_graph_exec *exec = instantiate(graph);
    int32_t native              = -1;
    ck_status(trm_graph_create(the.device, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_record(graph, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_node_count(graph, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_instantiate(graph, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_exec_is_native(exec, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_graph_exec_is_native(exec, &native));
    ck_assert(native == 0 || native == 1);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
}
END_TEST

void add_graph_refused(Suite *suite)
{
    TCase *group = group_make(suite, "graph_refused");
    CASE(group, a_kernel_that_fails_in_a_graph_fails_the_stream);
    CASE(group, a_launch_on_a_failed_stream_gives_the_first_cause);
    CASE(group, what_cannot_be_replayed_is_refused);
    CASE(group, a_recording_stream_cannot_be_waited_for);
    CASE(group, recording_makes_the_checks_of_enqueueing);
    CASE(group, a_graph_stays_on_its_device);
    CASE(group, results_of_graphs_need_a_place);
}
