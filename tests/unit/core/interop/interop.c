/* Handles, memory and semaphores that are shared with others, as the core sees them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/core/interop/fixture.h"

/* ---- handles ---- */

START_TEST(handles_are_what_the_backend_says)
{
    uint64_t handle = 0, offset = 0;
    struct trm_buffer *buffer, *second;

    ck_assert_int_eq(trm_device_native(store.device, TRM_NATIVE_CUDA_CONTEXT, &handle), TRM_OK);
    ck_assert_uint_eq(handle, 42);
    ck_assert_int_eq(asked.type, TRM_NATIVE_CUDA_CONTEXT);
    ck_assert_int_eq(trm_stream_native(stream, TRM_NATIVE_CUDA_STREAM, &handle), TRM_OK);
    ck_assert_uint_eq(handle, 43);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 256, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 256, &second), TRM_OK);
    ck_assert_int_eq(trm_buffer_native(second, TRM_NATIVE_CUDA_POINTER, &handle, &offset), TRM_OK);
    ck_assert_uint_eq(handle, 44);
    ck_assert_uint_eq(offset, 1256); /* the second piece of the pool's memory */
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(second);
}
END_TEST

START_TEST(a_handle_that_the_backend_has_not_is_not_written)
{
    uint64_t handle = 7, offset = 8;
    struct trm_buffer *buffer, *empty;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 256, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 0, &empty), TRM_OK);
    ck_assert_int_eq(trm_buffer_native(empty, TRM_NATIVE_CUDA_POINTER, &handle, &offset),
                     TRM_ERROR_UNSUPPORTED);
    asked.answer = TRM_ERROR_UNSUPPORTED;
    ck_assert_int_eq(trm_buffer_native(buffer, TRM_NATIVE_CUDA_POINTER, &handle, &offset),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(handle, 7);
    ck_assert_uint_eq(offset, 8);
    asked.answer = TRM_OK;
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(empty);
}
END_TEST

START_TEST(a_backend_without_a_slot_answers_unsupported)
{
    struct trm_buffer *buffer = NULL, *shared;
    struct trm_semaphore *semaphore, *none = NULL;
    struct trm_stream *other     = NULL;
    struct trm_ipc_handle handle = {.size = 64};
    uint64_t number              = 7;
    int32_t fd                   = 7;

    ck_assert_int_eq(trm_semaphore_create(store.device, &semaphore), TRM_OK);
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 64, &shared), TRM_OK);
    store.backend.interop = (struct trm_interop_ops){.semaphore_destroy = semaphore_destroy};
    ck_assert_int_eq(trm_device_native(store.device, TRM_NATIVE_CUDA_CONTEXT, &number),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_native(stream, TRM_NATIVE_CUDA_STREAM, &number), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_native(shared, TRM_NATIVE_CUDA_POINTER, &number, &number),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 64, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_import(store.device, TRM_HANDLE_OPAQUE_FD, 3, 64, &buffer),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_export(shared, TRM_HANDLE_OPAQUE_FD, &fd, &number), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_create_ipc(store.device, 64, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_get_ipc_handle(shared, &handle), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_open_ipc_handle(store.device, &handle, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_semaphore_create(store.device, &none), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_semaphore_import(store.device, TRM_HANDLE_OPAQUE_FD, 3, &none),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_semaphore_export(semaphore, TRM_HANDLE_OPAQUE_FD, &fd), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_semaphore_value(semaphore, &number), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_wait_semaphore(stream, semaphore, 1), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_signal_semaphore(stream, semaphore, 1), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_adopt(store.device, TRM_NATIVE_CUDA_STREAM, 1, &other),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_adopt(store.device, TRM_NATIVE_CUDA_POINTER, 1, 0, 64, &buffer),
                     TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_hand_over(stream), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_wait_native(stream, TRM_NATIVE_CUDA_EVENT, 1), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_stream_record_native(stream, TRM_NATIVE_CUDA_EVENT, 1), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(other);
    ck_assert_ptr_null(buffer);
    ck_assert_uint_eq(number, 7);
    ck_assert_int_eq(fd, 7);
    trm_semaphore_destroy(semaphore);
    trm_buffer_destroy(shared);
}
END_TEST

/* ---- memory ---- */

START_TEST(shared_memory_does_not_come_from_the_pool)
{
    struct trm_buffer *made, *imported;
    uint64_t allocations = store.allocations, size = 0;
    int32_t fd = -1;

    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 777, &made), TRM_OK);
    ck_assert_uint_eq(asked.size, 777);
    ck_assert_int_eq(trm_buffer_export(made, TRM_HANDLE_OPAQUE_FD, &fd, &size), TRM_OK);
    ck_assert_int_eq(fd, 9);
    ck_assert_uint_eq(size, 8192);
    ck_assert_int_eq(trm_buffer_import(store.device, TRM_HANDLE_OPAQUE_FD, 5, 8192, &imported), TRM_OK);
    ck_assert_int_eq(asked.fd, 5);
    ck_assert_uint_eq(store.allocations, allocations + 2);
    trm_buffer_destroy(made);
    trm_buffer_destroy(imported);
    ck_assert_uint_eq(store.frees, 2);
}
END_TEST

