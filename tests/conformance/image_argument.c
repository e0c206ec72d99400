/* Images, samplers and texel buffers as arguments of kernels that are C functions.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/cpu_kernel.h>
#include <trireme/image_layout.h>

#include "groups.h"
#include "images.h"
#include "kernels.h"

/* ---- kernels ---- */

/* What arrived. */
struct seen {
    uint64_t states[5];
    uint64_t texels; /* the first of the texel buffer */
    uint32_t width, format, has_sampler_data;
    uint8_t texel[4]; /* the first of level 1 of the storage image */
    uint32_t are_same;
};

struct words_arguments {
    struct trm_image_words storage, texture, sampled, sampler, texels;
    struct trm_cpu_buffer seen;
};

static int32_t words(const struct trm_cpu_groups *groups, const void *block)
{
    const struct words_arguments *args    = block;
    const struct trm_image_layout *layout = args->storage.data;
    struct seen *seen                     = args->seen.data;
    (void)groups;
    seen->states[0]        = args->storage.state;
    seen->states[1]        = args->texture.state;
    seen->states[2]        = args->sampled.state;
    seen->states[3]        = args->sampler.state;
    seen->states[4]        = args->texels.state;
    seen->width            = layout->level[1].width;
    seen->format           = (uint32_t)layout->format;
    seen->has_sampler_data = args->sampler.data != NULL;
    seen->are_same = args->texture.data == args->sampled.data && args->storage.data == args->texture.data;
    memcpy(&seen->texels, args->texels.data, sizeof(seen->texels));
    memcpy(seen->texel, (const uint8_t *)args->storage.data + layout->level[1].offset, sizeof(seen->texel));
    return 0;
}

/* data[0] += the first texel of the image, a number of 32 bits. */
struct add_arguments {
    struct trm_cpu_buffer data;
    struct trm_image_words image;
};

static int32_t add_texel(const struct trm_cpu_groups *groups, const void *block)
{
    const struct add_arguments *args      = block;
    const struct trm_image_layout *layout = args->image.data;
    uint32_t texel;
    (void)groups;
    memcpy(&texel, (const uint8_t *)args->image.data + layout->level[0].offset, sizeof(texel));
    *(uint32_t *)args->data.data += texel;
    return 0;
}

/* The same of MANY images. */
#define MANY 20

struct many_arguments {
    struct trm_image_words images[MANY];
    struct trm_cpu_buffer data;
};

static int32_t add_many(const struct trm_cpu_groups *groups, const void *block)
{
    const struct many_arguments *args = block;
    for (int i = 0; i < MANY; i++) {
        struct add_arguments one = {args->data, args->images[i]};
        add_texel(groups, &one);
    }
    return 0;
}

/* Adds 1 to the first texel, slowly: what is between reading and writing is lost to others. */
static int32_t count_up(const struct trm_cpu_groups *groups, const void *block)
{
    const struct add_arguments *args      = block;
    const struct trm_image_layout *layout = args->image.data;
    uint32_t texel;
    (void)groups;
    void *first = (uint8_t *)args->image.data + layout->level[0].offset;
    memcpy(&texel, first, sizeof(texel));
    for (uint32_t i = 0; i < 300000; i++)
        *(volatile uint32_t *)args->data.data = i;
    texel++;
    memcpy(first, &texel, sizeof(texel));
    return 0;
}

#define BUFFER(name_)                                                                \
    {                                                                                \
        .name = (name_), .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ | 2 \
    }
#define IMAGE(name_, kind_, type_)                                                   \
    {                                                                                \
        .name = (name_), .kind = (kind_), .type = (type_), .access = TRM_ACCESS_READ \
    }

