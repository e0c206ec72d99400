/* cuda backend: allocates and frees memory of all kinds.
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"

#include "pool.h"
#include "registered.h"

#define SOURCES_OWN (CUDA_MEMORY_MANAGED + 1)

/* ---- sources --------------------------------------------------------------------------------- */

/* How one source allocates `size` bytes, with any alignment, and frees them. With the context entered. */
struct source {
    const char *call; /* of the driver, for messages */
    CUresult (*allocate)(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address, void **host);
    void (*free)(struct trm_backend_device *device, CUdeviceptr address, void *host);
};

static CUresult allocate_pool(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address,
                              void **host)
{
    *host = NULL;
    return cuda_pool_allocate(device, size, address);
}

static void free_pool(struct trm_backend_device *device, CUdeviceptr address, void *host)
{
    (void)host;
    cuda_pool_free(device, address);
}

static CUresult allocate_plain(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address,
                               void **host)
{
    *host = NULL;
    return device->cuda->cuMemAlloc(address, size);
}

CUresult cuda_memory_pin(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address, void **host)
{
    const struct cuda_functions *cuda = device->cuda;
    unsigned int flags                = CU_MEMHOSTALLOC_PORTABLE;
    if (device->physical->maps_host)
        flags |= CU_MEMHOSTALLOC_DEVICEMAP;
    CUresult result = cuda->cuMemHostAlloc(host, size, flags);
    if (result != CUDA_SUCCESS)
        return result;
    *address = (CUdeviceptr)(uintptr_t)*host;
    if (!device->physical->maps_host)
        return CUDA_SUCCESS;
    result = cuda->cuMemHostGetDevicePointer(address, *host, 0);
    if (result != CUDA_SUCCESS)
        (void)cuda->cuMemFreeHost(*host);
    return result;
}

static void free_pinned(struct trm_backend_device *device, CUdeviceptr address, void *host)
{
    (void)address;
    (void)device->cuda->cuMemFreeHost(host);
}

static CUresult allocate_managed(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address,
                                 void **host)
{
    CUresult result = device->cuda->cuMemAllocManaged(address, size, CU_MEM_ATTACH_GLOBAL);
    if (result == CUDA_SUCCESS)
        *host = (void *)(uintptr_t)*address;
    return result;
}

/* Waits for the device, which never waits for the host. */
static void free_plain(struct trm_backend_device *device, CUdeviceptr address, void *host)
{
    (void)host;
    (void)device->cuda->cuMemFree(address);
}

static const struct source sources[SOURCES_OWN] = {
    [CUDA_MEMORY_POOL]    = {"cuMemAllocFromPoolAsync", allocate_pool, free_pool},
    [CUDA_MEMORY_PLAIN]   = {"cuMemAlloc", allocate_plain, free_plain},
    [CUDA_MEMORY_PINNED]  = {"cuMemHostAlloc", cuda_memory_pin, free_pinned},
    [CUDA_MEMORY_MANAGED] = {"cuMemAllocManaged", allocate_managed, free_plain},
};

/* ---- alignment ------------------------------------------------------------------------------- */

struct piece {
    CUdeviceptr address;
    void *host;
};

static bool is_aligned(const struct piece *piece, uint64_t alignment)
{
    return (piece->address & (alignment - 1)) == 0;
}

/* The driver's pool cuts pieces off one after the other. Fill up to the next multiple of the alignment and
 * allocate again, which wastes nothing where it works. Frees the piece that was allocated before. */
static bool allocate_behind_filler(const struct trm_backend_memory *memory, uint64_t alignment,
                                   struct piece *piece)
{
    const struct source *source       = &sources[memory->source];
    struct trm_backend_device *device = memory->device;
    struct piece filler, fresh;
    uint64_t distance = -piece->address & (alignment - 1);

