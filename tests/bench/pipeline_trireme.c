/* The suite "pipeline" on Trireme with the very kernel of the peers, as a C function: what is compared then
 * is how batches are moved, not how well a kernel was compiled. On the device that TRIREME_BACKEND names,
 * where it takes C functions; BENCH_BACKEND is what the lines are named by.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "pipeline_work.h"

enum {
    IN,
    OUT,
    PORTS
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_module *module;
static struct trm_kernel *kernels[2]; /* one and many links */

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

/* ---- the kernels ------------------------------------------------------------------------------------ */

enum {
    GROUP = 16384, /* floats of a work-group: 64 KiB */
};

struct block {
    struct trm_cpu_buffer in, out;
};

static int32_t run_groups(const struct trm_cpu_groups *groups, const struct block *block, int links)
{
    size_t count = block->in.size / sizeof(float), begin = (size_t)groups->begin * GROUP,
           end = (size_t)groups->end * GROUP;

    if (end > count)
        end = count;
    if (begin < end)
        flow_plain((float *)block->out.data + begin, (const float *)block->in.data + begin, end - begin,
                   links);
    return 0;
}

static int32_t one(const struct trm_cpu_groups *groups, const void *arguments)
{
    return run_groups(groups, arguments, 1);
}

static int32_t many(const struct trm_cpu_groups *groups, const void *arguments)
{
    return run_groups(groups, arguments, 32);
}

static const struct trm_parameter parameters[] = {
    {.name = "in", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "out", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
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

/* ---- a pipeline ------------------------------------------------------------------------------------- */

struct run {
    size_t bytes;
    int links;
    uint64_t filled; /* bit i: the input of slot i has been written; it stays as it is */
};

static int32_t fill(void *user, struct trm_token *token)
{
    struct run *run = user;
    float *floats   = token->data[IN];

    if (run->filled >> token->slot & 1)
        return TRM_OK;
    for (size_t i = 0; i < run->bytes / sizeof(float); i++)
        floats[i] = flow_element(i);
    run->filled |= UINT64_C(1) << token->slot;
    return TRM_OK;
}

static int32_t look(void *user, const struct trm_token *token)
{
    const struct run *run   = user;
    const struct flow shape = {.count = run->bytes / sizeof(float), .links = run->links};

    if (token->index == 1)
        flow_check(&shape, token->data[OUT]);
    return TRM_OK;
}

static struct trm_pipeline *make_pipeline(size_t bytes, int links, int32_t strategy)
{
    struct trm_port ports[PORTS]          = {trm_port_input("in", bytes), trm_port_output("out", bytes)};
    const struct trm_argument arguments[] = {trm_arg_port(IN), trm_arg_port(OUT)};
    struct trm_stage stage        = trm_stage_launch(kernels[links != 1], arguments, 2, IN, sizeof(float));
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc),
        .flags       = TRM_PIPELINE_DIVISIBLE,
        .ports       = ports,
        .port_count  = PORTS,
        .stages      = &stage,
        .stage_count = 1,
        .depth       = FLOW_SLOTS,
        .strategy    = strategy,
    };
    struct trm_pipeline *pipeline;

    ports[IN].grain = ports[OUT].grain = sizeof(float);
    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

static double rate(size_t bytes, int links, int32_t strategy)
{
    struct run run                = {bytes, links, 0};
    struct trm_pipeline *pipeline = make_pipeline(bytes, links, strategy);
    struct trm_source source      = trm_source_function(fill, &run);
    struct trm_sink sink          = trm_sink_function(look, &run);
    uint64_t begin                = 0;

    source.count = bytes == FLOW_LARGE ? LARGE_TOKENS : SMALL_TOKENS;
    for (int i = 0; i < 2; i++) {
        begin = measure_now();
        must(trm_pipeline_run(pipeline, &source, &sink));
    }
    begin = measure_now() - begin;
    trm_pipeline_destroy(pipeline);
    return measure_rate(source.count, begin);
}

#define SAMPLES(way, strategy)                 \
    static double way##_large_1(void)          \
    {                                          \
        return rate(FLOW_LARGE, 1, strategy);  \
    }                                          \
    static double way##_large_32(void)         \
    {                                          \
        return rate(FLOW_LARGE, 32, strategy); \
    }                                          \
    static double way##_small_1(void)          \
    {                                          \
        return rate(FLOW_SMALL, 1, strategy);  \
    }                                          \
    static double way##_small_32(void)         \
    {                                          \
        return rate(FLOW_SMALL, 32, strategy); \
    }                                          \
    struct way##_samples

SAMPLES(copies, TRM_STRATEGY_SLOT_STREAMS);
SAMPLES(nocopy, TRM_STRATEGY_ZERO_COPY);

/* ---- the program ------------------------------------------------------------------------------------ */

static int open_device(void)
{
    const struct trm_module_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_FUNCTIONS,
        .data        = functions,
        .size        = sizeof(functions),
    };

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    if (trm_module_supported(device, TRM_MODULE_FUNCTIONS) != TRM_OK) {
        fputs("the device takes no C functions as kernels\n", stderr);
        return -1;
    }
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "one", &kernels[0]));
    must(trm_kernel_get(module, "many", &kernels[1]));
    return 0;
}

static void first_kernel(void)
{
    nocopy_small_1();
}

static void close_device(void)
{
    trm_kernel_destroy(kernels[0]);
    trm_kernel_destroy(kernels[1]);
    trm_module_destroy(module);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

static const struct measure_case cases[] = {
    FLOW_CASES(copies, "copies_same_kernel"),
    FLOW_CASES(nocopy, "nocopy_same_kernel"),
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
