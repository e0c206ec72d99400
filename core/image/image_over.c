/* Images whose texels are in a buffer of the program's.
 *
 * Such an image is plain memory with a layout of its own, which says how far away the texels are: the
 * difference of two addresses, modulo 2^64. So the kernels are the same, and only a backend whose kernels
 * reach memory through addresses can have such an image.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/image/image_desc.h"
#include "core/image/image_object.h"
#include "core/image/image_plan.h"
#include "core/object/object.h"

/* What the program gives, checked and completed. */
struct place {
    struct core_buffer *buffer;
    uint64_t offset, length; /* of the span */
    uint64_t row_pitch, slice_pitch;
};

/* ---- checks ---------------------------------------------------------------------------------- */

static int32_t check_pitch(const char *name, uint64_t pitch, uint64_t least, uint32_t texel)
{
    if (pitch < least)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a %s pitch of %" PRIu64 " bytes is less than the %" PRIu64 " bytes of a %s", name,
                         pitch, least, name);
    if (pitch % texel != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a %s pitch of %" PRIu64 " bytes is not a multiple of a texel of %" PRIu32 " bytes",
                         name, pitch, texel);
    return TRM_OK;
}

/* The bytes from the first texel to the last. False where 64 bits cannot count them. */
static bool measure(const struct trm_image_desc *desc, const struct place *place, uint64_t row,
                    uint64_t *extent)
{
    uint64_t slices = (uint64_t)desc->depth * desc->layers, rows, all;

    return !__builtin_mul_overflow(slices - 1, place->slice_pitch, &all) &&
           !__builtin_mul_overflow((uint64_t)desc->height - 1, place->row_pitch, &rows) &&
           !__builtin_add_overflow(all, rows, &all) && !__builtin_add_overflow(all, row, extent);
}

static int32_t complete_pitches(const struct trm_image_desc *desc, struct place *place)
{
    uint32_t texel = trm_format_size(desc->format);
    uint64_t row   = (uint64_t)desc->width * texel, slice, extent;

    if (place->row_pitch == 0)
        place->row_pitch = row;
    if (__builtin_mul_overflow(place->row_pitch, (uint64_t)desc->height, &slice))
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%" PRIu32 " rows of %" PRIu64 " bytes are more than 64 bits count", desc->height,
                         place->row_pitch);
    if (place->slice_pitch == 0)
        place->slice_pitch = slice;
    int32_t status = check_pitch("row", place->row_pitch, row, texel);
    if (status == TRM_OK)
        status = check_pitch("slice", place->slice_pitch, slice, texel);
    if (status != TRM_OK)
        return status;
    if (!measure(desc, place, row, &extent))
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "the texels of the image take more bytes than 64 bits count");
    if (extent > place->length)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "the texels of the image take %" PRIu64 " bytes and do not fit into the %" PRIu64
                         " bytes of the span",
                         extent, place->length);
    return TRM_OK;
}

static int32_t check_device(const struct core_device *device)
{
    if (!core_images_are_native(device) && device->backend->memory.address != NULL)
        return TRM_OK;
    return base_fail(TRM_ERROR_UNSUPPORTED,
                     "device %s cannot have an image over a buffer: copy the texels with "
                     "trm_image_from_buffer()",
                     device->id);
}

/* ---- creating -------------------------------------------------------------------------------- */

static int32_t plan(struct core_image *image, const struct place *place, uint64_t layout, uint64_t texels)
{
    const struct trm_image_desc *desc = &image->desc;
    uint32_t texel                    = trm_format_size(desc->format);

    if ((texels + place->offset) % texel != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the texels begin at address %" PRIu64
                         ", which is not a multiple of a texel of %" PRIu32 " bytes",
                         texels + place->offset, texel);
    *image->plan = (struct trm_image_layout){
        .struct_size = sizeof(*image->plan),
        .type        = desc->type,
        .format      = desc->format,
        .layers      = desc->layers,
        .levels      = 1,
        .level       = {{
                  .offset      = texels + place->offset - layout,
                  .row_pitch   = place->row_pitch,
                  .slice_pitch = place->slice_pitch,
                  .width       = desc->width,
                  .height      = desc->height,
                  .depth       = desc->depth,
        }},
    };
    return core_buffer_write(image->buffer, 0, image->plan, sizeof(*image->plan));
}

/* The image owns both buffers from here on, whatever comes. */
static int32_t take_buffers(struct core_image *image, const struct place *place)
{
    struct core_context *context = image->object.context;
    struct trm_buffer_desc desc  = {
         .struct_size = sizeof(desc),
         .kind        = TRM_MEMORY_DEVICE,
         .size        = sizeof(struct trm_image_layout),
         .alignment   = CORE_IMAGE_ALIGNMENT,
    };
    struct core_buffer *buffer;

    image->plan = core_allocate(context, sizeof(*image->plan));
    if (image->plan == NULL)
        return base_fail_memory("creating an image");
    int32_t status = core_buffer_create_checked(image->device, &desc, &buffer);
    if (status != TRM_OK)
        return status;
    core_image_own_buffer(image, buffer);
    status = core_buffer_add_owner(place->buffer);
    if (status != TRM_OK)
        return status;
    core_object_retain(&place->buffer->object);
    image->texels       = place->buffer;
    image->texel_offset = place->offset;
    return TRM_OK;
}

static int32_t make(void *user, struct core_image *image)
{
    const struct place *place = user;
    uint64_t layout = 0, texels = 0;

    int32_t status = take_buffers(image, place);
    if (status == TRM_OK)
        status = core_buffer_find_address(image->buffer, &layout);
    if (status == TRM_OK)
        status = core_buffer_find_address(image->texels, &texels);
    return status == TRM_OK ? plan(image, place, layout, texels) : status;
}

/* `place` has the program's pitches; its buffer is entered. */
static int32_t create(struct core_device *device, const struct trm_image_desc *theirs, struct trm_span span,
                      struct place *place, struct core_image **image)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc)};

    int32_t status = check_device(device);
    if (status == TRM_OK)
        status = core_image_desc_complete(device, theirs, &desc);
    if (status == TRM_OK && desc.levels != 1)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT,
                           "an image over a buffer has one level, and not %" PRIu32, desc.levels);
    if (status == TRM_OK)
        status = core_span_resolve(span, &place->buffer, &place->length);
    if (status == TRM_OK)
        status = core_buffer_check_device(place->buffer, device);
    place->offset = span.offset;
    if (status == TRM_OK)
        status = complete_pitches(&desc, place);
    return status == TRM_OK ? core_image_create_by(device, &desc, make, place, image) : status;
}

int32_t trm_image_create_over(struct trm_device *device, const struct trm_image_desc *desc,
                              struct trm_span span, uint64_t row_pitch, uint64_t slice_pitch,
                              struct trm_image **image)
{
    struct place place      = {.row_pitch = row_pitch, .slice_pitch = slice_pitch};
    struct core_image *made = NULL;

    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(image, "trm_image_create_over", "image");
    if (status == TRM_OK)
        status = core_device_check(found);
    struct core_buffer *buffer = status == TRM_OK ? core_object_enter(span.buffer, CORE_BUFFER) : NULL;
    if (buffer != NULL) {
        status = create(found, desc, span, &place, &made);
        core_object_leave(&buffer->object);
    } else if (status == TRM_OK) {
        status = base_last_status();
    }
    if (status == TRM_OK)
        *image = core_object_publish(&made->object);
    core_object_leave(&found->object);
    return status;
}
