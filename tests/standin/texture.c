/* Texture objects over plain memory in rows, sampled as hardware does: weights of a linear filter have 8 bits
 * of fraction. Channels that the format lacks are NaN, since CUDA's manual does not tell what they are.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

#define TEXTURES_MOST 65536u /* in the life of a process: handles are never used again */
#define BASE_ALIGNMENT 512u
#define PITCH_ALIGNMENT 32u
#define WEIGHT_STEPS 256.0f

struct texture {
    struct object object;
    uint32_t number;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC how;
    uint32_t channel_bytes;
};

/* By number. Kernels read it without a lock. */
static struct texture *_Atomic textures[TEXTURES_MOST];
static uint32_t texture_count;

/* ---- sampling ----------------------------------------------------------------------------------- */

static float half_to_float(uint16_t half)
{
    int exponent = half >> 10 & 31;
    float magnitude =
        ldexpf((float)(half & 1023) + (exponent != 0 ? 1024.0f : 0.0f), exponent != 0 ? exponent - 25 : -24);
    if (exponent == 31)
        magnitude = (half & 1023) != 0 ? NAN : INFINITY;
    return half >> 15 ? -magnitude : magnitude;
}

static float channel_at(const struct texture *texture, const unsigned char *at)
{
    uint16_t word = 0;
    float whole;
    switch (texture->resource.res.pitch2D.format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return (float)*at / 255.0f;
    case CU_AD_FORMAT_SIGNED_INT8:
        return fmaxf((float)(int8_t)*at / 127.0f, -1.0f);
    case CU_AD_FORMAT_FLOAT:
        memcpy(&whole, at, sizeof(whole));
        return whole;
    default:
        break;
    }
    memcpy(&word, at, sizeof(word));
    if (texture->resource.res.pitch2D.format == CU_AD_FORMAT_UNSIGNED_INT16)
        return (float)word / 65535.0f;
    if (texture->resource.res.pitch2D.format == CU_AD_FORMAT_SIGNED_INT16)
        return fmaxf((float)(int16_t)word / 32767.0f, -1.0f);
    return half_to_float(word);
}

