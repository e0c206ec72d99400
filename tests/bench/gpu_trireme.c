/* The suite "gpu" on Trireme, on the device that TRIREME_BACKEND names. BENCH_SHADERS is the folder of the
 * shaders, BENCH_BACKEND what the lines are named by.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>

#include "gpu_work.h"

static const char *who = "trireme";
static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;
static struct trm_kernel *chain;

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

static struct trm_kernel *load_shader(const char *name)
{
    const char *folder = getenv("BENCH_SHADERS");
    char path[4096], text[8192];
    struct trm_module_desc desc = {.struct_size = sizeof(desc), .format = TRM_MODULE_GLSL, .name = name};
    struct trm_module *module;
    struct trm_kernel *kernel;

    snprintf(path, sizeof(path), "%s/%s.comp", folder ? folder : ".", name);
    FILE *file = fopen(path, "r");
    if (!file)
        measure_fail("BENCH_SHADERS does not name the folder of the shaders");
    desc.data = text;
    desc.size = fread(text, 1, sizeof(text), file);
    fclose(file);
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

static struct trm_buffer *make(int32_t kind, uint64_t size)
{
    struct trm_buffer *buffer;

    must(trm_buffer_create(device, kind, size, &buffer));
    return buffer;
}

/* ---- pipelines -------------------------------------------------------------------------------------- */

enum {
    IN,
    OUT,
    EVEN, /* what launches of a chain write */
    ODD,
    PORTS
};

struct flow {
    const struct gpu_batch *batch;
    uint32_t depth;
    int32_t strategy;
    uint32_t filled; /* bit i: slot i has its input, which stays as it is */
    struct trm_pipeline *pipeline;
};

static int32_t fill(void *user, struct trm_token *token)
{
    struct flow *flow = user;

    if (flow->filled >> token->slot & 1)
        return TRM_OK;
    gpu_fill(token->data[IN], flow->batch->bytes / sizeof(float));
    flow->filled |= 1u << token->slot;
    return TRM_OK;
}

static int32_t look(void *user, const struct trm_token *token)
{
    const struct flow *flow = user;

    if (token->index == flow->depth)
        gpu_check(flow->batch, token->data[OUT]);
    return TRM_OK;
}

static int32_t nothing(void *user, const struct trm_token *token)
{
    (void)user, (void)token;
    return TRM_OK;
}

/* Launch i of a chain reads what launch i - 1 has written. */
static void open_flow(struct flow *flow)
{
    uint32_t vectors = (uint32_t)(flow->batch->bytes / 16), count = flow->batch->launches;
    uint64_t bytes               = flow->batch->bytes;
    struct trm_port ports[PORTS] = {trm_port_input("in", bytes), trm_port_output("out", bytes),
                                    trm_port_scratch("even", bytes), trm_port_scratch("odd", bytes)};
    struct trm_argument arguments[GPU_CHAIN][4];
    struct trm_stage stages[GPU_CHAIN];

    for (uint32_t i = 0; i < count; i++) {
        arguments[i][0] = trm_arg_port(i == 0 ? IN : i % 2 == 1 ? EVEN : ODD);
        arguments[i][1] = trm_arg_port(i + 1 == count ? OUT : i % 2 == 0 ? EVEN : ODD);
        arguments[i][2] = trm_arg_u32(vectors);
        arguments[i][3] = trm_arg_u32(flow->batch->links);
        stages[i]       = trm_stage_launch(chain, arguments[i], 4, IN, 16);
    }
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc),
        .ports       = ports,
        .port_count  = count == 1 ? EVEN : PORTS,
        .stages      = stages,
        .stage_count = count,
        .depth       = flow->depth,
        .strategy    = flow->strategy,
    };

    must(trm_pipeline_create(device, &desc, &flow->pipeline));
}

static void run_flow(struct flow *flow, trm_sink_fn consume)
{
    struct trm_source source = trm_source_function(fill, flow);
    struct trm_sink sink     = trm_sink_function(consume, flow);

    source.count = flow->batch->tokens;
    must(trm_pipeline_run(flow->pipeline, &source, &sink));
}

static double sample_flow(const void *what)
{
    struct flow *flow = (struct flow *)(uintptr_t)what;
    uint64_t begin    = measure_now();

    run_flow(flow, nothing);
    return gpu_each(begin, flow->batch->tokens);
}

