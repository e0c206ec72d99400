/* The pool of one device: all memory of buffers except what the program imports and what the backend's
 * own pool allocates.
 *
 * Memory comes from the backend in slabs and is handed out in blocks of a size class. A block is
 *
 *     used      a buffer has it
 *     parked    freed in the order of a stream whose work may not have finished: that stream may reuse
 *               it at once, others when the work has finished
 *     free      nothing uses it; the block freed last is reused first, since its memory is warm
 *
 * Slabs of which every block is free are idle, and go back to the backend oldest first. Small classes
 * share slabs that double from slab to slab; a large block has a slab of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_POOL_H
#define CORE_MEMORY_POOL_H

#include <stdbool.h>
#include <trireme/pool.h>

#include "core/device/device.h"

struct core_block;
struct core_pool;
struct core_stream;

/* Called when a device is opened, and when nothing is left of it. */
int32_t core_pool_create(struct core_device *device, struct core_pool **pool);
void core_pool_destroy(struct core_pool *pool);

/* Called when a stream is drained (or has failed), before its backend's part is destroyed: its parked blocks
 * become free, and from now on none is parked on it. */
void core_pool_stream_end(struct core_stream *stream);

/* Allocates a block of at least `size` bytes (not 0) at an alignment (a power of two up to 2 MiB). With a
 * stream, the block may be one that was freed in its order; then its `value` is the operation up to which
 * it is in use, else 0. Without a stream all work on it has finished. Errors: OUT_OF_DEVICE_MEMORY, after
 * trimming and trying again; the backend's. */
int32_t core_pool_allocate(struct core_pool *pool, int32_t kind, uint64_t size, uint64_t alignment,
                           struct core_stream *stream, struct core_block **block);

/* Frees a block that no work uses any more. */
void core_pool_free(struct core_pool *pool, struct core_block *block);

/* Frees a block that is used by work of `stream` alone, up to what is enqueued there now. False when that
 * is not possible (no host memory, the stream has ended): then the caller still has the block. */
bool core_pool_park(struct core_pool *pool, struct core_block *block, struct core_stream *stream);

/* What trm_pool_trim() does, the backend's own pool included. Also destroys deferred objects. Errors: the
 * backend's, which matter only to a program that asked for it. */
int32_t core_pool_trim(struct core_pool *pool, uint64_t keep);

#endif
