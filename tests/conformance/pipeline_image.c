/* Pipelines with ports that are images.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "images.h"
#include "plans.h"
#include "shaders.h"

enum {
    WIDTH  = 37,
    HEIGHT = 5,
    TEXELS = WIDTH * HEIGHT,
    BYTES  = TEXELS * 4,
    TOKENS = 9,
    PORTS  = 4,
    STAGES = 4
};

/* A pipeline of pictures of r32ui. A texel of a token's input depends on the token and the place alone. */
struct pictures {
    struct trm_kernel *kernel; /* "moved" */
    struct trm_image_desc desc;
    struct trm_port ports[PORTS];
    struct trm_stage stages[STAGES];
    struct trm_argument arguments[STAGES][5];
    struct trm_pipeline_desc pipeline_desc;
    struct trm_pipeline *pipeline;
    uint32_t output; /* the port that is checked */
    uint64_t delivered;
    /* What texel i of a token comes out as. */
    uint32_t (*expect)(uint64_t token, uint32_t i);
    uint64_t wrong; /* texels */
};

static uint32_t texel_in(uint64_t token, uint32_t i)
{
    return (uint32_t)token * 1000003u + i * 977u;
}

static int32_t fill(void *user, struct trm_token *token)
{
    uint32_t *texels = token->data[0];
    (void)user;
    for (uint32_t i = 0; i < TEXELS; i++)
        texels[i] = texel_in(token->index, i);
    return TRM_OK;
}

static int32_t take(void *user, const struct trm_token *token)
{
    struct pictures *pictures = user;
    const uint32_t *texels    = token->data[pictures->output];
    for (uint32_t i = 0; i < TEXELS; i++)
        pictures->wrong += texels[i] != pictures->expect(token->index, i);
    pictures->wrong += token->size[pictures->output] != BYTES;
    pictures->delivered++;
    return TRM_OK;
}

static uint32_t add_port(struct pictures *pictures, struct trm_port port)
{
    pictures->ports[pictures->pipeline_desc.port_count] = port;
    return pictures->pipeline_desc.port_count++;
}

static uint32_t add_picture(struct pictures *pictures, const char *name, int32_t kind)
{
    return add_port(pictures, trm_port_image(name, kind, &pictures->desc));
}

static struct trm_stage *add_stage(struct pictures *pictures, struct trm_kernel *kernel,
                                   const struct trm_argument *arguments, uint32_t count)
{
    uint32_t number         = pictures->pipeline_desc.stage_count++;
    struct trm_stage *stage = &pictures->stages[number];
    memcpy(pictures->arguments[number], arguments, count * sizeof(*arguments));
    *stage      = trm_stage_launch(kernel, pictures->arguments[number], count, 0, 0);
    stage->grid = (struct trm_grid){.groups = {(WIDTH + 7) / 8, (HEIGHT + 7) / 8, 1}};
    return stage;
}

static void add_move(struct pictures *pictures, struct trm_argument from, struct trm_argument to,
                     uint32_t factor, uint32_t addend, uint32_t keep)
{
    struct trm_argument arguments[] = {from, to, trm_arg_u32(factor), trm_arg_u32(addend), trm_arg_u32(keep)};
    add_stage(pictures, pictures->kernel, arguments, 5);
}

/* False, with the reason printed, where the device cannot have such pictures. */
static bool pictures_make(struct pictures *pictures)
{
    struct trm_image *image;
    memset(pictures, 0, sizeof(*pictures));
    if (shaders_missing())
        return false;
    pictures->desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R32_UINT, WIDTH, HEIGHT, 0);
    image          = image_make(&pictures->desc);
    if (image == NULL)
        return false;
    trm_image_destroy(image);
    pictures->kernel        = shader_kernel("moved");
    pictures->pipeline_desc = (struct trm_pipeline_desc){
        .struct_size = sizeof(pictures->pipeline_desc), .name = "pictures", .depth = 3};
    pictures->pipeline_desc.ports  = pictures->ports;
    pictures->pipeline_desc.stages = pictures->stages;
    return true;
}

