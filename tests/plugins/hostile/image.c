/* The hostile backend: images. They are plain memory, one level and one layer of it.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "backends/template/template.h"
#include "hostile.h"

struct trm_backend_image {
    uint32_t width;
    uint32_t texel;
    unsigned char *texels;
};

struct trm_backend_sampler {
    struct trm_sampler_desc desc;
};

static uint32_t texel_size(int32_t format)
{
    return format == TRM_FORMAT_R8_UNORM ? 1 : 4;
}

static int32_t supports(struct trm_backend_device *device, int32_t type, int32_t format, uint32_t usage)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_IMAGE_SUPPORTS);
    (void)device;
    (void)usage;
    if (answer.status != TRM_OK)
        return answer.status;
    bool is_known = format == TRM_FORMAT_R8_UNORM || format == TRM_FORMAT_RGBA8_UNORM;
    bool is_type  = type == TRM_IMAGE_2D || type == TRM_IMAGE_CUBE;
    return is_type && is_known ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

static int32_t create(struct trm_backend_device *device, const struct trm_image_desc *desc,
                      struct trm_backend_image **image)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_IMAGE_CREATE);
    (void)device;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    struct trm_backend_image *made = calloc(1, sizeof(*made));
    made->width                    = desc->width;
    made->texel                    = texel_size(desc->format);
    made->texels                   = calloc((size_t)desc->width * desc->height * desc->layers, made->texel);
    *image                         = made;
    hostile_control.image_objects++;
    return TRM_OK;
}

static void destroy(struct trm_backend_image *image)
{
    hostile_control.image_objects--;
    free(image->texels);
    free(image);
}

static unsigned char *texel_at(const struct trm_image_part *part, uint32_t row)
{
    const struct trm_backend_image *image = part->image;
    return image->texels + ((size_t)(part->y + row) * image->width + part->x) * image->texel;
}

static int32_t copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_image_copy_desc *desc)
{
    struct hostile_answer answer  = hostile_begin(HOSTILE_IMAGE_COPY);
    const struct trm_place *place = &desc->place;
    if (answer.status != TRM_OK)
        return answer.status;
    for (uint32_t row = 0; row < desc->height; row++) {
        unsigned char *begin = place->memory != NULL ? place->memory->bytes + place->offset : place->host;
        unsigned char *plain = begin + row * desc->row_pitch, *texels = texel_at(&desc->part, row);
        size_t size = (size_t)desc->width * desc->part.image->texel;
        memcpy(desc->to_image ? texels : plain, desc->to_image ? plain : texels, size);
    }
    return hostile_nothing(stream, value);
}

static int32_t transfer(struct trm_backend_stream *stream, uint64_t value,
                        const struct trm_image_transfer_desc *desc)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_IMAGE_TRANSFER);
    if (answer.status != TRM_OK)
        return answer.status;
    for (uint32_t row = 0; row < desc->height; row++)
        memmove(texel_at(&desc->destination, row), texel_at(&desc->source, row),
                (size_t)desc->width * desc->source.image->texel);
    return hostile_nothing(stream, value);
}

static int32_t sampler_create(struct trm_backend_device *device, const struct trm_sampler_desc *desc,
                              struct trm_backend_sampler **sampler)
{
    struct hostile_answer answer = hostile_begin(HOSTILE_SAMPLER_CREATE);
    (void)device;
    if (answer.status != TRM_OK || answer.writes_nothing)
        return answer.status;
    *sampler         = calloc(1, sizeof(**sampler));
    (*sampler)->desc = *desc;
    hostile_control.image_objects++;
    return TRM_OK;
}

static void sampler_destroy(struct trm_backend_sampler *sampler)
{
    hostile_control.image_objects--;
    free(sampler);
}

const struct trm_image_ops hostile_image_ops = {
    .struct_size     = sizeof(hostile_image_ops),
    .supports        = supports,
    .create          = create,
    .destroy         = destroy,
    .copy            = copy,
    .transfer        = transfer,
    .sampler_create  = sampler_create,
    .sampler_destroy = sampler_destroy,
};
