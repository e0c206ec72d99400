/* The pool of one device: allocating and freeing blocks.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/memory/block.h"
#include "core/settings/settings.h"
#include "core/stream/stream.h"

#define SLAB_FIRST (UINT64_C(64) << 10) /* bytes: a program with a few small buffers stays small */
#define SLAB_BLOCKS 8                   /* in a class's first slab, where its blocks are small */

int32_t core_pool_create(struct core_device *device, struct core_pool **pool)
{
    struct core_context *context = device->object.context;
    int32_t status               = TRM_OK;

    struct core_pool *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating the pool of a device");
    made->device     = device;
    made->threshold  = core_setting_number(context, "pool.threshold");
    made->slab_limit = core_setting_number(context, "pool.slab");
    base_error_clear();
    if (device->backend->pool.set_threshold != NULL)
        status = core_answer(device->backend, "pool.set_threshold",
                             device->backend->pool.set_threshold(device->device, made->threshold));
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return base_fail_backend(status);
    }
    device->end_parked = core_pool_stream_end;
    *pool              = made;
    return TRM_OK;
}

void core_pool_destroy(struct core_pool *pool)
{
    if (pool == NULL)
        return;
    struct core_context *context = pool->device->object.context;

    core_slab_destroy_list(core_pool_trim_locked(pool, 0));
    for (int32_t kind = 0; kind < CORE_POOL_KINDS; kind++)
        core_free(context, pool->class_tables[kind], sizeof(*pool->class_tables[kind]));
    core_free(context, pool, sizeof(*pool));
}

/* ---- allocating ---------------------------------------------------------------------------- */

static void count_taken(struct core_pool *pool, const struct core_block *block)
{
    struct trm_pool_stats *stats = &pool->stats;

    stats->allocations++;
    stats->used_bytes += block->slab->block_size;
    if (stats->used_bytes > stats->peak_used_bytes)
        stats->peak_used_bytes = stats->used_bytes;
}

/* Allocates without the driver, from memory that was touched before if there is any. NULL when there is
 * none, or no host memory. */
static struct core_block *allocate_cached_locked(struct core_pool *pool, int32_t kind, uint32_t class_index,
                                                 struct core_stream *stream)
{
    struct core_block *block = NULL;

    if (pool->class_tables[kind] == NULL)
        return NULL;
    struct core_class *class = &pool->class_tables[kind]->classes[class_index];
    if (stream != NULL)
        block = core_parked_reuse_locked(stream, kind, class_index);
    if (block == NULL)
        block = core_slab_reuse_locked(class);
    if (block == NULL)
        block = core_parked_reuse_finished_locked(class);
    if (block == NULL && class->fresh != NULL)
        block = core_slab_carve_locked(class->fresh);
    return block;
}

static struct core_block *allocate_cached(struct core_pool *pool, int32_t kind, uint32_t class_index,
                                          struct core_stream *stream)
{
    if (class_index == CORE_CLASS_NONE)
        return NULL;
    base_lock_acquire(&pool->lock);
    struct core_block *block = allocate_cached_locked(pool, kind, class_index, stream);
    if (LIKELY(block != NULL)) {
        count_taken(pool, block);
        pool->stats.reuses++;
    }
    base_lock_release(&pool->lock);
    return block;
}

/* Creates the kind's size classes if they are not there yet. */
static int32_t class_table_create(struct core_pool *pool, int32_t kind)
{
    struct core_context *context = pool->device->object.context;

    base_lock_acquire(&pool->lock);
    bool is_there = pool->class_tables[kind] != NULL;
    base_lock_release(&pool->lock);
    if (is_there)
        return TRM_OK;

    struct core_class_table *spare = core_allocate(context, sizeof(*spare));
    if (spare == NULL)
        return base_fail_memory("creating the size classes of a pool");
    base_lock_acquire(&pool->lock);
    if (pool->class_tables[kind] == NULL) {
        pool->class_tables[kind] = spare;
        spare                    = NULL;
    }
    base_lock_release(&pool->lock);
    core_free(context, spare, sizeof(*spare));
    return TRM_OK;
}

/* Bytes to ask the driver for: a class's first slab is small, each further one as large as all before it,
 * up to the limit. */
static uint64_t slab_bytes(struct core_pool *pool, int32_t kind, uint32_t class_index, uint64_t block_size)
{
    uint64_t bytes = SLAB_FIRST, most = pool->slab_limit;

    if (class_index == CORE_CLASS_NONE || block_size > CORE_CLASS_SMALL)
        return block_size;
    if (most > pool->device->limits.max_buffer_bytes)
        most = pool->device->limits.max_buffer_bytes;

    base_lock_acquire(&pool->lock);
    uint64_t reserved = pool->class_tables[kind]->classes[class_index].reserved;
    base_lock_release(&pool->lock);

    while (bytes < block_size * SLAB_BLOCKS && bytes < CORE_ALIGNMENT_LARGEST)
        bytes *= 2;
    while (bytes < reserved && bytes * 2 <= most)
        bytes *= 2;
    if (bytes > most)
        bytes = most;
    return bytes < block_size ? block_size : bytes;
}

