/* cuda backend: the driver's pool, the pool table, and the device's internal stream.
 * SPDX-License-Identifier: MIT
 */
#include "pool.h"

/* The driver has all functions of pools or none.
 *
 * It takes blocks of at least 32 MiB and gives back only blocks that are unused as a whole. So part of
 * what is held and unused can serve new pieces but cannot be given back: the gaps. The driver does not
 * report them. The backend computes them as what is left after trimming, and as the rest of a new block
 * beside the piece it was taken for. */
struct cuda_pool {
    CUmemoryPool handle;
    pthread_mutex_t lock; /* also held while a thread waits for the internal stream, which is short */
    uint64_t threshold;   /* bytes it may keep, including those in use */
    uint64_t held, gaps;  /* bytes, when the pool was last queried */
};

/* ---- creating -------------------------------------------------------------------------------- */

static int32_t create_internal_stream(struct trm_backend_device *device)
{
    int least = 0, greatest = 0;
    CUresult result = device->cuda->cuCtxGetStreamPriorityRange(&least, &greatest);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuCtxGetStreamPriorityRange");
    result =
        device->cuda->cuStreamCreateWithPriority(&device->internal_stream, CU_STREAM_NON_BLOCKING, greatest);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(device, result, "cuStreamCreateWithPriority");
}

/* A driver that has the functions may still refuse, as under some virtual machines. Then device memory
 * comes from cuMemAlloc. */
static int32_t create_pool(struct trm_backend_device *device)
{
    const CUmemPoolProps wanted = {
        .allocType   = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = CU_MEM_HANDLE_TYPE_NONE,
        .location    = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle},
    };
    struct cuda_pool *pool = trm_util_allocate(device->instance->host, sizeof(*pool));
    if (pool == NULL)
        return trm_util_fail_host_memory(device->instance->host, "the pool of a device");
    CUresult result = device->cuda->cuMemPoolCreate(&pool->handle, &wanted);
    if (result == CUDA_SUCCESS) {
        pthread_mutex_init(&pool->lock, NULL);
        device->pool = pool;
        return TRM_OK;
    }
    trm_util_release(device->instance->host, pool, sizeof(*pool));
    if (cuda_is_sticky(result) || result == CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_device_fail(device, result, "cuMemPoolCreate");
    return TRM_OK;
}

int32_t cuda_pool_open(struct trm_backend_device *device)
{
    CUcontext previous;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    status = create_internal_stream(device);
    if (status == TRM_OK && device->physical->pools)
        status = create_pool(device);
    cuda_leave(device, previous);
    if (status != TRM_OK)
        cuda_pool_close(device);
    return status;
}

/* Errors are ignored: after the loss of a device each call may report it again. */
void cuda_pool_close(struct trm_backend_device *device)
{
    struct cuda_pool *pool = device->pool;
    CUcontext previous;
    (void)cuda_enter(device, &previous);
    if (pool != NULL) {
        (void)device->cuda->cuMemPoolDestroy(pool->handle);
        pthread_mutex_destroy(&pool->lock);
        trm_util_release(device->instance->host, pool, sizeof(*pool));
        device->pool = NULL;
    }
    if (device->internal_stream != NULL)
        (void)device->cuda->cuStreamDestroy(device->internal_stream);
    device->internal_stream = NULL;
    cuda_leave(device, previous);
}

/* ---- accounting; under the lock -------------------------------------------------------------- */

static CUresult read_bytes(const struct trm_backend_device *device, CUmemPool_attribute attribute,
                           uint64_t *bytes)
{
    cuuint64_t value = 0;
    CUresult result  = device->cuda->cuMemPoolGetAttribute(device->pool->handle, attribute, &value);
    *bytes           = value;
    return result;
}

