/* A picture turned by an angle: a kernel samples an image between its texels, and writes another image.
 *
 *     examples/19-image                                turn a picture of a window, print it
 *     examples/19-image 30 picture.pgm turned.pgm      turn a PGM file by 30 degrees
 *
 * New here: images, samplers, and arguments of both.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <math.h>

static const char text[] =
    "#version 450\n"
    "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(binding = 0) uniform sampler2D source;\n"
    "layout(binding = 1, r8) uniform writeonly image2D target;\n"
    "layout(push_constant) uniform Arguments { float angle; };\n"
    "\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);\n"
    "    if (any(greaterThanEqual(at, size)))\n"
    "        return;\n"
    "    vec2 middle = 0.5 * vec2(size), from = vec2(at) + 0.5 - middle;\n"
    "    from = vec2(cos(angle) * from.x + sin(angle) * from.y, cos(angle) * from.y - sin(angle) * from.x);\n"
    "    imageStore(target, at, textureLod(source, (from + middle) / vec2(size), 0));\n"
    "}\n";

struct picture {
    uint32_t width, height;
    uint8_t *grey;
};

/* ---- pictures --------------------------------------------------------------------------------- */

static struct picture blank(uint32_t width, uint32_t height)
{
    struct picture picture = {width, height, calloc((size_t)width * height, 1)};

    if (picture.grey == NULL)
        exit(1);
    return picture;
}

/* A window with four panes. */
static struct picture draw(void)
{
    struct picture picture = blank(64, 48);

    for (uint32_t y = 8; y < 40; y++)
        for (uint32_t x = 8; x < 56; x++)
            picture.grey[y * 64 + x] = x % 24 >= 10 && x % 24 < 14  ? 255
                                       : y % 16 >= 6 && y % 16 < 10 ? 255
                                                                    : 100;
    return picture;
}

static struct picture read_pgm(const char *path)
{
    uint32_t width = 0, height = 0;
    FILE *file = fopen(path, "rb");

    if (file == NULL || fscanf(file, "P5 %u %u 255", &width, &height) != 2 || fgetc(file) == EOF ||
        width == 0 || height == 0 || width > 16384 || height > 16384) {
        fprintf(stderr, "%s is no PGM file of 8 bits\n", path);
        exit(1);
    }
    struct picture picture = blank(width, height);
    expect(fread(picture.grey, width, height, file) == height, "the file is complete");
    fclose(file);
    return picture;
}

static void write_pgm(const char *path, const struct picture *picture)
{
    FILE *file = fopen(path, "wb");

    expect(file != NULL, "the output can be created");
    fprintf(file, "P5\n%u %u\n255\n", picture->width, picture->height);
    fwrite(picture->grey, picture->width, picture->height, file);
    expect(fclose(file) == 0, "the output was written");
}

static void print(const struct picture *picture)
{
    for (uint32_t y = 0; y < picture->height; y += 2) {
        for (uint32_t x = 0; x < picture->width; x++)
            putchar(" .:+*#"[picture->grey[y * picture->width + x] / 43]);
        putchar('\n');
    }
}

/* ---- the same on the host --------------------------------------------------------------------- */

static float texel(const struct picture *picture, int32_t x, int32_t y)
{
    bool is_inside = x >= 0 && y >= 0 && x < (int32_t)picture->width && y < (int32_t)picture->height;

    return is_inside ? picture->grey[(uint32_t)y * picture->width + (uint32_t)x] : 0.0f;
}

/* What the sampler reads at a place in texels, where the first texel is between 0 and 1. */
static float sample(const struct picture *picture, float x, float y)
{
    float left = floorf(x - 0.5f), top = floorf(y - 0.5f), a = x - 0.5f - left, b = y - 0.5f - top;
    int32_t i = (int32_t)left, j = (int32_t)top;

    return (1 - b) * ((1 - a) * texel(picture, i, j) + a * texel(picture, i + 1, j)) +
           b * ((1 - a) * texel(picture, i, j + 1) + a * texel(picture, i + 1, j + 1));
}

