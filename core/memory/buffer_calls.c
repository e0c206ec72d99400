/* The functions of <trireme/buffer.h>, except mapping.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/buffer.h"
#include "core/memory/size_class.h"
#include "core/object/object.h"

#define DESC_MIN 48 /* bytes of struct trm_buffer_desc in the first version */

static int32_t check_alignment(uint64_t alignment)
{
    if ((alignment & (alignment - 1)) != 0 || alignment > CORE_ALIGNMENT_LARGEST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "an alignment of %" PRIu64 " bytes is not a power of two up to 2 MiB", alignment);
    return TRM_OK;
}

static int32_t check_import(const struct trm_buffer_desc *desc)
{
    if (desc->kind != TRM_MEMORY_IMPORTED) {
        if (desc->host_pointer != NULL)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "host_pointer is for imported memory only");
        return TRM_OK;
    }
    int32_t status = core_host_check(desc->host_pointer, desc->size);
    if (status != TRM_OK)
        return status;
    if (desc->alignment != 0 && ((uintptr_t)desc->host_pointer & (desc->alignment - 1)) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the imported memory at %p is not aligned to %" PRIu64 " bytes", desc->host_pointer,
                         desc->alignment);
    return TRM_OK;
}

static int32_t check_desc(const struct core_device *device, const struct trm_buffer_desc *desc)
{
    if (desc->kind < TRM_MEMORY_DEVICE || desc->kind > TRM_MEMORY_IMPORTED)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a kind of memory", desc->kind);
    if ((desc->flags & ~(uint32_t)TRM_BUFFER_ZEROED) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "flags 0x%" PRIx32 " of a buffer have unknown bits",
                         desc->flags);
    if (desc->size > device->limits.max_buffer_bytes)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "a buffer of %" PRIu64 " bytes: device %s has at most %" PRIu64 " bytes a buffer",
                         desc->size, device->id, device->limits.max_buffer_bytes);
    int32_t status = check_alignment(desc->alignment);
    if (status == TRM_OK)
        status = check_import(desc);
    if (status == TRM_OK && desc->data != NULL)
        status = core_host_check(desc->data, desc->size);
    return status;
}

int32_t core_buffer_create_checked(struct core_device *device, const struct trm_buffer_desc *desc,
                                   struct core_buffer **buffer)
{
    int32_t status = core_device_check(device);
    if (status == TRM_OK)
        status = check_desc(device, desc);
    return status == TRM_OK ? core_buffer_create(device, desc, NULL, buffer) : status;
}

/* The caller has entered the device. */
static int32_t create(const char *function, struct core_device *device, const struct trm_buffer_desc *desc,
                      struct trm_buffer **buffer)
{
    struct core_buffer *made;

    int32_t status = core_output_check(buffer, function, "buffer");
    if (status == TRM_OK)
        status = core_buffer_create_checked(device, desc, &made);
    if (status == TRM_OK)
        *buffer = core_object_publish(&made->object);
    return status;
}

int32_t trm_buffer_create_from(struct trm_device *device, const struct trm_buffer_desc *desc,
                               struct trm_buffer **buffer)
{
    struct trm_buffer_desc own = {.struct_size = sizeof(own)};

    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_desc_copy(&own, sizeof(own), desc, DESC_MIN, "trm_buffer_desc");
    if (status == TRM_OK)
        status = create("trm_buffer_create_from", found, &own, buffer);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_buffer_create(struct trm_device *device, int32_t kind, uint64_t size, struct trm_buffer **buffer)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = kind, .size = size};

    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = create("trm_buffer_create", found, &desc, buffer);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_buffer_retain(struct trm_buffer *buffer)
{
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();

    int32_t status = core_buffer_add_user(found);
    core_object_leave(&found->object);
    return status;
}

void trm_buffer_destroy(struct trm_buffer *buffer)
{
    if (buffer == NULL)
        return;
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return;
    core_device_reap(found->device);
    core_buffer_release_user(found);
    core_object_leave(&found->object);
}

int32_t trm_buffer_size(struct trm_buffer *buffer, uint64_t *size)
{
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(size, "trm_buffer_size", "size");
    if (status == TRM_OK)
        *size = found->size;
    core_object_leave(&found->object);
    return status;
}

int32_t trm_buffer_kind(struct trm_buffer *buffer, int32_t *kind)
{
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(kind, "trm_buffer_kind", "kind");
    if (status == TRM_OK)
        *kind = found->kind;
    core_object_leave(&found->object);
    return status;
}

static int32_t find_host(const struct core_buffer *found, void **pointer)
{
    if (found->host == NULL && found->size != 0)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "the host cannot reach this buffer's memory on device %s; map it",
                         found->device->id);
    int32_t status = core_output_check(pointer, "trm_buffer_host_pointer", "pointer");
    if (status == TRM_OK)
        *pointer = found->host;
    return status;
}

int32_t trm_buffer_host_pointer(struct trm_buffer *buffer, void **pointer)
{
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    int32_t status = find_host(found, pointer);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_buffer_wait(struct trm_buffer *buffer, uint64_t timeout_ns)
{
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_in_flight_wait(&found->in_flight, timeout_ns);
    core_object_leave(&found->object);
    return status;
}
