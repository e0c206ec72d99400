/* Portable kernels that sample, read and write images, compared with what the formulas say.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "groups.h"
#include "images.h"

/* ---- sampling -------------------------------------------------------------------------------- */

enum {
    WIDTH  = 8,
    HEIGHT = 4,
    POINTS = 61
};

/* Level 0, then level 1. */
struct picture {
    struct trm_image *image;
    uint8_t texels[2][WIDTH * HEIGHT][4];
};

static bool picture_make(struct picture *picture)
{
    struct trm_image_desc desc     = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, WIDTH, HEIGHT, 0);
    struct trm_image_region second = {.struct_size = sizeof(second), .level = 1};
    uint32_t state                 = 3;
    desc.levels                    = 2;
    desc.usage                     = TRM_IMAGE_SAMPLED;
    picture->image                 = image_make(&desc);
    if (picture->image == NULL)
        return false;
    for (size_t i = 0; i < sizeof(picture->texels); i++)
        ((uint8_t *)picture->texels)[i] = (uint8_t)next_random(&state);
    ck_ok(trm_image_upload(the.stream, picture->image, NULL, picture->texels[0], 0, 0));
    ck_ok(trm_image_upload(the.stream, picture->image, &second, picture->texels[1], 0, 0));
    return true;
}

/* The texel that a coordinate means; -1: the border. */
static int addressed(int at, int size, int32_t mode)
{
    int twice = 2 * size, in_two = (at % twice + twice) % twice;
    switch (mode) {
    case TRM_ADDRESS_REPEAT:
        return (at % size + size) % size;
    case TRM_ADDRESS_MIRROR:
        return in_two < size ? in_two : twice - 1 - in_two;
    case TRM_ADDRESS_BORDER:
        return at >= 0 && at < size ? at : -1;
    default:
        return at < 0 ? 0 : at >= size ? size - 1 : at;
    }
}

static float border_of(const struct trm_sampler_desc *how, int channel)
{
    return how->border == TRM_BORDER_WHITE || (how->border == TRM_BORDER_BLACK && channel == 3) ? 1 : 0;
}

static float texel_of(const struct picture *picture, const struct trm_sampler_desc *how, int level, int x,
                      int y, int channel)
{
    int width = WIDTH >> level, height = HEIGHT >> level;
    x = addressed(x, width, how->address[0]);
    y = addressed(y, height, how->address[1]);
    if (x < 0 || y < 0)
        return border_of(how, channel);
    return (float)picture->texels[level][y * width + x][channel] / 255.0f;
}

static float sample(const struct picture *picture, const struct trm_sampler_desc *how, int level, float x,
                    float y, int channel)
{
    x *= how->unnormalized ? 1 : (float)(WIDTH >> level);
    y *= how->unnormalized ? 1 : (float)(HEIGHT >> level);
    if (how->filter == TRM_FILTER_NEAREST)
        return texel_of(picture, how, level, (int)floorf(x), (int)floorf(y), channel);
    float left = floorf(x - 0.5f), top = floorf(y - 0.5f), a = x - 0.5f - left, b = y - 0.5f - top;
    int i = (int)left, k = (int)top;
    return (1 - b) * ((1 - a) * texel_of(picture, how, level, i, k, channel) +
                      a * texel_of(picture, how, level, i + 1, k, channel)) +
           b * ((1 - a) * texel_of(picture, how, level, i, k + 1, channel) +
                a * texel_of(picture, how, level, i + 1, k + 1, channel));
}

/* Points from outside through the image to outside, none of which is on the edge of a texel. */
static void check_sampler(struct trm_kernel *kernel, const struct picture *picture,
                          const struct trm_sampler_desc *how, struct trm_buffer *buffer, int level)
{
    float scale    = how->unnormalized ? WIDTH : 1;
    float first[2] = {-1.2031f * scale, -0.8013f * scale}, step[2] = {0.0557f * scale, 0.0411f * scale};
    static float found[POINTS][4];
    struct trm_sampler *sampler = NULL;
    ck_ok(trm_sampler_create(the.device, how, &sampler));
    struct trm_argument arguments[] = {trm_arg_sampled(picture->image, sampler),
                                       trm_arg_texture(picture->image),
                                       trm_arg_sampler(sampler),
                                       trm_arg_buffer(buffer),
                                       trm_arg_block(first, 8),
                                       trm_arg_block(step, 8),
                                       trm_arg_f32((float)level),
                                       trm_arg_u32(POINTS)};
    ck_ok(shader_launch(kernel, POINTS, arguments, 8));
    trm_sampler_destroy(sampler);
    get(the.stream, buffer, 0, found, sizeof(found));
    for (int i = 0; i < POINTS; i++)
        for (int channel = 0; channel < 4; channel++) {
            float expected = sample(picture, how, level, first[0] + (float)i * step[0],
                                    first[1] + (float)i * step[1], channel);
            ck_assert_msg(fabsf(found[i][channel] - expected) < 0.01f,
                          "filter %d, address %d and %d, border %d, level %d: channel %d at point %d is %f, "
                          "not %f",
                          (int)how->filter, (int)how->address[0], (int)how->address[1], (int)how->border,
                          level, channel, i, (double)found[i][channel], (double)expected);
        }
}

