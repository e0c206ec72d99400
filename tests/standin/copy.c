/* The calls that copy and fill.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/standin.h"

#define PITCH_MOST 2147483647u /* CU_DEVICE_ATTRIBUTE_MAX_PITCH */

static CUresult enqueue(enum standin_function function, CUstream handle, struct transfer *transfer)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(function, handle, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    return leave(transfer_enqueue(context, stream, transfer));
}

static CUresult copy(enum standin_function function, CUstream stream, uint64_t to, uint64_t from,
                     size_t bytes)
{
    struct transfer transfer = {.destination       = to,
                                .source            = from,
                                .width             = bytes,
                                .height            = bytes != 0,
                                .source_pitch      = bytes,
                                .destination_pitch = bytes};
    return enqueue(function, stream, &transfer);
}

CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return copy(STANDIN_cuMemcpyAsync, hStream, dst, src, ByteCount);
}

CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                      CUstream hStream)
{
    return copy(STANDIN_cuMemcpyHtoDAsync_v2, hStream, dstDevice, (uint64_t)(uintptr_t)srcHost, ByteCount);
}

CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                      CUstream hStream)
{
    return copy(STANDIN_cuMemcpyDtoHAsync_v2, hStream, (uint64_t)(uintptr_t)dstHost, srcDevice, ByteCount);
}

CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                      CUstream hStream)
{
    return copy(STANDIN_cuMemcpyDtoDAsync_v2, hStream, dstDevice, srcDevice, ByteCount);
}

CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                   CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    struct transfer transfer = {
        .destination = dstDevice, .source = srcDevice, .width = ByteCount, .height = ByteCount != 0};
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuMemcpyPeerAsync, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    struct context *to   = object_find(OBJECT_CONTEXT, dstContext);
    struct context *from = object_find(OBJECT_CONTEXT, srcContext);
    if (to == NULL || from == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (to->sticky != CUDA_SUCCESS || from->sticky != CUDA_SUCCESS)
        return leave(to->sticky != CUDA_SUCCESS ? to->sticky : from->sticky);
    return leave(transfer_enqueue(context, stream, &transfer));
}

/* Those without a stream are in the order of the legacy one and return when they are done. */
static CUresult copy_and_wait(enum standin_function function, uint64_t to, uint64_t from, size_t bytes)
{
    struct transfer transfer = {.destination = to, .source = from, .width = bytes, .height = bytes != 0};
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(function, NULL, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = transfer_enqueue(context, stream, &transfer);
    if (result == CUDA_SUCCESS)
        result = stream_wait(context, stream_place(stream));
    return leave(result);
}

CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return copy_and_wait(STANDIN_cuMemcpyHtoD_v2, dstDevice, (uint64_t)(uintptr_t)srcHost, ByteCount);
}

CUresult CUDAAPI cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy_and_wait(STANDIN_cuMemcpyDtoH_v2, (uint64_t)(uintptr_t)dstHost, srcDevice, ByteCount);
}

/* ---- rectangles */

static bool side(CUmemorytype type, const void *host, CUdeviceptr device, uint64_t *address)
{
    *address = type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)host : device;
    return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED;
}

bool transfer_of_2d(const CUDA_MEMCPY2D *copy_2d, struct transfer *transfer)
{
    uint64_t source_pitch      = copy_2d->srcPitch != 0 ? copy_2d->srcPitch : copy_2d->WidthInBytes;
    uint64_t destination_pitch = copy_2d->dstPitch != 0 ? copy_2d->dstPitch : copy_2d->WidthInBytes;

    if (copy_2d->Height > 1 && (source_pitch > PITCH_MOST || destination_pitch > PITCH_MOST))
        return false;

    *transfer = (struct transfer){.source_pitch      = source_pitch,
                                  .destination_pitch = destination_pitch,
                                  .width             = copy_2d->WidthInBytes,
                                  .height            = copy_2d->Height};
    if (!side(copy_2d->srcMemoryType, copy_2d->srcHost, copy_2d->srcDevice, &transfer->source) ||
        !side(copy_2d->dstMemoryType, copy_2d->dstHost, copy_2d->dstDevice, &transfer->destination))
        return false;
    transfer->source += copy_2d->srcY * source_pitch + copy_2d->srcXInBytes;
    transfer->destination += copy_2d->dstY * destination_pitch + copy_2d->dstXInBytes;
    return true;
}

