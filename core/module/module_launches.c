/* Notes of which streams launched from a module, and up to which operation.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/module_object.h"

#define NOTES 15

struct core_module_launch {
    struct core_stream *stream; /* holds a reference; NULL: free */
    _Atomic uint64_t value;
};

struct core_module_launches {
    struct core_module_launches *next;
    struct core_module_launch notes[NOTES];
};

/* Has the stream ended, so that nothing is enqueued on it any more? */
static bool has_ended(struct core_stream *stream)
{
    if (!core_stream_try_pin(stream))
        return true;
    core_stream_unpin(stream, 1);
    return false;
}

/* The stream's note, or one that can become its. */
static struct core_module_launch *find_locked(const struct core_module *module,
                                              const struct core_stream *stream)
{
    struct core_module_launch *free = NULL;

    for (struct core_module_launches *block = module->notes; block != NULL; block = block->next)
        for (uint32_t i = 0; i < NOTES; i++) {
            struct core_module_launch *note = &block->notes[i];
            if (note->stream == stream)
                return note;
            if (free == NULL && (note->stream == NULL || has_ended(note->stream)))
                free = note;
        }
    return free;
}

/* Room for more. 0: there is no memory. */
static bool notes_grow(struct core_module *module)
{
    struct core_module_launches *block = core_allocate(module->object.context, sizeof(*block));

    if (block == NULL)
        return false;
    base_lock_acquire(&module->lock);
    block->next   = module->notes;
    module->notes = block;
    base_lock_release(&module->lock);
    return true;
}

/* Sets the stream's note; the stream that had it before, if any, comes out. NULL: no room. */
static struct core_module_launch *note_set(struct core_module *module, struct core_stream *stream,
                                           uint64_t value, struct core_stream **before)
{
    base_lock_acquire(&module->lock);
    struct core_module_launch *note = find_locked(module, stream);
    if (note != NULL && note->stream != stream) {
        *before = note->stream;
        core_object_retain(&stream->object);
        note->stream = stream;
    }
    if (note != NULL)
        atomic_store_explicit(&note->value, value, memory_order_relaxed);
    base_lock_release(&module->lock);
    return note;
}

void core_module_note_launch_slow(struct core_module *module, struct core_stream *stream, uint64_t value)
{
    struct core_stream *before = NULL;

    struct core_module_launch *note = note_set(module, stream, value, &before);
    if (note == NULL && notes_grow(module))
        note = note_set(module, stream, value, &before);
    if (before != NULL)
        core_object_release(&before->object);
    if (note == NULL) {
        core_in_flight_add(&module->in_flight, stream, value);
        return;
    }
    stream->last_module = module->object.handle;
    stream->last_launch = &note->value;
}

/* Nothing is launched from the module any more. */
void core_module_launches_to_in_flight(struct core_module *module)
{
    struct core_module_launches *block;

    while ((block = module->notes) != NULL) {
        module->notes = block->next;
        for (uint32_t i = 0; i < NOTES; i++) {
            struct core_module_launch *note = &block->notes[i];
            if (note->stream == NULL)
                continue;
            core_in_flight_add(&module->in_flight, note->stream,
                               atomic_load_explicit(&note->value, memory_order_acquire));
            core_object_release(&note->stream->object);
        }
        core_free(module->object.context, block, sizeof(*block));
    }
}
