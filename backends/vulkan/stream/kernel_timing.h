/* vulkan backend: measures whether the program's kernels leave room for copy kernels.
 *
 * With one copy engine for both directions, kernels copy 40 GB/s in each direction at once, the engine 29
 * (H200). But a kernel of the program that fills the device delays copy kernels, so that they take turns,
 * while the engine copies meanwhile. A program that copies B bytes in each direction and computes for K
 * nanoseconds takes B / 40 + K with copy kernels, and the maximum of B / 29 and K with the engine: the engine
 * is faster if K is more than a hundredth of B.
 *
 * So the backend counts large copies, and times some launches with the device's clock. The way of copying
 * influences neither, so the choice does not oscillate. Launches in graphs do not count. Programs without
 * large copies on upload or download streams pay nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_KERNEL_TIMING_H
#define BACKENDS_VULKAN_STREAM_KERNEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct trm_backend_stream;
struct vulkan_kernel_timing;
struct trm_backend_stamp;

/* The launch of a stream that is being timed; under the stream's lock. */
struct vulkan_timed_launch {
    struct trm_backend_stamp *begin, *end; /* made when first needed */
    uint64_t value;                        /* operation number of the launch; 0: none yet */
    bool has_end;                          /* `end` was enqueued */
    uint32_t launches;                     /* launches of the stream so far */
};

/* Count a large copy that is about to be enqueued. Returns whether a kernel shall copy. */
bool vulkan_kernel_timing_copy(struct vulkan_kernel_timing *timing, bool up, uint64_t bytes);

/* Note the duration of a timed launch. */
void vulkan_kernel_timing_note(struct vulkan_kernel_timing *timing, uint64_t ns);
/* Count a launch, which is assumed to take the mean duration. */
void vulkan_kernel_timing_launch(struct vulkan_kernel_timing *timing);

/* Before and after a launch, operation `value` of a locked stream; call end() only if begin() returned
 * true. */
bool vulkan_kernel_timing_begin(struct trm_backend_stream *stream, uint64_t value);
void vulkan_kernel_timing_end(struct trm_backend_stream *stream);

/* Free the stamps when the stream is destroyed and nothing of it runs. */
void vulkan_kernel_timing_fini(struct trm_backend_stream *stream);

#endif