/* Of one layer. */
bool transfer_of_3d(const CUDA_MEMCPY3D *copy_3d, struct transfer *transfer)
{
    const CUDA_MEMCPY2D copy_2d = {.srcXInBytes   = copy_3d->srcXInBytes,
                                   .srcY          = copy_3d->srcY,
                                   .srcMemoryType = copy_3d->srcMemoryType,
                                   .srcHost       = copy_3d->srcHost,
                                   .srcDevice     = copy_3d->srcDevice,
                                   .srcPitch      = copy_3d->srcPitch,
                                   .dstXInBytes   = copy_3d->dstXInBytes,
                                   .dstY          = copy_3d->dstY,
                                   .dstMemoryType = copy_3d->dstMemoryType,
                                   .dstHost       = copy_3d->dstHost,
                                   .dstDevice     = copy_3d->dstDevice,
                                   .dstPitch      = copy_3d->dstPitch,
                                   .WidthInBytes  = copy_3d->WidthInBytes,
                                   .Height        = copy_3d->Height};

    if (copy_3d->Depth != 1 || copy_3d->srcZ != 0 || copy_3d->dstZ != 0 || copy_3d->srcLOD != 0 ||
        copy_3d->dstLOD != 0)
        return false;
    return transfer_of_2d(&copy_2d, transfer);
}

CUresult CUDAAPI cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    struct transfer transfer;
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuMemcpy2DAsync_v2, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (pCopy == NULL || !transfer_of_2d(pCopy, &transfer))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(transfer_enqueue(context, stream, &transfer));
}

/* ---- fills */

static CUresult fill(enum standin_function function, CUstream stream, uint64_t to, uint32_t element,
                     uint32_t value, size_t count)
{
    struct transfer transfer = {.is_fill     = true,
                                .destination = to,
                                .width       = (uint64_t)count * element,
                                .height      = count != 0,
                                .value       = value,
                                .element     = element};
    return enqueue(function, stream, &transfer);
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return fill(STANDIN_cuMemsetD8Async, hStream, dstDevice, 1, uc, N);
}

CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return fill(STANDIN_cuMemsetD16Async, hStream, dstDevice, 2, us, N);
}

CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return fill(STANDIN_cuMemsetD32Async, hStream, dstDevice, 4, ui, N);
}

static CUresult fill_2d(enum standin_function function, CUstream stream, struct transfer transfer)
{
    transfer.is_fill = true;
    transfer.width *= transfer.element;
    return enqueue(function, stream, &transfer);
}

CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                                   size_t Height, CUstream hStream)
{
    return fill_2d(STANDIN_cuMemsetD2D8Async, hStream,
                   (struct transfer){.destination       = dstDevice,
                                     .destination_pitch = dstPitch,
                                     .width             = Width,
                                     .height            = Height,
                                     .value             = uc,
                                     .element           = 1});
}

CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                    size_t Height, CUstream hStream)
{
    return fill_2d(STANDIN_cuMemsetD2D16Async, hStream,
                   (struct transfer){.destination       = dstDevice,
                                     .destination_pitch = dstPitch,
                                     .width             = Width,
                                     .height            = Height,
                                     .value             = us,
                                     .element           = 2});
}

CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                    size_t Height, CUstream hStream)
{
    return fill_2d(STANDIN_cuMemsetD2D32Async, hStream,
                   (struct transfer){.destination       = dstDevice,
                                     .destination_pitch = dstPitch,
                                     .width             = Width,
                                     .height            = Height,
                                     .value             = ui,
                                     .element           = 4});
}
