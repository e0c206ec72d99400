/* Things that go when the work that uses them is done.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_DEFERRED_H
#define CORE_STREAM_DEFERRED_H

#include "core/stream/in_flight.h"

struct core_device;

/* Embedded in what waits to go. It keeps the device alive by itself where it has to. */
struct core_deferred {
    struct core_deferred *next;
    struct core_in_flight *in_flight;
    void (*go)(struct core_deferred *item); /* called once, without locks held; frees the item */
};

/* Let the item go now if its work has ended, else when somebody looks next (core_device_reap; the
 * end of any stream of the device). */
void core_device_defer(struct core_device *device, struct core_deferred *item);

/* The same without looking: for threads on which nothing may end. */
void core_device_defer_unchecked(struct core_device *device, struct core_deferred *item);

/* Let everything go whose work has ended. Called where memory is asked for, freed, waited for or
 * counted. Cheap when there is nothing. The caller keeps the device alive. */
void core_device_reap(struct core_device *device);

/* The last time that somebody looks for the device's own sake: when its handle has died. */
void core_device_reap_last(struct core_device *device);

/* Wait for all of it; when the device ends. */
void core_device_reap_all(struct core_device *device);

#endif
