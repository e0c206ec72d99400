/* Images whose texels are in a buffer of the program's.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "images.h"

/* Texels of 32 bits in a buffer, with gaps behind rows and slices; in words. */
enum {
    BEGIN  = 16, /* of the first texel */
    WIDTH  = 5,
    HEIGHT = 3,
    LAYERS = 2,
    ROW    = 8,
    SLICE  = 32,
    WORDS  = BEGIN + LAYERS * SLICE
};

static struct trm_image_desc numbers_desc(void)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_R32_UINT, WIDTH, HEIGHT, 0);
    desc.layers                = LAYERS;
    return desc;
}

static struct trm_span numbers_span(struct trm_buffer *buffer)
{
    return trm_span_of(buffer, BEGIN * 4, LAYERS * SLICE * 4);
}

/* NULL, with the reason printed, where the device has no such images. */
static struct trm_image *numbers_over(struct trm_buffer *buffer)
{
    struct trm_image_desc desc = numbers_desc();
    struct trm_image *image    = NULL;
    int32_t status =
        trm_image_create_over(the.device, &desc, numbers_span(buffer), ROW * 4, SLICE * 4, &image);
    if (status == TRM_ERROR_UNSUPPORTED) {
        ck_sentence_has("cannot have an image over a buffer");
        skip(trm_last_error().sentence);
        return NULL;
    }
    ck_ok(status);
    return image;
}

/* A word's texel, counted without gaps; -1: a gap. */
static int texel_at(int word)
{
    int in_slice = (word - BEGIN) % SLICE, x = in_slice % ROW, y = in_slice / ROW;
    if (word < BEGIN || x >= WIDTH || y >= HEIGHT)
        return -1;
    return ((word - BEGIN) / SLICE * HEIGHT + y) * WIDTH + x;
}

static struct trm_buffer *numbers_buffer(uint32_t words[WORDS])
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, WORDS * 4);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 1000 + i;
    put(the.stream, buffer, 0, words, WORDS * 4);
    return buffer;
}

