/* vulkan backend: finds hazards between accesses.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/record/access.h"

#include <string.h>

static bool same_buffer(const struct vulkan_access *a, const struct vulkan_access *b)
{
    return a->buffer == b->buffer || a->buffer == VK_NULL_HANDLE || b->buffer == VK_NULL_HANDLE;
}

static bool overlap(const struct vulkan_access *a, const struct vulkan_access *b)
{
    return same_buffer(a, b) && a->begin < b->end && b->begin < a->end;
}

static bool covers(const struct vulkan_access *outer, const struct vulkan_access *inner)
{
    return (outer->buffer == inner->buffer || outer->buffer == VK_NULL_HANDLE) &&
           outer->begin <= inner->begin && inner->end <= outer->end;
}

static uint32_t stage_of(const struct vulkan_access *access)
{
    return access->flags & VULKAN_STAGES;
}

/* A barrier also makes visible everything that its source stages wrote, so that fewer barriers follow. */
static void widen(const struct vulkan_accesses *accesses, struct vulkan_barrier *barrier)
{
    for (uint32_t i = 0; i < accesses->count; i++)
        if ((accesses->each[i].flags & VULKAN_WRITE) != 0)
            barrier->source_writes |= stage_of(&accesses->each[i]) & barrier->source;
}

struct vulkan_barrier vulkan_access_find_barrier(const struct vulkan_accesses *accesses,
                                                 const struct vulkan_access *access, uint32_t count)
{
    struct vulkan_barrier barrier = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t stage = stage_of(&access[k]);
        for (uint32_t i = 0; i < accesses->count; i++) {
            const struct vulkan_access *before = &accesses->each[i];
            if (((before->flags | access[k].flags) & VULKAN_WRITE) == 0 ||
                (before->ordered & stage) == stage || !overlap(before, &access[k]))
                continue;
            barrier.source |= stage_of(before);
            barrier.destination |= stage;
        }
    }
    widen(accesses, &barrier);
    return barrier;
}

static bool is_before(const struct vulkan_access *access, const struct vulkan_barrier *barrier)
{
    if ((access->ordered & barrier->source) != 0)
        return true; /* ordered through an earlier barrier, which has made its writes available */
    uint32_t needed =
        (access->flags & VULKAN_WRITE) != 0 ? barrier->source & barrier->source_writes : barrier->source;
    return (stage_of(access) & ~needed) == 0;
}

void vulkan_access_apply_barrier(struct vulkan_accesses *accesses, const struct vulkan_barrier *barrier,
                                 uint32_t all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < accesses->count; i++) {
        struct vulkan_access *access = &accesses->each[i];
        if (is_before(access, barrier))
            access->ordered |= barrier->destination;
        if ((access->ordered & all) == all)
            continue;
        if (kept != i)
            accesses->each[kept] = *access;
        kept++;
    }
    accesses->count = kept;
}

/* Whether every conflict with `old` is also one with `access`, and every barrier after `access` also orders
 * `old`. */
static bool replaces(const struct vulkan_access *access, const struct vulkan_access *old)
{
    if (!covers(access, old) || (access->ordered & ~old->ordered) != 0)
        return false;
    if ((access->flags & VULKAN_WRITE) != 0)
        return (old->ordered & stage_of(access)) == stage_of(access) || (old->flags & ~access->flags) == 0;
    return (old->flags & ~access->flags) == 0;
}

static bool is_remembered(const struct vulkan_accesses *accesses, const struct vulkan_access *access)
{
    for (uint32_t i = 0; i < accesses->count; i++) {
        const struct vulkan_access *old = &accesses->each[i];
        if (old->ordered == access->ordered && (access->flags & ~old->flags) == 0 && covers(old, access))
            return true;
    }
    return false;
}

#define GAP 15u /* bytes between aligned reads of consecutive parts */

/* Merges adjacent ranges. Reading a few bytes more than needed can only cost a barrier. */
static bool join(struct vulkan_accesses *accesses, const struct vulkan_access *access)
{
    uint64_t gap = (access->flags & VULKAN_WRITE) != 0 ? 0 : GAP;
    for (uint32_t i = 0; i < accesses->count; i++) {
        struct vulkan_access *old = &accesses->each[i];
        if (old->buffer != access->buffer || old->flags != access->flags || old->ordered != access->ordered ||
            access->begin > old->end + gap || old->begin > access->end + gap)
            continue;
        if (access->begin < old->begin)
            old->begin = access->begin;
        if (access->end > old->end)
            old->end = access->end;
        return true;
    }
    return false;
}

bool vulkan_access_add(struct vulkan_accesses *accesses, const struct vulkan_access *access)
{
    uint32_t kept = 0;
    if (is_remembered(accesses, access))
        return true;
    for (uint32_t i = 0; i < accesses->count; i++) {
        if (replaces(access, &accesses->each[i]))
            continue;
        if (kept != i)
            accesses->each[kept] = accesses->each[i];
        kept++;
    }
    accesses->count = kept;
    if (join(accesses, access))
        return true;
    if (kept == VULKAN_ACCESSES_MOST)
        return false;
    accesses->each[kept] = *access;
    accesses->count++;
    return true;
}

struct vulkan_barrier vulkan_access_full_barrier(const struct vulkan_accesses *accesses, uint32_t all)
{
    struct vulkan_barrier barrier = {0, 0, 0};
    for (uint32_t i = 0; i < accesses->count; i++) {
        const struct vulkan_access *access = &accesses->each[i];
        barrier.source |= stage_of(access);
        barrier.destination = all;
        if ((access->flags & VULKAN_WRITE) != 0)
            barrier.source_writes |= stage_of(access);
    }
    return barrier;
}