/* GB/s each way. */
static double sample_flow_rate(const void *what)
{
    const struct flow *flow = what;

    return (double)flow->batch->bytes / sample_flow(what) * 1e-3;
}

/* Measures long runs, as of the peers: with "auto" the library tries its strategies on the first 40 to 150
 * long tokens. */
static void settle_flow(struct flow *flow, struct trm_report *report)
{
    for (int run = 0; run < 8; run++) {
        run_flow(flow, look);
        *report = (struct trm_report){.struct_size = sizeof(*report)};
        must(trm_pipeline_report(flow->pipeline, report));
        if (strcmp(report->reason, "still on trial") != 0)
            return;
    }
}

/* depth 0: the library's own choice. */
static void measure_flow(const struct gpu_batch *batch, uint32_t depth, int32_t strategy)
{
    struct flow flow = {.batch = batch, .depth = depth, .strategy = strategy};
    struct trm_report report;
    char name[64], rate[80];

    open_flow(&flow);
    settle_flow(&flow, &report);
    if (depth == 0)
        snprintf(name, sizeof(name), "%s_%s", batch->name, trm_strategy_name(strategy));
    else
        snprintf(name, sizeof(name), "%s_depth%u_%s", batch->name, depth, trm_strategy_name(strategy));
    gpu_flow(name, who, sample_flow, &flow, batch);
    if (strategy == TRM_STRATEGY_AUTO && gpu_is_all_copies(batch)) {
        snprintf(rate, sizeof(rate), "%s_rate", name);
        gpu_figure(rate, who, "GB/s", sample_flow_rate, &flow);
    }
    if (strategy == TRM_STRATEGY_AUTO)
        fprintf(stderr, "%s: the library chose %s, depth %u (%s)\n", name, trm_strategy_name(report.strategy),
                (unsigned)report.depth, report.reason);
    trm_pipeline_destroy(flow.pipeline);
}

static void measure_flows(size_t most)
{
    static const int32_t strategies[] = {TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS,
                                         TRM_STRATEGY_SLOT_GRAPHS, TRM_STRATEGY_AUTO};

    for (int i = 0; i < GPU_BATCHES && gpu_batches[i].bytes <= most; i++) {
        measure_flow(&gpu_batches[i], 1, TRM_STRATEGY_SLOT_STREAMS);
        for (size_t k = 0; k < sizeof(strategies) / sizeof(strategies[0]); k++)
            measure_flow(&gpu_batches[i], 3, strategies[k]);
        measure_flow(&gpu_batches[i], 4, TRM_STRATEGY_AUTO);
        measure_flow(&gpu_batches[i], 0, TRM_STRATEGY_AUTO);
    }
}

static void measure_chains(void)
{
    static const int32_t strategies[] = {TRM_STRATEGY_SLOT_STREAMS, TRM_STRATEGY_SLOT_GRAPHS,
                                         TRM_STRATEGY_AUTO};

    for (int i = 0; i < GPU_CHAINS; i++)
        for (size_t k = 0; k < sizeof(strategies) / sizeof(strategies[0]); k++)
            measure_flow(&gpu_chains[i], 3, strategies[k]);
}

/* ---- copies ----------------------------------------------------------------------------------------- */

struct copies {
    struct trm_stream *up, *down;
    struct trm_buffer *from, *to, *one, *other;
};

static struct copies copies;

static double sample_copies(const void *what)
{
    const char *ways = what; /* 'u', 'd': up, down, or both at once */
    uint64_t begin   = measure_now();

    if (strchr(ways, 'u'))
        must(trm_copy(copies.up, trm_span_whole(copies.one), trm_span_whole(copies.from)));
    if (strchr(ways, 'd'))
        must(trm_copy(copies.down, trm_span_whole(copies.to), trm_span_whole(copies.other)));
    must(trm_stream_flush(copies.up));
    must(trm_stream_flush(copies.down));
    must(trm_stream_sync(copies.up));
    must(trm_stream_sync(copies.down));
    return gpu_rate(begin, (double)GPU_COPY_BYTES);
}

