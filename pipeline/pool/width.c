/* How many streams of a device run side by side: the default size of pools. It is stored with the models.
 *
 * One group of a kernel that computes leaves a device room for more of them, so n launches on n streams take
 * as long as one while the device, its driver and its queues run n at once. The width is n times the time of
 * one launch beside that of n, for the n where it is the greatest: 1, 2, 4 and so on, until twice as many are
 * hardly better.
 *
 * Other work of the device or the host makes the result too low, so the largest of several measurements by
 * different pools counts (pipeline/model/width.c). The times of its rounds show whether a measurement was
 * disturbed.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <trireme/trireme.h>

#include "core/object/object.h"
#include "core/settings/settings.h"
#include "pipeline/pool/pool.h"

/* A launch multiplies TILE x depth by depth x TILE floats, which is one group of sgemm. */
#define TILE 64u
#define DEPTH_LEAST 64u
#define DEPTH_MOST 4096u

/* Deep enough that enqueueing a launch takes much less than the launch. */
#define LAUNCH_NS UINT64_C(250000)

#define TILE_BYTES (TILE * TILE * sizeof(float))

/* Launches of each number of streams, of which the fastest counts. */
#define ROUNDS 9u

/* Twice as many streams must be so much better. */
#define GAIN 1.2

/* The rounds were disturbed if their median takes so many times as long as the fastest one. */
#define UNSTEADY 1.25

struct bench {
    struct core_context *context;
    struct trm_device *device;
    struct trm_kernel *kernel;
    struct trm_grid grid;
    struct trm_buffer *factor, *products;
    struct trm_stream *streams[TRM_STREAM_POOL_MOST];
    uint32_t count; /* streams that were made */
    uint32_t depth;
    bool is_steady;
};

static int32_t open_bench(struct bench *bench)
{
    const struct trm_buffer_desc factor = {
        .struct_size = sizeof(factor), .size = sizeof(float) * TILE * DEPTH_MOST, .flags = TRM_BUFFER_ZEROED};
    const struct trm_buffer_desc products = {.struct_size = sizeof(products),
                                             .size        = TRM_STREAM_POOL_MOST * TILE_BYTES};
    int32_t status                        = trm_kernel_named(bench->device, "sgemm", NULL, 0, &bench->kernel);
    if (status == TRM_OK)
        status = trm_kernel_grid(bench->kernel, 16, 16, 1, &bench->grid);
    if (status == TRM_OK)
        status = trm_buffer_create_from(bench->device, &factor, &bench->factor);
    return status == TRM_OK ? trm_buffer_create_from(bench->device, &products, &bench->products) : status;
}

static void close_bench(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        trm_stream_destroy(bench->streams[i]);
    trm_buffer_destroy(bench->factor);
    trm_buffer_destroy(bench->products);
    trm_kernel_destroy(bench->kernel);
}

static int32_t launch(const struct bench *bench, uint32_t index)
{
    const struct trm_argument arguments[] = {
        trm_arg_buffer(bench->factor),
        trm_arg_buffer(bench->factor),
        trm_arg_span(trm_span_of(bench->products, index * TILE_BYTES, TILE_BYTES)),
        trm_arg_u32(TILE),
        trm_arg_u32(TILE),
        trm_arg_u32(bench->depth),
        trm_arg_f32(1),
        trm_arg_f32(0),
    };
    int32_t status = trm_launch(bench->streams[index], bench->kernel, &bench->grid, arguments,
                                sizeof(arguments) / sizeof(arguments[0]));
    return status == TRM_OK ? trm_stream_flush(bench->streams[index]) : status;
}

/* Nanoseconds of a launch on each of the first streams. */
static int32_t time_once(const struct bench *bench, uint32_t count, uint64_t *took)
{
    uint64_t begin = base_now();
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < count; i++)
        status = launch(bench, i);
    for (uint32_t i = 0; i < count; i++) {
        int32_t ended = trm_stream_sync(bench->streams[i]);
        status        = status == TRM_OK ? ended : status;
    }
    *took = base_now() - begin;
    return status;
}

static int compare(const void *one, const void *other)
{
    uint64_t left = *(const uint64_t *)one, right = *(const uint64_t *)other;
    return (left > right) - (left < right);
}

/* The fastest of several rounds. */
static int32_t time_best(struct bench *bench, uint32_t count, uint64_t *best)
{
    uint64_t took[ROUNDS];
    int32_t status = TRM_OK;
    for (; status == TRM_OK && bench->count < count; bench->count += status == TRM_OK)
        status = trm_stream_create(bench->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL,
                                   &bench->streams[bench->count]);
    for (uint32_t round = 0; status == TRM_OK && round < ROUNDS; round++)
        status = time_once(bench, count, &took[round]);
    if (status != TRM_OK)
        return status;
    qsort(took, ROUNDS, sizeof(took[0]), compare);
    *best            = took[0];
    bench->is_steady = bench->is_steady && (double)took[ROUNDS / 2] <= UNSTEADY * (double)took[0];
    core_log(bench->context, TRM_LOG_DEBUG,
             "%" PRIu32 " streams with a launch of depth %" PRIu32 " take %" PRIu64 " ns, %" PRIu64
             " ns in the median",
             count, bench->depth, took[0], took[ROUNDS / 2]);
    return TRM_OK;
}