static void pictures_close(struct pictures *pictures)
{
    trm_pipeline_destroy(pictures->pipeline);
    trm_kernel_destroy(pictures->kernel);
    pictures->pipeline = NULL;
    pictures->kernel   = NULL;
}

/* False where the device does not have the strategy. */
static bool pictures_open(struct pictures *pictures, int32_t strategy)
{
    pictures->pipeline_desc.strategy = strategy;
    int32_t status = trm_pipeline_create(the.device, &pictures->pipeline_desc, &pictures->pipeline);
    if (status == TRM_ERROR_UNSUPPORTED) {
        ck_assert_int_ne(strategy, TRM_STRATEGY_AUTO);
        pictures->pipeline = NULL;
        return false;
    }
    ck_ok(status);
    return true;
}

static void pictures_run(struct pictures *pictures)
{
    struct trm_source source = trm_source_function(fill, NULL);
    struct trm_sink sink     = trm_sink_function(take, pictures);
    source.count             = TOKENS;
    pictures->delivered      = 0;
    ck_ok(trm_pipeline_run(pictures->pipeline, &source, &sink));
    ck_assert_uint_eq(pictures->delivered, TOKENS);
    ck_assert_msg(pictures->wrong == 0, "%u texels are wrong with strategy %d", (unsigned)pictures->wrong,
                  (int)pictures->pipeline_desc.strategy);
}

/* Runs with each strategy that the device has. */
static void run_with_all(struct pictures *pictures)
{
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        if (!pictures_open(pictures, all_strategies[i]))
            continue;
        pictures_run(pictures);
        pictures_run(pictures);
        trm_pipeline_destroy(pictures->pipeline);
    }
    pictures->pipeline = NULL;
    pictures_close(pictures);
}

/* ---- the ways of a picture ------------------------------------------------------------------- */

static uint32_t unchanged(uint64_t token, uint32_t i)
{
    return texel_in(token, i);
}

START_TEST(images_are_copied_through_a_pipeline_without_stages)
{
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    pictures.expect = unchanged;
    add_picture(&pictures, "in", TRM_PORT_INPUT);
    pictures.output = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++)
        if (pictures_open(&pictures, all_strategies[i])) {
            struct trm_source source = trm_source_function(fill, NULL);
            source.count             = TOKENS;
            ck_ok(trm_pipeline_run(pictures.pipeline, &source, NULL));
            trm_pipeline_destroy(pictures.pipeline);
        }
    pictures.pipeline = NULL;
    pictures_close(&pictures);
}
END_TEST

static uint32_t moved_twice(uint64_t token, uint32_t i)
{
    return (texel_in(token, i) * 3 + 5) * 7 + 1;
}

/* The scratch image has a second level, which the kernels use. */
START_TEST(images_go_up_through_kernels_and_down_with_every_strategy)
{
    struct pictures pictures;
    struct trm_image_desc two_levels;
    if (!pictures_make(&pictures))
        return;
    pictures.expect   = moved_twice;
    two_levels        = pictures.desc;
    two_levels.width  = 2 * WIDTH;
    two_levels.height = 2 * HEIGHT;
    two_levels.levels = 2;
    uint32_t in       = add_picture(&pictures, "in", TRM_PORT_INPUT);
    uint32_t between  = add_port(&pictures, trm_port_image("between", TRM_PORT_SCRATCH, &two_levels));
    pictures.output   = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port_level(between, 1), 3, 5, 0);
    add_move(&pictures, trm_arg_port_level(between, 1), trm_arg_port(pictures.output), 7, 1, 0);
    run_with_all(&pictures);
}
END_TEST

static uint32_t changed_on_the_host(uint64_t token, uint32_t i)
{
    return ((texel_in(token, i) * 3 + 5) ^ 0x5a5au) * 7 + 1;
}

static int32_t change(void *user, const struct trm_token *token)
{
    uint32_t *texels = token->data[1];
    (void)user;
    for (uint32_t i = 0; i < TEXELS; i++)
        texels[i] ^= 0x5a5au;
    return TRM_OK;
}

