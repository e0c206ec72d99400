/* cuda backend: copies between devices.
 *
 * Whether a device reaches another one's memory is found out once for each pair, and then access is opened: to what contexts hold,
 * and to the pools of the driver. It ends with the context or the pool, and so a device that is opened anew is asked for anew.
 * Where the same device is open twice there is nothing to open.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/memory/memory.h"
#include "stream.h"

struct peer_copy {
    CUdeviceptr to, from;
    CUcontext to_context, from_context; /* NULL: it is the host's, or managed */
    struct trm_backend_device *other;   /* than the stream's */
    uint64_t size;
};

/* ---- access ------------------------------------------------------------------------------------------ */

/* With the device's context. */
static bool open_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    int answer = 0;
    if (device->cuda->cuDeviceCanAccessPeer(&answer, device->handle, other->handle) != CUDA_SUCCESS ||
        answer == 0)
        return false;
    CUresult result = device->cuda->cuCtxEnablePeerAccess(other->context, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        return false;
    return other->pool == NULL || cuda_pool_share(other, device->handle) == CUDA_SUCCESS;
}

static bool find_out(struct trm_backend_device *device, struct trm_backend_device *other)
{
    CUcontext previous;
    if (cuda_enter(device, &previous) != TRM_OK)
        return false;
    bool reaches = open_access(device, other);
    cuda_leave(device, previous);
    return reaches;
}

/* What was found out of the last device that had that index. */
static bool reaches(struct trm_backend_device *device, struct trm_backend_device *other)
{
    uint32_t index = other->physical->index;
    if (device->context == other->context)
        return true;
    if (index >= CUDA_PEERS)
        return find_out(device, other);
    uint64_t known = atomic_load_explicit(&device->peers[index], memory_order_acquire);
    if (known / 2 == other->serial)
        return known % 2 != 0;
    bool answer = find_out(device, other);
    atomic_store_explicit(&device->peers[index], other->serial * 2 + answer, memory_order_release);
    return answer;
}

static int32_t can_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    if (reaches(device, other))
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s does not reach the memory of %s.", device->physical->name,
                         other->physical->name);
}

/* ---- copies ------------------------------------------------------------------------------------------ */

static CUcontext context_of(const struct trm_backend_memory *memory)
{
    switch (memory->source) {
    case CUDA_MEMORY_PINNED:
    case CUDA_MEMORY_REGISTERED:
    case CUDA_MEMORY_MANAGED:
        return NULL;
    default:
        return memory->device->context;
    }
}

static int32_t submit_peer(struct trm_backend_stream *stream, const void *what)
{
    const struct cuda_functions *cuda = stream->device->cuda;
    const struct peer_copy *copy      = what;
    CUresult result;
    if (copy->to_context == NULL || copy->from_context == NULL || copy->to_context == copy->from_context)
        result = cuda->cuMemcpyAsync(copy->to, copy->from, copy->size, stream->handle);
    else
        result = cuda->cuMemcpyPeerAsync(copy->to, copy->to_context, copy->from, copy->from_context,
                                         copy->size, stream->handle);
    return result == CUDA_SUCCESS
               ? TRM_OK
               : cuda_job_failed_with(stream, copy->other, result, "A copy between devices");
}

static int32_t peer_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    const struct trm_backend_memory *to = desc->destination.memory, *from = desc->source.memory;
    const struct peer_copy copy = {
        .to           = to->address + desc->destination.offset,
        .from         = from->address + desc->source.offset,
        .to_context   = context_of(to),
        .from_context = context_of(from),
        .other        = to->device != stream->device ? to->device : from->device,
        .size         = desc->size,
    };
    const struct cuda_job job = {submit_peer, &copy, sizeof(copy)};
    /* From host memory to host memory the driver copies while the caller waits. */
    if (copy.to_context == NULL && copy.from_context == NULL)
        return cuda_defer_job(stream, value, job, true);
    return cuda_stream_submit(stream, value, job);
}

const struct trm_peer_ops cuda_peer_ops = {
    .struct_size = sizeof(cuda_peer_ops),
    .can_access  = can_access,
    .copy        = peer_copy,
};
