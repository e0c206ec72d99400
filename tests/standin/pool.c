/* Pools of memory that is allocated and freed in the order of a stream.
 *
 * cuMemFreeAsync puts the block into its pool's list. The same stream may reuse it at once, others when the
 * stream has reached the free. The stream overwrites the memory where it allocates it and where it frees it.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

struct block {
    uint64_t address, mapped;
    struct place free_place; /* any stream may take the block from there on */
    const struct stream *free_stream;
    struct block *next;
};

struct pool {
    struct object object;
    struct device *device;
    bool is_default, is_destroyed;
    struct block *blocks; /* free ones */
    uint64_t used, used_high, reserved, reserved_high, threshold, most;
    int reuse[3];
    uint32_t access; /* bits: other devices that reach its memory */
    struct pool *next;
};

static struct pool *pools;

CUmemoryPool pool_handle(const struct pool *pool)
{
    return pool == NULL ? NULL : object_handle(&pool->object);
}

bool pool_is_reached(const struct pool *pool, const struct device *device)
{
    return pool->device == device || (pool->access >> device->ordinal & 1) != 0;
}

/* ---- what is kept */

static void release_block(struct pool *pool, struct block **link)
{
    struct block *block = *link;

    *link = block->next;
    device_memory_unmap(pool->device, block->address, block->mapped);
    pool->reserved -= block->mapped;
    timeline_drop(block->free_place.timeline);
    free(block);
}

static void trim(struct pool *pool, uint64_t keep)
{
    struct block **link = &pool->blocks;

    while (*link != NULL && pool->reserved > keep) {
        if (place_is_reached((*link)->free_place))
            release_block(pool, link);
        else
            link = &(*link)->next;
    }
}

/* Of those that were destroyed, the memory goes when it can. */
static void trim_all(const struct device *device, bool empties)
{
    struct pool **link = &pools;

    while (*link != NULL) {
        struct pool *pool = *link;
        if (pool->device == device)
            trim(pool, empties || pool->is_destroyed ? 0 : pool->threshold);
        if (pool->is_destroyed && pool->reserved == 0) {
            *link = pool->next;
            free(pool);
        } else {
            link = &pool->next;
        }
    }
}

void pool_trim_all(const struct context *context)
{
    trim_all(context->device, false);
}

void pool_empty_all(struct device *device)
{
    trim_all(device, true);
}

static struct pool *pool_create(struct device *device, bool is_default)
{
    struct pool *pool = calloc(1, sizeof(*pool));

    if (pool == NULL)
        return NULL;
    pool->device     = device;
    pool->is_default = is_default;
    for (int i = 0; i < 3; i++)
        pool->reuse[i] = 1;
    object_begin(&pool->object, OBJECT_POOL, NULL);
    pool->next = pools;
    pools      = pool;
    return pool;
}

static struct pool *default_pool(struct device *device)
{
    if (device->pool == NULL)
        device->pool = pool_create(device, true);
    return device->pool;
}

/* ---- blocks */

static bool may_have(const struct block *block, const struct stream *stream, uint64_t bytes)
{
    if (block->mapped < bytes || block->mapped > 2 * bytes + 65536)
        return false;
    return block->free_stream == stream || place_is_reached(block->free_place);
}

/* The smallest that is large enough. */
static struct block **find_block(struct pool *pool, const struct stream *stream, uint64_t bytes)
{
    struct block **found = NULL;

    for (struct block **link = &pool->blocks; *link != NULL; link = &(*link)->next)
        if (may_have(*link, stream, bytes) && (found == NULL || (*link)->mapped < (*found)->mapped))
            found = link;
    return found;
}

static uint64_t take(struct pool *pool, const struct stream *stream, uint64_t size, uint64_t *mapped)
{
    struct block **link = find_block(pool, stream, size);

    if (link == NULL) {
        if (pool->most != 0 && pool->reserved + size > pool->most)
            return 0;
        uint64_t address = device_memory_map(pool->device, size, mapped);
        if (address == 0) {
            /* Before it gives up, it gives back what all pools of the device keep. */
            pool_empty_all(pool->device);
            address = device_memory_map(pool->device, size, mapped);
        }
        pool->reserved += address != 0 ? *mapped : 0;
        pool->reserved_high = pool->reserved > pool->reserved_high ? pool->reserved : pool->reserved_high;
        return address;
    }
    struct block *block = *link;
    uint64_t address    = block->address;
    *mapped             = block->mapped;
    *link               = block->next;
    timeline_drop(block->free_place.timeline);
    free(block);
    return address;
}

