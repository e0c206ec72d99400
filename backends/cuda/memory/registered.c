/* cuda backend: host memory that is registered with the driver.
 * SPDX-License-Identifier: MIT
 */
#include "registered.h"

#include <stdlib.h>

#define FLAGS (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP)

/* Allocated by malloc(), because it may outlive the instance that made it. */
struct cuda_registered {
    struct cuda_registered *next;
    void *library; /* the driver's; a test may use two */
    uintptr_t begin;
    uint64_t size;
    uint32_t references;
    CUdevice device;
    CUcontext context; /* the one that registered it, of `device` */
    bool borrowed;     /* the context is the application's */
    bool retained;     /* the primary context is kept for another device that uses the memory */
};

static pthread_mutex_t lock =
    /* Also held while memory is registered, so that no other thread registers the same memory. */
    PTHREAD_MUTEX_INITIALIZER;
static struct cuda_registered *registrations;

/* ---- driver calls ---------------------------------------------------------------------------- */

static CUresult device_address(const struct trm_backend_device *device, void *host, CUdeviceptr *address)
{
    if (device->physical->maps_host)
        return device->cuda->cuMemHostGetDevicePointer(address, host, 0);
    *address = (CUdeviceptr)(uintptr_t)host;
    return CUDA_SUCCESS;
}

static bool is_known(const struct trm_backend_device *device, uintptr_t at)
{
    CUmemorytype type = 0;
    return device->cuda->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_HOST;
}

/* A read-only mapping needs a flag of its own. If that fails too, the first error counts. */
static CUresult register_pages(const struct trm_backend_device *device, void *host, uint64_t size)
{
    CUresult result = device->cuda->cuMemHostRegister(host, size, FLAGS);
    if (result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_NOT_PERMITTED &&
        result != CUDA_ERROR_OPERATING_SYSTEM)
        return result;
    if (device->cuda->cuMemHostRegister(host, size, FLAGS | CU_MEMHOSTREGISTER_READ_ONLY) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    return result;
}

static int32_t fail_registration(struct trm_backend_device *device, CUresult result, const void *host,
                                 uint64_t size)
{
    const struct trm_backend_instance *instance = device->instance;
    const char *name                            = cuda_result_name(instance, result);
    switch (result) {
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, result,
                             "The %llu bytes at %p cannot be registered: part of them is registered "
                             "already, by the program or for another buffer (%s).",
                             (unsigned long long)size, host, name);
    case CUDA_ERROR_OUT_OF_MEMORY:
        return trm_util_fail(instance->host, TRM_ERROR_OUT_OF_HOST_MEMORY, result,
                             "The system refused to lock %llu bytes at %p in memory (%s); `ulimit "
                             "-l` may be the limit.",
                             (unsigned long long)size, host, name);
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_OPERATING_SYSTEM:
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, result,
                             "The driver cannot register the %llu bytes at %p (%s): %s.",
                             (unsigned long long)size, host, name,
                             (uintptr_t)host % 4096 != 0
                                 ? "they do not begin at a page, or are not ordinary memory of the program"
                                 : "they are not ordinary memory of the program");
    default:
        return cuda_device_fail(device, result, "cuMemHostRegister");
    }
}

/* ---- the list; under the lock ---------------------------------------------------------------- */

static struct cuda_registered *find(const struct trm_backend_device *device, uintptr_t begin, uint64_t size)
{
    for (struct cuda_registered *each = registrations; each != NULL; each = each->next)
        if (each->library == device->instance->loader.library && begin >= each->begin &&
            begin - each->begin <= each->size && size <= each->size - (begin - each->begin))
            return each;
    return NULL;
}

/* Registered memory ends with the context that registered it, so keep that context. One of the
 * application's cannot be kept. */
static int32_t retain_context(struct trm_backend_device *device, struct cuda_registered *registered)
{
    CUcontext context;
    if (registered->context == device->context || registered->retained)
        return TRM_OK;
    if (registered->borrowed)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The memory at %p is registered in a context of the application, and "
                             "no other device can use it until it is released there.",
                             (void *)registered->begin);
    CUresult result = device->cuda->cuDevicePrimaryCtxRetain(&context, registered->device);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuDevicePrimaryCtxRetain");
    registered->retained = true;
    return TRM_OK;
}

static int32_t add(struct trm_backend_device *device, void *host, uint64_t size,
                   struct cuda_registered **result)
{
    struct cuda_registered *made = calloc(1, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a buffer");
    CUresult answer = register_pages(device, host, size);
    if (answer == CUDA_SUCCESS) {
        made->library    = device->instance->loader.library;
        made->begin      = (uintptr_t)host;
        made->size       = size;
        made->references = 1;
        made->device     = device->handle;
        made->context    = device->context;
        made->borrowed   = device->borrowed;
        made->next       = registrations;
        registrations    = made;
        *result          = made;
        return TRM_OK;
    }
    free(made);
    /* The driver answers INVALID_VALUE for memory that it has allocated itself, or part of it. */
    if ((answer == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED || answer == CUDA_ERROR_INVALID_VALUE) &&
        is_known(device, (uintptr_t)host) && is_known(device, (uintptr_t)host + size - 1)) {
        *result = NULL;
        return TRM_OK;
    }
    return fail_registration(device, answer, host, size);
}

static int32_t find_or_add(struct trm_backend_device *device, void *host, uint64_t size,
                           struct cuda_registered **result)
{
    struct cuda_registered *found = find(device, (uintptr_t)host, size);
    if (found == NULL)
        return add(device, host, size, result);
    int32_t status = retain_context(device, found);
    if (status != TRM_OK)
        return status;
    found->references++;
    *result = found;
    return TRM_OK;
}

static void unlink_registered(const struct cuda_registered *registered)
{
    struct cuda_registered **place = &registrations;
    while (*place != registered)
        place = &(*place)->next;
    *place = registered->next;
}

/* ---- for memory.c ---------------------------------------------------------------------------- */

int32_t cuda_register(struct trm_backend_device *device, void *host, uint64_t size,
                      struct cuda_registered **registered, CUdeviceptr *address)
{
    struct cuda_registered *made = NULL;
    pthread_mutex_lock(&lock);
    int32_t status = find_or_add(device, host, size, &made);
    pthread_mutex_unlock(&lock);
    if (status != TRM_OK)
        return status;
    CUresult result = device_address(device, host, address);
    if (result != CUDA_SUCCESS) {
        cuda_unregister(device, made);
        return cuda_device_fail(device, result, "cuMemHostGetDevicePointer");
    }
    *registered = made;
    return TRM_OK;
}

/* Errors of the driver have no consequence here. */
void cuda_unregister(struct trm_backend_device *device, struct cuda_registered *registered)
{
    if (registered == NULL)
        return;
    pthread_mutex_lock(&lock);
    bool last = --registered->references == 0;
    if (last) {
        unlink_registered(registered);
        (void)device->cuda->cuMemHostUnregister((void *)registered->begin);
        if (registered->retained)
            (void)device->cuda->cuDevicePrimaryCtxRelease(registered->device);
    }
    pthread_mutex_unlock(&lock);
    if (last)
        free(registered);
}
