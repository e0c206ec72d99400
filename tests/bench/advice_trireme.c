/* What the advice of reports is worth: ten workloads are run, each is changed as its report says, and run
 * again. Prints the gain that the report predicted and the gain of the second run, on the device that
 * TRIREME_BACKEND names.
 *
 *     advice_trireme [--json | --markdown] [--quick]
 *
 * Workloads differ in their sources, sinks, sizes and slots. Where the report says that nothing helps, more
 * workers and slots are tried.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trireme/trireme.h>

#include "measure.h"

enum {
    STAGES_MOST = 16,
    TURNS       = 3, /* the best of so many runs counts, before and after, by turns */
};

#define MS UINT64_C(1000000)

enum spend {
    NOT_AT_ALL,
    BY_WORK,
    BY_SLEEP,
    BY_PACE, /* of another program: one token each so often */
};

struct workload {
    const char *name;
    size_t bytes; /* of a token */
    uint64_t tokens;
    uint32_t launches; /* of the kernel for each token */
    uint32_t depth, workers;
    enum spend load, sink;
    uint64_t load_ns, sink_ns;
    bool is_served; /* each request waits for its result */
    bool is_uneven; /* every eighth token loads eight times as long */
};

static const struct workload workloads[] = {
    {"one_slot", 1 << 20, 200, 8, 1, 1, BY_SLEEP, BY_SLEEP, 2 * MS, MS, false, false},
    {"waiting_source", 1 << 20, 100, 2, 3, 1, BY_SLEEP, NOT_AT_ALL, 6 * MS, 0, false, false},
    {"load_and_sink", 1 << 18, 200, 1, 4, 0, BY_SLEEP, BY_SLEEP, 3 * MS, 3 * MS, false, false},
    {"working_source", 1 << 16, 200, 1, 3, 1, BY_WORK, NOT_AT_ALL, 3 * MS, 0, false, false},
    {"slow_sink", 1 << 18, 100, 1, 3, 1, BY_SLEEP, BY_SLEEP, 2 * MS, 6 * MS, false, false},
    {"small_tokens", 1 << 10, 40000, 1, 3, 1, NOT_AT_ALL, NOT_AT_ALL, 0, 0, false, false},
    {"few_large_tokens", 16 << 20, 3, 1, 3, 1, BY_SLEEP, BY_SLEEP, 16 * MS, 16 * MS, false, false},
    {"lockstep_server", 1 << 18, 200, 2, 4, 0, BY_SLEEP, BY_SLEEP, MS, MS, true, false},
    {"uneven_source", 1 << 18, 160, 1, 2, 1, BY_SLEEP, BY_SLEEP, MS, 2 * MS, false, true},
    {"paced_source", 1 << 18, 60, 1, 3, 1, BY_PACE, NOT_AT_ALL, 10 * MS, 0, false, false},
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_kernel *kernel;

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "advice_trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

/* ---- sources and sinks ------------------------------------------------------------------------------ */

struct ends {
    const struct workload *work;
    uint64_t begun;
};

static void sleep_until(uint64_t time)
{
    uint64_t now         = measure_now();
    uint64_t left        = now < time ? time - now : 0;
    struct timespec rest = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};

    while (left > 0 && nanosleep(&rest, &rest) != 0)
        continue;
}

static uint64_t rounds_a_ms; /* of work */

static void work(uint64_t rounds)
{
    volatile uint64_t number = 1;

    for (uint64_t i = 0; i < rounds; i++)
        number = number * 6364136223846793005u + 1;
}

/* The best of several attempts, since other programs may have run meanwhile. */
static void calibrate_work(void)
{
    enum {
        ROUNDS = 400000
    };
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < 20; i++) {
        uint64_t begin = measure_now();
        work(ROUNDS);
        uint64_t took = measure_now() - begin;
        best          = took < best ? took : best;
    }
    rounds_a_ms = ROUNDS * MS / best;
}

static void spend(enum spend how, uint64_t now, uint64_t time)
{
    if (how == BY_WORK)
        work(rounds_a_ms * (time - now) / MS);
    else if (how != NOT_AT_ALL)
        sleep_until(time);
}

static int32_t fill(void *user, struct trm_token *token)
{
    struct ends *ends           = user;
    const struct workload *work = ends->work;
    uint64_t now = measure_now(), takes = work->load_ns;

    if (token->index == 0)
        ends->begun = now;
    if (work->is_uneven && token->index % 8 == 7)
        takes *= 8;
    spend(work->load, now, work->load == BY_PACE ? ends->begun + (token->index + 1) * takes : now + takes);
    return TRM_OK;
}

static int32_t consume(void *user, const struct trm_token *token)
{
    const struct ends *ends = user;
    uint64_t now            = measure_now();

    (void)token;
    spend(ends->work->sink, now, now + ends->work->sink_ns);
    return TRM_OK;
}

/* ---- a run ------------------------------------------------------------------------------------------ */

static struct trm_pipeline *make(const struct workload *work)
{
    struct trm_port ports[]               = {trm_port_input("x", work->bytes),
                                             trm_port_follows(trm_port_output("y", work->bytes), 0)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1),
                                             trm_arg_port_elements(0, sizeof(float))};
    struct trm_stage stages[STAGES_MOST];
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = stages,
                                     .stage_count = work->launches,
                                     .depth       = work->depth};
    struct trm_pipeline *pipeline;

    for (uint32_t i = 0; i < work->launches; i++)
        stages[i] = trm_stage_launch(kernel, arguments, 3, 0, sizeof(float));
    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