static const struct trm_parameter words_parameters[] = {
    {.name   = "storage",
     .kind   = TRM_PARAMETER_IMAGE,
     .type   = TRM_TYPE_F32,
     .size   = TRM_IMAGE_2D,
     .stride = TRM_FORMAT_RGBA8_UNORM},
    IMAGE("texture", TRM_PARAMETER_TEXTURE, TRM_TYPE_F32),
    IMAGE("sampled", TRM_PARAMETER_SAMPLED_IMAGE, TRM_TYPE_F32),
    IMAGE("sampler", TRM_PARAMETER_SAMPLER, TRM_TYPE_NONE),
    IMAGE("texels", TRM_PARAMETER_TEXELS, TRM_TYPE_U32),
    BUFFER("seen"),
};

static const struct trm_parameter count_parameters[] = {
    BUFFER("data"),
    {.name = "image", .kind = TRM_PARAMETER_IMAGE, .type = TRM_TYPE_U32, .size = TRM_IMAGE_2D},
};

static const struct trm_parameter add_parameters[] = {
    BUFFER("data"),
    IMAGE("image", TRM_PARAMETER_SAMPLED_IMAGE, TRM_TYPE_U32),
};

#define FOUR(a, b, c, d)                                     \
    IMAGE(a, TRM_PARAMETER_SAMPLED_IMAGE, TRM_TYPE_U32),     \
        IMAGE(b, TRM_PARAMETER_SAMPLED_IMAGE, TRM_TYPE_U32), \
        IMAGE(c, TRM_PARAMETER_SAMPLED_IMAGE, TRM_TYPE_U32), \
        IMAGE(d, TRM_PARAMETER_SAMPLED_IMAGE, TRM_TYPE_U32)

static const struct trm_parameter many_parameters[] = {
    FOUR("a", "b", "c", "d"), FOUR("e", "f", "g", "h"), FOUR("i", "j", "k", "l"),
    FOUR("m", "n", "o", "p"), FOUR("q", "r", "s", "t"), BUFFER("data"),
};

static const struct trm_cpu_kernel image_kernels[] = {
    {.name = "words", .function = words, .parameters = words_parameters, .parameter_count = 6},
    {.name = "add_texel", .function = add_texel, .parameters = add_parameters, .parameter_count = 2},
    {.name = "count_up", .function = count_up, .parameters = count_parameters, .parameter_count = 2},
    {.name = "add_many", .function = add_many, .parameters = many_parameters, .parameter_count = MANY + 1},
};

static struct trm_kernel *image_kernel(const char *name)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_FUNCTIONS,
                                   .data        = image_kernels,
                                   .size        = sizeof(image_kernels)};
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    ck_ok(trm_module_load(the.device, &desc, &module));
    ck_ok(trm_kernel_get(module, name, &kernel));
    trm_module_destroy(module);
    return kernel;
}

/* ---- what the kernels get ---- */

struct given {
    struct trm_kernel *kernel;
    struct trm_image *image, *numbers; /* rgba8 of 2 levels, r32ui */
    struct trm_sampler *sampler;
    struct trm_buffer *buffer;
    struct trm_grid grid;
    struct trm_argument arguments[6]; /* of "words" */
};

