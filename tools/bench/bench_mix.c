/* Trireme: mixes of tasks that go to pools of two strategies in turns.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_mix.h"

#include "tools/output/output.h"

#include <math.h>
#include <stdlib.h>

enum {
    BUSY         = 48,  /* long tasks that have not ended */
    URGENT       = 200, /* short tasks of high priority in a sample */
    STREAMS      = 8,
    TURNS        = 8,
    FEW          = 10, /* tasks of each kind, after which a pool should know what is best */
    SHARES       = 40, /* in which the strategies take turns then */
    QUICK_SHARES = 4,
    PARTS        = 16, /* of the target: so many tasks write memory of their own */
    POINTS_MOST  = 4096,
    LINKS        = 256, /* fused multiply-adds for an element of a task that is bound by arithmetic */
    GPU_LINKS    = 4096,
};

/* Elements of tasks. */
enum {
    TINY   = 256,
    SHORT  = 1024,
    MEDIUM = 8192,
    LONG   = 65536,
    LARGE  = 1 << 19,
};

enum work {
    MEMORY,
    ARITHMETIC,
    WORKS,
};

struct bench_mix {
    struct trm_stream_pool *pools[2]; /* the strategy's, and round-robin's */
    struct trm_module *modules[WORKS];
    struct trm_kernel *kernels[WORKS];
    struct trm_buffer *source, *target;
    struct trm_point points[POINTS_MOST]; /* of the tasks that are not waited for yet */
    uint32_t count;
    uint32_t part;    /* of the next task */
    int32_t priority; /* of the next task */
    uint64_t filling; /* elements of a task that fills the device */
};

/* ---- making and ending --------------------------------------------------------------------------------- */

static bool is_gpu(const struct bench *bench)
{
    return bench->summary.kind == TRM_DEVICE_GPU || bench->summary.kind == TRM_DEVICE_IGPU;
}

static int32_t load(struct bench *bench, struct bench_mix *mix, enum work work)
{
    uint32_t many                     = is_gpu(bench) ? GPU_LINKS : LINKS;
    const struct trm_constant links   = trm_constant_u32("links", work == MEMORY ? 1 : many);
    const struct trm_module_desc desc = bench_chain_desc(&links);
    int32_t status                    = trm_module_load(bench->device, &desc, &mix->modules[work]);

    status = bench_built_in(bench, status);
    return status == TRM_OK ? trm_kernel_get(mix->modules[work], NULL, &mix->kernels[work]) : status;
}

static int32_t make_pool(struct bench *bench, int32_t strategy, struct trm_stream_pool **pool)
{
    const struct trm_stream_pool_desc desc = {
        .struct_size = sizeof(desc), .strategy = strategy, .most = STREAMS};

    return trm_stream_pool_create(bench->device, &desc, pool);
}

static int32_t make_buffer(struct bench *bench, uint64_t floats, struct trm_buffer **buffer)
{
    return trm_buffer_create(bench->device, TRM_MEMORY_DEVICE, floats * sizeof(float), buffer);
}

/* The source is filled, so that the arithmetic meets no numbers that are slow. */
static int32_t fill(struct bench *bench, const struct bench_mix *mix)
{
    struct trm_stream *stream;
    int32_t status = trm_device_thread_stream(bench->device, &stream);

    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(mix->source), 0x3f000000, sizeof(float));
    return status == TRM_OK ? trm_stream_sync(stream) : status;
}

int32_t bench_mix_setup(struct bench *bench, const struct bench_case *test)
{
    struct bench_mix *mix = output_allocate(1, sizeof(*mix));
    int32_t status        = load(bench, mix, MEMORY);

    bench->mix   = mix;
    mix->filling = is_gpu(bench) ? LARGE : LONG;
    if (status == TRM_OK)
        status = load(bench, mix, ARITHMETIC);
    if (status == TRM_OK)
        status = make_buffer(bench, LARGE, &mix->source);
    if (status == TRM_OK)
        status = make_buffer(bench, (uint64_t)LARGE * PARTS, &mix->target);
    if (status == TRM_OK)
        status = fill(bench, mix);
    if (status == TRM_OK)
        status = make_pool(bench, (int32_t)(test->argument & 0xff), &mix->pools[0]);
    return status == TRM_OK ? make_pool(bench, TRM_STREAM_ROUND_ROBIN, &mix->pools[1]) : status;
}

