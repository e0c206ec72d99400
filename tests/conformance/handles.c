/* Wrong handles: none, of another type, stale, invented, of another context; and what else is never right.
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "groups.h"
#include "kernels.h"

#include <pthread.h>

static struct objects live;

static void live_open(void)
{
    objects_make(&live);
}

static void live_close(void)
{
    objects_destroy(&live);
}

/* Can the call be made at all on this device? */
static bool has_others(const struct call *call)
{
    if (strcmp(call->name, "launch_on_stream") == 0)
        return live.handles[OF_KERNEL] != NULL;
    if (strcmp(call->name, "semaphore_on_stream") == 0 || strcmp(call->name, "signal_on_stream") == 0)
        return live.handles[OF_SEMAPHORE] != NULL;
    return call->type < OF_MODULE || live.handles[call->type] != NULL;
}

static void expect_invalid(const struct call *call, void *handle, const char *what)
{
    int32_t status = call->make(handle, &live);
    ck_assert_msg(status == TRM_ERROR_INVALID_HANDLE, "%s with %s gave %s", call->name, what,
                  trm_status_name(status));
    ck_assert_int_eq(trm_last_error().status, status);
    ck_assert(trm_last_error().sentence[0]);
}

/* ---- none ---- */

START_TEST(every_function_refuses_no_handle)
{
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++) {
        /* Without a pool, a coordinator has streams of its own. */
        if (!has_others(call) || strcmp(call->name, "coordinator_of_pool") == 0)
            continue;
        int32_t status = call->make(NULL, &live);
        ck_assert_msg(status == TRM_ERROR_INVALID_HANDLE || status == TRM_ERROR_INVALID_ARGUMENT,
                      "%s with NULL gave %s", call->name, trm_status_name(status));
        ck_assert_int_eq(trm_last_error().status, status);
    }
}
END_TEST

static void *destroy_none(void *user)
{
    int32_t *status = user;
    for (int type = 0; type < HANDLE_TYPES; type++)
        destroy_handle((enum handle_type)type, NULL);
    *status = trm_last_error().status;
    return NULL;
}

START_TEST(destroying_no_handle_is_fine)
{
    int32_t status = TRM_ERROR_INTERNAL;
    pthread_t thread; /* its last error is its own */
    ck_assert_int_eq(pthread_create(&thread, NULL, destroy_none, &status), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(status, TRM_OK);
}
END_TEST

/* ---- of another type ---- */

/* A group of one device also takes what is on that device. */
static bool takes_other_type(const struct call *call, int type)
{
    return (call->type == OF_GROUP_KERNEL && type == OF_KERNEL && strstr(call->name, "_of_") != NULL) ||
           (call->type == OF_GROUP_BUFFER && type == OF_BUFFER && strstr(call->name, "_of_") != NULL);
}

START_TEST(every_function_refuses_a_handle_of_another_type)
{
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++)
        for (int type = 0; type < HANDLE_TYPES; type++)
            if (type != (int)call->type && live.handles[type] && has_others(call) &&
                !takes_other_type(call, type))
                expect_invalid(call, live.handles[type], "a handle of another type");
}
END_TEST

START_TEST(destroying_a_handle_of_another_type_leaves_it_alone)
{
    for (int type = 0; type < HANDLE_TYPES; type++)
        for (int handle = 0; handle < HANDLE_TYPES; handle++)
            if (type != handle && live.handles[handle]) {
                destroy_handle((enum handle_type)type, live.handles[handle]);
                ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
            }
    uint64_t size = 0;
    ck_ok(trm_buffer_size(live.handles[OF_BUFFER], &size));
    ck_assert_uint_eq(size, 64);
    ck_ok(trm_stream_sync(live.handles[OF_STREAM]));
    ck_ok(trm_device_sync(live.handles[OF_DEVICE]));
    ck_ok(trm_event_done(live.handles[OF_EVENT]));
}
END_TEST

/* ---- stale ---- */

