/* Two devices of one context, and objects of another context. On a machine with one device the second is the
 * same device opened again: the rules are the same.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#define SIZE 70000u

/* The second device with a stream of its own; the fixture ends both. */
struct second {
    struct trm_device *device;
    struct trm_stream *stream;
};

static struct second open_second(void)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    struct second second              = {NULL, NULL};
    uint32_t count                    = 0;
    ck_ok(trm_device_count(the.context, &count));
    ck_assert_uint_ge(count, 1);
    ck_ok(trm_device_describe(the.context, count > 1 ? 1 : 0, &summary));
    ck_ok(trm_device_open(the.context, summary.id, &second.device));
    destroy_later_device(second.device);
    second.stream = make_stream(second.device);
    return second;
}

/* ---- copies ---- */

static void copy_there_and_back(struct second *second, struct trm_stream *used)
{
    static const uint64_t offsets[] = {0, 1, 64, 4095}, sizes[] = {0, 1, 63, 4096, 60001};
    struct trm_buffer *here  = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *there = make_buffer(second->device, TRM_MEMORY_DEVICE, SIZE);
    uint8_t *wanted = malloc(SIZE), *data = malloc(SIZE), *found = malloc(SIZE);
    put_pattern(the.stream, here, SIZE, 1);
    put_pattern(second->stream, there, SIZE, 2);
    pattern_make(data, SIZE, 1);
    pattern_make(wanted, SIZE, 2);
    for (unsigned i = 0; i < 80; i++) {
        uint64_t to = offsets[i % 4], from = offsets[i / 4 % 4], size = sizes[i / 16];
        ck_ok(trm_copy(used, trm_span_of(there, to, size), trm_span_of(here, from, size)));
        ck_ok(trm_stream_sync(used));
        memcpy(wanted + to, data + from, size);
        get(second->stream, there, 0, found, SIZE);
        ck_assert_msg(memcmp(found, wanted, SIZE) == 0, "%u bytes from %u to %u", (unsigned)size,
                      (unsigned)from, (unsigned)to);
    }
    ck_ok(trm_copy(used, trm_span_whole(here), trm_span_whole(there)));
    ck_ok(trm_stream_sync(used));
    get(the.stream, here, 0, found, SIZE);
    ck_assert_int_eq(memcmp(found, wanted, SIZE), 0);
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
    free(wanted);
    free(data);
    free(found);
}

START_TEST(copies_between_devices_arrive_on_the_streams_of_the_one)
{
    struct second second = open_second();
    copy_there_and_back(&second, the.stream);
}
END_TEST

START_TEST(copies_between_devices_arrive_on_the_streams_of_the_other)
{
    struct second second = open_second();
    copy_there_and_back(&second, second.stream);
}
END_TEST

START_TEST(copies_between_devices_arrive_from_and_to_every_kind_of_memory)
{
    struct second second = open_second();
    for (int i = 0; i < 16; i++) {
        struct trm_buffer *here  = make_buffer(the.device, all_kinds[i / 4], SIZE);
        struct trm_buffer *there = make_buffer(second.device, all_kinds[i % 4], SIZE);
        if (here && there) {
            put_pattern(the.stream, here, SIZE, (uint32_t)i);
            ck_ok(trm_copy(i % 2 ? the.stream : second.stream, trm_span_whole(there), trm_span_whole(here)));
            ck_ok(trm_stream_sync(i % 2 ? the.stream : second.stream));
            ck_buffer_pattern(second.stream, there, SIZE, (uint32_t)i);
        }
        trm_buffer_destroy(here);
        trm_buffer_destroy(there);
    }
}
END_TEST

