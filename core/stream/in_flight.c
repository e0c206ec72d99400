/* Which streams use an object, and up to which operation.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/in_flight.h"

#include "base/base.h"
#include "core/stream/stream_object.h"

#define BLOCK_SLOTS 12

/* More slots, once the inline ones are full. Blocks stay until the object goes. */
struct core_in_flight_block {
    struct core_in_flight_block *next;
    struct core_in_flight_slot slots[BLOCK_SLOTS];
};

/* Streams whose references are to be dropped once the lock is given back, since that may end them. */
#define DROP_AT_MOST 16
struct drop {
    uint32_t count;
    struct core_stream *streams[DROP_AT_MOST];
};

/* Goes through the slots in order. Blocks are only ever put in front, so it may be done without a lock. */
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

/* The slot of a stream, or (NULL) a free one. The lock of the set or that of the stream is held; for a free one that of the set. */
static struct core_in_flight_slot *find(struct core_in_flight *set, const struct core_stream *stream)
{
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && stream_of(slot) != stream)
        ;
    return slot;
}

static int32_t is_empty(const struct core_in_flight *set)
{
    return atomic_load_explicit(&set->occupied, memory_order_acquire) == 0;
}

static void drop_all(struct drop *drop)
{
    for (uint32_t i = 0; i < drop->count; i++)
        core_object_release(&drop->streams[i]->object);
    drop->count = 0;
}

/* Frees a slot unless its stream has recorded something later than `value`, whose work has ended. */
static int32_t give_up_locked(struct core_in_flight *set, struct core_in_flight_slot *slot,
                              struct core_stream *stream, uint64_t value)
{
    base_lock_acquire(&stream->in_flight_lock);
    int32_t is_last = value_of(slot) == value;
    if (is_last)
        atomic_store_explicit(&slot->stream, NULL, memory_order_relaxed);
    base_lock_release(&stream->in_flight_lock);
    if (is_last)
        atomic_fetch_sub_explicit(&set->occupied, 1, memory_order_release);
    return is_last;
}

/* Frees the slots whose work has ended, as far as `drop` has room. Returns how many are left that
 * have not been freed. */
static uint32_t collect_locked(struct core_in_flight *set, struct drop *drop)
{
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while (drop->count < DROP_AT_MOST && (slot = cursor_next(&cursor)) != NULL) {
        struct core_stream *stream = stream_of(slot);
        uint64_t value             = value_of(slot);
        if (stream == NULL || !core_stream_has_finished(stream, value))
            continue;
        if (give_up_locked(set, slot, stream, value))
            drop->streams[drop->count++] = stream;
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

/* Takes a slot that is free or whose work has ended. */
static int32_t record_locked(struct core_in_flight *set, struct core_stream *stream, uint64_t value,
                             struct drop *drop)
{
    struct core_in_flight_slot *slot = find(set, NULL);
    if (slot == NULL) {
        collect_locked(set, drop);
        slot = find(set, NULL);
    }
    if (slot == NULL)
        return 0;
    occupy_locked(set, slot, stream, value);
    return 1;
}

/* Without memory for a slot the operation itself is waited for: then there is nothing to record. In
 * a callback that it is enqueued behind, that would never end; but then what is there goes first. */
static void wait_instead(struct core_in_flight *set, struct core_stream *stream, uint64_t value)
{
    struct drop drop = {0};
    int32_t recorded = 0;
    while (!recorded && core_stream_wait_finished(stream, value, TRM_FOREVER) == TRM_ERROR_DEADLOCK) {
        core_in_flight_wait(set, TRM_FOREVER);
        base_lock_acquire(&set->lock);
        recorded = record_locked(set, stream, value, &drop);
        base_lock_release(&set->lock);
        drop_all(&drop);
    }
}

__attribute__((cold, noinline)) static void record_new(struct core_in_flight *set, struct core_stream *stream,
                                                       uint64_t value)
{
    struct core_context *context = stream->object.context;
    struct drop drop             = {0};
    base_lock_acquire(&set->lock);
    int32_t recorded = record_locked(set, stream, value, &drop);
    base_lock_release(&set->lock);
    drop_all(&drop);
    if (recorded)
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

/* The slot of a stream: one of the first where few streams use the object, which is worth a look of its own. */
static inline struct core_in_flight_slot *find_first(struct core_in_flight *set,
                                                     const struct core_stream *stream)
{
    for (uint32_t i = 0; i < CORE_IN_FLIGHT_INLINE; i++)
        if (stream_of(&set->slots[i]) == stream)
            return &set->slots[i];
    return find(set, stream);
}

/* With the stream's lock, which is let go where the set does not know the stream yet. */
static inline void record(struct core_in_flight *set, struct core_stream *stream, uint64_t value)
{
    struct core_in_flight_slot *slot = find_first(set, stream);
    if (__builtin_expect(slot == NULL, 0)) {
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
        stream->recorder_ops->add_buffer(stream, set);
    } else if (!stream->device->limits.synchronous) {
        base_lock_acquire(&stream->in_flight_lock);
        record(set, stream, value);
        base_lock_release(&stream->in_flight_lock);
    }
}

void core_in_flight_add_each(struct core_in_flight *const *sets, uint32_t count, struct core_stream *stream,
                             uint64_t value)
{
    if (__builtin_expect(core_stream_is_recording(stream), 0)) {
        for (uint32_t i = 0; i < count; i++)
            if (sets[i] != NULL)
                stream->recorder_ops->add_buffer(stream, sets[i]);
    } else if (!stream->device->limits.synchronous) {
        base_lock_acquire(&stream->in_flight_lock);
        for (uint32_t i = 0; i < count; i++)
            if (sets[i] != NULL)
                record(sets[i], stream, value);
        base_lock_release(&stream->in_flight_lock);
    }
}

/* ---- asking and waiting ---------------------------------------------------------------------------- */

int32_t core_in_flight_is_done(struct core_in_flight *set)
{
    uint32_t left, taken;
    struct drop drop = {0};
    if (is_empty(set))
        return 1;
    do {
        base_lock_acquire(&set->lock);
        left = collect_locked(set, &drop);
        base_lock_release(&set->lock);
        taken = drop.count;
        drop_all(&drop);
    } while (left != 0 && taken == DROP_AT_MOST);
    return left == 0;
}

/* The first slot that is not free, with a reference. */
static int32_t pick(struct core_in_flight *set, struct core_stream **stream, uint64_t *value)
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

int32_t core_in_flight_is_foreign(struct core_in_flight *set, const struct core_device *device)
{
    base_lock_acquire(&set->lock);
    struct cursor cursor = cursor_begin(set);
    struct core_in_flight_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL &&
           (stream_of(slot) == NULL || stream_of(slot)->device == device))
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