static struct trm_image *number_image(uint32_t number)
{
    struct trm_image_desc desc = image_desc(TRM_IMAGE_2D, TRM_FORMAT_R32_UINT, 1, 1, 0);
    struct trm_image *image    = image_make(&desc);
    ck_ok(trm_image_upload(the.stream, image, NULL, &number, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    return image;
}

static void given_make(struct given *given)
{
    struct trm_image_desc desc  = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 8, 8, 0);
    struct trm_sampler_desc how = {
        .struct_size = sizeof(how), .filter = 1, .mip_filter = 1, .address = {1, 2, 3}, .border = 2};
    memset(given, 0, sizeof(*given));
    desc.levels    = 2;
    given->kernel  = image_kernel("words");
    given->image   = image_make(&desc);
    given->numbers = number_image(41);
    given->buffer  = make_buffer(the.device, TRM_MEMORY_DEVICE, 1024);
    given->grid    = trm_grid_1d(1, 1);
    ck_ok(trm_sampler_create(the.device, &how, &given->sampler));
    ck_ok(trm_fill(the.stream, trm_span_whole(given->buffer), 0, 1));
    given->arguments[0] = trm_arg_image(given->image, 1);
    given->arguments[1] = trm_arg_texture(given->image);
    given->arguments[2] = trm_arg_sampled(given->image, given->sampler);
    given->arguments[3] = trm_arg_sampler(given->sampler);
    given->arguments[4] = trm_arg_texels(trm_span_of(given->buffer, 256, 64), TRM_FORMAT_R32_UINT);
    given->arguments[5] = trm_arg_span(trm_span_of(given->buffer, 0, sizeof(struct seen)));
}

static void given_end(struct given *given)
{
    trm_image_destroy(given->image);
    trm_image_destroy(given->numbers);
    trm_sampler_destroy(given->sampler);
    trm_buffer_destroy(given->buffer);
    trm_kernel_destroy(given->kernel);
}

START_TEST(images_samplers_and_texel_buffers_arrive_as_two_words)
{
    if (functions_missing())
        return;
    struct given given;
    struct seen seen;
    uint8_t texels[64]             = {1, 2, 3, 4};
    uint64_t number                = UINT64_C(0x1122334455667788);
    struct trm_image_region region = {.struct_size = sizeof(region), .level = 1};
    given_make(&given);
    ck_ok(trm_image_upload(the.stream, given.image, &region, texels, 0, 0));
    put(the.stream, given.buffer, 256, &number, sizeof(number));
    ck_ok(trm_launch(the.stream, given.kernel, &given.grid, given.arguments, 6));
    get(the.stream, given.buffer, 0, &seen, sizeof(seen));
    uint64_t how = 3 | 1 << TRM_STATE_ADDRESS | 2 << (TRM_STATE_ADDRESS + 4) | 3 << (TRM_STATE_ADDRESS + 8) |
                   2 << TRM_STATE_BORDER;
    ck_assert_uint_eq(seen.states[0], UINT64_C(1) << TRM_STATE_LEVEL);
    ck_assert_uint_eq(seen.states[1], 0);
    ck_assert_uint_eq(seen.states[2], how);
    ck_assert_uint_eq(seen.states[3], how);
    ck_assert_uint_eq(seen.states[4], (uint64_t)TRM_FORMAT_R32_UINT << TRM_STATE_FORMAT | 64);
    ck_assert_uint_eq(seen.has_sampler_data, 0);
    ck_assert_uint_eq(seen.are_same, 1);
    ck_assert_uint_eq(seen.width, 4);
    ck_assert_uint_eq(seen.format, TRM_FORMAT_RGBA8_UNORM);
    ck_assert_uint_eq(seen.texels, number);
    ck_assert_mem_eq(seen.texel, texels, 4);
    given_end(&given);
}
END_TEST

START_TEST(more_images_than_fit_inline_arrive)
{
    if (functions_missing())
        return;
    struct given given;
    struct trm_argument arguments[MANY + 1];
    uint32_t sum                = 0;
    struct trm_sampler_desc how = {.struct_size = sizeof(how)};
    struct trm_sampler *plain   = NULL;
    given_make(&given);
    ck_ok(trm_sampler_create(the.device, &how, &plain));
    struct trm_kernel *many = image_kernel("add_many");
    for (int i = 0; i < MANY; i++)
        arguments[i] = trm_arg_sampled(given.numbers, plain);
    arguments[MANY]      = trm_arg_buffer(given.buffer);
    arguments[MANY].name = "data"; /* arranged once more */
    ck_ok(trm_launch(the.stream, many, &given.grid, arguments, MANY + 1));
    get(the.stream, given.buffer, 0, &sum, sizeof(sum));
    ck_assert_uint_eq(sum, MANY * 41);
    trm_kernel_destroy(many);
    trm_sampler_destroy(plain);
    given_end(&given);
}
END_TEST

/* ---- what is refused ---- */

static void refuse(const struct given *given, int index, struct trm_argument argument, int32_t status,
                   const char *said)
{
    struct trm_argument arguments[6];
    char place[40];
    memcpy(arguments, given->arguments, sizeof(arguments));
    arguments[index] = argument;
    snprintf(place, sizeof(place), "argument %d", index);
    ck_status(trm_launch(the.stream, given->kernel, &given->grid, arguments, 6), status);
    ck_sentence_has(said);
    ck_sentence_has(place);
}

START_TEST(an_argument_of_another_kind_is_refused)
{
    if (functions_missing())
        return;
    struct given given;
    int32_t mismatch = TRM_ERROR_TYPE_MISMATCH;
    given_make(&given);
    refuse(&given, 0, trm_arg_texture(given.image), mismatch, "is a storage image of rgba8, but a sampled");
    refuse(&given, 1, trm_arg_image(given.image, 0), mismatch, "but a storage image was given");
    refuse(&given, 2, trm_arg_texture(given.image), mismatch, "is a sampled image of f32 with a sampler");
    refuse(&given, 3, trm_arg_buffer(given.buffer), mismatch, "is a sampler, but a buffer was given");
    refuse(&given, 4, trm_arg_buffer(given.buffer), mismatch, "is a texel buffer of u32");
    refuse(&given, 5, trm_arg_image(given.image, 0), mismatch, "is a buffer, but a storage image");
    refuse(&given, 5, trm_arg_sampler(given.sampler), mismatch, "but a sampler was given");
    given_end(&given);
}
END_TEST

START_TEST(an_image_that_the_kernel_cannot_take_is_refused)
{
    if (functions_missing())
        return;
    struct given given;
    int32_t mismatch = TRM_ERROR_TYPE_MISMATCH, wrong = TRM_ERROR_INVALID_ARGUMENT;
    given_make(&given);
    struct trm_image_desc desc = image_desc(TRM_IMAGE_3D, TRM_FORMAT_RGBA8_UNORM, 2, 2, 2);
    struct trm_image *solid    = image_make(&desc);
    desc                       = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 2, 2, 0);
    desc.usage                 = TRM_IMAGE_SAMPLED;
    struct trm_image *sampled  = image_make(&desc);
    desc.usage                 = TRM_IMAGE_STORAGE;
    struct trm_image *storage  = image_make(&desc);
    refuse(&given, 0, trm_arg_image(solid, 0), mismatch, "takes a 2D image, but this is a 3D image");
    refuse(&given, 0, trm_arg_image(given.numbers, 0), mismatch,
           "takes texels of rgba8, but these are r32ui");
    refuse(&given, 1, trm_arg_texture(given.numbers), mismatch, "reads texels as f32");
    refuse(&given, 0, trm_arg_image(sampled, 0), wrong, "without TRM_IMAGE_STORAGE");
    refuse(&given, 1, trm_arg_texture(storage), wrong, "without TRM_IMAGE_SAMPLED");
    refuse(&given, 0, trm_arg_image(given.image, 2), TRM_ERROR_OUT_OF_RANGE, "level 2 of an image of 2");
    refuse(&given, 0, trm_arg_image(NULL, 0), TRM_ERROR_INVALID_HANDLE, "expected an image, got NULL");
    refuse(&given, 2, trm_arg_sampled(given.image, NULL), TRM_ERROR_INVALID_HANDLE, "expected a sampler");
    trm_image_destroy(solid);
    refuse(&given, 1, trm_arg_texture(solid), TRM_ERROR_INVALID_HANDLE, "this image has been destroyed");
    trm_image_destroy(sampled);
    trm_image_destroy(storage);
    given_end(&given);
}
END_TEST

