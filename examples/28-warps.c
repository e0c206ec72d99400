/* A kernel in CUDA C++ whose warps share the work: one moves tiles from global to shared memory, the others
 * compute. It is compared with the same arithmetic in a kernel whose threads do both.
 *
 *     examples/28-warps [FOLDER]      FOLDER has trireme/device/pipe.cuh
 *
 * New here: native kernels, options for their compiler, <trireme/device/pipe.cuh>. It takes a GPU of NVIDIA's
 * from Ampere on, and NVRTC.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#ifndef INCLUDE_FOLDER
#define INCLUDE_FOLDER "/usr/local/include"
#endif

enum {
    COUNT  = (16 << 20) - 3,
    BYTES  = COUNT * sizeof(float),
    GROUPS = 264, /* two for each multiprocessor of an H200 */
    ROUNDS = 20
};

static const char text[] =
    "#include <trireme/device/pipe.cuh>\n"
    "\n"
    "static __device__ float settle(float x)\n"
    "{\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        x = 0.5f * x + 1.0f;\n"
    "    return x;\n"
    "}\n"
    "\n"
    "extern \"C\" __global__ void plain(const float *from, float *to, unsigned count)\n"
    "{\n"
    "    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)\n"
    "        to[i] = settle(from[i]);\n"
    "}\n"
    "\n"
    "using floats = trireme::pipe<float, 2048, 4>;\n"
    "\n"
    "extern \"C\" __global__ void piped(const float *from, float *to, unsigned count)\n"
    "{\n"
    "    __shared__ floats::ring ring;\n"
    "    floats pipe(ring);\n"
    "    for (unsigned first = blockIdx.x * 2048; first < count; first += gridDim.x * 2048) {\n"
    "        if (pipe.is_producer()) {\n"
    "            pipe.produce(from + first, min(2048u, count - first));\n"
    "        } else {\n"
    "            const float *x = pipe.consume();\n"
    "            for (unsigned i = pipe.consumer(); i < pipe.count(); i += pipe.consumers())\n"
    "                to[first + i] = settle(x[i]);\n"
    "            pipe.release();\n"
    "        }\n"
    "    }\n"
    "}\n";

static struct trm_module *load_or_skip(struct trm_device *device, const char *folder)
{
    char include[4096];
    snprintf(include, sizeof(include), "-I%s", folder);
    const char *options[]               = {include};
    const struct trm_native_options own = {
        .struct_size = sizeof(own), .compiler_options = options, .compiler_option_count = 1};
    const struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                         .format      = TRM_MODULE_CUDA,
                                         .data        = text,
                                         .size        = sizeof(text),
                                         .name        = "warps",
                                         .native      = &own};
    struct trm_module *module;

    if (trm_module_load(device, &desc, &module) == TRM_OK)
        return module;
    printf("this takes a GPU from Ampere on and CUDA's compiler: %.200s\n", trm_last_error().sentence);
    exit(77);
}

/* Runs a kernel ROUNDS times and returns the GB/s that it reads and writes. */
static double run(struct trm_device *device, struct trm_stream *stream, struct trm_module *module,
                  const char *name, uint32_t threads, struct trm_buffer *from, struct trm_buffer *to)
{
    const struct trm_grid grid            = trm_grid_1d(GROUPS, threads);
    const struct trm_argument arguments[] = {trm_arg_buffer(from), trm_arg_buffer(to), trm_arg_u32(COUNT)};
    struct trm_kernel *kernel;
    struct trm_event *begin, *end;
    int64_t took;

    must(trm_kernel_get(module, name, &kernel));
    must(trm_event_create(device, TRM_EVENT_TIMING, &begin));
    must(trm_event_create(device, TRM_EVENT_TIMING, &end));
    must(trm_launch(stream, kernel, &grid, arguments, 3)); /* the first launch loads the code */
    must(trm_event_record(begin, stream));
    for (int round = 0; round < ROUNDS; round++)
        must(trm_launch(stream, kernel, &grid, arguments, 3));
    must(trm_event_record(end, stream));
    must(trm_stream_sync(stream));
    must(trm_event_elapsed(begin, end, &took));
    trm_event_destroy(begin);
    trm_event_destroy(end);
    trm_kernel_destroy(kernel);
    return 2.0 * ROUNDS * BYTES / (double)took;
}

int main(int argc, char **argv)
{
    float *input = malloc(BYTES), *plain = malloc(BYTES), *piped = malloc(BYTES);
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
    struct trm_buffer *from, *to;

    if (input == NULL || plain == NULL || piped == NULL)
        return 1;
    for (uint32_t i = 0; i < COUNT; i++)
        input[i] = (float)(i % 1000);
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_module *module = load_or_skip(device, argc > 1 ? argv[1] : INCLUDE_FOLDER);
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, BYTES, &from));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, BYTES, &to));
    must(trm_upload(stream, trm_span_whole(from), input));

    double plain_rate = run(device, stream, module, "plain", 1024, from, to);
    must(trm_download(stream, plain, trm_span_whole(to)));
    must(trm_fill(stream, trm_span_whole(to), 0xff, 1));
    double piped_rate = run(device, stream, module, "piped", 288, from, to);
    must(trm_download(stream, piped, trm_span_whole(to)));
    must(trm_stream_sync(stream));

    expect(memcmp(plain, piped, BYTES) == 0, "both kernels give the same");
    expect(plain[999] > 2.0f && plain[999] < 2.1f, "the arithmetic settles at 2");
    printf("every thread loads and computes: %.0f GB/s\none warp loads, eight compute:   %.0f GB/s\n",
           plain_rate, piped_rate);

    trm_buffer_destroy(to);
    trm_buffer_destroy(from);
    trm_stream_destroy(stream);
    trm_module_destroy(module);
    trm_device_destroy(device);
    trm_context_destroy(context);
    free(piped);
    free(plain);
    free(input);
    return 0;
}
