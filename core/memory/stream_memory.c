/* Allocation in stream order.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/pool.h"
#include "core/memory/transfer.h"
#include "core/object/object.h"

int32_t trm_stream_alloc(struct trm_stream *stream, uint64_t size, struct trm_buffer **buffer)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = size};
    struct core_stream *found;
    struct core_buffer *made = NULL;

    int32_t status = core_stream_begin_live(stream, "allocating memory", &found);
    if (status != TRM_OK)
        return status;
    if (size > found->device->limits.max_buffer_bytes)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "a buffer of %" PRIu64 " bytes: device %s has at most %" PRIu64 " bytes a buffer",
                         size, found->device->id, found->device->limits.max_buffer_bytes);
    status = core_output_check(buffer, "trm_stream_alloc", "buffer");
    if (status == TRM_OK)
        status = core_buffer_create(found->device, &desc, found, &made);
    if (status == TRM_OK)
        *buffer = core_object_publish(&made->object);
    return status;
}

/* True if work on other streams, not known to have finished, uses the buffer. */
static bool is_used_by_others(struct core_in_flight *set, const struct core_stream *stream)
{
    uint32_t own = 0;

    uint32_t occupied = atomic_load_explicit(&set->occupied, memory_order_acquire);
    if (occupied == 0)
        return false;
    base_lock_acquire(&set->lock);
    for (uint32_t i = 0; i < CORE_IN_FLIGHT_INLINE; i++)
        own += set->slots[i].stream == stream;
    base_lock_release(&set->lock);
    return occupied != own;
}

static bool ordered_free(struct core_buffer *buffer, struct core_stream *stream)
{
    uint64_t value = core_stream_next(stream);

    base_error_clear();
    int32_t status = stream->device->backend->pool.free(stream->backend, value, buffer->memory);
    return core_stream_commit(stream, value, "pool.free", status) == TRM_OK;
}

/* Frees the memory in the stream's order; false where another stream may still use it, and where kernels
 * reach it through an address, which is valid until the work is done. */
static bool free_in_order(struct core_buffer *buffer, struct core_stream *stream)
{
    if (atomic_load(&buffer->address) != 0)
        return false;
    if (is_used_by_others(&buffer->in_flight, stream)) {
        core_in_flight_is_done(&buffer->in_flight); /* frees the slots of finished work */
        if (is_used_by_others(&buffer->in_flight, stream))
            return false;
    }
    if (buffer->block != NULL) {
        if (!core_pool_park(buffer->device->pool, buffer->block, stream))
            return false;
    } else if (!buffer->is_ordered || !ordered_free(buffer, stream)) {
        return false;
    }
    core_in_flight_fini(buffer->object.context, &buffer->in_flight);
    return true;
}

/* The caller is the last user, but calls of other threads may still be inside the buffer. */
static void end_on_stream(struct core_buffer *buffer, struct core_stream *stream)
{
    core_object_retain(&buffer->object);
    atomic_store_explicit(&buffer->ending, CORE_ENDING_BOTH, memory_order_relaxed);
    core_buffer_end(buffer);
    bool is_retired = atomic_load_explicit(&buffer->ending, memory_order_acquire) == CORE_ENDING_ONE;
    if (!is_retired) {
        /* The last call inside frees the memory when it leaves, after this use. */
        core_in_flight_add(&buffer->in_flight, stream, core_stream_next(stream) - 1);
        is_retired = atomic_exchange(&buffer->ending, CORE_ENDING_ONE) == CORE_ENDING_ONE;
    }
    if (is_retired && !free_in_order(buffer, stream)) {
        core_in_flight_add(&buffer->in_flight, stream, core_stream_next(stream) - 1);
        core_buffer_free_memory_when_done(buffer);
    }
    core_object_release(&buffer->object);
}

int32_t trm_stream_free(struct trm_stream *stream, struct trm_buffer *buffer)
{
    struct core_stream *found = core_object_find(stream, CORE_STREAM);
    struct core_buffer *freed = found == NULL ? NULL : core_object_enter(buffer, CORE_BUFFER);
    if (freed == NULL)
        return base_last_status();

    core_device_reap(freed->device);
    int32_t status = core_buffer_check_device(freed, found->device);
    if (status == TRM_OK && core_stream_is_recording(found))
        status = base_fail(TRM_ERROR_UNSUPPORTED, "freeing memory cannot be recorded into a graph");
    if (status == TRM_OK)
        status = core_buffer_take_last_user(freed);
    /* From here on no other thread can end the buffer, so it stays without being entered. */
    core_object_leave(&freed->object);
    if (status != TRM_OK)
        return status;
    /* A failed stream frees it too: nothing on it runs any more. */
    status = core_stream_begin(stream, &found);
    if (status == TRM_OK)
        end_on_stream(freed, found);
    else
        core_buffer_end(freed);
    return status;
}
