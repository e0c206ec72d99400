/* Cube maps: descriptions, copies of faces, mip levels, and kernels that take their faces as layers.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "images.h"

enum {
    SIDE  = 8,
    FACES = 6,
    CUBES = 2,
};

#define DESC(...)                                                              \
    (struct trm_image_desc)                                                    \
    {                                                                          \
        .struct_size = sizeof(struct trm_image_desc), .format = 9, __VA_ARGS__ \
    }

static void refuse_cube(struct trm_image_desc desc, const char *words)
{
    struct trm_image *image = NULL;
    ck_status(trm_image_create(the.device, &desc, &image), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has(words);
    ck_assert_ptr_null(image);
}

START_TEST(a_cube_map_has_six_square_layers)
{
    struct trm_image_desc found = {.struct_size = sizeof(found)};
    struct trm_image *image     = image_make(&DESC(.type = TRM_IMAGE_CUBE, .width = SIDE, .height = SIDE));
    if (image == NULL)
        return;
    ck_ok(trm_image_describe(image, &found));
    ck_assert_int_eq(found.type, TRM_IMAGE_CUBE);
    ck_assert_uint_eq(found.layers, FACES);
    trm_image_destroy(image);
    refuse_cube(DESC(.type = TRM_IMAGE_CUBE, .width = 4, .height = 2), "4 x 2 texels");
    refuse_cube(DESC(.type = TRM_IMAGE_CUBE, .width = 4), "4 x 1 texels");
    refuse_cube(DESC(.type = TRM_IMAGE_CUBE, .width = 4, .height = 4, .layers = 12), "has 6 layers, but 12");
    refuse_cube(DESC(.type = TRM_IMAGE_CUBE, .width = 4, .height = 4, .depth = 2), "cube map has no depth");
    refuse_cube(DESC(.type = TRM_IMAGE_CUBE_ARRAY, .width = 4, .height = 4, .layers = 8), "not a multiple");
    refuse_cube(DESC(.type = TRM_IMAGE_CUBE, .width = 4, .height = 4, .levels = 4), "at most 3");
}
END_TEST

START_TEST(the_faces_of_cubes_are_copied_as_layers)
{
    static uint8_t texels[SIDE * SIDE * FACES * CUBES][4], found[SIDE * SIDE][4];
    struct trm_image *image = image_make(
        &DESC(.type = TRM_IMAGE_CUBE_ARRAY, .width = SIDE, .height = SIDE, .layers = FACES * CUBES));
    if (image == NULL)
        return;
    for (uint32_t i = 0; i < sizeof(texels); i++)
        texels[i / 4][i % 4] = (uint8_t)(i * 37 + i / 256);
    ck_ok(trm_image_upload(the.stream, image, NULL, texels, 0, 0));
    for (uint32_t layer = 0; layer < FACES * CUBES; layer++) {
        struct trm_image_region face = {.struct_size = sizeof(face), .layer = layer, .layers = 1};
        ck_ok(trm_image_download(the.stream, found, image, &face, 0, 0));
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_mem_eq(found, texels[layer * SIDE * SIDE], sizeof(found));
    }
    trm_image_destroy(image);
}
END_TEST

START_TEST(a_level_of_a_cube_map_has_the_means_of_its_face)
{
    static uint8_t texels[SIDE * SIDE * FACES][4], found[SIDE / 2 * SIDE / 2 * FACES][4];
    struct trm_image_region level = {.struct_size = sizeof(level), .level = 1};
    struct trm_image *image =
        image_make(&DESC(.type = TRM_IMAGE_CUBE, .width = SIDE, .height = SIDE, .levels = 2));
    if (image == NULL)
        return;
    for (uint32_t i = 0; i < SIDE * SIDE * FACES; i++)
        for (uint32_t k = 0; k < 4; k++)
            texels[i][k] = (uint8_t)(10 * (i / (SIDE * SIDE)) + 60 * (i % SIDE / 4) + k);
    ck_ok(trm_image_upload(the.stream, image, NULL, texels, 0, 0));
    int32_t status = trm_image_build_mips(the.stream, image);
    if (status == TRM_ERROR_UNSUPPORTED || status == TRM_ERROR_INVALID_ARGUMENT) {
        skip(trm_last_error().sentence); /* no kernels, or no storage images of the format */
        trm_image_destroy(image);
        return;
    }
    ck_ok(status);
    ck_ok(trm_image_download(the.stream, found, image, &level, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < SIDE / 2 * SIDE / 2 * FACES; i++)
        for (uint32_t k = 0; k < 4; k++)
            ck_assert_uint_eq(found[i][k], 10 * (i / (SIDE * SIDE / 4)) + 60 * (i % (SIDE / 2) / 2) + k);
    trm_image_destroy(image);
}
END_TEST

START_TEST(a_kernel_of_a_2d_array_takes_the_faces_of_a_cube_map)
{
    static uint32_t texels[SIDE * SIDE * FACES];
    struct trm_image_desc desc = image_desc(TRM_IMAGE_CUBE, TRM_FORMAT_R32_UINT, SIDE, SIDE, 0);
    struct trm_kernel *kernel;
    struct trm_grid grid;
    int32_t size[4];
    if (shaders_missing() || (kernel = image_shader("written", NULL, 0)) == NULL)
        return;
    struct trm_image *image = image_make(&desc);
    if (image == NULL)
        return;
    struct trm_buffer *buffer       = make_buffer(the.device, TRM_MEMORY_DEVICE, 16);
    struct trm_argument arguments[] = {trm_arg_image(image, 0), trm_arg_buffer(buffer)};
    ck_ok(trm_image_upload(the.stream, image, NULL, texels, 0, 0));
    ck_ok(trm_kernel_grid(kernel, SIDE, SIDE, FACES, &grid));
    ck_ok(trm_launch(the.stream, kernel, &grid, arguments, 2));
    ck_ok(trm_image_download(the.stream, texels, image, NULL, 0, 0));
    get(the.stream, buffer, 0, size, sizeof(size));
    ck_assert_int_eq(size[2], FACES);
    for (uint32_t i = 0; i < SIDE * SIDE * FACES; i++)
        ck_assert_uint_eq(texels[i], i % SIDE + 100 * (i / SIDE % SIDE) + 10000 * (i / (SIDE * SIDE)));
    trm_image_destroy(image);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}
END_TEST

void add_image_cube(Suite *suite)
{
    TCase *group = group_make(suite, "cube maps");
    CASE(group, a_cube_map_has_six_square_layers);
    CASE(group, the_faces_of_cubes_are_copied_as_layers);
    CASE(group, a_level_of_a_cube_map_has_the_means_of_its_face);
    CASE(group, a_kernel_of_a_2d_array_takes_the_faces_of_a_cube_map);
}
