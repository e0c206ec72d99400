/* Mip levels beside double precision: trm_image_build_mips() of images of every type, odd and even sizes, and
 * formats of floats, UNORM and SNORM.
 *
 * How near: a level is compared with the mean of the texels of the level before as the device has stored
 * them. The mean of 27 floats is off by a few ULP, and a stored texel by 0.6 steps of its format, which is
 * what GPUs promise of conversions to UNORM and SNORM: an H200 stores 128.53 / 255 as 128.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#include <stdio.h>

enum {
    TEXELS_MOST = 4096,
    CHANNELS    = 4
};

/* ---- formats --------------------------------------------------------------------------------- */

struct format {
    int32_t format;
    uint32_t channels, bytes; /* of a channel */
    double most;              /* what 1 is stored as; 0: floats */
    double step;              /* between two values that are about 1 */
};

static const struct format formats[] = {
    {TRM_FORMAT_R8_UNORM, 1, 1, 255, 1 / 255.0},  {TRM_FORMAT_RGBA8_UNORM, 4, 1, 255, 1 / 255.0},
    {TRM_FORMAT_RG8_SNORM, 2, 1, 127, 1 / 127.0}, {TRM_FORMAT_R16_UNORM, 1, 2, 65535, 1 / 65535.0},
    {TRM_FORMAT_RGBA16_FLOAT, 4, 2, 0, 0x1p-10},  {TRM_FORMAT_R32_FLOAT, 1, 4, 0, 4 * ULP},
    {TRM_FORMAT_RGBA32_FLOAT, 4, 4, 0, 4 * ULP},
};

static double channel_value(const struct format *format, const unsigned char *texels, size_t index)
{
    const unsigned char *at = texels + index * format->bytes;
    uint16_t wide           = 0;
    float number            = 0;

    if (format->bytes == 4) {
        memcpy(&number, at, sizeof(number));
        return (double)number;
    }
    if (format->bytes == 2)
        memcpy(&wide, at, sizeof(wide));
    if (format->most == 0)
        return half_value(wide);
    if (format->most == 127)
        return *(const signed char *)at / format->most;
    return (format->bytes == 1 ? *at : wide) / format->most;
}

/* Numbers from 0 to 1. */
static void fill(const struct format *format, struct generator *generator, unsigned char *texels,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char *at = texels + i * format->bytes;
        float number      = random_f32(generator, 0, 1);
        uint16_t half     = half_of((double)number);
        if (format->bytes == 4)
            memcpy(at, &number, sizeof(number));
        else if (format->most == 0)
            memcpy(at, &half, sizeof(half));
        else
            for (uint32_t byte = 0; byte < format->bytes; byte++)
                at[byte] = (unsigned char)(random_u32(generator) % (format->most == 127 ? 128 : 256));
    }
}

/* ---- the filter ------------------------------------------------------------------------------ */

struct level {
    uint32_t size[3]; /* layers are the last extent that the type has */
    unsigned char texels[TEXELS_MOST * CHANNELS * 4];
};

static size_t count_of(const struct level *level)
{
    return (size_t)level->size[0] * level->size[1] * level->size[2];
}

/* The part of texel `source` of n that texel `target` of m covers: they are m and n long. */
static double overlap(uint32_t target, uint32_t m, uint32_t source, uint32_t n)
{
    double begin = fmax((double)target * n, (double)source * m);
    double end   = fmin((double)(target + 1) * n, (double)(source + 1) * m);

    return end > begin ? (end - begin) / n : 0;
}

static double expected(const struct format *format, const struct level *from, const struct level *to,
                       const uint32_t at[3], uint32_t channel)
{
    double sum = 0;

    for (uint32_t z = 0; z < from->size[2]; z++)
        for (uint32_t y = 0; y < from->size[1]; y++)
            for (uint32_t x = 0; x < from->size[0]; x++) {
                double weight = overlap(at[0], to->size[0], x, from->size[0]) *
                                overlap(at[1], to->size[1], y, from->size[1]) *
                                overlap(at[2], to->size[2], z, from->size[2]);
                size_t texel = ((size_t)z * from->size[1] + y) * from->size[0] + x;
                if (weight != 0)
                    sum += weight * channel_value(format, from->texels, texel * format->channels + channel);
            }
    return sum;
}

