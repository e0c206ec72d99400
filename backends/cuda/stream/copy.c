/* cuda backend: copies and fills as the driver takes them.
 * SPDX-License-Identifier: MIT
 */
#include "copy.h"

#include "backends/cuda/memory/memory.h"

#define INLINE_BYTES (UINT64_C(1) << 20)   /* of pageable memory, which the driver takes with the call */
#define PATTERN_BYTES (UINT64_C(64) << 10) /* of a fill of 8 bytes, before copies do the rest */
#define MAX_PITCH ((UINT64_C(1) << 31) - 1)

enum side {
    SIDE_DEVICE,
    SIDE_HOST,
    SIDE_ANY, /* managed memory, and memory of an application: the driver knows */
};

static enum side side_of(const struct trm_place *place)
{
    static const unsigned char sides[] = {
        [CUDA_MEMORY_POOL] = SIDE_DEVICE,     [CUDA_MEMORY_PLAIN] = SIDE_DEVICE,
        [CUDA_MEMORY_PINNED] = SIDE_HOST,     [CUDA_MEMORY_MANAGED] = SIDE_ANY,
        [CUDA_MEMORY_REGISTERED] = SIDE_HOST, [CUDA_MEMORY_VIRTUAL] = SIDE_DEVICE,
        [CUDA_MEMORY_EXTERNAL] = SIDE_DEVICE, [CUDA_MEMORY_BORROWED] = SIDE_ANY,
        [CUDA_MEMORY_OPENED] = SIDE_DEVICE,
    };
    _Static_assert(sizeof(sides) == CUDA_MEMORY_SOURCES, "each source has a side");
    return place->memory != NULL ? (enum side)sides[place->memory->source] : SIDE_HOST;
}

static void *host_of(const struct trm_place *place)
{
    return place->memory != NULL ? (char *)place->memory->host + place->offset : place->host;
}

CUdeviceptr cuda_place_address(const struct trm_place *place)
{
    return place->memory != NULL ? place->memory->address + place->offset
                                 : (CUdeviceptr)(uintptr_t)place->host;
}

/* ---- copies that block ----------------------------------------------------------------------- */

bool cuda_is_known_to_driver(struct trm_backend_device *device, const void *memory)
{
    unsigned int type = 0;
    CUcontext previous;
    if (cuda_enter(device, &previous) != TRM_OK)
        return false;
    CUresult result = device->cuda->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                          (CUdeviceptr)(uintptr_t)memory);
    cuda_leave(device, previous);
    return result == CUDA_SUCCESS && type != 0;
}

bool cuda_place_is_reachable(struct trm_backend_device *device, const struct trm_place *place, uint64_t bytes)
{
    const char *host = place->host;
    return place->memory != NULL ||
           (cuda_is_known_to_driver(device, host) && cuda_is_known_to_driver(device, host + bytes - 1));
}

static bool is_pageable(struct trm_backend_device *device, const struct trm_place *place)
{
    return place->memory == NULL && !cuda_is_known_to_driver(device, place->host);
}

static bool blocks(struct trm_backend_device *device, const struct trm_place *destination,
                   const struct trm_place *source, uint64_t size)
{
    enum side to = side_of(destination), from = side_of(source);
    if (to == SIDE_DEVICE && from == SIDE_HOST)
        return size > INLINE_BYTES && is_pageable(device, source);
    if (to == SIDE_HOST && from == SIDE_DEVICE)
        return is_pageable(device, destination);
    if (to == SIDE_HOST && from == SIDE_HOST)
        return true;
    return is_pageable(device, destination) || is_pageable(device, source);
}

bool cuda_copy_blocks(struct trm_backend_device *device, const struct trm_copy_desc *desc)
{
    const struct trm_backend_memory *to = desc->destination.memory, *from = desc->source.memory;
    /* Both are memory of the backend, and not both of the host: the driver need not be asked. */
    if (TRM_UTIL_LIKELY(to != NULL && from != NULL))
        return side_of(&desc->destination) == SIDE_HOST && side_of(&desc->source) == SIDE_HOST;
    return blocks(device, &desc->destination, &desc->source, desc->size);
}

