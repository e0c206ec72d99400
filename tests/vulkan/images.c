/* Tests of images on Vulkan: descriptors of all kinds, views that are kept, and copies through staging memory
 * and on queues that only copy.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE   = 16,
    TEXELS = SIDE * SIDE,
};

static void (*const shapes[])(void) = {shape_as_plain, shape_as_discrete, shape_as_apart, shape_as_minimal};

enum {
    SHAPES = sizeof(shapes) / sizeof(shapes[0])
};

/* ---- a kernel with an argument of each kind ---- */

static const char text[] =
    "#version 450\n"
    "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(binding = 0) uniform sampler2D sampled;\n"
    "layout(binding = 1) uniform texture2D plain;\n"
    "layout(binding = 2) uniform sampler how;\n"
    "layout(binding = 3, r32f) uniform image2D target;\n"
    "layout(binding = 4) uniform samplerBuffer numbers;\n"
    "layout(binding = 5, r32f) uniform writeonly imageBuffer results;\n"
    "layout(binding = 6) buffer Sums { float sums[]; };\n"
    "layout(push_constant) uniform Arguments { float factor; };\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
    "    int i = at.y * 16 + at.x;\n"
    "    float value = texelFetch(sampled, at, 0).x\n"
    "        + factor * textureLod(sampler2D(plain, how), (vec2(at) + 0.5) / 16.0, 0).x\n"
    "        + texelFetch(numbers, i).x;\n"
    "    imageStore(target, at, imageLoad(target, at) + value);\n"
    "    imageStore(results, i, vec4(value));\n"
    "    sums[i] += value;\n"
    "}\n";

#define FACTOR 1000.0f

static struct {
    struct trm_kernel *kernel;
    struct trm_image *source, *target;
    struct trm_sampler *sampler;
    struct trm_buffer *numbers, *results, *sums;
    float ramp[TEXELS];
} used;

static bool kernel_open(void)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_GLSL, .data = text, .size = strlen(text)};
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(the.device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED && strstr(trm_last_error().sentence, "GLSL")) {
        skip(trm_last_error().sentence);
        return false;
    }
    ck_ok(status);
    ck_ok(trm_kernel_get(module, "main", &used.kernel));
    trm_module_destroy(module);
    return true;
}

static struct trm_image *image_open(int32_t type, int32_t format, uint32_t width, uint32_t height,
                                    uint32_t depth)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                  .type        = type,
                                  .format      = format,
                                  .width       = width,
                                  .height      = height,
                                  .depth       = depth};
    struct trm_image *image    = NULL;
    ck_ok(trm_image_create(the.device, &desc, &image));
    return image;
}

/* False: there is no compiler for GLSL. */
static bool used_open(void)
{
    struct trm_sampler_desc sampler = {.struct_size = sizeof(sampler),
                                       .address     = {TRM_ADDRESS_BORDER, TRM_ADDRESS_BORDER}};
    world_open();
    if (!kernel_open())
        return false;
    for (uint32_t i = 0; i < TEXELS; i++)
        used.ramp[i] = (float)i;
    used.source  = image_open(TRM_IMAGE_2D, TRM_FORMAT_R32_FLOAT, SIDE, SIDE, 1);
    used.target  = image_open(TRM_IMAGE_2D, TRM_FORMAT_R32_FLOAT, SIDE, SIDE, 1);
    used.numbers = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(used.ramp));
    used.results = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(used.ramp));
    used.sums    = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(used.ramp));
    ck_ok(trm_sampler_create(the.device, &sampler, &used.sampler));
    ck_ok(trm_image_upload(the.stream, used.source, NULL, used.ramp, 0, 0));
    ck_ok(trm_image_upload(the.stream, used.target, NULL, used.ramp, 0, 0));
    ck_ok(trm_upload(the.stream, trm_span_of(used.numbers, 0, sizeof(used.ramp)), used.ramp));
    ck_ok(trm_upload(the.stream, trm_span_of(used.sums, 0, sizeof(used.ramp)), used.ramp));
    return true;
}

