/* cuda backend: copies between devices.
 *
 * Whether a device reaches another one's memory is found out once for each pair of open devices. Access is
 * then opened to the memory of the other context and to its pool, and ends with either. A device that is
 * open twice reaches itself.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/memory/memory.h"
#include "stream.h"

struct peer_copy {
    CUdeviceptr to, from;
    CUcontext to_context, from_context; /* NULL: host or managed memory */
    struct trm_backend_device *other;   /* the device that is not the stream's */
    uint64_t size;
};

/* ---- access ---------------------------------------------------------------------------------- */

/* With the device's context. */
static bool open_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    int is_reachable = 0;
    if (device->cuda->cuDeviceCanAccessPeer(&is_reachable, device->handle, other->handle) != CUDA_SUCCESS ||
        is_reachable == 0)
        return false;
    CUresult result = device->cuda->cuCtxEnablePeerAccess(other->context, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        return false;
    return other->pool == NULL || cuda_pool_share(other, device->handle) == CUDA_SUCCESS;
}

static bool probe_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    CUcontext previous;
    if (cuda_enter(device, &previous) != TRM_OK)
        return false;
    bool can_reach = open_access(device, other);
    cuda_leave(device, previous);
    return can_reach;
}

/* A device that was opened later at the same index has another serial. */
static bool can_reach(struct trm_backend_device *device, struct trm_backend_device *other)
{
    uint32_t index = other->physical->index;
    if (device->context == other->context)
        return true;
    if (index >= CUDA_PEERS)
        return probe_access(device, other);
    uint64_t known = atomic_load_explicit(&device->peers[index], memory_order_acquire);
    if (known / 2 == other->serial)
        return known % 2 != 0;
    bool is_reachable = probe_access(device, other);
    atomic_store_explicit(&device->peers[index], other->serial * 2 + is_reachable, memory_order_release);
    return is_reachable;
}

static int32_t can_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    if (can_reach(device, other))
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s cannot access the memory of %s.", device->physical->name, other->physical->name);
}

/* ---- copies ---------------------------------------------------------------------------------- */

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
    cuda_follow_device(stream, copy->other);
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
    /* From host memory to host memory the driver copies during the call. */
    if (copy.to_context == NULL && copy.from_context == NULL)
        return cuda_defer_job(stream, value, job, true);
    return cuda_stream_submit(stream, value, job);
}

const struct trm_peer_ops cuda_peer_ops = {
    .struct_size = sizeof(cuda_peer_ops),
    .can_access  = can_access,
    .copy        = peer_copy,
};
