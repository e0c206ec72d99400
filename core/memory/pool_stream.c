/* Parked blocks: memory freed in the order of a stream. Each is in two lists: in its stream's bin of its
 * class, of which that stream reuses the newest, and in its class's list over all streams, of which the
 * oldest are the likeliest to have finished.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/memory/block.h"
#include "core/stream/stream.h"

#define BINS_INLINE 4
#define MAX_QUERIED 16 /* parked blocks, before the driver is asked */

struct core_pool_bin {
    int32_t kind;
    uint32_t class_index;
    struct core_block *newest;
};

/* Of a stream that blocks were parked on. */
struct core_pool_stream {
    uint32_t count, capacity;
    struct core_pool_bin *bins; /* `first`, or an allocation */
    struct core_pool_bin first[BINS_INLINE];
};

/* The value of core_stream.pool once the stream has ended. Never written. */
static const struct core_pool_stream ended;

static bool has_ended(const struct core_stream *stream)
{
    return stream->pool == &ended;
}

static struct core_pool_bin *bin_find(const struct core_stream *stream, int32_t kind, uint32_t class_index)
{
    const struct core_pool_stream *parked = stream->pool;

    if (parked == NULL)
        return NULL;
    for (uint32_t i = 0; i < parked->count; i++)
        if (parked->bins[i].class_index == class_index && parked->bins[i].kind == kind)
            return &parked->bins[i];
    return NULL;
}

static bool bins_grow(struct core_context *context, struct core_pool_stream *parked)
{
    uint32_t capacity          = parked->capacity * 2;
    struct core_pool_bin *bins = core_allocate(context, capacity * sizeof(*bins));

    if (bins == NULL)
        return false;
    memcpy(bins, parked->bins, parked->count * sizeof(*bins));
    if (parked->bins != parked->first)
        core_free(context, parked->bins, parked->capacity * sizeof(*bins));
    parked->bins     = bins;
    parked->capacity = capacity;
    return true;
}

/* Finds or creates the bin for a class; NULL without memory. */
static struct core_pool_bin *bin_find_or_create(struct core_stream *stream, int32_t kind,
                                                uint32_t class_index)
{
    struct core_context *context    = stream->object.context;
    struct core_pool_bin *bin       = bin_find(stream, kind, class_index);
    struct core_pool_stream *parked = stream->pool;

    if (bin != NULL)
        return bin;
    if (parked == NULL) {
        parked = core_allocate(context, sizeof(*parked));
        if (parked == NULL)
            return NULL;
        parked->bins     = parked->first;
        parked->capacity = BINS_INLINE;
        stream->pool     = parked;
    }
    if (parked->count == parked->capacity && !bins_grow(context, parked))
        return NULL;
    bin              = &parked->bins[parked->count++];
    bin->kind        = kind;
    bin->class_index = class_index;
    return bin;
}

static void block_park(struct core_block *block, struct core_stream *stream, struct core_pool_bin *bin)
{
    struct core_class *class = core_slab_class(block->slab);

    block->stream   = stream;
    block->value    = core_stream_next(stream) - 1;
    block->next     = bin->newest;
    block->previous = NULL;
    if (block->next != NULL)
        block->next->previous = block;
    bin->newest = block;

    block->newer = NULL;
    block->older = class->newest;
    if (block->older != NULL)
        block->older->newer = block;
    else
        class->oldest = block;
    class->newest = block;
}

static void block_unpark(struct core_block *block)
{
    struct core_class *class = core_slab_class(block->slab);

    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        bin_find(block->stream, block->slab->kind, block->slab->class_index)->newest = block->next;

    if (block->older != NULL)
        block->older->newer = block->newer;
    else
        class->oldest = block->newer;
    if (block->newer != NULL)
        block->newer->older = block->older;
    else
        class->newest = block->older;
    block->stream = NULL;
}

static bool block_has_finished(const struct core_block *block)
{
    return core_stream_has_finished(block->stream, block->value);
}

static void count_taken(const struct core_block *block)
{
    block->slab->pool->stats.cached_bytes -= block->slab->block_size;
}

struct core_block *core_parked_reuse_locked(struct core_stream *stream, int32_t kind, uint32_t class_index)
{
    struct core_pool_bin *bin = bin_find(stream, kind, class_index);

    if (bin == NULL || bin->newest == NULL)
        return NULL;
    struct core_block *block = bin->newest;
    block_unpark(block);
    if (block->value <= atomic_load_explicit(&stream->completed, memory_order_acquire))
        block->value = 0;
    count_taken(block);
    return block;
}

struct core_block *core_parked_reuse_finished_locked(struct core_class *class)
{
    struct core_block *block = class->oldest;

    for (uint32_t i = 0; block != NULL && i < MAX_QUERIED; i++, block = block->newer)
        if (block_has_finished(block)) {
            block_unpark(block);
            block->value = 0;
            count_taken(block);
            return block;
        }
    return NULL;
}

/* Moves a parked block to the free ones; it was counted as cached all the time. */
static void block_free(struct core_block *block)
{
    block_unpark(block);
    block->value = 0;
    count_taken(block);
    core_slab_free_locked(block);
}

void core_parked_collect_locked(struct core_pool *pool)
{
    for (int32_t kind = 0; kind < CORE_POOL_KINDS; kind++)
        for (uint32_t i = 0; pool->class_tables[kind] != NULL && i < CORE_CLASS_COUNT; i++) {
            struct core_block *block = pool->class_tables[kind]->classes[i].oldest;
            while (block != NULL) {
                struct core_block *newer = block->newer;
                if (block_has_finished(block))
                    block_free(block);
                block = newer;
            }
        }
}

bool core_pool_park(struct core_pool *pool, struct core_block *block, struct core_stream *stream)
{
    struct core_slab *idle    = NULL;
    struct core_pool_bin *bin = NULL;

    if (block->slab->class_index == CORE_CLASS_NONE)
        return false;
    base_lock_acquire(&pool->lock);
    if (!has_ended(stream))
        bin = bin_find_or_create(stream, block->slab->kind, block->slab->class_index);
    if (bin != NULL) {
        pool->stats.used_bytes -= block->slab->block_size;
        pool->stats.cached_bytes += block->slab->block_size;
        block_park(block, stream, bin);
        idle = core_pool_trim_locked(pool, pool->threshold);
    }
    base_lock_release(&pool->lock);
    core_slab_destroy_list(idle);
    return bin != NULL;
}

void core_pool_stream_end(struct core_stream *stream)
{
    struct core_pool *pool       = stream->device->pool;
    struct core_context *context = stream->object.context;

    base_lock_acquire(&pool->lock);
    struct core_pool_stream *parked = stream->pool;
    if (parked != NULL && parked != &ended)
        for (uint32_t i = 0; i < parked->count; i++)
            while (parked->bins[i].newest != NULL)
                block_free(parked->bins[i].newest);
    stream->pool           = (struct core_pool_stream *)&ended;
    struct core_slab *idle = core_pool_trim_locked(pool, pool->threshold);
    base_lock_release(&pool->lock);

    core_slab_destroy_list(idle);
    if (parked == NULL || parked == &ended)
        return;
    if (parked->bins != parked->first)
        core_free(context, parked->bins, parked->capacity * sizeof(*parked->bins));
    core_free(context, parked, sizeof(*parked));
}