static void used_close(void)
{
    trm_kernel_destroy(used.kernel);
    trm_image_destroy(used.source);
    trm_image_destroy(used.target);
    trm_sampler_destroy(used.sampler);
    trm_buffer_destroy(used.numbers);
    trm_buffer_destroy(used.results);
    trm_buffer_destroy(used.sums);
    memset(&used, 0, sizeof(used));
    world_close();
}

static void launch_on(struct trm_stream *stream)
{
    const uint64_t bytes            = sizeof(used.ramp);
    struct trm_grid grid            = {.groups = {SIDE / 8, SIDE / 8, 1}};
    struct trm_argument arguments[] = {
        trm_arg_sampled(used.source, used.sampler),
        trm_arg_texture(used.source),
        trm_arg_sampler(used.sampler),
        trm_arg_image(used.target, 0),
        trm_arg_texels(trm_span_of(used.numbers, 0, bytes), TRM_FORMAT_R32_FLOAT),
        trm_arg_texels(trm_span_of(used.results, 0, bytes), TRM_FORMAT_R32_FLOAT),
        trm_arg_span(trm_span_of(used.sums, 0, bytes)),
        trm_arg_f32(FACTOR),
    };
    ck_ok(trm_launch(stream, used.kernel, &grid, arguments, sizeof(arguments) / sizeof(arguments[0])));
}

/* After so many launches. The sums are exact. */
static void check_results(uint32_t launches)
{
    static float target[TEXELS], results[TEXELS], sums[TEXELS];
    ck_ok(trm_image_download(the.stream, target, used.target, NULL, 0, 0));
    ck_ok(trm_download(the.stream, results, trm_span_of(used.results, 0, sizeof(results))));
    ck_ok(trm_download(the.stream, sums, trm_span_of(used.sums, 0, sizeof(sums))));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < TEXELS; i++) {
        float one = (2.0f + FACTOR) * (float)i;
        ck_assert_float_eq(results[i], one);
        ck_assert_float_eq(target[i], (float)i + (float)launches * one);
        ck_assert_float_eq(sums[i], (float)i + (float)launches * one);
    }
}

START_TEST(arguments_of_every_kind_arrive)
{
    shapes[_i]();
    if (used_open()) {
        launch_on(the.stream);
        launch_on(the.stream);
        check_results(2);
    }
    used_close();
}
END_TEST

START_TEST(views_of_images_are_made_once_and_those_of_texel_buffers_once_a_batch)
{
    shapes[_i]();
    if (used_open()) {
        uint64_t images = shim->calls("vkCreateImageView"), buffers = shim->calls("vkCreateBufferView");
        launch_on(the.stream);
        launch_on(the.stream);
        ck_assert_uint_eq(shim->calls("vkCreateImageView") - images, 2);
        ck_assert_uint_eq(shim->calls("vkCreateBufferView") - buffers, 2);
        check_results(2);
        launch_on(the.stream);
        check_results(3);
        ck_assert_uint_eq(shim->calls("vkCreateImageView") - images, 2);
    }
    used_close();
}
END_TEST

START_TEST(a_graph_launches_kernels_with_images)
{
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;
    shapes[_i]();
    if (used_open()) {
        ck_ok(trm_graph_create(the.device, &graph));
        ck_ok(trm_graph_record(graph, &recording));
        launch_on(recording);
        launch_on(recording);
        ck_ok(trm_graph_instantiate(graph, &exec));
        ck_ok(trm_graph_launch(exec, the.stream));
        uint64_t views = shim->calls("vkCreateBufferView");
        ck_ok(trm_graph_launch(exec, the.stream));
        check_results(4);
        ck_assert_uint_eq(shim->calls("vkCreateBufferView"), views);
        trm_graph_exec_destroy(exec);
        trm_graph_destroy(graph);
    }
    used_close();
}
END_TEST

/* ---- comparing with a depth ---- */