/* The texel that a coordinate stands for; -1: the border. Without normalized coordinates nothing repeats. */
static int64_t wrap(const struct texture *texture, uint32_t axis, int64_t i, int64_t size)
{
    CUaddress_mode mode = texture->how.addressMode[axis];
    bool is_normalized  = (texture->how.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    if (i >= 0 && i < size)
        return i;
    if (mode == CU_TR_ADDRESS_MODE_BORDER)
        return -1;
    if (mode == CU_TR_ADDRESS_MODE_WRAP && is_normalized)
        return (i % size + size) % size;
    if (mode == CU_TR_ADDRESS_MODE_MIRROR && is_normalized) {
        i = (i % (2 * size) + 2 * size) % (2 * size);
        return i < size ? i : 2 * size - 1 - i;
    }
    return i < 0 ? 0 : size - 1;
}

static float texel_at(const struct texture *texture, int64_t x, int64_t y, uint32_t channel)
{
    const struct texture *t = texture;
    x                       = wrap(t, 0, x, (int64_t)t->resource.res.pitch2D.width);
    y                       = wrap(t, 1, y, (int64_t)t->resource.res.pitch2D.height);
    if (x < 0 || y < 0)
        return t->how.borderColor[channel];
    uint64_t address = t->resource.res.pitch2D.devPtr + (uint64_t)y * t->resource.res.pitch2D.pitchInBytes +
                       ((uint64_t)x * t->resource.res.pitch2D.numChannels + channel) * t->channel_bytes;
    return channel_at(t, (const unsigned char *)(uintptr_t)address); // NOLINT(performance-no-int-to-ptr)
}

/* A coordinate in texels, within bounds that integers have. */
static float place(const struct texture *texture, float at, size_t size)
{
    float x = (texture->how.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? at * (float)size : at;
    if (texture->how.filterMode == CU_TR_FILTER_MODE_LINEAR)
        x -= 0.5f;
    x = x > -1e9f ? x : -1e9f;
    return x < 1e9f ? x : 1e9f;
}

void texture_sample(unsigned long long handle, float u, float v, float result[4])
{
    struct texture *texture = handle < TEXTURES_MOST ? atomic_load(&textures[handle]) : NULL;
    if (texture == NULL) {
        standin_breach("a kernel sampled a texture object that does not live");
        return;
    }
    float x    = place(texture, u, texture->resource.res.pitch2D.width);
    float y    = place(texture, v, texture->resource.res.pitch2D.height);
    float left = floorf(x), top = floorf(y);
    int64_t i = (int64_t)left, j = (int64_t)top;
    float a = rintf((x - left) * WEIGHT_STEPS) / WEIGHT_STEPS,
          b = rintf((y - top) * WEIGHT_STEPS) / WEIGHT_STEPS;
    for (uint32_t c = 0; c < 4; c++) {
        result[c] = NAN;
        if (c >= texture->resource.res.pitch2D.numChannels)
            continue;
        result[c] = texel_at(texture, i, j, c);
        if (texture->how.filterMode == CU_TR_FILTER_MODE_LINEAR)
            result[c] = (1 - a) * (1 - b) * result[c] + a * (1 - b) * texel_at(texture, i + 1, j, c) +
                        (1 - a) * b * texel_at(texture, i, j + 1, c) +
                        a * b * texel_at(texture, i + 1, j + 1, c);
    }
}

/* ---- objects ------------------------------------------------------------------------------------ */

static uint32_t bytes_of(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/* Those that Trireme makes: rows in plain memory, read as floats. */
static bool is_valid(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how)
{
    unsigned int channels = resource->res.pitch2D.numChannels;
    if (resource->resType != CU_RESOURCE_TYPE_PITCH2D || resource->flags != 0 ||
        (how->flags & ~(unsigned int)CU_TRSF_NORMALIZED_COORDINATES) != 0)
        return false;
    size_t row = resource->res.pitch2D.width * channels * bytes_of(resource->res.pitch2D.format);
    if (row == 0 || resource->res.pitch2D.height == 0 || (channels != 1 && channels != 2 && channels != 4))
        return false;
    size_t pitch = resource->res.pitch2D.pitchInBytes;
    uint64_t all = (resource->res.pitch2D.height - 1) * pitch + row;
    return pitch >= row && pitch % PITCH_ALIGNMENT == 0 &&
           resource->res.pitch2D.devPtr % BASE_ALIGNMENT == 0 &&
           span_find(resource->res.pitch2D.devPtr, all) != NULL;
}

CUresult CUDAAPI cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                                   const CUDA_TEXTURE_DESC *pTexDesc,
                                   const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuTexObjectCreate, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (pTexObject == NULL || pResDesc == NULL || pTexDesc == NULL || pResViewDesc != NULL ||
        !is_valid(pResDesc, pTexDesc))
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct texture *texture = texture_count + 1 < TEXTURES_MOST ? calloc(1, sizeof(*texture)) : NULL;
    if (texture == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    object_begin(&texture->object, OBJECT_TEXTURE, context);
    texture->number        = ++texture_count;
    texture->resource      = *pResDesc;
    texture->how           = *pTexDesc;
    texture->channel_bytes = bytes_of(pResDesc->res.pitch2D.format);
    atomic_store(&textures[texture->number], texture);
    *pTexObject = texture->number;
    return leave(CUDA_SUCCESS);
}

void texture_destroy(struct object *object)
{
    struct texture *texture = (struct texture *)object;

    atomic_store(&textures[texture->number], NULL);
    object_end(object);
    free(texture);
}

CUresult CUDAAPI cuTexObjectDestroy(CUtexObject texObject)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuTexObjectDestroy, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct texture *texture = texObject < TEXTURES_MOST ? atomic_load(&textures[texObject]) : NULL;
    if (texture == NULL) {
        standin_breach("a call was given a texture object that does not live");
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    CUresult sticky = texture->object.context->sticky;
    texture_destroy(&texture->object);
    return leave(sticky);
}
