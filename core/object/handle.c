/* Handles, reference counts and generations; core/object/handle_table.h has their bits.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/handle.h"

#include "base/base.h"
#include "core/object/context.h"
#include "core/object/handle_table.h"
#include "core/object/log.h"

static const char *const type_names[CORE_HANDLE_TYPES] = {
    [CORE_CONTEXT]      = "context",
    [CORE_DEVICE]       = "device",
    [CORE_STREAM]       = "stream",
    [CORE_EVENT]        = "event",
    [CORE_BUFFER]       = "buffer",
    [CORE_ARRAY]        = "array",
    [CORE_MODULE]       = "module",
    [CORE_KERNEL]       = "kernel",
    [CORE_SHADER]       = "shader",
    [CORE_GRAPH]        = "graph",
    [CORE_GRAPH_EXEC]   = "graph instance",
    [CORE_PIPELINE]     = "pipeline",
    [CORE_COORDINATOR]  = "coordinator",
    [CORE_SEMAPHORE]    = "semaphore",
    [CORE_IMAGE]        = "image",
    [CORE_SAMPLER]      = "sampler",
    [CORE_GROUP]        = "group",
    [CORE_GROUP_KERNEL] = "kernel of a group",
    [CORE_GROUP_BUFFER] = "buffer of a group",
    [CORE_COLLECTIVE]   = "collective",
    [CORE_PROFILE]      = "profile",
    [CORE_STREAM_POOL]  = "stream pool",
};

bool core_is_forked(const struct core_context *context)
{
    return core_handle_table_is_forked(context->handles);
}

/* ---- errors of handles ---- */

static const char *article(const char *name)
{
    return name[0] == 'a' || name[0] == 'e' || name[0] == 'i' ? "an" : "a";
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

/* The type is right and the table open, but the slot has another generation. */
static int32_t fail_stale(const struct core_handle_table *table, uint64_t handle)
{
    const struct core_handle_slot *slot = core_slot_at(table, handle & CORE_SLOT_MASK);
    const char *name                    = type_names[core_handle_type(handle)];
    uint64_t word                       = slot ? atomic_load(&slot->word) : 0;
    uint32_t latest                     = word >> 32 & CORE_GENERATION_MASK;
    uint32_t given                      = core_handle_generation(handle);
    bool is_earlier                     = slot != NULL && given <= atomic_load(&table->floor);
    bool is_past                        = given < latest ||
                   (given == latest && word >> (32 + CORE_GENERATION_BITS) == core_handle_type(handle));
    if (given != 0 && (is_earlier || is_past))
        return fail_destroyed(core_handle_type(handle));
    return base_fail(TRM_ERROR_INVALID_HANDLE, "this was never a handle of %s %s", article(name), name);
}

static bool is_live(const struct core_handle_table *table, uint64_t handle)
{
    const struct core_handle_slot *slot = core_slot_at(table, handle & CORE_SLOT_MASK);
    return slot != NULL && core_slot_is_live(atomic_load(&slot->word), handle);
}

static int32_t fail_handle(uint64_t handle, enum core_type type)
{
    const char *wanted = type_names[type];
    if (handle == 0)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "expected %s %s, got NULL", article(wanted), wanted);
    const char *given = type_names[core_handle_type(handle)];
    if (handle >> 56 == 0 || given == NULL)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "expected %s %s, got a value that is no handle",
                         article(wanted), wanted);
    const struct core_handle_table *table = core_table_of(handle);
    if (!core_table_is_open(table) && core_handle_type(handle) == CORE_CONTEXT)
        return fail_destroyed(CORE_CONTEXT);
    if (!core_table_is_open(table))
        return base_fail(TRM_ERROR_INVALID_HANDLE, "the context of this %s has been destroyed", given);
    if (core_handle_table_is_forked(table))
        return fail_forked();
    if (core_handle_type(handle) != type)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "expected %s %s, got %s %s%s", article(wanted), wanted,
                         article(given), given, is_live(table, handle) ? "" : ", which has been destroyed");
    return fail_stale(table, handle);
}

/* ---- finding and entering ---- */

/* The slot of a valid handle, or NULL. Every call runs this, so it has no branches besides the checks. */
static inline __attribute__((always_inline)) struct core_handle_slot *find_in(
    const struct core_handle_table *table, uint64_t handle, enum core_type type)
{
    struct core_handle_slot *slot = core_slot_at(table, handle & CORE_SLOT_MASK);
    if (!LIKELY(slot != NULL))
        return NULL;
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    return LIKELY(core_slot_is_live(word, handle)) && LIKELY(core_handle_type(handle) == type) ? slot : NULL;
}

/* The same from the directory on. NULL also where the fork word alone proves nothing; find_slot_slowly()
 * decides then. The context may end at any moment: the words of its slots are dead then, and stay. */
