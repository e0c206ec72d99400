/* How many streams of a device run side by side: the default size of pools. Measured once, kept with the
 * models.
 *
 * One group of a kernel that computes leaves a device room for more of them, so n launches on n streams take
 * as long as one while the device, its driver and its queues run n at once. The width is n times the time of
 * one launch beside that of n, for the n where it is the greatest: 1, 2, 4 and so on, until twice as many are
 * hardly better.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
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

struct bench {
    struct core_context *context;
    struct trm_device *device;
    struct trm_kernel *kernel;
    struct trm_grid grid;
    struct trm_buffer *factor, *products;
    struct trm_stream *streams[TRM_STREAM_POOL_MOST];
    uint32_t count; /* streams that were made */
    uint32_t depth;
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

static int32_t time_best(struct bench *bench, uint32_t count, uint64_t *best)
{
    int32_t status = TRM_OK;
    *best          = UINT64_MAX;
    for (; status == TRM_OK && bench->count < count; bench->count += status == TRM_OK)
        status = trm_stream_create(bench->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL,
                                   &bench->streams[bench->count]);
    for (uint32_t round = 0; status == TRM_OK && round < ROUNDS; round++) {
        uint64_t took;
        status = time_once(bench, count, &took);
        if (took < *best)
            *best = took;
    }
    if (status == TRM_OK)
        core_log(bench->context, TRM_LOG_DEBUG,
                 "%" PRIu32 " streams with a launch of depth %" PRIu32 " take %" PRIu64 " ns", count,
                 bench->depth, *best);
    return status;
}

/* Finds the depth, and how long one launch takes. */
static int32_t time_one(struct bench *bench, uint64_t *one)
{
    int32_t status = time_best(bench, 1, one);
    while (status == TRM_OK && *one < LAUNCH_NS && bench->depth < DEPTH_MOST) {
        bench->depth *= 2;
        status = time_best(bench, 1, one);
    }
    return status;
}

static int32_t measure(struct bench *bench, uint32_t *found)
{
    uint64_t one, took;
    double width   = 1;
    int32_t status = open_bench(bench);
    if (status == TRM_OK)
        status = time_one(bench, &one);
    for (uint32_t count = 2; status == TRM_OK && count <= TRM_STREAM_POOL_MOST; count *= 2) {
        status      = time_best(bench, count, &took);
        double here = took > 0 ? (double)count * (double)one / (double)took : 0;
        bool is_end = here < GAIN * width;
        width       = here > width ? here : width;
        if (is_end)
            break;
    }
    *found = (uint32_t)(width + 0.5);
    if (*found > TRM_STREAM_POOL_MOST)
        *found = TRM_STREAM_POOL_MOST;
    return status;
}

/* 0: the device cannot be measured. */
static uint32_t measure_device(struct core_device *device)
{
    struct core_context *context = device->object.context;
    struct bench bench = {.context = context, .device = device->object.handle, .depth = DEPTH_LEAST};
    struct base_saved_error saved;
    uint32_t found = 0;
    base_error_save(&saved);
    int32_t status = measure(&bench, &found);
    if (status == TRM_OK) {
        core_log(context, TRM_LOG_INFO, "%s runs %" PRIu32 " streams side by side, as measured", device->id,
                 found);
    } else {
        found = 0;
        base_error_complete(status);
        core_log(context, TRM_LOG_INFO, "how many streams %s runs side by side was not measured: %s",
                 device->id, trm_last_error().sentence);
    }
    close_bench(&bench);
    base_error_restore(&saved);
    return found;
}

/* A profile would show the launches. */
static bool may_measure(const struct core_device *device)
{
    return core_setting_flag(device->object.context, "stream.measure") &&
           (atomic_load_explicit(&device->attention, memory_order_acquire) & CORE_DEVICE_PROFILED) == 0;
}

static uint32_t find(const struct pipeline_stream_pool *pool)
{
    uint32_t known = atomic_load_explicit(&pool->device->side_by_side, memory_order_relaxed);
    return known != 0 ? known : pipeline_pool_keep_width(pool);
}

/* One thread at a time, because launches of another one would take turns with these. A device that cannot be
 * measured is not tried again. */
static uint32_t measure_once(struct pipeline_stream_pool *pool)
{
    struct core_device *device = pool->device;
    base_lock_acquire(&device->measure_lock);
    uint32_t found = find(pool);
    if (found == 0 && !device->was_measured) {
        device->was_measured = true;
        found                = measure_device(device);
        if (found != 0) {
            pipeline_pool_keep_save_width(pool, found);
            atomic_store_explicit(&device->side_by_side, found, memory_order_relaxed);
        }
    }
    base_lock_release(&device->measure_lock);
    return found;
}

uint32_t pipeline_pool_width(struct pipeline_stream_pool *pool, bool measures)
{
    uint32_t found = find(pool);
    if (found == 0 && measures && may_measure(pool->device))
        found = measure_once(pool);
    if (found != 0)
        atomic_store_explicit(&pool->device->side_by_side, found, memory_order_relaxed);
    return found;
}
