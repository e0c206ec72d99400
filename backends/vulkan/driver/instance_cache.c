/* vulkan backend: a cache of one VkInstance.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/instance_cache.h"

#include <stdatomic.h>
#include <unistd.h>

/* From this many instances on, one is kept permanently. A program that opens a context or two leaves nothing
 * behind. */
#define LASTING 4u

enum slot_state {
    SLOT_EMPTY,
    SLOT_FULL,
    SLOT_BUSY
};

/* The only state that belongs to no instance. No thread waits for it: a thread that finds it busy goes on
 * without the cache, and so does a child that was forked while it was busy. */
static struct {
    _Atomic int state;
    pid_t process; /* the process that created the instance: a forked child must not use it */
    struct vulkan_cached_instance cached;
} slot;

static _Atomic unsigned made;

static bool enter(int state)
{
    return atomic_compare_exchange_strong_explicit(&slot.state, &state, SLOT_BUSY, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void leave(int state)
{
    atomic_store_explicit(&slot.state, state, memory_order_release);
}

bool vulkan_instance_cache_put(const struct vulkan_cached_instance *cached)
{
    if (!enter(SLOT_EMPTY)) {
        if (!enter(SLOT_FULL))
            return false;
        if (slot.process == getpid()) {
            leave(SLOT_FULL);
            return false;
        }
    }
    slot.process = getpid();
    slot.cached  = *cached;
    leave(SLOT_FULL);
    return true;
}

/* `library` NULL: any. */
static bool take(const void *library, struct vulkan_cached_instance *cached)
{
    if (!enter(SLOT_FULL))
        return false;
    bool fits = slot.process == getpid() && (library == NULL || library == slot.cached.loader.library);
    if (fits)
        *cached = slot.cached;
    leave(fits ? SLOT_EMPTY : SLOT_FULL);
    return fits;
}

bool vulkan_instance_cache_take(const struct vulkan_loader *loader, struct vulkan_cached_instance *cached)
{
    return take(loader->library, cached);
}

void vulkan_instance_cache_drop(void)
{
    struct vulkan_cached_instance cached;
    if (vulkan_instance_cache_is_permanent() || !take(NULL, &cached))
        return;
    cached.destroy(cached.handle, NULL);
    vulkan_loader_close(&cached.loader);
}

void vulkan_instance_cache_count(void)
{
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
}

bool vulkan_instance_cache_is_permanent(void)
{
    return atomic_load_explicit(&made, memory_order_relaxed) >= LASTING;
}