static void check_all_samplers(bool is_apart)
{
    struct trm_constant apart = trm_constant_u32("is_apart", is_apart);
    struct trm_kernel *kernel = image_shader("sampled", &apart, 1);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, POINTS * 16);
    struct picture picture;
    if (kernel == NULL || !picture_make(&picture))
        return;
    for (int n = 0; n < 2 * 4 * 4 * 3; n++) {
        struct trm_sampler_desc how = {.struct_size = sizeof(how)};
        how.filter                  = n & 1;
        how.address[0]              = n >> 1 & 3;
        how.address[1]              = n >> 3 & 3;
        how.border                  = n >> 5;
        check_sampler(kernel, &picture, &how, buffer, n % 5 == 0);
    }
    trm_image_destroy(picture.image);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}

START_TEST(a_sampler_filters_and_addresses_as_it_says)
{
    if (shaders_missing())
        return;
    check_all_samplers(false);
}
END_TEST

START_TEST(a_sampler_that_is_bound_apart_does_the_same)
{
    if (shaders_missing())
        return;
    check_all_samplers(true);
}
END_TEST

/* ---- writing --------------------------------------------------------------------------------- */

START_TEST(a_kernel_writes_one_level_of_an_image_and_nothing_outside)
{
    enum {
        W      = 9,
        H      = 6,
        LAYERS = 3
    };
    struct trm_kernel *kernel;
    if (shaders_missing() || (kernel = image_shader("written", NULL, 0)) == NULL)
        return;
    static uint32_t texels[2 * W * 2 * H * LAYERS], found[2 * W * 2 * H * LAYERS];
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_R32_UINT, 2 * W, 2 * H, 0);
    struct trm_buffer *buffer  = make_buffer(the.device, TRM_MEMORY_DEVICE, 16);
    struct trm_grid grid;
    int32_t size[4];
    desc.layers             = LAYERS;
    desc.levels             = 3;
    struct trm_image *image = image_make(&desc);
    if (image == NULL)
        return;
    for (size_t i = 0; i < sizeof(texels) / 4; i++)
        texels[i] = 1000000 * (uint32_t)(1 + i % 7);
    for (uint32_t level = 0; level < 3; level++) {
        struct trm_image_region region = {.struct_size = sizeof(region), .level = level};
        ck_ok(trm_image_upload(the.stream, image, &region, texels, 0, 0));
    }
    struct trm_argument arguments[] = {trm_arg_image(image, 1), trm_arg_buffer(buffer)};
    ck_ok(trm_kernel_grid(kernel, 20, 20, 5, &grid));
    ck_ok(trm_launch(the.stream, kernel, &grid, arguments, 2));
    get(the.stream, buffer, 0, size, sizeof(size));
    ck_assert_int_eq(size[0], W);
    ck_assert_int_eq(size[1], H);
    ck_assert_int_eq(size[2], LAYERS);
    for (uint32_t level = 0; level < 3; level++) {
        struct trm_image_region region = {.struct_size = sizeof(region), .level = level};
        uint32_t w = 2 * W >> level, h = 2 * H >> level;
        ck_ok(trm_image_download(the.stream, found, image, &region, 0, 0));
        ck_ok(trm_stream_sync(the.stream));
        for (uint32_t i = 0; i < w * h * LAYERS; i++) {
            uint32_t added = level == 1 ? i % w + 100 * (i / w % h) + 10000 * (i / (w * h)) : 0;
            ck_assert_msg(found[i] == texels[i] + added, "texel %u of level %u is %u, not %u", i, level,
                          found[i], texels[i] + added);
        }
    }
    trm_image_destroy(image);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}
END_TEST

static void refuse(struct trm_kernel *kernel, struct trm_argument image, struct trm_buffer *buffer,
                   int32_t status, const char *said)
{
    struct trm_argument arguments[] = {image, trm_arg_buffer(buffer)};
    ck_status(shader_launch(kernel, 1, arguments, 2), status);
    ck_sentence_has("argument 0");
    ck_sentence_has(said);
}

START_TEST(an_image_that_a_shader_does_not_declare_is_refused)
{
    struct trm_kernel *kernel;
    if (shaders_missing() || (kernel = image_shader("written", NULL, 0)) == NULL)
        return;
    struct trm_buffer *buffer  = make_buffer(the.device, TRM_MEMORY_DEVICE, 16);
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_R32_UINT, 4, 4, 0);
    struct trm_image *right    = image_make(&desc);
    desc.type                  = TRM_IMAGE_2D;
    struct trm_image *flat     = image_make(&desc);
    desc                       = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_RGBA8_UNORM, 4, 4, 0);
    struct trm_image *color    = image_make(&desc);
    if (right == NULL || flat == NULL || color == NULL)
        return;
    refuse(kernel, trm_arg_image(flat, 0), buffer, TRM_ERROR_TYPE_MISMATCH, "takes a 2D array image");
    refuse(kernel, trm_arg_image(color, 0), buffer, TRM_ERROR_TYPE_MISMATCH, "takes texels of r32ui");
    refuse(kernel, trm_arg_image(right, 1), buffer, TRM_ERROR_OUT_OF_RANGE, "level 1 of an image of 1");
    refuse(kernel, trm_arg_texture(right), buffer, TRM_ERROR_TYPE_MISMATCH, "is a storage image of r32ui");
    refuse(kernel, trm_arg_buffer(buffer), buffer, TRM_ERROR_TYPE_MISMATCH, "but a buffer was given");
    trm_image_destroy(right);
    refuse(kernel, trm_arg_image(right, 0), buffer, TRM_ERROR_INVALID_HANDLE, "has been destroyed");
    trm_image_destroy(flat);
    trm_image_destroy(color);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}
