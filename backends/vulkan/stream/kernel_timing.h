/* vulkan backend: do the program's kernels leave room for kernels that copy?
 *
 * On a driver with one copy engine for both directions, kernels copy 40 GB/s each way at once and the engine 29 (an H200). But a
 * kernel of the program that fills the device keeps kernels that copy from beginning, so that both take turns; the engine goes
 * on meanwhile. A program that copies B bytes each way and computes for K nanoseconds takes B / 40 + K by kernels, and B / 29 or
 * K, whichever is longer, by the engine: that one is faster when K is more than a hundredth of B.
 *
 * So large copies are counted, and now and then a launch is timed by the device's clock. How the copies are done changes neither,
 * and so the choice does not swing. Launches in graphs do not count; programs without large copies on streams for uploads or
 * downloads pay nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_KERNEL_TIMING_H
#define BACKENDS_VULKAN_STREAM_KERNEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct trm_backend_stream;
struct vulkan_kernel_timing;
struct trm_backend_stamp;

/* Of a stream, under its lock: the launch that is timed. */
struct vulkan_timed_launch {
    struct trm_backend_stamp *begin, *end; /* made when first needed */
    uint64_t value;                        /* of the launch; 0: none yet */
    bool has_end;                          /* it was enqueued */
    uint32_t launches;                     /* of the stream */
};

/* A large copy is about to be enqueued: is a kernel to do it? */
bool vulkan_kernel_timing_copy(struct vulkan_kernel_timing *timing, bool up, uint64_t bytes);

/* A launch was seen to take so long. */
void vulkan_kernel_timing_note(struct vulkan_kernel_timing *timing, uint64_t ns);
/* One more, which is taken to be as long as others. */
void vulkan_kernel_timing_launch(struct vulkan_kernel_timing *timing);

/* Around a launch, operation `value` of the stream, which is locked; end() where begin() says true. */
bool vulkan_kernel_timing_begin(struct trm_backend_stream *stream, uint64_t value);
void vulkan_kernel_timing_end(struct trm_backend_stream *stream);

/* When the stream goes, and nothing of it runs any more. */
void vulkan_kernel_timing_fini(struct trm_backend_stream *stream);

#endif
