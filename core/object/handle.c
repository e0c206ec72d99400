/* Handles, reference counts and generations.
 *
 * The bits of a handle, from the top: context 8, type 4, generation 28, slot 24. The bits of a slot's word:
 * type 4, generation 28, dead 1, pins 31. The upper half of the word equals the middle of the slot's valid
 * handle, so that one comparison checks everything. A free slot is dead and keeps its last generation.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/handle.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/context.h"
#include "core/object/log.h"

#define CONTEXTS 256 /* number 0 is not used */
#define SLOT_BITS 24
#define SLOT_MASK 0xffffffu
#define GENERATION_BITS 28
#define GENERATION_MASK 0xfffffffu
#define DEAD (UINT64_C(1) << 31)
#define PINS (DEAD - 1)
#define NO_SLOT SLOT_MASK

/* Chunks double in size, from 64 slots, so that a small table is small and a slot is found without a
 * search. The last pointer stays NULL: it stands for the last 64 numbers of 24 bits. */
#define FIRST_BITS 6
#define CHUNKS (SLOT_BITS - FIRST_BITS + 1)

struct core_handle_slot {
    _Atomic uint64_t word;
    _Atomic uintptr_t content; /* the object; in a free slot, the number of the next free one */
};

struct core_handle_table {
    struct core_context *context;
    const _Atomic uint32_t *fork_word;
    pid_t process;
    uint32_t number;             /* of the context */
    uint32_t floor;              /* earlier contexts have used generations up to this one */
    _Atomic uint64_t free;       /* tag 40, first free slot 24; the tag changes at every push and pop */
    pthread_mutex_t growth_lock; /* guards adding chunks */
    _Atomic(struct core_handle_slot *) chunks[CHUNKS];
};

/* The only mutable global of the library. A context that reuses a number starts above its floor of
 * generations, so that it rejects the handles of earlier contexts. */
static struct {
    _Atomic(struct core_handle_table *) tables[CONTEXTS];
    _Atomic uint32_t floors[CONTEXTS];
    /* Threads inside core_object_enter_late(), during which no table is freed. Process 32, count 32: the
     * child of a fork must ignore threads that exist only in the parent. */
    _Atomic uint64_t visitors;
} directory;

static const char *const type_names[16] = {
    [CORE_CONTEXT]     = "context",
    [CORE_DEVICE]      = "device",
    [CORE_STREAM]      = "stream",
    [CORE_EVENT]       = "event",
    [CORE_BUFFER]      = "buffer",
    [CORE_ARRAY]       = "array",
    [CORE_MODULE]      = "module",
    [CORE_KERNEL]      = "kernel",
    [CORE_SHADER]      = "shader",
    [CORE_GRAPH]       = "graph",
    [CORE_GRAPH_EXEC]  = "graph instance",
    [CORE_PIPELINE]    = "pipeline",
    [CORE_COORDINATOR] = "coordinator",
    [CORE_SEMAPHORE]   = "semaphore",
};

/* ---- parts of handles and words ---- */

static uint32_t type_of(uint64_t handle)
{
    return (uint32_t)(handle >> (SLOT_BITS + GENERATION_BITS)) & 0xf;
}

static uint32_t generation_of(uint64_t handle)
{
    return (uint32_t)(handle >> SLOT_BITS) & GENERATION_MASK;
}

static bool is_live(uint64_t word, uint64_t handle)
{
    return word >> 31 == (uint64_t)(uint32_t)(handle >> SLOT_BITS) << 1;
}

static struct core_handle_table *table_of(uint64_t handle)
{
    return atomic_load_explicit(&directory.tables[handle >> 56], memory_order_acquire);
}

static uint32_t chunk_slots(uint32_t chunk)
{
    return 1u << (FIRST_BITS + chunk);
}

/* The number of a chunk's first slot. */
static uint32_t chunk_first(uint32_t chunk)
{
    return chunk_slots(chunk) - chunk_slots(0);
}

static inline struct core_handle_slot *slot_at(const struct core_handle_table *table, uint32_t number)
{
    uint32_t shifted = number + chunk_slots(0);
    uint32_t highest = 31u ^ (uint32_t)__builtin_clz(shifted); /* of its bits */
    struct core_handle_slot *base =
        atomic_load_explicit(&table->chunks[highest - FIRST_BITS], memory_order_acquire);
    return base ? base + (shifted - (1u << highest)) : NULL;
}