void bench_mix_end(struct bench_mix *mix)
{
    if (!mix)
        return;
    trm_stream_pool_destroy(mix->pools[0]);
    trm_stream_pool_destroy(mix->pools[1]);
    for (int i = 0; i < WORKS; i++) {
        trm_kernel_destroy(mix->kernels[i]);
        trm_module_destroy(mix->modules[i]);
    }
    trm_buffer_destroy(mix->source);
    trm_buffer_destroy(mix->target);
    free(mix);
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

static int32_t wait_for_all(struct bench_mix *mix)
{
    int32_t status = trm_wait_all(mix->points, mix->count, TRM_FOREVER);

    mix->count = 0;
    return status;
}

/* Puts a task into the pool; its point stays valid for the next POINTS_MOST tasks. */
static int32_t put(struct bench_mix *mix, struct trm_stream_pool *pool, enum work work, uint32_t elements,
                   const struct trm_point *after)
{
    uint64_t bytes = elements * sizeof(float), place = mix->part++ % PARTS * (uint64_t)LARGE * sizeof(float);
    const struct trm_argument arguments[] = {
        trm_arg_span(trm_span_of(mix->source, 0, bytes)),
        trm_arg_span(trm_span_of(mix->target, place, bytes)),
        trm_arg_f32(0.5f),
        trm_arg_f32(0.25f),
        trm_arg_u32(elements),
    };
    const struct trm_stream_task task = {
        .struct_size    = sizeof(task),
        .kernel         = mix->kernels[work],
        .grid           = trm_grid_1d((elements + 255) / 256, 0),
        .arguments      = arguments,
        .argument_count = sizeof(arguments) / sizeof(arguments[0]),
        .after          = after,
        .after_count    = after ? 1 : 0,
        .priority       = mix->priority,
        .bytes          = 2 * bytes,
    };
    int32_t status = mix->count < POINTS_MOST ? TRM_OK : wait_for_all(mix);

    return status == TRM_OK ? trm_stream_pool_submit(pool, &task, &mix->points[mix->count++]) : status;
}

/* ---- tasks with names ---------------------------------------------------------------------------------- */

const char *const bench_mix_names[BENCH_MIX_NAMES] = {"memory", "long", "medium", "short"};

struct named {
    const struct bench_mix *mix;
    enum work work;
    uint32_t elements, part;
    const char *name;
};

static int32_t enqueue_named(void *user, struct trm_stream *stream)
{
    const struct named *named             = user;
    const struct bench_mix *mix           = named->mix;
    uint64_t bytes                        = named->elements * sizeof(float),
             place                        = named->part % PARTS * (uint64_t)LARGE * sizeof(float);
    const struct trm_argument arguments[] = {
        trm_arg_span(trm_span_of(mix->source, 0, bytes)),
        trm_arg_span(trm_span_of(mix->target, place, bytes)),
        trm_arg_f32(0.5f),
        trm_arg_f32(0.25f),
        trm_arg_u32(named->elements),
    };
    const struct trm_grid grid = trm_grid_1d((named->elements + 255) / 256, 0);
    int32_t status             = trm_range_push(stream, named->name);

    if (status != TRM_OK)
        return status;
    status         = trm_launch(stream, mix->kernels[named->work], &grid, arguments, 5);
    int32_t popped = trm_range_pop(stream);
    return status == TRM_OK ? popped : status;
}

static int32_t put_named(struct bench_mix *mix, struct trm_stream_pool *pool, int name)
{
    static const uint32_t elements[BENCH_MIX_NAMES] = {LARGE, LONG, MEDIUM, SHORT};
    struct named named                = {mix, name == 0 ? MEMORY : ARITHMETIC, elements[name], mix->part++,
                                         bench_mix_names[name]};
    const struct trm_stream_task task = {.struct_size = sizeof(task),
                                         .enqueue     = enqueue_named,
                                         .user        = &named,
                                         .bytes       = 2 * sizeof(float) * elements[name]};

    return trm_stream_pool_submit(pool, &task, &mix->points[mix->count++]);
}

int32_t bench_mix_run_named(struct bench *bench, struct trm_stream_pool *pool)
{
    static const int names[] = {0, 1, 2, 3, 3, 2, 3, 2, 3, 3};
    struct bench_mix *mix    = bench->mix;
    int32_t status           = TRM_OK;

    for (uint32_t i = 0; i < 60 && status == TRM_OK; i++)
        status = put_named(mix, pool, names[i % 10]);
    return status == TRM_OK ? wait_for_all(mix) : status;
}

/* ---- mixes --------------------------------------------------------------------------------------------- */

static int32_t run_tiny(struct bench_mix *mix, struct trm_stream_pool *pool)
{
    int32_t status = TRM_OK;

    for (int i = 0; i < 64 && status == TRM_OK; i++)
        status = put(mix, pool, MEMORY, TINY, NULL);
    return status;
}

static int32_t run_long(struct bench_mix *mix, struct trm_stream_pool *pool)
{
    int32_t status = TRM_OK;

    for (int i = 0; i < 16 && status == TRM_OK; i++)
        status = put(mix, pool, ARITHMETIC, i % 8 == 0 ? LONG : SHORT, NULL);
    return status;
}

static int32_t run_memory(struct bench_mix *mix, struct trm_stream_pool *pool)
{
    int32_t status = TRM_OK;

    for (int i = 0; i < 8 && status == TRM_OK; i++)
        status = i % 2 == 0 ? put(mix, pool, MEMORY, LARGE, NULL) : put(mix, pool, ARITHMETIC, MEDIUM, NULL);
    return status;
}

static int32_t run_bursts(struct bench_mix *mix, struct trm_stream_pool *pool)
{
    static const uint32_t sizes[] = {SHORT, MEDIUM, SHORT, TINY, LONG, SHORT, TINY, MEDIUM};
    int32_t status                = TRM_OK;

    for (int i = 0; i < 24 && status == TRM_OK; i++)
        status = put(mix, pool, ARITHMETIC, sizes[i % 8], NULL);
    return status == TRM_OK ? wait_for_all(mix) : status;
}

static int32_t run_chain(struct bench_mix *mix, struct trm_stream_pool *pool)
{
    struct trm_point last;
    int32_t status = TRM_OK;

    for (int i = 0; i < 16 && status == TRM_OK; i++) {
        status = put(mix, pool, ARITHMETIC, MEDIUM, i == 0 ? NULL : &last);
        if (status != TRM_OK)
            break;
        last   = mix->points[mix->count - 1];
        status = put(mix, pool, ARITHMETIC, SHORT, &last);
        if (status == TRM_OK)
            status = put(mix, pool, MEMORY, MEDIUM, &last);
    }
    return status;
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

struct mix_kind {
    int32_t (*run)(struct bench_mix *mix, struct trm_stream_pool *pool);
    uint64_t times; /* in all turns of one strategy */
    uint64_t least; /* tasks of each kind in a run, at least */
};

static const struct mix_kind kinds[BENCH_MIXES] = {
    [BENCH_MIX_TINY] = {run_tiny, 400, 64},    [BENCH_MIX_LONG] = {run_long, 200, 2},
    [BENCH_MIX_MEMORY] = {run_memory, 200, 4}, [BENCH_MIX_BURSTS] = {run_bursts, 100, 3},
    [BENCH_MIX_CHAIN] = {run_chain, 200, 16},
};

static int32_t run_turn(struct bench_mix *mix, const struct mix_kind *kind, struct trm_stream_pool *pool,
                        uint64_t times, double *least)
{
    uint64_t begin = bench_now();
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < times && status == TRM_OK; i++)
        status = kind->run(mix, pool);
    if (status == TRM_OK)
        status = wait_for_all(mix);
    double took = (double)(bench_now() - begin);
    *least      = took < *least ? took : *least;
    return status;
}

/* Other work on the machine makes a turn longer and never shorter. */
int32_t bench_mix_sample(struct bench *bench, const struct bench_case *test, double *value)
{
    const struct mix_kind *kind = &kinds[test->argument >> 8];
    uint64_t times              = bench_scale(bench, kind->times) / TURNS + 1;
    int turns                   = bench->quick ? 2 : TURNS;
    double least[2]             = {HUGE_VAL, HUGE_VAL};
    int32_t status              = TRM_OK;

    for (int i = 0; i < turns * 2 && status == TRM_OK; i++)
        status = run_turn(bench->mix, kind, bench->mix->pools[i % 2], times, &least[i % 2]);
    *value = least[1] / least[0];
    return status;
}

/* ---- after a few tasks --------------------------------------------------------------------------------- */

/* New pools of all strategies that need no priorities, the one to be measured first. */
enum {
    NEW_POOLS = 4
};

static int32_t make_new(struct bench *bench, struct trm_stream_pool *pools[NEW_POOLS])
{
    static const int32_t strategies[NEW_POOLS] = {TRM_STREAM_AUTO, TRM_STREAM_ROUND_ROBIN,
                                                  TRM_STREAM_LEAST_LOADED, TRM_STREAM_WORKLOAD};
    int32_t status                             = TRM_OK;

    for (int i = 0; i < NEW_POOLS && status == TRM_OK; i++)
        status = make_pool(bench, strategies[i], &pools[i]);
    return status;
}

static int compare_times(const void *one, const void *other)
{
    double left = *(const double *)one, right = *(const double *)other;

    return (left > right) - (left < right);
}

/* The time of most turns counts, since the strategy `auto` tries others in some of them; without the slowest
 * quarter, in which the machine did something else. */
static double sum_of(double took[SHARES], int shares)
{
    double sum = 0;

    qsort(took, (size_t)shares, sizeof(took[0]), compare_times);
    for (int i = 0; i < shares * 3 / 4; i++)
        sum += took[i];
    return sum;
}

static int32_t run_shares(struct bench_mix *mix, const struct mix_kind *kind, uint64_t times,
                          struct trm_stream_pool *const pools[NEW_POOLS], double took[NEW_POOLS][SHARES],
                          int shares)
{
    uint64_t first = (FEW + kind->least - 1) / kind->least;
    double ignored = HUGE_VAL;
    int32_t status = TRM_OK;

    for (int i = 0; i < NEW_POOLS && status == TRM_OK; i++)
        status = run_turn(mix, kind, pools[i], first, &ignored);
    for (int i = 0; i < shares * NEW_POOLS && status == TRM_OK; i++) {
        double *spent = &took[i % NEW_POOLS][i / NEW_POOLS];
        *spent        = HUGE_VAL;
        status        = run_turn(mix, kind, pools[i % NEW_POOLS], times, spent);
    }
    return status;
}

int32_t bench_mix_sample_settled(struct bench *bench, const struct bench_case *test, double *value)
{
    const struct mix_kind *kind              = &kinds[test->argument >> 8];
    struct trm_stream_pool *pools[NEW_POOLS] = {NULL};
    double took[NEW_POOLS][SHARES], best = HUGE_VAL, mine = 1;
    int shares     = bench->quick ? QUICK_SHARES : SHARES;
    int32_t status = make_new(bench, pools);

    if (status == TRM_OK)
        status =
            run_shares(bench->mix, kind, bench_scale(bench, kind->times) / SHARES + 1, pools, took, shares);
    for (int i = 0; i < NEW_POOLS && status == TRM_OK; i++) {
        double sum = sum_of(took[i], shares);
        mine       = i == 0 ? sum : mine;
        best       = i > 0 && sum < best ? sum : best;
    }
    for (int i = 0; i < NEW_POOLS; i++)
        trm_stream_pool_destroy(pools[i]);
    if (status == TRM_OK)
        *value = best / mine;
    return status;
}

/* ---- priorities ---------------------------------------------------------------------------------------- */

/* Puts a long task in the place of each that has ended. */
static int32_t keep_busy(struct bench_mix *mix, struct trm_stream_pool *pool, bool is_first)
{
    int32_t status = TRM_OK;

    mix->priority = TRM_PRIORITY_LOW;
    for (uint32_t i = 0; i < BUSY && status == TRM_OK; i++) {
        if (!is_first && trm_point_done(mix->points[i]) == TRM_ERROR_TIMEOUT)
            continue;
        mix->count = i;
        status     = put(mix, pool, ARITHMETIC, mix->filling, NULL);
    }
    mix->count = BUSY;
    return status;
}

static int32_t run_urgent(struct bench_mix *mix, struct trm_stream_pool *pool, uint64_t *took)
{
    uint64_t begin = bench_now();

    mix->priority  = TRM_PRIORITY_HIGH;
    int32_t status = put(mix, pool, ARITHMETIC, SHORT, NULL);
    if (status == TRM_OK)
        status = trm_point_wait(mix->points[BUSY], TRM_FOREVER);
    *took = bench_now() - begin;
    return status;
}

static int32_t find_p99(struct bench *bench, struct trm_stream_pool *pool, double *p99)
{
    struct bench_mix *mix = bench->mix;
    uint64_t count = bench_scale(bench, URGENT), *times = output_allocate(count, sizeof(*times));
    int32_t status = keep_busy(mix, pool, true);

    for (uint64_t i = 0; i < count && status == TRM_OK; i++) {
        status = run_urgent(mix, pool, &times[i]);
        if (status == TRM_OK)
            status = keep_busy(mix, pool, false);
    }
    if (status == TRM_OK)
        status = wait_for_all(mix);
    mix->count = 0;
    *p99       = bench_percentile(times, count, 99);
    free(times);
    return status;
}

int32_t bench_mix_sample_urgent(struct bench *bench, const struct bench_case *test, double *value)
{
    double mine = 0, other = 1;
    int32_t status = find_p99(bench, bench->mix->pools[0], &mine);

    (void)test;
    if (status == TRM_OK)
        status = find_p99(bench, bench->mix->pools[1], &other);
    if (status == TRM_OK)
        *value = mine / other;
    return status;
}