START_TEST(a_host_stage_reads_and_writes_the_texels_of_an_image)
{
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    pictures.expect  = changed_on_the_host;
    uint32_t in      = add_picture(&pictures, "in", TRM_PORT_INPUT);
    uint32_t between = add_picture(&pictures, "between", TRM_PORT_SCRATCH);
    pictures.output  = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port(between), 3, 5, 0);
    pictures.stages[pictures.pipeline_desc.stage_count++] = trm_stage_host(change, NULL, 1u << 1, 1u << 1);
    add_move(&pictures, trm_arg_port(between), trm_arg_port(pictures.output), 7, 1, 0);
    run_with_all(&pictures);
}
END_TEST

/* The sum of the texel over all tokens so far, in the two runs of each strategy. */
static uint32_t summed(uint64_t token, uint32_t i)
{
    uint32_t sum = 0;
    for (uint64_t before = 0; before <= token; before++)
        sum += texel_in(before, i);
    return sum;
}

START_TEST(an_image_that_tokens_share_is_written_in_their_order)
{
    struct trm_image *shared;
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    shared = image_make(&pictures.desc);
    static uint32_t zero[TEXELS];
    pictures.expect = summed;
    uint32_t in     = add_picture(&pictures, "in", TRM_PORT_INPUT);
    uint32_t sum    = add_port(&pictures, trm_port_shared_image("sum", shared));
    pictures.output = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port(sum), 1, 0, 1);
    add_move(&pictures, trm_arg_port(sum), trm_arg_port(pictures.output), 1, 0, 0);
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        ck_ok(trm_image_upload(the.stream, shared, NULL, zero, 0, 0));
        ck_ok(trm_stream_sync(the.stream));
        if (!pictures_open(&pictures, all_strategies[i]))
            continue;
        pictures_run(&pictures);
        trm_pipeline_destroy(pictures.pipeline);
    }
    pictures.pipeline = NULL;
    trm_image_destroy(shared);
    pictures_close(&pictures);
}
END_TEST

/* ---- memory of the program ------------------------------------------------------------------- */

START_TEST(images_come_from_and_go_to_memory_of_the_program)
{
    static uint32_t from[TOKENS * TEXELS + 1], to[TOKENS * TEXELS + 1];
    struct trm_pipeline_desc *desc;
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    desc         = &pictures.pipeline_desc;
    uint32_t in  = add_picture(&pictures, "in", TRM_PORT_INPUT);
    uint32_t out = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port(out), 3, 5, 0);
    for (size_t n = 0; n < 2 * sizeof(all_strategies) / sizeof(all_strategies[0]); n++) {
        unsigned char *begin = (unsigned char *)from + n % 2, *end = (unsigned char *)to + n % 2;
        for (uint32_t i = 0; i < TOKENS * TEXELS; i++) {
            uint32_t texel = i * 17u;
            memcpy(begin + 4 * (size_t)i, &texel, 4);
        }
        memset(to, 0, sizeof(to));
        if (!pictures_open(&pictures, all_strategies[n / 2]))
            continue;
        struct trm_source source = trm_source_memory(begin, (uint64_t)TOKENS * BYTES);
        struct trm_sink sink     = trm_sink_memory(end, (uint64_t)TOKENS * BYTES);
        ck_ok(trm_pipeline_run(pictures.pipeline, &source, &sink));
        for (uint32_t i = 0; i < TOKENS * TEXELS; i++) {
            uint32_t texel;
            memcpy(&texel, end + 4 * (size_t)i, 4);
            ck_assert_msg(texel == i * 51u + 5, "texel %u with strategy %d", i, (int)desc->strategy);
        }
        trm_pipeline_destroy(pictures.pipeline);
    }
    pictures.pipeline = NULL;
    pictures_close(&pictures);
}
END_TEST

/* ---- sampling, texel buffers ----------------------------------------------------------------- */

static int32_t take_first(void *user, const struct trm_token *token)
{
    const float *found = token->data[1];
    uint64_t *wrong    = user;
    for (uint32_t i = 0; i < 4; i++) {
        float difference = found[4 * i] - 64.0f * (float)((token->index + i) % 4) / 255.0f;
        *wrong += difference > 0.01f || difference < -0.01f;
    }
    return TRM_OK;
}