static double sample_device_copy(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < 8; i++)
        must(trm_copy(stream, trm_span_whole(copies.one), trm_span_whole(copies.other)));
    must(trm_stream_sync(stream));
    return gpu_rate(begin, 16.0 * (double)GPU_COPY_BYTES);
}

static double sample_pageable(const void *what)
{
    void *memory   = (void *)(uintptr_t)what;
    uint64_t begin = measure_now();

    must(trm_upload(copies.up, trm_span_whole(copies.one), memory));
    must(trm_stream_sync(copies.up));
    return gpu_rate(begin, (double)GPU_COPY_BYTES);
}

static void measure_copies(void)
{
    void *memory = measure_memory(GPU_COPY_BYTES);

    must(trm_stream_create(device, TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL, &copies.up));
    must(trm_stream_create(device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL, &copies.down));
    copies.from  = make(TRM_MEMORY_PINNED, GPU_COPY_BYTES);
    copies.to    = make(TRM_MEMORY_PINNED, GPU_COPY_BYTES);
    copies.one   = make(TRM_MEMORY_DEVICE, GPU_COPY_BYTES);
    copies.other = make(TRM_MEMORY_DEVICE, GPU_COPY_BYTES);
    gpu_figure("copy_up", who, "GB/s", sample_copies, "u");
    gpu_figure("copy_down", who, "GB/s", sample_copies, "d");
    gpu_figure("copy_both", who, "GB/s", sample_copies, "ud");
    gpu_figure("copy_device", who, "GB/s", sample_device_copy, NULL);
    gpu_figure("copy_pageable_up", who, "GB/s", sample_pageable, memory);
    free(memory);
    trm_buffer_destroy(copies.from);
    trm_buffer_destroy(copies.to);
    trm_buffer_destroy(copies.one);
    trm_buffer_destroy(copies.other);
    trm_stream_destroy(copies.up);
    trm_stream_destroy(copies.down);
}

/* ---- launches and memory ---------------------------------------------------------------------------- */

static struct trm_buffer *small;
static struct trm_argument small_arguments[4];
struct page {
    struct trm_span to, from;
    struct trm_stream *other;
};

static const struct trm_grid one_group = {{1, 1, 1}, {0, 0, 0}, 0, 0};

/* What the calling thread spends on each of many launches, until all are submitted. */
static double sample_launch(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < GPU_LAUNCHES; i++)
        must(trm_launch(stream, chain, &one_group, small_arguments, 4));
    must(trm_stream_flush(stream));
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(trm_stream_sync(stream));
    return each;
}

static double sample_trip(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < GPU_TRIPS; i++) {
        must(trm_launch(stream, chain, &one_group, small_arguments, 4));
        must(trm_stream_sync(stream));
    }
    return gpu_each(begin, GPU_TRIPS);
}

static double sample_allocate(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < GPU_PAIRS; i++)
        trm_buffer_destroy(make(TRM_MEMORY_DEVICE, MIB));
    return gpu_each(begin, GPU_PAIRS);
}

static double sample_allocate_in_order(const void *what)
{
    uint64_t begin = measure_now();

    (void)what;
    for (int i = 0; i < GPU_PAIRS; i++) {
        struct trm_buffer *buffer;
        must(trm_stream_alloc(stream, MIB, &buffer));
        must(trm_stream_free(stream, buffer));
    }
    double each = gpu_each(begin, GPU_PAIRS);
    must(trm_stream_sync(stream));
    return each;
}

/* What the calling thread spends on copying a page up. */
static double sample_copy_issue(const void *what)
{
    const struct page *page = what;
    uint64_t begin          = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++)
        must(trm_copy(stream, page->to, page->from));
    must(trm_stream_flush(stream));
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(trm_stream_sync(stream));
    return each;
}

/* The same, with a place after each that another could wait for. */
static double sample_copy_mark_issue(const void *what)
{
    const struct page *page = what;
    struct trm_point point;
    uint64_t begin = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++) {
        must(trm_copy(stream, page->to, page->from));
        must(trm_stream_mark(stream, &point));
    }
    must(trm_stream_flush(stream));
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(trm_stream_sync(stream));
    return each;
}

