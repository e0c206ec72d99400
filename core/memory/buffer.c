/* Buffers: creating and ending them.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/buffer.h"

#include <inttypes.h>

#include "core/memory/block.h"
#include "core/stream/stream.h"

#define DEFAULT_ALIGNMENT 256

static struct core_buffer *buffer_of(struct core_object *object)
{
    return (struct core_buffer *)object;
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Memory of the backend's own pool is freed by an operation. The work on it has finished, so the core's
 * own stream can take it. On a lost device there is no stream, and the memory is not freed. */
static void ordered_free(struct core_buffer *buffer)
{
    struct core_device *device = buffer->device;
    struct core_stream *stream;

    if (core_device_internal_lock(device, &stream) != TRM_OK)
        return;
    uint64_t value = core_stream_next(stream);
    core_stream_commit(stream, value, "pool.free",
                       device->backend->pool.free(stream->backend, value, buffer->memory));
    core_device_internal_unlock(device);
}

void core_buffer_free_memory(struct core_buffer *buffer)
{
    core_in_flight_fini(buffer->object.context, &buffer->in_flight);
    core_buffer_forget_address(buffer);
    if (buffer->block != NULL)
        core_pool_free(buffer->device->pool, buffer->block);
    else if (buffer->is_ordered)
        ordered_free(buffer);
    else if (buffer->memory != NULL)
        buffer->device->backend->memory.free(buffer->memory);
}

static void deferred_destroy(struct core_deferred *item)
{
    struct core_buffer *buffer = base_container_of(item, struct core_buffer, deferred);

    core_buffer_free_memory(buffer);
    core_object_release(&buffer->object);
}

void core_buffer_free_memory_when_done(struct core_buffer *buffer)
{
    if (core_in_flight_is_done(&buffer->in_flight)) {
        core_buffer_free_memory(buffer);
        return;
    }
    core_object_retain(&buffer->object);
    buffer->deferred.in_flight = &buffer->in_flight;
    buffer->deferred.destroy   = deferred_destroy;
    core_device_defer(buffer->device, &buffer->deferred);
}

static void buffer_retire(struct core_object *object)
{
    struct core_buffer *buffer = buffer_of(object);
    struct core_device *device = buffer->device;

    core_buffer_map_fini(buffer);
    core_device_uncount_child(device, CORE_BUFFER);
    atomic_fetch_sub_explicit(&device->buffer_bytes, buffer->size, memory_order_relaxed);
    if (atomic_load_explicit(&buffer->ending, memory_order_relaxed) == CORE_ENDING_BOTH &&
        atomic_exchange(&buffer->ending, CORE_ENDING_ONE) == CORE_ENDING_BOTH)
        return;
    core_buffer_free_memory_when_done(buffer);
}

/* buffer_retire() has uncounted the buffer: it is not live any more, though its memory may still be in
 * use. */
static void buffer_release(struct core_object *object)
{
    struct core_device *device = buffer_of(object)->device;

    core_free(object->context, object, sizeof(struct core_buffer));
    core_object_release(&device->object);
}

static const char *buffer_device_id(const struct core_object *object)
{
    return ((const struct core_buffer *)object)->device->id;
}

static const struct core_object_ops buffer_ops = {
    .type      = CORE_BUFFER,
    .name      = "buffer",
    .source    = __FILE__,
    .device_id = buffer_device_id,
    .retire    = buffer_retire,
    .release   = buffer_release,
};

void core_buffer_end(struct core_buffer *buffer)
{
    core_object_kill(&buffer->object);
}

/* ---- users --------------------------------------------------------------------------------- */

static uint32_t users_of_program(uint64_t users)
{
    return (uint32_t)users;
}

/* Adds a user or an owner. */
static int32_t add(struct core_buffer *buffer, uint64_t one)
{
    uint64_t users = atomic_load_explicit(&buffer->users, memory_order_relaxed);

    do {
        if (users == 0)
            return base_fail(TRM_ERROR_INVALID_HANDLE, "this buffer has been destroyed");
        if (one == 1 && users_of_program(users) == UINT32_MAX)
            return base_fail(TRM_ERROR_OUT_OF_RANGE, "this buffer has been retained 2^32 times");
    } while (!atomic_compare_exchange_weak_explicit(&buffer->users, &users, users + one, memory_order_relaxed,
                                                    memory_order_relaxed));
    return TRM_OK;
}

