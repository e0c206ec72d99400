/* What a token of a pipeline costs beside a loop by hand over the same operations.
 *
 *     token_trireme [ROUNDS [TOKENS [BYTES [WAY]]]]       11 rounds of 20,000 tokens of 64 bytes unless given
 *
 * A token copies its bytes to the device, runs one kernel (a C function) and copies the result back; three
 * are in flight. By turns they go through a pipeline with a function as source and as sink, in which nothing
 * is measured, and through loops by hand:
 *
 *     by hand         three streams and points, no flush: the thread that waits runs the operations
 *     and five locks  takes an uncontended lock of its own five times a token besides
 *     and flushes     lets another thread begin each token at once
 *     two threads     without the library: memcpy() and the same function by this thread for every third
 *                     token, and by a second one for the others; both wait by looking
 *     engine          trm_pipeline_run() with slot streams
 *     with times      the same, which notes the times of some tokens
 *     zero-copy       the pipeline without copies
 *
 * Prints the medians of a token's processor time (of all threads) and of its time by the clock, and of their
 * ratios to the loop by hand of the same round. Where two processors work at a token's operations side by
 * side, the first says what it costs and the second what it brings: a thread that waits for the other one
 * looks all the time. The goal is 1.2 for the engine. For a profiler, a fourth argument names the only way to
 * run.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS       = 3,
    ARGUMENTS   = 5,
    ROUNDS_MOST = 99,
    LOCKS       = 5,
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_module *module;
static struct trm_kernel *kernel;

static uint64_t bytes = 64;
static uint32_t count = 20000;

static void fail(const char *what)
{
    fprintf(stderr, "token_trireme: %s\n", what);
    exit(1);
}

static void must(int32_t status)
{
    if (status != TRM_OK)
        fail(trm_last_error().sentence);
}

/* ---- the kernel --------------------------------------------------------------------------------------- */

struct scale_arguments {
    struct trm_cpu_buffer in, out;
    float factor, addend;
    uint32_t count;
};

static int32_t scale(const struct trm_cpu_groups *groups, const void *arguments)
{
    const struct scale_arguments *scale = arguments;
    const float *in                     = scale->in.data;
    float *out                          = scale->out.data;

    for (uint64_t i = groups->begin * 16; i < groups->end * 16 && i < scale->count; i++)
        out[i] = in[i] * scale->factor + scale->addend;
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "in", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "out", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
    {.name = "factor", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "addend", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel functions[] = {
    {.name            = "scale",
     .function        = scale,
     .parameters      = parameters,
     .parameter_count = ARGUMENTS,
     .group_size      = {16, 1, 1}},
};

static uint32_t numbers(void)
{
    return (uint32_t)(bytes / sizeof(float));
}

/* ---- by hand ------------------------------------------------------------------------------------------ */

static struct trm_stream *streams[SLOTS];
static struct trm_buffer *host[SLOTS][2], *device_side[SLOTS][2];
static float *in[SLOTS], *out[SLOTS];
static struct trm_grid grid;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t locked;

static void make_slots(void)
{
    for (int i = 0; i < SLOTS; i++) {
        must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]));
        for (int side = 0; side < 2; side++) {
            must(trm_buffer_create(device, TRM_MEMORY_PINNED, bytes, &host[i][side]));
            must(trm_buffer_create(device, TRM_MEMORY_DEVICE, bytes, &device_side[i][side]));
        }
        must(trm_buffer_host_pointer(host[i][0], (void **)&in[i]));
        must(trm_buffer_host_pointer(host[i][1], (void **)&out[i]));
    }
    must(trm_kernel_grid(kernel, numbers(), 1, 1, &grid));
}

static void destroy_slots(void)
{
    for (int i = 0; i < SLOTS; i++) {
        for (int side = 0; side < 2; side++) {
            trm_buffer_destroy(host[i][side]);
            trm_buffer_destroy(device_side[i][side]);
        }
        trm_stream_destroy(streams[i]);
    }
}

static void check(uint64_t token, const float *result)
{
    if (result[0] != (float)(token & 0xffff) * 2 + 1)
        fail("a result is wrong");
}