static inline __attribute__((always_inline)) struct core_handle_slot *find_slot(uint64_t handle,
                                                                                enum core_type type)
{
    bool is_guarded = core_fork_word(handle >> 56) == BASE_FORK_GUARDED;
    return LIKELY(is_guarded) ? find_in(core_table_of(handle), handle, type) : NULL;
}

COLD static struct core_handle_slot *find_slot_slowly(uint64_t handle, enum core_type type)
{
    const struct core_handle_table *table = core_table_of(handle);
    return core_handle_table_is_forked(table) ? NULL : find_in(table, handle, type);
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
        if (!core_slot_is_live(word, handle))
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

/* ---- second handles ---- */

/* The last call inside a held object's second handle is gone, and the handle is dead. */
static void hold_retire(struct core_object *object, struct core_handle_slot *slot, uint64_t handle)
{
    core_slot_free(object->context->handles, slot, handle);
    core_object_leave(object);
}

/* The caller has entered by the second handle of a held object, which has entered the object: moves the
 * caller's pin to the object's own slot, where core_object_leave() takes it. */
COLD static void *enter_held(struct core_object *object, struct core_handle_slot *slot, uint64_t handle)
{
    atomic_fetch_add_explicit(&object->slot->word, 1, memory_order_relaxed);
    uint64_t word = atomic_fetch_sub_explicit(&slot->word, 1, memory_order_acq_rel);
    if ((word & CORE_SLOT_DEAD) && (word & CORE_SLOT_PINS) == 1)
        hold_retire(object, slot, handle);
    return object;
}

/* The caller has pinned the slot. */
static inline void *enter_pinned(struct core_handle_slot *slot, uint64_t handle)
{
    struct core_object *object = object_in(slot);
    return LIKELY(object->slot == slot) ? object : enter_held(object, slot, handle);
}

COLD static void *enter_slowly(uint64_t handle, enum core_type type)
{
    struct core_handle_slot *slot = find_slot_slowly(handle, type);
    return slot != NULL && pin(slot, handle) ? enter_pinned(slot, handle) : not_found(handle, type);
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
    if (!LIKELY(slot != NULL) || !LIKELY(pin(slot, bits)))
        return enter_slowly(bits, type);
    return enter_pinned(slot, bits);
}

bool core_object_is_alive(const void *handle, enum core_type type)
{
    uint64_t bits = (uintptr_t)handle;
    return find_slot(bits, type) != NULL || find_slot_slowly(bits, type) != NULL;
}

bool core_object_try_enter(struct core_object *object)
{
    /* After retire the slot may belong to another object; the generation shows it. */
    return !core_is_forked(object->context) && pin(object->slot, (uintptr_t)object->handle);
}

bool core_object_try_enter_held(struct core_object *object)
{
    uint64_t handle = (uintptr_t)object->handle;
    uint64_t word   = atomic_load_explicit(&object->slot->word, memory_order_relaxed);
    do {
        bool is_retired = (word & CORE_SLOT_DEAD) && (word & CORE_SLOT_PINS) == 0;
        if (is_retired || !core_slot_is_live(word & ~CORE_SLOT_DEAD, handle))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&object->slot->word, &word, word + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

/* ---- life ---- */

static inline void log_life(const struct core_object *object, const char *what)
{
    if (base_log_is_on(&object->context->log, TRM_LOG_DEBUG))
        core_object_log_write(object, TRM_LOG_DEBUG, object->ops->source, "%s", what);
}

static uint64_t next_handle(const struct core_handle_table *table, enum core_type type, uint32_t number)
{
    uint64_t word       = atomic_load_explicit(&core_slot_at(table, number)->word, memory_order_relaxed);
    uint64_t generation = (word >> 32 & CORE_GENERATION_MASK) + 1;
    return (uint64_t)core_table_number(table) << 56 |
           (uint64_t)type << (CORE_GENERATION_BITS + CORE_SLOT_BITS) | generation << CORE_SLOT_BITS | number;
}

/* Makes the handle valid. A thread that finds the slot by it sees all that this thread wrote before. */
static void slot_publish(struct core_handle_slot *slot, uint64_t handle, struct core_object *object)
{
    atomic_store_explicit(&slot->content, (uintptr_t)object, memory_order_relaxed);
    atomic_store_explicit(&slot->word, (uint64_t)(uint32_t)(handle >> CORE_SLOT_BITS) << 32,
                          memory_order_release);
}

int32_t core_object_init(struct core_object *object, const struct core_object_ops *ops,
                         struct core_context *context)
{
    struct core_handle_table *table = context->handles;
    if (core_handle_table_is_forked(table))
        return fail_forked();
    uint32_t number;
    int32_t status = core_slot_take(table, &number);
    if (status != TRM_OK)
        return status;
    object->ops     = ops;
    object->context = context;
    object->slot    = core_slot_at(table, number);
    object->handle  = (void *)(uintptr_t)next_handle(table, ops->type, number);
    atomic_init(&object->references, 1);
    atomic_init(&object->is_part, false);
    if (object != &context->object)
        core_object_retain(&context->object);
    return TRM_OK;
}

void *core_object_publish(struct core_object *object)
{
    void *handle = object->handle;
    log_life(object, "created");
    slot_publish(object->slot, (uintptr_t)handle, object);
    return handle;
}

uint32_t core_object_number(const struct core_object *object)
{
    return (uint32_t)((uintptr_t)object->handle & CORE_SLOT_MASK);
}

/* The handle is dead and no call is inside. */
static void retire(struct core_object *object)
{
    log_life(object, "destroyed");
    if (object->ops->retire != NULL)
        object->ops->retire(object);
    core_slot_free(object->context->handles, object->slot, (uintptr_t)object->handle);
    core_object_release(object);
}

void core_object_abandon(struct core_object *object)
{
    retire(object);
}

void core_object_leave(struct core_object *object)
{
    /* The object may be freed as soon as the pin is gone, so the word is read in the same step. */
    uint64_t word = atomic_fetch_sub_explicit(&object->slot->word, 1, memory_order_acq_rel);
    if (!LIKELY(!(word & CORE_SLOT_DEAD)) && (word & CORE_SLOT_PINS) == 1)
        retire(object);
}

/* Marks the slot of a valid handle dead. True for the one caller that does it; `is_unused` is then true if
 * no call was inside. */
static bool slot_kill(struct core_handle_slot *slot, uint64_t handle, bool *is_unused)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    do {
        if (!core_slot_is_live(word, handle))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&slot->word, &word, word | CORE_SLOT_DEAD,
                                                    memory_order_acq_rel, memory_order_relaxed));
    *is_unused = (word & CORE_SLOT_PINS) == 0;
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
        fail_destroyed(core_handle_type(handle));
        return false;
    }
    if (is_unused)
        retire(object);
    return true;
}

