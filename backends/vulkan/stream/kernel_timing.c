/* vulkan backend: measures how long kernels take compared with copies.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/kernel_timing.h"

#include "backends/vulkan/stream/stream.h"

/* Kernels are long above 1 ns for 100 bytes, and short again below 1 ns for 150 bytes. */
#define BYTES_OF_LONG 100u
#define BYTES_OF_SHORT 150u

/* Bytes in one direction after which the counts are halved: a dozen milliseconds. */
#define WINDOW_BYTES (UINT64_C(256) << 20)

/* Times every third of the first launches of a stream, then every 61st. Odd, so that no launch of an
 * alternating sequence is left out. */
#define EACH_AT_FIRST 3u
#define FIRST_LAUNCHES 64u
#define EACH 61u

/* ---- the device's counts --------------------------------------------------------------------------- */

static void halve(_Atomic uint64_t *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) / 2, memory_order_relaxed);
}

static void choose(struct vulkan_kernel_timing *timing)
{
    uint64_t up       = atomic_load_explicit(&timing->copied[0], memory_order_relaxed);
    uint64_t down     = atomic_load_explicit(&timing->copied[1], memory_order_relaxed);
    uint64_t bytes    = up > down ? up : down;
    uint64_t computed = atomic_load_explicit(&timing->computed, memory_order_relaxed);
    bool was_long     = atomic_load_explicit(&timing->is_long, memory_order_relaxed);
    bool is_long      = computed > bytes / (was_long ? BYTES_OF_SHORT : BYTES_OF_LONG);
    if (is_long != was_long)
        atomic_store_explicit(&timing->is_long, is_long, memory_order_relaxed);
}

bool vulkan_kernel_timing_copy(struct vulkan_kernel_timing *timing, bool up, uint64_t bytes)
{
    uint64_t before = atomic_fetch_add_explicit(&timing->copied[up ? 0 : 1], bytes, memory_order_relaxed);
    choose(timing);
    if (before + bytes >= WINDOW_BYTES) {
        halve(&timing->copied[0]);
        halve(&timing->copied[1]);
        halve(&timing->computed);
    }
    return !atomic_load_explicit(&timing->is_long, memory_order_relaxed);
}

void vulkan_kernel_timing_note(struct vulkan_kernel_timing *timing, uint64_t ns)
{
    uint64_t mean = atomic_load_explicit(&timing->kernel_ns, memory_order_relaxed);
    atomic_store_explicit(&timing->kernel_ns, mean == 0 ? ns : (3 * mean + ns) / 4, memory_order_relaxed);
}

void vulkan_kernel_timing_launch(struct vulkan_kernel_timing *timing)
{
    uint64_t mean = atomic_load_explicit(&timing->kernel_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&timing->computed, mean, memory_order_relaxed);
}

/* ---- the stream's timed launch --------------------------------------------------------------------- */

static bool has_copies(const struct vulkan_kernel_timing *timing)
{
    return atomic_load_explicit(&timing->copied[0], memory_order_relaxed) != 0 ||
           atomic_load_explicit(&timing->copied[1], memory_order_relaxed) != 0;
}

/* If stamps cannot be made, the launch is not timed; it does not fail. */
static bool need_stamps(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    struct vulkan_timed_launch *timed = &stream->timed_launch;
    if (device->stamps == NULL || device->vk.vkResetQueryPool == NULL)
        return false;
    if (timed->begin == NULL && vulkan_profile_ops.stamp_create(device, &timed->begin) != TRM_OK)
        return false;
    return timed->end != NULL || vulkan_profile_ops.stamp_create(device, &timed->end) == TRM_OK;
}

/* Reads the previous timed launch. False: it has not ended. */
static bool read_last(struct trm_backend_stream *stream)
{
    struct vulkan_timed_launch *timed = &stream->timed_launch;
    uint64_t begin, end, completed;
    if (vulkan_timeline_read(stream->timeline, timed->value, &completed) != TRM_OK ||
        completed < timed->value)
        return false;
    if (timed->has_end && vulkan_profile_ops.stamp_read(timed->begin, &begin) == TRM_OK &&
        vulkan_profile_ops.stamp_read(timed->end, &end) == TRM_OK)
        vulkan_kernel_timing_note(&stream->device->kernel_timing, end > begin ? end - begin : 0);
    timed->has_end = false;
    return true;
}

static bool is_due(struct vulkan_timed_launch *timed)
{
    uint32_t number = timed->launches++;
    return number % (number < FIRST_LAUNCHES ? EACH_AT_FIRST : EACH) == 0;
}

bool vulkan_kernel_timing_begin(struct trm_backend_stream *stream, uint64_t value)
{
    struct vulkan_kernel_timing *timing = &stream->device->kernel_timing;
    struct vulkan_batch *batch;
    if (!stream->device->copies_small_by_engine || !has_copies(timing))
        return false;
    vulkan_kernel_timing_launch(timing);
    if (!is_due(&stream->timed_launch) || !need_stamps(stream) || !read_last(stream) ||
        vulkan_stream_open(stream, value, &batch) != TRM_OK)
        return false;
    vulkan_stamp_renew(stream->timed_launch.begin, NULL);
    vulkan_stamp_renew(stream->timed_launch.end, NULL);
    vulkan_stamp_take(&stream->recorder, stream->timed_launch.begin);
    stream->timed_launch.value = value;
    return true;
}

void vulkan_kernel_timing_end(struct trm_backend_stream *stream)
{
    vulkan_stamp_take(&stream->recorder, stream->timed_launch.end);
    stream->timed_launch.has_end = true;
}

void vulkan_kernel_timing_fini(struct trm_backend_stream *stream)
{
    if (stream->timed_launch.begin != NULL)
        vulkan_profile_ops.stamp_destroy(stream->timed_launch.begin);
    if (stream->timed_launch.end != NULL)
        vulkan_profile_ops.stamp_destroy(stream->timed_launch.end);
}