END_TEST

/* ---- texel buffers --------------------------------------------------------------------------- */

static void check_texels(struct trm_kernel *kernel, int32_t format, const void *texels, uint32_t count,
                         const float *expected)
{
    uint32_t size             = count * trm_format_size(format);
    struct trm_buffer *source = make_buffer(the.device, TRM_MEMORY_DEVICE, 256 + size);
    struct trm_buffer *target = make_buffer(the.device, TRM_MEMORY_DEVICE, 4096);
    float found[64];
    put(the.stream, source, 256, texels, size);
    ck_ok(trm_fill(the.stream, trm_span_whole(target), 0, 1));
    struct trm_argument arguments[] = {
        trm_arg_texels(trm_span_of(source, 256, size), format),
        trm_arg_texels(trm_span_of(target, 0, count * 4), TRM_FORMAT_R32_FLOAT)};
    ck_ok(shader_launch(kernel, 64, arguments, 2));
    get(the.stream, target, 0, found, sizeof(found));
    for (uint32_t i = 0; i < 64; i++) {
        float wanted = i < count ? 2 * expected[i] : 0;
        ck_assert_msg(fabsf(found[i] - wanted) < 1e-5f, "texel %u of %s is %f, not %f", i,
                      trm_format_name(format), (double)found[i], (double)wanted);
    }
    trm_buffer_destroy(source);
    trm_buffer_destroy(target);
}

START_TEST(texels_of_a_buffer_are_converted_from_their_format)
{
    struct trm_kernel *kernel;
    if (shaders_missing() || (kernel = image_shader("texels", NULL, 0)) == NULL)
        return;
    static const float floats[]       = {0, 1, -2.5f, 1000};
    static const uint8_t unorm[]      = {0, 255, 51, 1, 2, 3, 4, 254};
    static const float unorm_values[] = {0,          1,          0.2f,       1 / 255.0f,
                                         2 / 255.0f, 3 / 255.0f, 4 / 255.0f, 254 / 255.0f};
    static const uint16_t half[]      = {0x0000, 0x3c00, 0xc000, 0x3800};
    static const float half_values[]  = {0, 1, -2, 0.5f};
    check_texels(kernel, TRM_FORMAT_R32_FLOAT, floats, 4, floats);
    check_texels(kernel, TRM_FORMAT_R8_UNORM, unorm, 8, unorm_values);
    check_texels(kernel, TRM_FORMAT_R16_FLOAT, half, 4, half_values);
    trm_kernel_destroy(kernel);
}
END_TEST

/* ---- graphs ---------------------------------------------------------------------------------- */

START_TEST(a_graph_replays_a_kernel_that_writes_an_image)
{
    struct trm_kernel *kernel;
    if (shaders_missing() || (kernel = image_shader("written", NULL, 0)) == NULL)
        return;
    struct trm_image_desc desc   = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_R32_UINT, 4, 4, 0);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 16);
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;
    struct trm_grid grid;
    uint32_t texels[16]     = {0};
    struct trm_image *image = image_make(&desc);
    if (image == NULL)
        return;
    struct trm_argument arguments[] = {trm_arg_image(image, 0), trm_arg_buffer(buffer)};
    ck_ok(trm_image_upload(the.stream, image, NULL, texels, 0, 0));
    ck_ok(trm_kernel_grid(kernel, 4, 4, 1, &grid));
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(trm_launch(recording, kernel, &grid, arguments, 2));
    ck_ok(trm_graph_instantiate(graph, &exec));
    for (int i = 0; i < 3; i++)
        ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_image_download(the.stream, texels, image, NULL, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < 16; i++)
        ck_assert_uint_eq(texels[i], 3 * (i % 4 + 100 * (i / 4)));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_image_destroy(image);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}
END_TEST

void add_image_kernel(Suite *suite)
{
    TCase *group = group_make(suite, "kernels of images");
    CASE(group, a_sampler_filters_and_addresses_as_it_says);
    CASE(group, a_sampler_that_is_bound_apart_does_the_same);
    CASE(group, a_kernel_writes_one_level_of_an_image_and_nothing_outside);
    CASE(group, an_image_that_a_shader_does_not_declare_is_refused);
    CASE(group, texels_of_a_buffer_are_converted_from_their_format);
    CASE(group, a_graph_replays_a_kernel_that_writes_an_image);
}
