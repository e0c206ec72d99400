/* Handles, memory and semaphores that are shared with others, as the core sees them.
 * SPDX-License-Identifier: MIT
 */
#include <check.h>
#include <string.h>
#include <trireme/interop.h>
#include <trireme/trireme.h>

#include "runner.h"
#include "store.h"

struct trm_backend_semaphore {
    struct trm_backend_device *device;
    uint64_t value;
};

static struct store store;
static struct trm_context *context;
static struct trm_stream *stream;

/* What the backend was asked, and how it is to answer. */
static struct {
    struct trm_backend_device *device;
    int32_t answer; /* of all calls */
    uint32_t semaphores, destroyed, adopted;
    int32_t type, fd;
    uint64_t size, waited, signalled;
    uint64_t native, offset, handed; /* the last ones; handed: the number up to which a stream was */
    uint32_t handings, events;
} asked;

static int32_t device_handle(struct trm_backend_device *device, int32_t type, uint64_t *handle)
{
    ck_assert_ptr_eq(device, asked.device);
    asked.type = type;
    *handle    = 42;
    return asked.answer;
}

static int32_t stream_handle(struct trm_backend_stream *backend, int32_t type, uint64_t *handle)
{
    ck_assert_ptr_eq(backend, core_stream_find(stream)->backend);
    asked.type = type;
    *handle    = 43;
    return asked.answer;
}

static int32_t memory_handle(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                             uint64_t *offset)
{
    ck_assert_ptr_nonnull(memory);
    asked.type = type;
    *handle    = 44;
    *offset    = 1000;
    return asked.answer;
}

static int32_t adopt(struct trm_backend_instance *instance, int32_t type, const void *native, uint32_t *index,
                     struct trm_backend_device **device)
{
    ck_assert_ptr_eq(native, &asked);
    asked.type = type;
    asked.adopted++;
    *index = 3;
    if (asked.answer != TRM_OK)
        return asked.answer;
    return store.backend.device.open(instance, 0, device);
}

static int32_t memory_create(struct trm_backend_device *device, uint64_t size,
                             struct trm_backend_memory **memory)
{
    struct trm_memory_desc desc = {.struct_size = sizeof(desc), .size = size, .alignment = 256};

    asked.size = size;
    return asked.answer != TRM_OK ? asked.answer : store.backend.memory.allocate(device, &desc, memory);
}

static int32_t memory_export(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size)
{
    ck_assert_ptr_nonnull(memory);
    asked.type = type;
    *fd        = 9;
    *size      = 8192;
    return asked.answer;
}

static int32_t memory_import(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                             struct trm_backend_memory **memory)
{
    asked.type = type;
    asked.fd   = fd;
    return memory_create(device, size, memory);
}

static int32_t semaphore_create(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore)
{
    if (asked.answer != TRM_OK)
        return asked.answer;
    asked.semaphores++;
    *semaphore = calloc(1, sizeof(**semaphore));
    ck_assert_ptr_nonnull(*semaphore);
    (*semaphore)->device = device;
    return TRM_OK;
}

static int32_t semaphore_import(struct trm_backend_device *device, int32_t type, int32_t fd,
                                struct trm_backend_semaphore **semaphore)
{
    asked.type = type;
    asked.fd   = fd;
    return semaphore_create(device, semaphore);
}

static int32_t semaphore_export(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd)
{
    ck_assert_ptr_nonnull(semaphore);
    asked.type = type;
    *fd        = 11;
    return asked.answer;
}

static void semaphore_destroy(struct trm_backend_semaphore *semaphore)
{
    asked.destroyed++;
    free(semaphore);
}

static int32_t semaphore_value(struct trm_backend_semaphore *semaphore, uint64_t *current)
{
    *current = semaphore->value;
    return asked.answer;
}

/* An operation that does nothing: the stream waits for what it has come to already. */
static int32_t enqueue(struct trm_backend_stream *backend, uint64_t value)
{
    return asked.answer != TRM_OK ? asked.answer
                                  : store.backend.stream.wait_stream(backend, value, backend, 0);
}

static int32_t semaphore_wait(struct trm_backend_stream *backend, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t wanted)
{
    ck_assert_ptr_nonnull(semaphore);
    asked.waited = wanted;
    return enqueue(backend, value);
}

static int32_t semaphore_signal(struct trm_backend_stream *backend, uint64_t value,
                                struct trm_backend_semaphore *semaphore, uint64_t wanted)
{
    semaphore->value = wanted;
    asked.signalled  = wanted;
    return enqueue(backend, value);
}

static int32_t stream_adopt(struct trm_backend_device *device, int32_t type, uint64_t native,
                            const struct trm_stream_desc *desc, struct trm_backend_stream **backend)
{
    ck_assert_uint_eq(desc->struct_size, sizeof(*desc));
    asked.type   = type;
    asked.native = native;
    return asked.answer != TRM_OK ? asked.answer : store.backend.stream.create(device, desc, backend);
}

