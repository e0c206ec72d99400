/* Sampled images and their texture objects: when there is one, how long it lives, and that the texels are the
 * same without.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/cuda/fixture.h"

/* A row of rgba8 texels is a multiple of the 32 bytes that CUDA's rows of textures are aligned to. */
#define SIDE 32u
#define CODE_MOST 65536u
/* 1/256 of a weight along each axis, and the rounding to 8 bits. */
#define TOLERANCE (2.0 / 256 + 1.0 / 255)

struct picture {
    struct trm_image *image, *result;
    uint32_t width, height;
};

/* ---- the kernel: an image, turned and scaled, by a sampler (tests/bench/wild/shaders/warp.comp) ---- */

static struct trm_kernel *open_warp(void)
{
    static unsigned char code[CODE_MOST];
    struct trm_kernel *kernel = NULL;
    struct trm_module *module = NULL;
    const char *folder        = getenv("top_srcdir");
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/bench/wild/shaders/warp.spv", folder != NULL ? folder : ".");
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    const struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                         .format      = TRM_MODULE_SPIRV,
                                         .data        = code,
                                         .size        = fread(code, 1, sizeof(code), file)};
    fclose(file);
    ck_ok(trm_module_load(the.device, &desc, &module));
    ck_ok(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

static const float turn_c = 0.7f, turn_s = 0.45f;

static void launch(struct trm_kernel *kernel, const struct picture *picture, struct trm_sampler *sampler)
{
    const struct trm_grid grid = {.groups = {(picture->width + 15) / 16, (picture->height + 15) / 16, 1}};
    const struct trm_argument arguments[] = {trm_arg_sampled(picture->image, sampler),
                                             trm_arg_image(picture->result, 0),
                                             trm_arg_i32((int32_t)picture->width),
                                             trm_arg_i32((int32_t)picture->height),
                                             trm_arg_f32(turn_c),
                                             trm_arg_f32(turn_s)};
    ck_ok(trm_launch(the.stream, kernel, &grid, arguments, 6));
}

/* ---- pictures ---- */

static uint8_t byte_at(uint32_t x, uint32_t y, uint32_t channel)
{
    return (uint8_t)((x * 37 + y * 91 + channel * 53) ^ (x * y * 7));
}

static struct trm_image *make_image(uint32_t width, uint32_t height, uint32_t levels)
{
    const struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                        .type        = TRM_IMAGE_2D,
                                        .format      = TRM_FORMAT_RGBA8_UNORM,
                                        .width       = width,
                                        .height      = height,
                                        .levels      = levels};
    struct trm_image *image          = NULL;
    ck_ok(trm_image_create(the.device, &desc, &image));
    return image;
}

