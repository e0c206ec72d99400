/* What a pool notes of its slots.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_POOL_NOTES_H
#define TESTS_UNIT_PIPELINE_POOL_NOTES_H

#include <check.h>

#include "pipeline/pool/pool.h"

/* What is noted of slots is what they are. Threads: any. */
static inline void ck_notes(struct pipeline_stream_pool *noted)
{
    uint64_t free_slots = 0, idle_slots = 0, used_slots = 0, bit = 1;
    base_lock_acquire(&noted->lock);
    for (uint32_t i = 0; i < TRM_STREAM_POOL_MOST; i++, bit <<= 1) {
        const struct pipeline_pool_slot *slot = &noted->slots[i];
        bool is_free                          = slot->state == PIPELINE_POOL_SLOT_FREE,
             is_empty                         = slot->state == PIPELINE_POOL_SLOT_EMPTY;
        bool is_idle                          = is_free && slot->watches == 0 && slot->unwatched == 0;
        free_slots |= is_free ? bit : 0;
        idle_slots |= is_idle ? bit : 0;
        used_slots |= is_empty || is_idle ? 0 : bit;
    }
    uint64_t free_noted = noted->free_slots, idle_noted = noted->idle_slots, used_noted = noted->used_slots;
    uint32_t used = noted->used;
    base_lock_release(&noted->lock);
    ck_assert_uint_eq(free_noted, free_slots);
    ck_assert_uint_eq(idle_noted, idle_slots);
    ck_assert_uint_eq(used_noted, used_slots);
    ck_assert_uint_eq(used, (uint32_t)__builtin_popcountll(used_slots));
}

#endif
