/* Which streams use an object, and up to which operation: what keeps memory and code in place until
 * work is done.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_IN_FLIGHT_H
#define CORE_STREAM_IN_FLIGHT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/base.h"

struct core_context;
struct core_device;
struct core_stream;
struct core_in_flight_block;

#define CORE_IN_FLIGHT_INLINE 4

/* Who records holds the stream's in_flight_lock, and then finds its slot without another: a slot is taken under `lock` of the set, and
 * given up under both. */
struct core_in_flight_slot {
    _Atomic(struct core_stream *) stream; /* holds a reference; NULL: free */
    _Atomic uint64_t value;               /* the last operation of that stream that set the object */
};

/* The last use by each stream. The first slots are inline; more are chained. Any number of threads
 * may record at once, each for a stream that it serialises. All zero to begin with. */
struct core_in_flight {
    struct base_lock lock;     /* before any stream's in_flight_lock */
    _Atomic uint32_t occupied; /* slots that are not free; read without the lock to see that there are none */
    struct core_in_flight_slot slots[CORE_IN_FLIGHT_INLINE];
    _Atomic(struct core_in_flight_block *) more;
};

/* Record that operation `value` of `stream` set the object. On a stream that records, the set is a buffer's, and the
 * graph keeps the buffer. Else a lock nobody contends for and a compare when the stream is known already; nothing at all on a synchronous device. Cannot fail:
 * where memory for a further slot is missing, it waits for the operation itself. */
void core_in_flight_add(struct core_in_flight *set, struct core_stream *stream, uint64_t value);

/* The same for several sets (some may be NULL), with the lock taken once. */
void core_in_flight_add_each(struct core_in_flight *const *sets, uint32_t count, struct core_stream *stream,
                             uint64_t value);

/* Has all recorded work ended (well or badly)? Frees the slots of work that has. Sets no error. */
int32_t core_in_flight_is_done(struct core_in_flight *set);

/* Wait for it; TIMEOUT, DEADLOCK, or (when all has ended) the first failure of one of the streams. */
int32_t core_in_flight_wait(struct core_in_flight *set, uint64_t timeout_ns);

/* Is any of it on a stream of another device? */
int32_t core_in_flight_is_foreign(struct core_in_flight *set, const struct core_device *device);

/* Drop the references that the records hold. */
void core_in_flight_fini(struct core_context *context, struct core_in_flight *set);

#endif