static struct picture make_picture(uint32_t width, uint32_t height, uint32_t levels)
{
    static uint8_t texels[SIDE * SIDE * 4];
    struct picture picture = {make_image(width, height, levels), make_image(width, height, 1), width, height};
    for (uint32_t i = 0; i < width * height * 4; i++)
        texels[i] = byte_at(i / 4 % width, i / 4 / width, i % 4);
    ck_ok(trm_image_upload(the.stream, picture.image, NULL, texels, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    return picture;
}

static void end_picture(struct picture *picture)
{
    trm_image_destroy(picture->image);
    trm_image_destroy(picture->result);
}

static struct trm_sampler *make_sampler(int32_t filter, int32_t address)
{
    const struct trm_sampler_desc desc = {
        .struct_size = sizeof(desc), .filter = filter, .address = {address, address, address}};
    struct trm_sampler *sampler = NULL;
    ck_ok(trm_sampler_create(the.device, &desc, &sampler));
    return sampler;
}

static double clamped(const struct picture *picture, double x, double y, uint32_t channel)
{
    x = fmin(fmax(x, 0), picture->width - 1.0);
    y = fmin(fmax(y, 0), picture->height - 1.0);
    return byte_at((uint32_t)x, (uint32_t)y, channel) / 255.0;
}

static double filtered(const struct picture *picture, double x, double y, uint32_t channel)
{
    double i = floor(x - 0.5), j = floor(y - 0.5), a = x - 0.5 - i, b = y - 0.5 - j;
    return (1 - b) * ((1 - a) * clamped(picture, i, j, channel) + a * clamped(picture, i + 1, j, channel)) +
           b * ((1 - a) * clamped(picture, i, j + 1, channel) + a * clamped(picture, i + 1, j + 1, channel));
}

/* What a linear filter that clamps has left in the result. */
static void check_result(const struct picture *picture)
{
    static uint8_t texels[SIDE * SIDE * 4];
    ck_ok(trm_image_download(the.stream, texels, picture->result, NULL, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < picture->width * picture->height * 4; i++) {
        double x      = i / 4 % picture->width + 0.5 - picture->width * 0.5;
        double y      = i / 4 / picture->width + 0.5 - picture->height * 0.5;
        double u      = turn_c * x - turn_s * y + picture->width * 0.5,
               v      = turn_s * x + turn_c * y + picture->height * 0.5;
        double wanted = filtered(picture, u, v, i % 4);
        ck_assert_msg(fabs(texels[i] / 255.0 - wanted) <= TOLERANCE, "byte %u is %u instead of %.2f", i,
                      texels[i], wanted * 255);
    }
}

/* ---- a texture object ---- */

static uint64_t made(void)
{
    return standin->calls("cuTexObjectCreate");
}

static uint64_t living_textures(void)
{
    struct cuda_standin_account account;
    standin->account(&account);
    return account.textures;
}

START_TEST(an_image_and_a_sampler_have_one_texture_object_for_all_launches)
{
    world_open();
    struct picture picture      = make_picture(SIDE, SIDE, 1);
    struct trm_sampler *sampler = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_sampler *twin    = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_sampler *other   = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_REPEAT);
    struct trm_kernel *kernel   = open_warp();
    launch(kernel, &picture, sampler);
    launch(kernel, &picture, sampler);
    launch(kernel, &picture, twin);
    check_result(&picture);
    ck_assert_uint_eq(made(), 1);
    ck_assert_str_eq(standin->launched(), "main_kernel_textures");
    launch(kernel, &picture, other);
    launch(kernel, &picture, sampler);
    check_result(&picture);
    ck_assert_uint_eq(made(), 2);
    ck_assert_uint_eq(living_textures(), 2);
    trm_kernel_destroy(kernel);
    trm_sampler_destroy(other);
    trm_sampler_destroy(twin);
    trm_sampler_destroy(sampler);
    end_picture(&picture);
    world_close();
    ck_assert_uint_eq(living_textures(), 0);
}
END_TEST

/* Bytes from row to row of an image over a buffer: a gap of 32 behind each. */
#define GAPPED (SIDE * 4 + 32u)

static struct trm_image *make_image_over(struct trm_buffer *buffer)
{
    const struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                        .type        = TRM_IMAGE_2D,
                                        .format      = TRM_FORMAT_RGBA8_UNORM,
                                        .width       = SIDE,
                                        .height      = SIDE};
    struct trm_image *image          = NULL;
    ck_ok(trm_image_create_over(the.device, &desc, trm_span_whole(buffer), GAPPED, 0, &image));
    return image;
}

START_TEST(an_image_over_a_buffer_has_a_texture_object_too)
{
    static uint8_t texels[SIDE * GAPPED];
    struct trm_buffer *buffer = NULL;
    world_open();
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, sizeof(texels), &buffer));
    for (uint32_t i = 0; i < sizeof(texels); i++)
        texels[i] = i % GAPPED < SIDE * 4 ? byte_at(i % GAPPED / 4, i / GAPPED, i % 4) : 255;
    ck_ok(trm_upload(the.stream, trm_span_whole(buffer), texels));
    struct picture picture      = {make_image_over(buffer), make_image(SIDE, SIDE, 1), SIDE, SIDE};
    struct trm_sampler *sampler = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_kernel *kernel   = open_warp();
    launch(kernel, &picture, sampler);
    check_result(&picture);
    ck_assert_uint_eq(made(), 1);
    struct picture itself = {picture.image, make_image_over(buffer), SIDE, SIDE};
    launch(kernel, &itself, sampler);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(made(), 1); /* the launch writes what it samples: no texture object is asked for */
    trm_image_destroy(itself.result);
    trm_kernel_destroy(kernel);
    trm_sampler_destroy(sampler);
    end_picture(&picture);
    trm_buffer_destroy(buffer);
    world_close();
    ck_assert_uint_eq(living_textures(), 0);
}
END_TEST

