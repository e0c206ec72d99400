/* Which streams use an object, and up to which operation: what keeps memory and code in place until
 * work is done.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_IN_FLIGHT_H
#define CORE_STREAM_IN_FLIGHT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/lock.h"

struct core_buffer;
struct core_context;
struct core_device;
struct core_stream;
struct core_use_block;

#define CORE_USES_INLINE 4

/* Who records holds the stream's use_lock, and then finds its slot without another: a slot is taken under `lock` of the set, and
 * given up under both. */
struct core_use_slot {
    _Atomic(struct core_stream *) stream; /* holds a reference; NULL: free */
    _Atomic uint64_t value;               /* the last operation of that stream that uses the object */
};

/* The last use by each stream. The first slots are inline; more are chained. Any number of threads
 * may record at once, each for a stream that it serialises. All zero to begin with. */
struct core_uses {
    struct core_lock lock;     /* before any stream's use_lock */
    _Atomic uint32_t occupied; /* slots that are not free; read without the lock to see that there are none */
    struct core_use_slot slots[CORE_USES_INLINE];
    _Atomic(struct core_use_block *) more;
};

/* Record that operation `value` of `stream` uses the object. On a stream that records, the set is a buffer's, and the
 * graph keeps the buffer. Else a lock nobody contends for and a compare when the stream is known already; nothing at all on a synchronous device. Cannot fail:
 * where memory for a further slot is missing, it waits for the operation itself. */
void core_use(struct core_uses *uses, struct core_stream *stream, uint64_t value);

/* The same of several buffers at once (some may be NULL), with the lock taken once. */
void core_use_buffers(struct core_buffer *const *buffers, uint32_t count, struct core_stream *stream,
                      uint64_t value);

/* Has all recorded work ended (well or badly)? Frees the slots of work that has. Sets no error. */
int32_t core_uses_finished(struct core_uses *uses);

/* Wait for it; TIMEOUT, DEADLOCK, or (when all has ended) the first failure of one of the streams. */
int32_t core_uses_wait(struct core_uses *uses, uint64_t timeout_ns);

/* Is any of it on a stream of another device? */
int32_t core_uses_foreign(struct core_uses *uses, const struct core_device *device);

/* Drop the references that the records hold. */
void core_uses_fini(struct core_context *context, struct core_uses *uses);

#endif
