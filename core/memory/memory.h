/* Memory: buffers, arrays, the pool behind them, and transfers.
 *
 *     buffer.c, buffer_calls.c       a buffer's life; the functions of <trireme/buffer.h>
 *     span.c                         checks of spans and of host memory
 *     map.c, blocking_copy.c         mapping; copies that a call waits for
 *     array.c                        typed arrays
 *     pool.c, pool_calls.c           the pool of a device; the functions of <trireme/pool.h>
 *     slab.c, size_class.c           what the pool gets from the backend, and how it is cut
 *     pool_stream.c, pool_trim.c     memory freed in a stream's order; giving memory back
 *     stream_memory.c                allocating and freeing in a stream's order
 *     transfer.c, transfer_2d.c      copies; fill.c: fills; prefetch.c: prefetch of unified memory
 *     peer.c, staging.c              copies between devices; host memory for the time of some operations
 *     communicator.c                 a backend's own collectives
 *
 * Threads: every function may be called on any thread at once, but for one stream one at a time. A lock
 * guards each pool. Under it the pool asks backends how far streams are, which may take device->lock, and
 * allocates host memory; it allocates and frees the backend's memory without it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_MEMORY_H
#define CORE_MEMORY_MEMORY_H

#include "core/memory/buffer.h"
#include "core/memory/communicator.h"
#include "core/memory/pool.h"
#include "core/memory/transfer.h"

#endif
