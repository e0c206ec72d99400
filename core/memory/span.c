/* Checks of ranges: in buffers and in host memory.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/buffer.h"

void core_span_fail(const struct trm_span *span, const struct core_buffer *buffer)
{
    if (span->offset > buffer->size)
        base_fail(TRM_ERROR_OUT_OF_RANGE,
                  "offset %" PRIu64 " is past the end of a buffer of %" PRIu64 " bytes", span->offset,
                  buffer->size);
    else
        base_fail(TRM_ERROR_OUT_OF_RANGE,
                  "%" PRIu64 " bytes from offset %" PRIu64 " on go past the end of a buffer of %" PRIu64
                  " bytes",
                  span->length, span->offset, buffer->size);
}

int32_t core_buffer_check_device(const struct core_buffer *buffer, const struct core_device *device)
{
    if (buffer->device == device)
        return TRM_OK;
    return base_fail(TRM_ERROR_WRONG_DEVICE, "the buffer belongs to another device (%s) than the stream (%s)",
                     buffer->device->id, device->id);
}

int32_t core_host_check(const void *memory, uint64_t size)
{
    if (size == 0)
        return TRM_OK;
    if (memory == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "host memory of %" PRIu64 " bytes is NULL", size);
    if (size - 1 > UINTPTR_MAX - (uintptr_t)memory)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%" PRIu64 " bytes of host memory at %p go past the end of the address space", size,
                         memory);
    return TRM_OK;
}

bool core_host_overlap(const void *a, uint64_t a_size, const void *b, uint64_t b_size)
{
    uintptr_t a_begin = (uintptr_t)a, b_begin = (uintptr_t)b;

    if (a == NULL || b == NULL)
        return false;
    return a_begin < b_begin ? b_begin - a_begin < a_size : a_begin - b_begin < b_size;
}
