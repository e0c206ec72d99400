/* Trireme: the work of the suites `pipeline`, `auto` and `devices`, passed through a pipeline of the library.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

#include "tools/output/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOURCE_PORT,
    TARGET_PORT,
    BETWEEN_PORT, /* and the next: what a kernel leaves for the one after it, by turns */
    PORTS           = 4,
    STAGE_ARGUMENTS = 5,
    KERNELS_MOST    = 32,
};

/* ---- batches ------------------------------------------------------------------------------------------- */

static float element(uint64_t i)
{
    return (float)(i % 1021) * (1.0f / 1021.0f);
}

void bench_flow_fill(float *floats, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        floats[i] = element(i);
}

static uint32_t kernels_of(const struct bench_flow_kind *kind)
{
    return kind->kernels != 0 ? kind->kernels : 1;
}

static uint64_t down_of(const struct bench_flow_kind *kind)
{
    return kind->down != 0 ? kind->down : kind->bytes;
}

static uint64_t place_of(const struct bench_flow *flow, uint64_t sample)
{
    return sample * (down_of(flow->kind) / sizeof(float) / BENCH_SAMPLES);
}

void bench_flow_look(struct bench_flow *flow, const float *result)
{
    for (uint64_t i = 0; i < BENCH_SAMPLES; i++)
        flow->seen[i] = result[place_of(flow, i)];
}

/* What an element becomes. */
static float put_through(const struct bench_flow *flow, float v)
{
    uint32_t kernels = kernels_of(flow->kind) - (flow->kind->sums ? 1 : 0);

    for (uint32_t link = 0; link < kernels * flow->links; link++)
        v = fmaf(v, BENCH_FLOW_FACTOR, BENCH_FLOW_TERM);
    return v;
}

static double expected_at(const struct bench_flow *flow, uint64_t place)
{
    double sum = 0.0;

    if (!flow->kind->sums)
        return (double)put_through(flow, element(place));
    for (uint64_t i = 0; i < BENCH_SUMMED; i++)
        sum += (double)put_through(flow, element(place * BENCH_SUMMED + i));
    return sum;
}

bool bench_flow_is_right(const struct bench_flow *flow)
{
    double error = flow->kind->sums ? 1e-4 * BENCH_SUMMED : 1e-4;

    for (uint64_t i = 0; i < BENCH_SAMPLES; i++)
        if (!(fabs(expected_at(flow, place_of(flow, i)) - (double)flow->seen[i]) <= error))
            return false;
    return true;
}

/* Acts like a camera or a network card that has already written the batch into the pipeline's memory: the
 * source only reports it. */
static int32_t source(void *user, struct trm_token *token)
{
    struct bench_flow *flow = user;

    if (!(flow->filled >> token->slot & 1)) {
        bench_flow_fill(token->data[SOURCE_PORT], flow->kind->bytes / sizeof(float));
        flow->filled |= (uint64_t)1 << token->slot;
    }
    return TRM_OK;
}

/* Of the second batch, so that a fast wrong answer gives no figure. The check itself follows the run. */
static int32_t sink(void *user, const struct trm_token *token)
{
    struct bench_flow *flow = user;

    if (token->index == 1)
        bench_flow_look(flow, token->data[TARGET_PORT]);
    return TRM_OK;
}

/* ---- creating the pipeline ----------------------------------------------------------------------------- */

static int32_t load_kernel(struct bench *bench, struct bench_flow *flow)
{
    const struct trm_constant links   = trm_constant_u32("links", flow->links);
    const struct trm_module_desc desc = bench_chain_desc(&links);
    int32_t status                    = flow->group
                                            ? trm_group_kernel_load(flow->group, &desc, NULL, &flow->group_kernel)
                                            : trm_module_load(flow->one ? flow->one : bench->device, &desc, &flow->module);

    status = bench_built_in(bench, status);
    if (status == TRM_OK && !flow->group)
        status = trm_kernel_get(flow->module, NULL, &flow->kernel);
    if (status == TRM_OK && flow->kind->sums)
        status = trm_kernel_named(bench->device, "reduce", NULL, 0, &flow->sums);
    return status;
}

/* The pipeline copies them. */
struct stages {
    struct trm_argument arguments[KERNELS_MOST][STAGE_ARGUMENTS];
    struct trm_stage stages[KERNELS_MOST];
};