/* And with another stream that waits for it. */
static double sample_copy_hop_issue(const void *what)
{
    const struct page *page = what;
    struct trm_point point;
    uint64_t begin = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++) {
        must(trm_copy(stream, page->to, page->from));
        must(trm_stream_mark(stream, &point));
        must(trm_stream_wait(page->other, point));
    }
    must(trm_stream_flush(stream));
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(trm_stream_sync(page->other));
    must(trm_stream_sync(stream));
    return each;
}

static void measure_issues(void)
{
    struct trm_buffer *pinned = make(TRM_MEMORY_PINNED, 4096);
    struct page page          = {.to = trm_span_of(small, 0, 4096), .from = trm_span_whole(pinned)};

    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &page.other));
    gpu_spent("copy_issue", who, sample_copy_issue, &page);
    gpu_spent("copy_mark_issue", who, sample_copy_mark_issue, &page);
    gpu_spent("copy_hop_issue", who, sample_copy_hop_issue, &page);
    trm_stream_destroy(page.other);
    trm_buffer_destroy(pinned);
}

static void measure_calls(void)
{
    small              = make(TRM_MEMORY_DEVICE, 2 * 4096);
    small_arguments[0] = trm_arg_span(trm_span_of(small, 0, 4096));
    small_arguments[1] = trm_arg_span(trm_span_of(small, 4096, 4096));
    small_arguments[2] = trm_arg_u32(0);
    small_arguments[3] = trm_arg_u32(0);
    gpu_spent("launch_issue", who, sample_launch, NULL);
    gpu_figure("launch_roundtrip", who, "us", sample_trip, NULL);
    measure_issues();
    gpu_figure("alloc_1MiB", who, "us", sample_allocate, NULL);
    gpu_spent("alloc_ordered_1MiB", who, sample_allocate_in_order, NULL);
    trm_buffer_destroy(small);
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

struct work {
    struct trm_kernel *kernel;
    struct trm_grid grid;
    struct trm_argument arguments[8];
    uint32_t count;
    int launches;
    double amount; /* bytes or operations of a launch */
};

static double sample_kernel(const void *what)
{
    const struct work *work = what;
    uint64_t begin          = measure_now();

    for (int i = 0; i < work->launches; i++)
        must(trm_launch(stream, work->kernel, &work->grid, work->arguments, work->count));
    must(trm_stream_sync(stream));
    return gpu_rate(begin, work->amount * work->launches);
}

/* A driver may lower the clocks of a device that a program leaves idle for most of its time, as NVIDIA's does
 * under Vulkan, from 1980 to 345 MHz, and takes a second of work to raise them. So what is measured next
 * finds the device at work. */
static void wake(void)
{
    struct trm_buffer *data         = make(TRM_MEMORY_DEVICE, GPU_WAKE_COUNT * 4);
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_buffer(data),
                                       trm_arg_u32(GPU_WAKE_COUNT / 4), trm_arg_u32(GPU_WAKE_LINKS)};
    struct trm_grid grid;
    uint64_t begin = measure_now();

    must(trm_kernel_grid(chain, GPU_WAKE_COUNT / 4, 1, 1, &grid));
    do {
        for (int i = 0; i < GPU_WAKE_LAUNCHES; i++)
            must(trm_launch(stream, chain, &grid, arguments, 4));
        must(trm_stream_sync(stream));
    } while (measure_now() - begin < GPU_WAKE_NS);
    trm_buffer_destroy(data);
}

static void measure_chain(void)
{
    struct trm_buffer *from = make(TRM_MEMORY_DEVICE, GPU_KERNEL_COUNT * 4);
    struct trm_buffer *to   = make(TRM_MEMORY_DEVICE, GPU_KERNEL_COUNT * 4);
    struct work work        = {.kernel    = chain,
                               .arguments = {trm_arg_buffer(from), trm_arg_buffer(to),
                                             trm_arg_u32(GPU_KERNEL_COUNT / 4), trm_arg_u32(1)},
                               .count     = 4,
                               .launches  = 10,
                               .amount    = 8.0 * (double)GPU_KERNEL_COUNT};

    must(trm_kernel_grid(chain, GPU_KERNEL_COUNT / 4, 1, 1, &work.grid));
    gpu_figure("kernel_chain", who, "GB/s", sample_kernel, &work);
    trm_buffer_destroy(from);
    trm_buffer_destroy(to);
}

