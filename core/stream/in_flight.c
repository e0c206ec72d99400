/* What is in flight: which streams use an object, and up to which operation.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/in_flight.h"

#include "base/base.h"
#include "core/stream/stream_object.h"

#define BLOCK_SLOTS 12

/* Further slots, once the inline ones are full. Blocks stay until the set ends. */
struct core_in_flight_block {
    struct core_in_flight_block *next;
    struct core_in_flight_slot slots[BLOCK_SLOTS];
};

/* Streams to release after the lock is released, since releasing may end them. */
#define MAX_RELEASED 16
struct released {
    uint32_t count;
    struct core_stream *streams[MAX_RELEASED];
};

/* Walks the slots in order. Works without a lock, since blocks are only ever added in front. */
struct cursor {
    struct core_in_flight_slot *slots;
    uint32_t index, count;
    struct core_in_flight_block *more;
};

static struct cursor cursor_begin(struct core_in_flight *set)
{
    return (struct cursor){.slots = set->slots,
                           .count = CORE_IN_FLIGHT_INLINE,
                           .more  = atomic_load_explicit(&set->more, memory_order_acquire)};
}

static struct core_in_flight_slot *cursor_next(struct cursor *cursor)
{
    if (cursor->index == cursor->count) {
        if (cursor->more == NULL)
            return NULL;
        cursor->slots = cursor->more->slots;
        cursor->count = BLOCK_SLOTS;
        cursor->index = 0;
        cursor->more  = cursor->more->next;
    }
    return &cursor->slots[cursor->index++];
}

static struct core_stream *stream_of(const struct core_in_flight_slot *slot)
{
    return atomic_load_explicit(&slot->stream, memory_order_relaxed);
}

static uint64_t value_of(const struct core_in_flight_slot *slot)
{
    return atomic_load_explicit(&slot->value, memory_order_relaxed);
}

/* The slot of a stream, or (for NULL) a free one. The caller holds the set's lock, or the stream's to
 * find the stream's own slot. */
static struct core_in_flight_slot *find(struct core_in_flight *set, const struct core_stream *stream)
{
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && stream_of(slot) != stream)
        ;
    return slot;
}

static bool is_empty(const struct core_in_flight *set)
{
    return atomic_load_explicit(&set->occupied, memory_order_acquire) == 0;
}

static void release_all(struct released *released)
{
    for (uint32_t i = 0; i < released->count; i++)
        core_object_release(&released->streams[i]->object);
    released->count = 0;
}

/* Frees a slot whose work up to `value` has ended; false if its stream has recorded a later operation. */
static bool free_slot_locked(struct core_in_flight *set, struct core_in_flight_slot *slot,
                             struct core_stream *stream, uint64_t value)
{
    base_lock_acquire(&stream->in_flight_lock);
    bool is_last = value_of(slot) == value;
    if (is_last)
        atomic_store_explicit(&slot->stream, NULL, memory_order_relaxed);
    base_lock_release(&stream->in_flight_lock);
    if (is_last)
        atomic_fetch_sub_explicit(&set->occupied, 1, memory_order_release);
    return is_last;
}

/* Frees the slots whose work has ended, as far as `released` has room. Returns how many are
 * still occupied. */
static uint32_t collect_locked(struct core_in_flight *set, struct released *released)
{
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while (released->count < MAX_RELEASED && (slot = cursor_next(&cursor)) != NULL) {
        struct core_stream *stream = stream_of(slot);
        uint64_t value             = value_of(slot);
        if (stream == NULL || !core_stream_has_finished(stream, value))
            continue;
        if (free_slot_locked(set, slot, stream, value))
            released->streams[released->count++] = stream;
    }
    return atomic_load_explicit(&set->occupied, memory_order_relaxed);
}

/* ---- recording --------------------------------------------------------------------------------- */

static void occupy_locked(struct core_in_flight *set, struct core_in_flight_slot *slot,
                          struct core_stream *stream, uint64_t value)
{
    core_object_retain(&stream->object);
    atomic_store_explicit(&slot->value, value, memory_order_relaxed);
    atomic_store_explicit(&slot->stream, stream, memory_order_relaxed);
    atomic_fetch_add_explicit(&set->occupied, 1, memory_order_release);
}

/* Takes a slot that is free or whose work has ended; false if there is none. */
static bool record_locked(struct core_in_flight *set, struct core_stream *stream, uint64_t value,
                          struct released *released)
{
    struct core_in_flight_slot *slot = find(set, NULL);
    if (slot == NULL) {
        collect_locked(set, released);
        slot = find(set, NULL);
    }
    if (slot == NULL)
        return false;
    occupy_locked(set, slot, stream, value);
    return true;
}

/* Out of memory for a slot: waits for the operation, which then need not be recorded. In a callback that the
 * operation is enqueued behind, that wait would never end; there it waits for the operations of other
 * streams, which frees a slot. */
static void wait_instead(struct core_in_flight *set, struct core_stream *stream, uint64_t value)
{
    struct released released = {0};
    bool is_recorded         = false;
    while (!is_recorded && core_stream_wait_finished(stream, value, TRM_FOREVER) == TRM_ERROR_DEADLOCK) {
        core_in_flight_wait(set, TRM_FOREVER);
        base_lock_acquire(&set->lock);
        is_recorded = record_locked(set, stream, value, &released);
        base_lock_release(&set->lock);
        release_all(&released);
    }
}

