/* Slabs: one allocation of the backend, cut into blocks of a class.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/block.h"
#include "core/memory/buffer.h"

static uint64_t slab_alignment(uint64_t size)
{
    uint64_t alignment = CORE_CLASS_GRAIN;

    while (alignment < size && alignment < CORE_ALIGNMENT_LARGEST)
        alignment *= 2;
    return alignment;
}

/* Gets the host's pointer. Not for device memory across a bus, since reading that is slower than any copy. */
static int32_t get_host_pointer(struct core_slab *slab)
{
    const struct core_device *device = slab->pool->device;
    void *host                       = NULL;

    if (device->backend->memory.host_pointer == NULL ||
        (slab->kind == TRM_MEMORY_DEVICE && !device->limits.unified))
        return TRM_OK;
    int32_t status = core_memory_host_pointer(device->backend, slab->memory, &host);
    if (status == TRM_OK)
        slab->host = host;
    return status;
}

int32_t core_slab_create(struct core_pool *pool, int32_t kind, uint32_t class_index, uint64_t block_size,
                         uint64_t size, struct core_slab **slab)
{
    struct core_device *device   = pool->device;
    struct core_context *context = device->object.context;
    struct trm_memory_desc desc  = {
         .struct_size = sizeof(desc),
         .kind        = kind,
         .size        = size,
         .alignment   = slab_alignment(size),
    };

    struct core_slab *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating a slab of the pool");
    made->pool        = pool;
    made->kind        = kind;
    made->class_index = class_index;
    made->size        = size;
    made->block_size  = block_size;
    made->capacity    = size / block_size;

    base_error_clear();
    bool is_near   = kind != TRM_MEMORY_DEVICE && base_numa_prefer(device->numa_node);
    int32_t status = core_answer_object(
        device->backend, "memory.allocate",
        device->backend->memory.allocate(device->device, &desc, &made->memory), "memory", &made->memory);
    if (is_near)
        base_numa_forget();
    core_object_log(&device->object, TRM_LOG_DEBUG, "%" PRIu64 " bytes from the driver for the pool: %s",
                    desc.size, trm_status_name(status));
    if (status != TRM_OK)
        goto release;
    status = get_host_pointer(made);
    if (status != TRM_OK)
        goto free_memory;
    *slab = made;
    return TRM_OK;

free_memory:
    device->backend->memory.free(made->memory);
release:
    core_free(context, made, sizeof(*made));
    return core_device_latch_loss(device, base_fail_backend(status));
}

void core_slab_destroy(struct core_slab *slab)
{
    const struct core_device *device = slab->pool->device;
    struct core_context *context     = device->object.context;

    device->backend->memory.free(slab->memory);
    while (slab->free != NULL) {
        struct core_block *block = slab->free;
        slab->free               = block->next;
        core_free(context, block, sizeof(*block));
    }
    core_free(context, slab, sizeof(*slab));
}

void core_slab_destroy_list(struct core_slab *list)
{
    while (list != NULL) {
        struct core_slab *next = list->next;
        core_slab_destroy(list);
        list = next;
    }
}

/* ---- lists --------------------------------------------------------------------------------- */

static void partial_link(struct core_class *class, struct core_slab *slab)
{
    slab->previous = NULL;
    slab->next     = class->partial;
    if (slab->next != NULL)
        slab->next->previous = slab;
    class->partial = slab;
}

static void partial_unlink(struct core_class *class, struct core_slab *slab)
{
    if (slab->next != NULL)
        slab->next->previous = slab->previous;
    if (slab->previous != NULL)
        slab->previous->next = slab->next;
    else
        class->partial = slab->next;
}

static void fresh_unlink(struct core_class *class, struct core_slab *slab)
{
    struct core_slab **place = &class->fresh;

    while (*place != slab)
        place = &(*place)->next_fresh;
    *place = slab->next_fresh;
}

static void idle_link(struct core_pool *pool, struct core_slab *slab)
{
    slab->newer = NULL;
    slab->older = pool->idle_newest;
    if (slab->older != NULL)
        slab->older->newer = slab;
    else
        pool->idle_oldest = slab;
    pool->idle_newest = slab;
}

static void idle_unlink(struct core_pool *pool, struct core_slab *slab)
{
    if (slab->older != NULL)
        slab->older->newer = slab->newer;
    else
        pool->idle_oldest = slab->newer;
    if (slab->newer != NULL)
        slab->newer->older = slab->older;
    else
        pool->idle_newest = slab->older;
}

/* ---- slabs of the pool -------------------------------------------------------------------- */

void core_slab_add_locked(struct core_slab *slab)
{
    struct core_pool *pool = slab->pool;

    pool->stats.driver_allocations++;
    pool->stats.reserved_bytes += slab->size;
    pool->stats.cached_bytes += slab->capacity * slab->block_size;
    idle_link(pool, slab);
    if (slab->class_index == CORE_CLASS_NONE)
        return;
    struct core_class *class = core_slab_class(slab);
    class->reserved += slab->size;
    slab->next_fresh = class->fresh;
    class->fresh     = slab;
}

void core_slab_remove_locked(struct core_slab *slab)
{
    struct core_pool *pool = slab->pool;

    pool->stats.driver_frees++;
    pool->stats.reserved_bytes -= slab->size;
    pool->stats.cached_bytes -= slab->capacity * slab->block_size;
    idle_unlink(pool, slab);
    if (slab->class_index == CORE_CLASS_NONE)
        return;
    struct core_class *class = core_slab_class(slab);
    class->reserved -= slab->size;
    if (slab->free != NULL)
        partial_unlink(class, slab);
    if (slab->carved < slab->capacity)
        fresh_unlink(class, slab);
}

/* Counts a block of the slab that a buffer gets. */
static void slab_count_allocated(struct core_slab *slab)
{
    if (slab->used == 0)
        idle_unlink(slab->pool, slab);
    slab->used++;
    slab->pool->stats.cached_bytes -= slab->block_size;
}

struct core_block *core_slab_reuse_locked(struct core_class *class)
{
    struct core_slab *slab = class->partial;

    if (slab == NULL)
        return NULL;
    struct core_block *block = slab->free;
    slab->free               = block->next;
    if (slab->free == NULL)
        partial_unlink(class, slab);
    slab_count_allocated(slab);
    return block;
}

struct core_block *core_slab_carve_locked(struct core_slab *slab)
{
    struct core_context *context = slab->pool->device->object.context;

    struct core_block *block = core_allocate(context, sizeof(*block));
    if (block == NULL)
        return NULL;
    block->slab   = slab;
    block->offset = slab->carved * slab->block_size;
    slab->carved++;
    if (slab->carved == slab->capacity && slab->class_index != CORE_CLASS_NONE)
        fresh_unlink(core_slab_class(slab), slab);
    slab_count_allocated(slab);
    return block;
}

bool core_slab_free_locked(struct core_block *block)
{
    struct core_slab *slab = block->slab;
    bool is_pooled         = slab->class_index != CORE_CLASS_NONE;

    if (slab->free == NULL && is_pooled)
        partial_link(core_slab_class(slab), slab);
    block->next = slab->free;
    slab->free  = block;
    slab->used--;
    slab->pool->stats.cached_bytes += slab->block_size;
    if (slab->used > 0)
        return false;
    idle_link(slab->pool, slab);
    if (is_pooled)
        return false;
    core_slab_remove_locked(slab);
    return true;
}
