/* The tables of handles: opening, closing, and their slots.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/handle_table.h"

#include "core/object/handle.h"

#include <sys/mman.h>
#include <unistd.h>

#define NO_SLOT CORE_SLOT_MASK

/* A chunk of this size or more gives its pages back while no context uses it. */
#define RETURNED_LEAST (UINT64_C(64) << 10)

static struct core_handle_slot first_chunks[CORE_HANDLE_TABLES][1u << CORE_FIRST_CHUNK_BITS];

/* Until the first context exists. Zeros let every look-up take its slow way. */
static _Atomic uint32_t no_fork_words[CORE_HANDLE_TABLES];

struct core_handle_directory core_handle_directory = {.fork_words = no_fork_words};

/* ---- fork ---- */

/* NULL without memory. */
static _Atomic uint32_t *find_fork_words(void)
{
    _Atomic uint32_t *none  = no_fork_words;
    _Atomic uint32_t *words = atomic_load(&core_handle_directory.fork_words);
    if (words != none)
        return words;
    words = base_fork_words_create(CORE_HANDLE_TABLES);
    if (words == NULL || atomic_compare_exchange_strong(&core_handle_directory.fork_words, &none, words))
        return words;
    base_fork_words_destroy(words, CORE_HANDLE_TABLES); /* another thread was faster */
    return none;
}

bool core_handle_table_is_forked(const struct core_handle_table *table)
{
    uint32_t word = core_fork_word(core_table_number(table));
    return word != BASE_FORK_GUARDED &&
           (word == BASE_FORK_CHILD ||
            atomic_load_explicit(&table->process, memory_order_relaxed) != (int32_t)getpid());
}

/* ---- slots ---- */

static uint64_t free_word(uint64_t old, uint32_t first)
{
    return ((old >> CORE_SLOT_BITS) + 1) << CORE_SLOT_BITS | first;
}

/* Frees a chain of slots that is linked from first to last. */
static void slots_push(struct core_handle_table *table, uint32_t first, struct core_handle_slot *last)
{
    uint64_t head = atomic_load_explicit(&table->free, memory_order_relaxed);
    do {
        atomic_store_explicit(&last->content, head & CORE_SLOT_MASK, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&table->free, &head, free_word(head, first),
                                                    memory_order_release, memory_order_relaxed));
}

/* The chunk's memory: left by an earlier context, or new. NULL without memory. It comes from malloc(), not
 * from the program's allocator, since it outlives the context. */
static struct core_handle_slot *find_chunk(struct core_handle_table *table, uint32_t chunk)
{
    struct core_handle_slot *slots = atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed);
    if (slots != NULL)
        return slots;
    if (chunk == 0)
        return first_chunks[core_table_number(table)];
    return base_allocate_aligned(&base_system_allocator, core_chunk_slots(chunk) * sizeof(*slots), 64);
}

/* Adds the next chunk. A look-up may read its words meanwhile: they are dead before and after. */
COLD static int32_t slots_add(struct core_handle_table *table)
{
    uint32_t chunk = table->chunk_count;
    if (chunk >= CORE_CHUNKS - 1)
        return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "the context has %u objects, which is the limit",
                         core_chunk_first(CORE_CHUNKS - 1));
    struct core_handle_slot *slots = find_chunk(table, chunk);
    if (slots == NULL)
        return base_fail_memory("making room for handles");
    uint32_t count = core_chunk_slots(chunk);
    uint32_t first = core_chunk_first(chunk);
    uint64_t floor = atomic_load_explicit(&table->floor, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        atomic_store_explicit(&slots[i].word, floor << 32 | CORE_SLOT_DEAD, memory_order_relaxed);
        atomic_store_explicit(&slots[i].content, first + i + 1, memory_order_relaxed);
    }
    atomic_store_explicit(&table->chunks[chunk], slots, memory_order_release);
    table->chunk_count = chunk + 1;
    slots_push(table, first, &slots[count - 1]);
    return TRM_OK;
}

static int32_t slots_grow(struct core_handle_table *table)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&table->growth_lock);
    /* Another thread may have added slots while this one waited for the lock. */
    if ((atomic_load_explicit(&table->free, memory_order_relaxed) & CORE_SLOT_MASK) == NO_SLOT)
        status = slots_add(table);
    pthread_mutex_unlock(&table->growth_lock);
    return status;
}

