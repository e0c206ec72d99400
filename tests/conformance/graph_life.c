/* Graphs: what they retain, how they end, and the events in them.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

#define MILLISECOND 1000000u

enum {
    BYTES = 4000,
    N     = BYTES / 4
};

static struct trm_event *timing_event(void)
{
    struct trm_event *event = NULL;
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &event));
    return event;
}

/* data = (data × 3 + 1) × 5 + 2 */
static void enqueue_steps(struct trm_stream *stream, struct trm_kernel *affine, struct trm_buffer *data)
{
    ck_ok(launch_affine_with(stream, affine, data, N, 3, 1));
    ck_ok(launch_affine_with(stream, affine, data, N, 5, 2));
}

/* ---- lives ---- */

START_TEST(a_graph_keeps_what_it_uses)
{
    if (kernels_missing())
        return;
    static uint32_t got[N];
    struct trm_stream *recording;
    struct trm_device *device = second_device();
    struct trm_stream *stream = make_stream(device);
    struct trm_buffer *data   = make_buffer(device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_module *module = load_kernels(device);
    struct trm_kernel *affine = NULL;
    struct trm_graph *graph   = NULL;
    ck_ok(trm_kernel_get(module, "affine", &affine));
    ck_ok(trm_graph_create(device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(trm_fill(recording, trm_span_whole(data), 2, 4));
    enqueue_steps(recording, affine, data);
    ck_ok(trm_download(recording, got, trm_span_whole(data)));
    trm_buffer_destroy(data);
    trm_kernel_destroy(affine);
    trm_module_destroy(module);
    uint64_t size = 0;
    ck_status(trm_buffer_size(data, &size), TRM_ERROR_INVALID_HANDLE);
    struct trm_graph_exec *exec = instantiate(graph);
    trm_graph_destroy(graph);
    ck_status(trm_fill(recording, trm_span_whole(data), 2, 4), TRM_ERROR_INVALID_HANDLE);
    for (int round = 0; round < 3; round++) {
        memset(got, 0, sizeof(got));
        ck_ok(trm_graph_launch(exec, stream));
        ck_ok(trm_stream_sync(stream));
        ck_words(got, N, (2 * 3 + 1) * 5 + 2);
    }
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(device, &usage));
    ck_assert_uint_eq(usage.buffers, 1);
    trm_graph_exec_destroy(exec);
    ck_ok(trm_device_get_usage(device, &usage));
    ck_assert_uint_eq(usage.buffers, 0);
    ck_assert_uint_eq(usage.kernels, 0);
    ck_assert_uint_eq(usage.modules, 0);
    ck_assert_uint_eq(usage.streams, 1);
}
END_TEST

START_TEST(an_instance_may_be_destroyed_while_it_runs)
{
    static uint8_t got[BYTES];
    for (uint32_t i = 0; i < scaled(100, 10); i++) {
        struct trm_stream *recording;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        struct trm_graph *graph   = make_graph(&recording);
        ck_ok(trm_fill(recording, trm_span_whole(buffer), i, 1));
        ck_ok(trm_download(recording, got, trm_span_whole(buffer)));
        struct trm_graph_exec *exec = instantiate(graph);
        struct hold *hold           = hold_begin(the.stream);
        ck_ok(trm_graph_launch(exec, the.stream));
        ck_ok(trm_graph_launch(exec, the.stream));
        trm_graph_exec_destroy(exec);
        trm_graph_destroy(graph);
        trm_buffer_destroy(buffer);
        hold_end(hold);
        ck_ok(trm_stream_sync(the.stream));
        ck_bytes(got, BYTES, (uint8_t)i);
    }
}
END_TEST

START_TEST(a_graph_outlives_device_stream_and_context_handles)
{
    static uint8_t got[BYTES];
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_stream *stream   = NULL, *recording;
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec = NULL;
    struct trm_buffer *buffer   = make_buffer(device, TRM_MEMORY_DEVICE, BYTES);
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_graph_create(device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    trm_device_destroy(device);
    trm_context_destroy(context);
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 3, 1));
    ck_ok(trm_download(recording, got, trm_span_whole(buffer)));
    ck_ok(trm_graph_instantiate(graph, &exec));
    ck_ok(trm_graph_launch(exec, stream));
    trm_stream_destroy(stream);
    trm_buffer_destroy(buffer);
    trm_graph_destroy(graph);
    trm_graph_exec_destroy(exec);
    ck_bytes(got, BYTES, 3);
}
END_TEST

START_TEST(graphs_that_are_left_behind_are_named)
{
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec[2];
    ck_ok(trm_graph_create(device, &graph));
    for (int i = 0; i < 2; i++)
        ck_ok(trm_graph_instantiate(graph, &exec[i]));
    log_forget();
    trm_device_destroy(device);
    ck_assert(log_has(TRM_LOG_WARNING, "1 graph"));
    ck_assert(log_has(TRM_LOG_WARNING, "2 graph instances"));
    trm_graph_exec_destroy(exec[0]);
    trm_graph_destroy(graph);
    trm_graph_exec_destroy(exec[1]);
    trm_context_destroy(context);
}
END_TEST

/* ---- timing events ---- */

START_TEST(timing_events_in_a_graph_are_recorded_by_every_replay)
{
    struct trm_stream *recording;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1 << 20);
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_event *start = timing_event(), *end = timing_event();
    struct trm_event *before = timing_event(), *after = timing_event();
    int64_t inside, around, lead;
    ck_ok(trm_event_record(start, recording));
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_event_record(end, recording));
    ck_assert_uint_eq(nodes_of(graph), 3);
    ck_status(trm_event_elapsed(start, end, &inside), TRM_ERROR_INVALID_ARGUMENT); /* never recorded */
    struct trm_graph_exec *exec = instantiate(graph);
    for (int round = 0; round < 5; round++) {
        ck_ok(trm_event_record(before, the.stream));
        for (int i = 0; i <= round; i++)
            ck_ok(trm_graph_launch(exec, the.stream));
        ck_ok(trm_event_record(after, the.stream));
        ck_ok(trm_event_wait(end, TRM_FOREVER));
        ck_ok(trm_stream_sync(the.stream));
        ck_ok(trm_event_elapsed(start, end, &inside));
        ck_ok(trm_event_elapsed(before, start, &lead));
        ck_ok(trm_event_elapsed(before, after, &around));
        ck_assert_int_ge(inside, 0);
        ck_assert_int_ge(lead, 0);
        ck_assert_int_le(lead + inside, around);
    }
    /* Outside of the graph it is the same event. */
    ck_ok(trm_event_record(end, the.stream));
    ck_ok(trm_event_wait(end, TRM_FOREVER));
    ck_ok(trm_event_elapsed(after, end, &inside));
    ck_assert_int_ge(inside, 0);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_event_elapsed(start, end, &inside));
    ck_assert_int_ge(inside, 0);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    ck_ok(trm_event_elapsed(start, end, &around)); /* the times stay */
    ck_assert_int_eq(around, inside);
    ck_ok(trm_event_record(start, the.stream));
    ck_ok(trm_event_wait(start, TRM_FOREVER));
    trm_event_destroy(start);
    trm_event_destroy(end);
    trm_event_destroy(before);
    trm_event_destroy(after);
    trm_buffer_destroy(buffer);
}
END_TEST