/* One request at a time, or as many as there are slots. */
static void serve(struct trm_pipeline *pipeline, struct ends *ends, uint32_t at_once)
{
    struct trm_token *token;
    uint64_t sent = 0, got = 0;

    while (got < ends->work->tokens) {
        if (sent < ends->work->tokens && sent - got < at_once) {
            must(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
            must(trm_pipeline_submit(pipeline, token));
            sent++;
            continue;
        }
        must(trm_pipeline_next(pipeline, TRM_FOREVER, &token));
        must(trm_pipeline_release(pipeline, token));
        got++;
    }
}

static void run(const struct workload *work, struct trm_report *report)
{
    struct ends ends              = {.work = work};
    struct trm_source source      = trm_source_function(fill, &ends);
    struct trm_sink sink          = trm_sink_function(consume, &ends);
    struct trm_pipeline *pipeline = make(work);

    source.count   = work->tokens;
    source.workers = work->workers;
    source.flags   = work->load == BY_PACE ? TRM_END_SERIAL | TRM_END_PACED : 0;
    if (work->is_served) {
        serve(pipeline, &ends, 1);
    } else if (work->workers == UINT32_MAX) {
        serve(pipeline, &ends, work->depth);
    } else {
        must(trm_pipeline_run(pipeline, &source, &sink));
    }
    report->struct_size = sizeof(*report);
    must(trm_pipeline_report(pipeline, report));
    trm_pipeline_destroy(pipeline);
}

/* ---- following the advice --------------------------------------------------------------------------- */

static struct workload follow(const struct workload *work, const struct trm_advice *advice)
{
    struct workload next = *work;

    if (work->is_served) {
        next.is_served = false;
        next.workers   = UINT32_MAX;
        return next;
    }
    next.workers = advice->workers;
    next.depth   = advice->depth;
    /* Larger tokens are as many: the best of some runs that are ten times as short meets a quieter
     * machine. */
    if (advice->size < 1)
        next.tokens = (uint64_t)((double)work->tokens / advice->size + 0.5);
    next.bytes   = (size_t)((double)work->bytes * advice->size);
    next.load_ns = (uint64_t)((double)work->load_ns * advice->size);
    next.sink_ns = (uint64_t)((double)work->sink_ns * advice->size);
    if (advice->kind == TRM_ADVICE_STAGE && advice->stage == TRM_STAGE_LOAD)
        next.load_ns = advice->stage_ns;
    if (advice->kind == TRM_ADVICE_STAGE && advice->stage == TRM_STAGE_SINK)
        next.sink_ns = advice->stage_ns;
    if (advice->kind == TRM_ADVICE_MORE)
        next.tokens *= 10;
    if (advice->kind == TRM_ADVICE_BOUND) {
        next.workers += 2;
        next.depth += 4;
    }
    return next;
}

/* Nanoseconds for the data of one token of the workload as it was. */
static double each(const struct trm_report *report, double size)
{
    return (double)report->elapsed_ns / (double)report->tokens / size;
}

struct result {
    double predicted, got;
    char advice[256];
};

static void try_workload(const struct workload *work, int turns, struct result *result)
{
    struct trm_report before, after, best = {.struct_size = sizeof(best)};
    double least_before = 1e30, least_after = 1e30;

    /* The first run warms caches and the device. */
    run(work, &best);
    for (int i = 0; i < turns; i++) {
        run(work, &before);
        if (each(&before, 1) < least_before) {
            least_before = each(&before, 1);
            best         = before;
        }
        struct workload next = follow(work, &best.advised);
        run(&next, &after);
        if (each(&after, best.advised.size) < least_after)
            least_after = each(&after, best.advised.size);
    }
    result->predicted = best.advised.gain;
    result->got       = least_before / least_after;
    memcpy(result->advice, best.advice, sizeof(result->advice));
}

/* ---- the program ------------------------------------------------------------------------------------ */

static void print(const struct workload *work, const struct result *result, const char *format)
{
    const char *backend = getenv("BENCH_BACKEND");

    if (strcmp(format, "--json") == 0)
        printf("{\"suite\": \"advice\", \"case\": \"%s\", \"backend\": \"%s\", \"unit\": \"x\", "
               "\"predicted\": %.3f, \"got\": %.3f}\n",
               work->name, backend != NULL ? backend : "trireme", result->predicted, result->got);
    else if (strcmp(format, "--markdown") == 0)
        printf("| %s | %.2f | %.2f | %s |\n", work->name, result->predicted, result->got, result->advice);
    else
        printf("%-18s %8.2f x %8.2f x   %s\n", work->name, result->predicted, result->got, result->advice);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *format = "";
    int turns          = TURNS;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            turns = 1;
        else
            format = argv[i];
    }
    calibrate_work();
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_kernel_named(device, "unary", NULL, 0, &kernel));
    if (strcmp(format, "--markdown") == 0)
        printf("| workload | predicted | got | advice |\n|---|---:|---:|---|\n");
    else if (format[0] == '\0')
        printf("%-18s %10s %10s   %s\n", "workload", "predicted", "got", "advice");
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        struct result result;
        try_workload(&workloads[i], turns, &result);
        print(&workloads[i], &result, format);
    }
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