static void check(const struct picture *source, const struct picture *turned, float angle)
{
    float middle_x = 0.5f * (float)source->width, middle_y = 0.5f * (float)source->height;
    uint32_t wrong = 0;

    for (uint32_t y = 0; y < source->height; y++)
        for (uint32_t x = 0; x < source->width; x++) {
            float dx = (float)x + 0.5f - middle_x, dy = (float)y + 0.5f - middle_y;
            float should = sample(source, cosf(angle) * dx + sinf(angle) * dy + middle_x,
                                  cosf(angle) * dy - sinf(angle) * dx + middle_y);
            wrong += fabsf(should - turned->grey[y * source->width + x]) > 2.5f;
        }
    expect(wrong == 0, "every texel is what the filter makes of its neighbours");
}

/* ---- the kernel ------------------------------------------------------------------------------- */

/* If the device or the machine lacks a feature, skip the example instead of failing. */
static struct trm_kernel *compile(struct trm_device *device)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = "turn.comp"};
    struct trm_module_desc desc     = {.struct_size = sizeof(desc),
                                       .format      = TRM_MODULE_GLSL,
                                       .data        = text,
                                       .size        = sizeof(text) - 1,
                                       .glsl        = &options};
    struct trm_module *module;
    struct trm_kernel *kernel;

    int32_t status = trm_module_load(device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    must(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

static struct trm_image *create(struct trm_device *device, const struct picture *picture, uint32_t usage)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                  .type        = TRM_IMAGE_2D,
                                  .format      = TRM_FORMAT_R8_UNORM, /* 0 to 255 is 0 to 1 in the kernel */
                                  .usage       = usage,
                                  .width       = picture->width,
                                  .height      = picture->height};
    struct trm_image *image;

    int32_t status = trm_image_create(device, &desc, &image);
    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    return image;
}

/* Between texels the sampler blends the nearest ones; outside of the picture it reads black. */
static void turn(struct trm_device *device, const struct picture *source, float angle, struct picture *turned)
{
    struct trm_sampler_desc how = {.struct_size = sizeof(how),
                                   .filter      = TRM_FILTER_LINEAR,
                                   .address = {TRM_ADDRESS_BORDER, TRM_ADDRESS_BORDER, TRM_ADDRESS_BORDER},
                                   .border  = TRM_BORDER_BLACK};
    struct trm_stream *stream;
    struct trm_sampler *sampler;
    struct trm_grid grid;

    struct trm_kernel *kernel = compile(device);
    struct trm_image *from    = create(device, source, TRM_IMAGE_SAMPLED);
    struct trm_image *to      = create(device, turned, TRM_IMAGE_STORAGE);
    must(trm_sampler_create(device, &how, &sampler));
    must(trm_device_thread_stream(device, &stream));
    must(trm_kernel_grid(kernel, source->width, source->height, 1, &grid));
    struct trm_argument arguments[] = {
        trm_arg_named("source", trm_arg_sampled(from, sampler)),
        trm_arg_named("target", trm_arg_image(to, 0)),
        trm_arg_named("angle", trm_arg_f32(angle)),
    };
    must(trm_image_upload(stream, from, NULL, source->grey, 0, 0));
    must(trm_launch(stream, kernel, &grid, arguments, 3));
    must(trm_image_download(stream, turned->grey, to, NULL, 0, 0));
    must(trm_stream_sync(stream));
    trm_sampler_destroy(sampler);
    trm_image_destroy(to);
    trm_image_destroy(from);
    trm_kernel_destroy(kernel);
}

int main(int argc, char **argv)
{
    struct trm_context *context;
    struct trm_device *device;
    float angle           = (argc > 1 ? (float)atof(argv[1]) : 30.0f) * 0.01745329f;
    struct picture source = argc > 3 ? read_pgm(argv[2]) : draw();
    struct picture turned = blank(source.width, source.height);

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    turn(device, &source, angle, &turned);
    check(&source, &turned, angle);
    if (argc > 3)
        write_pgm(argv[3], &turned);
    else
        print(&turned);
    trm_device_destroy(device);
    trm_context_destroy(context);
    free(source.grey);
    free(turned.grey);
    return 0;
}