static void compare(const struct format *format, const char *what, const struct level *from,
                    const struct level *to)
{
    for (size_t i = 0; i < count_of(to); i++) {
        const uint32_t at[3] = {(uint32_t)(i % to->size[0]), (uint32_t)(i / to->size[0] % to->size[1]),
                                (uint32_t)(i / to->size[0] / to->size[1])};
        for (uint32_t channel = 0; channel < format->channels; channel++) {
            size_t index = i * format->channels + channel;
            expect_near(what, index, channel_value(format, to->texels, index),
                        expected(format, from, to, at, channel), 0.6 * format->step + 8 * ULP);
        }
    }
}

/* ---- images ---------------------------------------------------------------------------------- */

static const struct trm_image_desc shapes[] = {
    {.type = TRM_IMAGE_1D, .width = 64},
    {.type = TRM_IMAGE_1D, .width = 101},
    {.type = TRM_IMAGE_2D, .width = 32, .height = 32},
    {.type = TRM_IMAGE_2D, .width = 61, .height = 19},
    {.type = TRM_IMAGE_2D, .width = 1, .height = 7},
    {.type = TRM_IMAGE_2D, .width = 3, .height = 5},
    {.type = TRM_IMAGE_3D, .width = 13, .height = 8, .depth = 11},
    {.type = TRM_IMAGE_1D_ARRAY, .width = 23, .layers = 5},
    {.type = TRM_IMAGE_2D_ARRAY, .width = 15, .height = 12, .layers = 3},
};

static uint32_t halved(uint32_t size, uint32_t level)
{
    uint32_t least = size != 0 ? size : 1;

    return least >> level != 0 ? least >> level : 1;
}

static void set_sizes(const struct trm_image_desc *shape, uint32_t number, struct level *level)
{
    level->size[0] = halved(shape->width, number);
    level->size[1] = halved(shape->height, number);
    level->size[2] = halved(shape->depth, number);
    if (shape->type == TRM_IMAGE_1D_ARRAY)
        level->size[1] = shape->layers;
    if (shape->type == TRM_IMAGE_2D_ARRAY)
        level->size[2] = shape->layers;
}

static uint32_t levels_of(const struct trm_image_desc *shape)
{
    uint32_t levels = 1;

    while (halved(shape->width, levels - 1) > 1 || halved(shape->height, levels - 1) > 1 ||
           halved(shape->depth, levels - 1) > 1)
        levels++;
    return levels;
}

/* NULL where the device does not have the format. */
static struct trm_image *create(const struct trm_image_desc *shape, const struct format *format)
{
    struct trm_image_desc desc = *shape;
    struct trm_image *image    = NULL;

    desc.struct_size = sizeof(desc);
    desc.format      = format->format;
    desc.levels      = levels_of(shape);
    desc.usage       = (uint32_t)TRM_IMAGE_STORAGE | (uint32_t)TRM_IMAGE_SAMPLED;
    int32_t status   = trm_image_create(fixture_device(), &desc, &image);
    if (status != TRM_ERROR_UNSUPPORTED)
        must(status);
    return image;
}

static void check(const struct trm_image_desc *shape, const struct format *format)
{
    static struct level levels[2];
    struct trm_stream *stream  = fixture_stream();
    struct generator generator = {shape->width * 31 + (uint64_t)format->format};
    struct trm_image *image    = create(shape, format);
    char what[120];

    if (image == NULL)
        return;
    set_sizes(shape, 0, &levels[0]);
    fill(format, &generator, levels[0].texels, count_of(&levels[0]) * format->channels);
    must(trm_image_upload(stream, image, NULL, levels[0].texels, 0, 0));
    must(trm_image_build_mips(stream, image));
    for (uint32_t number = 1; number < levels_of(shape); number++) {
        struct trm_image_region region = {.struct_size = sizeof(region), .level = number};
        struct level *to = &levels[number % 2], *from = &levels[(number + 1) % 2];
        set_sizes(shape, number, to);
        must(trm_image_download(stream, to->texels, image, &region, 0, 0));
        must(trm_stream_sync(stream));
        snprintf(what, sizeof(what), "level %u of %s, %u x %u x %u in %u", number,
                 trm_format_name(format->format), shape->width, shape->height, shape->depth, shape->layers);
        compare(format, what, from, to);
    }
    trm_image_destroy(image);
}

START_TEST(a_texel_is_the_mean_of_what_it_covers)
{
    for (size_t shape = 0; shape < COUNT(shapes); shape++)
        for (size_t format = 0; format < COUNT(formats); format++)
            check(&shapes[shape], &formats[format]);
}
END_TEST

