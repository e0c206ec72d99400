/* Copies of images, compared with a model in plain memory.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "images.h"

/* ---- the model ---- */

/* Texels of all levels, as they should be. */
struct model {
    struct trm_image *image;
    struct trm_image_desc desc;
    uint8_t *levels[16];
};

static uint32_t level_size(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

static uint32_t width_at(const struct model *model, uint32_t level)
{
    return level_size(model->desc.width, level);
}

static uint32_t height_at(const struct model *model, uint32_t level)
{
    return level_size(model->desc.height, level);
}

/* Slices and layers. */
static uint32_t slices_at(const struct model *model, uint32_t level)
{
    return level_size(model->desc.depth, level) * model->desc.layers;
}

static size_t bytes_at(const struct model *model, uint32_t level)
{
    return (size_t)width_at(model, level) * height_at(model, level) * slices_at(model, level) *
           trm_format_size(model->desc.format);
}

static uint8_t *texel_at(const struct model *model, uint32_t level, uint32_t x, uint32_t y, uint32_t slice)
{
    size_t number = ((size_t)slice * height_at(model, level) + y) * (size_t)width_at(model, level) + x;
    return model->levels[level] + number * trm_format_size(model->desc.format);
}

static struct trm_image_region level_region(uint32_t level)
{
    struct trm_image_region region = {.struct_size = sizeof(region), .level = level};
    return region;
}

/* Bytes of floats that are numbers: a backend may change the bits of those that are not. */
static void fill(uint8_t *bytes, size_t size, uint32_t *state)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(next_random(state) & 0x3b);
}

static bool model_make(struct model *model, const struct trm_image_desc *desc, uint32_t *state)
{
    memset(model, 0, sizeof(*model));
    model->image = image_make(desc);
    if (model->image == NULL)
        return false;
    model->desc.struct_size = sizeof(model->desc);
    ck_ok(trm_image_describe(model->image, &model->desc));
    for (uint32_t level = 0; level < model->desc.levels; level++) {
        struct trm_image_region region = level_region(level);
        model->levels[level]           = malloc(bytes_at(model, level));
        fill(model->levels[level], bytes_at(model, level), state);
        ck_ok(trm_image_upload(the.stream, model->image, &region, model->levels[level], 0, 0));
    }
    ck_ok(trm_stream_sync(the.stream));
    return true;
}

static void model_end(struct model *model)
{
    trm_image_destroy(model->image);
    for (uint32_t level = 0; level < 16; level++)
        free(model->levels[level]);
}

static void model_check(const struct model *model, const char *what)
{
    for (uint32_t level = 0; level < model->desc.levels; level++) {
        struct trm_image_region region = level_region(level);
        size_t size                    = bytes_at(model, level);
        uint8_t *found                 = malloc(size);
        ck_ok(trm_image_download(the.stream, found, model->image, &region, 0, 0));
        ck_ok(trm_stream_sync(the.stream));
        for (size_t i = 0; i < size; i++)
            ck_assert_msg(found[i] == model->levels[level][i], "%s: byte %zu of level %u of %s is wrong",
                          what, i, level, trm_format_name(model->desc.format));
        free(found);
    }
}

/* ---- regions ---- */

static uint32_t below(uint32_t *state, uint32_t most)
{
    return next_random(state) % most;
}

static uint32_t random_part(uint32_t *state, uint32_t all, uint32_t *first)
{
    *first = below(state, all);
    return 1 + below(state, all - *first);
}

static struct trm_image_region random_region(const struct model *model, uint32_t *state)
{
    struct trm_image_region region = level_region(below(state, model->desc.levels));
    region.width                   = random_part(state, width_at(model, region.level), &region.x);
    region.height                  = random_part(state, height_at(model, region.level), &region.y);
    region.depth  = random_part(state, level_size(model->desc.depth, region.level), &region.z);
    region.layers = random_part(state, model->desc.layers, &region.layer);
    return region;
}

/* The texels of a region in memory. */
struct memory {
    uint64_t row_pitch, slice_pitch, size;
    uint8_t *bytes;
};

