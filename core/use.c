/* Which streams use an object, and up to which operation.
 * SPDX-License-Identifier: MIT
 */
#include "core/use.h"

#include "core/futex.h"
#include "core/graph.h"
#include "core/stream.h"

#define BLOCK_SLOTS 12

/* More slots, once the inline ones are full. Blocks stay until the object goes. */
struct core_use_block {
    struct core_use_block *next;
    struct core_use_slot slots[BLOCK_SLOTS];
};

/* Streams whose references are to be dropped once the lock is given back, since that may end them. */
#define DROP_AT_MOST 16
struct drop {
    uint32_t count;
    struct core_stream *streams[DROP_AT_MOST];
};

/* Goes through the slots in order. */
struct cursor {
    struct core_use_slot *slots;
    uint32_t index, count;
    struct core_use_block *more;
};

static struct cursor cursor_begin(struct core_uses *uses)
{
    return (struct cursor){.slots = uses->slots, .count = CORE_USES_INLINE, .more = uses->more};
}

static struct core_use_slot *cursor_next(struct cursor *cursor)
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

static int32_t is_empty(const struct core_uses *uses)
{
    return atomic_load_explicit(&uses->occupied, memory_order_acquire) == 0;
}

static void drop_all(struct drop *drop)
{
    for (uint32_t i = 0; i < drop->count; i++)
        core_object_unref(&drop->streams[i]->object);
    drop->count = 0;
}

/* Frees the slots whose work has ended, as far as `drop` has room. Returns how many are left that
 * have not been freed. */
static uint32_t collect_locked(struct core_uses *uses, struct drop *drop)
{
    struct cursor cursor = cursor_begin(uses);
    struct core_use_slot *slot;
    while (drop->count < DROP_AT_MOST && (slot = cursor_next(&cursor)) != NULL) {
        if (slot->stream == NULL || !core_stream_finished(slot->stream, slot->value))
            continue;
        drop->streams[drop->count++] = slot->stream;
        slot->stream                 = NULL;
        atomic_fetch_sub_explicit(&uses->occupied, 1, memory_order_release);
    }
    return atomic_load_explicit(&uses->occupied, memory_order_relaxed);
}

/* ---- recording --------------------------------------------------------------------------------- */

static struct core_use_slot *find_free_locked(struct core_uses *uses)
{
    struct cursor cursor = cursor_begin(uses);
    struct core_use_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && slot->stream != NULL)
        ;
    return slot;
}

static void occupy_locked(struct core_uses *uses, struct core_use_slot *slot, struct core_stream *stream,
                          uint64_t value)
{
    slot->stream = stream;
    slot->value  = value;
    core_object_retain(&stream->object);
    atomic_fetch_add_explicit(&uses->occupied, 1, memory_order_release);
}

/* Takes a slot that is free or whose work has ended. */
static int32_t record_locked(struct core_uses *uses, struct core_stream *stream, uint64_t value,
                             struct drop *drop)
{
    struct core_use_slot *slot = find_free_locked(uses);
    if (slot == NULL) {
        collect_locked(uses, drop);
        slot = find_free_locked(uses);
    }
    if (slot == NULL)
        return 0;
    occupy_locked(uses, slot, stream, value);
    return 1;
}

/* Without memory for a slot the operation itself is waited for: then there is nothing to record. In
 * a callback that it is enqueued behind, that would never end; but then what is there goes first. */
static void wait_instead(struct core_uses *uses, struct core_stream *stream, uint64_t value)
{
    struct drop drop = {0};
    int32_t recorded = 0;
    while (!recorded && core_stream_wait_finished(stream, value, TRM_FOREVER) == TRM_ERROR_DEADLOCK) {
        core_uses_wait(uses, TRM_FOREVER);
        core_lock_take(&uses->lock);
        recorded = record_locked(uses, stream, value, &drop);
        core_lock_give(&uses->lock);
        drop_all(&drop);
    }
}

static void record_new(struct core_uses *uses, struct core_stream *stream, uint64_t value)
{
    struct core_context *context = stream->object.context;
    struct drop drop             = {0};
    core_lock_take(&uses->lock);
    int32_t recorded = record_locked(uses, stream, value, &drop);
    core_lock_give(&uses->lock);
    drop_all(&drop);
    if (recorded)
        return;

    struct core_use_block *block = core_allocate(context, sizeof(*block));
    if (block == NULL) {
        wait_instead(uses, stream, value);
        return;
    }
    core_lock_take(&uses->lock);
    block->next = uses->more;
    uses->more  = block;
    occupy_locked(uses, &block->slots[0], stream, value);
    core_lock_give(&uses->lock);
}

