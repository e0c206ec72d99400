/* Blocking copies: a call writes or reads a part of a buffer and waits until that is done.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/memory/transfer.h"

/* Bytes up to which one thread's memcpy() is faster than an operation on a stream, to which the backend
 * may put more threads. */
#define MAX_MEMCPY (UINT64_C(1) << 20)

/* Waits for what was enqueued on the core's stream, and unlocks the stream. */
static int32_t finish(struct core_buffer *buffer, struct core_stream *stream, int32_t status)
{
    if (status == TRM_OK)
        status = core_stream_wait_value(stream, core_stream_next(stream) - 1, TRM_FOREVER);
    core_device_internal_unlock(buffer->device);
    return status;
}

int32_t core_buffer_write(struct core_buffer *buffer, uint64_t offset, const void *data, uint64_t size)
{
    struct core_stream *stream;

    if (size == 0)
        return TRM_OK;
    if (buffer->host != NULL &&
        (size <= MAX_MEMCPY || core_host_overlap(buffer->host + offset, size, data, size))) {
        if (data != NULL)
            memmove(buffer->host + offset, data, size);
        else
            memset(buffer->host + offset, 0, size);
        return TRM_OK;
    }
    int32_t status = core_device_internal_lock(buffer->device, &stream);
    if (status != TRM_OK)
        return status;
    if (data != NULL)
        status = core_copy_enqueue(stream, core_place(buffer, offset), core_place_host(data), size);
    else
        status = core_fill_buffer(stream, buffer, offset, size, 0, 1);
    return finish(buffer, stream, status);
}

int32_t core_buffer_read(struct core_buffer *buffer, uint64_t offset, void *data, uint64_t size)
{
    struct core_stream *stream;

    if (size == 0)
        return TRM_OK;
    if (buffer->host != NULL &&
        (size <= MAX_MEMCPY || core_host_overlap(buffer->host + offset, size, data, size))) {
        memmove(data, buffer->host + offset, size);
        return TRM_OK;
    }
    int32_t status = core_device_internal_lock(buffer->device, &stream);
    if (status != TRM_OK)
        return status;
    status = core_copy_enqueue(stream, core_place_host(data), core_place(buffer, offset), size);
    return finish(buffer, stream, status);
}