static const char compare_text[] =
    "#version 450\n"
    "layout(local_size_x = 64) in;\n"
    "layout(binding = 0) uniform sampler2DShadow depths;\n"
    "layout(binding = 1) buffer Results { float results[]; };\n"
    "void main()\n"
    "{\n"
    "    uint i = gl_GlobalInvocationID.x;\n"
    "    results[i] = textureLod(depths, vec3(vec2(i % 8u, i / 8u) / 8.0, 0.5), 0.0);\n"
    "}\n";

static struct trm_kernel *compare_kernel_open(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_GLSL,
                                   .data        = compare_text,
                                   .size        = strlen(compare_text)};
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    int32_t status              = trm_module_load(the.device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED && strstr(trm_last_error().sentence, "GLSL")) {
        skip(trm_last_error().sentence);
        return NULL;
    }
    ck_ok(status);
    ck_ok(trm_kernel_get(module, "main", &kernel));
    trm_module_destroy(module);
    return kernel;
}

/* Compares 0.5 with the depths 0 to 63/64 by a linear filter between texels. Without `is_able` the launch is
 * refused. */
static void compare_depths(struct trm_kernel *kernel, bool is_able)
{
    struct trm_sampler_desc how = {
        .struct_size = sizeof(how), .filter = TRM_FILTER_LINEAR, .compare = TRM_COMPARE_LESS_EQUAL};
    struct trm_image *image     = image_open(TRM_IMAGE_2D, TRM_FORMAT_R32_FLOAT, 8, 8, 1);
    struct trm_buffer *buffer   = buffer_open(the.device, TRM_MEMORY_DEVICE, 64 * sizeof(float));
    struct trm_sampler *sampler = NULL;
    struct trm_grid grid        = {.groups = {1, 1, 1}};
    float depths[64], results[64];
    ck_ok(trm_sampler_create(the.device, &how, &sampler));
    struct trm_argument arguments[] = {trm_arg_sampled(image, sampler), trm_arg_buffer(buffer)};
    for (uint32_t i = 0; i < 64; i++)
        depths[i] = (float)i / 64.0f;
    ck_ok(trm_image_upload(the.stream, image, NULL, depths, 0, 0));
    int32_t status = trm_launch(the.stream, kernel, &grid, arguments, 2);
    ck_assert_int_eq(status, is_able ? TRM_OK : TRM_ERROR_UNSUPPORTED);
    if (!is_able)
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "cannot compare with a depth"));
    ck_ok(trm_download(the.stream, results, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(the.stream));
    /* At the corner of four texels; depths of row 4 and after it are not less. */
    for (uint32_t i = 0; i < 64 && is_able; i++)
        ck_assert_float_eq(results[i], i / 8 < 4 ? 0.0f : i / 8 == 4 ? 0.5f : 1.0f);
    trm_sampler_destroy(sampler);
    trm_buffer_destroy(buffer);
    trm_image_destroy(image);
}

/* On every device. */
static void refuse_a_plain_sampler(struct trm_kernel *kernel)
{
    struct trm_sampler_desc how = {.struct_size = sizeof(how)};
    struct trm_image *image     = image_open(TRM_IMAGE_2D, TRM_FORMAT_R32_FLOAT, 8, 8, 1);
    struct trm_buffer *buffer   = buffer_open(the.device, TRM_MEMORY_DEVICE, 64 * sizeof(float));
    struct trm_sampler *sampler = NULL;
    struct trm_grid grid        = {.groups = {1, 1, 1}};
    ck_ok(trm_sampler_create(the.device, &how, &sampler));
    struct trm_argument arguments[] = {trm_arg_sampled(image, sampler), trm_arg_buffer(buffer)};
    ck_assert_int_eq(trm_launch(the.stream, kernel, &grid, arguments, 2), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "the sampler has no comparison"));
    trm_sampler_destroy(sampler);
    trm_buffer_destroy(buffer);
    trm_image_destroy(image);
}