static int32_t fill_colors(void *user, struct trm_token *token)
{
    uint8_t *texels = token->data[0];
    (void)user;
    memset(texels, 0, 4 * 4);
    for (uint32_t i = 0; i < 4; i++)
        texels[4 * i] = (uint8_t)(64 * ((token->index + i) % 4));
    return TRM_OK;
}

START_TEST(a_kernel_samples_an_image_of_a_token)
{
    struct trm_image_desc desc  = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 4, 1, 0);
    struct trm_sampler_desc how = {.struct_size = sizeof(how), .filter = TRM_FILTER_LINEAR};
    struct trm_sampler *sampler = NULL;
    float first[2] = {0.125f, 0.5f}, step[2] = {0.25f, 0};
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    desc.usage = TRM_IMAGE_SAMPLED;
    ck_ok(trm_sampler_create(the.device, &how, &sampler));
    struct trm_kernel *kernel = shader_kernel("sampled");
    add_port(&pictures, trm_port_image("in", TRM_PORT_INPUT, &desc));
    add_port(&pictures, trm_port_output("out", 4 * 16));
    struct trm_argument arguments[]    = {trm_arg_port_sampled(0, sampler),
                                          trm_arg_port(0),
                                          trm_arg_sampler(sampler),
                                          trm_arg_port(1),
                                          trm_arg_block(first, 8),
                                          trm_arg_block(step, 8),
                                          trm_arg_f32(0),
                                          trm_arg_port_elements(1, 16)};
    pictures.stages[0]                 = trm_stage_launch(kernel, arguments, 8, 1, 16);
    pictures.pipeline_desc.stage_count = 1;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        struct trm_source source = trm_source_function(fill_colors, NULL);
        uint64_t wrong           = 0;
        struct trm_sink sink     = trm_sink_function(take_first, &wrong);
        source.count             = TOKENS;
        if (!pictures_open(&pictures, all_strategies[i]))
            continue;
        if (i == 0) { /* the pipeline keeps what it uses */
            trm_sampler_destroy(sampler);
            ck_ok(trm_pipeline_run(pictures.pipeline, &source, &sink));
            ck_ok(trm_sampler_create(the.device, &how, &sampler));
            arguments[0] = trm_arg_port_sampled(0, sampler);
            arguments[2] = trm_arg_sampler(sampler);
        } else {
            ck_ok(trm_pipeline_run(pictures.pipeline, &source, &sink));
        }
        ck_assert_uint_eq(wrong, 0);
        trm_pipeline_destroy(pictures.pipeline);
    }
    pictures.pipeline = NULL;
    trm_sampler_destroy(sampler);
    trm_kernel_destroy(kernel);
    pictures_close(&pictures);
}
END_TEST

static int32_t take_doubled(void *user, const struct trm_token *token)
{
    const float *found = token->data[1];
    uint64_t *wrong    = user;
    for (uint32_t i = 0; i < 64; i++)
        *wrong += found[i] != 2.0f * (float)(token->index + i);
    return TRM_OK;
}

static int32_t fill_numbers(void *user, struct trm_token *token)
{
    float *numbers = token->data[0];
    (void)user;
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = (float)(token->index + i);
    return TRM_OK;
}

START_TEST(a_port_is_a_texel_buffer)
{
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    struct trm_kernel *kernel = shader_kernel("texels");
    add_port(&pictures, trm_port_input("in", 64 * 4));
    add_port(&pictures, trm_port_output("out", 64 * 4));
    struct trm_argument arguments[]    = {trm_arg_port_texels(0, TRM_FORMAT_R32_FLOAT),
                                          trm_arg_port_texels(1, TRM_FORMAT_R32_FLOAT)};
    pictures.stages[0]                 = trm_stage_launch(kernel, arguments, 2, 0, 4);
    pictures.pipeline_desc.stage_count = 1;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        struct trm_source source = trm_source_function(fill_numbers, NULL);
        uint64_t wrong           = 0;
        struct trm_sink sink     = trm_sink_function(take_doubled, &wrong);
        source.count             = TOKENS;
        if (!pictures_open(&pictures, all_strategies[i]))
            continue;
        ck_ok(trm_pipeline_run(pictures.pipeline, &source, &sink));
        ck_assert_uint_eq(wrong, 0);
        trm_pipeline_destroy(pictures.pipeline);
    }
    pictures.pipeline = NULL;
    trm_kernel_destroy(kernel);
    pictures_close(&pictures);
}
END_TEST