/* One that has been destroyed, in a context that is alive. */
static void *stale_handle(enum handle_type type)
{
    struct objects dying;
    objects_make(&dying);
    void *handle = dying.handles[type];
    objects_destroy(&dying);
    if (type >= OF_GROUP)
        handle = make_of_group(type, &live);
    if (type == OF_CONTEXT || type == OF_MODULE || type == OF_KERNEL || type == OF_SHADER ||
        type == OF_PIPELINE || handle == NULL)
        return handle;

    struct trm_stream *stream = NULL;
    struct trm_event *event   = NULL;
    struct trm_array *array   = NULL;
    struct trm_graph *graph   = NULL;
    if (type == OF_DEVICE)
        handle = open_device(live.handles[OF_CONTEXT]);
    if (type == OF_STREAM) {
        ck_ok(trm_stream_create(live.handles[OF_DEVICE], TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        handle = stream;
    }
    if (type == OF_EVENT) {
        ck_ok(trm_event_create(live.handles[OF_DEVICE], 0, &event));
        handle = event;
    }
    if (type == OF_BUFFER)
        handle = make_buffer(live.handles[OF_DEVICE], TRM_MEMORY_DEVICE, 64);
    if (type == OF_ARRAY) {
        ck_ok(trm_array_create(live.handles[OF_DEVICE], TRM_TYPE_U32, 16, TRM_MEMORY_DEVICE, NULL, &array));
        handle = array;
    }
    if (type == OF_GRAPH) {
        ck_ok(trm_graph_create(live.handles[OF_DEVICE], &graph));
        handle = graph;
    }
    if (type == OF_GRAPH_EXEC)
        ck_ok(trm_graph_instantiate(live.handles[OF_GRAPH], (struct trm_graph_exec **)&handle));
    if (type == OF_SEMAPHORE)
        ck_ok(trm_semaphore_create(live.handles[OF_DEVICE], (struct trm_semaphore **)&handle));
    if (type == OF_COORDINATOR)
        ck_ok(trm_coordinator_create(live.handles[OF_DEVICE], NULL, (struct trm_coordinator **)&handle));
    if (type == OF_IMAGE)
        make_small_image(live.handles[OF_DEVICE], (struct trm_image **)&handle);
    if (type == OF_SAMPLER)
        make_plain_sampler(live.handles[OF_DEVICE], (struct trm_sampler **)&handle);
    destroy_handle(type, handle);
    return handle;
}

START_TEST(every_function_refuses_a_stale_handle)
{
    const struct call *call;
    for (int type = 0; type < HANDLE_TYPES; type++) {
        void *handle = stale_handle((enum handle_type)type);
        for (size_t i = 0; handle != NULL && (call = call_at(i)) != NULL; i++)
            if ((int)call->type == type && has_others(call))
                expect_invalid(call, handle, "a stale handle");
    }
}
END_TEST

START_TEST(every_function_refuses_a_handle_of_a_context_that_is_gone)
{
    struct objects gone;
    const struct call *call;
    objects_make(&gone);
    struct objects kept = gone; /* objects_destroy() forgets some */
    objects_destroy(&gone);
    for (size_t i = 0; (call = call_at(i)) != NULL; i++)
        if (kept.handles[call->type] && has_others(call))
            expect_invalid(call, kept.handles[call->type], "a handle of a context that is gone");
}
END_TEST

START_TEST(destroying_twice_is_an_error_and_nothing_more)
{
    struct objects dying;
    objects_make(&dying);
    trm_stream_pool_destroy(dying.group_pool);
    for (int type = HANDLE_TYPES - 1; type >= 0; type--) {
        if (!dying.handles[type])
            continue;
        destroy_handle((enum handle_type)type, dying.handles[type]);
        for (int again = 0; again < 3; again++) {
            struct trm_context *failing = NULL;
            struct trm_setting unknown  = {"pool.tresholt", "1"};
            ck_refused(context_with(&unknown, 1, &failing)); /* so that the last error is another one */
            destroy_handle((enum handle_type)type, dying.handles[type]);
            ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
        }
    }
    ck_ok(trm_stream_sync(live.handles[OF_STREAM]));
}
END_TEST

START_TEST(a_new_object_is_not_found_by_the_handle_of_an_old_one)
{
    struct trm_event *before = NULL;
    for (unsigned i = 0; i < scaled(100000, 5000); i++) {
        struct trm_event *event = NULL;
        ck_ok(trm_event_create(live.handles[OF_DEVICE], 0, &event));
        ck_assert_ptr_ne(event, before);
        if (before && i % 100 == 1)
            ck_status(trm_event_done(before), TRM_ERROR_INVALID_HANDLE);
        trm_event_destroy(event);
        before = event;
    }
}
END_TEST

/* ---- invented ---- */

START_TEST(every_function_refuses_any_number_as_a_handle)
{
    static const uint64_t numbers[] = {1,          2,          255,        256,       0x1000,
                                       UINT32_MAX, 1ull << 32, 1ull << 63, INT64_MAX, UINT64_MAX};
    uint32_t state                  = 20240229;
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++) {
        if (!has_others(call))
            continue;
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
            expect_invalid(call, (void *)(uintptr_t)numbers[n], "a number");
        for (unsigned n = 0; n < scaled(2000, 200); n++) {
            uint64_t number = (uint64_t)next_random(&state) << 32 | next_random(&state);
            expect_invalid(call, (void *)(uintptr_t)number, "a random number");
        }
    }
}
END_TEST

static void expect_wrong_bits_invalid(const enum handle_type *types, size_t count)
{
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++) {
        bool is_of_types = false;
        for (size_t n = 0; n < count; n++)
            is_of_types |= types[n] == call->type;
        if (!is_of_types || !has_others(call))
            continue;
        uint64_t right = (uintptr_t)live.handles[call->type];
        for (int bit = 0; bit < 64; bit++)
            expect_invalid(call, (void *)(uintptr_t)(right ^ 1ull << bit), "a wrong bit");
    }
}