static void compare_on_a_device(bool is_able)
{
    static const char *const able[] = {"VULKAN_SHIM_COMPARES", "1", NULL}, *const unable[] = {NULL};
    shim_shape(is_able ? able : unable);
    world_open();
    struct trm_kernel *kernel = compare_kernel_open();
    if (kernel != NULL)
        compare_depths(kernel, is_able);
    if (kernel != NULL)
        refuse_a_plain_sampler(kernel);
    trm_kernel_destroy(kernel);
    world_close();
}

START_TEST(depths_are_compared_where_the_device_compares_the_format)
{
    const char *validation = getenv("VULKAN_TEST_VALIDATION");
    if (validation != NULL && strcmp(validation, "yes") == 0)
        skip("the layer sees what the shim hides: the device does not say that it compares");
    else
        compare_on_a_device(true);
}
END_TEST

START_TEST(a_launch_that_compares_depths_is_refused_where_the_device_does_not)
{
    static const char *const old[] = {"VULKAN_SHIM_API", "1.1", "VULKAN_SHIM_COMPARES", "1", NULL};
    compare_on_a_device(false);
    shim_shape(old);
    world_open();
    struct trm_kernel *kernel = compare_kernel_open();
    if (kernel != NULL)
        compare_depths(kernel, false);
    trm_kernel_destroy(kernel);
    world_close();
}
END_TEST

/* ---- copies ---- */

/* Copies a region with gaps between rows and slices to an image and back. */
static void check_large(int32_t type, int32_t format, uint32_t width, uint32_t height, uint32_t depth)
{
    const uint64_t texel = trm_format_size(format), row = (width + 3) * texel, slice = row * (height + 2);
    const uint64_t bytes    = slice * depth;
    struct trm_image *image = image_open(type, format, width + 5, height + 4, depth > 1 ? depth + 1 : 1);
    struct trm_image_region region = {.struct_size = sizeof(region),
                                      .x           = 5,
                                      .y           = 4,
                                      .z           = depth > 1,
                                      .width       = width,
                                      .height      = height,
                                      .depth       = depth};
    uint8_t *given = malloc(bytes), *back = calloc(bytes, 1);
    for (uint64_t i = 0; i < bytes; i++)
        given[i] = (uint8_t)(i * 2654435761u >> 13);
    ck_ok(trm_image_upload(the.stream, image, &region, given, row, slice));
    ck_ok(trm_image_download(the.stream, back, image, &region, row, slice));
    ck_ok(trm_stream_sync(the.stream));
    for (uint64_t z = 0; z < depth; z++)
        for (uint64_t y = 0; y < height; y++)
            ck_assert_mem_eq(back + z * slice + y * row, given + z * slice + y * row, width * texel);
    for (uint64_t i = width * texel; i < row; i++)
        ck_assert_uint_eq(back[i], 0);
    free(given);
    free(back);
    trm_image_destroy(image);
}

START_TEST(large_images_go_through_staging_memory_in_pieces)
{
    shapes[_i]();
    world_open();
    check_large(TRM_IMAGE_2D, TRM_FORMAT_RGBA32_UINT, 900, 700, 1); /* rows of one slice */
    check_large(TRM_IMAGE_3D, TRM_FORMAT_R8_UINT, 201, 190, 130);   /* whole slices, and some left over */
    check_large(TRM_IMAGE_3D, TRM_FORMAT_RG8_UINT, 31, 17, 5);      /* small */
    world_close();
}
END_TEST

