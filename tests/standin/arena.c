/* The addresses of device memory: a wide range, in which only allocated memory is mapped. Freed addresses are
 * reused as late as possible, so that an access to freed memory faults.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/standin/standin.h"

#define ARENA_BYTES (UINT64_C(1) << 36)
#define PAGE UINT64_C(4096)

struct range {
    uint64_t address, size; /* with the guard page behind it */
};

static uint64_t round_up(uint64_t size, uint64_t to)
{
    return (size + to - 1) / to * to;
}

static bool arena_open(struct device *device)
{
    if (device->arena != 0)
        return true;
    void *range = mmap(NULL, ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return false;
    device->arena      = (uint64_t)(uintptr_t)range;
    device->arena_next = device->arena;
    return true;
}

bool arena_has(const struct device *device, uint64_t address)
{
    return device->arena != 0 && address - device->arena < ARENA_BYTES;
}

/* The number of the first range that ends after `address`. */
static size_t first_behind(const struct device *device, uint64_t address)
{
    size_t low = 0, high = device->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (device->ranges[middle].address + device->ranges[middle].size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct device *device, size_t place, struct range range)
{
    if (device->range_count == device->range_capacity) {
        size_t capacity    = device->range_capacity == 0 ? 64 : 2 * device->range_capacity;
        struct range *more = realloc(device->ranges, capacity * sizeof(*more));
        if (more == NULL)
            return false;
        device->ranges         = more;
        device->range_capacity = capacity;
    }
    memmove(&device->ranges[place + 1], &device->ranges[place],
            (device->range_count - place) * sizeof(*device->ranges));
    device->ranges[place] = range;
    device->range_count++;
    return true;
}

/* Reserves the first free range at or after `from`; 0: there is no room. */
static uint64_t reserve_from(struct device *device, uint64_t from, uint64_t size, uint64_t alignment)
{
    uint64_t end = device->arena + ARENA_BYTES, at = round_up(from, alignment);

    for (size_t i = first_behind(device, at); at + size <= end; i++) {
        if (i == device->range_count || at + size <= device->ranges[i].address) {
            if (!insert(device, i, (struct range){.address = at, .size = size}))
                return 0;
            device->arena_next = at + size;
            return at;
        }
        at = round_up(device->ranges[i].address + device->ranges[i].size, alignment);
    }
    return 0;
}

uint64_t arena_reserve(struct device *device, uint64_t size, uint64_t alignment)
{
    if (!arena_open(device) || size > ARENA_BYTES / 2)
        return 0;
    uint64_t bytes = round_up(size, PAGE) + PAGE;
    uint64_t at    = reserve_from(device, device->arena_next, bytes, alignment);
    return at != 0 ? at : reserve_from(device, device->arena, bytes, alignment);
}

void arena_release(struct device *device, uint64_t address)
{
    size_t i = first_behind(device, address);

    void *place = (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
    (void)mmap(place, device->ranges[i].size, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    memmove(&device->ranges[i], &device->ranges[i + 1],
            (device->range_count - i - 1) * sizeof(*device->ranges));
    device->range_count--;
}

uint64_t device_memory_map(struct device *device, uint64_t size, uint64_t *mapped)
{
    if (size > standin_config.memory)
        return 0;
    uint64_t bytes = round_up(size, PAGE);
    if (device->used > standin_config.memory || bytes > standin_config.memory - device->used)
        return 0;
    uint64_t at = arena_reserve(device, bytes, PAGE);
    if (at == 0)
        return 0;
    void *place = (void *)(uintptr_t)at; // NOLINT(performance-no-int-to-ptr)
    if (mprotect(place, bytes, PROT_READ | PROT_WRITE) != 0) {
        arena_release(device, at);
        return 0;
    }
    memset(place, STANDIN_GARBAGE, bytes < STANDIN_GARBAGE_BYTES ? bytes : STANDIN_GARBAGE_BYTES);
    device->used += bytes;
    *mapped = bytes;
    return at;
}

void device_memory_unmap(struct device *device, uint64_t address, uint64_t mapped)
{
    arena_release(device, address);
    device->used -= mapped;
}