/* A kernel of the chain, from one port to another, for each element of the second. */
static struct trm_stage link_stage(const struct bench_flow *flow, struct trm_argument *arguments,
                                   uint32_t from, uint32_t to)
{
    struct trm_kernel *kernel = flow->group ? trm_group_stage_kernel(flow->group_kernel) : flow->kernel;

    arguments[0] = trm_arg_port(from);
    arguments[1] = trm_arg_port(to);
    arguments[2] = trm_arg_f32(BENCH_FLOW_FACTOR);
    arguments[3] = trm_arg_f32(BENCH_FLOW_TERM);
    arguments[4] = trm_arg_port_elements(to, sizeof(float));
    return trm_stage_launch(kernel, arguments, STAGE_ARGUMENTS, to, sizeof(float));
}

/* The last one, with a group for each element of the result. */
static struct trm_stage sums_stage(const struct bench_flow *flow, struct trm_argument *arguments,
                                   uint32_t from)
{
    struct trm_stage stage = {.kernel = flow->sums, .arguments = arguments, .argument_count = 3};

    arguments[0] = trm_arg_port(from);
    arguments[1] = trm_arg_port(TARGET_PORT);
    arguments[2] = trm_arg_port_elements(from, sizeof(float));
    stage.grid   = trm_grid_1d((uint32_t)(down_of(flow->kind) / sizeof(float)), 0);
    return stage;
}

static void link_stages(const struct bench_flow *flow, uint32_t count, struct stages *chain)
{
    uint32_t from = SOURCE_PORT;

    for (uint32_t i = 0; i < count; i++) {
        bool is_last = i == count - 1;
        uint32_t to  = is_last ? TARGET_PORT : BETWEEN_PORT + i % 2;

        chain->stages[i] = is_last && flow->kind->sums ? sums_stage(flow, chain->arguments[i], from)
                                                       : link_stage(flow, chain->arguments[i], from, to);
        from             = to;
    }
}

/* Where less comes down than went up, elements of the result do not come from a part of the batch. */
static int32_t make_pipeline(struct bench *bench, struct bench_flow *flow)
{
    uint64_t bytes      = flow->kind->bytes;
    uint32_t count      = kernels_of(flow->kind);
    struct stages chain = {.stages[0].argument_count = 0};

    struct trm_port ports[PORTS] = {
        [SOURCE_PORT]      = trm_port_input("source", bytes),
        [TARGET_PORT]      = trm_port_output("target", down_of(flow->kind)),
        [BETWEEN_PORT]     = trm_port_scratch("between", bytes),
        [BETWEEN_PORT + 1] = trm_port_scratch("between too", bytes),
    };
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc),
        .flags       = down_of(flow->kind) == bytes ? TRM_PIPELINE_DIVISIBLE : 0,
        .name        = "bench",
        .ports       = ports,
        .port_count  = BETWEEN_PORT + (count > 2 ? 2 : count - 1),
        .stages      = chain.stages,
        .stage_count = count,
        .depth       = flow->kind->depth,
        .strategy    = flow->kind->strategy,
    };

    for (uint32_t i = 0; i < PORTS; i++)
        ports[i].grain = sizeof(float);
    link_stages(flow, count, &chain);
    return flow->group ? trm_group_pipeline_create(flow->group, &desc, &flow->pipeline)
                       : trm_pipeline_create(flow->one ? flow->one : bench->device, &desc, &flow->pipeline);
}

int32_t bench_flow_begin(struct bench *bench, const struct bench_flow_kind *kind, struct bench_flow **flow)
{
    struct bench_flow *made = output_allocate(1, sizeof(*made));
    int32_t status          = TRM_OK;
    bool is_processor = bench->summary.kind == TRM_DEVICE_CPU || bench->summary.kind == TRM_DEVICE_SOFTWARE;

    made->kind  = kind;
    made->links = kind->gpu_links != 0 && !is_processor ? kind->gpu_links : kind->links;
    if (kind->place != BENCH_ON_DEVICE)
        status = bench_group_begin(bench, made);
    if (status == TRM_OK)
        status = load_kernel(bench, made);
    if (status == TRM_OK)
        status = kind->by_hand ? bench_hand_begin(bench, made) : make_pipeline(bench, made);
    if (status != TRM_OK) {
        bench_flow_end(made);
        return status;
    }
    *flow = made;
    return TRM_OK;
}