START_TEST(rows_go_from_one_device_to_the_other)
{
    struct second second     = open_second();
    struct trm_buffer *here  = make_buffer(the.device, TRM_MEMORY_DEVICE, 5000);
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, 5000);
    struct trm_rows from = {.buffer = here, .offset = 3, .pitch = 70}, to = {.buffer = there, .pitch = 90};
    uint8_t data[5000], wanted[5000], found[5000];
    pattern_make(data, 5000, 3);
    pattern_make(wanted, 5000, 4);
    put_pattern(the.stream, here, 5000, 3);
    put_pattern(second.stream, there, 5000, 4);
    for (int i = 0; i < 2; i++) {
        struct trm_stream *stream = i ? the.stream : second.stream;
        to.offset                 = (uint64_t)i * 7;
        ck_ok(trm_copy_2d(stream, &to, &from, 64, 50));
        ck_ok(trm_stream_sync(stream));
        for (size_t row = 0; row < 50; row++)
            memcpy(wanted + to.offset + row * 90, data + 3 + row * 70, 64);
        get(second.stream, there, 0, found, 5000);
        ck_assert_mem_eq(found, wanted, 5000);
    }
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
}
END_TEST

START_TEST(large_copies_between_devices_arrive_whole)
{
    struct second second     = open_second();
    uint64_t size            = ((uint64_t)scaled(20, 3) << 20) + 77;
    struct trm_buffer *here  = make_buffer(the.device, TRM_MEMORY_DEVICE, size);
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, size);
    put_pattern(the.stream, here, size, 5);
    ck_ok(trm_copy(the.stream, trm_span_whole(there), trm_span_whole(here)));
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 0, 1)); /* after the copy, in order */
    ck_ok(trm_stream_sync(the.stream));
    ck_buffer_pattern(second.stream, there, size, 5);
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
}
END_TEST

START_TEST(a_source_destroyed_while_it_is_copied_to_another_device_is_read_to_the_end)
{
    struct second second     = open_second();
    struct trm_buffer *here  = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, SIZE), *thief;
    put_pattern(the.stream, here, SIZE, 6);
    struct hold *hold = hold_begin(second.stream);
    ck_ok(trm_copy(second.stream, trm_span_whole(there), trm_span_whole(here)));
    trm_buffer_destroy(here);
    thief = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    ck_ok(trm_fill(the.stream, trm_span_whole(thief), 0xEE, 1));
    ck_ok(trm_stream_sync(the.stream));
    hold_end(hold);
    ck_buffer_pattern(second.stream, there, SIZE, 6);
    trm_buffer_destroy(thief);
    trm_buffer_destroy(there);
}
END_TEST

/* ---- the wrong device ---- */

START_TEST(a_stream_does_no_work_for_buffers_of_another_device)
{
    struct second second     = open_second();
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *also  = make_buffer(second.device, TRM_MEMORY_DEVICE, SIZE);
    static uint8_t host[SIZE];
    struct trm_rows one = {.buffer = there, .pitch = 64}, other = {.host = host, .pitch = 64};
    struct trm_rows two = {.buffer = also, .pitch = 64};
    put_pattern(second.stream, there, SIZE, 7);
    ck_status(trm_copy(the.stream, trm_span_whole(there), trm_span_whole(also)), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_copy_2d(the.stream, &one, &two, 64, 4), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_copy_2d(the.stream, &one, &other, 64, 4), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_copy_2d(the.stream, &other, &one, 64, 4), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_upload(the.stream, trm_span_whole(there), host), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_download(the.stream, host, trm_span_whole(there)), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_fill(the.stream, trm_span_whole(there), 0, 1), TRM_ERROR_WRONG_DEVICE);
    ck_ok(trm_stream_sync(the.stream));
    ck_buffer_pattern(second.stream, there, SIZE, 7);
    trm_buffer_destroy(there);
    trm_buffer_destroy(also);
}
END_TEST

START_TEST(memory_is_not_freed_in_the_order_of_another_devices_stream)
{
    struct second second     = open_second();
    struct trm_buffer *there = NULL;
    uint64_t size            = 0;
    ck_ok(trm_stream_alloc(second.stream, SIZE, &there));
    ck_status(trm_stream_free(the.stream, there), TRM_ERROR_WRONG_DEVICE);
    ck_ok(trm_buffer_size(there, &size));
    ck_ok(trm_stream_free(second.stream, there));
}
END_TEST

