/* An application's own devices, streams, memory and events, as the core sees them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/core/interop/fixture.h"

/* ---- devices ---- */

START_TEST(an_adopted_device_is_the_one_that_the_backend_says)
{
    struct core_device *device;

    store.backend.device_count = 4;
    ck_assert_int_eq(core_device_adopt(store.core->object.context, &store.backend, TRM_NATIVE_DEVICE_VULKAN,
                                       &asked, &device),
                     TRM_OK);
    ck_assert_uint_eq(device->index, 3);
    ck_assert_str_eq(device->id, "store:3");
    ck_assert_uint_eq(asked.adopted, 1);
    ck_assert_uint_gt(device->limits.max_buffer_bytes, 0);
    trm_device_destroy(core_object_publish(&device->object));
}
END_TEST

START_TEST(a_device_that_cannot_be_adopted_leaves_nothing_behind)
{
    struct core_device *device = NULL;

    asked.answer = TRM_ERROR_NOT_FOUND;
    ck_assert_int_eq(core_device_adopt(store.core->object.context, &store.backend, TRM_NATIVE_DEVICE_VULKAN,
                                       &asked, &device),
                     TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_null(device);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_NOT_FOUND);
    asked.answer = TRM_OK;
}
END_TEST

/* ---- streams ---- */

START_TEST(an_adopted_stream_is_one_like_any_other)
{
    struct trm_stream *adopted = NULL;
    struct trm_point point;

    ck_assert_int_eq(trm_stream_adopt(store.device, TRM_NATIVE_CUDA_STREAM, 77, &adopted), TRM_OK);
    ck_assert_int_eq(asked.type, TRM_NATIVE_CUDA_STREAM);
    ck_assert_uint_eq(asked.native, 77);
    ck_assert_int_eq(trm_stream_mark(adopted, &point), TRM_OK);
    ck_assert_int_eq(trm_stream_wait(stream, point), TRM_OK);
    store_run(adopted, UINT64_MAX);
    trm_stream_destroy(adopted);
    ck_assert_int_eq(trm_stream_sync(adopted), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_stream_that_cannot_be_adopted_is_none)
{
    struct trm_stream *adopted = NULL;

    ck_assert_int_eq(trm_stream_adopt(store.device, TRM_NATIVE_CUDA_POINTER, 77, &adopted),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_stream_adopt(store.device, TRM_NATIVE_CUDA_STREAM, 77, NULL),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_stream_adopt(NULL, TRM_NATIVE_CUDA_STREAM, 77, &adopted), TRM_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(asked.native, 0);
    asked.answer = TRM_ERROR_INVALID_ARGUMENT;
    ck_assert_int_eq(trm_stream_adopt(store.device, TRM_NATIVE_CUDA_STREAM, 77, &adopted),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(adopted);
    asked.answer = TRM_OK;
}
END_TEST

/* ---- memory ---- */

START_TEST(adopted_memory_is_a_buffer_of_as_many_bytes)
{
    struct trm_buffer *buffer = NULL;
    uint64_t size             = 0;
    int32_t kind              = -1;

    ck_assert_int_eq(trm_buffer_adopt(store.device, TRM_NATIVE_CUDA_POINTER, 4096, 256, 1000, &buffer),
                     TRM_OK);
    ck_assert_uint_eq(asked.native, 4096);
    ck_assert_uint_eq(asked.offset, 256);
    ck_assert_uint_eq(asked.size, 1000);
    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_OK);
    ck_assert_int_eq(trm_buffer_kind(buffer, &kind), TRM_OK);
    ck_assert_uint_eq(size, 1000);
    ck_assert_int_eq(kind, TRM_MEMORY_DEVICE);
    trm_buffer_destroy(buffer);
    ck_assert_uint_eq(store.frees, 1);
}
END_TEST

START_TEST(memory_that_cannot_be_adopted_is_no_buffer)
{
    struct trm_buffer *buffer = NULL;
    const int32_t type        = TRM_NATIVE_CUDA_POINTER;

    ck_assert_int_eq(trm_buffer_adopt(store.device, TRM_NATIVE_CUDA_STREAM, 64, 0, 64, &buffer),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_adopt(store.device, type, 64, 0, 0, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_adopt(store.device, type, 64, UINT64_MAX, 64, &buffer),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_buffer_adopt(store.device, type, 64, 0, UINT64_C(1) << 41, &buffer),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_buffer_adopt(store.device, type, 64, 0, 64, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(asked.native, 0);
    asked.answer = TRM_ERROR_INVALID_ARGUMENT;
    ck_assert_int_eq(trm_buffer_adopt(store.device, type, 64, 0, 64, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(buffer);
    asked.answer = TRM_OK;
}
END_TEST

/* ---- events ---- */

START_TEST(native_events_are_operations_behind_what_was_handed_over)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 64, &buffer), TRM_OK);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 1, 1), TRM_OK);
    ck_assert_int_eq(trm_stream_record_native(stream, TRM_NATIVE_CUDA_EVENT, 55), TRM_OK);
    ck_assert_uint_eq(asked.native, 55);
    ck_assert_uint_eq(asked.handed, 1);
    ck_assert_int_eq(trm_stream_wait_native(stream, TRM_NATIVE_CUDA_EVENT, 56), TRM_OK);
    ck_assert_uint_eq(asked.native, 56);
    ck_assert_uint_eq(asked.handed, 2);
    ck_assert_int_eq(trm_stream_hand_over(stream), TRM_OK);
    ck_assert_uint_eq(asked.handed, 3);
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    ck_assert_uint_eq(stats.operations, 3);
    ck_assert_uint_eq(stats.waits, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(native_events_that_cannot_be_are_no_operations)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(trm_stream_wait_native(stream, TRM_NATIVE_CUDA_STREAM, 5), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_stream_record_native(stream, TRM_NATIVE_CUDA_STREAM, 5), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(asked.handings, 0);
    asked.answer = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_stream_hand_over(stream), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_stream_wait_native(stream, TRM_NATIVE_CUDA_EVENT, 5), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_stream_record_native(stream, TRM_NATIVE_CUDA_EVENT, 5), TRM_ERROR_BACKEND);
    ck_assert_uint_eq(asked.events, 0);
    asked.answer = TRM_OK;
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    ck_assert_uint_eq(stats.operations, 0);
}
END_TEST

START_TEST(without_handing_over_native_events_are_enqueued_at_once)
{
    store.backend.interop.hand_over = NULL;
    ck_assert_int_eq(trm_stream_hand_over(stream), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_record_native(stream, TRM_NATIVE_CUDA_EVENT, 5), TRM_OK);
    ck_assert_uint_eq(asked.events, 1);
    ck_assert_uint_eq(asked.handings, 0);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        an_adopted_device_is_the_one_that_the_backend_says,
        a_device_that_cannot_be_adopted_leaves_nothing_behind,
        an_adopted_stream_is_one_like_any_other,
        a_stream_that_cannot_be_adopted_is_none,
        adopted_memory_is_a_buffer_of_as_many_bytes,
        memory_that_cannot_be_adopted_is_no_buffer,
        native_events_are_operations_behind_what_was_handed_over,
        native_events_that_cannot_be_are_no_operations,
        without_handing_over_native_events_are_enqueued_at_once,
    };
    Suite *suite = suite_create("adopting");
    TCase *tests = tcase_create("adopting");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