bool cuda_copy_2d_blocks(struct trm_backend_device *device, const struct trm_copy_2d_desc *desc)
{
    return blocks(device, &desc->destination, &desc->source, desc->width * desc->height);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The driver refused part of an operation. The core does not know of the other parts, and will not wait
 * for them before it frees the memory, so wait before the failure is reported. */
static CUresult wait_after_failure(const struct cuda_functions *cuda, CUstream stream, CUresult result)
{
    if (result != CUDA_SUCCESS)
        (void)cuda->cuStreamSynchronize(stream);
    return result;
}

/* Copy much between the device and memory that is not pinned. False: left to the driver. */
static bool copy_pageable(struct trm_backend_device *device, CUstream stream,
                          const struct trm_copy_desc *desc, CUresult *result)
{
    const struct trm_place *to = &desc->destination, *from = &desc->source;
    if (side_of(to) == SIDE_DEVICE && is_pageable(device, from))
        return cuda_pageable_upload(device, stream, cuda_place_address(to), from->host, desc->size, result);
    if (side_of(from) == SIDE_DEVICE && is_pageable(device, to))
        return cuda_pageable_download(device, stream, to->host, cuda_place_address(from), desc->size, result);
    return false;
}

/* Copy by one call of the driver. */
static inline CUresult copy_by_driver(const struct cuda_functions *cuda, CUstream stream,
                                      const struct trm_copy_desc *desc)
{
    enum side to = side_of(&desc->destination), from = side_of(&desc->source);
    if (to == SIDE_DEVICE && from == SIDE_HOST)
        return cuda->cuMemcpyHtoDAsync(cuda_place_address(&desc->destination), host_of(&desc->source),
                                       desc->size, stream);
    if (to == SIDE_HOST && from == SIDE_DEVICE)
        return cuda->cuMemcpyDtoHAsync(host_of(&desc->destination), cuda_place_address(&desc->source),
                                       desc->size, stream);
    if (to == SIDE_DEVICE && from == SIDE_DEVICE)
        return cuda->cuMemcpyDtoDAsync(cuda_place_address(&desc->destination),
                                       cuda_place_address(&desc->source), desc->size, stream);
    return cuda->cuMemcpyAsync(cuda_place_address(&desc->destination), cuda_place_address(&desc->source),
                               desc->size, stream);
}

__attribute__((noinline)) static CUresult copy_long(struct trm_backend_device *device, CUstream stream,
                                                    const struct trm_copy_desc *desc)
{
    CUresult result;
    if (copy_pageable(device, stream, desc, &result))
        return wait_after_failure(device->cuda, stream, result);
    return copy_by_driver(device->cuda, stream, desc);
}

CUresult cuda_copy_submit(struct trm_backend_device *device, CUstream stream,
                          const struct trm_copy_desc *desc)
{
    if (TRM_UTIL_UNLIKELY(desc->size >= CUDA_PAGEABLE_MIN_BYTES))
        return copy_long(device, stream, desc);
    return copy_by_driver(device->cuda, stream, desc);
}

static CUmemorytype type_of(enum side side)
{
    if (side == SIDE_ANY)
        return CU_MEMORYTYPE_UNIFIED;
    return side == SIDE_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static struct trm_place place_at(const struct trm_place *place, uint64_t bytes)
{
    struct trm_place result = *place;
    if (result.memory != NULL)
        result.offset += bytes;
    else
        result.host = (char *)result.host + bytes;
    return result;
}

static CUresult copy_row_by_row(struct trm_backend_device *device, CUstream stream,
                                const struct trm_copy_2d_desc *desc)
{
    CUresult result = CUDA_SUCCESS;
    for (uint64_t row = 0; row < desc->height && result == CUDA_SUCCESS; row++) {
        struct trm_copy_desc copy = {
            .struct_size = sizeof(copy),
            .destination = place_at(&desc->destination, row * desc->destination_pitch),
            .source      = place_at(&desc->source, row * desc->source_pitch),
            .size        = desc->width,
        };
        result = cuda_copy_submit(device, stream, &copy);
    }
    return wait_after_failure(device->cuda, stream, result);
}

static bool fits(const struct trm_copy_2d_desc *desc)
{
    return desc->source_pitch <= MAX_PITCH && desc->destination_pitch <= MAX_PITCH;
}

CUresult cuda_copy_2d_submit(struct trm_backend_device *device, CUstream stream,
                             const struct trm_copy_2d_desc *desc)
{
    if (desc->height == 1 || !fits(desc))
        return copy_row_by_row(device, stream, desc);
    enum side to = side_of(&desc->destination), from = side_of(&desc->source);
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = type_of(from),
        .srcHost       = from == SIDE_HOST ? host_of(&desc->source) : NULL,
        .srcDevice     = cuda_place_address(&desc->source),
        .srcPitch      = desc->source_pitch,
        .dstMemoryType = type_of(to),
        .dstHost       = to == SIDE_HOST ? host_of(&desc->destination) : NULL,
        .dstDevice     = cuda_place_address(&desc->destination),
        .dstPitch      = desc->destination_pitch,
        .WidthInBytes  = desc->width,
        .Height        = desc->height,
    };
    return device->cuda->cuMemcpy2DAsync(&copy, stream);
}

/* ---- graph nodes ----------------------------------------------------------------------------- */

static void node_sides(CUDA_MEMCPY3D *node, const struct trm_place *destination,
                       const struct trm_place *source)
{
    enum side to = side_of(destination), from = side_of(source);
    *node = (CUDA_MEMCPY3D){
        .srcMemoryType = type_of(from),
        .srcHost       = from == SIDE_HOST ? host_of(source) : NULL,
        .srcDevice     = cuda_place_address(source),
        .dstMemoryType = type_of(to),
        .dstHost       = to == SIDE_HOST ? host_of(destination) : NULL,
        .dstDevice     = cuda_place_address(destination),
        .Depth         = 1,
    };
}

void cuda_copy_node(const struct trm_copy_desc *desc, CUDA_MEMCPY3D *node)
{
    node_sides(node, &desc->destination, &desc->source);
    node->srcPitch = node->dstPitch = node->WidthInBytes = desc->size;
    node->srcHeight = node->dstHeight = node->Height = 1;
}

bool cuda_copy_2d_node(const struct trm_copy_2d_desc *desc, CUDA_MEMCPY3D *node)
{
    if (!fits(desc))
        return false;
    node_sides(node, &desc->destination, &desc->source);
    node->srcPitch     = desc->source_pitch;
    node->dstPitch     = desc->destination_pitch;
    node->WidthInBytes = desc->width;
    node->srcHeight = node->dstHeight = node->Height = desc->height;
    return true;
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* The pattern as elements of 1, 2 or 4 bytes, which the driver takes. False: it has none. */
static bool narrow_pattern(const struct trm_fill_desc *desc, uint32_t *element, uint32_t *value)
{
    uint32_t low = (uint32_t)desc->pattern, high = (uint32_t)(desc->pattern >> 32);
    *element = desc->pattern_size;
    *value   = low;
    if (*element == 8 && low == high)
        *element = 4;
    return *element != 8;
}

/* Fill each half of the elements as a column of 4 bytes, then copy what was filled over the rest. */
static CUresult fill_halves(const struct cuda_functions *cuda, CUstream stream, CUdeviceptr address,
                            const struct trm_fill_desc *desc)
{
    uint64_t done   = desc->size < PATTERN_BYTES ? desc->size : PATTERN_BYTES;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t half = 0; half < 2 && result == CUDA_SUCCESS; half++)
        result = cuda->cuMemsetD2D32Async(address + half * sizeof(uint32_t), sizeof(uint64_t),
                                          (uint32_t)(desc->pattern >> (32 * half)), 1,
                                          done / sizeof(uint64_t), stream);
    while (result == CUDA_SUCCESS && done < desc->size) {
        uint64_t piece = desc->size - done < done ? desc->size - done : done;
        result         = cuda->cuMemcpyAsync(address + done, address, piece, stream);
        done += piece;
    }
    return wait_after_failure(cuda, stream, result);
}

/* On host memory the copies of fill_halves() go from host memory to host memory, which blocks. */
bool cuda_fill_blocks(const struct trm_fill_desc *desc)
{
    const struct trm_place place = {.memory = desc->memory};
    uint32_t element, value;
    return desc->size > PATTERN_BYTES && side_of(&place) == SIDE_HOST &&
           !narrow_pattern(desc, &element, &value);
}

CUresult cuda_fill_submit(struct trm_backend_device *device, CUstream stream,
                          const struct trm_fill_desc *desc)
{
    const struct cuda_functions *cuda = device->cuda;
    CUdeviceptr address               = desc->memory->address + desc->offset;
    uint32_t element, value;
    if (!narrow_pattern(desc, &element, &value))
        return fill_halves(cuda, stream, address, desc);
    if (element == 1)
        return cuda->cuMemsetD8Async(address, (unsigned char)value, desc->size, stream);
    if (element == 2)
        return cuda->cuMemsetD16Async(address, (unsigned short)value, desc->size / 2, stream);
    return cuda->cuMemsetD32Async(address, value, desc->size / 4, stream);
}

bool cuda_fill_node(const struct trm_fill_desc *desc, CUDA_MEMSET_NODE_PARAMS *node)
{
    uint32_t element, value;
    if (!narrow_pattern(desc, &element, &value))
        return false;
    *node = (CUDA_MEMSET_NODE_PARAMS){
        .dst         = desc->memory->address + desc->offset,
        .value       = element == 1   ? (value & 0xffu)
                       : element == 2 ? (value & 0xffffu)
                                      : value,
        .elementSize = element,
        .width       = desc->size / element,
        .height      = 1,
    };
    return true;
}