static struct memory memory_make(const struct model *model, const struct trm_image_region *region,
                                 uint32_t *state)
{
    uint32_t texel       = trm_format_size(model->desc.format);
    struct memory memory = {0};
    memory.row_pitch     = (uint64_t)(region->width + below(state, 3)) * texel;
    memory.slice_pitch   = memory.row_pitch * (region->height + below(state, 2));
    memory.size          = memory.slice_pitch * region->depth * region->layers;
    memory.bytes         = malloc(memory.size);
    fill(memory.bytes, memory.size, state);
    return memory;
}

static void model_exchange(struct model *model, const struct trm_image_region *region, struct memory *memory,
                           bool to_image)
{
    size_t row = (size_t)region->width * trm_format_size(model->desc.format);
    for (uint32_t slice = 0; slice < region->depth * region->layers; slice++)
        for (uint32_t y = 0; y < region->height; y++) {
            uint8_t *image =
                texel_at(model, region->level, region->x, region->y + y, region->layer + region->z + slice);
            uint8_t *plain = memory->bytes + slice * memory->slice_pitch + y * memory->row_pitch;
            memcpy(to_image ? image : plain, to_image ? plain : image, row);
        }
}

static void upload_somewhere(struct model *model, uint32_t *state)
{
    struct trm_image_region region = random_region(model, state);
    struct memory memory           = memory_make(model, &region, state);
    ck_ok(trm_image_upload(the.stream, model->image, &region, memory.bytes, memory.row_pitch,
                           memory.slice_pitch));
    ck_ok(trm_stream_sync(the.stream));
    model_exchange(model, &region, &memory, true);
    free(memory.bytes);
}

static void download_somewhere(struct model *model, uint32_t *state)
{
    struct trm_image_region region = random_region(model, state);
    struct memory memory           = memory_make(model, &region, state);
    uint8_t *expected              = malloc(memory.size);
    memcpy(expected, memory.bytes, memory.size);
    ck_ok(trm_image_download(the.stream, memory.bytes, model->image, &region, memory.row_pitch,
                             memory.slice_pitch));
    ck_ok(trm_stream_sync(the.stream));
    struct memory wanted = memory;
    wanted.bytes         = expected;
    model_exchange(model, &region, &wanted, false);
    ck_assert_msg(memcmp(expected, memory.bytes, memory.size) == 0,
                  "a region was downloaded wrong, or bytes between its rows changed");
    free(expected);
    free(memory.bytes);
}

static void through_a_buffer(struct model *model, uint32_t *state)
{
    struct trm_image_region region = random_region(model, state);
    struct memory memory           = memory_make(model, &region, state);
    uint64_t offset                = 64;
    struct trm_buffer *buffer      = make_buffer(the.device, TRM_MEMORY_DEVICE, offset + memory.size);
    struct trm_span span           = trm_span_of(buffer, offset, memory.size);
    put(the.stream, buffer, offset, memory.bytes, memory.size);
    ck_ok(
        trm_image_from_buffer(the.stream, model->image, &region, span, memory.row_pitch, memory.slice_pitch));
    model_exchange(model, &region, &memory, true);

    region         = random_region(model, state);
    uint64_t pitch = (uint64_t)region.width * trm_format_size(model->desc.format);
    uint64_t size  = pitch * region.height * region.depth * region.layers;
    if (size <= memory.size) {
        struct memory tight = {pitch, pitch * region.height, size, memory.bytes};
        ck_ok(trm_image_to_buffer(the.stream, span, model->image, &region, 0, 0));
        model_exchange(model, &region, &tight, false);
    }
    uint8_t *found = malloc(memory.size);
    get(the.stream, buffer, offset, found, memory.size);
    ck_assert_msg(memcmp(found, memory.bytes, memory.size) == 0, "texels in a buffer are wrong");
    free(found);
    free(memory.bytes);
    trm_buffer_destroy(buffer);
}

