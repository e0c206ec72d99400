/* The suite "kernel" on Trireme: the shaders of this folder and the built-in kernels, on the device that
 * TRIREME_BACKEND names. BENCH_SHADERS is the folder of the shaders, BENCH_BACKEND what the lines are named
 * by.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "kernel_work.h"

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

/* The device of the environment, in a context with this setting (NULL: none). */
static void open_with(const struct trm_setting *setting)
{
    struct trm_context_desc desc = {
        .struct_size = sizeof(desc), .settings = setting, .setting_count = setting ? 1 : 0};

    must(trm_context_create(&desc, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
}

static void close_device(void)
{
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

/* ---- a kernel with its buffers ---------------------------------------------------------------------- */

enum {
    BUFFERS_MOST = 3,
    REDUCE_GROUP = 256,               /* items of a group of the built-in reduce */
    REDUCE_BLOCK = REDUCE_GROUP * 16, /* elements of its block */
};

struct work {
    struct trm_module *module;
    struct trm_kernel *kernel;
    struct trm_buffer *buffers[BUFFERS_MOST];
    int buffer_count;
    int last; /* the buffer that reduce() left its result in */
};

/* Loads NAME.comp of BENCH_SHADERS where it is there, else the built-in kernel of that name. */
static void load(struct work *work, const char *name)
{
    const char *folder = getenv("BENCH_SHADERS");
    char path[4096], text[8192];
    struct trm_module_desc desc = {.struct_size = sizeof(desc), .name = name};

    *work = (struct work){0};
    snprintf(path, sizeof(path), "%s/%s.comp", folder ? folder : ".", name);
    FILE *file = fopen(path, "r");
    if (file) {
        desc.format = TRM_MODULE_GLSL;
        desc.data   = text;
        desc.size   = fread(text, 1, sizeof(text), file);
        fclose(file);
    } else {
        desc.format = TRM_MODULE_NAMED;
        desc.data   = name;
        desc.size   = strlen(name) + 1;
    }
    must(trm_module_load(device, &desc, &work->module));
    must(trm_kernel_get(work->module, NULL, &work->kernel));
}

/* Another buffer, with these floats in it, or with any where `floats` is NULL. */
static struct trm_argument add(struct work *work, size_t count, const float *floats)
{
    struct trm_buffer *buffer;

    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, count * sizeof(float), &buffer));
    if (floats)
        must(trm_upload(stream, trm_span_whole(buffer), floats));
    must(trm_stream_sync(stream));
    work->buffers[work->buffer_count++] = buffer;
    return trm_arg_buffer(buffer);
}

/* Runs twice and gives the rate of the second. */
static double run(struct work *work, uint64_t items_x, uint64_t items_y, const struct trm_argument *arguments,
                  uint32_t count, double amount)
{
    struct trm_grid grid;
    uint64_t begin = 0;

    must(trm_kernel_grid(work->kernel, items_x, items_y, 1, &grid));
    for (int i = 0; i < 2; i++) {
        begin = measure_now();
        must(trm_launch(stream, work->kernel, &grid, arguments, count));
        must(trm_stream_sync(stream));
    }
    return work_rate(amount, begin);
}

static void read_floats(struct trm_buffer *buffer, size_t first, size_t count, float *floats)
{
    must(trm_download(stream, floats, trm_span_of(buffer, first * sizeof(float), count * sizeof(float))));
    must(trm_stream_sync(stream));
}

static void unload(struct work *work)
{
    for (int i = 0; i < work->buffer_count; i++)
        trm_buffer_destroy(work->buffers[i]);
    trm_kernel_destroy(work->kernel);
    trm_module_destroy(work->module);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the figures ------------------------------------------------------------------------------------ */

static double sample_saxpy(void)
{
    float *floats = work_floats(SAXPY_COUNT);
    struct work work;

    load(&work, "saxpy");
    struct trm_argument arguments[] = {add(&work, SAXPY_COUNT, floats), add(&work, SAXPY_COUNT, floats),
                                       trm_arg_u32(SAXPY_COUNT), trm_arg_f32(SAXPY_FACTOR)};
    double rate                     = run(&work, SAXPY_COUNT, 1, arguments, COUNT(arguments), SAXPY_BYTES);
    unload(&work);
    free(floats);
    return rate;
}

static double sample_blur(void)
{
    size_t count = (size_t)IMAGE_SIDE * IMAGE_SIDE;
    float *image = work_floats(count), result;
    struct work work;

    load(&work, "blur");
    struct trm_argument arguments[] = {add(&work, count, image), add(&work, count, image),
                                       trm_arg_i32(IMAGE_SIDE)};
    double rate = run(&work, IMAGE_SIDE, IMAGE_SIDE, arguments, COUNT(arguments), BLUR_BYTES);
    read_floats(work.buffers[1], 77 * IMAGE_SIDE + 99, 1, &result);
    work_check("Trireme: the mean is wrong", (double)result, work_blur_element(image, 77, 99));
    unload(&work);
    free(image);
    return rate;
}

static double sample_fma(void)
{
    float *floats = work_floats(FMA_COUNT);
    struct work work;

    load(&work, "fma_32");
    struct trm_argument arguments[] = {add(&work, FMA_COUNT, floats)};
    double rate                     = run(&work, FMA_COUNT, 1, arguments, COUNT(arguments), FMA_WORK);
    unload(&work);
    free(floats);
    return rate;
}

static double sample_tree_sum(void)
{
    static float partial[256];
    float *numbers = work_eighths(SUM_COUNT);
    double total   = 0;
    struct work work;

    load(&work, "tree_sum");
    struct trm_argument arguments[] = {add(&work, SUM_COUNT, numbers), add(&work, COUNT(partial), NULL),
                                       trm_arg_u32(SUM_COUNT)};
    double rate = run(&work, 256 * COUNT(partial), 1, arguments, COUNT(arguments), SUM_BYTES);
    read_floats(work.buffers[1], 0, COUNT(partial), partial);
    for (size_t i = 0; i < COUNT(partial); i++)
        total += (double)partial[i];
    work_check("Trireme: the sum is wrong", total, SUM_RESULT);
    unload(&work);
    free(numbers);
    return rate;
}

static double sample_gemm_tile(void)
{
    size_t count  = (size_t)GEMM_SIDE * GEMM_SIDE;
    float *floats = work_floats(count), result;
    struct work work;

    load(&work, "gemm_tile");
    struct trm_argument arguments[] = {add(&work, count, floats), add(&work, count, floats),
                                       add(&work, count, NULL), trm_arg_u32(GEMM_SIDE)};
    double rate = run(&work, GEMM_SIDE, GEMM_SIDE, arguments, COUNT(arguments), GEMM_WORK);
    read_floats(work.buffers[2], 7 * GEMM_SIDE + 9, 1, &result);
    work_check("Trireme: the product is wrong", (double)result, work_gemm_element(floats, floats, 7, 9));
    unload(&work);
    free(floats);
    return rate;
}

/* The built-in reduce, launch after launch until one number is left. */
static void reduce(struct work *work, uint64_t count)
{
    struct trm_argument from = trm_arg_buffer(work->buffers[0]);

    for (int to = 1; count > 1; to = 3 - to) {
        uint64_t groups = (count + REDUCE_BLOCK - 1) / REDUCE_BLOCK;
        struct trm_grid grid;
        struct trm_argument arguments[] = {from, trm_arg_buffer(work->buffers[to]),
                                           trm_arg_u32((uint32_t)count)};

        must(trm_kernel_grid(work->kernel, groups * REDUCE_GROUP, 1, 1, &grid));
        must(trm_launch(stream, work->kernel, &grid, arguments, COUNT(arguments)));
        work->last = to;
        from       = arguments[1];
        count      = groups;
    }
    must(trm_stream_sync(stream));
}

static double sample_sum(void)
{
    float *numbers = work_eighths(SUM_COUNT), total;
    uint64_t begin = 0;
    struct work work;

    load(&work, "reduce");
    add(&work, SUM_COUNT, numbers);
    add(&work, SUM_COUNT / REDUCE_BLOCK, NULL);
    add(&work, SUM_COUNT / REDUCE_BLOCK, NULL);
    for (int i = 0; i < 2; i++) {
        begin = measure_now();
        reduce(&work, SUM_COUNT);
    }
    double rate = work_rate(SUM_BYTES, begin);
    read_floats(work.buffers[work.last], 0, 1, &total);
    work_check("Trireme: the sum is wrong", (double)total, SUM_RESULT);
    unload(&work);
    free(numbers);
    return rate;
}

/* The built-in sgemm. */
static double sample_sgemm(void)
{
    size_t count  = (size_t)GEMM_SIDE * GEMM_SIDE;
    float *floats = work_floats(count), result;
    struct work work;

    load(&work, "sgemm");
    struct trm_argument arguments[] = {
        add(&work, count, floats), add(&work, count, floats), add(&work, count, NULL), trm_arg_u32(GEMM_SIDE),
        trm_arg_u32(GEMM_SIDE),    trm_arg_u32(GEMM_SIDE),    trm_arg_f32(1),          trm_arg_f32(0)};
    double rate = run(&work, GEMM_SIDE / 4, GEMM_SIDE / 4, arguments, COUNT(arguments), GEMM_WORK);
    read_floats(work.buffers[2], 7 * GEMM_SIDE + 9, 1, &result);
    work_check("Trireme: the product is wrong", (double)result, work_gemm_element(floats, floats, 7, 9));
    unload(&work);
    free(floats);
    return rate;
}

/* The same on one thread: in a context of its own. */
static double sample_sgemm_1t(void)
{
    static const struct trm_setting one_worker = {"cpu.workers", "1"};
    struct trm_context *context_before         = context;
    struct trm_device *device_before           = device;
    struct trm_stream *stream_before           = stream;

    open_with(&one_worker);
    double rate = sample_sgemm();
    close_device();
    context = context_before;
    device  = device_before;
    stream  = stream_before;
    return rate;
}

/* Translating all built-in kernels to C: bytes of SPIR-V a second. */
static int32_t translate_one(void *user, const struct trm_shader_place *place)
{
    uint64_t *totals                    = user; /* bytes, nanoseconds */
    struct trm_shader_desc desc         = {.struct_size = sizeof(desc),
                                           .format      = TRM_MODULE_NAMED,
                                           .data        = place->name,
                                           .size        = strlen(place->name) + 1};
    struct trm_translate_desc translate = {.struct_size = sizeof(translate), .language = TRM_LANGUAGE_C};
    struct trm_shader *shader;
    const void *bytes;
    const char *text;
    uint64_t size, length;

    must(trm_shader_create(context, &desc, &shader));
    must(trm_shader_bytes(shader, &bytes, &size));
    uint64_t begin = measure_now();
    must(trm_shader_translate(shader, &translate, &text, &length));
    totals[1] += measure_now() - begin;
    totals[0] += size;
    trm_shader_destroy(shader);
    return TRM_OK;
}

static double sample_translate(void)
{
    uint64_t totals[2] = {0, 0};

    must(trm_shader_list(context, translate_one, totals));
    if (totals[1] == 0)
        measure_fail("Trireme: there are no built-in kernels (TRIREME_KERNEL_PATH)");
    return (double)totals[0] * 1e3 / (double)totals[1];
}

/* ---- the program ------------------------------------------------------------------------------------ */

static int open_device(void)
{
    open_with(NULL);
    return 0;
}

static void first_kernel(void)
{
    sample_fma();
}

static const struct measure_case cases[] = {
    {"kernel", "saxpy", "GB/s", sample_saxpy},
    {"kernel", "blur", "GB/s", sample_blur},
    {"kernel", "sum", "GB/s", sample_sum},
    {"kernel", "fma_32", "GFLOP/s", sample_fma},
    {"kernel", "tree_sum", "GB/s", sample_tree_sum},
    {"kernel", "gemm_tile", "GFLOP/s", sample_gemm_tile},
    {"kernel", "sgemm", "GFLOP/s", sample_sgemm},
    {"kernel", "sgemm_1t", "GFLOP/s", sample_sgemm_1t},
    {"kernel", "translate", "MB/s", sample_translate},
};

int main(int argc, char **argv)
{
    const char *backend            = getenv("BENCH_BACKEND");
    const struct measure_peer peer = {
        .name         = backend ? backend : "cpu",
        .open         = open_device,
        .first_kernel = first_kernel,
        .close        = close_device,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
