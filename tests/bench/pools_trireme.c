/* The mixes of the suite "pools" on a stream pool of Trireme by the strategy auto, urgent tasks by the
 * strategy priority, with the very kernel of the peers: on the cpu a C function, on cuda the text that
 * BENCH_POOLS_KERNEL names. On the device that TRIREME_BACKEND names; BENCH_BACKEND is what the lines are
 * named by.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "pools_work.h"

enum {
    GROUP     = 1024, /* floats of a work-group */
    GPU_GROUP = 256,
    TEXT_MOST = 4096, /* bytes of the kernel's text */
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_module *module;
static struct trm_kernel *kernels[2]; /* of one link and of MIX_LINKS; on a GPU both are the same */
static struct trm_buffer *source, *target;
static struct trm_stream_pool *pool, *priorities;
static int is_gpu;
static struct trm_point points[MIX_PARTS * MIX_TASKS]; /* of the last runs */

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

/* ---- the kernels ---------------------------------------------------------------------------- */

struct block {
    struct trm_cpu_buffer source, target;
};

static int32_t run_groups(const struct trm_cpu_groups *groups, const struct block *block, int links)
{
    size_t count = block->source.size / sizeof(float), begin = (size_t)groups->begin * GROUP,
           end = (size_t)groups->end * GROUP;

    if (end > count)
        end = count;
    if (begin < end)
        mix_kernel((float *)block->target.data + begin, (const float *)block->source.data + begin,
                   end - begin, links);
    return 0;
}

static int32_t one(const struct trm_cpu_groups *groups, const void *arguments)
{
    return run_groups(groups, arguments, 1);
}

static int32_t many(const struct trm_cpu_groups *groups, const void *arguments)
{
    return run_groups(groups, arguments, MIX_LINKS);
}

static const struct trm_parameter parameters[] = {
    {.name = "source", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "target", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
};

static const struct trm_cpu_kernel functions[] = {
    {.name            = "one",
     .function        = one,
     .parameters      = parameters,
     .parameter_count = 2,
     .group_size      = {GROUP, 1, 1}},
    {.name            = "many",
     .function        = many,
     .parameters      = parameters,
     .parameter_count = 2,
     .group_size      = {GROUP, 1, 1}},
};

/* ---- the scheduler -------------------------------------------------------------------------- */

static void submit_to(struct trm_stream_pool *to, int32_t priority, const struct mix_task *what,
                      uint32_t part, const struct trm_point *run, struct trm_point *point)
{
    uint32_t group                        = is_gpu ? GPU_GROUP : GROUP;
    uint64_t bytes                        = what->elements * sizeof(float);
    uint64_t place                        = (uint64_t)(part % MIX_PARTS) * MIX_LARGE * sizeof(float);
    const struct trm_argument arguments[] = {
        trm_arg_span(trm_span_of(source, 0, bytes)),
        trm_arg_span(trm_span_of(target, place, bytes)),
        trm_arg_u32(what->elements),
        trm_arg_u32(what->links == 1 ? 1 : MIX_GPU_LINKS),
    };
    const struct trm_stream_task task = {
        .struct_size    = sizeof(task),
        .kernel         = kernels[what->links != 1],
        .grid           = trm_grid_1d((what->elements + group - 1) / group, is_gpu ? GPU_GROUP : 0),
        .arguments      = arguments,
        .argument_count = is_gpu ? 4 : 2,
        .after          = what->after != MIX_ALONE ? &run[what->after] : NULL,
        .after_count    = what->after != MIX_ALONE,
        .priority       = priority,
        .bytes          = 2 * bytes,
    };

    must(trm_stream_pool_submit(to, &task, point));
}

static void submit(const struct mix_task *what, uint32_t part, const struct trm_point *run,
                   struct trm_point *point)
{
    submit_to(pool, TRM_PRIORITY_NORMAL, what, part, run, point);
}

/* Points of earlier runs are not needed: those that are kept cover what a pool's streams still run. */
static void run_mix(const struct mix *mix, uint32_t part)
{
    struct trm_point *run = &points[part % (MIX_PARTS * MIX_TASKS) / MIX_TASKS * MIX_TASKS];

    for (uint32_t i = 0; i < mix->count; i++)
        submit(&mix->tasks[i], part + i, run, &run[i]);
}

static int32_t enqueue_nothing(void *user, struct trm_stream *stream)
{
    (void)user;
    (void)stream;
    return TRM_OK;
}

/* All streams at once: what each of them has enqueued has ended. */
static void wait_for_all(void)
{
    const struct trm_stream_task task = {.struct_size = sizeof(task), .enqueue = enqueue_nothing};
    struct trm_point ends[TRM_STREAM_POOL_MOST];
    uint32_t count;

    must(trm_stream_pool_submit_all(pool, &task, ends, &count));
    must(trm_wait_all(ends, count, TRM_FOREVER));
}

/* The first element of each part. */
static struct trm_span first_of(uint64_t part)
{
    return trm_span_of(target, part * MIX_LARGE * sizeof(float), sizeof(float));
}

static void clear(void)
{
    struct trm_stream *stream;

    must(trm_device_thread_stream(device, &stream));
    for (uint64_t i = 0; i < MIX_PARTS; i++)
        must(trm_fill(stream, first_of(i), 0, sizeof(float)));
    must(trm_stream_sync(stream));
}

static int is_right(void)
{
    struct trm_stream *stream;
    float values[MIX_PARTS];
    int wrong = 0;

    must(trm_device_thread_stream(device, &stream));
    for (uint64_t i = 0; i < MIX_PARTS; i++)
        must(trm_download(stream, &values[i], first_of(i)));
    must(trm_stream_sync(stream));
    for (uint64_t i = 0; i < MIX_PARTS; i++)
        wrong += values[i] != 0.5f;
    return wrong == 0;
}

static const struct mix_scheduler scheduler = {run_mix, wait_for_all, clear, is_right};

MIX_SAMPLES(scheduler);

/* ---- urgent tasks ----------------------------------------------------------------------------- */

/* Puts a long task in the place of each that has ended. */
static void keep_busy(int is_first)
{
    const struct mix_task task = {MIX_LINKS, is_gpu ? MIX_LARGE : MIX_LONG, MIX_ALONE};

    for (uint32_t i = 0; i < MIX_BUSY; i++)
        if (is_first || trm_point_done(points[i]) != TRM_ERROR_TIMEOUT)
            submit_to(priorities, TRM_PRIORITY_LOW, &task, i, NULL, &points[i]);
}

/* Microseconds of the 99th percentile. */
static double sample_urgent(void)
{
    const struct mix_task task = {MIX_LINKS, MIX_SHORT, MIX_ALONE};
    static uint64_t times[MIX_URGENT];

    keep_busy(1);
    for (uint32_t i = 0; i < MIX_URGENT; i++) {
        uint64_t begin = measure_now();
        submit_to(priorities, TRM_PRIORITY_HIGH, &task, i, NULL, &points[MIX_BUSY]);
        must(trm_point_wait(points[MIX_BUSY], TRM_FOREVER));
        times[i] = measure_now() - begin;
        keep_busy(0);
    }
    must(trm_wait_all(points, MIX_BUSY, TRM_FOREVER));
    return mix_percentile(times, MIX_URGENT, 99) / 1e3;
}

/* ---- the program ---------------------------------------------------------------------------- */

static int32_t adopt(float *memory, uint64_t floats, struct trm_buffer **buffer)
{
    const struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                         .kind         = TRM_MEMORY_IMPORTED,
                                         .size         = floats * sizeof(float),
                                         .host_pointer = memory};

    return trm_buffer_create_from(device, &desc, buffer);
}

