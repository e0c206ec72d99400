/* Which streams launched from a module, and up to which operation.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/module_object.h"

#define BLOCK_LAUNCHES 15

struct core_module_launch {
    struct core_stream *stream; /* holds a reference; NULL: free */
    _Atomic uint64_t value;
};

struct core_module_launches {
    struct core_module_launches *next;
    struct core_module_launch launches[BLOCK_LAUNCHES];
};

/* True if the stream has ended, so that nothing is enqueued on it any more. */
static bool has_ended(struct core_stream *stream)
{
    if (!core_stream_try_pin(stream))
        return true;
    core_stream_unpin(stream, 1);
    return false;
}

/* The stream's entry, or one that is free or whose stream has ended; may be NULL. */
static struct core_module_launch *find_locked(const struct core_module *module,
                                              const struct core_stream *stream)
{
    struct core_module_launch *free = NULL;

    for (struct core_module_launches *block = module->launches; block != NULL; block = block->next)
        for (uint32_t i = 0; i < BLOCK_LAUNCHES; i++) {
            struct core_module_launch *launch = &block->launches[i];
            if (launch->stream == stream)
                return launch;
            if (free == NULL && (launch->stream == NULL || has_ended(launch->stream)))
                free = launch;
        }
    return free;
}

/* Adds free entries; false without memory. */
static bool add_block(struct core_module *module)
{
    struct core_module_launches *block = core_allocate(module->object.context, sizeof(*block));

    if (block == NULL)
        return false;
    base_lock_acquire(&module->lock);
    block->next      = module->launches;
    module->launches = block;
    base_lock_release(&module->lock);
    return true;
}

/* Sets the stream's entry. `*before` is the stream that had the entry before, if any. NULL: there is no
 * free entry. */
static struct core_module_launch *set_launch(struct core_module *module, struct core_stream *stream,
                                             uint64_t value, struct core_stream **before)
{
    base_lock_acquire(&module->lock);
    struct core_module_launch *launch = find_locked(module, stream);
    if (launch != NULL && launch->stream != stream) {
        *before = launch->stream;
        core_object_retain(&stream->object);
        launch->stream = stream;
    }
    if (launch != NULL)
        atomic_store_explicit(&launch->value, value, memory_order_relaxed);
    base_lock_release(&module->lock);
    return launch;
}

void core_module_note_launch_slow(struct core_module *module, struct core_stream *stream, uint64_t value)
{
    struct core_stream *before = NULL;

    struct core_module_launch *launch = set_launch(module, stream, value, &before);
    if (launch == NULL && add_block(module))
        launch = set_launch(module, stream, value, &before);
    if (before != NULL)
        core_object_release(&before->object);
    if (launch == NULL) {
        core_in_flight_add(&module->in_flight, stream, value);
        return;
    }
    stream->last_module = module->object.handle;
    stream->last_launch = &launch->value;
}

/* Nothing is launched from the module any more. */
void core_module_launches_to_in_flight(struct core_module *module)
{
    struct core_module_launches *block;

    while ((block = module->launches) != NULL) {
        module->launches = block->next;
        for (uint32_t i = 0; i < BLOCK_LAUNCHES; i++) {
            struct core_module_launch *launch = &block->launches[i];
            if (launch->stream == NULL)
                continue;
            core_in_flight_add(&module->in_flight, launch->stream,
                               atomic_load_explicit(&launch->value, memory_order_acquire));
            core_object_release(&launch->stream->object);
        }
        core_free(module->object.context, block, sizeof(*block));
    }
}