static bool may_end(const struct core_object *object)
{
    if (!atomic_load_explicit(&object->is_part, memory_order_relaxed))
        return true;
    base_fail(TRM_ERROR_INVALID_ARGUMENT,
              "this %s is a part of another object and ends with it: it cannot be destroyed by itself",
              object->ops->name);
    return false;
}

bool core_object_kill_handle(const void *handle, enum core_type type)
{
    if (handle == NULL)
        return false;
    struct core_object *object = core_object_enter(handle, type);
    if (object == NULL)
        return false;
    bool is_killer = may_end(object) && core_object_kill(object);
    core_object_leave(object);
    return is_killer;
}

void core_object_set_part(const void *handle, enum core_type type, bool is_part)
{
    struct core_object *object = core_object_find(handle, type);
    if (object != NULL)
        atomic_store_explicit(&object->is_part, is_part, memory_order_relaxed);
}

void core_object_retain(struct core_object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

bool core_object_try_retain(struct core_object *object)
{
    uint32_t count = atomic_load_explicit(&object->references, memory_order_relaxed);
    while (count != 0 && !atomic_compare_exchange_weak_explicit(&object->references, &count, count + 1,
                                                                memory_order_acquire, memory_order_relaxed))
        ;
    return count != 0;
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

/* ---- second handles ---- */

/* The caller has entered the object. */
static int32_t hold(struct core_object *object, void **held)
{
    struct core_handle_table *table = object->context->handles;
    uint32_t number;
    int32_t status = core_slot_take(table, &number);
    if (status != TRM_OK)
        return status;
    uint64_t bits = next_handle(table, object->ops->type, number);
    atomic_fetch_add_explicit(&object->slot->word, 1, memory_order_relaxed);
    slot_publish(core_slot_at(table, number), bits, object);
    *held = (void *)(uintptr_t)bits;
    return TRM_OK;
}

int32_t core_object_hold(const void *handle, enum core_type type, void **held)
{
    struct core_object *object = core_object_enter(handle, type);
    if (object == NULL)
        return base_last_status();
    int32_t status = hold(object, held);
    core_object_leave(object);
    return status;
}

void core_object_end_hold(void *held)
{
    uint64_t bits = (uintptr_t)held;
    bool is_unused;
    if (held == NULL)
        return;
    struct core_handle_slot *slot = core_slot_at(core_table_of(bits), bits & CORE_SLOT_MASK);
    struct core_object *object    = object_in(slot);
    if (slot_kill(slot, bits, &is_unused) && is_unused)
        hold_retire(object, slot, bits);
}