/* Does the word alone prove that there was no fork? */
static inline bool is_guarded(const struct core_handle_table *table)
{
    return atomic_load_explicit(table->fork_word, memory_order_relaxed) == BASE_FORK_GUARDED;
}

static bool is_forked(const struct core_handle_table *table)
{
    uint32_t word = atomic_load_explicit(table->fork_word, memory_order_relaxed);
    return word != BASE_FORK_GUARDED && (word == BASE_FORK_CHILD || table->process != getpid());
}

bool core_is_forked(const struct core_context *context)
{
    return is_forked(context->handles);
}

/* ---- errors of handles ---- */

static const char *article(const char *name)
{
    return name[0] == 'a' || name[0] == 'e' ? "an" : "a";
}

static int32_t fail_forked(void)
{
    return base_fail_static(TRM_ERROR_FORKED,
                            "this context was created before fork(); it works only in the parent process");
}

static int32_t fail_destroyed(uint32_t type)
{
    return base_fail(TRM_ERROR_INVALID_HANDLE, "this %s has been destroyed", type_names[type]);
}

/* The type is right, but the slot has another generation. */
static int32_t fail_stale(const struct core_handle_table *table, uint64_t handle)
{
    const struct core_handle_slot *slot = slot_at(table, handle & SLOT_MASK);
    const char *name                    = type_names[type_of(handle)];
    uint64_t word                       = slot ? atomic_load(&slot->word) : 0;
    uint32_t latest                     = word >> 32 & GENERATION_MASK;
    uint32_t given                      = generation_of(handle);
    if (given == 0 || given > latest || (given == latest && word >> 60 != type_of(handle)))
        return base_fail(TRM_ERROR_INVALID_HANDLE, "this was never a handle of %s %s", article(name), name);
    return fail_destroyed(type_of(handle));
}

static int32_t fail_handle(uint64_t handle, enum core_type type)
{
    const char *wanted = type_names[type];
    if (handle == 0)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "expected %s %s, got NULL", article(wanted), wanted);
    const char *given = type_names[type_of(handle)];
    if (handle >> 56 == 0 || given == NULL)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "expected %s %s, got a value that is no handle",
                         article(wanted), wanted);
    const struct core_handle_table *table = table_of(handle);
    if (table == NULL && type_of(handle) == CORE_CONTEXT)
        return fail_destroyed(CORE_CONTEXT);
    if (table == NULL)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "the context of this %s has been destroyed", given);
    if (is_forked(table))
        return fail_forked();
    if (type_of(handle) != type)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "expected %s %s, got %s %s", article(wanted), wanted,
                         article(given), given);
    return fail_stale(table, handle);
}

/* ---- finding and entering ---- */

/* The slot of a valid handle, or NULL. Every call runs this, so it has no branches besides the checks. */
static inline __attribute__((always_inline)) struct core_handle_slot *find_in(
    const struct core_handle_table *table, uint64_t handle, enum core_type type)
{
    struct core_handle_slot *slot = slot_at(table, handle & SLOT_MASK);
    if (!LIKELY(slot != NULL))
        return NULL;
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    return LIKELY(is_live(word, handle)) && LIKELY(type_of(handle) == type) ? slot : NULL;
}

/* The same from the directory on. NULL also where the fork word alone proves nothing; find_slot_slowly()
 * decides then. */
static inline __attribute__((always_inline)) struct core_handle_slot *find_slot(uint64_t handle,
                                                                                enum core_type type)
{
    const struct core_handle_table *table = table_of(handle);
    return LIKELY(table != NULL) && LIKELY(is_guarded(table)) ? find_in(table, handle, type) : NULL;
}

COLD static struct core_handle_slot *find_slot_slowly(uint64_t handle, enum core_type type)
{
    const struct core_handle_table *table = table_of(handle);
    return table != NULL && !is_forked(table) ? find_in(table, handle, type) : NULL;
}

static struct core_object *object_in(const struct core_handle_slot *slot)
{
    return (struct core_object *)atomic_load_explicit(&slot->content, memory_order_relaxed);
}

/* Counts a call that enters the object. False if the handle is no longer valid. */
static bool pin(struct core_handle_slot *slot, uint64_t handle)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    do {
        if (!is_live(word, handle))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&slot->word, &word, word + 1, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}

