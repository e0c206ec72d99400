/* Images and samplers: what is created, described and refused.
 * SPDX-License-Identifier: MIT
 */
#include "images.h"

#include "groups.h"

/* ---- formats ---- */

START_TEST(every_format_has_a_name_of_its_own_and_a_size)
{
    for (int32_t format = 1; format <= LAST_FORMAT; format++) {
        uint32_t size = trm_format_size(format);
        ck_assert_msg(size == 1 || size == 2 || size == 4 || size == 8 || size == 16,
                      "format %d has texels of %u bytes", (int)format, size);
        for (int32_t other = 0; other < format; other++)
            ck_assert_str_ne(trm_format_name(format), trm_format_name(other));
    }
    ck_assert_uint_eq(trm_format_size(TRM_FORMAT_RGBA8_UNORM), 4);
    ck_assert_str_eq(trm_format_name(TRM_FORMAT_RGBA8_UNORM), "rgba8");
    ck_assert_str_eq(trm_format_name(TRM_FORMAT_R32_FLOAT), "r32f");
}
END_TEST

START_TEST(an_unknown_format_has_no_size)
{
    static const int32_t unknown[] = {TRM_FORMAT_NONE, -1, LAST_FORMAT + 1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        ck_assert_uint_eq(trm_format_size(unknown[i]), 0);
        ck_assert_str_eq(trm_format_name(unknown[i]), "none");
    }
}
END_TEST

/* ---- descriptions ---- */

START_TEST(an_image_describes_itself_with_what_was_left_out)
{
    struct trm_image_desc given = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_RGBA8_UNORM, 20, 0, 0);
    struct trm_image_desc found = {.struct_size = sizeof(found)};
    given.layers                = 3;
    struct trm_image *image     = image_make(&given);
    if (image == NULL)
        return;
    ck_ok(trm_image_describe(image, &found));
    ck_assert_int_eq(found.type, TRM_IMAGE_2D_ARRAY);
    ck_assert_int_eq(found.format, TRM_FORMAT_RGBA8_UNORM);
    ck_assert_uint_eq(found.width, 20);
    ck_assert_uint_eq(found.height, 1);
    ck_assert_uint_eq(found.depth, 1);
    ck_assert_uint_eq(found.layers, 3);
    ck_assert_uint_eq(found.levels, 1);
    ck_assert_uint_ne(found.usage, 0);
    trm_image_destroy(image);
}
END_TEST

START_TEST(a_usage_that_was_asked_for_is_kept)
{
    struct trm_image_desc given = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R32_FLOAT, 4, 4, 0);
    struct trm_image_desc found = {.struct_size = sizeof(found)};
    given.usage                 = TRM_IMAGE_SAMPLED;
    struct trm_image *image     = image_make(&given);
    if (image == NULL)
        return;
    ck_ok(trm_image_describe(image, &found));
    ck_assert_uint_eq(found.usage, TRM_IMAGE_SAMPLED);
    trm_image_destroy(image);
}
END_TEST

static void refuse_image(struct trm_image_desc desc, int32_t status, const char *words)
{
    struct trm_image *image = NULL;
    ck_status(trm_image_create(the.device, &desc, &image), status);
    ck_sentence_has(words);
    ck_assert_ptr_null(image);
}

#define DESC(...)                                                              \
    (struct trm_image_desc)                                                    \
    {                                                                          \
        .struct_size = sizeof(struct trm_image_desc), .format = 9, __VA_ARGS__ \
    }

START_TEST(a_description_that_no_image_can_have_is_refused)
{
    int32_t wrong = TRM_ERROR_INVALID_ARGUMENT;
    refuse_image(DESC(.type = 0, .width = 4), wrong, "0 is not a type of an image");
    refuse_image(DESC(.type = TRM_IMAGE_BUFFER, .width = 4), wrong, "6 is not a type of an image");
    refuse_image(DESC(.type = TRM_IMAGE_2D, .width = 0), wrong, "has no width");
    refuse_image(DESC(.type = TRM_IMAGE_1D, .width = 4, .height = 2), wrong, "1D image has no height");
    refuse_image(DESC(.type = TRM_IMAGE_2D, .width = 4, .depth = 2), wrong, "2D image has no depth");
    refuse_image(DESC(.type = TRM_IMAGE_3D, .width = 4, .layers = 2), wrong, "3D image has no layers");
    refuse_image(DESC(.type = TRM_IMAGE_2D, .width = 4, .levels = 4), wrong, "at most 3");
    refuse_image(DESC(.type = TRM_IMAGE_2D, .width = 4, .usage = 64), wrong, "unknown bits");
    struct trm_image_desc desc = DESC(.type = TRM_IMAGE_2D, .width = 4);
    desc.format                = 99;
    refuse_image(desc, wrong, "99 is not a format");
    desc.struct_size = 4;
    refuse_image(desc, wrong, "struct_size");
    struct trm_image *image = NULL;
    ck_status(trm_image_create(the.device, NULL, &image), wrong);
    ck_status(trm_image_create(the.device, &DESC(.type = TRM_IMAGE_2D, .width = 4), NULL), wrong);
}
END_TEST

START_TEST(an_image_that_is_too_large_is_refused)
{
    struct trm_image *image    = NULL;
    struct trm_image_desc desc = DESC(.type = TRM_IMAGE_2D, .width = UINT32_MAX, .height = 4);
    ck_status(trm_image_create(the.device, &desc, &image), TRM_ERROR_OUT_OF_RANGE);
    desc        = DESC(.type = TRM_IMAGE_2D_ARRAY, .width = INT32_MAX, .height = INT32_MAX);
    desc.layers = INT32_MAX;
    ck_status(trm_image_create(the.device, &desc, &image), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_ptr_null(image);
}
END_TEST

START_TEST(an_image_has_levels_down_to_one_texel)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 33, 7, 0);
    desc.levels                = 6;
    struct trm_image *image    = image_make(&desc);
    trm_image_destroy(image);
    desc.levels = 7;
    refuse_image(desc, TRM_ERROR_INVALID_ARGUMENT, "at most 6");
}
END_TEST