/* Bytes that are held, and how many of them are not used. */
static CUresult query(const struct trm_backend_device *device, uint64_t *held, uint64_t *unused)
{
    uint64_t used = 0, reserved = 0;
    CUresult result = read_bytes(device, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
    if (result == CUDA_SUCCESS)
        result = read_bytes(device, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
    *held   = reserved;
    *unused = reserved > used ? reserved - used : 0;
    return result;
}

/* Account for a piece of `size` bytes that was allocated. */
static void note_allocated(const struct trm_backend_device *device, uint64_t size)
{
    struct cuda_pool *pool = device->pool;
    uint64_t held, unused;
    if (query(device, &held, &unused) != CUDA_SUCCESS)
        return;
    if (held > pool->held && held - pool->held > size)
        pool->gaps += held - pool->held - size;
    pool->gaps = pool->gaps < unused ? pool->gaps : unused;
    pool->held = held;
}

/* Memory that was freed in stream order can only be given back once the stream has passed the free. */
static void trim_to(const struct trm_backend_device *device, uint64_t bytes)
{
    struct cuda_pool *pool = device->pool;
    uint64_t held, unused;
    if (device->cuda->cuStreamSynchronize(device->internal_stream) != CUDA_SUCCESS)
        return;
    (void)device->cuda->cuMemPoolTrimTo(pool->handle, bytes);
    if (query(device, &held, &unused) != CUDA_SUCCESS)
        return;
    if (held > bytes || pool->gaps > unused)
        pool->gaps = unused;
    pool->held = held;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static CUresult allocate(const struct trm_backend_device *device, uint64_t size, CUdeviceptr *address)
{
    CUdeviceptr made = 0;
    CUresult result =
        device->cuda->cuMemAllocFromPoolAsync(&made, size, device->pool->handle, device->internal_stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = device->cuda->cuStreamSynchronize(device->internal_stream);
    if (result != CUDA_SUCCESS) {
        (void)device->cuda->cuMemFreeAsync(made, device->internal_stream);
        return result;
    }
    note_allocated(device, size);
    *address = made;
    return CUDA_SUCCESS;
}

CUresult cuda_pool_allocate(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address)
{
    pthread_mutex_lock(&device->pool->lock);
    CUresult result = allocate(device, size, address);
    pthread_mutex_unlock(&device->pool->lock);
    return result;
}

void cuda_pool_free(struct trm_backend_device *device, CUdeviceptr address)
{
    struct cuda_pool *pool = device->pool;
    pthread_mutex_lock(&pool->lock);
    (void)device->cuda->cuMemFreeAsync(address, device->internal_stream);
    trim_to(device, pool->threshold);
    pthread_mutex_unlock(&pool->lock);
}

CUresult cuda_pool_share(struct trm_backend_device *device, CUdevice other)
{
    const CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = other},
        .flags    = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    if (device->pool == NULL)
        return CUDA_SUCCESS;
    return device->cuda->cuMemPoolSetAccess(device->pool->handle, &access, 1);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The core's cache is within `keep_bytes` already, so this pool keeps nothing. */
static int32_t pool_trim(struct trm_backend_device *device, uint64_t keep_bytes)
{
    CUcontext previous;
    (void)keep_bytes;
    if (device->pool == NULL)
        return TRM_OK;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&device->pool->lock);
    trim_to(device, 0);
    pthread_mutex_unlock(&device->pool->lock);
    cuda_leave(device, previous);
    return TRM_OK;
}

/* The driver counts what is in use towards the threshold, which includes the core's cache. So the
 * threshold bounds what both keep together. */
static CUresult set_threshold(struct trm_backend_device *device, uint64_t bytes)
{
    struct cuda_pool *pool = device->pool;
    cuuint64_t value       = bytes;
    CUresult result =
        device->cuda->cuMemPoolSetAttribute(pool->handle, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value);
    if (result != CUDA_SUCCESS)
        return result;
    pthread_mutex_lock(&pool->lock);
    pool->threshold = bytes;
    trim_to(device, bytes);
    pthread_mutex_unlock(&pool->lock);
    return CUDA_SUCCESS;
}

static int32_t pool_set_threshold(struct trm_backend_device *device, uint64_t bytes)
{
    CUcontext previous;
    if (device->pool == NULL)
        return TRM_OK;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = set_threshold(device, bytes);
    cuda_leave(device, previous);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(device, result, "cuMemPoolSetAttribute");
}

static CUresult count(struct trm_backend_device *device, uint64_t *held, uint64_t *gaps)
{
    struct cuda_pool *pool = device->pool;
    pthread_mutex_lock(&pool->lock);
    CUresult result = query(device, &pool->held, held);
    *gaps           = pool->gaps < *held ? pool->gaps : *held;
    pthread_mutex_unlock(&pool->lock);
    return result;
}

/* The core counts what is used. */
static int32_t pool_statistics(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                               uint64_t *reserved)
{
    uint64_t unused = 0, gaps = 0;
    if (device->pool != NULL) {
        CUcontext previous;
        int32_t status = cuda_enter(device, &previous);
        if (status != TRM_OK)
            return status;
        CUresult result = count(device, &unused, &gaps);
        cuda_leave(device, previous);
        if (result != CUDA_SUCCESS)
            return cuda_device_fail(device, result, "cuMemPoolGetAttribute");
    }
    *used     = 0;
    *cached   = unused - gaps;
    *reserved = unused;
    return TRM_OK;
}

const struct trm_pool_ops cuda_pool_ops = {
    .struct_size   = sizeof(cuda_pool_ops),
    .trim          = pool_trim,
    .set_threshold = pool_set_threshold,
    .statistics    = pool_statistics,
};
