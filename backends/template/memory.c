/* Trireme: the template backend's memory. All of it is host memory, but the host gets no pointer to
 * DEVICE memory, as on a device with memory of its own.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "template.h"

/* On a real device: one call of the driver for each kind of memory that it has, and UNSUPPORTED for the
 * others. The core asks for large pieces and divides them, so this may be slow.
 *
 * The contents of buffers do not come from host->allocate(), which serves only the backend itself. */
static int32_t template_allocate_bytes(const struct trm_memory_desc *desc, unsigned char **bytes)
{
    void *memory;
    uint64_t alignment = desc->alignment;

    if (desc->kind == TRM_MEMORY_IMPORTED) {
        *bytes = desc->host_pointer;
        return TRM_OK;
    }
    if (alignment < TEMPLATE_BUFFER_ALIGNMENT)
        alignment = TEMPLATE_BUFFER_ALIGNMENT;
    if (posix_memalign(&memory, alignment, desc->size) != 0)
        return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    *bytes = memory;
    return TRM_OK;
}

static int32_t template_memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                                        struct trm_backend_memory **memory)
{
    const struct trm_host *host     = device->instance->host;
    struct trm_backend_memory *made = trm_util_allocate(host, sizeof(*made));
    int32_t status;

    if (made == NULL)
        return trm_util_fail_host_memory(host, "the record of a buffer");
    status = template_allocate_bytes(desc, &made->bytes);
    if (status != TRM_OK) {
        trm_util_release(host, made, sizeof(*made));
        return trm_util_fail(host, status, 0, "The template device has no memory for %llu bytes.",
                             (unsigned long long)desc->size);
    }
    made->device = device;
    made->size   = desc->size;
    made->kind   = desc->kind;
    *memory      = made;
    return TRM_OK;
}

/* The core calls this when no work uses the memory any more. */
static void template_memory_free(struct trm_backend_memory *memory)
{
    if (memory->kind != TRM_MEMORY_IMPORTED)
        free(memory->bytes);
    trm_util_release(memory->device->instance->host, memory, sizeof(*memory));
}

static int32_t template_memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    if (memory->kind == TRM_MEMORY_DEVICE)
        return trm_util_fail(memory->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The host cannot reach the template's device memory.");
    *pointer = memory->bytes;
    return TRM_OK;
}

const struct trm_memory_ops template_memory_ops = {
    .struct_size  = sizeof(template_memory_ops),
    .allocate     = template_memory_allocate,
    .free         = template_memory_free,
    .host_pointer = template_memory_host_pointer,
};