/* Sets the last error; NULL. */
COLD static void *not_found(uint64_t handle, enum core_type type)
{
    fail_handle(handle, type);
    return NULL;
}

COLD static void *find_slowly(uint64_t handle, enum core_type type)
{
    struct core_handle_slot *slot = find_slot_slowly(handle, type);
    return slot != NULL ? object_in(slot) : not_found(handle, type);
}

COLD static void *enter_slowly(uint64_t handle, enum core_type type)
{
    struct core_handle_slot *slot = find_slot_slowly(handle, type);
    return slot != NULL && pin(slot, handle) ? object_in(slot) : not_found(handle, type);
}

void *core_object_find(const void *handle, enum core_type type)
{
    uint64_t bits                 = (uintptr_t)handle;
    struct core_handle_slot *slot = find_slot(bits, type);
    return LIKELY(slot != NULL) ? object_in(slot) : find_slowly(bits, type);
}

void *core_object_enter(const void *handle, enum core_type type)
{
    uint64_t bits                 = (uintptr_t)handle;
    struct core_handle_slot *slot = find_slot(bits, type);
    return LIKELY(slot != NULL) && LIKELY(pin(slot, bits)) ? object_in(slot) : enter_slowly(bits, type);
}

bool core_object_is_alive(const void *handle, enum core_type type)
{
    uint64_t bits = (uintptr_t)handle;
    return find_slot(bits, type) != NULL || find_slot_slowly(bits, type) != NULL;
}

static uint64_t no_visitors(void)
{
    return (uint64_t)(uint32_t)getpid() << 32;
}

static void visit_begin(void)
{
    uint64_t none = no_visitors();
    uint64_t seen = atomic_load(&directory.visitors);
    uint64_t now;
    do {
        now = (seen >> 32 == none >> 32 ? seen : none) + 1;
    } while (!atomic_compare_exchange_weak(&directory.visitors, &seen, now));
}

static void visit_end(void)
{
    atomic_fetch_sub(&directory.visitors, 1);
}

/* Waits for the visits of this process that have begun. */
static void visits_wait(void)
{
    uint64_t none = no_visitors();
    for (;;) {
        uint64_t seen = atomic_load(&directory.visitors);
        if (seen == none || seen >> 32 != none >> 32)
            return;
        sched_yield(); /* a visit takes only a few instructions */
    }
}

void *core_object_enter_late(const void *handle, enum core_type type)
{
    void *object = NULL;
    visit_begin();
    /* A thread that finds the table here was counted before the table left the directory, so the table is
     * not freed. */
    if (atomic_load(&directory.tables[(uintptr_t)handle >> 56]) != NULL)
        object = core_object_enter(handle, type);
    else
        not_found((uintptr_t)handle, type);
    visit_end();
    return object;
}

bool core_object_try_enter(struct core_object *object)
{
    /* After retire the slot may belong to another object; the generation shows it. */
    return !core_is_forked(object->context) && pin(object->slot, (uintptr_t)object->handle);
}

/* ---- slots ---- */

static uint64_t free_word(uint64_t old, uint32_t first)
{
    return ((old >> SLOT_BITS) + 1) << SLOT_BITS | first;
}

/* Frees a chain of slots that is linked from first to last. */
static void slots_push(struct core_handle_table *table, uint32_t first, struct core_handle_slot *last)
{
    uint64_t head = atomic_load_explicit(&table->free, memory_order_relaxed);
    do {
        atomic_store_explicit(&last->content, head & SLOT_MASK, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&table->free, &head, free_word(head, first),
                                                    memory_order_release, memory_order_relaxed));
}

/* Adds the next chunk. */
COLD static int32_t slots_add(struct core_handle_table *table)
{
    uint32_t chunk = 0;
    while (chunk < CHUNKS && atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed) != NULL)
        chunk++;
    if (chunk >= CHUNKS - 1)
        return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "the context has %u objects, which is the limit",
                         chunk_first(CHUNKS - 1));
    uint32_t count                 = chunk_slots(chunk);
    uint32_t first                 = chunk_first(chunk);
    struct core_handle_slot *slots = core_allocate(table->context, count * sizeof(*slots));
    if (slots == NULL)
        return base_fail_memory("making room for handles");
    for (uint32_t i = 0; i < count; i++) {
        atomic_init(&slots[i].word, (uint64_t)table->floor << 32 | DEAD);
        atomic_init(&slots[i].content, first + i + 1);
    }
    atomic_store_explicit(&table->chunks[chunk], slots, memory_order_release);
    slots_push(table, first, &slots[count - 1]);
    return TRM_OK;
}