static int64_t time_inside(uint32_t microseconds)
{
    struct trm_stream *recording;
    struct trm_graph *graph = make_graph(&recording);
    struct trm_event *start = timing_event(), *end = timing_event();
    struct trm_argument time = trm_arg_u32(microseconds);
    struct trm_grid grid     = trm_grid_1d(1, 1);
    int64_t inside           = 0;
    ck_ok(trm_event_record(start, recording));
    ck_ok(trm_launch(recording, kernel("dawdle"), &grid, &time, 1));
    ck_ok(trm_event_record(end, recording));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_event_elapsed(start, end, &inside));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_event_destroy(start);
    trm_event_destroy(end);
    return inside;
}

START_TEST(the_time_inside_a_graph_is_that_of_its_operations)
{
    if (kernels_missing())
        return;
    int64_t inside = -1, least = 0;
    for (unsigned i = 0; i < ATTEMPTS && inside < least; i++) {
        least  = dawdle_least_ns(20, i);
        inside = time_inside(dawdle_us(20, i));
    }
    ck_assert_int_ge(inside, least);
}
END_TEST

START_TEST(events_of_a_graph_may_be_destroyed_before_it)
{
    struct trm_stream *recording;
    struct trm_graph *graph = make_graph(&recording);
    struct trm_event *one = timing_event(), *other = timing_event();
    ck_ok(trm_event_record(one, recording));
    ck_ok(trm_event_record(other, recording));
    trm_event_destroy(one);
    struct trm_graph_exec *exec = instantiate(graph);
    struct hold *hold           = hold_begin(the.stream);
    ck_ok(trm_graph_launch(exec, the.stream));
    trm_event_destroy(other);
    ck_ok(trm_graph_launch(exec, the.stream));
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_graph_launch(exec, the.stream));
    trm_graph_destroy(graph);
    trm_graph_exec_destroy(exec);
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

START_TEST(an_event_of_a_graph_is_reached_when_the_replay_is)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct trm_stream *recording, *second = make_stream(the.device);
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_event *event   = timing_event();
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_point point;
    ck_ok(trm_event_record(event, recording));
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 1, 1));
    struct trm_graph_exec *exec = instantiate(graph);
    struct hold *hold           = hold_begin(the.stream);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_status(trm_event_done(event), TRM_ERROR_TIMEOUT);
    ck_ok(trm_stream_wait_event(second, event));
    ck_ok(trm_stream_mark(second, &point));
    ck_status(trm_point_wait(point, MILLISECOND), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_event_destroy(event);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_graph_life(Suite *suite)
{
    TCase *group = group_make(suite, "graph_life");
    CASE(group, a_graph_keeps_what_it_uses);
    CASE(group, an_instance_may_be_destroyed_while_it_runs);
    CASE(group, a_graph_outlives_device_stream_and_context_handles);
    CASE(group, graphs_that_are_left_behind_are_named);
    CASE(group, timing_events_in_a_graph_are_recorded_by_every_replay);
    CASE(group, the_time_inside_a_graph_is_that_of_its_operations);
    CASE(group, events_of_a_graph_may_be_destroyed_before_it);
    CASE(group, an_event_of_a_graph_is_reached_when_the_replay_is);
}
