/* Trireme: allocation in stream order, and the pool behind a device's memory.
 *
 * Freed memory is cached in size classes. Memory that was freed on a stream is reused on that stream at once,
 * and on other streams when the work before the free is known to be done. So a stream never waits for another
 * one because of the allocator.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * device      the device whose pool is meant
 * Blocks      no
 * Threads     any
 * Ownership   the pool belongs to its device
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_POOL_H
#define TRIREME_POOL_H

#include <trireme/api.h>
#include <trireme/buffer.h>

TRM_API_BEGIN

/* Allocate device memory in stream order. Work that is enqueued on `stream` from now on may use it, and work
 * on streams that wait for a point marked after this call.
 *
 * size        bytes
 * buffer      receives the buffer
 * Threads     one at a time for each stream, as for enqueueing
 * Ownership   the caller frees the buffer with trm_stream_free() or trm_buffer_destroy()
 * Errors      OUT_OF_RANGE beyond TRM_DEVICE_MAX_BUFFER_BYTES; OUT_OF_DEVICE_MEMORY when the driver has no
 *             memory even after cached memory was given back; UNSUPPORTED on a stream that records into a
 *             graph; the stream's first failure
 */
TRM_API int32_t trm_stream_alloc(struct trm_stream *stream, uint64_t size, struct trm_buffer **buffer);

/* Free a buffer in stream order: after everything that is enqueued on `stream`. The handle is invalid when
 * the call returns TRM_OK, or the first failure of the stream: a failed stream frees the buffer all the same.
 *
 * buffer      any buffer of the stream's device
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      BUSY for a buffer with further references (trm_buffer_retain()); WRONG_DEVICE; UNSUPPORTED on a
 *             stream that records into a graph; the stream's first failure
 */
TRM_API int32_t trm_stream_free(struct trm_stream *stream, struct trm_buffer *buffer);

struct trm_pool_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t used_bytes;     /* in live buffers, rounded up to size classes */
    uint64_t cached_bytes;   /* kept for reuse */
    uint64_t reserved_bytes; /* taken from the driver: used, cached, and lost to rounding */
    uint64_t peak_used_bytes;
    uint64_t allocations; /* requested from the pool */
    uint64_t reuses;      /* served without the driver */
    uint64_t driver_allocations;
    uint64_t driver_frees;
};

/* Get the statistics of a pool; the caller sets the struct_size of `stats`. */
TRM_API int32_t trm_pool_get_stats(struct trm_device *device, struct trm_pool_stats *stats);

/* Give cached memory back to the driver until at most `keep_bytes` bytes are cached. Memory that was freed in
 * stream order and may still be in use stays.
 *
 * Errors      the backend's, where it caches memory itself
 */
TRM_API int32_t trm_pool_trim(struct trm_device *device, uint64_t keep_bytes);

/* Set how much memory stays cached: now and whenever a buffer is freed, cached memory above `bytes` goes back
 * to the driver. The first value is the setting `pool.threshold`. */
TRM_API int32_t trm_pool_set_threshold(struct trm_device *device, uint64_t bytes);

TRM_API_END

#endif