START_TEST(a_sampler_that_does_not_fit_its_image_is_refused)
{
    if (functions_missing())
        return;
    struct given given;
    struct trm_sampler_desc how = {.struct_size = sizeof(how), .unnormalized = 1};
    struct trm_sampler *texels  = NULL;
    struct trm_kernel *add      = image_kernel("add_texel");
    given_make(&given);
    ck_ok(trm_sampler_create(the.device, &how, &texels));
    refuse(&given, 2, trm_arg_sampled(given.image, texels), TRM_ERROR_INVALID_ARGUMENT, "one level");
    struct trm_argument arguments[] = {trm_arg_buffer(given.buffer),
                                       trm_arg_sampled(given.numbers, given.sampler)};
    ck_status(trm_launch(the.stream, add, &given.grid, arguments, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("texels of r32ui, which are integers");
    arguments[1] = trm_arg_sampled(given.numbers, texels);
    ck_ok(trm_launch(the.stream, add, &given.grid, arguments, 2));
    ck_ok(trm_stream_sync(the.stream));
    trm_sampler_destroy(texels);
    trm_kernel_destroy(add);
    given_end(&given);
}
END_TEST

START_TEST(a_texel_buffer_of_the_wrong_format_or_place_is_refused)
{
    if (functions_missing())
        return;
    struct given given;
    int32_t wrong = TRM_ERROR_INVALID_ARGUMENT;
    given_make(&given);
    struct trm_span span = trm_span_of(given.buffer, 0, 64);
    refuse(&given, 4, trm_arg_texels(span, TRM_FORMAT_R32_FLOAT), TRM_ERROR_TYPE_MISMATCH, "as u32");
    refuse(&given, 4, trm_arg_texels(span, TRM_FORMAT_NONE), wrong, "0 is not a format");
    span.length = 63;
    refuse(&given, 4, trm_arg_texels(span, TRM_FORMAT_R32_UINT), wrong, "not a multiple of a texel of 4");
    span.length = 2000;
    refuse(&given, 4, trm_arg_texels(span, TRM_FORMAT_R32_UINT), TRM_ERROR_OUT_OF_RANGE, "past the end");
    given_end(&given);
}
END_TEST

START_TEST(an_image_and_a_sampler_of_another_device_are_refused)
{
    if (functions_missing())
        return;
    struct given given;
    struct trm_device *device   = second_device();
    struct trm_image_desc desc  = image_desc(TRM_IMAGE_2D, TRM_FORMAT_RGBA8_UNORM, 2, 2, 0);
    struct trm_sampler_desc how = {.struct_size = sizeof(how)};
    struct trm_image *image     = NULL;
    struct trm_sampler *sampler = NULL;
    given_make(&given);
    ck_ok(trm_image_create(device, &desc, &image));
    ck_ok(trm_sampler_create(device, &how, &sampler));
    refuse(&given, 1, trm_arg_texture(image), TRM_ERROR_WRONG_DEVICE, "the image belongs to another device");
    refuse(&given, 3, trm_arg_sampler(sampler), TRM_ERROR_WRONG_DEVICE, "the sampler belongs to another");
    trm_image_destroy(image);
    trm_sampler_destroy(sampler);
    given_end(&given);
}
END_TEST

/* ---- graphs and pipelines ---- */

START_TEST(a_graph_keeps_its_images_and_takes_others)
{
    if (functions_missing())
        return;
    struct trm_sampler_desc how  = {.struct_size = sizeof(how)};
    struct trm_sampler *sampler  = NULL;
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;
    struct trm_kernel *add       = image_kernel("add_texel");
    struct trm_image *image = number_image(41), *other = number_image(1000);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 4);
    struct trm_grid grid      = trm_grid_1d(1, 1);
    uint32_t sum              = 0;
    ck_ok(trm_sampler_create(the.device, &how, &sampler));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 4));
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_sampled(image, sampler)};
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(trm_launch(recording, add, &grid, arguments, 2));
    ck_ok(trm_graph_instantiate(graph, &exec));
    arguments[1] = trm_arg_sampled(other, sampler);
    trm_image_destroy(image);
    for (int i = 0; i < 3; i++)
        ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_graph_update_launch(exec, 0, &grid, arguments, 2));
    trm_image_destroy(other);
    trm_sampler_destroy(sampler);
    ck_ok(trm_graph_launch(exec, the.stream));
    get(the.stream, buffer, 0, &sum, sizeof(sum));
    ck_assert_uint_eq(sum, 3 * 41 + 1000);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(add);
}
END_TEST