/* Of these types there is one object in this process, so no other handle is right. Of the group there are: a
 * collective over it holds it by a handle of its own. */
START_TEST(every_function_refuses_a_handle_with_one_wrong_bit)
{
    static const enum handle_type of_groups[] = {OF_GROUP_KERNEL, OF_GROUP_BUFFER, OF_COLLECTIVE, OF_PROFILE};
    static const enum handle_type single[]    = {OF_CONTEXT,     OF_DEVICE,     OF_ARRAY,  OF_MODULE,
                                                 OF_KERNEL,      OF_GRAPH_EXEC, OF_SHADER, OF_SEMAPHORE,
                                                 OF_COORDINATOR, OF_PIPELINE,   OF_IMAGE};
    expect_wrong_bits_invalid(of_groups, sizeof(of_groups) / sizeof(of_groups[0]));
    objects_destroy_groups(&live); /* a group holds its device by another handle */
    expect_wrong_bits_invalid(single, sizeof(single) / sizeof(single[0]));
}
END_TEST

START_TEST(an_address_is_no_handle)
{
    static uint64_t zeroes[64];
    uint64_t *heap = calloc(64, sizeof(*heap));
    ck_assert_ptr_nonnull(heap);
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++)
        if (has_others(call)) {
            expect_invalid(call, zeroes, "an address");
            expect_invalid(call, heap, "an address");
            expect_invalid(call, &live, "an address");
        }
    free(heap);
}
END_TEST

/* ---- of another context ---- */