/* Finds the depth, and how long one launch takes. */
static int32_t time_one(struct bench *bench, uint64_t *one)
{
    int32_t status = time_best(bench, 1, one);
    while (status == TRM_OK && *one < LAUNCH_NS && bench->depth < DEPTH_MOST) {
        bench->depth *= 2;
        bench->is_steady = true;
        status           = time_best(bench, 1, one);
    }
    return status;
}

/* Times of 1, 2, 4… streams. */
struct times {
    uint32_t count;
    uint64_t took[8];
};

static uint32_t width_of(const struct times *times)
{
    double width = 1;
    for (uint32_t i = 1; i < times->count; i++) {
        double here =
            times->took[i] > 0 ? (double)(1u << i) * (double)times->took[0] / (double)times->took[i] : 0;
        width = here > width ? here : width;
    }
    uint32_t found = (uint32_t)(width + 0.5);
    return found < TRM_STREAM_POOL_MOST ? found : TRM_STREAM_POOL_MOST;
}

/* Measures one stream again at the end: a disturbance of the first rounds would make the width too large. */
static int32_t measure(struct bench *bench, uint32_t *found)
{
    struct times times = {.count = 1};
    double best        = 1;
    bool is_end        = false;
    uint64_t again;
    int32_t status = open_bench(bench);
    if (status == TRM_OK)
        status = time_one(bench, &times.took[0]);
    for (uint32_t count = 2; status == TRM_OK && count <= TRM_STREAM_POOL_MOST && !is_end; count *= 2) {
        uint64_t took;
        status = time_best(bench, count, &took);
        if (status != TRM_OK)
            break;
        times.took[times.count++] = took;
        double here               = took > 0 ? (double)count * (double)times.took[0] / (double)took : 0;
        is_end                    = here < GAIN * best;
        best                      = here > best ? here : best;
    }
    if (status == TRM_OK)
        status = time_best(bench, 1, &again);
    if (status == TRM_OK && again < times.took[0])
        times.took[0] = again;
    *found = width_of(&times);
    return status;
}

/* 0: the device cannot be measured. */
static uint32_t measure_device(struct core_device *device, bool *is_steady)
{
    struct core_context *context = device->object.context;
    struct bench bench           = {
                  .context = context, .device = device->object.handle, .depth = DEPTH_LEAST, .is_steady = true};
    struct base_saved_error saved;
    uint32_t found = 0;
    base_error_save(&saved);
    int32_t status = measure(&bench, &found);
    if (status == TRM_OK) {
        core_log(context, TRM_LOG_INFO, "%s runs %" PRIu32 " streams side by side, as measured%s", device->id,
                 found, bench.is_steady ? "" : " while something else disturbed it");
    } else {
        found = 0;
        base_error_complete(status);
        core_log(context, TRM_LOG_INFO, "how many streams %s runs side by side was not measured: %s",
                 device->id, trm_last_error().sentence);
    }
    *is_steady = bench.is_steady;
    close_bench(&bench);
    base_error_restore(&saved);
    return found;
}

/* Does not measure under a profile, which would show the launches. */
static bool may_measure(const struct core_device *device)
{
    return core_setting_flag(device->object.context, "stream.measure") &&
           (atomic_load_explicit(&device->attention, memory_order_acquire) & CORE_DEVICE_PROFILED) == 0;
}

/* One thread at a time, because launches of another one would take turns with these. A context measures a
 * device once, also where that fails. */
static uint32_t measure_once(struct pipeline_stream_pool *pool, uint32_t stored)
{
    struct core_device *device = pool->device;
    uint32_t found             = 0;
    bool is_steady;
    base_lock_acquire(&device->measure_lock);
    if (!device->was_measured) {
        device->was_measured = true;
        found                = measure_device(device, &is_steady);
        if (found != 0)
            found = pipeline_pool_stored_save_width(pool, found, is_steady);
    }
    uint32_t known = atomic_load_explicit(&device->side_by_side, memory_order_relaxed);
    found          = found > known ? found : known;
    found          = found > stored ? found : stored;
    atomic_store_explicit(&device->side_by_side, found, memory_order_relaxed);
    base_lock_release(&device->measure_lock);
    return found;
}

uint32_t pipeline_pool_width(struct pipeline_stream_pool *pool, bool measures)
{
    struct core_device *device = pool->device;
    uint32_t known             = atomic_load_explicit(&device->side_by_side, memory_order_relaxed);
    if (known != 0)
        return known;
    struct pipeline_stored_width stored = pipeline_pool_stored_width(pool);
    if (measures && may_measure(device) && pipeline_stored_width_is_due(&stored, pipeline_stored_now()))
        return measure_once(pool, stored.streams);
    if (stored.streams != 0 && measures)
        atomic_store_explicit(&device->side_by_side, stored.streams, memory_order_relaxed);
    return stored.streams;
}