static void sweep(struct trm_image_desc desc, int turns)
{
    uint32_t state = 1;
    struct model model;
    if (!model_make(&model, &desc, &state))
        return;
    model_check(&model, "after the upload");
    for (int i = 0; i < turns; i++) {
        upload_somewhere(&model, &state);
        download_somewhere(&model, &state);
        through_a_buffer(&model, &state);
    }
    model_check(&model, "at the end");
    model_end(&model);
}

START_TEST(texels_of_every_format_come_back)
{
    for (int32_t format = 1; format <= LAST_FORMAT; format++)
        sweep(image_desc(TRM_IMAGE_2D, format, 19, 5, 0), 1);
}
END_TEST

START_TEST(regions_of_a_1d_image_arrive)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_1D, TRM_FORMAT_R16_UINT, 100, 0, 0);
    desc.levels                = 4;
    sweep(desc, 10);
}
END_TEST

START_TEST(regions_of_a_2d_image_arrive)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 37, 22, 0);
    desc.levels                = 6;
    sweep(desc, 30);
}
END_TEST

START_TEST(regions_of_a_3d_image_arrive)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_3D, TRM_FORMAT_R32_FLOAT, 9, 7, 5);
    desc.levels                = 3;
    sweep(desc, 30);
}
END_TEST

START_TEST(regions_of_arrays_of_images_arrive)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_RG8_UNORM, 12, 9, 0);
    desc.layers                = 5;
    desc.levels                = 3;
    sweep(desc, 30);
    desc        = image_desc(TRM_IMAGE_1D_ARRAY, TRM_FORMAT_RGBA32_FLOAT, 12, 0, 0);
    desc.layers = 5;
    sweep(desc, 10);
}
END_TEST

/* ---- between images ---- */

static void copy_somewhere(struct model *to, struct model *from, uint32_t *state)
{
    struct trm_image_region source = random_region(from, state), target = level_region(0);
    target.layer  = below(state, to->desc.layers - source.layers + 1);
    target.x      = below(state, to->desc.width - source.width + 1);
    target.y      = below(state, to->desc.height - source.height + 1);
    target.width  = source.width;
    target.height = source.height;
    target.depth  = source.depth;
    target.layers = source.layers;
    ck_ok(trm_image_copy(the.stream, to->image, &target, from->image, &source));
    for (uint32_t layer = 0; layer < source.layers; layer++)
        for (uint32_t y = 0; y < source.height; y++)
            memcpy(texel_at(to, 0, target.x, target.y + y, target.layer + layer),
                   texel_at(from, source.level, source.x, source.y + y, source.layer + layer),
                   (size_t)source.width * trm_format_size(from->desc.format));
}

START_TEST(texels_go_from_one_image_to_another)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D_ARRAY, TRM_FORMAT_RGBA8_UNORM, 31, 17, 0);
    uint32_t state             = 7;
    struct model to, from;
    desc.layers = 3;
    desc.levels = 2;
    if (!model_make(&to, &desc, &state))
        return;
    desc.format = TRM_FORMAT_R32_UINT; /* texels of the same size */
    ck_assert(model_make(&from, &desc, &state));
    for (int i = 0; i < 20; i++)
        copy_somewhere(&to, &from, &state);
    ck_ok(trm_image_copy(the.stream, to.image, NULL, from.image, NULL));
    memcpy(to.levels[0], from.levels[0], bytes_at(&to, 0));
    model_check(&to, "copied");
    model_check(&from, "the source");
    model_end(&to);
    model_end(&from);
}
END_TEST

