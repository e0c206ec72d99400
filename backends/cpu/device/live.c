/* cpu backend: the buffers whose addresses the program knows.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/live.h"

#include <string.h>
#include <trireme/backend_util.h>

#define FIRST_BUFFERS 64u

bool cpu_live_init(struct cpu_live *live)
{
    *live = (struct cpu_live){.count = 0};
    return pthread_mutex_init(&live->lock, NULL) == 0;
}

static uint64_t table_bytes(uint64_t capacity)
{
    return sizeof(struct cpu_live_table) + capacity * sizeof(struct trm_cpu_buffer);
}

/* The caller holds the lock. NULL is fine. */
static void drop(const struct trm_host *host, struct cpu_live_table *table)
{
    if (table != NULL && --table->references == 0)
        trm_util_release(host, table, table_bytes(table->capacity));
}

/* The list has changed: the next kernel needs a new table. */
static void forget_table(const struct trm_host *host, struct cpu_live *live)
{
    drop(host, live->table);
    live->table = NULL;
}

void cpu_live_fini(const struct trm_host *host, struct cpu_live *live)
{
    forget_table(host, live);
    trm_util_release(host, live->buffers, live->capacity * sizeof(*live->buffers));
    pthread_mutex_destroy(&live->lock);
}

/* The number of buffers that begin before `data`. */
static uint64_t count_below(const struct cpu_live *live, const void *data)
{
    uint64_t low = 0, high = live->count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((uintptr_t)live->buffers[middle].data < (uintptr_t)data)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool grow(const struct trm_host *host, struct cpu_live *live)
{
    uint64_t capacity = live->capacity == 0 ? FIRST_BUFFERS : live->capacity * 2;

    if (live->count < live->capacity)
        return true;
    struct trm_cpu_buffer *more = trm_util_allocate(host, capacity * sizeof(*more));
    if (more == NULL)
        return false;
    if (live->count != 0)
        memcpy(more, live->buffers, live->count * sizeof(*more));
    trm_util_release(host, live->buffers, live->capacity * sizeof(*live->buffers));
    live->buffers  = more;
    live->capacity = capacity;
    return true;
}

int32_t cpu_live_add(const struct trm_host *host, struct cpu_live *live, void *data, uint64_t size)
{
    pthread_mutex_lock(&live->lock);
    bool has_room = grow(host, live);
    if (has_room) {
        uint64_t at = count_below(live, data);
        memmove(live->buffers + at + 1, live->buffers + at, (live->count - at) * sizeof(*live->buffers));
        live->buffers[at] = (struct trm_cpu_buffer){data, size};
        live->count++;
        forget_table(host, live);
    }
    pthread_mutex_unlock(&live->lock);
    return has_room ? TRM_OK : trm_util_fail_host_memory(host, "the address of a buffer");
}

void cpu_live_remove(const struct trm_host *host, struct cpu_live *live, const void *data, uint64_t size)
{
    pthread_mutex_lock(&live->lock);
    for (uint64_t i = count_below(live, data); i < live->count && live->buffers[i].data == data; i++) {
        if (live->buffers[i].size != size)
            continue;
        live->count--;
        memmove(live->buffers + i, live->buffers + i + 1, (live->count - i) * sizeof(*live->buffers));
        forget_table(host, live);
        break;
    }
    pthread_mutex_unlock(&live->lock);
}

static uint64_t end_of(const struct trm_cpu_buffer *buffer)
{
    return (uint64_t)(uintptr_t)buffer->data + buffer->size;
}

/* Buffers that overlap, such as two imports of the same memory, become one. Those that only touch stay
 * two. */
static void fill(struct cpu_live_table *table, const struct cpu_live *live)
{
    for (uint64_t i = 0; i < live->count; i++) {
        const struct trm_cpu_buffer *next = &live->buffers[i];
        struct trm_cpu_buffer *last       = table->count == 0 ? NULL : &table->buffers[table->count - 1];
        if (last == NULL || (uint64_t)(uintptr_t)next->data >= end_of(last))
            table->buffers[table->count++] = *next;
        else if (end_of(next) > end_of(last))
            last->size = end_of(next) - (uint64_t)(uintptr_t)last->data;
    }
}

/* The caller holds the lock. */
static void make_table(const struct trm_host *host, struct cpu_live *live)
{
    live->table = trm_util_allocate(host, table_bytes(live->count));
    if (live->table == NULL)
        return;
    live->table->references = 1;
    live->table->capacity   = live->count;
    fill(live->table, live);
}

struct cpu_live_table *cpu_live_acquire(const struct trm_host *host, struct cpu_live *live)
{
    pthread_mutex_lock(&live->lock);
    if (live->table == NULL)
        make_table(host, live);
    struct cpu_live_table *table = live->table;
    if (table != NULL)
        table->references++;
    pthread_mutex_unlock(&live->lock);
    return table;
}

void cpu_live_release(const struct trm_host *host, struct cpu_live *live, struct cpu_live_table *table)
{
    pthread_mutex_lock(&live->lock);
    drop(host, table);
    pthread_mutex_unlock(&live->lock);
}
