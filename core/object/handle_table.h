/* The tables of handles, one for each number that a context can have.
 *
 * A look-up takes no lock and does not count itself, and the program may pass any value at any time: a handle
 * of a context that another thread destroys at this moment, or one of its own invention. So nothing that a
 * look-up reads is ever freed. The tables are static. A table keeps its chunks of slots for the next context
 * of its number; the pages of large chunks go back to the kernel meanwhile, and read as zeros. The words of
 * the slots tell which handles are valid, and their generations only grow, so that a later context rejects
 * the handles of an earlier one.
 *
 * The bits of a handle, from the top: context 8, type 5, generation 27, slot 24. The bits of a slot's word:
 * type 5, generation 27, dead 1, pins 31. The upper half of the word equals the middle of the slot's valid
 * handle, so that one comparison checks everything. A free slot is dead and keeps its last generation. The
 * word 0 is valid for no handle, since no type is 0.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_HANDLE_TABLE_H
#define CORE_OBJECT_HANDLE_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

#define CORE_HANDLE_TABLES 256 /* number 0 is not used */
#define CORE_SLOT_BITS 24
#define CORE_SLOT_MASK 0xffffffu
#define CORE_GENERATION_BITS 27
#define CORE_GENERATION_MASK 0x7ffffffu
#define CORE_HANDLE_TYPES 32
#define CORE_SLOT_DEAD (UINT64_C(1) << 31)
#define CORE_SLOT_PINS (CORE_SLOT_DEAD - 1)

/* Chunks double in size, from 64 slots, so that a small table is small and a slot is found without a
 * search. The last pointer stays NULL: it stands for the last 64 numbers of 24 bits. */
#define CORE_FIRST_CHUNK_BITS 6
#define CORE_CHUNKS (CORE_SLOT_BITS - CORE_FIRST_CHUNK_BITS + 1)

struct core_handle_slot {
    _Atomic uint64_t word;
    _Atomic uintptr_t content; /* the object; in a free slot, the number of the next free one */
};

enum core_table_state {
    CORE_TABLE_FREE   = 0,
    CORE_TABLE_CLOSED = 1, /* a thread opens or closes it */
    CORE_TABLE_OPEN   = 2, /* a context has it */
};

struct core_handle_table {
    _Atomic(struct core_handle_slot *) chunks[CORE_CHUNKS]; /* each is set once */
    _Atomic uint32_t state;                                 /* enum core_table_state */
    _Atomic uint32_t floor;             /* earlier contexts have used generations up to this one */
    _Atomic int32_t process;            /* that opened the table */
    uint32_t chunk_count;               /* the chunks that this context uses; under growth_lock */
    _Alignas(64) _Atomic uint64_t free; /* tag 40, first free slot 24; every push and pop changes the tag */
    pthread_mutex_t growth_lock;        /* guards adding chunks */
};

/* The only mutable global of the library, beside a bit in core/settings/unknown_variable.c and the list in
 * pipeline/context/program_profile.c. */
struct core_handle_directory {
    _Atomic(_Atomic uint32_t *) fork_words; /* one for each table; base/fork.h */
    struct core_handle_table tables[CORE_HANDLE_TABLES];
};
extern struct core_handle_directory core_handle_directory;

/* Takes a free slot. Errors: OUT_OF_HOST_MEMORY. */
int32_t core_slot_take(struct core_handle_table *table, uint32_t *number);

/* Frees the slot of a handle that is dead. */
void core_slot_free(struct core_handle_table *table, struct core_handle_slot *slot, uint64_t handle);

/* Does the process lack the table's context, because it is the child of the one that has it? */
bool core_handle_table_is_forked(const struct core_handle_table *table);

/* ---- parts of handles, words and tables ---- */

static inline uint32_t core_handle_type(uint64_t handle)
{
    return (uint32_t)(handle >> (CORE_SLOT_BITS + CORE_GENERATION_BITS)) & (CORE_HANDLE_TYPES - 1);
}

static inline uint32_t core_handle_generation(uint64_t handle)
{
    return (uint32_t)(handle >> CORE_SLOT_BITS) & CORE_GENERATION_MASK;
}

static inline bool core_slot_is_live(uint64_t word, uint64_t handle)
{
    return word >> 31 == (uint64_t)(uint32_t)(handle >> CORE_SLOT_BITS) << 1;
}

static inline struct core_handle_table *core_table_of(uint64_t handle)
{
    return &core_handle_directory.tables[handle >> 56];
}

static inline uint32_t core_table_number(const struct core_handle_table *table)
{
    return (uint32_t)(table - core_handle_directory.tables);
}

static inline bool core_table_is_open(const struct core_handle_table *table)
{
    return atomic_load_explicit(&table->state, memory_order_acquire) == CORE_TABLE_OPEN;
}

static inline uint32_t core_fork_word(uint32_t number)
{
    const _Atomic uint32_t *words =
        atomic_load_explicit(&core_handle_directory.fork_words, memory_order_acquire);
    return atomic_load_explicit(&words[number], memory_order_relaxed);
}

static inline uint32_t core_chunk_slots(uint32_t chunk)
{
    return 1u << (CORE_FIRST_CHUNK_BITS + chunk);
}

/* The number of a chunk's first slot. */
static inline uint32_t core_chunk_first(uint32_t chunk)
{
    return core_chunk_slots(chunk) - core_chunk_slots(0);
}

/* NULL in a chunk that no context has used. */
static inline struct core_handle_slot *core_slot_at(const struct core_handle_table *table, uint32_t number)
{
    uint32_t shifted = number + core_chunk_slots(0);
    uint32_t highest = 31u ^ (uint32_t)__builtin_clz(shifted); /* of its bits */
    struct core_handle_slot *base =
        atomic_load_explicit(&table->chunks[highest - CORE_FIRST_CHUNK_BITS], memory_order_acquire);
    return base ? base + (shifted - (1u << highest)) : NULL;
}

#endif