START_TEST(a_kernel_runs_on_its_own_device_only)
{
    const uint32_t three = 3;
    uint32_t found       = 0;
    if (kernels_missing())
        return;
    struct second second       = open_second();
    struct trm_kernel *foreign = kernel_on(second.device, "affine"), *own = kernel("affine");
    struct trm_buffer *here  = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(three)),
                      *there = make_buffer(second.device, TRM_MEMORY_DEVICE, sizeof(three));
    put(the.stream, here, 0, &three, sizeof(three));
    put(second.stream, there, 0, &three, sizeof(three));
    ck_status(launch_affine_with(the.stream, foreign, here, 1, 2, 0), TRM_ERROR_WRONG_DEVICE);
    /* Its buffers may be on another one whose memory it can access. */
    if (trm_device_can_access(the.device, second.device) == TRM_OK)
        ck_ok(launch_affine_with(the.stream, own, there, 1, 1, 0));
    else
        ck_status(launch_affine_with(the.stream, own, there, 1, 2, 0), TRM_ERROR_WRONG_DEVICE);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(launch_affine_with(second.stream, foreign, there, 1, 5, 0));
    get(second.stream, there, 0, &found, sizeof(found));
    ck_assert_uint_eq(found, 15);
    get(the.stream, here, 0, &found, sizeof(found));
    ck_assert_uint_eq(found, 3);
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
}
END_TEST

START_TEST(arrays_of_two_devices_can_be_copied)
{
    struct second second   = open_second();
    struct trm_array *here = NULL, *there = NULL;
    uint32_t data[1000], found[1000];
    for (uint32_t i = 0; i < 1000; i++)
        data[i] = i * i;
    ck_ok(trm_array_create(the.device, TRM_TYPE_U32, 1000, TRM_MEMORY_DEVICE, data, &here));
    ck_ok(trm_array_create(second.device, TRM_TYPE_U32, 1000, TRM_MEMORY_DEVICE, NULL, &there));
    ck_ok(trm_array_copy(there, here));
    ck_ok(trm_array_download(there, TRM_TYPE_U32, 0, 1000, found));
    ck_assert_mem_eq(found, data, sizeof(data));
    trm_array_destroy(here);
    trm_array_destroy(there);
}
END_TEST

/* ---- order across devices ---- */

START_TEST(streams_of_two_devices_pass_a_buffer_to_and_fro_in_order)
{
    struct second second     = open_second();
    struct trm_buffer *here  = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, SIZE);
    enum {
        ROUNDS = 30
    };
    static uint8_t found[ROUNDS][SIZE];
    struct trm_point point;
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(here), i + 1, 1));
        ck_ok(trm_copy(the.stream, trm_span_whole(there), trm_span_whole(here)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(second.stream, point));
        ck_ok(trm_download(second.stream, found[i], trm_span_whole(there)));
        ck_ok(trm_stream_mark(second.stream, &point));
        ck_ok(trm_stream_wait(the.stream, point));
    }
    ck_ok(trm_stream_sync(the.stream));
    for (unsigned i = 0; i < ROUNDS; i++)
        for (size_t b = 0; b < SIZE; b += 997)
            ck_assert_uint_eq(found[i][b], i + 1);
    trm_buffer_destroy(here);
    trm_buffer_destroy(there);
}
END_TEST

START_TEST(waiting_for_one_device_does_not_wait_for_the_other)
{
    struct second second     = open_second();
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, SIZE);
    struct hold *hold        = hold_begin(the.stream);
    ck_ok(trm_fill(second.stream, trm_span_whole(there), 1, 1));
    ck_ok(trm_device_sync(second.device));
    if (hold_works())
        ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_device_sync(the.device));
    trm_buffer_destroy(there);
}
END_TEST

/* ---- accounts ---- */

START_TEST(each_device_keeps_its_own_accounts)
{
    struct second second           = open_second();
    struct trm_device_usage before = {.struct_size = sizeof(before)}, usage = before;
    struct trm_pool_stats pool = {.struct_size = sizeof(pool)}, untouched = pool;
    ck_ok(trm_device_get_usage(the.device, &before));
    ck_ok(trm_pool_get_stats(the.device, &untouched));
    struct trm_buffer *there = make_buffer(second.device, TRM_MEMORY_DEVICE, SIZE);
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.buffers, before.buffers);
    ck_assert_uint_eq(usage.buffer_bytes, before.buffer_bytes);
    ck_ok(trm_device_get_usage(second.device, &usage));
    ck_assert_uint_eq(usage.buffers, 1);
    ck_assert_uint_eq(usage.buffer_bytes, SIZE);
    ck_ok(trm_pool_get_stats(the.device, &pool));
    ck_assert_uint_eq(pool.allocations, untouched.allocations);
    ck_assert_uint_eq(pool.used_bytes, untouched.used_bytes);
    ck_ok(trm_pool_get_stats(second.device, &pool));
    ck_assert_uint_ge(pool.used_bytes, SIZE);
    trm_buffer_destroy(there);
}
END_TEST