int32_t core_buffer_add_user(struct core_buffer *buffer)
{
    return add(buffer, 1);
}

int32_t core_buffer_add_owner(struct core_buffer *buffer)
{
    return add(buffer, CORE_BUFFER_OWNER);
}

/* Takes one from the program's users; `*is_last` says whether none of any kind is left. With
 * `must_be_last`, BUSY where there are others. */
static int32_t remove_user(struct core_buffer *buffer, bool must_be_last, bool *is_last)
{
    uint64_t users = atomic_load_explicit(&buffer->users, memory_order_relaxed);

    do {
        if (users == 0)
            return base_fail(TRM_ERROR_INVALID_HANDLE, "this buffer has been destroyed");
        if (users_of_program(users) == 0)
            return base_fail(
                TRM_ERROR_INVALID_ARGUMENT,
                "this buffer belongs to an array, an image or a group and ends with it; destroy the "
                "array, the image or the buffer of the group");
        if (must_be_last && users >= CORE_BUFFER_OWNER)
            return base_fail(TRM_ERROR_BUSY, "this buffer belongs to an array, an image or a group");
        if (must_be_last && users > 1)
            return base_fail(TRM_ERROR_BUSY, "this buffer has been retained %" PRIu64 " time%s", users - 1,
                             base_plural(users - 1));
    } while (!atomic_compare_exchange_weak_explicit(&buffer->users, &users, users - 1, memory_order_acq_rel,
                                                    memory_order_relaxed));
    *is_last = users == 1;
    return TRM_OK;
}

int32_t core_buffer_release_user(struct core_buffer *buffer)
{
    bool is_last = false;

    int32_t status = remove_user(buffer, false, &is_last);
    if (is_last)
        core_buffer_end(buffer);
    return status;
}

void core_buffer_release_owner(struct core_buffer *buffer)
{
    if (atomic_fetch_sub_explicit(&buffer->users, CORE_BUFFER_OWNER, memory_order_acq_rel) ==
        CORE_BUFFER_OWNER)
        core_buffer_end(buffer);
}

int32_t core_buffer_take_last_user(struct core_buffer *buffer)
{
    bool is_last;

    return remove_user(buffer, true, &is_last);
}

int32_t core_memory_host_pointer(const struct core_backend *backend, struct trm_backend_memory *memory,
                                 void **host)
{
    void *found = NULL;

    base_error_clear();
    int32_t status = core_answer_object(backend, "memory.host_pointer",
                                        backend->memory.host_pointer(memory, &found), "address", &found);
    if (status != TRM_OK)
        return base_fail_backend(status);
    *host = found;
    return TRM_OK;
}

/* ---- creating ------------------------------------------------------------------------------ */

static void count_bytes(struct core_device *device, uint64_t size)
{
    uint64_t now  = atomic_fetch_add_explicit(&device->buffer_bytes, size, memory_order_relaxed) + size;
    uint64_t peak = atomic_load_explicit(&device->peak_buffer_bytes, memory_order_relaxed);

    while (now > peak && !atomic_compare_exchange_weak_explicit(&device->peak_buffer_bytes, &peak, now,
                                                                memory_order_relaxed, memory_order_relaxed))
        ;
}

static int32_t memory_import(struct core_buffer *buffer, const struct trm_buffer_desc *desc)
{
    struct core_device *device      = buffer->device;
    struct trm_memory_desc imported = {
        .struct_size  = sizeof(imported),
        .kind         = TRM_MEMORY_IMPORTED,
        .size         = desc->size,
        .alignment    = desc->alignment != 0 ? desc->alignment : 1,
        .host_pointer = desc->host_pointer,
    };

    base_error_clear();
    int32_t status =
        core_answer_object(device->backend, "memory.allocate",
                           device->backend->memory.allocate(device->device, &imported, &buffer->memory),
                           "memory", &buffer->memory);
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    buffer->host = desc->host_pointer;
    return TRM_OK;
}

/* Allocates from the backend's own pool. When that is out of memory, trims the core's pool and tries
 * again. */