void bench_flow_end(struct bench_flow *flow)
{
    if (!flow)
        return;
    trm_pipeline_destroy(flow->pipeline);
    bench_hand_end(flow);
    trm_kernel_destroy(flow->sums);
    trm_kernel_destroy(flow->kernel);
    trm_module_destroy(flow->module);
    bench_group_end(flow);
    free(flow);
}

/* ---- running the pipeline ------------------------------------------------------------------------------ */

static int32_t pass(struct bench_flow *flow, uint64_t tokens)
{
    struct trm_source from = trm_source_function(source, flow);
    struct trm_sink to     = trm_sink_function(sink, flow);

    from.count = tokens;
    return trm_pipeline_run(flow->pipeline, &from, &to);
}

int32_t bench_flow_run(struct bench *bench, struct bench_flow *flow, uint64_t tokens, double *seconds)
{
    uint64_t begin = bench_now();
    int32_t status = flow->kind->by_hand ? bench_hand_run(flow, tokens) : pass(flow, tokens);

    *seconds = (double)(bench_now() - begin) * 1e-9;
    if (status == TRM_OK && !bench_flow_is_right(flow)) {
        bench->complaint = "a batch came out wrong";
        return TRM_ERROR_INTERNAL;
    }
    return status;
}

/* Three slots of 16 MiB took 18 batches until the next ones took no less. Batches that take long pass each
 * slot once at least. */
enum {
    WARM_RUN   = 24,
    WARM_LEAST = BENCH_DEPTH_MOST,
    WARM_NS    = 150000000,
};

int32_t bench_flow_warm(struct bench *bench, struct bench_flow *flow)
{
    double seconds;
    int32_t status = bench_flow_run(bench, flow, bench->quick ? 2 : WARM_LEAST, &seconds);
    double rest    = (double)WARM_NS * 1e-9 / seconds * WARM_LEAST - WARM_LEAST;

    if (bench->quick || rest < 1.0 || status != TRM_OK)
        return status;
    return bench_flow_run(bench, flow, rest < WARM_RUN - WARM_LEAST ? (uint64_t)rest : WARM_RUN - WARM_LEAST,
                          &seconds);
}

/* Whether the library still tries strategies. */
static bool is_on_trial(const struct bench_flow *flow)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    return trm_pipeline_report(flow->pipeline, &report) == TRM_OK &&
           strstr(report.reason, "on trial") != NULL;
}

/* Runs of so many batches, or longer ones. The trial of numbers of slots is over after five, and confirmed
 * after a tenth of a second. Of batches that take long there are fewer: a run that is not the second begins
 * within TRIAL_NS. */
enum {
    TRIAL_RUN       = 96,
    TRIAL_RUN_FIRST = 24,
    TRIAL_LONG_NS   = 20000000, /* such batches do not have longer runs than the first */
    TRIAL_RUNS      = 5,
    TRIAL_RUNS_MOST = 40,
    TRIAL_RUN_NS    = 50000000,
};
#define TRIAL_NS UINT64_C(3000000000)

/* seconds: of the first run. */
static uint64_t trial_run_of(const struct bench *bench, double seconds)
{
    double batch   = seconds / TRIAL_RUN_FIRST;
    uint64_t count = (uint64_t)((double)TRIAL_RUN_NS * 1e-9 / batch);

    if (bench->quick || batch > (double)TRIAL_LONG_NS * 1e-9)
        return bench->quick ? 2 : TRIAL_RUN_FIRST;
    return count > TRIAL_RUN ? count : TRIAL_RUN;
}

int32_t bench_flow_settle(struct bench *bench, struct bench_flow *flow)
{
    uint64_t count = bench->quick ? 2 : TRIAL_RUN_FIRST, begin = bench_now();
    int32_t status = TRM_OK;
    double seconds;

    for (int run = 0; run < TRIAL_RUNS_MOST && status == TRM_OK; run++) {
        if (bench->quick ? run > 0 : run > TRIAL_RUNS && !is_on_trial(flow))
            break;
        if (run > 1 && bench_now() - begin > TRIAL_NS)
            break;
        status = bench_flow_run(bench, flow, count, &seconds);
        if (run == 0)
            count = trial_run_of(bench, seconds);
    }
    return status;
}