START_TEST(shared_memory_stays_until_the_work_that_uses_it_is_done)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 4096, &buffer), TRM_OK);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 1, 1), TRM_OK);
    trm_buffer_destroy(buffer);
    ck_assert_uint_eq(store.frees, 0);
    store_run(stream, UINT64_MAX);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(store.frees, 1);
}
END_TEST

START_TEST(the_host_has_the_address_of_shared_memory_where_memory_is_unified)
{
    struct trm_buffer *buffer;
    void *pointer = NULL;

    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 64, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &pointer), TRM_ERROR_UNSUPPORTED);
    trm_buffer_destroy(buffer);
    store.unified              = 1;
    store.core->limits.unified = 1;
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 64, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_host_pointer(buffer, &pointer), TRM_OK);
    ck_assert_ptr_eq(pointer, store_bytes(buffer));
    trm_buffer_destroy(buffer);
    store.no_address = 1;
    buffer           = NULL;
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 64, &buffer), TRM_ERROR_BACKEND);
    ck_assert_ptr_null(buffer);
}
END_TEST

START_TEST(shared_memory_that_finds_no_room_is_asked_for_again_without_what_the_pool_keeps)
{
    struct trm_buffer *kept = NULL, *shared = NULL;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 1 << 20, &kept), TRM_OK);
    store.memory_limit = store.bytes + 100;
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 4096, &shared),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    trm_buffer_destroy(kept);
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 4096, &shared), TRM_OK);
    trm_buffer_destroy(shared);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 1 << 20, &kept), TRM_OK);
    trm_buffer_destroy(kept);
    ck_assert_int_eq(trm_buffer_create_ipc(store.device, 4096, &shared), TRM_OK);
    trm_buffer_destroy(shared);
}
END_TEST

