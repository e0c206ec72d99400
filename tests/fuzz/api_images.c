/* Images, samplers and programs, for the fuzzer of the API.
 * SPDX-License-Identifier: MIT
 */
#include "tests/fuzz/api_images.h"

#include <string.h>

/* ---- images ---------------------------------------------------------------------------------------- */

static int32_t alive(bool is_alive)
{
    return is_alive ? TRM_OK : TRM_ERROR_INVALID_HANDLE;
}

/* Mostly of the formats and sizes that there are. The image begins as zeros. */
static void create(struct api_image *image, struct trm_device *device, struct trm_stream *stream,
                   bool is_alive, struct fuzz_input *input)
{
    static const uint32_t zeros[API_SIDE * API_SIDE];
    struct trm_image_desc desc = {.struct_size = sizeof(desc), .type = TRM_IMAGE_2D};
    struct trm_image *made     = NULL;

    desc.format = fuzz_take_byte(input) % 8 == 7 ? 999 : TRM_FORMAT_RGBA8_UINT;
    desc.width  = fuzz_take_below(input, API_SIDE + 1);
    desc.height = 1 + fuzz_take_below(input, API_SIDE);
    if (image->is_alive)
        return;
    bool is_good = desc.format != 999 && desc.width != 0;
    api_expect("trm_image_create()", trm_image_create(device, &desc, &made),
               is_good ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT);
    if (!is_good)
        return;
    *image = (struct api_image){.handle = made, .width = desc.width, .height = desc.height};
    api_expect("trm_image_upload() of zeros", trm_image_upload(stream, made, NULL, zeros, 0, 0),
               alive(is_alive));
    if (!is_alive) {
        trm_image_destroy(made);
        return;
    }
    image->is_alive = true;
    api_expect("trm_stream_sync()", trm_stream_sync(stream), TRM_OK);
}

static void destroy(struct api_image *image)
{
    trm_image_destroy(image->handle);
    image->is_alive = false;
}

static void describe(const struct api_image *image)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc)};

    api_expect("trm_image_describe()", trm_image_describe(image->handle, &desc), alive(image->is_alive));
    if (image->is_alive && (desc.width != image->width || desc.height != image->height || desc.layers != 1))
        fuzz_fail("an image of %u x %u is said to have %u x %u", image->width, image->height, desc.width,
                  desc.height);
}

/* A part of the image, or mostly; a size of 0 would go to the end. */
static struct trm_image_region take_region(const struct api_image *image, struct fuzz_input *input,
                                           bool *is_inside)
{
    struct trm_image_region region = {.struct_size = sizeof(region)};

    region.x      = fuzz_take_below(input, image->width > 0 ? image->width : 1);
    region.y      = fuzz_take_below(input, image->height > 0 ? image->height : 1);
    region.width  = 1 + fuzz_take_below(input, API_SIDE);
    region.height = 1 + fuzz_take_below(input, API_SIDE);
    if (fuzz_take_byte(input) % 8 != 7) {
        if (region.width > image->width - region.x)
            region.width = image->width - region.x;
        if (region.height > image->height - region.y)
            region.height = image->height - region.y;
    }
    *is_inside = region.x + region.width <= image->width && region.y + region.height <= image->height;
    return region;
}

static int32_t predict(bool is_alive, bool is_inside)
{
    return !is_alive ? TRM_ERROR_INVALID_HANDLE : is_inside ? TRM_OK : TRM_ERROR_OUT_OF_RANGE;
}

static void upload(struct api_image *image, struct trm_stream *stream, bool is_alive,
                   struct fuzz_input *input)
{
    uint32_t texels[API_SIDE * API_SIDE], first = fuzz_take_u32(input);
    bool is_inside;

    if (!image->is_alive)
        image->width = image->height = 1;
    struct trm_image_region region = take_region(image, input, &is_inside);
    for (uint32_t i = 0; i < API_SIDE * API_SIDE; i++)
        texels[i] = first + i * 2654435761u;
    int32_t wanted = predict(is_alive && image->is_alive, is_inside);
    api_expect("trm_image_upload()", trm_image_upload(stream, image->handle, &region, texels, 0, 0), wanted);
    if (wanted != TRM_OK)
        return;
    api_expect("trm_stream_sync()", trm_stream_sync(stream), TRM_OK);
    for (uint32_t y = 0; y < region.height; y++)
        memcpy(&image->texels[(region.y + y) * image->width + region.x], &texels[y * region.width],
               region.width * sizeof(uint32_t));
}