START_TEST(images_and_samplers_count_as_objects_of_the_device)
{
    struct trm_image_desc desc   = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 16, 16, 0);
    struct trm_sampler_desc kind = {.struct_size = sizeof(kind)};
    struct trm_device *device    = second_device();
    struct trm_image *image      = NULL;
    struct trm_sampler *sampler  = NULL;
    if (trm_image_create(device, &desc, &image) == TRM_ERROR_UNSUPPORTED)
        return;
    ck_ok(trm_sampler_create(device, &kind, &sampler));
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(device, &usage));
    ck_assert_uint_eq(usage.images, 1);
    ck_assert_uint_eq(usage.samplers, 1);
    trm_image_destroy(image);
    trm_sampler_destroy(sampler);
    ck_ok(trm_device_get_usage(device, &usage));
    ck_assert_uint_eq(usage.images + usage.samplers + usage.buffers, 0);
    ck_assert_uint_eq(usage.buffer_bytes, 0);
}
END_TEST

START_TEST(an_image_that_was_destroyed_is_named)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 16, 16, 0);
    struct trm_image *image    = image_make(&desc);
    trm_image_destroy(image);
    if (image == NULL)
        return;
    ck_status(trm_image_describe(image, &desc), TRM_ERROR_INVALID_HANDLE);
    ck_sentence_has("this image has been destroyed");
}
END_TEST

/* ---- samplers ---- */

static struct trm_sampler_desc sampler_number(int n)
{
    struct trm_sampler_desc desc = {.struct_size = sizeof(desc)};
    desc.filter                  = n & 1;
    desc.mip_filter              = n >> 1 & 1;
    desc.address[0]              = n >> 2 & 3;
    desc.address[1]              = n >> 4 & 3;
    desc.address[2]              = n >> 6 & 3;
    desc.border                  = (n >> 8) % 3;
    return desc;
}

START_TEST(a_sampler_of_every_kind_can_be_made)
{
    for (int n = 0; n < 3 * 256; n += 7) {
        struct trm_sampler *sampler  = NULL;
        struct trm_sampler_desc desc = sampler_number(n);
        ck_ok(trm_sampler_create(the.device, &desc, &sampler));
        ck_assert_ptr_nonnull(sampler);
        trm_sampler_destroy(sampler);
    }
}
END_TEST

static void refuse_sampler(struct trm_sampler_desc desc, const char *words)
{
    struct trm_sampler *sampler = NULL;
    ck_status(trm_sampler_create(the.device, &desc, &sampler), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has(words);
    ck_assert_ptr_null(sampler);
}

#define SAMPLER(...)                                                \
    (struct trm_sampler_desc)                                       \
    {                                                               \
        .struct_size = sizeof(struct trm_sampler_desc), __VA_ARGS__ \
    }

START_TEST(a_sampler_of_unknown_values_is_refused)
{
    refuse_sampler(SAMPLER(.filter = 2), "2 is not a filter");
    refuse_sampler(SAMPLER(.mip_filter = -1), "-1 is not a mip_filter");
    refuse_sampler(SAMPLER(.address = {0, 0, 4}), "4 is not an address mode");
    refuse_sampler(SAMPLER(.border = 3), "3 is not a border");
    refuse_sampler(SAMPLER(.unnormalized = 2), "not 0 or 1");
    refuse_sampler(SAMPLER(.compare = 9), "9 is not a comparison");
    refuse_sampler((struct trm_sampler_desc){.struct_size = 8}, "struct_size");
    ck_status(trm_sampler_create(the.device, &SAMPLER(.filter = 0), NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(unnormalized_coordinates_neither_repeat_nor_blend_levels)
{
    struct trm_sampler *sampler  = NULL;
    struct trm_sampler_desc good = SAMPLER(.filter = 1, .address = {0, 3, 0}, .unnormalized = 1);
    ck_ok(trm_sampler_create(the.device, &good, &sampler));
    trm_sampler_destroy(sampler);
    refuse_sampler(SAMPLER(.address = {TRM_ADDRESS_REPEAT}, .unnormalized = 1), "address[0]");
    refuse_sampler(SAMPLER(.address = {0, TRM_ADDRESS_MIRROR}, .unnormalized = 1), "address[1]");
    refuse_sampler(SAMPLER(.mip_filter = 1, .unnormalized = 1), "no linear mip_filter");
    refuse_sampler(SAMPLER(.compare = TRM_COMPARE_LESS, .unnormalized = 1), "does not compare");
}
END_TEST

void add_image(Suite *suite)
{
    TCase *group = group_make(suite, "images");
    CASE(group, every_format_has_a_name_of_its_own_and_a_size);
    CASE(group, an_unknown_format_has_no_size);
    CASE(group, an_image_describes_itself_with_what_was_left_out);
    CASE(group, a_usage_that_was_asked_for_is_kept);
    CASE(group, a_description_that_no_image_can_have_is_refused);
    CASE(group, an_image_that_is_too_large_is_refused);
    CASE(group, an_image_has_levels_down_to_one_texel);
    CASE(group, images_and_samplers_count_as_objects_of_the_device);
    CASE(group, an_image_that_was_destroyed_is_named);
    CASE(group, a_sampler_of_every_kind_can_be_made);
    CASE(group, a_sampler_of_unknown_values_is_refused);
    CASE(group, unnormalized_coordinates_neither_repeat_nor_blend_levels);
}