START_TEST(objects_of_two_contexts_do_not_mix)
{
    struct objects other;
    struct trm_point points[2];
    struct trm_stream *streams[2];
    uint32_t which = 77;
    objects_make(&other);
    streams[0] = live.handles[OF_STREAM];
    streams[1] = other.handles[OF_STREAM];
    ck_ok(trm_stream_mark(streams[0], &points[0]));
    ck_ok(trm_stream_mark(streams[1], &points[1]));
    ck_ok(trm_event_record(other.handles[OF_EVENT], streams[1]));

    ck_refused(trm_stream_wait(streams[0], points[1]));
    ck_refused(trm_stream_wait_event(streams[0], other.handles[OF_EVENT]));
    ck_refused(trm_event_record(other.handles[OF_EVENT], streams[0]));
    ck_refused(trm_stream_barrier(streams, 2));
    ck_refused(trm_wait_all(points, 2, 0));
    ck_refused(trm_wait_any(points, 2, 0, &which));
    ck_assert_uint_eq(which, 77);
    ck_refused(trm_fill(streams[0], trm_span_of(other.handles[OF_BUFFER], 0, 8), 1, 1));
    ck_refused(trm_stream_free(streams[0], other.handles[OF_BUFFER]));
    ck_refused(trm_array_copy(live.handles[OF_ARRAY], other.handles[OF_ARRAY]));
    ck_refused(trm_graph_launch(other.handles[OF_GRAPH_EXEC], streams[0]));
    if (other.handles[OF_KERNEL]) {
        struct trm_grid grid = trm_grid_1d(1, 1);
        ck_refused(trm_launch(streams[0], other.handles[OF_KERNEL], &grid, NULL, 0));
    }
    ck_ok(trm_stream_sync(streams[0])); /* no stream has failed */
    ck_ok(trm_stream_sync(streams[1]));
    objects_destroy(&other);
}
END_TEST

/* ---- what else is never right ---- */