static int32_t memory_from_backend(struct core_buffer *buffer, struct core_stream *stream)
{
    const struct core_backend *backend = buffer->device->backend;
    void *host                         = NULL;
    int32_t status;

    for (int32_t tries = 0;; tries++) {
        uint64_t value = core_stream_next(stream);
        base_error_clear();
        status =
            core_answer_object(backend, "pool.allocate",
                               backend->pool.allocate(stream->backend, value, buffer->size, &buffer->memory),
                               "memory", &buffer->memory);
        if (status == TRM_ERROR_OUT_OF_DEVICE_MEMORY && tries == 0) {
            core_pool_trim(buffer->device->pool, 0);
            continue;
        }
        status = core_stream_commit(stream, value, "pool.allocate", status);
        if (status != TRM_OK)
            return status;
        core_in_flight_add(&buffer->in_flight, stream, value);
        buffer->is_ordered = true;
        break;
    }
    if (!buffer->device->limits.unified || backend->memory.host_pointer == NULL)
        return TRM_OK;
    status = core_memory_host_pointer(backend, buffer->memory, &host);
    if (status == TRM_OK)
        buffer->host = host;
    return status;
}

static int32_t memory_take(struct core_buffer *buffer, uint64_t alignment, struct core_stream *stream)
{
    struct core_block *block;

    int32_t status =
        core_pool_allocate(buffer->device->pool, buffer->kind, buffer->size, alignment, stream, &block);
    if (status != TRM_OK)
        return status;
    buffer->block  = block;
    buffer->memory = block->slab->memory;
    buffer->base   = block->offset;
    buffer->host   = core_block_host(block);
    if (block->value != 0)
        core_in_flight_add(&buffer->in_flight, stream, block->value);
    return TRM_OK;
}

static int32_t memory_find(struct core_buffer *buffer, const struct trm_buffer_desc *desc,
                           struct core_stream *stream)
{
    if (buffer->size == 0)
        return TRM_OK;
    if (buffer->kind == TRM_MEMORY_IMPORTED)
        return memory_import(buffer, desc);
    if (stream != NULL && buffer->device->backend->pool.allocate != NULL)
        return memory_from_backend(buffer, stream);
    return memory_take(buffer, desc->alignment != 0 ? desc->alignment : DEFAULT_ALIGNMENT, stream);
}

/* Creates a buffer without memory, whose handle is not valid yet. */
static int32_t buffer_create(struct core_device *device, int32_t kind, uint64_t size,
                             struct core_buffer **buffer)
{
    struct core_context *context = device->object.context;

    core_device_reap(device);
    struct core_buffer *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating a buffer");
    made->device          = device;
    made->kind            = kind;
    made->in_flight.owner = &made->object;
    atomic_init(&made->users, 1);
    int32_t status = core_object_init(&made->object, &buffer_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    core_device_add_child(device, CORE_BUFFER);

    made->size = size;
    count_bytes(device, size);
    *buffer = made;
    return TRM_OK;
}

int32_t core_buffer_create(struct core_device *device, const struct trm_buffer_desc *desc,
                           struct core_stream *stream, struct core_buffer **buffer)
{
    struct core_buffer *made;

    int32_t status = buffer_create(device, desc->kind, desc->size, &made);
    if (status != TRM_OK)
        return status;
    status = memory_find(made, desc, stream);
    if (status == TRM_OK && (desc->data != NULL || desc->flags & TRM_BUFFER_ZEROED))
        status = core_buffer_write(made, 0, desc->data, desc->size);
    if (status != TRM_OK) {
        core_object_abandon(&made->object);
        return status;
    }
    *buffer = made;
    return TRM_OK;
}

int32_t core_buffer_create_shared(struct core_device *device, uint64_t size,
                                  int32_t (*find)(void *user, struct trm_backend_memory **memory), void *user,
                                  struct core_buffer **buffer)
{
    const struct trm_memory_ops *memory = &device->backend->memory;
    struct core_buffer *made;
    void *host = NULL;

    int32_t status = buffer_create(device, TRM_MEMORY_DEVICE, size, &made);
    if (status != TRM_OK)
        return status;
    status = find(user, &made->memory);
    if (status == TRM_OK && device->limits.unified && memory->host_pointer != NULL) {
        status = core_memory_host_pointer(device->backend, made->memory, &host);
        if (status == TRM_OK)
            made->host = host;
    }
    if (status != TRM_OK) {
        core_object_abandon(&made->object);
        return core_device_latch_loss(device, status);
    }
    *buffer = made;
    return TRM_OK;
}