    source->free(device, piece->address, piece->host);
    if (source->allocate(device, distance, &filler.address, &filler.host) != CUDA_SUCCESS)
        return false;
    bool allocated = source->allocate(device, memory->size, &fresh.address, &fresh.host) == CUDA_SUCCESS;
    source->free(device, filler.address, filler.host);
    if (allocated && is_aligned(&fresh, alignment)) {
        *piece = fresh;
        return true;
    }
    if (allocated)
        source->free(device, fresh.address, fresh.host);
    return false;
}

/* Allocate enough to skip to the next multiple of the alignment. */
static CUresult allocate_more(const struct trm_backend_memory *memory, uint64_t alignment,
                              struct piece *piece)
{
    if (memory->size > UINT64_MAX - alignment)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return sources[memory->source].allocate(memory->device, memory->size + alignment, &piece->address,
                                            &piece->host);
}

/* The driver's own alignment is enough in most cases. */
static CUresult allocate_aligned(struct trm_backend_memory *memory, uint64_t alignment)
{
    const struct source *source = &sources[memory->source];
    struct piece piece          = {0, NULL};

    CUresult result = source->allocate(memory->device, memory->size, &piece.address, &piece.host);
    if (result != CUDA_SUCCESS)
        return result;
    if (!is_aligned(&piece, alignment)) {
        if (memory->source != CUDA_MEMORY_POOL)
            source->free(memory->device, piece.address, piece.host);
        if (memory->source != CUDA_MEMORY_POOL || !allocate_behind_filler(memory, alignment, &piece))
            result = allocate_more(memory, alignment, &piece);
        if (result != CUDA_SUCCESS)
            return result;
    }
    memory->skipped = -piece.address & (alignment - 1);
    memory->address = piece.address + memory->skipped;
    memory->host    = piece.host != NULL ? (char *)piece.host + memory->skipped : NULL;
    return CUDA_SUCCESS;
}

static int32_t fail_allocation(struct trm_backend_device *device, CUresult result,
                               enum cuda_memory_source source, const struct trm_memory_desc *desc)
{
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_device_fail(device, result, sources[source].call);
    if (desc->kind == TRM_MEMORY_PINNED)
        return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_HOST_MEMORY, result,
                             "The system cannot lock %llu bytes of memory for %s.",
                             (unsigned long long)desc->size, device->physical->name);
    return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, result,
                         "%s has no %llu bytes of memory left.", device->physical->name,
                         (unsigned long long)desc->size);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* On an integrated device the host reaches all memory. */
static enum cuda_memory_source device_source(const struct trm_backend_device *device)
{
    if (device->physical->integrated)
        return device->physical->concurrent_managed ? CUDA_MEMORY_MANAGED : CUDA_MEMORY_PINNED;
    return device->pool != NULL ? CUDA_MEMORY_POOL : CUDA_MEMORY_PLAIN;
}

static int32_t find_source(struct trm_backend_device *device, int32_t kind, enum cuda_memory_source *source)
{
    switch (kind) {
    case TRM_MEMORY_DEVICE:
        *source = device_source(device);
        return TRM_OK;
    case TRM_MEMORY_PINNED:
        *source = CUDA_MEMORY_PINNED;
        return TRM_OK;
    case TRM_MEMORY_IMPORTED:
        *source = CUDA_MEMORY_REGISTERED;
        return TRM_OK;
    case TRM_MEMORY_UNIFIED:
        *source = CUDA_MEMORY_MANAGED;
        if (device->physical->managed && device->physical->concurrent_managed)
            return TRM_OK;
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             device->physical->managed
                                 ? "%s has no unified memory that the host may touch while the device "
                                   "works."
                                 : "%s has no unified memory.",
                             device->physical->name);
    default:
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The cuda backend does not know memory of kind %d.", kind);
    }
}

struct request {
    const struct trm_memory_desc *desc;
    enum cuda_memory_source source;
};

static int32_t allocate_source(struct trm_backend_memory *memory, const void *what)
{
    const struct request *request      = what;
    const struct trm_memory_desc *desc = request->desc;
    memory->source                     = request->source;
    memory->size                       = desc->size;
    if (memory->source == CUDA_MEMORY_REGISTERED) {
        memory->host = desc->host_pointer;
        return cuda_register(memory->device, memory->host, memory->size, &memory->registered,
                             &memory->address);
    }
    CUresult result = allocate_aligned(memory, desc->alignment);
    return result == CUDA_SUCCESS ? TRM_OK : fail_allocation(memory->device, result, memory->source, desc);
}

