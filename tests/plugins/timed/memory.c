/* The timed backend: memory. DEVICE memory is out of the host's reach, and there is only so much of it.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <stdlib.h>

static uint64_t timed_on_device(int32_t kind, uint64_t size)
{
    return kind == TRM_MEMORY_DEVICE ? size : 0;
}

/* What stands behind buffers does not come from host->allocate(). */
static int32_t timed_allocate_bytes(struct trm_backend_instance *instance, const struct trm_memory_desc *desc,
                                    unsigned char **bytes)
{
    uint64_t most = instance->settings.memory, mine = timed_on_device(desc->kind, desc->size);
    uint64_t alignment =
        desc->alignment < TIMED_BUFFER_ALIGNMENT ? (uint64_t)TIMED_BUFFER_ALIGNMENT : desc->alignment;
    void *memory;

    if (desc->kind == TRM_MEMORY_UNIFIED ||
        (desc->kind == TRM_MEMORY_IMPORTED && instance->settings.no_import != 0))
        return TRM_ERROR_UNSUPPORTED;
    if (desc->kind == TRM_MEMORY_IMPORTED) {
        *bytes = desc->host_pointer;
        return TRM_OK;
    }
    if (most != 0 && atomic_fetch_add(&instance->used, mine) + mine > most)
        goto give_back;
    if (posix_memalign(&memory, alignment, desc->size) != 0)
        goto give_back;
    *bytes = memory;
    return TRM_OK;

give_back:
    if (most != 0)
        atomic_fetch_sub(&instance->used, mine);
    return TRM_ERROR_OUT_OF_DEVICE_MEMORY;
}

static int32_t timed_memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                                     struct trm_backend_memory **memory)
{
    const struct trm_host *host     = device->instance->host;
    struct trm_backend_memory *made = timed_new(host, sizeof(*made));
    int32_t status;

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    status = timed_allocate_bytes(device->instance, desc, &made->bytes);
    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return host->fail(host->context, status, 0,
                          status == TRM_ERROR_UNSUPPORTED ? "The timed device has no such memory."
                                                          : "The timed device has no memory left.");
    }
    made->device = device;
    made->size   = desc->size;
    made->kind   = desc->kind;
    *memory      = made;
    return TRM_OK;
}

static void timed_memory_free(struct trm_backend_memory *memory)
{
    struct trm_backend_instance *instance = memory->device->instance;
    const struct trm_host *host           = instance->host;

    if (instance->settings.memory != 0)
        atomic_fetch_sub(&instance->used, timed_on_device(memory->kind, memory->size));
    if (memory->kind != TRM_MEMORY_IMPORTED)
        free(memory->bytes);
    host->release(host->context, memory, sizeof(*memory));
}

static int32_t timed_memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    const struct trm_host *host = memory->device->instance->host;

    if (memory->kind == TRM_MEMORY_DEVICE)
        return host->fail(host->context, TRM_ERROR_UNSUPPORTED, 0,
                          "The host cannot reach the memory of the timed device.");
    *pointer = memory->bytes;
    return TRM_OK;
}

const struct trm_memory_ops timed_memory_ops = {
    .struct_size  = sizeof(timed_memory_ops),
    .allocate     = timed_memory_allocate,
    .free         = timed_memory_free,
    .host_pointer = timed_memory_host_pointer,
};
