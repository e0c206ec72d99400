/* Contexts, and which of them is a thread's current one.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "tests/standin/standin.h"

#define STACK_MOST 64
#define PRIORITY_LEAST 0
#define PRIORITY_GREATEST (-5)

/* Handles: a context may be destroyed by another thread. */
static _Thread_local CUcontext stack[STACK_MOST];
static _Thread_local uint32_t stack_height;

CUresult context_current(struct context **context)
{
    *context = NULL;
    if (stack_height == 0 || stack[stack_height - 1] == NULL)
        return CUDA_SUCCESS;
    *context = object_find_quietly(OBJECT_CONTEXT, stack[stack_height - 1]);
    return *context == NULL ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

void context_fail(struct context *context, CUresult result)
{
    if (context->sticky == CUDA_SUCCESS)
        context->sticky = result;
    worker_wake();
    standin_changed();
}

static bool is_busy(const struct context *context)
{
    for (const struct stream *stream = stream_list(); stream != NULL; stream = stream->next)
        if (stream->object.context == context && stream->timeline->done < stream->timeline->enqueued)
            return true;
    return false;
}

void context_drain(struct context *context)
{
    while (is_busy(context))
        standin_wait();
}

static struct context *context_create(struct device *device, bool is_primary)
{
    struct context *context = calloc(1, sizeof(*context));

    if (context == NULL)
        return NULL;
    context->device     = device;
    context->is_primary = is_primary;
    object_begin(&context->object, OBJECT_CONTEXT, NULL);
    context->legacy = stream_create(context, CU_STREAM_DEFAULT, 0);
    if (context->legacy != NULL)
        return context;
    object_end(&context->object);
    free(context);
    return NULL;
}

/* Others have no access to it any more. One that is made later has to be given it anew. */
static void end_access(const struct context *context)
{
    for (int i = 0; device_of(i) != NULL; i++)
        if (device_of(i)->primary != NULL)
            device_of(i)->primary->peers &= ~(UINT32_C(1) << context->device->ordinal);
}

/* Everything that was made in it goes with it. */
static void destroy_objects(struct context *context)
{
    struct object *object;
    struct span *span;

    while ((object = object_of_context(OBJECT_GRAPH_EXECUTABLE, context)) != NULL)
        graph_executable_destroy(object);
    while ((object = object_of_context(OBJECT_EVENT, context)) != NULL)
        event_destroy((struct event *)object);
    while ((object = object_of_context(OBJECT_STREAM, context)) != NULL)
        stream_destroy((struct stream *)object);
    while ((object = object_of_context(OBJECT_MODULE, context)) != NULL)
        (void)module_destroy((struct module *)object);
    while ((object = object_of_context(OBJECT_EXTERNAL_MEMORY, context)) != NULL)
        external_memory_destroy(object);
    while ((object = object_of_context(OBJECT_EXTERNAL_SEMAPHORE, context)) != NULL)
        external_semaphore_destroy(object);
    while ((object = object_of_context(OBJECT_TEXTURE, context)) != NULL)
        texture_destroy(object);
    while ((span = span_of_context(context)) != NULL)
        memory_end_span(span);
}

CUresult context_destroy(struct context *context)
{
    CUresult sticky    = context->sticky;
    context->is_ending = true;
    worker_wake();
    context_drain(context);
    destroy_objects(context);
    end_access(context);
    object_end(&context->object);
    if (context->is_primary)
        context->device->primary = NULL;
    free(context);
    return sticky;
}

/* ---- primary contexts */

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    CUresult result = enter(STANDIN_cuDevicePrimaryCtxRetain);

    if (result != CUDA_SUCCESS)
        return result;
    struct device *device = device_of(dev);
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (pctx == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    /* One that is being destroyed is waited for. */
    while (device->primary != NULL && device->primary->is_ending)
        standin_wait();
    if (device->primary == NULL)
        device->primary = context_create(device, true);
    if (device->primary == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    device->primary_count++;
    *pctx = object_handle(&device->primary->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    CUresult result = enter(STANDIN_cuDevicePrimaryCtxRelease_v2);

    if (result != CUDA_SUCCESS)
        return result;
    struct device *device = device_of(dev);
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (device->primary_count == 0) {
        standin_breach("a primary context was released more often than it was retained");
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (--device->primary_count == 0) {
        (void)context_destroy(device->primary);
        pool_empty_all(device);
        standin_changed();
    }
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    CUresult result = enter(STANDIN_cuDevicePrimaryCtxGetState);

    if (result != CUDA_SUCCESS)
        return result;
    struct device *device = device_of(dev);
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (flags != NULL)
        *flags = 0;
    if (active != NULL)
        *active = device->primary != NULL;
    return leave(CUDA_SUCCESS);
}

/* ---- an application's own */

#if CUDA_VERSION >= 12080
CUresult CUDAAPI cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                                CUdevice dev)
{
    CUresult result = enter(STANDIN_cuCtxCreate_v4);

    if (result != CUDA_SUCCESS)
        return result;
    struct device *device = device_of(dev);
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (pctx == NULL || ctxCreateParams != NULL || flags > CU_CTX_FLAGS_MASK || stack_height == STACK_MOST)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct context *context = context_create(device, false);
    if (context == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *pctx                 = object_handle(&context->object);
    stack[stack_height++] = *pctx;
    return leave(CUDA_SUCCESS);
}
#endif

CUresult CUDAAPI cuCtxDestroy_v2(CUcontext ctx)
{
    CUresult result = enter(STANDIN_cuCtxDestroy_v2);

    if (result != CUDA_SUCCESS)
        return result;
    struct context *context = object_find(OBJECT_CONTEXT, ctx);
    if (context == NULL || context->is_primary || context->is_ending)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (stack_height != 0 && stack[stack_height - 1] == ctx)
        stack_height--;
    (void)context_destroy(context);
    return leave(CUDA_SUCCESS);
}

/* ---- the current one */

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *pctx)
{
    CUresult result = enter(STANDIN_cuCtxGetCurrent);

    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *pctx = stack_height == 0 ? NULL : stack[stack_height - 1];
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext ctx)
{
    CUresult result = enter(STANDIN_cuCtxSetCurrent);

    if (result != CUDA_SUCCESS)
        return result;
    if (ctx != NULL && object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (stack_height != 0)
        stack_height--;
    if (ctx != NULL)
        stack[stack_height++] = ctx;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext ctx)
{
    CUresult result = enter(STANDIN_cuCtxPushCurrent_v2);

    if (result != CUDA_SUCCESS)
        return result;
    if (ctx == NULL || object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (stack_height == STACK_MOST) {
        standin_breach("contexts are pushed and never popped");
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    stack[stack_height++] = ctx;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *pctx)
{
    CUresult result = enter(STANDIN_cuCtxPopCurrent_v2);

    if (result != CUDA_SUCCESS)
        return result;
    if (stack_height == 0)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    stack_height--;
    if (pctx != NULL)
        *pctx = stack[stack_height];
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuCtxGetDevice, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *device = context->device->ordinal;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    CUresult result = enter(STANDIN_cuCtxGetApiVersion);

    if (result != CUDA_SUCCESS)
        return result;
    if (version == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (ctx != NULL && object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    *version = 3020;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxSynchronize(void)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuCtxSynchronize, &context);

    if (result != CUDA_SUCCESS)
        return result;
    context_drain(context);
    pool_trim_all(context);
    return leave(context->sticky);
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuCtxGetStreamPriorityRange, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (leastPriority != NULL)
        *leastPriority = PRIORITY_LEAST;
    if (greatestPriority != NULL)
        *greatestPriority = PRIORITY_GREATEST;
    return leave(CUDA_SUCCESS);
}

/* ---- peers */

/* Begins a call about the memory of another context's device. */
static CUresult enter_peer(enum standin_function function, CUcontext peerContext, struct context **context,
                           uint32_t *bit)
{
    CUresult result = enter_working(function, context);

    if (result != CUDA_SUCCESS)
        return result;
    struct context *peer = object_find(OBJECT_CONTEXT, peerContext);
    if (peer == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (peer->device == (*context)->device)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    *bit = UINT32_C(1) << peer->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    struct context *context;
    uint32_t bit    = 0;
    CUresult result = enter_peer(STANDIN_cuCtxEnablePeerAccess, peerContext, &context, &bit);

    if (result != CUDA_SUCCESS)
        return result;
    if (Flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!standin_config.peers)
        return leave(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    if ((context->peers & bit) != 0)
        return leave(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    context->peers |= bit;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peerContext)
{
    struct context *context;
    uint32_t bit    = 0;
    CUresult result = enter_peer(STANDIN_cuCtxDisablePeerAccess, peerContext, &context, &bit);

    if (result != CUDA_SUCCESS)
        return result;
    if ((context->peers & bit) == 0)
        return leave(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    context->peers &= ~bit;
    return leave(CUDA_SUCCESS);
}