static void load_functions(void)
{
    const struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                         .format      = TRM_MODULE_FUNCTIONS,
                                         .data        = functions,
                                         .size        = sizeof(functions)};

    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "one", &kernels[0]));
    must(trm_kernel_get(module, "many", &kernels[1]));
    must(adopt(mix_source, MIX_LARGE, &source));
    must(adopt(mix_target, (uint64_t)MIX_PARTS * MIX_LARGE, &target));
}

static size_t read_text(char text[TEXT_MOST])
{
    const char *path = getenv("BENCH_POOLS_KERNEL");
    FILE *file       = path ? fopen(path, "r") : NULL;

    if (!file)
        measure_fail("BENCH_POOLS_KERNEL does not name the kernel of the mixes");
    size_t length = fread(text, 1, TEXT_MOST - 1, file);
    fclose(file);
    text[length] = 0;
    return length + 1;
}

static void load_text(void)
{
    static const struct trm_parameter text_parameters[] = {
        {.name = "source", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
        {.name = "target", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
        {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
        {.name = "links", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    };
    const struct trm_kernel_info described  = {.struct_size     = sizeof(described),
                                               .name            = "mix",
                                               .parameter_count = 4,
                                               .parameters      = text_parameters,
                                               .group_size      = {GPU_GROUP, 1, 1}};
    const struct trm_native_options options = {
        .struct_size = sizeof(options), .kernel_count = 1, .kernels = &described};
    struct trm_stream *stream;
    char text[TEXT_MOST];
    const struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                         .format      = TRM_MODULE_CUDA,
                                         .data        = text,
                                         .size        = read_text(text),
                                         .name        = "mix",
                                         .native      = &options};

    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "mix", &kernels[0]));
    must(trm_kernel_get(module, "mix", &kernels[1]));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, MIX_LARGE * sizeof(float), &source));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, (uint64_t)MIX_PARTS * MIX_LARGE * sizeof(float),
                           &target));
    must(trm_device_thread_stream(device, &stream));
    must(trm_upload(stream, trm_span_whole(source), mix_source));
    must(trm_stream_sync(stream));
}

static int open_device(void)
{
    const struct trm_stream_pool_desc of_auto = {.struct_size = sizeof(of_auto), .strategy = TRM_STREAM_AUTO};
    const struct trm_stream_pool_desc of_priority = {.struct_size = sizeof(of_priority),
                                                     .strategy    = TRM_STREAM_PRIORITY};

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    is_gpu = trm_module_supported(device, TRM_MODULE_FUNCTIONS) != TRM_OK;
    if (is_gpu && trm_module_supported(device, TRM_MODULE_CUDA) != TRM_OK) {
        fputs("the device takes neither C functions nor CUDA C as kernels\n", stderr);
        return -1;
    }
    mix_open();
    if (is_gpu)
        load_text();
    else
        load_functions();
    must(trm_stream_pool_create(device, &of_auto, &pool));
    must(trm_stream_pool_create(device, &of_priority, &priorities));
    return 0;
}

static void first_kernel(void)
{
    const struct mix_task task = {1, MIX_TINY, MIX_ALONE};

    submit(&task, 0, NULL, &points[0]);
    must(trm_point_wait(points[0], TRM_FOREVER));
}

static void close_device(void)
{
    trm_stream_pool_destroy(pool);
    trm_stream_pool_destroy(priorities);
    trm_buffer_destroy(source);
    trm_buffer_destroy(target);
    trm_kernel_destroy(kernels[0]);
    trm_kernel_destroy(kernels[1]);
    trm_module_destroy(module);
    trm_device_destroy(device);
    trm_context_destroy(context);
    mix_close();
}

static const struct measure_case cases[] = {MIX_CASES, {"pools", "mix_urgent_p99", "us", sample_urgent}};

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
