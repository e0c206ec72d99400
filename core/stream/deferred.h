/* Deferred destruction: an object that is still in flight is destroyed when that work has ended.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_DEFERRED_H
#define CORE_STREAM_DEFERRED_H

#include "core/stream/in_flight.h"
#include "core/stream/service.h"

struct core_device;

/* Embedded in the object. The object itself keeps the device alive where that is needed. */
struct core_deferred {
    struct core_deferred *next;
    struct core_in_flight *in_flight;            /* the work that has to end first */
    void (*destroy)(struct core_deferred *item); /* called once, without locks held; frees the item */

    /* For a service thread that waits for the work. */
    struct core_device *device;
    struct core_job job;
};

/* Destroys the item now if its work has ended, else at a later reap: core_device_reap(), or the end of a
 * stream of the device. Waits for the work where no later reap is certain: the device's handle is dead, and
 * the work is on other devices. In a callback or a host function the service waits, after it. */
void core_device_defer(struct core_device *device, struct core_deferred *item);

/* The same without the check: for threads on which no object may be destroyed. */
void core_device_defer_unchecked(struct core_device *device, struct core_deferred *item);

/* Destroys the items whose work has ended. Called where memory is allocated, freed, waited for or counted;
 * cheap when there is no item. The caller keeps the device alive. */
void core_device_reap(struct core_device *device);

/* The same when a stream of the device has ended or the device's handle has died. Waits for the work of items
 * that no later reap is certain to find, as core_device_defer() does. */
void core_device_reap_ended(struct core_device *device);

/* Waits for all items and destroys them; called when the device ends. */
void core_device_reap_all(struct core_device *device);

#endif
