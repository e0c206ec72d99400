/* What the tests of sharing have in common: a store that answers every call of interop, and notes what it was
 * asked.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_CORE_INTEROP_FIXTURE_H
#define TESTS_UNIT_CORE_INTEROP_FIXTURE_H

#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include <trireme/interop.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"
#include "tests/unit/store.h"

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

static int32_t ipc_export(struct trm_backend_memory *memory, struct trm_ipc_handle *handle)
{
    ck_assert_ptr_nonnull(memory);
    memset(handle->bytes, 0xab, sizeof(handle->bytes));
    handle->offset = 4096;
    handle->size   = 1; /* which is not the backend's to say */
    return asked.answer;
}

static int32_t ipc_open(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                        struct trm_backend_memory **memory)
{
    ck_assert_uint_eq(handle->bytes[63], 0xab);
    asked.offset = handle->offset;
    return memory_create(device, handle->size, memory);
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
        .ipc_create        = memory_create,
        .ipc_export        = ipc_export,
        .ipc_open          = ipc_open,
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

#endif
