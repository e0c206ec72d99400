/* The calls of streams.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuStreamCreateWithPriority, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (phStream == NULL || flags > CU_STREAM_NON_BLOCKING)
        return leave(CUDA_ERROR_INVALID_VALUE);
    /* The driver takes any, and the nearest that it has. */
    priority              = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    struct stream *stream = stream_create(context, flags, priority);
    if (stream == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *phStream = object_handle(&stream->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuStreamCreate, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (phStream == NULL || Flags > CU_STREAM_NON_BLOCKING)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct stream *stream = stream_create(context, Flags, 0);
    if (stream == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *phStream = object_handle(&stream->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamDestroy_v2(CUstream hStream)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuStreamDestroy_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct stream *stream = object_find(OBJECT_STREAM, hStream);
    if (stream == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    CUresult sticky = stream->object.context->sticky;
    stream_destroy(stream);
    return leave(sticky);
}

CUresult CUDAAPI cuStreamGetPriority(CUstream hStream, int *priority)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuStreamGetPriority, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (priority == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *priority = stream->priority;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuStreamGetFlags, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (flags == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *flags = stream->flags;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuStreamGetCtx, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *pctx = object_handle(&stream->object.context->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamQuery(CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuStreamQuery, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    return leave(place_is_reached(stream_place(stream)) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
}

CUresult CUDAAPI cuStreamSynchronize(CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuStreamSynchronize, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = stream_wait(stream->object.context, stream_place(stream));
    pool_trim_all(context);
    return leave(result);
}

/* ---- functions of the host */

struct host_call {
    struct operation operation;
    CUhostFn function;
    void *data;
};

static CUresult host_run(struct operation *operation)
{
    struct host_call *call = (struct host_call *)operation;

    call->function(call->data);
    return CUDA_SUCCESS;
}

static const struct operation_kind host_kind = {.name = "host", .run = host_run};

CUresult CUDAAPI cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuLaunchHostFunc, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (fn == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct host_call *call = calloc(1, sizeof(*call));
    if (call == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    call->operation.kind = &host_kind;
    call->function       = fn;
    call->data           = userData;
    stream_enqueue(stream, &call->operation);
    return leave(CUDA_SUCCESS);
}

/* ---- words of memory that are waited for and written */

struct word {
    struct operation operation;
    uint64_t address, value;
    unsigned int flags;
    bool is_wide;
};

static uint64_t word_read(const struct word *word)
{
    const void *place = (const void *)(uintptr_t)word->address; // NOLINT(performance-no-int-to-ptr)

    if (word->is_wide)
        return __atomic_load_n((const uint64_t *)place, __ATOMIC_ACQUIRE);
    return __atomic_load_n((const uint32_t *)place, __ATOMIC_ACQUIRE);
}

static bool word_is_ready(const struct operation *operation)
{
    const struct word *word = (const struct word *)operation;

    if (span_find(word->address, word->is_wide ? 8 : 4) == NULL)
        return true;
    uint64_t now = word_read(word);
    int64_t behind =
        word->is_wide ? (int64_t)(now - word->value) : (int32_t)((uint32_t)now - (uint32_t)word->value);
    switch (word->flags & 3) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return behind >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return behind == 0;
    case CU_STREAM_WAIT_VALUE_AND:
        return (now & word->value) != 0;
    default:
        return word->is_wide ? ~(now | word->value) != 0 : (uint32_t) ~(now | word->value) != 0;
    }
}

static CUresult word_write(struct operation *operation)
{
    const struct word *word = (const struct word *)operation;
    void *place             = (void *)(uintptr_t)word->address; // NOLINT(performance-no-int-to-ptr)

    if (word->is_wide)
        __atomic_store_n((uint64_t *)place, word->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)place, (uint32_t)word->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

static const struct operation_kind word_wait_kind  = {.is_ready = word_is_ready, .polls = true};
static const struct operation_kind word_write_kind = {.run = word_write};

static CUresult enqueue_word(enum standin_function function, CUstream handle, const struct word *request)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(function, handle, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    uint64_t bytes = request->is_wide ? 8 : 4;
    if (request->flags > 3 || request->address % bytes != 0 || span_find(request->address, bytes) == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct word *word = calloc(1, sizeof(*word));
    if (word == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *word = *request;
    stream_enqueue(stream, &word->operation);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                        unsigned int flags)
{
    const struct word word = {
        .operation.kind = &word_wait_kind, .address = addr, .value = value, .flags = flags};
    return enqueue_word(STANDIN_cuStreamWaitValue32_v2, stream, &word);
}

CUresult CUDAAPI cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                        unsigned int flags)
{
    const struct word word = {
        .operation.kind = &word_wait_kind, .address = addr, .value = value, .flags = flags, .is_wide = true};
    return enqueue_word(STANDIN_cuStreamWaitValue64_v2, stream, &word);
}

CUresult CUDAAPI cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                         unsigned int flags)
{
    const struct word word = {
        .operation.kind = &word_write_kind, .address = addr, .value = value, .flags = flags};
    return enqueue_word(STANDIN_cuStreamWriteValue32_v2, stream, &word);
}

CUresult CUDAAPI cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                         unsigned int flags)
{
    const struct word word = {
        .operation.kind = &word_write_kind, .address = addr, .value = value, .flags = flags, .is_wide = true};
    return enqueue_word(STANDIN_cuStreamWriteValue64_v2, stream, &word);
}
