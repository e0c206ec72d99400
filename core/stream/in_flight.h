/* What is in flight: which streams use an object, and up to which operation. It keeps memory and code in
 * place until the work is done.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_IN_FLIGHT_H
#define CORE_STREAM_IN_FLIGHT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

struct core_context;
struct core_device;
struct core_object;
struct core_stream;
struct core_in_flight_block;

#define CORE_IN_FLIGHT_INLINE 4

/* A slot is taken under the set's `lock`, and freed under that lock and the stream's in_flight_lock. So a
 * thread that holds only the stream's in_flight_lock can find and change the stream's own slot. */
struct core_in_flight_slot {
    _Atomic(struct core_stream *) stream; /* holds a reference; NULL: free */
    _Atomic uint64_t value;               /* the last operation of that stream that uses the object */
};

/* The last use of one object by each stream. The first slots are inline; further ones are in a chain of
 * blocks. Any number of threads may record at once, each for a stream that it serialises. Starts all zero but
 * for the owner. */
struct core_in_flight {
    /* The object that a graph enters so that what it uses stays: a buffer, an image, a sampler. NULL where no
     * operation that can be recorded uses the object. */
    struct core_object *owner;
    struct base_lock lock; /* before any stream's in_flight_lock and device->lock */
    /* Slots that are not free. Read without the lock to see that there are none. */
    _Atomic uint32_t occupied;
    struct core_in_flight_slot slots[CORE_IN_FLIGHT_INLINE];
    _Atomic(struct core_in_flight_block *) more;
};

/* Records that operation `value` of `stream` uses the object. For a stream that the set knows, this takes
 * an uncontended lock and compares a number; on a synchronous device it does nothing. On a recording stream
 * the set must have an owner, which the graph keeps. Cannot fail: without memory for a further slot
 * it waits for the operation. */
void core_in_flight_add(struct core_in_flight *set, struct core_stream *stream, uint64_t value);

/* The same for several sets (some may be NULL), with the stream's lock taken once. */
void core_in_flight_add_each(struct core_in_flight *const *sets, uint32_t count, struct core_stream *stream,
                             uint64_t value);

/* True if all recorded work has ended, well or badly. Frees the slots of work that has. Sets no error. */
bool core_in_flight_is_done(struct core_in_flight *set);

/* Waits for that. Errors: TIMEOUT; DEADLOCK; or, when all work has ended, the first failure of one of the
 * streams. */
int32_t core_in_flight_wait(struct core_in_flight *set, uint64_t timeout_ns);

/* True if any of the work is on a stream of this device, except its internal stream. */
bool core_in_flight_is_on(struct core_in_flight *set, const struct core_device *device);

/* Releases the references that the slots hold. */
void core_in_flight_fini(struct core_context *context, struct core_in_flight *set);

#endif