/* A loop whose number of rounds only the launch knows. */
static void measure_links(void)
{
    struct trm_buffer *from = make(TRM_MEMORY_DEVICE, GPU_WAKE_COUNT * 4);
    struct trm_buffer *to   = make(TRM_MEMORY_DEVICE, GPU_WAKE_COUNT * 4);
    struct work work        = {.kernel    = chain,
                               .arguments = {trm_arg_buffer(from), trm_arg_buffer(to),
                                             trm_arg_u32(GPU_WAKE_COUNT / 4), trm_arg_u32(GPU_WAKE_LINKS)},
                               .count     = 4,
                               .launches  = 6,
                               .amount    = 2.0 * GPU_WAKE_COUNT * GPU_WAKE_LINKS};

    must(trm_kernel_grid(chain, GPU_WAKE_COUNT / 4, 1, 1, &work.grid));
    gpu_figure("kernel_links", who, "GFLOP/s", sample_kernel, &work);
    trm_buffer_destroy(from);
    trm_buffer_destroy(to);
}

/* y = a x + y: reads two arrays, writes one. */
static void measure_saxpy(void)
{
    struct trm_buffer *x = make(TRM_MEMORY_DEVICE, GPU_KERNEL_COUNT * 4);
    struct trm_buffer *y = make(TRM_MEMORY_DEVICE, GPU_KERNEL_COUNT * 4);
    struct work work     = {
            .arguments = {trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_u32(GPU_KERNEL_COUNT), trm_arg_f32(1.5f)},
            .count     = 4,
            .launches  = 10,
            .amount    = 12.0 * (double)GPU_KERNEL_COUNT};

    work.kernel = load_shader("saxpy");
    must(trm_kernel_grid(work.kernel, GPU_KERNEL_COUNT, 1, 1, &work.grid));
    gpu_figure("kernel_saxpy", who, "GB/s", sample_kernel, &work);
    trm_kernel_destroy(work.kernel);
    trm_buffer_destroy(x);
    trm_buffer_destroy(y);
}

static void measure_sgemm(void)
{
    const uint64_t bytes = (uint64_t)GPU_SIDE * GPU_SIDE * 4;
    struct trm_buffer *a = make(TRM_MEMORY_DEVICE, bytes), *b = make(TRM_MEMORY_DEVICE, bytes),
                      *c = make(TRM_MEMORY_DEVICE, bytes);
    struct work work     = {.arguments = {trm_arg_buffer(a), trm_arg_buffer(b), trm_arg_buffer(c),
                                          trm_arg_u32(GPU_SIDE), trm_arg_u32(GPU_SIDE), trm_arg_u32(GPU_SIDE),
                                          trm_arg_f32(1.0f), trm_arg_f32(0.0f)},
                            .count     = 8,
                            .launches  = 3,
                            .grid      = {{GPU_SIDE / 64, GPU_SIDE / 64, 1}, {0, 0, 0}, 0, 0},
                            .amount    = 2.0 * GPU_SIDE * GPU_SIDE * GPU_SIDE};

    must(trm_fill(stream, trm_span_whole(a), 0x3f000000, 4)); /* 0.5 */
    must(trm_fill(stream, trm_span_whole(b), 0x3f000000, 4));
    must(trm_stream_sync(stream));
    must(trm_kernel_named(device, "sgemm", NULL, 0, &work.kernel));
    gpu_figure("kernel_sgemm_4096", who, "GFLOP/s", sample_kernel, &work);
    trm_kernel_destroy(work.kernel);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_buffer_destroy(c);
}

/* ---- the program ------------------------------------------------------------------------------------ */

static void measure_all(size_t most)
{
    if (most > MIB)
        wake();
    measure_calls();
    if (most > MIB) {
        measure_copies();
        wake();
        measure_chain();
        measure_saxpy();
        measure_sgemm();
    }
    measure_flows(most);
}

/* Arguments: none, "small" for devices that are no GPU, or "chains" for those alone. */
int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (getenv("BENCH_BACKEND"))
        who = getenv("BENCH_BACKEND");
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
    chain = load_shader("gpu_chain");

    if (word[0] != 'c')
        measure_all(gpu_most_bytes(word));
    if (gpu_wants_chains(word)) {
        wake();
        measure_links();
        measure_chains();
    }

    trm_kernel_destroy(chain);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
