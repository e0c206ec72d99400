/* Trireme: allocation in stream order, and the pools behind all device memory.
 *
 * Every stream has a pool of size classes. Memory freed on a stream is reused on the same stream at
 * once, and on another one only when the work before the free is known to be done: no stream ever
 * waits for another because of the allocator.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_POOL_H
#define TRIREME_POOL_H

#include <trireme/api.h>
#include <trireme/buffer.h>

TRM_API_BEGIN

/* Allocate device memory in stream order: to be used by work enqueued on `stream` from now on, or
 * on streams that wait for a point marked after this call. Freed by trm_stream_free() or
 * trm_buffer_destroy().
 * Blocks      only when the driver has to be asked */
TRM_API int32_t trm_stream_alloc(struct trm_stream *stream, uint64_t size, struct trm_buffer **buffer);

/* Free a buffer in stream order: after everything enqueued on `stream` so far. The handle is
 * dead when this returns. BUSY for a buffer with further references (trm_buffer_retain()). */
TRM_API int32_t trm_stream_free(struct trm_stream *stream, struct trm_buffer *buffer);

struct trm_pool_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t used_bytes;     /* in live buffers, rounded to size classes */
    uint64_t cached_bytes;   /* held, ready for reuse */
    uint64_t reserved_bytes; /* taken from the driver: used + cached + lost to rounding */
    uint64_t peak_used_bytes;
    uint64_t allocations; /* asked of the pool */
    uint64_t reuses;      /* answered without the driver */
    uint64_t driver_allocations;
    uint64_t driver_frees;
};

TRM_API int32_t trm_pool_get_stats(struct trm_device *device, struct trm_pool_stats *stats);

/* Give cached memory back to the driver until at most `keep_bytes` stay cached. What was freed
 * in stream order but may still be in use stays. */
TRM_API int32_t trm_pool_trim(struct trm_device *device, uint64_t keep_bytes);

/* Cached memory above `bytes` goes back to the driver when buffers are freed. Starts as the
 * setting `pool.threshold`. */
TRM_API int32_t trm_pool_set_threshold(struct trm_device *device, uint64_t bytes);

TRM_API_END

#endif