START_TEST(functions_that_make_things_need_a_place_for_them)
{
    struct trm_buffer_desc buffer  = {.struct_size = sizeof(buffer), .size = 64};
    struct trm_device *device      = live.handles[OF_DEVICE];
    struct trm_stream *stream      = live.handles[OF_STREAM];
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    ck_ok(trm_device_get_usage(device, &before));
    ck_status(trm_context_create(NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_open(live.handles[OF_CONTEXT], NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_create(device, TRM_STREAM_ANY, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_create(device, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_buffer_create(device, TRM_MEMORY_DEVICE, 64, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_buffer_create_from(device, &buffer, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_array_create(device, TRM_TYPE_U8, 4, TRM_MEMORY_DEVICE, NULL, NULL),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_thread_stream(device, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_device(stream, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_mark(stream, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_alloc(stream, 64, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_point(live.handles[OF_EVENT], NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_device_get_usage(device, &after));
    ck_assert_uint_eq(after.streams, before.streams);
    ck_assert_uint_eq(after.events, before.events);
    ck_assert_uint_eq(after.buffers, before.buffers);
}
END_TEST

START_TEST(functions_that_answer_need_a_place_for_the_answer)
{
    struct trm_context *context = live.handles[OF_CONTEXT];
    struct trm_device *device   = live.handles[OF_DEVICE];
    ck_status(trm_context_candidate_count(context, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_context_candidate(context, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_count(context, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_describe(context, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_get_usage(device, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_get_u64(device, TRM_DEVICE_KIND, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_get_stats(live.handles[OF_STREAM], NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_pool_get_stats(device, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_setting_describe(0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_context_setting(context, NULL, NULL, 0, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_buffer_size(live.handles[OF_BUFFER], NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_buffer_kind(live.handles[OF_BUFFER], NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_array_count(live.handles[OF_ARRAY], NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_node_count(live.handles[OF_GRAPH], NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(work_needs_what_it_works_on)
{
    struct trm_stream *stream = live.handles[OF_STREAM];
    struct trm_span span      = trm_span_of(live.handles[OF_BUFFER], 0, 8);
    struct trm_rows rows      = {.buffer = live.handles[OF_BUFFER], .pitch = 8};
    ck_status(trm_upload(stream, span, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_download(stream, NULL, span), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(stream, &rows, NULL, 4, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy_2d(stream, NULL, &rows, 4, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_callback(stream, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_barrier(NULL, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_wait_all(NULL, 2, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_buffer_create_from(live.handles[OF_DEVICE], NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_stream_sync(stream));
}
END_TEST

START_TEST(a_failing_function_leaves_its_output_alone)
{
    struct trm_stream *stream  = (struct trm_stream *)0x1234;
    struct trm_event *event    = (struct trm_event *)0x1234;
    struct trm_buffer *buffer  = (struct trm_buffer *)0x1234;
    struct trm_point point     = {(struct trm_stream *)0x1234, 0x5678};
    struct trm_device *devices = (struct trm_device *)0x1234;
    ck_refused(trm_stream_create(NULL, TRM_STREAM_ANY, 0, &stream));
    ck_refused(trm_stream_create(live.handles[OF_DEVICE], 99, 0, &stream));
    ck_refused(trm_event_create(live.handles[OF_DEVICE], 1u << 30, &event));
    ck_refused(trm_buffer_create(live.handles[OF_DEVICE], TRM_MEMORY_DEVICE, UINT64_MAX, &buffer));
    ck_refused(trm_buffer_create(live.handles[OF_DEVICE], 99, 64, &buffer));
    ck_refused(trm_stream_mark(NULL, &point));
    ck_refused(trm_device_open(live.handles[OF_CONTEXT], "no-such-backend", &devices));
    ck_assert_ptr_eq(stream, (void *)0x1234);
    ck_assert_ptr_eq(event, (void *)0x1234);
    ck_assert_ptr_eq(buffer, (void *)0x1234);
    ck_assert_ptr_eq(devices, (void *)0x1234);
    ck_assert_ptr_eq(point.stream, (void *)0x1234);
    ck_assert_uint_eq(point.value, 0x5678);
}
END_TEST

START_TEST(a_right_handle_is_taken_by_every_function)
{
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++) {
        bool last = strcmp(call->name, "free_of") == 0 || strcmp(call->name, "free_on_stream") == 0;
        if (last || !has_others(call) ||
            (call->type == OF_BUFFER && strcmp(call->name, "trm_buffer_retain") == 0))
            continue; /* the others still need the buffer */
        if (strcmp(call->name, "trm_module_load") == 0 && !live.handles[OF_MODULE])
            continue;
        int32_t status = call->make(live.handles[call->type], &live);
        ck_assert_msg(status != TRM_ERROR_INVALID_HANDLE, "%s with its own handle: %s", call->name,
                      trm_last_error().sentence);
    }
}
END_TEST

void add_handles(Suite *suite)
{
    TCase *group = group_make_bare(suite, "handles");
    tcase_add_checked_fixture(group, live_open, live_close);
    CASE(group, every_function_refuses_no_handle);
    CASE(group, destroying_no_handle_is_fine);
    CASE(group, every_function_refuses_a_handle_of_another_type);
    CASE(group, destroying_a_handle_of_another_type_leaves_it_alone);
    CASE(group, every_function_refuses_a_stale_handle);
    CASE(group, every_function_refuses_a_handle_of_a_context_that_is_gone);
    CASE(group, destroying_twice_is_an_error_and_nothing_more);
    CASE(group, a_new_object_is_not_found_by_the_handle_of_an_old_one);
    CASE(group, every_function_refuses_any_number_as_a_handle);
    CASE(group, every_function_refuses_a_handle_with_one_wrong_bit);
    CASE(group, an_address_is_no_handle);
    CASE(group, objects_of_two_contexts_do_not_mix);
    CASE(group, functions_that_make_things_need_a_place_for_them);
    CASE(group, functions_that_answer_need_a_place_for_the_answer);
    CASE(group, work_needs_what_it_works_on);
    CASE(group, a_failing_function_leaves_its_output_alone);
    CASE(group, a_right_handle_is_taken_by_every_function);
}