/* Copies texels of one byte at every place of a buffer; the shim knows the rules of queues that only copy. */
START_TEST(texels_at_odd_places_are_copied_on_every_queue)
{
    static const int32_t roles[] = {TRM_STREAM_UPLOAD, TRM_STREAM_DOWNLOAD, TRM_STREAM_ANY};
    uint8_t given[64], back[64];
    shapes[_i]();
    world_open();
    struct trm_image *image   = image_open(TRM_IMAGE_2D, TRM_FORMAT_R8_UINT, 7, 5, 1);
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, 2 * sizeof(given));
    for (uint32_t i = 0; i < sizeof(given); i++)
        given[i] = (uint8_t)(3 * i + 1);
    for (uint32_t i = 0; i < 6; i++) {
        struct trm_stream *stream = stream_open(the.device, roles[i % 3]);
        struct trm_span from = trm_span_of(buffer, i, 35), to = trm_span_of(buffer, 64 + i, 35);
        ck_ok(trm_upload(stream, trm_span_of(buffer, i, 35), given));
        ck_ok(trm_image_from_buffer(stream, image, NULL, from, 0, 0));
        ck_ok(trm_image_to_buffer(stream, to, image, NULL, 0, 0));
        ck_ok(trm_download(stream, back, to));
        ck_ok(trm_stream_sync(stream));
        ck_assert_mem_eq(back, given, 35);
        trm_stream_destroy(stream);
    }
    trm_buffer_destroy(buffer);
    trm_image_destroy(image);
    world_close();
}
END_TEST

/* ---- failures ---- */

static int32_t use_an_image(void)
{
    struct trm_image_desc desc      = {.struct_size = sizeof(desc),
                                       .type        = TRM_IMAGE_2D,
                                       .format      = TRM_FORMAT_RGBA8_UNORM,
                                       .width       = 33,
                                       .height      = 9,
                                       .levels      = 3};
    struct trm_sampler_desc sampler = {.struct_size = sizeof(sampler), .address = {TRM_ADDRESS_BORDER}};
    struct trm_sampler *made        = NULL;
    struct trm_image *image         = NULL;
    static uint8_t texels[4 * 33 * 9];
    int32_t status = trm_image_create(the.device, &desc, &image);
    if (status == TRM_OK)
        status = trm_sampler_create(the.device, &sampler, &made);
    if (status == TRM_OK)
        status = trm_image_upload(the.stream, image, NULL, texels, 0, 0);
    if (status == TRM_OK)
        status = trm_image_download(the.stream, texels, image, NULL, 0, 0);
    if (status == TRM_OK)
        status = trm_stream_sync(the.stream);
    trm_sampler_destroy(made);
    trm_image_destroy(image);
    return status;
}

/* Each call of the driver's fails in its turn. */
START_TEST(every_call_for_an_image_may_fail)
{
    uint64_t failures = 1;
    driver_stays_loaded();
    for (uint32_t number = 1; failures != 0; number++) {
        char rule[64];
        shapes[_i]();
        world_open();
        snprintf(rule, sizeof(rule), "any:%u:once:VK_ERROR_OUT_OF_HOST_MEMORY", number);
        ck_assert_int_eq(shim->arm(rule), 0);
        int32_t status = use_an_image();
        failures       = shim->failures();
        ck_assert_msg(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY, "%s (%s) gave %s", rule,
                      shim->failed_function(), trm_status_name(status));
        ck_assert(failures != 0 || status == TRM_OK);
        shim->arm(NULL);
        world_close();
        ck_assert_uint_lt(number, 1000);
    }
}
END_TEST

static Suite *images_suite(void)
{
    Suite *suite = suite_create("vulkan: images");
    TCase *group = group_make(suite, "arguments");
    tcase_add_loop_test(group, arguments_of_every_kind_arrive, 0, SHAPES);
    tcase_add_loop_test(group, views_of_images_are_made_once_and_those_of_texel_buffers_once_a_batch, 0,
                        SHAPES);
    tcase_add_loop_test(group, a_graph_launches_kernels_with_images, 0, SHAPES);
    group = group_make(suite, "comparing");
    tcase_add_test(group, depths_are_compared_where_the_device_compares_the_format);
    tcase_add_test(group, a_launch_that_compares_depths_is_refused_where_the_device_does_not);
    group = group_make(suite, "copies");
    tcase_add_loop_test(group, large_images_go_through_staging_memory_in_pieces, 0, SHAPES);
    tcase_add_loop_test(group, texels_at_odd_places_are_copied_on_every_queue, 0, SHAPES);
    group = group_make(suite, "failures");
    tcase_add_loop_test(group, every_call_for_an_image_may_fail, 0, SHAPES);
    return suite;
}

int main(void)
{
    return run_suite(images_suite());
}
