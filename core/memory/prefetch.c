/* Prefetch of unified memory.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/transfer.h"

int32_t trm_prefetch(struct trm_stream *stream, struct trm_span span, int32_t to_host)
{
    struct core_stream *found;
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = core_stream_begin(stream, &found);
    if (status == TRM_OK)
        status = core_span_resolve_on(found, span, &buffer, &length);
    if (status != TRM_OK)
        return status;
    if (buffer->kind != TRM_MEMORY_UNIFIED)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "only unified memory can be prefetched");
    if (to_host != 0 && to_host != 1)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "to_host is %" PRId32 "; it must be 0 or 1", to_host);
    if (length == 0 || found->ops->prefetch == NULL)
        return TRM_OK;

    uint64_t value = core_stream_next(found);
    base_error_clear();
    status = found->ops->prefetch(found->backend, value, buffer->memory, buffer->base + span.offset, length,
                                  (uint32_t)to_host);
    status = core_stream_commit_work(found, value, "stream.prefetch", status,
                                     to_host != 0 ? CORE_WORK_DOWNLOAD : CORE_WORK_UPLOAD, length);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&buffer->in_flight, found, value);
    core_stream_count(found, NULL);
    return TRM_OK;
}
