/* vulkan backend: the heap of a device, which cuts pieces from blocks.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/heap_internal.h"

#define IDLE_LIMIT \
    (UINT64_C(64) << 20) /* bytes of idle blocks that stay allocated, so that blocks do not come and go */
#define LARGEST_BLOCK (UINT64_C(256) << 20)
#define LARGEST_PART (UINT64_C(32) << 20)
#define SPARE_MOST 256u /* unused records that are kept */

/* ---- records; the caller holds the lock ---------------------------------------------------- */

static struct vulkan_record *record_acquire_locked(struct vulkan_heap *heap)
{
    struct vulkan_record *record = heap->spare;

    if (record == NULL)
        return trm_util_allocate(heap->device->instance->host, sizeof(*record));
    heap->spare = record->next;
    heap->spare_count--;
    return record;
}

static void record_recycle_locked(struct vulkan_heap *heap, struct vulkan_record *record)
{
    if (heap->spare_count == SPARE_MOST) {
        trm_util_release(heap->device->instance->host, record, sizeof(*record));
        return;
    }
    record->next = heap->spare;
    heap->spare  = record;
    heap->spare_count++;
}

/* ---- idle blocks; the caller holds the lock ------------------------------------------------ */

static void idle_link(struct vulkan_heap *heap, struct vulkan_block *block)
{
    block->idle     = true;
    block->next     = NULL;
    block->previous = heap->idle_newest;
    if (block->previous != NULL)
        block->previous->next = block;
    else
        heap->idle_oldest = block;
    heap->idle_newest = block;
    heap->idle_bytes += block->size;
}

static void idle_unlink(struct vulkan_heap *heap, struct vulkan_block *block)
{
    block->idle = false;
    if (block->next != NULL)
        block->next->previous = block->previous;
    else
        heap->idle_newest = block->previous;
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        heap->idle_oldest = block->next;
    heap->idle_bytes -= block->size;
}

/* Takes the oldest idle blocks out until at most `keep` bytes are left. The caller drops the returned list
 * (by `next`) after it has released the lock. */
static struct vulkan_block *idle_take_locked(struct vulkan_heap *heap, uint64_t keep)
{
    struct vulkan_block *list = NULL;

    while (heap->idle_bytes > keep) {
        struct vulkan_block *block = heap->idle_oldest;
        struct vulkan_area *area   = heap->areas[block->type];
        idle_unlink(heap, block);
        vulkan_tlsf_remove(&area->tlsf, block->piece);
        area->reserved -= block->size;
        block->next = list;
        list        = block;
    }
    return list;
}

static void drop_blocks(struct vulkan_heap *heap, struct vulkan_block *list)
{
    while (list != NULL) {
        struct vulkan_block *next = list->next;
        vulkan_heap_drop_block(heap, list);
        list = next;
    }
}

void vulkan_heap_trim(struct vulkan_heap *heap, uint64_t keep)
{
    pthread_mutex_lock(&heap->lock);
    struct vulkan_block *list = idle_take_locked(heap, keep);
    pthread_mutex_unlock(&heap->lock);
    drop_blocks(heap, list);
}

void vulkan_heap_set_idle_limit(struct vulkan_heap *heap, uint64_t bytes)
{
    pthread_mutex_lock(&heap->lock);
    heap->idle_limit          = bytes < IDLE_LIMIT ? bytes : IDLE_LIMIT;
    struct vulkan_block *list = idle_take_locked(heap, heap->idle_limit);
    pthread_mutex_unlock(&heap->lock);
    drop_blocks(heap, list);
}

void vulkan_heap_statistics(struct vulkan_heap *heap, uint64_t *used, uint64_t *cached, uint64_t *reserved)
{
    pthread_mutex_lock(&heap->lock);
    *used     = heap->used;
    *cached   = heap->idle_bytes;
    *reserved = heap->reserved;
    pthread_mutex_unlock(&heap->lock);
}

/* ---- allocating ---------------------------------------------------------------------------- */