struct shaped {
    struct trm_image *image;
    struct trm_sampler *sampler;
    bool is_seen;
};

static int32_t see_image(void *user, const struct trm_token *token, struct trm_grid *grid,
                         struct trm_argument *arguments)
{
    struct shaped *shaped = user;
    (void)token;
    (void)grid;
    shaped->is_seen = arguments[1].kind == TRM_PARAMETER_SAMPLED_IMAGE &&
                      arguments[1].value.image.image == shaped->image &&
                      arguments[1].value.image.sampler == shaped->sampler;
    return TRM_OK;
}

START_TEST(a_pipeline_keeps_the_images_of_its_stages)
{
    if (functions_missing())
        return;
    static uint32_t input[16];
    struct trm_sampler_desc how   = {.struct_size = sizeof(how)};
    struct trm_pipeline *pipeline = NULL;
    struct shaped shaped          = {.image = number_image(41)};
    struct trm_kernel *add        = image_kernel("add_texel");
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 4);
    uint32_t sum                  = 0;
    ck_ok(trm_sampler_create(the.device, &how, &shaped.sampler));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 4));
    ck_ok(trm_stream_sync(the.stream));
    struct trm_port port            = trm_port_input("in", 16);
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_sampled(shaped.image, shaped.sampler)};
    struct trm_stage stage          = trm_stage_launch(add, arguments, 2, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = &port,
                                       .port_count  = 1,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = 2};
    stage.grid                      = trm_grid_1d(1, 1);
    stage.shape                     = see_image;
    stage.user                      = &shaped;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    trm_image_destroy(shaped.image);
    trm_sampler_destroy(shaped.sampler);
    struct trm_source source = trm_source_memory(input, sizeof(input));
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    get(the.stream, buffer, 0, &sum, sizeof(sum));
    ck_assert_uint_eq(sum, 4 * 41);
    ck_assert_msg(shaped.is_seen, "the shape function did not see the program's image and sampler");
    trm_pipeline_destroy(pipeline);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(add);
}
END_TEST