START_TEST(the_end_of_one_device_leaves_the_other_at_work)
{
    for (int i = 0; i < 5; i++) {
        struct trm_device *device = open_device(the.context);
        struct trm_buffer *here   = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        struct trm_buffer *gone   = make_buffer(device, TRM_MEMORY_DEVICE, SIZE);
        put_pattern(the.stream, here, SIZE, 8);
        ck_ok(trm_copy(the.stream, trm_span_whole(gone), trm_span_whole(here)));
        trm_buffer_destroy(gone);
        trm_device_destroy(device);
        ck_buffer_pattern(the.stream, here, SIZE, 8);
        trm_buffer_destroy(here);
    }
}
END_TEST

/* ---- another context ---- */

START_TEST(objects_of_another_context_are_refused)
{
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_buffer *foreign  = make_buffer(device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *own      = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_rows one = {.buffer = foreign, .pitch = 64}, other = {.buffer = own, .pitch = 64};
    uint8_t byte = 0;
    put_pattern(the.stream, own, SIZE, 9);
    ck_refused(trm_copy(the.stream, trm_span_whole(own), trm_span_whole(foreign)));
    ck_refused(trm_copy(the.stream, trm_span_whole(foreign), trm_span_whole(own)));
    ck_refused(trm_copy_2d(the.stream, &one, &other, 64, 4));
    ck_refused(trm_copy_2d(the.stream, &other, &one, 64, 4));
    ck_refused(trm_upload(the.stream, trm_span_of(foreign, 0, 1), &byte));
    ck_refused(trm_fill(the.stream, trm_span_whole(foreign), 0, 1));
    ck_refused(trm_stream_free(the.stream, foreign));
    if (kernels_there()) {
        struct trm_argument values[] = {trm_arg_buffer(foreign), trm_arg_u32(1), trm_arg_u32(1),
                                        trm_arg_u32(1)};
        struct trm_grid grid         = trm_grid_1d(1, 1);
        ck_refused(trm_launch(the.stream, kernel("affine"), &grid, values, 4));
    }
    ck_buffer_pattern(the.stream, own, SIZE, 9);
    trm_buffer_destroy(own);
    trm_buffer_destroy(foreign);
    trm_device_destroy(device);
    trm_context_destroy(context);
}
END_TEST

void add_two_devices(Suite *suite)
{
    TCase *group = group_make(suite, "two_devices");
    CASE(group, copies_between_devices_arrive_on_the_streams_of_the_one);
    CASE(group, copies_between_devices_arrive_on_the_streams_of_the_other);
    CASE(group, copies_between_devices_arrive_from_and_to_every_kind_of_memory);
    CASE(group, rows_go_from_one_device_to_the_other);
    CASE(group, large_copies_between_devices_arrive_whole);
    CASE(group, a_source_destroyed_while_it_is_copied_to_another_device_is_read_to_the_end);
    CASE(group, a_stream_does_no_work_for_buffers_of_another_device);
    CASE(group, memory_is_not_freed_in_the_order_of_another_devices_stream);
    CASE(group, a_kernel_runs_on_its_own_device_only);
    CASE(group, arrays_of_two_devices_can_be_copied);
    CASE(group, streams_of_two_devices_pass_a_buffer_to_and_fro_in_order);
    CASE(group, waiting_for_one_device_does_not_wait_for_the_other);
    CASE(group, each_device_keeps_its_own_accounts);
    CASE(group, the_end_of_one_device_leaves_the_other_at_work);
    CASE(group, objects_of_another_context_are_refused);
}
