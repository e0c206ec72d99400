/* A film, frame by frame: a pipeline whose ports are images.
 *
 *     examples/20-film         blur and halve 24 frames of a moving ball, print one
 *
 * Each frame goes up as an image, a kernel samples it between its texels and writes a smaller image, and that
 * comes down. Frames overlap as in any pipeline. New here: ports that are images, and their samplers.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    WIDTH  = 96,
    HEIGHT = 64,
    SMALL  = 2, /* times smaller */
    FRAMES = 24,
    RADIUS = 9
};

static const char text[] =
    "#version 450\n"
    "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(binding = 0) uniform sampler2D frame;\n"
    "layout(binding = 1, rgba8) uniform writeonly image2D target;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);\n"
    "    if (any(greaterThanEqual(at, size)))\n"
    "        return;\n"
    "    /* Where four texels of the frame meet, a linear filter reads their mean. */\n"
    "    imageStore(target, at, textureLod(frame, (vec2(at) + 0.5) / vec2(size), 0));\n"
    "}\n";

/* ---- frames ----------------------------------------------------------------------------------- */

/* How bright a texel of a frame is: the ball jumps through the picture. */
static uint8_t brightness(uint64_t frame, int32_t x, int32_t y)
{
    int32_t phase = (int32_t)(frame % 12) - 6;
    int32_t dx = x - (int32_t)frame * 4, dy = y - (HEIGHT - RADIUS - (36 - phase * phase));

    return dx * dx + dy * dy < RADIUS * RADIUS ? 250 : 20;
}

/* Draws a frame where the pipeline has its input: rgba8, row after row. */
static int32_t draw(void *user, struct trm_token *token)
{
    uint8_t *texels = token->data[0];

    (void)user;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            uint8_t *texel = texels + 4 * ((ptrdiff_t)y * WIDTH + x);
            texel[0] = texel[1] = texel[2] = brightness(token->index, x, y);
            texel[3]                       = 255;
        }
    return TRM_OK;
}

static void print(const uint8_t *texels)
{
    for (int32_t y = 0; y < HEIGHT / SMALL; y += 2) {
        for (int32_t x = 0; x < WIDTH / SMALL; x++)
            putchar(" .:+*#"[texels[4 * (y * WIDTH / SMALL + x)] / 43]);
        putchar('\n');
    }
}

/* Compares a small frame with the mean of each four texels. */
static int32_t check(void *user, const struct trm_token *token)
{
    const uint8_t *texels = token->data[1];
    uint32_t *wrong       = user;

    for (int32_t y = 0; y < HEIGHT / SMALL; y++)
        for (int32_t x = 0; x < WIDTH / SMALL; x++) {
            int32_t sum = 0;
            for (int32_t i = 0; i < SMALL * SMALL; i++)
                sum += brightness(token->index, x * SMALL + i % SMALL, y * SMALL + i / SMALL);
            int32_t found = texels[4 * (y * WIDTH / SMALL + x)], mean = sum / (SMALL * SMALL);
            *wrong += found < mean - 2 || found > mean + 2;
        }
    if (token->index == FRAMES / 2 + 3)
        print(texels);
    return TRM_OK;
}

/* ---- the pipeline ----------------------------------------------------------------------------- */

/* If the device or the machine lacks a feature, skip the example instead of failing. */
static void may_be_missing(int32_t status)
{
    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
}

static struct trm_kernel *compile(struct trm_device *device)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = "halve.comp"};
    struct trm_module_desc desc     = {.struct_size = sizeof(desc),
                                       .format      = TRM_MODULE_GLSL,
                                       .data        = text,
                                       .size        = sizeof(text) - 1,
                                       .glsl        = &options};
    struct trm_module *module;
    struct trm_kernel *kernel;

    may_be_missing(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

static struct trm_image_desc picture(uint32_t width, uint32_t height, uint32_t usage)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                  .type        = TRM_IMAGE_2D,
                                  .format      = TRM_FORMAT_RGBA8_UNORM,
                                  .usage       = usage,
                                  .width       = width,
                                  .height      = height};
    return desc;
}

static void run(struct trm_device *device)
{
    struct trm_sampler_desc how = {.struct_size = sizeof(how), .filter = TRM_FILTER_LINEAR};
    struct trm_image_desc large = picture(WIDTH, HEIGHT, TRM_IMAGE_SAMPLED);
    struct trm_image_desc small = picture(WIDTH / SMALL, HEIGHT / SMALL, TRM_IMAGE_STORAGE);
    struct trm_kernel *kernel   = compile(device);
    struct trm_sampler *sampler;
    struct trm_pipeline *pipeline;
    uint32_t wrong = 0;

    must(trm_sampler_create(device, &how, &sampler));
    struct trm_port ports[]         = {trm_port_image("frame", TRM_PORT_INPUT, &large),
                                       trm_port_image("small", TRM_PORT_OUTPUT, &small)};
    struct trm_argument arguments[] = {trm_arg_port_sampled(0, sampler), trm_arg_port(1)};
    struct trm_stage stage          = trm_stage_launch(kernel, arguments, 2, 0, 0);
    must(trm_kernel_grid(kernel, WIDTH / SMALL, HEIGHT / SMALL, 1, &stage.grid));
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .name        = "film",
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = 3};
    may_be_missing(trm_pipeline_create(device, &desc, &pipeline));
    struct trm_source source = trm_source_function(draw, NULL);
    struct trm_sink sink     = trm_sink_function(check, &wrong);
    source.count             = FRAMES;
    must(trm_pipeline_run(pipeline, &source, &sink));
    expect(wrong == 0, "every texel is the mean of four");
    trm_pipeline_destroy(pipeline);
    trm_sampler_destroy(sampler);
    trm_kernel_destroy(kernel);
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    run(device);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