START_TEST(texels_that_a_copy_or_a_launch_wrote_are_sampled_by_later_launches)
{
    static uint8_t grey[SIDE * SIDE * 4], texels[SIDE * SIDE * 4];
    world_open();
    struct picture picture      = make_picture(SIDE, SIDE, 1);
    struct picture back         = {picture.result, picture.image, SIDE, SIDE};
    struct trm_sampler *sampler = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_kernel *kernel   = open_warp();
    launch(kernel, &picture, sampler);
    memset(grey, 99, sizeof(grey));
    ck_ok(trm_image_upload(the.stream, picture.image, NULL, grey, 0, 0));
    launch(kernel, &picture, sampler);
    launch(kernel, &back, sampler);
    ck_ok(trm_image_download(the.stream, texels, picture.image, NULL, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_mem_eq(texels, grey, sizeof(grey));
    trm_kernel_destroy(kernel);
    trm_sampler_destroy(sampler);
    end_picture(&picture);
    world_close();
}
END_TEST

START_TEST(a_graph_samples_through_the_texture_object_of_its_launch)
{
    static uint8_t black[SIDE * SIDE * 4];
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *direct, *recording = NULL;
    world_open();
    direct                      = the.stream;
    struct picture picture      = make_picture(SIDE, SIDE, 1);
    struct trm_sampler *sampler = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_kernel *kernel   = open_warp();
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    the.stream = recording;
    launch(kernel, &picture, sampler);
    the.stream = direct;
    ck_ok(trm_graph_instantiate(graph, &exec));
    trm_graph_destroy(graph);
    for (int round = 0; round < 2; round++) {
        ck_ok(trm_image_upload(the.stream, picture.result, NULL, black, 0, 0));
        ck_ok(trm_graph_launch(exec, the.stream));
        check_result(&picture);
    }
    ck_assert_uint_eq(made(), 1);
    trm_graph_exec_destroy(exec);
    trm_kernel_destroy(kernel);
    trm_sampler_destroy(sampler);
    end_picture(&picture);
    world_close();
}
END_TEST

/* ---- none ---- */

/* Samples a picture that gets `objects` texture objects at most, and looks at the result. */
static void sample(uint32_t width, uint32_t levels, uint64_t objects)
{
    world_open();
    struct picture picture      = make_picture(width, SIDE, levels);
    struct trm_sampler *sampler = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_kernel *kernel   = open_warp();
    launch(kernel, &picture, sampler);
    launch(kernel, &picture, sampler);
    check_result(&picture);
    ck_assert_uint_eq(made(), objects);
    ck_assert_str_eq(standin->launched(), "main_kernel");
    trm_kernel_destroy(kernel);
    trm_sampler_destroy(sampler);
    end_picture(&picture);
    world_close();
}

START_TEST(a_driver_without_texture_objects_samples_the_memory)
{
    standin_shape("missing=cuTexObjectCreate");
    sample(SIDE, 1, 0);
}
END_TEST

START_TEST(a_driver_that_refuses_a_texture_object_is_asked_once)
{
    standin_shape("fault=cuTexObjectCreate:1:on:CUDA_ERROR_INVALID_VALUE");
    sample(SIDE, 1, 1);
}
END_TEST

START_TEST(rows_that_are_not_aligned_are_sampled_in_memory)
{
    sample(SIDE - 1, 1, 0);
}
END_TEST

START_TEST(an_image_of_several_levels_is_sampled_in_memory)
{
    sample(SIDE, 3, 0);
}
END_TEST

START_TEST(an_image_that_the_kernel_writes_too_has_no_texture_object)
{
    world_open();
    struct picture picture      = make_picture(SIDE, SIDE, 1);
    struct picture itself       = {picture.image, picture.image, SIDE, SIDE};
    struct trm_sampler *sampler = make_sampler(TRM_FILTER_LINEAR, TRM_ADDRESS_CLAMP);
    struct trm_kernel *kernel   = open_warp();
    launch(kernel, &itself, sampler);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(made(), 0);
    trm_kernel_destroy(kernel);
    trm_sampler_destroy(sampler);
    end_picture(&picture);
    world_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: textures");
    TCase *some = tcase_create("some"), *none = tcase_create("none");
    suite_add_tcase(suite, some);
    tcase_add_test(some, an_image_and_a_sampler_have_one_texture_object_for_all_launches);
    tcase_add_test(some, an_image_over_a_buffer_has_a_texture_object_too);
    tcase_add_test(some, texels_that_a_copy_or_a_launch_wrote_are_sampled_by_later_launches);
    tcase_add_test(some, a_graph_samples_through_the_texture_object_of_its_launch);
    suite_add_tcase(suite, none);
    tcase_add_test(none, a_driver_without_texture_objects_samples_the_memory);
    tcase_add_test(none, a_driver_that_refuses_a_texture_object_is_asked_once);
    tcase_add_test(none, rows_that_are_not_aligned_are_sampled_in_memory);
    tcase_add_test(none, an_image_of_several_levels_is_sampled_in_memory);
    tcase_add_test(none, an_image_that_the_kernel_writes_too_has_no_texture_object);
    return run_on_standin(suite);
}
