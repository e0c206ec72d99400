/* The mixes of the suite "pools" on a stream pool of Trireme by the strategy auto, with the very kernel of
 * the peers, as a C function. On the device that TRIREME_BACKEND names, where it takes C functions;
 * BENCH_BACKEND is what the lines are named by.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "pools_work.h"

enum {
    GROUP = 16384, /* floats of a work-group */
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_module *module;
static struct trm_kernel *kernels[2]; /* of one link and of MIX_LINKS */
static struct trm_buffer *source, *target;
static struct trm_stream_pool *pool;
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

static void submit(const struct mix_task *what, uint32_t part, const struct trm_point *run,
                   struct trm_point *point)
{
    uint64_t bytes                        = what->elements * sizeof(float);
    uint64_t place                        = (uint64_t)(part % MIX_PARTS) * MIX_LARGE * sizeof(float);
    const struct trm_argument arguments[] = {
        trm_arg_span(trm_span_of(source, 0, bytes)),
        trm_arg_span(trm_span_of(target, place, bytes)),
    };
    const struct trm_stream_task task = {
        .struct_size    = sizeof(task),
        .kernel         = kernels[what->links != 1],
        .grid           = trm_grid_1d((what->elements + GROUP - 1) / GROUP, 0),
        .arguments      = arguments,
        .argument_count = 2,
        .after          = what->after != MIX_ALONE ? &run[what->after] : NULL,
        .after_count    = what->after != MIX_ALONE,
        .bytes          = 2 * bytes,
    };

    must(trm_stream_pool_submit(pool, &task, point));
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

static const struct mix_scheduler scheduler = {run_mix, wait_for_all};

MIX_SAMPLES(scheduler);

/* ---- the program ---------------------------------------------------------------------------- */

static int32_t adopt(float *memory, uint64_t floats, struct trm_buffer **buffer)
{
    const struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                         .kind         = TRM_MEMORY_IMPORTED,
                                         .size         = floats * sizeof(float),
                                         .host_pointer = memory};

    return trm_buffer_create_from(device, &desc, buffer);
}

static int open_device(void)
{
    const struct trm_module_desc module_desc = {.struct_size = sizeof(module_desc),
                                                .format      = TRM_MODULE_FUNCTIONS,
                                                .data        = functions,
                                                .size        = sizeof(functions)};
    const struct trm_stream_pool_desc desc   = {.struct_size = sizeof(desc), .strategy = TRM_STREAM_AUTO};

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    if (trm_module_supported(device, TRM_MODULE_FUNCTIONS) != TRM_OK) {
        fputs("the device takes no C functions as kernels\n", stderr);
        return -1;
    }
    mix_open();
    must(trm_module_load(device, &module_desc, &module));
    must(trm_kernel_get(module, "one", &kernels[0]));
    must(trm_kernel_get(module, "many", &kernels[1]));
    must(adopt(mix_source, MIX_LARGE, &source));
    must(adopt(mix_target, (uint64_t)MIX_PARTS * MIX_LARGE, &target));
    must(trm_stream_pool_create(device, &desc, &pool));
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
    trm_buffer_destroy(source);
    trm_buffer_destroy(target);
    trm_kernel_destroy(kernels[0]);
    trm_kernel_destroy(kernels[1]);
    trm_module_destroy(module);
    trm_device_destroy(device);
    trm_context_destroy(context);
    mix_close();
}

static const struct measure_case cases[] = {MIX_CASES};

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