/* Puts the memory into the pool's list: free for `stream` at once, and for others when `place` is reached. */
static void give(struct span *span, const struct stream *stream, struct place place)
{
    struct pool *pool   = span->pool;
    struct block *block = calloc(1, sizeof(*block));

    pool->used -= span->mapped;
    if (block == NULL) {
        device_memory_unmap(pool->device, span->address, span->mapped);
        pool->reserved -= span->mapped;
        span_remove(span);
        return;
    }
    *block = (struct block){.address     = span->address,
                            .mapped      = span->mapped,
                            .free_place  = place,
                            .free_stream = stream,
                            .next        = pool->blocks};
    timeline_hold(place.timeline);
    pool->blocks = block;
    span_remove(span);
}

void pool_give_back(struct span *span)
{
    give(span, NULL, (struct place){.timeline = NULL});
}

/* ---- in a stream */

struct rubbish {
    struct operation operation;
    uint64_t address, size;
    int byte;
};

static CUresult rubbish_run(struct operation *operation)
{
    const struct rubbish *rubbish = (const struct rubbish *)operation;

    memset((void *)(uintptr_t)rubbish->address, rubbish->byte, // NOLINT(performance-no-int-to-ptr)
           rubbish->size < STANDIN_GARBAGE_BYTES ? rubbish->size : STANDIN_GARBAGE_BYTES);
    return CUDA_SUCCESS;
}

static const struct operation_kind rubbish_kind = {.run = rubbish_run};

static struct rubbish *rubbish_create(int byte)
{
    struct rubbish *rubbish = calloc(1, sizeof(*rubbish));

    if (rubbish == NULL)
        return NULL;
    rubbish->operation.kind = &rubbish_kind;
    rubbish->byte           = byte;
    return rubbish;
}