START_TEST(copies_between_images_that_do_not_fit_are_refused)
{
    struct trm_image_desc desc   = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 16, 16, 0);
    struct trm_image_desc narrow = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R8_UNORM, 16, 16, 0);
    struct trm_image *image      = image_make(&desc);
    struct trm_image *other      = image_make(&narrow);
    if (image == NULL || other == NULL)
        return;
    struct trm_image_region a = {.struct_size = sizeof(a), .width = 8, .height = 8};
    struct trm_image_region b = {.struct_size = sizeof(b), .x = 7, .y = 7, .width = 8, .height = 8};
    ck_status(trm_image_copy(the.stream, image, NULL, other, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("texels of r8, of 1 bytes");
    ck_status(trm_image_copy(the.stream, image, &a, image, &b), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("overlap");
    b.x = 8;
    ck_ok(trm_image_copy(the.stream, image, &a, image, &b));
    b.width = 7;
    ck_status(trm_image_copy(the.stream, image, &a, image, &b), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("7 x 8 x 1 texels");
    trm_image_destroy(image);
    trm_image_destroy(other);
}
END_TEST

/* ---- what is refused ---- */

static void refuse_region(struct trm_image *image, struct trm_image_region region, const char *words)
{
    static uint8_t bytes[65536];
    region.struct_size = sizeof(region);
    ck_status(trm_image_upload(the.stream, image, &region, bytes, 0, 0), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has(words);
    ck_status(trm_image_download(the.stream, bytes, image, &region, 0, 0), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_image_copy(the.stream, image, &region, image, NULL), TRM_ERROR_OUT_OF_RANGE);
}

START_TEST(a_region_outside_of_the_image_is_refused)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 16, 8, 0);
    desc.levels                = 2;
    struct trm_image *image    = image_make(&desc);
    if (image == NULL)
        return;
    refuse_region(image, (struct trm_image_region){.x = 16}, "x = 16");
    refuse_region(image, (struct trm_image_region){.x = 10, .width = 7}, "7 texels from x = 10");
    refuse_region(image, (struct trm_image_region){.level = 1, .width = 9}, "past the 8 of the level");
    refuse_region(image, (struct trm_image_region){.y = UINT32_MAX, .height = 2}, "y = ");
    refuse_region(image, (struct trm_image_region){.depth = 2}, "z = 0");
    refuse_region(image, (struct trm_image_region){.layer = 1}, "layer 1");
    refuse_region(image, (struct trm_image_region){.level = 2}, "level 2 of an image of 2 levels");
    struct trm_image_region small = {.struct_size = 4};
    ck_status(trm_image_download(the.stream, &desc, image, &small, 0, 0), TRM_ERROR_INVALID_ARGUMENT);
    trm_image_destroy(image);
}
END_TEST

START_TEST(wrong_pitches_and_memory_are_refused)
{
    static uint8_t bytes[4096];
    struct trm_image_desc desc = image_desc(TRM_IMAGE_3D, TRM_FORMAT_RGBA8_UNORM, 8, 4, 2);
    struct trm_image *image    = image_make(&desc);
    struct trm_buffer *buffer  = make_buffer(the.device, TRM_MEMORY_DEVICE, 256 + 4);
    int32_t wrong              = TRM_ERROR_INVALID_ARGUMENT;
    if (image == NULL)
        return;
    ck_status(trm_image_upload(the.stream, image, NULL, bytes, 28, 0), wrong);
    ck_sentence_has("less than a row of 32");
    ck_status(trm_image_upload(the.stream, image, NULL, bytes, 34, 0), wrong);
    ck_sentence_has("not a multiple of a texel of 4");
    ck_status(trm_image_upload(the.stream, image, NULL, bytes, 32, 96), wrong);
    ck_sentence_has("less than a slice of 128");
    ck_status(trm_image_upload(the.stream, image, NULL, bytes, 32, 132), wrong);
    ck_sentence_has("not a multiple of the row pitch");
    ck_status(trm_image_upload(the.stream, image, NULL, NULL, 0, 0), wrong);
    ck_status(trm_image_download(the.stream, NULL, image, NULL, 0, 0), wrong);
    ck_status(trm_image_upload(the.stream, image, NULL, bytes, UINT64_MAX - 3, 0), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_image_from_buffer(the.stream, image, NULL, trm_span_of(buffer, 4, 256), 0, 0));
    ck_status(trm_image_from_buffer(the.stream, image, NULL, trm_span_of(buffer, 0, 255), 0, 0),
              TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("take 256 bytes, but the span has 255");
    ck_status(trm_image_to_buffer(the.stream, trm_span_of(buffer, 2, 256), image, NULL, 0, 0), wrong);
    ck_sentence_has("offset 2 of the span");
    trm_buffer_destroy(buffer);
    trm_image_destroy(image);
}
END_TEST

START_TEST(an_image_of_another_device_is_refused)
{
    static uint8_t bytes[1024];
    struct trm_device *device  = second_device();
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 8, 8, 0);
    struct trm_image *image    = NULL;
    if (trm_image_create(device, &desc, &image) != TRM_OK)
        return;
    ck_status(trm_image_upload(the.stream, image, NULL, bytes, 0, 0), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_image_copy(the.stream, image, NULL, image, NULL), TRM_ERROR_WRONG_DEVICE);
    trm_image_destroy(image);
}
END_TEST

/* ---- lives ---- */

START_TEST(work_goes_on_with_an_image_that_was_destroyed)
{
    enum {
        SIDE = 512
    };
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R32_UINT, SIDE, SIDE, 0);
    size_t size                = (size_t)SIDE * SIDE * 4;
    uint8_t *source = malloc(size), *found = malloc(size);
    pattern_make(source, size, 3);
    for (int i = 0; i < 10; i++) {
        struct trm_image *image = image_make(&desc);
        if (image == NULL)
            break;
        struct trm_image *other = image_make(&desc);
        memset(found, 0, size);
        ck_ok(trm_image_upload(the.stream, image, NULL, source, 0, 0));
        ck_ok(trm_image_copy(the.stream, other, NULL, image, NULL));
        ck_ok(trm_image_download(the.stream, found, other, NULL, 0, 0));
        trm_image_destroy(image);
        trm_image_destroy(other);
        ck_ok(trm_stream_sync(the.stream));
        ck_pattern(found, size, 3);
    }
    free(source);
    free(found);
}
END_TEST

/* source → buffer → image → image → image of another format → buffer → found, of which the last copies have
 * pitches; the program changes the source between the launches. */
START_TEST(a_graph_replays_copies_of_images)
{
    enum {
        W     = 16,
        H     = 9,
        BYTES = W * H * 4,
        PITCH = W * 4 + 8
    };
    struct trm_image_desc desc     = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 2 * W, 2 * H, 0);
    struct trm_image_region level  = {.struct_size = sizeof(level), .level = 1};
    struct trm_image_region corner = {.struct_size = sizeof(corner), .x = 3, .y = 2, .width = W, .height = H};
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    struct trm_stream_stats counted = {.struct_size = sizeof(counted)}, start = counted;
    struct trm_stream *recording = NULL;
    static uint8_t source[BYTES], found[PITCH * H];
    ck_ok(trm_device_get_usage(the.device, &before));
    desc.levels             = 2;
    struct trm_image *first = image_make(&desc);
    desc.format             = TRM_FORMAT_R32_UINT;
    desc.levels             = 1;
    struct trm_image *last  = image_make(&desc);
    if (first == NULL || last == NULL)
        return;
    struct trm_buffer *up   = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES + 64);
    struct trm_buffer *down = make_buffer(the.device, TRM_MEMORY_DEVICE, PITCH * H);
    struct trm_graph *graph = make_graph(&recording);
    ck_ok(trm_upload(recording, trm_span_of(up, 64, BYTES), source));
    ck_ok(trm_image_from_buffer(recording, first, &level, trm_span_of(up, 64, BYTES), 0, 0));
    ck_ok(trm_image_copy(recording, last, &corner, first, &level));
    ck_ok(trm_image_to_buffer(recording, trm_span_whole(down), last, &corner, PITCH, 0));
    ck_ok(trm_download(recording, found, trm_span_whole(down)));
    trm_image_destroy(first); /* the graph keeps what it uses */
    trm_image_destroy(last);
    trm_buffer_destroy(up);
    trm_buffer_destroy(down);
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_stream_get_stats(the.stream, &start));
    for (uint32_t seed = 1; seed < 5; seed++) {
        pattern_make(source, sizeof(source), seed);
        run_graph(exec, the.stream);
        for (uint32_t y = 0; y < H; y++)
            ck_assert(memcmp(found + (size_t)y * PITCH, source + (size_t)y * W * 4, W * 4) == 0);
    }
    ck_ok(trm_stream_get_stats(the.stream, &counted));
    ck_assert_uint_eq(counted.bytes_uploaded - start.bytes_uploaded, 4 * BYTES);
    ck_assert_uint_eq(counted.bytes_copied - start.bytes_copied, 4 * 3 * BYTES);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    ck_ok(trm_device_get_usage(the.device, &after));
    ck_assert_uint_eq(after.images, before.images);
    ck_assert_uint_eq(after.buffers, before.buffers);
}
END_TEST