static int32_t slots_grow(struct core_handle_table *table)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&table->growth_lock);
    /* Another thread may have added slots while this one waited for the lock. */
    if ((atomic_load_explicit(&table->free, memory_order_relaxed) & SLOT_MASK) == NO_SLOT)
        status = slots_add(table);
    pthread_mutex_unlock(&table->growth_lock);
    return status;
}

static int32_t slot_pop(struct core_handle_table *table, uint32_t *number)
{
    uint64_t head = atomic_load_explicit(&table->free, memory_order_acquire);
    for (;;) {
        if ((head & SLOT_MASK) == NO_SLOT) {
            int32_t status = slots_grow(table);
            if (status != TRM_OK)
                return status;
            head = atomic_load_explicit(&table->free, memory_order_acquire);
            continue;
        }
        /* If another thread pops the slot meanwhile, `next` is invalid, but then the tag has changed. */
        struct core_handle_slot *slot = slot_at(table, head & SLOT_MASK);
        uint32_t next = atomic_load_explicit(&slot->content, memory_order_relaxed) & SLOT_MASK;
        if (atomic_compare_exchange_weak_explicit(&table->free, &head, free_word(head, next),
                                                  memory_order_acquire, memory_order_acquire)) {
            *number = head & SLOT_MASK;
            return TRM_OK;
        }
    }
}

/* Frees the slot of a retired object. A slot without generations left is never reused, so that a stale
 * handle is always detected. */
static void slot_free(struct core_handle_table *table, struct core_handle_slot *slot, uint64_t handle)
{
    if (generation_of(handle) < GENERATION_MASK)
        slots_push(table, handle & SLOT_MASK, slot);
}

/* ---- life ---- */

static inline void log_life(const struct core_object *object, const char *what)
{
    if (base_log_is_on(&object->context->log, TRM_LOG_DEBUG))
        core_object_log_write(object, TRM_LOG_DEBUG, object->ops->source, "%s", what);
}

int32_t core_object_init(struct core_object *object, const struct core_object_ops *ops,
                         struct core_context *context)
{
    struct core_handle_table *table = context->handles;
    if (is_forked(table))
        return fail_forked();
    uint32_t number;
    int32_t status = slot_pop(table, &number);
    if (status != TRM_OK)
        return status;
    struct core_handle_slot *slot = slot_at(table, number);
    uint64_t generation =
        (atomic_load_explicit(&slot->word, memory_order_relaxed) >> 32 & GENERATION_MASK) + 1;
    uint64_t middle = (uint64_t)ops->type << GENERATION_BITS | generation;

    object->ops     = ops;
    object->context = context;
    object->slot    = slot;
    object->handle  = (void *)(uintptr_t)((uint64_t)table->number << 56 | middle << SLOT_BITS | number);
    atomic_init(&object->references, 1);
    if (object != &context->object)
        core_object_retain(&context->object);
    atomic_store_explicit(&slot->content, (uintptr_t)object, memory_order_relaxed);
    atomic_store_explicit(&slot->word, middle << 32, memory_order_release);
    log_life(object, "created");
    return TRM_OK;
}

uint32_t core_object_number(const struct core_object *object)
{
    return (uint32_t)((uintptr_t)object->handle & SLOT_MASK);
}

/* The handle is dead and no call is inside. */
static void retire(struct core_object *object)
{
    log_life(object, "destroyed");
    if (object->ops->retire != NULL)
        object->ops->retire(object);
    slot_free(object->context->handles, object->slot, (uintptr_t)object->handle);
    core_object_release(object);
}

void core_object_leave(struct core_object *object)
{
    /* The object may be freed as soon as the pin is gone, so the word is read in the same step. */
    uint64_t word = atomic_fetch_sub_explicit(&object->slot->word, 1, memory_order_acq_rel);
    if (!LIKELY(!(word & DEAD)) && (word & PINS) == 1)
        retire(object);
}

