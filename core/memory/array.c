/* Typed arrays.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/array.h"

#include <inttypes.h>

#include "core/memory/transfer.h"
#include "core/object/object.h"
#include "core/settings/settings.h"

static void array_retire(struct core_object *object)
{
    struct core_buffer *buffer = ((struct core_array *)object)->buffer;

    core_device_uncount_child(buffer->device, CORE_ARRAY);
    core_buffer_release_owner(buffer);
}

static void array_release(struct core_object *object)
{
    struct core_buffer *buffer = ((struct core_array *)object)->buffer;
    struct core_device *device = buffer->device;

    core_free(object->context, object, sizeof(struct core_array));
    core_object_release(&buffer->object);
    core_object_release(&device->object);
}

static const char *array_device_id(const struct core_object *object)
{
    return ((const struct core_array *)object)->buffer->device->id;
}

static const struct core_object_ops array_ops = {
    .type      = CORE_ARRAY,
    .name      = "array",
    .source    = __FILE__,
    .device_id = array_device_id,
    .retire    = array_retire,
    .release   = array_release,
};

/* ---- creating ------------------------------------------------------------------------------ */

/* The program knows the buffer's handle, but only the array ends the buffer. */
static int32_t array_create(struct core_buffer *buffer, int32_t type, uint64_t count,
                            struct core_array **array)
{
    struct core_context *context = buffer->object.context;

    struct core_array *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating an array");
    made->buffer   = buffer;
    made->type     = type;
    made->count    = count;
    int32_t status = core_object_init(&made->object, &array_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    atomic_store_explicit(&buffer->users, CORE_BUFFER_OWNER, memory_order_relaxed);
    core_object_retain(&buffer->object);
    core_device_add_child(buffer->device, CORE_ARRAY);
    *array = made;
    return TRM_OK;
}

static int32_t create(struct core_device *device, const struct trm_buffer_desc *desc, int32_t type,
                      uint64_t count, struct trm_array **array)
{
    struct core_buffer *buffer;
    struct core_array *made;

    int32_t status = core_buffer_create_checked(device, desc, &buffer);
    if (status != TRM_OK)
        return status;
    status = array_create(buffer, type, count, &made);
    if (status != TRM_OK) {
        core_object_abandon(&buffer->object);
        return status;
    }
    core_object_publish(&buffer->object);
    *array = core_object_publish(&made->object);
    return TRM_OK;
}

static int32_t create_checked(struct core_device *device, int32_t type, uint64_t count, int32_t kind,
                              const void *data, struct trm_array **array)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = kind, .data = data};

    if (type == TRM_TYPE_NONE)
        type = base_type_parse(core_setting_text(device->object.context, "array.type"));
    if (trm_type_size(type) == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a type of an element", type);
    if (kind == TRM_MEMORY_IMPORTED)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "an array cannot be made of imported memory");
    if (__builtin_mul_overflow(count, (uint64_t)trm_type_size(type), &desc.size))
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "%" PRIu64 " elements of %s are more than 64 bits can count",
                         count, trm_type_name(type));
    if (data == NULL)
        desc.flags = TRM_BUFFER_ZEROED;
    return create(device, &desc, type, count, array);
}

int32_t trm_array_create(struct trm_device *device, int32_t type, uint64_t count, int32_t kind,
                         const void *data, struct trm_array **array)
{
    int32_t status = core_output_check(array, "trm_array_create", "array");
    if (status != TRM_OK)
        return status;
    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    status = create_checked(found, type, count, kind, data, array);
    core_object_leave(&found->object);
    return status;
}

void trm_array_destroy(struct trm_array *array)
{
    core_object_kill_handle(array, CORE_ARRAY);
}

/* ---- queries ------------------------------------------------------------------------------- */

int32_t trm_array_type(struct trm_array *array, int32_t *type)
{
    struct core_array *found = core_object_enter(array, CORE_ARRAY);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(type, "trm_array_type", "type");
    if (status == TRM_OK)
        *type = found->type;
    core_object_leave(&found->object);
    return status;
}

int32_t trm_array_count(struct trm_array *array, uint64_t *count)
{
    struct core_array *found = core_object_enter(array, CORE_ARRAY);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(count, "trm_array_count", "count");
    if (status == TRM_OK)
        *count = found->count;
    core_object_leave(&found->object);
    return status;
}

int32_t trm_array_bytes(struct trm_array *array, uint64_t *bytes)
{
    struct core_array *found = core_object_enter(array, CORE_ARRAY);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(bytes, "trm_array_bytes", "bytes");
    if (status == TRM_OK)
        *bytes = found->buffer->size;
    core_object_leave(&found->object);
    return status;
}

