/* The hostile backend: interop. Memory is the template's, handles are numbers, semaphores do nothing.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <trireme/interop.h>

#include "backends/template/template.h"
#include "hostile.h"

struct trm_backend_semaphore {
    uint64_t value;
};

/* ---- handles -------------------------------------------------------------------------------------- */

static int32_t write_number(enum hostile_slot slot, uint64_t honest, uint64_t *number)
{
    struct hostile_answer answer = hostile_begin(slot);
    if (answer.status == TRM_OK && !answer.writes_nothing)
        *number = hostile_number(&answer, honest);
    return answer.status;
}

static int32_t device_handle(struct trm_backend_device *device, int32_t type, uint64_t *handle)
{
    (void)device;
    (void)type;
    return write_number(HOSTILE_DEVICE_HANDLE, 1, handle);
}

static int32_t stream_handle(struct trm_backend_stream *stream, int32_t type, uint64_t *handle)
{
    (void)stream;
    (void)type;
    return write_number(HOSTILE_STREAM_HANDLE, 2, handle);
}

static int32_t memory_handle(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                             uint64_t *offset)
{
    (void)memory;
    (void)type;
    *offset = 0;
    return write_number(HOSTILE_MEMORY_HANDLE, 3, handle);
}

static int32_t adopt(struct trm_backend_instance *instance, int32_t type, const void *native, uint32_t *index,
                     struct trm_backend_device **device)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_ADOPT);
    (void)type;
    (void)native;
    if (answer.status != TRM_OK)
        return answer.status;
    *index = (uint32_t)hostile_number(&answer, 1);
    return hostile_template()->device->open(instance, 0, device);
}

static int32_t stream_adopt(struct trm_backend_device *device, int32_t type, uint64_t native,
                            const struct trm_stream_desc *desc, struct trm_backend_stream **stream)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_STREAM_ADOPT);
    (void)type;
    (void)native;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    return hostile_template()->stream->create(device, desc, stream);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static int32_t make_memory(enum hostile_slot slot, struct trm_backend_device *device, uint64_t size,
                           struct trm_backend_memory **memory)
{
    struct hostile_answer answer = hostile_begin(slot);
    struct trm_memory_desc desc  = {
         .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = size, .alignment = 256};
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    return hostile_template()->memory->allocate(device, &desc, memory);
}

static int32_t memory_create(struct trm_backend_device *device, uint64_t size,
                             struct trm_backend_memory **memory)
{
    return make_memory(HOSTILE_MEMORY_CREATE, device, size, memory);
}

/* The number that lies is the file descriptor; an honest one is none that can be closed by mistake. */
static int32_t memory_export(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_MEMORY_EXPORT);
    (void)type;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    *fd   = (int32_t)hostile_number(&answer, INT32_MAX);
    *size = memory->size;
    return TRM_OK;
}

static int32_t memory_import(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                             struct trm_backend_memory **memory)
{
    (void)type;
    (void)fd;
    return make_memory(HOSTILE_MEMORY_IMPORT, device, size, memory);
}

static int32_t memory_adopt(struct trm_backend_device *device, int32_t type, uint64_t native, uint64_t offset,
                            uint64_t size, struct trm_backend_memory **memory)
{
    (void)type;
    (void)native;
    (void)offset;
    return make_memory(HOSTILE_MEMORY_ADOPT, device, size, memory);
}

static int32_t ipc_create(struct trm_backend_device *device, uint64_t size,
                          struct trm_backend_memory **memory)
{
    return make_memory(HOSTILE_IPC_CREATE, device, size, memory);
}

static int32_t ipc_export(struct trm_backend_memory *memory, struct trm_ipc_handle *handle)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_IPC_EXPORT);
    (void)memory;
    if (answer.status == TRM_OK && !answer.writes_nothing)
        memset(handle, 1, sizeof(*handle));
    return answer.status;
}

static int32_t ipc_open(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                        struct trm_backend_memory **memory)
{
    return make_memory(HOSTILE_IPC_OPEN, device, handle->size, memory);
}

/* ---- semaphores and events ------------------------------------------------------------------------ */

static int32_t make_semaphore(enum hostile_slot slot, struct trm_backend_semaphore **semaphore)
{
    struct hostile_answer answer = hostile_begin(slot);
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    *semaphore = calloc(1, sizeof(**semaphore));
    return *semaphore != NULL ? TRM_OK : TRM_ERROR_OUT_OF_HOST_MEMORY;
}

static int32_t semaphore_create(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore)
{
    (void)device;
    return make_semaphore(HOSTILE_SEMAPHORE_CREATE, semaphore);
}

static int32_t semaphore_import(struct trm_backend_device *device, int32_t type, int32_t fd,
                                struct trm_backend_semaphore **semaphore)
{
    (void)device;
    (void)type;
    (void)fd;
    return make_semaphore(HOSTILE_SEMAPHORE_IMPORT, semaphore);
}

static int32_t semaphore_export(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_SEMAPHORE_EXPORT);
    (void)semaphore;
    (void)type;
    if (answer.status == TRM_OK && !answer.writes_nothing)
        *fd = (int32_t)hostile_number(&answer, INT32_MAX);
    return answer.status;
}

static void semaphore_destroy(struct trm_backend_semaphore *semaphore)
{
    free(semaphore);
}

static int32_t semaphore_value(struct trm_backend_semaphore *semaphore, uint64_t *current)
{
    return write_number(HOSTILE_SEMAPHORE_VALUE, semaphore->value, current);
}

static int32_t take_number(enum hostile_slot slot, struct trm_backend_stream *stream, uint64_t value)
{
    struct hostile_answer answer = hostile_begin(slot);
    return answer.status != TRM_OK ? answer.status : hostile_nothing(stream, value);
}

static int32_t semaphore_wait(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    (void)semaphore;
    (void)semaphore_value;
    return take_number(HOSTILE_SEMAPHORE_WAIT, stream, value);
}

static int32_t semaphore_signal(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    (void)semaphore;
    (void)semaphore_value;
    return take_number(HOSTILE_SEMAPHORE_SIGNAL, stream, value);
}

static int32_t hand_over(struct trm_backend_stream *stream, uint64_t value)
{
    (void)stream;
    (void)value;
    return hostile_begin(HOSTILE_HAND_OVER).status;
}

static int32_t event_wait(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native)
{
    (void)type;
    (void)native;
    return take_number(HOSTILE_EVENT_WAIT, stream, value);
}

static int32_t event_record(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native)
{
    (void)type;
    (void)native;
    return take_number(HOSTILE_EVENT_RECORD, stream, value);
}

const struct trm_interop_ops hostile_interop_ops = {
    .struct_size       = sizeof(hostile_interop_ops),
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
    .event_wait        = event_wait,
    .event_record      = event_record,
    .ipc_create        = ipc_create,
    .ipc_export        = ipc_export,
    .ipc_open          = ipc_open,
};