/* Marks the slot of a valid handle dead. True for the one caller that does it; `is_unused` is then true if
 * no call was inside. */
static bool slot_kill(struct core_handle_slot *slot, uint64_t handle, bool *is_unused)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    do {
        if (!is_live(word, handle))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&slot->word, &word, word | DEAD, memory_order_acq_rel,
                                                    memory_order_relaxed));
    *is_unused = (word & PINS) == 0;
    return true;
}

bool core_object_kill(struct core_object *object)
{
    uint64_t handle = (uintptr_t)object->handle;
    bool is_unused;
    if (core_is_forked(object->context)) {
        fail_forked();
        return false;
    }
    if (!slot_kill(object->slot, handle, &is_unused)) {
        fail_destroyed(type_of(handle));
        return false;
    }
    if (is_unused)
        retire(object);
    return true;
}

bool core_object_kill_handle(const void *handle, enum core_type type)
{
    if (handle == NULL)
        return false;
    /* Several threads may destroy one context; the first may free it before another begins. */
    struct core_object *object =
        type == CORE_CONTEXT ? core_object_enter_late(handle, type) : core_object_enter(handle, type);
    if (object == NULL)
        return false;
    bool is_killer = core_object_kill(object);
    core_object_leave(object);
    return is_killer;
}

void core_object_retain(struct core_object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

void core_object_release(struct core_object *object)
{
    if (object == NULL || atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) != 1)
        return;
    struct core_object *context = &object->context->object;
    object->ops->release(object);
    if (object != context)
        core_object_release(context);
}

/* ---- the table ---- */

/* Puts the table into the directory under the first free number. */
static int32_t table_publish(struct core_handle_table *table)
{
    for (uint32_t number = 1; number < CONTEXTS; number++) {
        struct core_handle_table *none = NULL;
        if (atomic_load_explicit(&directory.tables[number], memory_order_relaxed) != NULL)
            continue;
        if (!atomic_compare_exchange_strong(&directory.tables[number], &none, table))
            continue;
        table->number = number;
        table->floor  = atomic_load_explicit(&directory.floors[number], memory_order_relaxed);
        return TRM_OK;
    }
    return base_fail(TRM_ERROR_BUSY, "there are %d contexts already, which is the limit", CONTEXTS - 1);
}

int32_t core_handle_table_create(struct core_context *context, const _Atomic uint32_t *fork_word,
                                 struct core_handle_table **out)
{
    struct core_handle_table *table = core_allocate(context, sizeof(*table));
    if (table == NULL)
        return base_fail_memory("making a table of handles");
    table->context   = context;
    table->fork_word = fork_word;
    table->process   = getpid();
    atomic_init(&table->free, NO_SLOT);
    pthread_mutex_init(&table->growth_lock, NULL);
    int32_t status = table_publish(table);
    if (status != TRM_OK) {
        pthread_mutex_destroy(&table->growth_lock);
        core_free(context, table, sizeof(*table));
        return status;
    }
    *out = table;
    return TRM_OK;
}

/* The highest generation that any slot of the table has had. */
static uint32_t highest_generation(const struct core_handle_table *table)
{
    uint32_t highest = table->floor;
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        struct core_handle_slot *slots = atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed);
        for (uint32_t i = 0; slots != NULL && i < chunk_slots(chunk); i++) {
            uint32_t generation =
                atomic_load_explicit(&slots[i].word, memory_order_relaxed) >> 32 & GENERATION_MASK;
            highest = generation > highest ? generation : highest;
        }
    }
    return highest;
}

void core_handle_table_destroy(struct core_handle_table *table)
{
    if (table == NULL)
        return;
    struct core_context *context = table->context;
    /* After some 250 million objects of contexts under this number, generations start again: detecting
     * handles that old is worth less than new room. */
    uint32_t highest = highest_generation(table);
    uint32_t floor   = highest < GENERATION_MASK - (1u << 24) ? highest : 0;
    atomic_store_explicit(&directory.floors[table->number], floor, memory_order_relaxed);
    atomic_exchange(&directory.tables[table->number], NULL);
    visits_wait();

    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        struct core_handle_slot *slots = atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed);
        core_free(context, slots, chunk_slots(chunk) * sizeof(*slots));
    }
    pthread_mutex_destroy(&table->growth_lock);
    core_free(context, table, sizeof(*table));
}