START_TEST(an_infinite_texel_stays_where_it_is)
{
    const float infinite       = INFINITY;
    float texels[16 + 4]       = {0};
    struct trm_stream *stream  = fixture_stream();
    struct trm_image_desc desc = {
        .struct_size = sizeof(desc), .type = TRM_IMAGE_2D, .format = TRM_FORMAT_R32_FLOAT, .levels = 2};
    struct trm_image_region second = {.struct_size = sizeof(second), .level = 1};
    struct trm_image *image        = NULL;

    desc.width = desc.height = 4;
    texels[0]                = infinite;
    must(trm_image_create(fixture_device(), &desc, &image));
    must(trm_image_upload(stream, image, NULL, texels, 0, 0));
    must(trm_image_build_mips(stream, image));
    must(trm_image_download(stream, texels + 16, image, &second, 0, 0));
    must(trm_stream_sync(stream));
    ck_assert(texels[16] == infinite);
    ck_assert(texels[17] == 0 && texels[18] == 0 && texels[19] == 0);
    trm_image_destroy(image);
}
END_TEST

/* A recorded build runs again for other texels; the image's kernel goes with it. */
START_TEST(a_graph_builds_levels_again)
{
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    struct trm_stream *stream = fixture_stream(), *recording = NULL;
    struct trm_image_desc desc = {
        .struct_size = sizeof(desc), .type = TRM_IMAGE_1D, .format = TRM_FORMAT_R32_FLOAT, .levels = 3};
    struct trm_image_region last = {.struct_size = sizeof(last), .level = 2};
    struct trm_image *image      = NULL;
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;

    must(trm_device_get_usage(fixture_device(), &before));
    desc.width = 4;
    must(trm_image_create(fixture_device(), &desc, &image));
    must(trm_graph_create(fixture_device(), &graph));
    must(trm_graph_record(graph, &recording));
    must(trm_image_build_mips(recording, image));
    must(trm_graph_instantiate(graph, &exec));
    for (int i = 0; i < 3; i++) {
        const float texels[4] = {(float)i, 2, 3, 4};
        float mean            = 0;
        must(trm_image_upload(stream, image, NULL, texels, 0, 0));
        must(trm_graph_launch(exec, stream));
        must(trm_image_download(stream, &mean, image, &last, 0, 0));
        must(trm_stream_sync(stream));
        expect_near("the last level", (size_t)i, (double)mean, (i + 9) / 4.0, ULP);
    }
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_image_destroy(image);
    must(trm_device_get_usage(fixture_device(), &after));
    ck_assert_uint_eq(after.kernels, before.kernels);
    ck_assert_uint_eq(after.modules, before.modules);
    ck_assert_uint_eq(after.images, before.images);
}
END_TEST

static void refused(int32_t format, uint32_t usage, uint32_t levels, int32_t status, const char *words)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc), .type = TRM_IMAGE_2D, .format = format};
    struct trm_image *image    = NULL;

    desc.width = desc.height = 4;
    desc.usage               = usage;
    desc.levels              = levels;
    must(trm_image_create(fixture_device(), &desc, &image));
    ck_assert_int_eq(trm_image_build_mips(fixture_stream(), image), status);
    if (words != NULL)
        ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "%s", trm_last_error().sentence);
    trm_image_destroy(image);
}

START_TEST(an_image_that_cannot_have_levels_built_is_refused)
{
    const uint32_t storage = TRM_IMAGE_STORAGE, sampled = TRM_IMAGE_SAMPLED;

    refused(TRM_FORMAT_R32_UINT, 0, 3, TRM_ERROR_INVALID_ARGUMENT, "r32ui are integers");
    refused(TRM_FORMAT_R32_FLOAT, storage, 3, TRM_ERROR_INVALID_ARGUMENT, "lacks TRM_IMAGE_SAMPLED");
    refused(TRM_FORMAT_R32_FLOAT, sampled, 3, TRM_ERROR_INVALID_ARGUMENT, "lacks TRM_IMAGE_STORAGE");
    refused(TRM_FORMAT_R32_FLOAT, storage | sampled, 1, TRM_OK, NULL);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("mip levels");
    tcase_add_test(group, a_texel_is_the_mean_of_what_it_covers);
    tcase_add_test(group, an_infinite_texel_stays_where_it_is);
    tcase_add_test(group, a_graph_builds_levels_again);
    tcase_add_test(group, an_image_that_cannot_have_levels_built_is_refused);
    return suite_run(group);
}
