/* vulkan backend: the table of host ranges.
 *
 * The table is protected by a sequence lock: a reader reads the sequence number, then the table, then checks
 * that the number is even and unchanged. The table's fields are atomic, with release stores and acquire
 * loads, so that a reader that sees part of a change also sees the changed number.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/host_ranges.h"

#include "backends/vulkan/memory/memory.h"

#define FIRST_CAPACITY 32u

void vulkan_host_ranges_init(struct vulkan_host_ranges *host_ranges,
                             const struct trm_backend_instance *instance)
{
    host_ranges->instance = instance;
    pthread_mutex_init(&host_ranges->lock, NULL);
    atomic_init(&host_ranges->sequence, 0);
    atomic_init(&host_ranges->table, NULL);
}

static uint64_t table_bytes(uint32_t capacity)
{
    return sizeof(struct vulkan_host_table) + capacity * sizeof(struct vulkan_host_range);
}

void vulkan_host_ranges_fini(struct vulkan_host_ranges *host_ranges)
{
    struct vulkan_host_table *table = atomic_load(&host_ranges->table);

    while (table != NULL) {
        struct vulkan_host_table *outgrown = table->outgrown;
        trm_util_release(host_ranges->instance->host, table, table_bytes(table->capacity));
        table = outgrown;
    }
    pthread_mutex_destroy(&host_ranges->lock);
}

/* ---- writers ------------------------------------------------------------------------------- */

static void range_copy(struct vulkan_host_range *to, struct vulkan_host_range *from)
{
    atomic_store_explicit(&to->begin, atomic_load_explicit(&from->begin, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(&to->end, atomic_load_explicit(&from->end, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(&to->memory, atomic_load_explicit(&from->memory, memory_order_relaxed),
                          memory_order_release);
}

static void change_begin(struct vulkan_host_ranges *host_ranges)
{
    atomic_fetch_add_explicit(&host_ranges->sequence, 1, memory_order_relaxed);
}

static void change_end(struct vulkan_host_ranges *host_ranges)
{
    atomic_fetch_add_explicit(&host_ranges->sequence, 1, memory_order_release);
}

/* Returns the table with room for one more range; NULL without memory. The caller holds the lock. */
static struct vulkan_host_table *table_with_room(struct vulkan_host_ranges *host_ranges)
{
    struct vulkan_host_table *table = atomic_load_explicit(&host_ranges->table, memory_order_relaxed);
    uint32_t count = table == NULL ? 0 : atomic_load_explicit(&table->count, memory_order_relaxed);

    if (table != NULL && count < table->capacity)
        return table;
    uint32_t capacity              = table == NULL ? FIRST_CAPACITY : table->capacity * 2;
    struct vulkan_host_table *made = trm_util_allocate(host_ranges->instance->host, table_bytes(capacity));
    if (made == NULL)
        return NULL;
    made->capacity = capacity;
    made->outgrown = table;
    for (uint32_t i = 0; i < count; i++)
        range_copy(&made->ranges[i], &table->ranges[i]);
    atomic_store_explicit(&made->count, count, memory_order_relaxed);
    atomic_store_explicit(&host_ranges->table, made, memory_order_release);
    return made;
}

bool vulkan_host_ranges_add(struct vulkan_host_ranges *host_ranges, struct trm_backend_memory *memory)
{
    uintptr_t begin = (uintptr_t)memory->host;

    if (memory->host == NULL)
        return true;
    pthread_mutex_lock(&host_ranges->lock);
    struct vulkan_host_table *table = table_with_room(host_ranges);
    if (table != NULL) {
        uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed), at = count;
        change_begin(host_ranges);
        for (; at > 0 && atomic_load_explicit(&table->ranges[at - 1].begin, memory_order_relaxed) > begin;
             at--)
            range_copy(&table->ranges[at], &table->ranges[at - 1]);
        atomic_store_explicit(&table->ranges[at].begin, begin, memory_order_release);
        atomic_store_explicit(&table->ranges[at].end, begin + memory->size, memory_order_release);
        atomic_store_explicit(&table->ranges[at].memory, memory, memory_order_release);
        atomic_store_explicit(&table->count, count + 1, memory_order_release);
        change_end(host_ranges);
    }
    pthread_mutex_unlock(&host_ranges->lock);
    return table != NULL;
}

void vulkan_host_ranges_remove(struct vulkan_host_ranges *host_ranges,
                               const struct trm_backend_memory *memory)
{
    pthread_mutex_lock(&host_ranges->lock);
    struct vulkan_host_table *table = atomic_load_explicit(&host_ranges->table, memory_order_relaxed);
    uint32_t count = table == NULL ? 0 : atomic_load_explicit(&table->count, memory_order_relaxed), at = 0;
    while (at < count && atomic_load_explicit(&table->ranges[at].memory, memory_order_relaxed) != memory)
        at++;
    if (at < count) {
        change_begin(host_ranges);
        for (; at + 1 < count; at++)
            range_copy(&table->ranges[at], &table->ranges[at + 1]);
        atomic_store_explicit(&table->count, count - 1, memory_order_release);
        change_end(host_ranges);
    }
    pthread_mutex_unlock(&host_ranges->lock);
}

/* ---- readers ------------------------------------------------------------------------------- */

/* While a writer is active the result may be wrong, but nothing outside the table is read. */
static struct trm_backend_memory *search(struct vulkan_host_table *table, uintptr_t begin, uint64_t size)
{
    uint32_t low = 0, high;

    if (table == NULL)
        return NULL;
    high = atomic_load_explicit(&table->count, memory_order_acquire);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (atomic_load_explicit(&table->ranges[middle].begin, memory_order_acquire) <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    struct vulkan_host_range *range = &table->ranges[low - 1];
    uintptr_t end                   = atomic_load_explicit(&range->end, memory_order_acquire);
    if (begin >= end || size > end - begin)
        return NULL;
    return atomic_load_explicit(&range->memory, memory_order_acquire);
}

struct trm_backend_memory *vulkan_host_ranges_find(struct vulkan_host_ranges *host_ranges,
                                                   const void *pointer, uint64_t size)
{
    uint64_t before                 = atomic_load_explicit(&host_ranges->sequence, memory_order_acquire);
    struct vulkan_host_table *table = atomic_load_explicit(&host_ranges->table, memory_order_acquire);

    struct trm_backend_memory *found = search(table, (uintptr_t)pointer, size);
    if (before % 2 == 0 && atomic_load_explicit(&host_ranges->sequence, memory_order_relaxed) == before)
        return found;
    pthread_mutex_lock(&host_ranges->lock);
    found = search(atomic_load_explicit(&host_ranges->table, memory_order_relaxed), (uintptr_t)pointer, size);
    pthread_mutex_unlock(&host_ranges->lock);
    return found;
}