/* What is asked for, and the result. */
struct request {
    int32_t kind;
    uint64_t size, alignment;
    struct trm_backend_memory *memory;
    struct vulkan_block_failure failure;
};

static void piece_used_locked(struct vulkan_heap *heap, struct vulkan_tlsf_piece *piece,
                              struct vulkan_record *record, struct request *request)
{
    struct vulkan_block *block = piece->owner;
    uint64_t base              = piece->offset - block->bias;

    if (block->idle)
        idle_unlink(heap, block);
    heap->used += piece->size;
    record->memory = (struct trm_backend_memory){
        .device = heap->device,
        .buffer = block->whole.buffer,
        .base   = base,
        .size   = request->size,
        .host   = block->whole.host == NULL ? NULL : block->whole.host + base,
        .kind   = request->kind,
        .block  = block,
        .piece  = piece,
    };
    request->memory = &record->memory;
}

/* Takes a piece from existing blocks, or from `fresh`, which then becomes part of the area. */
static int32_t allocate_piece(struct vulkan_heap *heap, struct vulkan_area *area, struct vulkan_block *fresh,
                              struct request *request)
{
    struct vulkan_tlsf_piece *piece;
    int32_t status = TRM_ERROR_OUT_OF_HOST_MEMORY;

    pthread_mutex_lock(&heap->lock);
    struct vulkan_record *record = record_acquire_locked(heap);
    if (record == NULL)
        goto unlock;
    if (fresh == NULL) {
        status = vulkan_tlsf_allocate(&area->tlsf, request->size, request->alignment, &piece);
    } else {
        uint64_t begin = (fresh->bias + VULKAN_TLSF_GRAIN - 1) & ~(VULKAN_TLSF_GRAIN - 1);
        uint64_t size  = (fresh->size - (begin - fresh->bias)) & ~(VULKAN_TLSF_GRAIN - 1);
        fresh->piece   = vulkan_tlsf_add(&area->tlsf, begin, size, fresh);
        if (fresh->piece != NULL)
            status = vulkan_tlsf_allocate_from(&area->tlsf, fresh->piece, request->size, request->alignment,
                                               &piece);
        if (fresh->piece != NULL && status != TRM_OK)
            vulkan_tlsf_remove(&area->tlsf, fresh->piece);
        if (status == TRM_OK)
            area->reserved += fresh->size;
    }
    if (status == TRM_OK)
        piece_used_locked(heap, piece, record, request);
    else
        record_recycle_locked(heap, record);
unlock:
    pthread_mutex_unlock(&heap->lock);
    return status;
}

static VkResult allocate_single(struct vulkan_heap *heap, uint32_t type, struct request *request)
{
    struct vulkan_block *block;

    VkResult result =
        vulkan_heap_make_single(heap, type, request->size, request->alignment, &block, &request->failure);
    if (result < 0)
        return result;
    block->whole.kind = request->kind;
    pthread_mutex_lock(&heap->lock);
    heap->used += block->size;
    pthread_mutex_unlock(&heap->lock);
    request->memory = &block->whole;
    return VK_SUCCESS;
}

/* Takes a piece from a new block, which is `slack` bytes larger than the piece. */
static int32_t allocate_fresh(struct vulkan_heap *heap, uint32_t type, uint64_t slack,
                              struct request *request)
{
    struct vulkan_block *fresh;

    if (vulkan_heap_make_shared(heap, type, request->size + slack, &fresh, &request->failure) < 0)
        return TRM_ERROR_BACKEND; /* details are in request->failure */
    fresh->whole.kind = request->kind;
    int32_t status    = allocate_piece(heap, heap->areas[type], fresh, request);
    if (status != TRM_OK)
        vulkan_heap_drop_block(heap, fresh);
    return status;
}

