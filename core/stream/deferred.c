/* Deferred destruction.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/deferred.h"

#include "core/device/device.h"
#include "core/stream/service.h"
#include "core/stream/stream_object.h"

/* A reap gives up after this many items that are still in flight: later ones are unlikely to be done. */
#define MAX_BUSY 16

static void append_locked(struct core_device *device, struct core_deferred *item)
{
    item->next = NULL;
    if (device->deferred_last != NULL)
        device->deferred_last->next = item;
    else
        device->deferred = item;
    device->deferred_last = item;
    atomic_fetch_add_explicit(&device->deferred_count, 1, memory_order_release);
}

void core_device_defer_unchecked(struct core_device *device, struct core_deferred *item)
{
    pthread_mutex_lock(&device->lock);
    append_locked(device, item);
    pthread_mutex_unlock(&device->lock);
}

/* Once the device's handle is dead only the end of one of its streams reaps. So this waits for an item that
 * is in flight on another device's stream; but not in a callback, which that stream may be waiting for. */
static bool has_ended(struct core_device *device, struct core_deferred *item)
{
    if (core_in_flight_is_done(item->in_flight))
        return true;
    if (core_object_is_alive(device->object.handle, CORE_DEVICE) || core_callback_current(NULL) != NULL ||
        !core_in_flight_is_foreign(item->in_flight, device))
        return false;
    core_in_flight_wait(item->in_flight, TRM_FOREVER);
    return core_in_flight_is_done(item->in_flight);
}

void core_device_defer(struct core_device *device, struct core_deferred *item)
{
    if (has_ended(device, item))
        item->destroy(item);
    else
        core_device_defer_unchecked(device, item);
}

static struct core_deferred *take_all(struct core_device *device)
{
    pthread_mutex_lock(&device->lock);
    struct core_deferred *list = device->deferred;
    device->deferred           = NULL;
    device->deferred_last      = NULL;
    pthread_mutex_unlock(&device->lock);
    return list;
}

/* Puts the remaining items back, in front of those that were added meanwhile. */
static void put_back(struct core_device *device, struct core_deferred *list)
{
    struct core_deferred *last = list;
    if (list == NULL)
        return;
    while (last->next != NULL)
        last = last->next;
    pthread_mutex_lock(&device->lock);
    last->next = device->deferred;
    if (device->deferred == NULL)
        device->deferred_last = last;
    device->deferred = list;
    pthread_mutex_unlock(&device->lock);
}

/* Destroys items of a list; returns those that are still in flight. */
static struct core_deferred *destroy_done(struct core_device *device, struct core_deferred *list)
{
    struct core_deferred *kept = NULL, **end = &kept;
    uint32_t busy = 0;
    while (list != NULL && busy < MAX_BUSY) {
        struct core_deferred *item = list;
        list                       = item->next;
        if (core_in_flight_is_done(item->in_flight)) {
            atomic_fetch_sub_explicit(&device->deferred_count, 1, memory_order_relaxed);
            item->destroy(item);
            continue;
        }
        *end = item;
        end  = &item->next;
        busy++;
    }
    *end = list;
    return kept;
}

void core_device_reap(struct core_device *device)
{
    if (atomic_load_explicit(&device->deferred_count, memory_order_relaxed) == 0)
        return;
    /* An item may hold the last reference but this one. */
    core_object_retain(&device->object);
    put_back(device, destroy_done(device, take_all(device)));
    core_object_release(&device->object);
}

void core_device_reap_last(struct core_device *device)
{
    struct core_deferred *list = take_all(device), *kept = NULL, **end = &kept;
    while (list != NULL) {
        struct core_deferred *item = list;
        list                       = item->next;
        if (has_ended(device, item)) {
            atomic_fetch_sub_explicit(&device->deferred_count, 1, memory_order_relaxed);
            item->destroy(item);
            continue;
        }
        *end = item;
        end  = &item->next;
    }
    *end = NULL;
    put_back(device, kept);
}

void core_device_reap_all(struct core_device *device)
{
    struct core_deferred *item;
    while ((item = take_all(device)) != NULL) {
        while (item != NULL) {
            struct core_deferred *next = item->next;
            core_in_flight_wait(item->in_flight, TRM_FOREVER);
            atomic_fetch_sub_explicit(&device->deferred_count, 1, memory_order_relaxed);
            item->destroy(item);
            item = next;
        }
    }
}