static CUresult allocate(struct pool *pool, struct stream *stream, uint64_t size, CUdeviceptr *address)
{
    struct rubbish *rubbish = rubbish_create(STANDIN_GARBAGE);
    struct span span        = {.size    = size,
                               .kind    = SPAN_POOL,
                               .context = stream->object.context,
                               .device  = pool->device,
                               .pool    = pool};

    if (rubbish == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    span.address = take(pool, stream, size, &span.mapped);
    if (span.address == 0 || !span_add(&span, NULL)) {
        free(rubbish);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pool->used += span.mapped;
    pool->used_high  = pool->used > pool->used_high ? pool->used : pool->used_high;
    rubbish->address = span.address;
    rubbish->size    = size;
    stream_enqueue(stream, &rubbish->operation);
    *address = span.address;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                         CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuMemAllocFromPoolAsync, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    struct pool *from = object_find(OBJECT_POOL, pool);
    if (from == NULL || dptr == NULL || bytesize == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(allocate(from, stream, bytesize, dptr));
}

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuMemAllocAsync, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_config.pools)
        return leave(CUDA_ERROR_NOT_SUPPORTED);
    struct pool *pool = default_pool(stream->object.context->device);
    if (dptr == NULL || bytesize == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(pool == NULL ? CUDA_ERROR_OUT_OF_MEMORY : allocate(pool, stream, bytesize, dptr));
}

CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuMemFreeAsync, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_at(dptr);
    if (span == NULL || span->kind != SPAN_POOL) {
        standin_breach("cuMemFreeAsync of what was not allocated so");
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    struct rubbish *rubbish = rubbish_create(STANDIN_POISON);
    if (rubbish == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    rubbish->address = span->address;
    rubbish->size    = span->mapped;
    stream_enqueue(stream, &rubbish->operation);
    give(span, stream, stream_place(stream));
    return leave(CUDA_SUCCESS);
}

/* ---- the pools themselves */

/* Begins a call about the pools of a device. */
static CUresult enter_device_pool(enum standin_function function, CUdevice dev, CUmemoryPool *pool)
{
    CUresult result = enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    struct device *device = device_of(dev);
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (pool == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!standin_config.pools)
        return leave(CUDA_ERROR_NOT_SUPPORTED);
    struct pool *own = default_pool(device);
    if (own == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *pool = object_handle(&own->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    return enter_device_pool(STANDIN_cuDeviceGetDefaultMemPool, dev, pool_out);
}

CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    return enter_device_pool(STANDIN_cuDeviceGetMemPool, dev, pool);
}

CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    CUresult result = enter(STANDIN_cuMemPoolCreate);

    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_config.pools)
        return leave(CUDA_ERROR_NOT_SUPPORTED);
    if (pool == NULL || poolProps == NULL || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        device_of(poolProps->location.id) == NULL || poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct pool *made = pool_create(device_of(poolProps->location.id), false);
    if (made == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    made->most = poolProps->maxSize;
    *pool      = object_handle(&made->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool)
{
    CUresult result = enter(STANDIN_cuMemPoolDestroy);

    if (result != CUDA_SUCCESS)
        return result;
    struct pool *old = object_find(OBJECT_POOL, pool);
    if (old == NULL || old->is_default)
        return leave(CUDA_ERROR_INVALID_VALUE);
    object_end(&old->object);
    /* What was allocated of it lives on. */
    old->is_destroyed = true;
    trim_all(old->device, false);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    CUresult result = enter(STANDIN_cuMemPoolTrimTo);

    if (result != CUDA_SUCCESS)
        return result;
    struct pool *found = object_find(OBJECT_POOL, pool);
    if (found == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    trim(found, minBytesToKeep);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    CUresult result = enter(STANDIN_cuMemPoolSetAccess);

    if (result != CUDA_SUCCESS)
        return result;
    struct pool *found = object_find(OBJECT_POOL, pool);
    if (found == NULL || (map == NULL && count != 0))
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || device_of(map[i].location.id) == NULL)
            return leave(CUDA_ERROR_INVALID_DEVICE);
        if (map[i].location.id != found->device->ordinal && !standin_config.peers)
            return leave(CUDA_ERROR_INVALID_DEVICE);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t bit = UINT32_C(1) << map[i].location.id;
        found->access =
            map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ? found->access & ~bit : found->access | bit;
    }
    return leave(CUDA_SUCCESS);
}

/* ---- attributes */

static uint64_t *number_of(struct pool *pool, CUmemPool_attribute attribute)
{
    switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        return &pool->threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        return &pool->reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        return &pool->reserved_high;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        return &pool->used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return &pool->used_high;
    default:
        return NULL;
    }
}

static bool is_reuse(CUmemPool_attribute attribute)
{
    return attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
           attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CUresult result = enter(STANDIN_cuMemPoolSetAttribute);

    if (result != CUDA_SUCCESS)
        return result;
    struct pool *found = object_find(OBJECT_POOL, pool);
    if (found == NULL || value == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (is_reuse(attr)) {
        found->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(const int *)value;
        return leave(CUDA_SUCCESS);
    }
    uint64_t given = *(const cuuint64_t *)value;
    if (attr == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        found->threshold = given;
    else if (attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH && given == 0)
        found->reserved_high = found->reserved;
    else if (attr == CU_MEMPOOL_ATTR_USED_MEM_HIGH && given == 0)
        found->used_high = found->used;
    else
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CUresult result = enter(STANDIN_cuMemPoolGetAttribute);

    if (result != CUDA_SUCCESS)
        return result;
    struct pool *found = object_find(OBJECT_POOL, pool);
    if (found == NULL || value == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (is_reuse(attr)) {
        *(int *)value = found->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return leave(CUDA_SUCCESS);
    }
    const uint64_t *number = number_of(found, attr);
    if (number == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *(cuuint64_t *)value = *number;
    return leave(CUDA_SUCCESS);
}
