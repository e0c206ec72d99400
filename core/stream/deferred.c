/* Deferred destruction.
 *
 * An item waits in the list of its device until a reap finds that its work has ended. As long as the device's
 * handle is alive, another reap will come, at the latest when the handle dies. After that only the ends of
 * the device's streams are certain to reap. So the list of a device whose handle is dead has only items that
 * are in flight on streams of that device; a thread waits for the work of any other item.
 *
 * A stream may end while another thread decides whether to wait. `device->ends` counts the ends of streams
 * and the death of the handle. A thread reads it before it looks at an item, and puts the item into the list
 * only if the count is still the same; else it looks again.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/deferred.h"

#include "core/device/device.h"
#include "core/stream/service.h"
#include "core/stream/stream_object.h"

/* A reap gives up after this many items that are still in flight: later ones are unlikely to be done. */
#define MAX_BUSY 16

static uint64_t ends_of(const struct core_device *device)
{
    return atomic_load_explicit(&device->ends, memory_order_acquire);
}

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

/* False when a stream has ended since `ends` was read. */
static bool try_append(struct core_device *device, struct core_deferred *item, uint64_t ends)
{
    pthread_mutex_lock(&device->lock);
    bool is_current = ends_of(device) == ends;
    if (is_current)
        append_locked(device, item);
    pthread_mutex_unlock(&device->lock);
    return is_current;
}

/* ---- waiting for what no reap will find ------------------------------------------------------ */

static bool has_later_reap(const struct core_device *device, const struct core_deferred *item)
{
    return core_object_is_alive(device->object.handle, CORE_DEVICE) ||
           core_in_flight_is_on(item->in_flight, device);
}

static void wait_and_destroy(struct core_job *job)
{
    struct core_deferred *item = base_container_of(job, struct core_deferred, job);
    struct core_device *device = item->device;
    core_in_flight_wait(item->in_flight, TRM_FOREVER);
    item->destroy(item);
    core_object_release(&device->object);
}

/* The work may come after the callback or host function that the calling thread runs. So a service thread
 * waits after its current job. */
static void destroy_after_wait(struct core_device *device, struct core_deferred *item)
{
    core_object_retain(&device->object);
    item->device  = device;
    item->job.run = wait_and_destroy;
    if (!core_service_post_own(&item->job))
        wait_and_destroy(&item->job);
}

/* Destroys the item unless a reap will. */
static bool settle(struct core_device *device, struct core_deferred *item)
{
    if (core_in_flight_is_done(item->in_flight))
        item->destroy(item);
    else if (has_later_reap(device, item))
        return false;
    else
        destroy_after_wait(device, item);
    return true;
}

void core_device_defer(struct core_device *device, struct core_deferred *item)
{
    uint64_t ends;
    do {
        ends = ends_of(device);
        if (settle(device, item))
            return;
    } while (!try_append(device, item, ends));
}

/* ---- reaping --------------------------------------------------------------------------------- */

static struct core_deferred *take_all(struct core_device *device, uint64_t *ends)
{
    pthread_mutex_lock(&device->lock);
    struct core_deferred *list = device->deferred;
    device->deferred           = NULL;
    device->deferred_last      = NULL;
    *ends                      = ends_of(device);
    pthread_mutex_unlock(&device->lock);
    return list;
}

/* Puts the remaining items back, in front of those that were added meanwhile. False when a stream has ended
 * since `*ends` was read, and reads it again. */
static bool try_put_back(struct core_device *device, struct core_deferred *list, uint64_t *ends)
{
    struct core_deferred *last = list;
    if (list == NULL)
        return true;
    while (last->next != NULL)
        last = last->next;
    pthread_mutex_lock(&device->lock);
    bool is_current = ends_of(device) == *ends;
    *ends           = ends_of(device);
    if (is_current) {
        last->next = device->deferred;
        if (device->deferred == NULL)
            device->deferred_last = last;
        device->deferred = list;
    }
    pthread_mutex_unlock(&device->lock);
    return is_current;
}

static bool destroy_if_done(struct core_deferred *item)
{
    bool is_done = core_in_flight_is_done(item->in_flight);
    if (is_done)
        item->destroy(item);
    return is_done;
}

/* Destroys items of a list; returns those that are kept. `after_end`: no later reap is certain to find the
 * items that this one keeps. */
static struct core_deferred *destroy_some(struct core_device *device, struct core_deferred *list,
                                          bool after_end)
{
    struct core_deferred *kept = NULL, **end = &kept;
    uint32_t busy = 0;
    while (list != NULL && (after_end || busy < MAX_BUSY)) {
        struct core_deferred *item = list;
        list                       = item->next;
        if (after_end ? settle(device, item) : destroy_if_done(item)) {
            atomic_fetch_sub_explicit(&device->deferred_count, 1, memory_order_relaxed);
            continue;
        }
        *end = item;
        end  = &item->next;
        busy++;
    }
    *end = list;
    return kept;
}

static bool is_dead(const struct core_device *device)
{
    return !core_object_is_alive(device->object.handle, CORE_DEVICE);
}

/* While this thread has the list, a reap by another thread finds no items. So this thread also serves the
 * streams that end meanwhile. */
static void reap(struct core_device *device, bool after_end)
{
    uint64_t ends;
    if (atomic_load_explicit(&device->deferred_count, memory_order_relaxed) == 0)
        return;
    /* An item may hold the last reference but this one. */
    core_object_retain(&device->object);
    struct core_deferred *list = destroy_some(device, take_all(device, &ends), after_end && is_dead(device));
    while (!try_put_back(device, list, &ends))
        list = destroy_some(device, list, is_dead(device));
    core_object_release(&device->object);
}

void core_device_reap(struct core_device *device)
{
    reap(device, false);
}

void core_device_reap_ended(struct core_device *device)
{
    pthread_mutex_lock(&device->lock);
    atomic_fetch_add_explicit(&device->ends, 1, memory_order_release);
    pthread_mutex_unlock(&device->lock);
    reap(device, true);
}

void core_device_reap_all(struct core_device *device)
{
    struct core_deferred *item;
    uint64_t ends;
    while ((item = take_all(device, &ends)) != NULL) {
        while (item != NULL) {
            struct core_deferred *next = item->next;
            core_in_flight_wait(item->in_flight, TRM_FOREVER);
            atomic_fetch_sub_explicit(&device->deferred_count, 1, memory_order_relaxed);
            item->destroy(item);
            item = next;
        }
    }
}