/* ---- sizes, reports -------------------------------------------------------------------------- */

static int32_t fill_too_little(void *user, struct trm_token *token)
{
    (void)user;
    if (token->index == 1)
        token->size[0] = 0;
    if (token->index == 2)
        token->size[0] = BYTES - 4;
    return fill(user, token);
}

START_TEST(a_token_has_all_of_an_image_or_nothing)
{
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    uint32_t in  = add_picture(&pictures, "in", TRM_PORT_INPUT);
    uint32_t out = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port(out), 1, 0, 0);
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        struct trm_source source = trm_source_function(fill_too_little, NULL);
        struct trm_report report = {.struct_size = sizeof(report)};
        if (!pictures_open(&pictures, all_strategies[i]))
            continue;
        source.count = 3;
        ck_status(trm_pipeline_run(pictures.pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("token 2");
        ck_sentence_has("all or none");
        ck_ok(trm_pipeline_report(pictures.pipeline, &report));
        ck_assert_uint_ge(report.device_bytes, 2 * 3 * (uint64_t)BYTES);
        trm_pipeline_destroy(pictures.pipeline);
    }
    pictures.pipeline = NULL;
    pictures_close(&pictures);
}
END_TEST

START_TEST(a_report_counts_the_bytes_of_images)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    pictures.expect = unchanged;
    uint32_t in     = add_picture(&pictures, "in", TRM_PORT_INPUT);
    pictures.output = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port(pictures.output), 1, 0, 0);
    ck_assert(pictures_open(&pictures, TRM_STRATEGY_SLOT_STREAMS));
    pictures_run(&pictures);
    ck_ok(trm_pipeline_report(pictures.pipeline, &report));
    ck_assert_uint_eq(report.bytes_up, (uint64_t)TOKENS * BYTES);
    ck_assert_uint_eq(report.bytes_down, (uint64_t)TOKENS * BYTES);
    ck_assert_uint_eq(report.host_bytes, 2 * 3 * (uint64_t)BYTES);
    pictures_close(&pictures);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(struct pictures *pictures, int32_t status, const char *where, const char *words)
{
    struct trm_pipeline *pipeline = NULL;
    ck_status(trm_pipeline_create(the.device, &pictures->pipeline_desc, &pipeline), status);
    ck_assert_ptr_null(pipeline);
    ck_sentence_has(where);
    ck_sentence_has(words);
}

START_TEST(ports_that_cannot_be_images_are_refused_by_name)
{
    struct trm_image_desc wrong;
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    wrong = pictures.desc;
    add_picture(&pictures, "in", TRM_PORT_INPUT);
    add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    pictures.ports[1].image_desc = NULL;
    refused(&pictures, TRM_ERROR_INVALID_ARGUMENT, "port 1 \"out\"", "no description");
    wrong.height                 = 0;
    wrong.format                 = 99;
    pictures.ports[1].image_desc = &wrong;
    refused(&pictures, TRM_ERROR_INVALID_ARGUMENT, "port 1 \"out\"", "99 is not a format");
    pictures.ports[1] = trm_port_follows(trm_port_image("out", TRM_PORT_OUTPUT, &pictures.desc), 0);
    refused(&pictures, TRM_ERROR_INVALID_ARGUMENT, "port 1 \"out\"", "cannot follow");
    pictures.ports[1] = trm_port_shared_image("all", NULL);
    refused(&pictures, TRM_ERROR_INVALID_ARGUMENT, "port 1 \"all\"", "no image");
    struct trm_image *gone = image_make(&pictures.desc);
    trm_image_destroy(gone);
    pictures.ports[1] = trm_port_shared_image("all", gone);
    refused(&pictures, TRM_ERROR_INVALID_HANDLE, "port 1 \"all\"", "has been destroyed");
    pictures.ports[1]            = trm_port_image("out", TRM_PORT_OUTPUT, &pictures.desc);
    pictures.pipeline_desc.flags = TRM_PIPELINE_DIVISIBLE;
    refused(&pictures, TRM_ERROR_INVALID_ARGUMENT, "port 0 \"in\"", "divisible");
    pictures_close(&pictures);
}
END_TEST