static int32_t memory_adopt(struct trm_backend_device *device, int32_t type, uint64_t native, uint64_t offset,
                            uint64_t size, struct trm_backend_memory **memory)
{
    asked.type   = type;
    asked.native = native;
    asked.offset = offset;
    return memory_create(device, size, memory);
}

static int32_t hand_over(struct trm_backend_stream *backend, uint64_t value)
{
    ck_assert_ptr_eq(backend, core_stream_find(stream)->backend);
    asked.handings++;
    asked.handed = value;
    return asked.answer;
}

static int32_t event(struct trm_backend_stream *backend, uint64_t value, int32_t type, uint64_t native)
{
    ck_assert_uint_eq(asked.handed, value - 1);
    asked.type   = type;
    asked.native = native;
    asked.events++;
    return enqueue(backend, value);
}

static void open_store(void)
{
    memset(&store, 0, sizeof(store));
    memset(&asked, 0, sizeof(asked));
    store_prepare(&store, "store");
    store.backend.interop = (struct trm_interop_ops){
        .device_handle     = device_handle,
        .stream_handle     = stream_handle,
        .memory_handle     = memory_handle,
        .adopt             = adopt,
        .memory_create     = memory_create,
        .memory_export     = memory_export,
        .memory_import     = memory_import,
        .semaphore_create  = semaphore_create,
        .semaphore_import  = semaphore_import,
        .semaphore_export  = semaphore_export,
        .semaphore_destroy = semaphore_destroy,
        .semaphore_value   = semaphore_value,
        .semaphore_wait    = semaphore_wait,
        .semaphore_signal  = semaphore_signal,
        .stream_adopt      = stream_adopt,
        .memory_adopt      = memory_adopt,
        .hand_over         = hand_over,
        .event_wait        = event,
        .event_record      = event,
    };
    context = store_context(NULL);
    store_open(&store, context);
    asked.device = store.core->device;
    stream       = store_stream(&store);
}

static void close_store(void)
{
    store_run(stream, UINT64_MAX);
    trm_stream_destroy(stream);
    store_close(&store);
    trm_context_destroy(context);
    ck_assert_uint_eq(asked.destroyed, asked.semaphores);
}

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
    struct trm_stream *other = NULL;
    uint64_t number          = 7;
    int32_t fd               = 7;

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

/* ---- devices ---- */

START_TEST(an_adopted_device_is_the_one_that_the_backend_says)
{
    struct core_device *device;

    ck_assert_int_eq(core_device_take_over(store.core->object.context, &store.backend,
                                           TRM_NATIVE_DEVICE_VULKAN, &asked, &device),
                     TRM_OK);
    ck_assert_uint_eq(device->index, 3);
    ck_assert_str_eq(device->id, "store:3");
    ck_assert_uint_eq(asked.adopted, 1);
    ck_assert_uint_gt(device->limits.max_buffer_bytes, 0);
    trm_device_destroy(device->object.handle);
}
END_TEST

START_TEST(a_device_that_cannot_be_adopted_leaves_nothing_behind)
{
    struct core_device *device = NULL;

    asked.answer = TRM_ERROR_NOT_FOUND;
    ck_assert_int_eq(core_device_take_over(store.core->object.context, &store.backend,
                                           TRM_NATIVE_DEVICE_VULKAN, &asked, &device),
                     TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_null(device);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_NOT_FOUND);
    asked.answer = TRM_OK;
}
END_TEST

/* ---- an application's own ---- */

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

int main(void)
{
    const TTest *const all[] = {
        handles_are_what_the_backend_says,
        a_handle_that_the_backend_has_not_is_not_written,
        a_backend_without_a_slot_answers_unsupported,
        an_adopted_device_is_the_one_that_the_backend_says,
        a_device_that_cannot_be_adopted_leaves_nothing_behind,
        an_adopted_stream_is_one_like_any_other,
        a_stream_that_cannot_be_adopted_is_none,
        adopted_memory_is_a_buffer_of_as_many_bytes,
        memory_that_cannot_be_adopted_is_no_buffer,
        native_events_are_operations_behind_what_was_handed_over,
        native_events_that_cannot_be_are_no_operations,
        without_handing_over_native_events_are_enqueued_at_once,
        shared_memory_does_not_come_from_the_pool,
        shared_memory_that_finds_no_room_is_asked_for_again_without_what_the_pool_keeps,
        shared_memory_stays_until_the_work_that_uses_it_is_done,
        the_host_has_the_address_of_shared_memory_where_memory_is_unified,
        memory_that_cannot_be_shared_is_no_buffer,
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
    return run_suite(suite);
}