int32_t trm_array_buffer(struct trm_array *array, struct trm_buffer **buffer)
{
    struct core_array *found = core_object_enter(array, CORE_ARRAY);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(buffer, "trm_array_buffer", "buffer");
    if (status == TRM_OK)
        *buffer = found->buffer->object.handle;
    core_object_leave(&found->object);
    return status;
}

/* ---- blocking copy ------------------------------------------------------------------------- */

/* An array that is entered keeps its buffer. */
static struct core_array *array_enter(struct trm_array *handle)
{
    return core_object_enter(handle, CORE_ARRAY);
}

/* Resolves the part of an array that a call names to bytes, and makes all of its checks. */
static int32_t resolve(const struct core_array *array, int32_t type, uint64_t first, uint64_t count,
                       const void *data, uint64_t *offset, uint64_t *size)
{
    uint64_t each = trm_type_size(array->type);

    if (type != array->type)
        return base_fail(TRM_ERROR_TYPE_MISMATCH, "the array's elements are %s, but %s was given",
                         trm_type_name(array->type), trm_type_name(type));
    if (first > array->count || count > array->count - first)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%" PRIu64 " elements from number %" PRIu64
                         " on go past the end of an array of %" PRIu64,
                         count, first, array->count);
    *offset = first * each;
    *size   = count * each;
    return core_host_check(data, *size);
}

/* One blocking copy of elements: from `data` to the array, or from the array to `data` if `to_host`. */
struct blocking_copy {
    int32_t type;
    uint64_t first, count;
    void *data;
    bool to_host;
};

static int32_t copy_elements(struct trm_array *array, const struct blocking_copy *copy)
{
    uint64_t offset, size;

    struct core_array *found = array_enter(array);
    if (found == NULL)
        return base_last_status();
    int32_t status = resolve(found, copy->type, copy->first, copy->count, copy->data, &offset, &size);
    if (status == TRM_OK)
        status = core_in_flight_wait(&found->buffer->in_flight, TRM_FOREVER);
    if (status == TRM_OK)
        status = copy->to_host ? core_buffer_read(found->buffer, offset, copy->data, size)
                               : core_buffer_write(found->buffer, offset, copy->data, size);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_array_upload(struct trm_array *array, int32_t type, uint64_t first, uint64_t count,
                         const void *data)
{
    const struct blocking_copy copy = {type, first, count, (void *)(uintptr_t)data, false};
    return copy_elements(array, &copy);
}

int32_t trm_array_download(struct trm_array *array, int32_t type, uint64_t first, uint64_t count, void *data)
{
    const struct blocking_copy copy = {type, first, count, data, true};
    return copy_elements(array, &copy);
}

/* ---- copies between arrays ----------------------------------------------------------------- */

static int32_t check_alike(const struct core_array *destination, const struct core_array *source)
{
    if (destination->type != source->type)
        return base_fail(TRM_ERROR_TYPE_MISMATCH, "a copy of elements of %s into an array of %s",
                         trm_type_name(source->type), trm_type_name(destination->type));
    if (destination->count != source->count)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "a copy of %" PRIu64 " elements into an array of %" PRIu64,
                         source->count, destination->count);
    if (destination->object.context != source->object.context)
        return base_fail(TRM_ERROR_WRONG_DEVICE, "a copy between arrays of two contexts");
    return TRM_OK;
}

static int32_t copy_and_wait(struct core_buffer *destination, struct core_buffer *source)
{
    struct core_stream *stream;

    int32_t status = core_device_internal_lock(destination->device, &stream);
    if (status != TRM_OK)
        return status;
    status = core_copy_buffers(stream, destination, 0, source, 0, source->size);
    if (status == TRM_OK)
        status = core_stream_wait_value(stream, core_stream_next(stream) - 1, TRM_FOREVER);
    core_device_internal_unlock(destination->device);
    return status;
}

static int32_t copy_arrays(struct core_array *destination, struct core_array *source)
{
    int32_t status = check_alike(destination, source);

    if (status == TRM_OK)
        status = core_in_flight_wait(&source->buffer->in_flight, TRM_FOREVER);
    if (status == TRM_OK)
        status = core_in_flight_wait(&destination->buffer->in_flight, TRM_FOREVER);
    if (status != TRM_OK || destination == source || source->buffer->size == 0)
        return status;
    return copy_and_wait(destination->buffer, source->buffer);
}

int32_t trm_array_copy(struct trm_array *destination, struct trm_array *source)
{
    struct core_array *to = array_enter(destination);
    if (to == NULL)
        return base_last_status();
    struct core_array *from = array_enter(source);
    int32_t status          = from != NULL ? copy_arrays(to, from) : base_last_status();
    if (from != NULL)
        core_object_leave(&from->object);
    core_object_leave(&to->object);
    return status;
}
