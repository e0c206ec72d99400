/* Threads that sleep until one of several operations has ended.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/waiter.h"

#include "base/base.h"
#include "core/stream/notify.h"
#include "core/stream/service.h"

struct wait_entry {
    struct core_notification notification;
    struct core_waiter *waiter;
};

struct core_waiter {
    struct core_context *context;
    size_t size;
    _Atomic uint32_t references; /* of the thread, and of each notification that is still to come */
    _Atomic uint32_t notified;   /* how many have come; a futex */
    uint32_t added;
    struct wait_entry entries[];
};

struct core_waiter *core_waiter_create(struct core_context *context, uint32_t count)
{
    size_t size                = sizeof(struct core_waiter) + count * sizeof(struct wait_entry);
    struct core_waiter *waiter = core_allocate(context, size);
    if (waiter == NULL) {
        base_fail_memory("waiting for points");
        return NULL;
    }
    waiter->context = context;
    waiter->size    = size;
    atomic_init(&waiter->references, 1);
    return waiter;
}

void core_waiter_release(struct core_waiter *waiter)
{
    if (atomic_fetch_sub_explicit(&waiter->references, 1, memory_order_acq_rel) == 1)
        core_free(waiter->context, waiter, waiter->size);
}

void core_waiter_wake(struct core_waiter *waiter)
{
    atomic_fetch_add_explicit(&waiter->notified, 1, memory_order_release);
    base_futex_wake(&waiter->notified, 1);
}

/* The thread that wakes up asks the stream how the operation ended. */
static void entry_notified(struct core_notification *notification, int32_t status)
{
    struct core_waiter *waiter = ((struct wait_entry *)notification)->waiter;
    (void)status;
    core_waiter_wake(waiter);
    core_waiter_release(waiter);
}

int32_t core_waiter_add(struct core_waiter *waiter, struct core_stream *stream, uint64_t value)
{
    struct wait_entry *entry     = &waiter->entries[waiter->added++];
    entry->waiter                = waiter;
    entry->notification.notified = entry_notified;
    atomic_fetch_add_explicit(&waiter->references, 1, memory_order_relaxed);
    int32_t status = core_notify(stream, value, &entry->notification);
    if (status != TRM_OK)
        core_waiter_release(waiter); /* not the last reference: the thread has one */
    return status;
}

bool core_waiter_sleep(struct core_waiter *waiter, uint64_t deadline)
{
    bool is_awake;
    core_service_block();
    do
        is_awake = atomic_load_explicit(&waiter->notified, memory_order_acquire) != 0;
    while (!is_awake && base_futex_wait(&waiter->notified, 0, deadline));
    core_service_unblock();
    return is_awake;
}
