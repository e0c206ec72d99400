/* The pool of one device: all memory behind buffers that the program does not bring itself.
 *
 * Memory comes from the backend in slabs and is handed out in blocks of a size class. A block is
 *
 *     used      a buffer has it
 *     parked    freed in the order of a stream whose work may not have finished: that stream may
 *               have it again at once, others when the work has finished
 *     free      nothing uses it; the last one freed is the first one given, since it is warm
 *
 * Slabs of which every block is free are idle, and go back to the backend oldest first. Small
 * classes share slabs that double from slab to slab; a large block has a slab of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_POOL_H
#define CORE_MEMORY_POOL_H

#include <trireme/pool.h>

#include "core/device/device.h"

struct core_block;
struct core_pool;
struct core_stream;

/* Called when a device is opened, and when nothing of it is left. */
int32_t core_pool_create(struct core_device *device, struct core_pool **pool);
void core_pool_destroy(struct core_pool *pool);

/* Called when a stream has been drained (or has failed), before its backend's part goes: what was
 * parked on it becomes free, and nothing is parked on it from now on. */
void core_pool_stream_end(struct core_stream *stream);

/* A block of at least `size` bytes (not 0) at an alignment (a power of two up to 2 MiB). With a
 * stream, the block may be one that was freed in its order (then its `value` tells up to which
 * operation it is in use, else that is 0); without one, all work on it has finished.
 * Errors: OUT_OF_DEVICE_MEMORY after trimming and trying again; what the backend says. */
int32_t core_pool_take(struct core_pool *pool, int32_t kind, uint64_t size, uint64_t alignment,
                       struct core_stream *stream, struct core_block **block);

/* Give back a block that no work uses any more. */
void core_pool_give(struct core_pool *pool, struct core_block *block);

/* Give back a block that only work of `stream` uses, up to what is enqueued there now. 0: that
 * cannot be (no host memory, the stream has ended): the caller still has the block. */
bool core_pool_park(struct core_pool *pool, struct core_block *block, struct core_stream *stream);

/* What trm_pool_trim() does, the backend's own pool included. Lets deferred things go too. */
void core_pool_trim(struct core_pool *pool, uint64_t keep);

#endif