/* Host memory that the device does not reach: such a graph may be replayed node by node. */
START_TEST(a_graph_copies_images_from_and_to_any_host_memory)
{
    struct trm_image_desc desc   = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R8_UNORM, 15, 7, 0);
    struct trm_stream *recording = NULL;
    uint8_t source[1 + 15 * 7], found[1 + 15 * 7];
    struct trm_image *image = image_make(&desc);
    if (image == NULL)
        return;
    struct trm_graph *graph = make_graph(&recording);
    ck_ok(trm_image_upload(recording, image, NULL, source + 1, 0, 0));
    ck_ok(trm_image_download(recording, found + 1, image, NULL, 0, 0));
    ck_assert_uint_eq(nodes_of(graph), 2);
    struct trm_graph_exec *exec = instantiate(graph);
    for (uint32_t seed = 1; seed < 4; seed++) {
        pattern_make(source, sizeof(source), seed);
        run_graph(exec, the.stream);
        ck_assert(memcmp(found + 1, source + 1, 15 * 7) == 0);
    }
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_image_destroy(image);
}
END_TEST

/* With pinned memory a backend that has graphs and images of its own replays both as one. */
START_TEST(copies_of_images_are_part_of_the_graph_of_a_backend)
{
    struct trm_image_desc desc   = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R32_FLOAT, 8, 8, 0);
    struct trm_buffer *pinned    = make_buffer(the.device, TRM_MEMORY_PINNED, 512);
    struct trm_stream *recording = NULL;
    int32_t plain = 0, native = 0;
    struct trm_image *image = image_make(&desc);
    if (image == NULL || pinned == NULL)
        return;
    struct trm_graph *graph = make_graph(&recording);
    ck_ok(trm_copy(recording, trm_span_of(pinned, 0, 256), trm_span_of(pinned, 256, 256)));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_graph_exec_is_native(exec, &plain));
    trm_graph_exec_destroy(exec);
    ck_ok(trm_image_from_buffer(recording, image, NULL, trm_span_of(pinned, 0, 256), 0, 0));
    ck_ok(trm_image_to_buffer(recording, trm_span_of(pinned, 256, 256), image, NULL, 0, 0));
    exec = instantiate(graph);
    ck_ok(trm_graph_exec_is_native(exec, &native));
    ck_assert_int_eq(native, plain);
    run_graph(exec, the.stream);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_image_destroy(image);
    trm_buffer_destroy(pinned);
}
END_TEST

void add_image_copy(Suite *suite)
{
    TCase *group = group_make(suite, "copies of images");
    CASE(group, texels_of_every_format_come_back);
    CASE(group, regions_of_a_1d_image_arrive);
    CASE(group, regions_of_a_2d_image_arrive);
    CASE(group, regions_of_a_3d_image_arrive);
    CASE(group, regions_of_arrays_of_images_arrive);
    CASE(group, texels_go_from_one_image_to_another);
    CASE(group, copies_between_images_that_do_not_fit_are_refused);
    CASE(group, a_region_outside_of_the_image_is_refused);
    CASE(group, wrong_pitches_and_memory_are_refused);
    CASE(group, an_image_of_another_device_is_refused);
    CASE(group, work_goes_on_with_an_image_that_was_destroyed);
    CASE(group, a_graph_replays_copies_of_images);
    CASE(group, a_graph_copies_images_from_and_to_any_host_memory);
    CASE(group, copies_of_images_are_part_of_the_graph_of_a_backend);
}