static void enqueue_by_hand(int slot, uint64_t token, struct trm_point *end)
{
    const struct trm_argument arguments[ARGUMENTS] = {trm_arg_buffer(device_side[slot][0]),
                                                      trm_arg_buffer(device_side[slot][1]), trm_arg_f32(2),
                                                      trm_arg_f32(1), trm_arg_u32(numbers())};

    in[slot][0] = (float)(token & 0xffff);
    must(trm_copy(streams[slot], trm_span_whole(device_side[slot][0]), trm_span_whole(host[slot][0])));
    must(trm_launch(streams[slot], kernel, &grid, arguments, ARGUMENTS));
    must(trm_copy(streams[slot], trm_span_whole(host[slot][1]), trm_span_whole(device_side[slot][1])));
    must(trm_stream_mark(streams[slot], end));
}

static void run_by_hand(int locks, bool flushes)
{
    struct trm_point ends[SLOTS];

    for (uint64_t i = 0; i < (uint64_t)count + SLOTS; i++) {
        int slot = (int)(i % SLOTS);
        if (i >= SLOTS) {
            must(trm_point_wait(ends[slot], TRM_FOREVER));
            check(i - SLOTS, out[slot]);
        }
        if (i < count)
            enqueue_by_hand(slot, i, &ends[slot]);
        if (i < count && flushes)
            must(trm_stream_flush(streams[slot]));
        for (int n = 0; n < locks; n++) {
            pthread_mutex_lock(&lock);
            locked++;
            pthread_mutex_unlock(&lock);
        }
    }
}

static void by_hand(void)
{
    run_by_hand(0, false);
}

static void by_hand_with_locks(void)
{
    run_by_hand(LOCKS, false);
}

static void by_hand_with_flushes(void)
{
    run_by_hand(0, true);
}

/* ---- without the library ------------------------------------------------------------------------------ */

/* Of each slot: the number of the last token that was given, and of the last one that is done, from 1. */
static struct {
    _Alignas(64) _Atomic uint64_t given;
    _Alignas(64) _Atomic uint64_t done;
} hands[SLOTS];

static struct scale_arguments bare[SLOTS]; /* on the device's side */

static void make_bare(void)
{
    for (int i = 0; i < SLOTS; i++) {
        bare[i]          = (struct scale_arguments){.factor = 2, .addend = 1, .count = numbers()};
        bare[i].in.data  = measure_memory(bytes);
        bare[i].out.data = measure_memory(bytes);
    }
}

static void destroy_bare(void)
{
    for (int i = 0; i < SLOTS; i++) {
        free(bare[i].in.data);
        free(bare[i].out.data);
    }
}

static void run_bare(int slot)
{
    const struct trm_cpu_groups all = {.begin = 0, .end = numbers() / 16};

    memcpy(bare[slot].in.data, in[slot], bytes);
    scale(&all, &bare[slot]);
    memcpy(out[slot], bare[slot].out.data, bytes);
}

static void wait_for(const _Atomic uint64_t *number, uint64_t value)
{
    for (uint32_t looks = 0; atomic_load_explicit(number, memory_order_acquire) != value;)
        if (++looks % 1024 == 0)
            sched_yield();
}

static bool is_mine(uint64_t token)
{
    return token % SLOTS == SLOTS - 1;
}

static void *run_others(void *nothing)
{
    for (uint64_t i = 0; i < count; i++) {
        if (is_mine(i))
            continue;
        wait_for(&hands[i % SLOTS].given, i + 1);
        run_bare((int)(i % SLOTS));
        atomic_store_explicit(&hands[i % SLOTS].done, i + 1, memory_order_release);
    }
    return nothing;
}

static void two_threads(void)
{
    pthread_t second;

    for (int i = 0; i < SLOTS; i++)
        atomic_store(&hands[i].given, 0);
    if (pthread_create(&second, NULL, run_others, NULL) != 0)
        fail("there is no second thread");
    for (uint64_t i = 0; i < (uint64_t)count + SLOTS; i++) {
        int slot = (int)(i % SLOTS);
        if (i >= SLOTS) {
            if (is_mine(i))
                run_bare(slot);
            else
                wait_for(&hands[slot].done, i - SLOTS + 1);
            check(i - SLOTS, out[slot]);
        }
        if (i >= count)
            continue;
        in[slot][0] = (float)(i & 0xffff);
        atomic_store_explicit(&hands[slot].given, i + 1, memory_order_release);
    }
    pthread_join(second, NULL);
}

/* ---- the engine --------------------------------------------------------------------------------------- */

enum {
    IN,
    OUT,
    PORTS
};

static struct trm_pipeline *copying, *measured, *in_place;