static VkResult allocate_from_type(struct vulkan_heap *heap, uint32_t type, struct request *request)
{
    struct vulkan_area *area = heap->areas[type];

    if (request->size > area->largest_part)
        return allocate_single(heap, type, request);
    request->failure = (struct vulkan_block_failure){VK_ERROR_OUT_OF_DEVICE_MEMORY, NULL};
    int32_t status   = allocate_piece(heap, area, NULL, request);
    if (status == TRM_ERROR_OUT_OF_DEVICE_MEMORY)
        status = allocate_fresh(heap, type, 0, request);
    if (status == TRM_ERROR_OUT_OF_DEVICE_MEMORY) /* the block's host address is unaligned */
        status = allocate_fresh(heap, type, request->alignment + VULKAN_TLSF_GRAIN, request);
    if (status == TRM_OK)
        return VK_SUCCESS;
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY)
        request->failure = (struct vulkan_block_failure){VK_ERROR_OUT_OF_HOST_MEMORY, NULL};
    return request->failure.result;
}

/* Tries the types in order. */
static VkResult allocate_from_choice(struct vulkan_heap *heap, const struct vulkan_type_choice *choice,
                                     struct request *request)
{
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;

    for (uint32_t i = 0; i < choice->count; i++) {
        result = allocate_from_type(heap, choice->types[i], request);
        if (!vulkan_is_exhaustion(result))
            break;
    }
    return result;
}

int32_t vulkan_heap_allocate(struct vulkan_heap *heap, int32_t kind, uint64_t size, uint64_t alignment,
                             struct trm_backend_memory **memory)
{
    struct request request = {.kind = kind, .size = size, .alignment = alignment};

    uint32_t index = (uint32_t)(kind - TRM_MEMORY_DEVICE);
    if (index >= VULKAN_KINDS || kind == TRM_MEMORY_IMPORTED || heap->choices[index].count == 0)
        return trm_util_fail(heap->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "%s has no memory of kind %d.", heap->device->physical->properties.deviceName,
                             kind);
    VkResult result = allocate_from_choice(heap, &heap->choices[index], &request);
    if (vulkan_is_exhaustion(result)) {
        vulkan_heap_trim(heap, 0);
        result = allocate_from_choice(heap, &heap->choices[index], &request);
    }
    if (result < 0)
        return vulkan_heap_fail(heap, size, &request.failure);
    *memory = request.memory;
    return TRM_OK;
}

/* ---- freeing ------------------------------------------------------------------------------- */

static void free_single(struct vulkan_heap *heap, struct vulkan_block *block)
{
    if (block->whole.kind != TRM_MEMORY_IMPORTED) {
        pthread_mutex_lock(&heap->lock);
        heap->used -= block->size;
        pthread_mutex_unlock(&heap->lock);
    }
    vulkan_heap_drop_block(heap, block);
}

void vulkan_heap_free(struct trm_backend_memory *memory)
{
    struct vulkan_heap *heap   = memory->device->heap;
    struct vulkan_block *block = memory->block, *list = NULL;

    if (!block->shared) {
        free_single(heap, block);
        return;
    }
    struct vulkan_tlsf_piece *piece = memory->piece;
    pthread_mutex_lock(&heap->lock);
    heap->used -= piece->size;
    piece = vulkan_tlsf_free(&heap->areas[block->type]->tlsf, piece);
    record_recycle_locked(heap, (struct vulkan_record *)memory);
    if (vulkan_tlsf_is_whole(piece)) {
        block->piece = piece;
        idle_link(heap, block);
        list = idle_take_locked(heap, heap->idle_limit);
    }
    pthread_mutex_unlock(&heap->lock);
    drop_blocks(heap, list);
}

/* ---- host addresses ------------------------------------------------------------------------ */

struct trm_backend_memory *vulkan_heap_find_host(struct vulkan_heap *heap, const void *pointer, uint64_t size,
                                                 uint64_t *offset)
{
    struct trm_backend_memory *memory = vulkan_host_ranges_find(&heap->host_ranges, pointer, size);

    if (memory != NULL)
        *offset = (uint64_t)((const unsigned char *)pointer - memory->host);
    return memory;
}

/* ---- creating and destroying --------------------------------------------------------------- */