static void download(const struct api_image *image, struct trm_stream *stream, bool is_alive)
{
    uint32_t texels[API_SIDE * API_SIDE];
    bool has_both = is_alive && image->is_alive;

    api_expect("trm_image_download()", trm_image_download(stream, texels, image->handle, NULL, 0, 0),
               alive(has_both));
    if (!has_both)
        return;
    api_expect("trm_stream_sync()", trm_stream_sync(stream), TRM_OK);
    for (uint32_t i = 0; i < image->width * image->height; i++)
        if (texels[i] != image->texels[i])
            fuzz_fail("texel %u of an image of %u x %u is %08x instead of %08x", i, image->width,
                      image->height, texels[i], image->texels[i]);
}

/* Only of the same size, all of it. */
static void copy(struct api_image *to, const struct api_image *from, struct trm_stream *stream, bool is_alive)
{
    if (to == from || to->width != from->width || to->height != from->height)
        return;
    bool has_all = is_alive && to->is_alive && from->is_alive;
    api_expect("trm_image_copy()", trm_image_copy(stream, to->handle, NULL, from->handle, NULL),
               alive(has_all));
    if (!has_all)
        return;
    api_expect("trm_stream_sync()", trm_stream_sync(stream), TRM_OK);
    memcpy(to->texels, from->texels, sizeof(to->texels));
}

/* ---- samplers -------------------------------------------------------------------------------------- */

static void use_sampler(struct api_images *images, struct trm_device *device, struct fuzz_input *input)
{
    struct trm_sampler_desc desc = {.struct_size = sizeof(desc)};
    uint64_t value;

    desc.filter     = (int32_t)fuzz_take_below(input, 3);
    desc.address[0] = (int32_t)fuzz_take_below(input, 5);
    bool is_good    = desc.filter <= TRM_FILTER_LINEAR && desc.address[0] <= TRM_ADDRESS_BORDER;
    if (images->has_sampler) {
        trm_sampler_destroy(images->sampler);
        images->has_sampler = false;
        return;
    }
    trm_sampler_destroy(images->sampler); /* stale, or NULL */
    api_expect("trm_sampler_create()", trm_sampler_create(device, &desc, &images->sampler),
               is_good ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT);
    images->has_sampler = is_good;
    if (is_good)
        api_expect("a sampler as a buffer",
                   trm_buffer_size((struct trm_buffer *)(void *)images->sampler, &value),
                   TRM_ERROR_INVALID_HANDLE);
}

/* ---- one call -------------------------------------------------------------------------------------- */

void api_images_call(struct api_images *images, struct trm_device *device, struct trm_stream *stream,
                     bool is_alive, struct fuzz_input *input)
{
    struct api_image *image = &images->images[fuzz_take_below(input, API_IMAGES)];

    switch (fuzz_take_below(input, 8)) {
    case 0:
        destroy(image);
        break;
    case 1:
        describe(image);
        break;
    case 2:
        upload(image, stream, is_alive, input);
        break;
    case 3:
        download(image, stream, is_alive);
        break;
    case 4:
        copy(image, &images->images[fuzz_take_below(input, API_IMAGES)], stream, is_alive);
        break;
    case 5:
        use_sampler(images, device, input);
        break;
    default:
        create(image, device, stream, is_alive, input);
        break;
    }
}

void api_images_end(struct api_images *images)
{
    for (int i = 0; i < API_IMAGES; i++)
        destroy(&images->images[i]);
    if (images->has_sampler)
        trm_sampler_destroy(images->sampler);
    images->has_sampler = false;
}

/* ---- programs -------------------------------------------------------------------------------------- */

void api_run_program(struct trm_context *context, struct fuzz_input *input)
{
    int code                         = (int)fuzz_take_below(input, 4);
    const char *names[]              = {"/bin/true", "/bin/false", "/nonexistent/program", "true"};
    const char *words[]              = {names[code], NULL};
    int32_t statuses[]               = {TRM_OK, TRM_OK, TRM_ERROR_UNSUPPORTED, TRM_ERROR_INVALID_ARGUMENT};
    struct trm_program_desc desc     = {.struct_size = sizeof(desc), .arguments = words, .what = "nothing"};
    struct trm_program_result result = {.struct_size = sizeof(result)};

    if (code < 2)
        desc.file = "text", desc.bytes = "text", desc.size = 4;
    api_expect("trm_program_run()", trm_program_run(context, &desc, &result), statuses[code]);
    if (code < 2 && (result.exit_status != code || result.signal != 0 || result.folder == NULL))
        fuzz_fail("%s ended with %d by signal %d", words[0], result.exit_status, result.signal);
    trm_program_release(&result);
}
