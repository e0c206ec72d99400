/* Mapping: of the buffer's own memory where the host can reach it, else of a copy.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/buffer.h"
#include "core/object/object.h"

#define STAGING_ALIGNMENT 64

#define MAP_FLAGS ((uint32_t)(TRM_MAP_READ | TRM_MAP_WRITE | TRM_MAP_NOSYNC))

static int32_t check_flags(uint32_t flags)
{
    if ((flags & ~MAP_FLAGS) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "flags 0x%" PRIx32 " of a mapping have unknown bits",
                         flags);
    if ((flags & (TRM_MAP_READ | TRM_MAP_WRITE)) == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a mapping must be for reading, writing or both");
    return TRM_OK;
}

static int32_t stage(struct core_buffer *buffer, uint32_t flags)
{
    struct core_context *context = buffer->object.context;

    void *staging = core_allocate_aligned(context, buffer->size, STAGING_ALIGNMENT);
    if (staging == NULL)
        return base_fail_memory("mapping a buffer that the host cannot reach");
    int32_t status = TRM_OK;
    if (flags & TRM_MAP_READ)
        status = core_buffer_read(buffer, 0, staging, buffer->size);
    if (status != TRM_OK) {
        core_free(context, staging, buffer->size);
        return status;
    }
    buffer->staging = staging;
    return TRM_OK;
}

/* The caller has set the state to CHANGING. */
static int32_t map(struct core_buffer *buffer, uint32_t flags, void **pointer)
{
    int32_t status = TRM_OK;

    if ((flags & TRM_MAP_NOSYNC) == 0)
        status = core_in_flight_wait(&buffer->in_flight, TRM_FOREVER);
    if (status == TRM_OK && buffer->host == NULL && buffer->size > 0)
        status = stage(buffer, flags);
    if (status != TRM_OK)
        return status;
    buffer->map_flags = flags;
    *pointer          = buffer->staging != NULL ? buffer->staging : buffer->host;
    return TRM_OK;
}

int32_t trm_buffer_map(struct trm_buffer *buffer, uint32_t flags, void **pointer)
{
    uint32_t none = CORE_MAP_NONE;

    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    int32_t status = check_flags(flags);
    if (status == TRM_OK)
        status = core_output_check(pointer, "trm_buffer_map", "pointer");
    if (status != TRM_OK)
        goto leave;
    if (!atomic_compare_exchange_strong_explicit(&found->mapped, &none, CORE_MAP_CHANGING,
                                                 memory_order_acquire, memory_order_relaxed)) {
        status = base_fail(TRM_ERROR_BUSY, "this buffer is already mapped");
        goto leave;
    }
    status = map(found, flags, pointer);
    atomic_store_explicit(&found->mapped, status == TRM_OK ? CORE_MAP_ON : CORE_MAP_NONE,
                          memory_order_release);
leave:
    core_object_leave(&found->object);
    return status;
}

static void staging_release(struct core_buffer *buffer)
{
    core_free(buffer->object.context, buffer->staging, buffer->size);
    buffer->staging = NULL;
}

int32_t trm_buffer_unmap(struct trm_buffer *buffer)
{
    int32_t status = TRM_OK;
    uint32_t on    = CORE_MAP_ON;

    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    if (!atomic_compare_exchange_strong_explicit(&found->mapped, &on, CORE_MAP_CHANGING, memory_order_acquire,
                                                 memory_order_relaxed)) {
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "this buffer is not mapped");
        goto leave;
    }
    if (found->staging != NULL) {
        if (found->map_flags & TRM_MAP_WRITE)
            status = core_buffer_write(found, 0, found->staging, found->size);
        staging_release(found);
    }
    atomic_store_explicit(&found->mapped, CORE_MAP_NONE, memory_order_release);
leave:
    core_object_leave(&found->object);
    return status;
}

/* The buffer is gone, so what was written into the mapping is discarded. */
void core_buffer_map_fini(struct core_buffer *buffer)
{
    if (buffer->staging != NULL)
        staging_release(buffer);
}