/* Records it where the stream is known already. */
static int32_t record_known(struct core_uses *uses, const struct core_stream *stream, uint64_t value)
{
    core_lock_take(&uses->lock);
    struct cursor cursor = cursor_begin(uses);
    struct core_use_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && slot->stream != stream)
        ;
    if (slot != NULL && slot->value < value)
        slot->value = value;
    core_lock_give(&uses->lock);
    return slot != NULL;
}

void core_use(struct core_uses *uses, struct core_stream *stream, uint64_t value)
{
    if (__builtin_expect(core_stream_is_recording(stream), 0)) {
        core_recorder_use(stream, uses);
        return;
    }
    if (stream->device->limits.synchronous || record_known(uses, stream, value))
        return;
    record_new(uses, stream, value);
}

/* ---- asking and waiting ---------------------------------------------------------------------------- */

int32_t core_uses_finished(struct core_uses *uses)
{
    uint32_t left, taken;
    struct drop drop = {0};
    if (is_empty(uses))
        return 1;
    do {
        core_lock_take(&uses->lock);
        left = collect_locked(uses, &drop);
        core_lock_give(&uses->lock);
        taken = drop.count;
        drop_all(&drop);
    } while (left != 0 && taken == DROP_AT_MOST);
    return left == 0;
}

/* The first slot that is not free, with a reference. */
static int32_t pick(struct core_uses *uses, struct core_stream **stream, uint64_t *value)
{
    core_lock_take(&uses->lock);
    struct cursor cursor = cursor_begin(uses);
    struct core_use_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && slot->stream == NULL)
        ;
    if (slot != NULL) {
        *stream = slot->stream;
        *value  = slot->value;
        core_object_retain(&slot->stream->object);
    }
    core_lock_give(&uses->lock);
    return slot != NULL;
}

int32_t core_uses_wait(struct core_uses *uses, uint64_t timeout_ns)
{
    uint64_t deadline = core_deadline(timeout_ns), value;
    int32_t status = TRM_OK, first = TRM_OK;
    struct core_failure failure;
    struct core_stream *stream;

    while (status == TRM_OK && !is_empty(uses) && pick(uses, &stream, &value)) {
        status = core_stream_wait_finished(stream, value, core_remaining(deadline));
        if (status == TRM_OK && first == TRM_OK) {
            first = core_stream_check_failure(stream);
            if (first != TRM_OK)
                core_failure_keep(&failure, first);
        }
        core_object_unref(&stream->object);
        if (status == TRM_OK)
            core_uses_finished(uses);
    }
    if (status != TRM_OK)
        return status;
    return first == TRM_OK ? TRM_OK : core_failure_raise(&failure);
}

int32_t core_uses_foreign(struct core_uses *uses, const struct core_device *device)
{
    core_lock_take(&uses->lock);
    struct cursor cursor = cursor_begin(uses);
    struct core_use_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL && (slot->stream == NULL || slot->stream->device == device))
        ;
    core_lock_give(&uses->lock);
    return slot != NULL;
}

void core_uses_move(struct core_uses *to, struct core_uses *from)
{
    core_lock_take(&from->lock);
    for (uint32_t i = 0; i < CORE_USES_INLINE; i++) {
        to->slots[i]          = from->slots[i];
        from->slots[i].stream = NULL;
    }
    to->more   = from->more;
    from->more = NULL;
    atomic_store_explicit(&to->occupied, atomic_load_explicit(&from->occupied, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&from->occupied, 0, memory_order_relaxed);
    core_lock_give(&from->lock);
}

void core_uses_fini(struct core_context *context, struct core_uses *uses)
{
    struct cursor cursor = cursor_begin(uses);
    struct core_use_slot *slot;
    while ((slot = cursor_next(&cursor)) != NULL) {
        core_object_unref(slot->stream != NULL ? &slot->stream->object : NULL);
        slot->stream = NULL;
    }
    atomic_store_explicit(&uses->occupied, 0, memory_order_relaxed);
    while (uses->more != NULL) {
        struct core_use_block *block = uses->more;
        uses->more                   = block->next;
        core_release(context, block, sizeof(*block));
    }
}
