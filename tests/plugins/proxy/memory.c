/* The proxy: memory.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "proxy.h"

void *proxy_new(const struct trm_host *host, uint64_t size)
{
    void *made = host->allocate(host->context, size, _Alignof(max_align_t));

    if (made != NULL)
        memset(made, 0, size);
    else
        (void)host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0, "There is no memory for the proxy.");
    return made;
}

int32_t proxy_memory_wrap(struct trm_backend_device *device, struct trm_backend_memory *target, uint64_t size,
                          struct trm_backend_memory **memory)
{
    struct trm_backend_memory *made = proxy_new(device->instance->host, sizeof(*made));

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->device = device;
    made->target = target;
    made->size   = size;
    atomic_fetch_add(&device->children, 1);
    proxy_created(PROXY_MEMORY);
    *memory = made;
    return TRM_OK;
}

void proxy_memory_unwrap(struct trm_backend_memory *memory)
{
    const struct trm_host *host = memory->device->instance->host;

    atomic_fetch_sub(&memory->device->children, 1);
    proxy_destroyed(PROXY_MEMORY);
    host->release(host->context, memory, sizeof(*memory));
}

void proxy_check_range(const struct trm_backend_memory *memory, uint64_t offset, uint64_t size)
{
    uint64_t end;

    if (__builtin_add_overflow(offset, size, &end) || end > memory->size)
        proxy_breach("An operation reaches beyond its memory.");
}

static int32_t proxy_memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                                     struct trm_backend_memory **memory)
{
    const struct trm_host *host = device->instance->host;
    struct trm_backend_memory *target;
    int32_t status = proxy_begin(host, PROXY_ALLOCATE, NULL);

    if (status != TRM_OK)
        return status;
    if (desc->size == 0)
        proxy_breach("Memory of no bytes is allocated.");
    if (desc->alignment == 0 || (desc->alignment & (desc->alignment - 1)) != 0)
        proxy_breach("Memory is allocated with an alignment that is no power of two.");
    if (desc->kind != TRM_MEMORY_DEVICE && !proxy_has_host_pointer())
        return host->fail(host->context, TRM_ERROR_UNSUPPORTED, 0,
                          "The host can reach no memory of this device.");
    status = proxy_target.memory.allocate(device->target, desc, &target);
    if (status != TRM_OK)
        return status;
    status = proxy_memory_wrap(device, target, desc->size, memory);
    if (status != TRM_OK)
        proxy_target.memory.free(target);
    return status;
}

static void proxy_memory_free(struct trm_backend_memory *memory)
{
    (void)proxy_begin(NULL, PROXY_FREE, NULL);
    proxy_target.memory.free(memory->target);
    proxy_memory_unwrap(memory);
}

static int32_t proxy_memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    int32_t status = proxy_begin(memory->device->instance->host, PROXY_HOST_POINTER, NULL);

    return status != TRM_OK ? status : proxy_target.memory.host_pointer(memory->target, pointer);
}

static int32_t proxy_memory_address(struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                                    uint64_t *address)
{
    int32_t status = proxy_begin(memory->device->instance->host, PROXY_ADDRESS, NULL);

    proxy_check_range(memory, offset, size);
    return status != TRM_OK ? status : proxy_target.memory.address(memory->target, offset, size, address);
}

static void proxy_memory_forget_address(struct trm_backend_memory *memory, uint64_t address, uint64_t size)
{
    if (address == 0)
        proxy_breach("An address that was never given is forgotten.");
    proxy_target.memory.forget_address(memory->target, address, size);
}

static struct trm_memory_ops proxy_memory_ops = {
    .struct_size = sizeof(proxy_memory_ops),
    .allocate    = proxy_memory_allocate,
    .free        = proxy_memory_free,
};

int proxy_has_host_pointer(void)
{
    return proxy_memory_ops.host_pointer != NULL;
}

int proxy_has_address(void)
{
    return proxy_memory_ops.address != NULL;
}

const struct trm_memory_ops *proxy_memory_table(const char *without)
{
    int keeps     = proxy_target.memory.host_pointer != NULL && !proxy_list_has(without, "host_pointer");
    int addresses = proxy_target.memory.address != NULL && !proxy_list_has(without, "address");

    proxy_memory_ops.host_pointer = keeps ? proxy_memory_host_pointer : NULL;
    proxy_memory_ops.address      = addresses ? proxy_memory_address : NULL;
    proxy_memory_ops.forget_address =
        addresses && proxy_target.memory.forget_address != NULL ? proxy_memory_forget_address : NULL;
    return &proxy_memory_ops;
}