static struct trm_pipeline *make_pipeline(int32_t strategy, int32_t measure)
{
    const struct trm_port ports[PORTS]    = {trm_port_input("in", bytes), trm_port_output("out", bytes)};
    const struct trm_argument arguments[] = {trm_arg_port(IN), trm_arg_port(OUT), trm_arg_f32(2),
                                             trm_arg_f32(1), trm_arg_u32(numbers())};
    struct trm_stage stage                = trm_stage_launch(kernel, arguments, ARGUMENTS, IN, sizeof(float));
    struct trm_pipeline_desc desc         = {
                .struct_size = sizeof(desc),
                .ports       = ports,
                .port_count  = PORTS,
                .stages      = &stage,
                .stage_count = 1,
                .depth       = SLOTS,
                .strategy    = strategy,
                .measure     = measure,
    };
    struct trm_pipeline *pipeline;

    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

static int32_t fill(void *user, struct trm_token *token)
{
    (void)user;
    ((float *)token->data[IN])[0] = (float)(token->index & 0xffff);
    return TRM_OK;
}

static int32_t look(void *user, const struct trm_token *token)
{
    (void)user;
    check(token->index, token->data[OUT]);
    return TRM_OK;
}

static void run_pipeline(struct trm_pipeline *pipeline)
{
    struct trm_source source = trm_source_function(fill, NULL);
    struct trm_sink sink     = trm_sink_function(look, NULL);

    source.count = count;
    must(trm_pipeline_run(pipeline, &source, &sink));
}

static void engine(void)
{
    run_pipeline(copying);
}

static void engine_with_times(void)
{
    run_pipeline(measured);
}

static void engine_in_place(void)
{
    run_pipeline(in_place);
}

/* ---- the program -------------------------------------------------------------------------------------- */

static const struct way {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"by hand", by_hand},
    {"and five locks", by_hand_with_locks},
    {"and flushes", by_hand_with_flushes},
    {"two threads", two_threads},
    {"engine", engine},
    {"with times", engine_with_times},
    {"zero-copy", engine_in_place},
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void open_device(void)
{
    const struct trm_module_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_FUNCTIONS,
        .data        = functions,
        .size        = sizeof(functions),
    };

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "scale", &kernel));
}

static double ratio(double time, double by_hand)
{
    return by_hand > 0 ? time / by_hand : 0;
}

int main(int argc, char **argv)
{
    static double used[WAYS][ROUNDS_MOST], used_ratio[WAYS][ROUNDS_MOST];
    static double took[WAYS][ROUNDS_MOST], took_ratio[WAYS][ROUNDS_MOST];
    uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 11;

    count            = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : count;
    bytes            = argc > 3 ? strtoull(argv[3], NULL, 10) : bytes;
    const char *only = argc > 4 ? argv[4] : "";
    if (rounds == 0 || rounds > ROUNDS_MOST || count < SLOTS || bytes < 64 || bytes % 64 != 0)
        fail("1 to 99 rounds of at least 3 tokens of a multiple of 64 bytes");
    open_device();
    make_slots();
    make_bare();
    copying  = make_pipeline(TRM_STRATEGY_SLOT_STREAMS, TRM_MEASURE_NONE);
    measured = make_pipeline(TRM_STRATEGY_SLOT_STREAMS, TRM_MEASURE_SAMPLED);
    in_place = make_pipeline(TRM_STRATEGY_ZERO_COPY, TRM_MEASURE_NONE);
    for (uint32_t round = 0; round <= rounds; round++) {
        for (size_t i = 0; i < WAYS; i++) {
            if (strncmp(ways[i].name, only, strlen(only)) != 0)
                continue;
            measure_pause(); /* a worker that the way before has woken looks for work for a while */
            uint64_t began = measure_now(), begin = measure_processor_time();
            ways[i].run();
            /* The first round warms up. */
            if (round == 0)
                continue;
            used[i][round - 1]       = (double)(measure_processor_time() - begin) / count;
            took[i][round - 1]       = (double)(measure_now() - began) / count;
            used_ratio[i][round - 1] = ratio(used[i][round - 1], used[0][round - 1]);
            took_ratio[i][round - 1] = ratio(took[i][round - 1], took[0][round - 1]);
        }
    }
    for (size_t i = 0; i < WAYS; i++)
        printf("%-16s %8.0f ns of processors a token, %5.2f of by hand; %8.0f ns by the clock, %5.2f\n",
               ways[i].name, measure_median(used[i], rounds), measure_median(used_ratio[i], rounds),
               measure_median(took[i], rounds), measure_median(took_ratio[i], rounds));
    trm_pipeline_destroy(in_place);
    trm_pipeline_destroy(measured);
    trm_pipeline_destroy(copying);
    destroy_bare();
    destroy_slots();
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