START_TEST(an_image_over_a_buffer_is_copied_by_rows)
{
    uint32_t words[WORDS], found[WORDS], texels[WIDTH * HEIGHT * LAYERS];
    struct trm_image_region second = {.struct_size = sizeof(second), .layer = 1};
    struct trm_buffer *buffer      = numbers_buffer(words);
    struct trm_image *image        = numbers_over(buffer);
    if (image == NULL) {
        trm_buffer_destroy(buffer);
        return;
    }
    second.layers = 1;
    second.x      = 1;
    ck_ok(trm_image_download(the.stream, texels, image,
                             &(struct trm_image_region){.struct_size = sizeof(second), .layers = LAYERS}, 0,
                             0));
    ck_ok(trm_stream_sync(the.stream));
    for (int i = 0; i < WORDS; i++)
        if (texel_at(i) >= 0)
            ck_assert_uint_eq(texels[texel_at(i)], words[i]);
    for (uint32_t i = 0; i < WIDTH * HEIGHT * LAYERS; i++)
        texels[i] = 7000 + i;
    ck_ok(trm_image_upload(the.stream, image, &second, texels, 0, 0));
    get(the.stream, buffer, 0, found, sizeof(found));
    for (int i = 0; i < WORDS; i++) {
        int texel = texel_at(i), x = texel % WIDTH, y = texel / WIDTH - HEIGHT;
        bool is_among = texel >= WIDTH * HEIGHT && x >= 1;
        ck_assert_uint_eq(found[i], is_among ? 7000u + (uint32_t)(y * (WIDTH - 1) + x - 1) : words[i]);
    }
    trm_image_destroy(image);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_kernel_writes_the_texels_of_an_image_over_a_buffer)
{
    struct trm_kernel *kernel;
    uint32_t words[WORDS], found[WORDS];
    struct trm_grid grid;
    if (shaders_missing() || (kernel = image_shader("written", NULL, 0)) == NULL)
        return;
    struct trm_buffer *size   = make_buffer(the.device, TRM_MEMORY_DEVICE, 16);
    struct trm_buffer *buffer = numbers_buffer(words);
    struct trm_image *image   = numbers_over(buffer);
    if (image != NULL) {
        struct trm_argument arguments[] = {trm_arg_image(image, 0), trm_arg_buffer(size)};
        ck_ok(trm_kernel_grid(kernel, 20, 20, 5, &grid));
        ck_ok(trm_launch(the.stream, kernel, &grid, arguments, 2));
        get(the.stream, buffer, 0, found, sizeof(found));
        for (int i = 0; i < WORDS; i++) {
            uint32_t texel = (uint32_t)texel_at(i), plane = WIDTH * HEIGHT;
            uint32_t added = texel_at(i) < 0
                                 ? 0
                                 : texel % WIDTH + 100 * (texel / WIDTH % HEIGHT) + 10000 * (texel / plane);
            ck_assert_msg(found[i] == words[i] + added, "word %d is %u, not %u", i, found[i],
                          words[i] + added);
        }
        trm_image_destroy(image);
    }
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(size);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(an_image_keeps_the_buffer_that_it_is_over)
{
    uint32_t words[WORDS], texel = 0;
    struct trm_image_region last = {.struct_size = sizeof(last), .x = 4, .y = 2, .layer = 1};
    struct trm_buffer *buffer    = numbers_buffer(words);
    struct trm_image *image      = numbers_over(buffer);
    uint64_t size                = 0;
    trm_buffer_destroy(buffer);
    if (image == NULL)
        return;
    ck_ok(trm_buffer_size(buffer, &size));
    trm_buffer_destroy(buffer); /* the handle is no user any more, and the image is not harmed */
    ck_ok(trm_buffer_size(buffer, &size));
    ck_ok(trm_image_download(the.stream, &texel, image, &last, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(texel, words[BEGIN + SLICE + 2 * ROW + 4]);
    trm_image_destroy(image);
    ck_status(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(two_images_may_be_over_one_buffer)
{
    uint32_t words[WORDS], texels[2] = {0};
    struct trm_image_desc desc = image_desc(TRM_IMAGE_1D, TRM_FORMAT_R32_UINT, 2, 0, 0);
    struct trm_buffer *buffer  = numbers_buffer(words);
    struct trm_image *image = numbers_over(buffer), *other = NULL;
    if (image == NULL) {
        trm_buffer_destroy(buffer);
        return;
    }
    ck_ok(trm_image_create_over(the.device, &desc, trm_span_of(buffer, BEGIN * 4, 8), 0, 0, &other));
    trm_buffer_destroy(buffer);
    trm_image_destroy(image);
    ck_ok(trm_image_download(the.stream, texels, other, NULL, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(texels[0], words[BEGIN]);
    ck_assert_uint_eq(texels[1], words[BEGIN + 1]);
    trm_image_destroy(other);
}
END_TEST

static void refuse(struct trm_image_desc desc, struct trm_span span, uint64_t row, uint64_t slice,
                   int32_t status, const char *said)
{
    struct trm_image *image = NULL;
    ck_status(trm_image_create_over(the.device, &desc, span, row, slice, &image), status);
    ck_sentence_has(said);
    ck_assert_ptr_null(image);
}

START_TEST(an_image_that_does_not_fit_its_buffer_is_refused)
{
    uint32_t words[WORDS];
    struct trm_buffer *buffer  = numbers_buffer(words);
    struct trm_image_desc desc = numbers_desc(), levels = desc, wide = desc;
    struct trm_span span = numbers_span(buffer), odd = span;
    struct trm_image *image = numbers_over(buffer);
    if (image == NULL) {
        trm_buffer_destroy(buffer);
        return;
    }
    trm_image_destroy(image);
    levels.levels = 2;
    wide.width    = UINT32_MAX;
    wide.height   = UINT32_MAX;
    odd.offset += 2;
    odd.length -= 2;
    refuse(levels, span, 0, 0, TRM_ERROR_INVALID_ARGUMENT, "has one level, and not 2");
    refuse(desc, span, WIDTH * 4 - 4, 0, TRM_ERROR_INVALID_ARGUMENT, "less than the 20 bytes of a row");
    refuse(desc, span, ROW * 4, HEIGHT * ROW * 4 - 4, TRM_ERROR_INVALID_ARGUMENT,
           "less than the 96 bytes of a slice");
    refuse(desc, span, ROW * 4 + 2, 0, TRM_ERROR_INVALID_ARGUMENT, "is not a multiple of a texel");
    refuse(desc, odd, ROW * 4, 0, TRM_ERROR_INVALID_ARGUMENT, "is not a multiple of a texel");
    refuse(desc, span, ROW * 4, SLICE * 8, TRM_ERROR_OUT_OF_RANGE, "do not fit into the 256 bytes");
    refuse(desc, trm_span_of(buffer, BEGIN * 4, LAYERS * SLICE * 4 + 4), 0, 0, TRM_ERROR_OUT_OF_RANGE,
           "past the end of a buffer");
    refuse(wide, span, UINT64_MAX / 4 * 4, 0, TRM_ERROR_OUT_OF_RANGE, "");
    trm_buffer_destroy(buffer);
    refuse(desc, span, 0, 0, TRM_ERROR_INVALID_HANDLE, "has been destroyed");
}
END_TEST

void add_image_over(Suite *suite)
{
    TCase *group = group_make(suite, "images over buffers");
    CASE(group, an_image_over_a_buffer_is_copied_by_rows);
    CASE(group, a_kernel_writes_the_texels_of_an_image_over_a_buffer);
    CASE(group, an_image_keeps_the_buffer_that_it_is_over);
    CASE(group, two_images_may_be_over_one_buffer);
    CASE(group, an_image_that_does_not_fit_its_buffer_is_refused);
}