START_TEST(tokens_that_write_one_image_take_turns)
{
    if (functions_missing())
        return;
    enum {
        TOKENS = 400
    };
    static uint32_t input[TOKENS];
    struct trm_pipeline *pipeline   = NULL;
    struct trm_kernel *count_up     = image_kernel("count_up");
    struct trm_image *image         = number_image(0);
    uint32_t counted                = 0;
    struct trm_port port            = trm_port_input("in", 4);
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_image(image, 0)};
    struct trm_stage stage          = trm_stage_launch(count_up, arguments, 2, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = &port,
                                       .port_count  = 1,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = 4,
                                       .strategy    = TRM_STRATEGY_SLOT_STREAMS};
    stage.grid                      = trm_grid_1d(1, 1);
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    struct trm_source source = trm_source_memory(input, sizeof(input));
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_ok(trm_image_download(the.stream, &counted, image, NULL, 0, 0));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(counted, TOKENS);
    trm_pipeline_destroy(pipeline);
    trm_image_destroy(image);
    trm_kernel_destroy(count_up);
}
END_TEST

void add_image_argument(Suite *suite)
{
    TCase *group = group_make(suite, "images as arguments");
    CASE(group, images_samplers_and_texel_buffers_arrive_as_two_words);
    CASE(group, more_images_than_fit_inline_arrive);
    CASE(group, an_argument_of_another_kind_is_refused);
    CASE(group, an_image_that_the_kernel_cannot_take_is_refused);
    CASE(group, a_sampler_that_does_not_fit_its_image_is_refused);
    CASE(group, a_texel_buffer_of_the_wrong_format_or_place_is_refused);
    CASE(group, an_image_and_a_sampler_of_another_device_are_refused);
    CASE(group, a_graph_keeps_its_images_and_takes_others);
    CASE(group, a_pipeline_keeps_the_images_of_its_stages);
    CASE(group, tokens_that_write_one_image_take_turns);
}