int32_t core_slot_take(struct core_handle_table *table, uint32_t *number)
{
    uint64_t head = atomic_load_explicit(&table->free, memory_order_acquire);
    for (;;) {
        if ((head & CORE_SLOT_MASK) == NO_SLOT) {
            int32_t status = slots_grow(table);
            if (status != TRM_OK)
                return status;
            head = atomic_load_explicit(&table->free, memory_order_acquire);
            continue;
        }
        /* If another thread takes the slot meanwhile, `next` is invalid, but then the tag has changed. */
        struct core_handle_slot *slot = core_slot_at(table, head & CORE_SLOT_MASK);
        uint32_t next = atomic_load_explicit(&slot->content, memory_order_relaxed) & CORE_SLOT_MASK;
        if (atomic_compare_exchange_weak_explicit(&table->free, &head, free_word(head, next),
                                                  memory_order_acquire, memory_order_acquire)) {
            *number = head & CORE_SLOT_MASK;
            return TRM_OK;
        }
    }
}

/* A slot without generations left is never reused, so that a stale handle is always detected. */
void core_slot_free(struct core_handle_table *table, struct core_handle_slot *slot, uint64_t handle)
{
    if (core_handle_generation(handle) < CORE_GENERATION_MASK)
        slots_push(table, handle & CORE_SLOT_MASK, slot);
}

/* ---- tables ---- */

int32_t core_handle_table_open(struct core_handle_table **out)
{
    _Atomic uint32_t *words = find_fork_words();
    if (words == NULL)
        return base_fail_memory("making a table of handles");
    for (uint32_t number = 1; number < CORE_HANDLE_TABLES; number++) {
        struct core_handle_table *table = &core_handle_directory.tables[number];
        uint32_t state                  = CORE_TABLE_FREE;
        if (!atomic_compare_exchange_strong(&table->state, &state, CORE_TABLE_CLOSED))
            continue;
        uint64_t head = atomic_load_explicit(&table->free, memory_order_relaxed);
        atomic_store_explicit(&table->free, free_word(head, NO_SLOT), memory_order_relaxed);
        atomic_store_explicit(&table->process, (int32_t)getpid(), memory_order_relaxed);
        pthread_mutex_init(&table->growth_lock, NULL);
        atomic_store_explicit(&words[number], base_fork_mark(words), memory_order_relaxed);
        atomic_store_explicit(&table->state, CORE_TABLE_OPEN, memory_order_release);
        *out = table;
        return TRM_OK;
    }
    return base_fail(TRM_ERROR_BUSY, "there are %d contexts already, which is the limit",
                     CORE_HANDLE_TABLES - 1);
}

/* The highest generation that any slot of the table has had. */
static uint32_t highest_generation(const struct core_handle_table *table)
{
    uint32_t highest = atomic_load_explicit(&table->floor, memory_order_relaxed);
    for (uint32_t chunk = 0; chunk < table->chunk_count; chunk++) {
        struct core_handle_slot *slots = atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed);
        for (uint32_t i = 0; i < core_chunk_slots(chunk); i++) {
            uint32_t generation =
                atomic_load_explicit(&slots[i].word, memory_order_relaxed) >> 32 & CORE_GENERATION_MASK;
            highest = generation > highest ? generation : highest;
        }
    }
    return highest;
}

/* Gives the pages of the large chunks back. The addresses stay readable. Where the kernel refuses, as it
 * does for locked memory, the words stay as they are: dead. */
static void return_pages(const struct core_handle_table *table)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (uint32_t chunk = 0; chunk < table->chunk_count; chunk++) {
        uintptr_t slots = (uintptr_t)atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed);
        uint64_t size   = core_chunk_slots(chunk) * sizeof(struct core_handle_slot);
        uintptr_t begin = (slots + page - 1) / page * page;
        uintptr_t end   = (slots + size) / page * page;
        if (size >= RETURNED_LEAST && begin < end)
            madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
}

void core_handle_table_close(struct core_handle_table *table)
{
    atomic_store_explicit(&table->state, CORE_TABLE_CLOSED, memory_order_release);
    /* After some 250 million objects of contexts under this number, generations start again: detecting
     * handles that old is worth less than new room. */
    uint32_t highest = highest_generation(table);
    uint32_t floor   = highest < CORE_GENERATION_MASK - (1u << 24) ? highest : 0;
    atomic_store_explicit(&table->floor, floor, memory_order_relaxed);
    return_pages(table);
    table->chunk_count = 0;
    pthread_mutex_destroy(&table->growth_lock);
    atomic_store_explicit(&table->state, CORE_TABLE_FREE, memory_order_release);
}