START_TEST(images_that_a_kernel_does_not_take_are_refused_at_creation)
{
    struct trm_sampler_desc how = {.struct_size = sizeof(how)};
    struct trm_sampler *sampler = NULL;
    struct trm_image_desc other;
    struct pictures pictures;
    if (!pictures_make(&pictures))
        return;
    ck_ok(trm_sampler_create(the.device, &how, &sampler));
    uint32_t in  = add_picture(&pictures, "in", TRM_PORT_INPUT);
    uint32_t out = add_port(&pictures, trm_port_output("out", BYTES));
    add_move(&pictures, trm_arg_port(in), trm_arg_port(out), 1, 0, 0);
    refused(&pictures, TRM_ERROR_TYPE_MISMATCH, "\"target\"", "port 1 \"out\"");
    pictures.arguments[0][1] = trm_arg_port_level(out, 0);
    refused(&pictures, TRM_ERROR_TYPE_MISMATCH, "\"target\"", "is a buffer");
    pictures.ports[out]      = trm_port_image("out", TRM_PORT_OUTPUT, &pictures.desc);
    pictures.arguments[0][1] = trm_arg_port_level(out, 1);
    refused(&pictures, TRM_ERROR_OUT_OF_RANGE, "\"target\"", "level 1 of an image of 1");
    pictures.arguments[0][1] = trm_arg_port_sampled(out, sampler);
    refused(&pictures, TRM_ERROR_TYPE_MISMATCH, "\"target\"", "without a sampler");
    pictures.arguments[0][1] = trm_arg_port_level(9, 0);
    refused(&pictures, TRM_ERROR_OUT_OF_RANGE, "\"target\"", "port 9");
    pictures.arguments[0][1] = trm_arg_port_texels(out, TRM_FORMAT_R32_UINT);
    other                    = pictures.desc;
    other.format             = TRM_FORMAT_R32_FLOAT;
    pictures.ports[out]      = trm_port_image("out", TRM_PORT_OUTPUT, &other);
    refused(&pictures, TRM_ERROR_TYPE_MISMATCH, "\"target\"", "takes texels of r32ui");
    trm_sampler_destroy(sampler);
    pictures_close(&pictures);
}
END_TEST

START_TEST(images_of_pipelines_end_with_them)
{
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    struct pictures pictures;
    ck_ok(trm_device_get_usage(the.device, &before));
    if (!pictures_make(&pictures))
        return;
    pictures.expect = unchanged;
    uint32_t in     = add_picture(&pictures, "in", TRM_PORT_INPUT);
    pictures.output = add_picture(&pictures, "out", TRM_PORT_OUTPUT);
    add_move(&pictures, trm_arg_port(in), trm_arg_port(pictures.output), 1, 0, 0);
    run_with_all(&pictures);
    ck_ok(trm_device_get_usage(the.device, &after));
    ck_assert_uint_eq(after.images, before.images);
    ck_assert_uint_eq(after.buffers, before.buffers);
    ck_assert_uint_eq(after.kernels, before.kernels);
}
END_TEST

void add_pipeline_image(Suite *suite)
{
    TCase *group = group_make(suite, "pipelines of images");
    CASE(group, images_are_copied_through_a_pipeline_without_stages);
    CASE(group, images_go_up_through_kernels_and_down_with_every_strategy);
    CASE(group, a_host_stage_reads_and_writes_the_texels_of_an_image);
    CASE(group, an_image_that_tokens_share_is_written_in_their_order);
    CASE(group, images_come_from_and_go_to_memory_of_the_program);
    CASE(group, a_kernel_samples_an_image_of_a_token);
    CASE(group, a_port_is_a_texel_buffer);
    CASE(group, a_token_has_all_of_an_image_or_nothing);
    CASE(group, a_report_counts_the_bytes_of_images);
    CASE(group, ports_that_cannot_be_images_are_refused_by_name);
    CASE(group, images_that_a_kernel_does_not_take_are_refused_at_creation);
    CASE(group, images_of_pipelines_end_with_them);
}
