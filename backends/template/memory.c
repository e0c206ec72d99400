/* Trireme: the template backend's memory. It is host memory, but DEVICE memory is kept from the
 * host as a real device's would be.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "template.h"

/* On a real device: one call of the driver for each kind that it has, and UNSUPPORTED for those it
 * has not. The core asks for large pieces and divides them, so it does not matter when this is
 * slow.
 *
 * What stands behind buffers is not the library's own need, so it does not come from
 * host->allocate(). */
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
    const struct trm_host *host = device->instance->host;
    struct trm_backend_memory *made;
    int32_t status;

    made = host->allocate(host->context, sizeof(*made), _Alignof(struct trm_backend_memory));
    if (made == NULL)
        return host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                          "There is no memory for a buffer's record.");

    status = template_allocate_bytes(desc, &made->bytes);
    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return host->fail(host->context, status, 0, "The template device has no memory left.");
    }
    made->device = device;
    made->size   = desc->size;
    made->kind   = desc->kind;
    *memory      = made;
    return TRM_OK;
}

/* No work uses the memory any more when the core calls this. */
static void template_memory_free(struct trm_backend_memory *memory)
{
    const struct trm_host *host = memory->device->instance->host;

    if (memory->kind != TRM_MEMORY_IMPORTED)
        free(memory->bytes);
    host->release(host->context, memory, sizeof(*memory));
}

static int32_t template_memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    const struct trm_host *host = memory->device->instance->host;

    if (memory->kind == TRM_MEMORY_DEVICE)
        return host->fail(host->context, TRM_ERROR_UNSUPPORTED, 0,
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