/* Creates one more slab, and its first block. */
static int32_t allocate_from_driver(struct core_pool *pool, int32_t kind, uint32_t class_index,
                                    uint64_t block_size, uint64_t bytes, struct core_block **block)
{
    struct core_slab *slab;

    int32_t status = core_slab_create(pool, kind, class_index, block_size, bytes, &slab);
    if (status != TRM_OK)
        return status;
    base_lock_acquire(&pool->lock);
    core_slab_add_locked(slab);
    *block = core_slab_carve_locked(slab);
    if (*block != NULL) {
        (*block)->value = 0;
        count_taken(pool, *block);
    } else {
        core_slab_remove_locked(slab);
    }
    base_lock_release(&pool->lock);
    if (*block != NULL)
        return TRM_OK;
    core_slab_destroy(slab);
    return base_fail_memory("creating a block of the pool");
}

static int32_t fail_exhausted(struct core_pool *pool, uint64_t size)
{
    struct core_device *device = pool->device;
    struct trm_error cause     = trm_last_error();
    char sentence[232];

    base_lock_acquire(&pool->lock);
    uint64_t used = pool->stats.used_bytes, reserved = pool->stats.reserved_bytes;
    base_lock_release(&pool->lock);
    snprintf(sentence, sizeof(sentence),
             "device %s is out of memory for %" PRIu64 " bytes (%" PRIu64 " bytes are in buffers, %" PRIu64
             " are reserved): %s",
             device->id, size, used, reserved, cause.sentence);
    return base_fail_native(TRM_ERROR_OUT_OF_DEVICE_MEMORY, cause.native_code, sentence);
}

/* The driver is out of memory: frees what is not in use and asks once more, for the exact size. */
static int32_t allocate_after_trim(struct core_pool *pool, int32_t kind, uint32_t class_index, uint64_t size,
                                   struct core_stream *stream, struct core_block **block)
{
    core_pool_trim(pool, 0);
    *block = allocate_cached(pool, kind, class_index, stream);
    if (*block != NULL)
        return TRM_OK;

    uint64_t exact = size;
    if (class_index != CORE_CLASS_NONE && size <= CORE_CLASS_SMALL)
        exact = core_class_size(class_index);
    else
        class_index = CORE_CLASS_NONE;
    int32_t status = allocate_from_driver(pool, kind, class_index, exact, exact, block);
    return status == TRM_ERROR_OUT_OF_DEVICE_MEMORY ? fail_exhausted(pool, size) : status;
}

static int32_t allocate_slowly(struct core_pool *pool, int32_t kind, uint32_t class_index, uint64_t size,
                               struct core_stream *stream, struct core_block **block)
{
    uint64_t block_size = class_index == CORE_CLASS_NONE ? size : core_class_size(class_index);
    int32_t status      = TRM_OK;

    if (class_index != CORE_CLASS_NONE)
        status = class_table_create(pool, kind);
    if (status != TRM_OK)
        return status;
    uint64_t bytes = slab_bytes(pool, kind, class_index, block_size);
    status         = allocate_from_driver(pool, kind, class_index, block_size, bytes, block);
    if (status == TRM_ERROR_OUT_OF_DEVICE_MEMORY)
        return allocate_after_trim(pool, kind, class_index, size, stream, block);
    return status;
}

int32_t core_pool_allocate(struct core_pool *pool, int32_t kind, uint64_t size, uint64_t alignment,
                           struct core_stream *stream, struct core_block **block)
{
    const struct core_device_limits *limits = &pool->device->limits;

    if (alignment < limits->buffer_alignment)
        alignment = limits->buffer_alignment;
    if (size < alignment)
        size = alignment;
    uint32_t class_index = core_class_of(size, alignment);
    if (class_index != CORE_CLASS_NONE && core_class_size(class_index) > limits->max_buffer_bytes)
        class_index = CORE_CLASS_NONE;

    struct core_block *made = allocate_cached(pool, kind, class_index, stream);
    if (made == NULL) {
        int32_t status = allocate_slowly(pool, kind, class_index, size, stream, &made);
        if (status != TRM_OK)
            return status;
    }
    *block = made;
    return TRM_OK;
}

/* ---- freeing ------------------------------------------------------------------------------- */

void core_pool_free(struct core_pool *pool, struct core_block *block)
{
    struct core_slab *slab = block->slab;

    base_lock_acquire(&pool->lock);
    pool->stats.used_bytes -= slab->block_size;
    block->value           = 0;
    bool is_gone           = core_slab_free_locked(block);
    struct core_slab *idle = core_pool_trim_locked(pool, pool->threshold);
    base_lock_release(&pool->lock);

    if (is_gone)
        core_slab_destroy(slab);
    if (idle != NULL)
        core_slab_destroy_list(idle);
}