/* ---- for other files ------------------------------------------------------------------------- */

struct trm_backend_memory *cuda_memory_new(struct trm_backend_device *device)
{
    struct trm_backend_memory *memory = trm_util_allocate(device->instance->host, sizeof(*memory));
    if (memory != NULL)
        memory->device = device;
    return memory;
}

int32_t cuda_memory_create(struct trm_backend_device *device,
                           int32_t (*fill)(struct trm_backend_memory *memory, const void *what),
                           const void *what, struct trm_backend_memory **result)
{
    CUcontext previous;
    struct trm_backend_memory *memory = cuda_memory_new(device);
    if (memory == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a buffer");
    int32_t status = cuda_enter(device, &previous);
    if (status == TRM_OK) {
        status = fill(memory, what);
        cuda_leave(device, previous);
    }
    if (status != TRM_OK) {
        trm_util_release(device->instance->host, memory, sizeof(*memory));
        return status;
    }
    *result = memory;
    return TRM_OK;
}

/* Errors of the driver have no consequence here. */
static void free_source(struct trm_backend_memory *memory)
{
    struct trm_backend_device *device = memory->device;
    CUcontext previous;
    (void)cuda_enter(device, &previous);
    if (memory->source == CUDA_MEMORY_REGISTERED)
        cuda_unregister(device, memory->registered);
    else
        sources[memory->source].free(device, memory->address - memory->skipped,
                                     memory->host != NULL ? (char *)memory->host - memory->skipped : NULL);
    cuda_leave(device, previous);
}

void cuda_memory_free(struct trm_backend_memory *memory)
{
    struct trm_backend_device *device = memory->device;
    bool waits                        = memory->source != CUDA_MEMORY_POOL;
    cuda_textures_destroy(memory);
    if (waits)
        cuda_quiet_begin(device);
    if (memory->source < SOURCES_OWN || memory->source == CUDA_MEMORY_REGISTERED)
        free_source(memory);
    else if (memory->source == CUDA_MEMORY_OPENED)
        cuda_ipc_close(memory);
    else
        cuda_external_free(memory);
    if (waits)
        cuda_quiet_end(device);
    trm_util_release(device->instance->host, memory, sizeof(*memory));
}

/* ---- the table ------------------------------------------------------------------------------- */

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **result)
{
    struct request request = {desc, CUDA_MEMORY_PLAIN};
    int32_t status         = cuda_device_check(device);
    if (status == TRM_OK)
        status = find_source(device, desc->kind, &request.source);
    if (status != TRM_OK || request.source == CUDA_MEMORY_POOL)
        return status == TRM_OK ? cuda_memory_create(device, allocate_source, &request, result) : status;
    cuda_quiet_begin(device);
    status = cuda_memory_create(device, allocate_source, &request, result);
    cuda_quiet_end(device);
    return status;
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    if (memory->host == NULL)
        return trm_util_fail(memory->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The host cannot access this memory of %s.", memory->device->physical->name);
    *pointer = memory->host;
    return TRM_OK;
}

/* All memory that kernels take has an address. */
static int32_t memory_address(struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                              uint64_t *address)
{
    (void)size;
    if (memory->address == 0 || (memory->host != NULL && !memory->device->physical->maps_host))
        return trm_util_fail(memory->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Kernels cannot reach this memory of %s.", memory->device->physical->name);
    *address = (uint64_t)memory->address + offset;
    return TRM_OK;
}

const struct trm_memory_ops cuda_memory_ops = {
    .struct_size  = sizeof(cuda_memory_ops),
    .allocate     = memory_allocate,
    .free         = cuda_memory_free,
    .host_pointer = memory_host_pointer,
    .address      = memory_address,
};