__attribute__((cold, noinline)) static void record_new(struct core_in_flight *set, struct core_stream *stream,
                                                       uint64_t value)
{
    struct core_context *context = stream->object.context;
    struct released released     = {0};
    base_lock_acquire(&set->lock);
    bool is_recorded = record_locked(set, stream, value, &released);
    base_lock_release(&set->lock);
    release_all(&released);
    if (is_recorded)
        return;

    struct core_in_flight_block *block = core_allocate(context, sizeof(*block));
    if (block == NULL) {
        wait_instead(set, stream, value);
        return;
    }
    base_lock_acquire(&set->lock);
    block->next = atomic_load_explicit(&set->more, memory_order_relaxed);
    occupy_locked(set, &block->slots[0], stream, value);
    atomic_store_explicit(&set->more, block, memory_order_release);
    base_lock_release(&set->lock);
}

/* The slot of a stream. Mostly few streams use an object, so the inline slots come first. */
static inline struct core_in_flight_slot *find_first(struct core_in_flight *set,
                                                     const struct core_stream *stream)
{
    for (uint32_t i = 0; i < CORE_IN_FLIGHT_INLINE; i++)
        if (stream_of(&set->slots[i]) == stream)
            return &set->slots[i];
    return find(set, stream);
}

/* The caller holds the stream's lock, which is released meanwhile if the set does not know the stream yet. */
static inline void record(struct core_in_flight *set, struct core_stream *stream, uint64_t value)
{
    struct core_in_flight_slot *slot = find_first(set, stream);
    if (UNLIKELY(slot == NULL)) {
        base_lock_release(&stream->in_flight_lock);
        record_new(set, stream, value);
        base_lock_acquire(&stream->in_flight_lock);
    } else if (value_of(slot) < value) {
        atomic_store_explicit(&slot->value, value, memory_order_relaxed);
    }
}

void core_in_flight_add(struct core_in_flight *set, struct core_stream *stream, uint64_t value)
{
    if (core_stream_is_recording(stream)) {
        stream->recorder_ops->add_use(stream, set);
    } else if (!stream->device->limits.synchronous) {
        base_lock_acquire(&stream->in_flight_lock);
        record(set, stream, value);
        base_lock_release(&stream->in_flight_lock);
    }
}

void core_in_flight_add_each(struct core_in_flight *const *sets, uint32_t count, struct core_stream *stream,
                             uint64_t value)
{
    if (UNLIKELY(core_stream_is_recording(stream))) {
        for (uint32_t i = 0; i < count; i++)
            if (sets[i] != NULL)
                stream->recorder_ops->add_use(stream, sets[i]);
    } else if (!stream->device->limits.synchronous) {
        base_lock_acquire(&stream->in_flight_lock);
        for (uint32_t i = 0; i < count; i++)
            if (sets[i] != NULL)
                record(sets[i], stream, value);
        base_lock_release(&stream->in_flight_lock);
    }
}

/* ---- asking and waiting ---------------------------------------------------------------------------- */

bool core_in_flight_is_done(struct core_in_flight *set)
{
    uint32_t left, freed;
    struct released released = {0};
    if (is_empty(set))
        return true;
    do {
        base_lock_acquire(&set->lock);
        left = collect_locked(set, &released);
        base_lock_release(&set->lock);
        freed = released.count;
        release_all(&released);
    } while (left != 0 && freed == MAX_RELEASED);
    return left == 0;
}

/* Picks the first slot that is not free, with a reference of its stream; false if all are free. */
static bool pick(struct core_in_flight *set, struct core_stream **stream, uint64_t *value)
{
    base_lock_acquire(&set->lock);
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && stream_of(slot) == NULL)
        ;
    if (slot != NULL) {
        *stream = stream_of(slot);
        *value  = value_of(slot);
        core_object_retain(&(*stream)->object);
    }
    base_lock_release(&set->lock);
    return slot != NULL;
}

int32_t core_in_flight_wait(struct core_in_flight *set, uint64_t timeout_ns)
{
    uint64_t deadline = base_deadline(timeout_ns), value;
    int32_t status = TRM_OK, first = TRM_OK;
    struct base_failure failure;
    struct core_stream *stream;

    while (status == TRM_OK && !is_empty(set) && pick(set, &stream, &value)) {
        status = core_stream_wait_finished(stream, value, base_remaining(deadline));
        if (status == TRM_OK && first == TRM_OK) {
            first = core_stream_check_failure(stream);
            if (first != TRM_OK)
                base_failure_save(&failure, first);
        }
        core_object_release(&stream->object);
        if (status == TRM_OK)
            core_in_flight_is_done(set);
    }
    if (status != TRM_OK)
        return status;
    return first == TRM_OK ? TRM_OK : base_failure_raise(&failure);
}

static bool is_programs_stream(const struct core_stream *stream, const struct core_device *device)
{
    return stream != NULL && stream->device == device &&
           (atomic_load_explicit(&stream->flags, memory_order_relaxed) & CORE_STREAM_INTERNAL) == 0;
}

bool core_in_flight_is_on(struct core_in_flight *set, const struct core_device *device)
{
    base_lock_acquire(&set->lock);
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && !is_programs_stream(stream_of(slot), device))
        ;
    base_lock_release(&set->lock);
    return slot != NULL;
}

void core_in_flight_fini(struct core_context *context, struct core_in_flight *set)
{
    struct cursor cursor               = cursor_begin(set);
    struct core_in_flight_block *block = cursor.more, *next;
    struct core_in_flight_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL) {
        struct core_stream *stream = stream_of(slot);
        atomic_store_explicit(&slot->stream, NULL, memory_order_relaxed);
        core_object_release(stream != NULL ? &stream->object : NULL);
    }
    atomic_store_explicit(&set->occupied, 0, memory_order_relaxed);
    atomic_store_explicit(&set->more, NULL, memory_order_relaxed);
    for (; block != NULL; block = next) {
        next = block->next;
        core_free(context, block, sizeof(*block));
    }
}