START_TEST(memory_that_cannot_be_shared_is_no_buffer)
{
    struct trm_buffer *buffer = NULL;

    asked.answer = TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    ck_assert_int_eq(trm_buffer_create_exportable(store.device, 64, &buffer), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(trm_buffer_import(store.device, TRM_HANDLE_OPAQUE_FD, 5, 64, &buffer),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(buffer);
    asked.answer = TRM_OK;
}
END_TEST

/* ---- memory of other processes ---- */

START_TEST(a_handle_for_other_processes_says_how_large_the_buffer_is)
{
    struct trm_ipc_handle handle = {.size = 7};
    struct trm_buffer *made, *opened;
    uint64_t size = 0;

    ck_assert_int_eq(trm_buffer_create_ipc(store.device, 777, &made), TRM_OK);
    ck_assert_uint_eq(asked.size, 777);
    ck_assert_int_eq(trm_buffer_get_ipc_handle(made, &handle), TRM_OK);
    ck_assert_uint_eq(handle.bytes[0], 0xab);
    ck_assert_uint_eq(handle.offset, 4096);
    ck_assert_uint_eq(handle.size, 777);
    ck_assert_int_eq(trm_buffer_open_ipc_handle(store.device, &handle, &opened), TRM_OK);
    ck_assert_uint_eq(asked.offset, 4096);
    ck_assert_int_eq(trm_buffer_size(opened, &size), TRM_OK);
    ck_assert_uint_eq(size, 777);
    trm_buffer_destroy(opened);
    trm_buffer_destroy(made);
    ck_assert_uint_eq(store.frees, 2);
}
END_TEST

START_TEST(memory_of_the_pool_has_no_handle_for_other_processes)
{
    struct trm_ipc_handle handle = {.size = 7};
    struct trm_buffer *buffer, *empty;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 256, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 0, &empty), TRM_OK);
    ck_assert_int_eq(trm_buffer_get_ipc_handle(buffer, &handle), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_buffer_get_ipc_handle(empty, &handle), TRM_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(handle.size, 7);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(empty);
}
END_TEST

START_TEST(a_handle_that_the_backend_cannot_give_or_open_leaves_nothing)
{
    struct trm_ipc_handle handle = {.size = 64};
    struct trm_buffer *made, *opened = NULL;

    memset(handle.bytes, 0xab, sizeof(handle.bytes));
    ck_assert_int_eq(trm_buffer_create_ipc(store.device, 64, &made), TRM_OK);
    asked.answer = TRM_ERROR_INVALID_ARGUMENT;
    ck_assert_int_eq(trm_buffer_get_ipc_handle(made, &handle), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(handle.offset, 0);
    ck_assert_int_eq(trm_buffer_open_ipc_handle(store.device, &handle, &opened), TRM_ERROR_INVALID_ARGUMENT);
    asked.answer  = TRM_OK;
    asked.size    = 0;
    handle.offset = UINT64_MAX - 63;
    ck_assert_int_eq(trm_buffer_open_ipc_handle(store.device, &handle, &opened), TRM_ERROR_OUT_OF_RANGE);
    handle = (struct trm_ipc_handle){.offset = 64};
    ck_assert_int_eq(trm_buffer_open_ipc_handle(store.device, &handle, &opened), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_buffer_open_ipc_handle(store.device, NULL, &opened), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(asked.size, 0);
    ck_assert_ptr_null(opened);
    trm_buffer_destroy(made);
}
END_TEST

/* ---- semaphores ---- */

START_TEST(semaphores_on_streams_are_operations_of_the_stream)
{
    struct trm_semaphore *semaphore;
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    uint64_t value                = 0;

    ck_assert_int_eq(trm_semaphore_create(store.device, &semaphore), TRM_OK);
    ck_assert_int_eq(trm_stream_wait_semaphore(stream, semaphore, 17), TRM_OK);
    ck_assert_int_eq(trm_stream_signal_semaphore(stream, semaphore, 18), TRM_OK);
    ck_assert_uint_eq(asked.waited, 17);
    ck_assert_uint_eq(asked.signalled, 18);
    ck_assert_int_eq(trm_semaphore_value(semaphore, &value), TRM_OK);
    ck_assert_uint_eq(value, 18);
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    ck_assert_uint_eq(stats.operations, 2);
    ck_assert_uint_eq(stats.waits, 1);
    asked.answer = TRM_ERROR_BACKEND;
    ck_assert_int_eq(trm_stream_wait_semaphore(stream, semaphore, 1), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_semaphore_value(semaphore, &value), TRM_ERROR_BACKEND);
    asked.answer = TRM_OK;
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    ck_assert_uint_eq(stats.operations, 2);
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(a_semaphore_ends_when_the_work_that_needs_it_has)
{
    struct trm_semaphore *semaphore;

    ck_assert_int_eq(trm_semaphore_create(store.device, &semaphore), TRM_OK);
    ck_assert_int_eq(trm_stream_wait_semaphore(stream, semaphore, 1), TRM_OK);
    trm_semaphore_destroy(semaphore);
    ck_assert_uint_eq(asked.destroyed, 0);
    store_run(stream, UINT64_MAX);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(asked.destroyed, 1);
}
END_TEST

START_TEST(an_imported_semaphore_is_one_like_any_other)
{
    struct trm_semaphore *semaphore;
    int32_t fd = -1;

    ck_assert_int_eq(trm_semaphore_import(store.device, TRM_HANDLE_OPAQUE_FD, 6, &semaphore), TRM_OK);
    ck_assert_int_eq(asked.fd, 6);
    ck_assert_int_eq(trm_semaphore_export(semaphore, TRM_HANDLE_OPAQUE_FD, &fd), TRM_OK);
    ck_assert_int_eq(fd, 11);
    trm_semaphore_destroy(semaphore);
    ck_assert_uint_eq(asked.destroyed, 1);
}
END_TEST

START_TEST(a_semaphore_that_cannot_be_made_is_none)
{
    struct trm_semaphore *semaphore = NULL;

    asked.answer = TRM_ERROR_OUT_OF_HOST_MEMORY;
    ck_assert_int_eq(trm_semaphore_create(store.device, &semaphore), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(trm_semaphore_import(store.device, TRM_HANDLE_OPAQUE_FD, 6, &semaphore),
                     TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_null(semaphore);
    asked.answer = TRM_OK;
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        handles_are_what_the_backend_says,
        a_handle_that_the_backend_has_not_is_not_written,
        a_backend_without_a_slot_answers_unsupported,
        shared_memory_does_not_come_from_the_pool,
        shared_memory_that_finds_no_room_is_asked_for_again_without_what_the_pool_keeps,
        shared_memory_stays_until_the_work_that_uses_it_is_done,
        the_host_has_the_address_of_shared_memory_where_memory_is_unified,
        memory_that_cannot_be_shared_is_no_buffer,
        a_handle_for_other_processes_says_how_large_the_buffer_is,
        memory_of_the_pool_has_no_handle_for_other_processes,
        a_handle_that_the_backend_cannot_give_or_open_leaves_nothing,
        semaphores_on_streams_are_operations_of_the_stream,
        a_semaphore_ends_when_the_work_that_needs_it_has,
        an_imported_semaphore_is_one_like_any_other,
        a_semaphore_that_cannot_be_made_is_none,
    };
    Suite *suite = suite_create("sharing");
    TCase *tests = tcase_create("sharing");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