static void *record_allocate(void *context, uint64_t size)
{
    return trm_util_allocate(context, size);
}

static void record_release(void *context, void *memory, uint64_t size)
{
    trm_util_release(context, memory, size);
}

/* All buffers have the same memory types: queries them once. */
static int32_t ask_types(struct vulkan_heap *heap)
{
    struct trm_backend_device *device = heap->device;
    VkMemoryRequirements required;
    VkBuffer buffer;

    VkResult result = vulkan_block_buffer(device, VULKAN_TLSF_GRAIN, 0, &buffer);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkCreateBuffer");
    device->vk.vkGetBufferMemoryRequirements(device->handle, buffer, &required);
    device->vk.vkDestroyBuffer(device->handle, buffer, NULL);
    heap->type_bits = required.memoryTypeBits;
    for (uint32_t i = 0; i < VULKAN_KINDS; i++)
        vulkan_types_choose(&device->physical->memory, heap->type_bits, TRM_MEMORY_DEVICE + (int32_t)i,
                            device->physical->unified, &heap->choices[i]);
    return TRM_OK;
}

static int32_t make_area(struct vulkan_heap *heap, uint32_t type)
{
    const struct vulkan_physical *physical = heap->device->physical;
    uint64_t heap_size = physical->memory.memoryHeaps[physical->memory.memoryTypes[type].heapIndex].size;

    if (heap->areas[type] != NULL)
        return TRM_OK;
    struct vulkan_area *area = trm_util_allocate(heap->device->instance->host, sizeof(*area));
    if (area == NULL)
        return trm_util_fail_host_memory(heap->device->instance->host, "the heap of a device");
    vulkan_tlsf_init(&area->tlsf, record_allocate, record_release, (void *)heap->device->instance->host);
    area->largest = LARGEST_BLOCK;
    while (area->largest > heap_size / 8 || area->largest > physical->max_allocation_bytes ||
           area->largest > physical->max_buffer_bytes)
        area->largest /= 2;
    area->largest_part = area->largest / 2 < LARGEST_PART ? area->largest / 2 : LARGEST_PART;
    heap->areas[type]  = area;
    return TRM_OK;
}

int32_t vulkan_heap_create(struct trm_backend_device *device, struct vulkan_heap **heap)
{
    struct vulkan_heap *made = trm_util_allocate(device->instance->host, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "the heap of a device");
    made->device       = device;
    made->idle_limit   = IDLE_LIMIT;
    made->buffer_grain = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    pthread_mutex_init(&made->lock, NULL);
    vulkan_host_ranges_init(&made->host_ranges, device->instance);

    int32_t status = ask_types(made);
    for (uint32_t i = 0; status == TRM_OK && i < VULKAN_KINDS; i++)
        for (uint32_t j = 0; status == TRM_OK && j < made->choices[i].count; j++)
            status = make_area(made, made->choices[i].types[j]);
    if (status != TRM_OK) {
        vulkan_heap_destroy(made);
        return status;
    }
    *heap = made;
    return TRM_OK;
}

void vulkan_heap_destroy(struct vulkan_heap *heap)
{
    if (heap == NULL)
        return;
    const struct trm_backend_instance *instance = heap->device->instance;

    vulkan_heap_trim(heap, 0);
    while (heap->spare != NULL) {
        struct vulkan_record *next = heap->spare->next;
        trm_util_release(instance->host, heap->spare, sizeof(*heap->spare));
        heap->spare = next;
    }
    for (uint32_t i = 0; i < VK_MAX_MEMORY_TYPES; i++)
        if (heap->areas[i] != NULL) {
            vulkan_tlsf_fini(&heap->areas[i]->tlsf);
            trm_util_release(instance->host, heap->areas[i], sizeof(*heap->areas[i]));
        }
    vulkan_host_ranges_fini(&heap->host_ranges);
    pthread_mutex_destroy(&heap->lock);
    trm_util_release(instance->host, heap, sizeof(*heap));
}
