/* A kernel as text: GLSL that the library compiles for the available device when the program runs; launched
 * with arguments by name.
 *
 * New here: a module of GLSL, specialisation constants, the grid of a kernel, arguments by name.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <string.h>

enum {
    WIDTH  = 64,
    HEIGHT = 48
};

/* The kernel declares the size of its groups and the names of its arguments. */
static const char text[] =
    "#version 450\n"
    "layout(local_size_x = 16, local_size_y = 16) in;\n"
    "layout(constant_id = 0) const int steps = 50;\n"
    "layout(std430, binding = 0) writeonly buffer Out { uint image[]; };\n"
    "layout(push_constant) uniform Arguments { vec2 centre; float scale; uvec2 size; };\n"
    "\n"
    "void main()\n"
    "{\n"
    "    uvec2 at = gl_GlobalInvocationID.xy;\n"
    "    if (any(greaterThanEqual(at, size)))\n"
    "        return;\n"
    "    vec2 c = centre + (vec2(at) - 0.5 * vec2(size)) * scale, z = vec2(0);\n"
    "    uint step = 0;\n"
    "    while (step < steps && dot(z, z) < 4) {\n"
    "        z = vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;\n"
    "        step++;\n"
    "    }\n"
    "    image[at.y * size.x + at.x] = step;\n"
    "}\n";

/* Compile the text. If the device or the machine lacks a feature, skip the example instead of failing. */
static struct trm_kernel *compile(struct trm_device *device)
{
    struct trm_constant steps       = trm_constant_i32("steps", 100);
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = "mandelbrot.comp"};
    struct trm_module_desc desc     = {.struct_size    = sizeof(desc),
                                       .format         = TRM_MODULE_GLSL,
                                       .data           = text,
                                       .size           = strlen(text),
                                       .constants      = &steps,
                                       .constant_count = 1,
                                       .glsl           = &options};
    struct trm_module *module;
    struct trm_kernel *kernel;

    int32_t status = trm_module_load(device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    must(trm_kernel_get(module, NULL, &kernel)); /* NULL: the only kernel of the module */
    trm_module_destroy(module);                  /* the kernel keeps a reference */
    return kernel;
}

/* Print the interface of the kernel. */
static void describe(struct trm_kernel *kernel)
{
    struct trm_kernel_info info = {.struct_size = sizeof(info)};

    must(trm_kernel_describe(kernel, &info));
    printf("%s, in groups of %u x %u:", info.name, info.group_size[0], info.group_size[1]);
    for (uint32_t i = 0; i < info.parameter_count; i++)
        printf(" %s", info.parameters[i].name);
    puts("");
}

int main(void)
{
    static const float centre[2]  = {-0.5f, 0.0f};
    static const uint32_t size[2] = {WIDTH, HEIGHT};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
    struct trm_array *image;
    struct trm_buffer *buffer;
    struct trm_grid grid;
    static uint32_t steps[HEIGHT][WIDTH];

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_device_thread_stream(device, &stream));
    struct trm_kernel *kernel = compile(device);
    describe(kernel);

    must(trm_array_create(device, TRM_TYPE_U32, WIDTH * HEIGHT, TRM_MEMORY_DEVICE, NULL, &image));
    must(trm_array_buffer(image, &buffer));
    must(trm_kernel_grid(kernel, WIDTH, HEIGHT, 1, &grid)); /* as many groups as cover the image */
    struct trm_argument arguments[] = {
        trm_arg_named("image", trm_arg_buffer(buffer)),
        trm_arg_named("scale", trm_arg_f32(3.0f / WIDTH)),
        trm_arg_named("centre", trm_arg_block(centre, sizeof(centre))),
        trm_arg_named("size", trm_arg_block(size, sizeof(size))),
    };
    must(trm_launch(stream, kernel, &grid, arguments, 4));
    must(trm_array_download(image, TRM_TYPE_U32, 0, WIDTH * HEIGHT, steps));

    for (int y = 0; y < HEIGHT; y += 2) {
        for (int x = 0; x < WIDTH; x++)
            putchar(steps[y][x] == 100 ? '#' : steps[y][x] > 8 ? '+' : steps[y][x] > 4 ? '.' : ' ');
        putchar('\n');
    }
    expect(steps[HEIGHT / 2][WIDTH / 2] == 100, "the middle never leaves");
    expect(steps[0][0] < 5, "a corner leaves at once");

    trm_array_destroy(image);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
