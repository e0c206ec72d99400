/* The kernels of the cases, and the one place that knows in which form the device under test takes them.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_KERNELS_H
#define CONFORMANCE_KERNELS_H

#include "harness.h"

/* Whether the device under test takes any form that there is. Says why not, as skip() does: the caller
 * returns. */
bool kernels_missing(void);

/* The same in silence. */
bool kernels_there(void);

/* Whether it takes C functions: the kernels that fail, count in this process or look at what runs them have
 * no other form. */
bool functions_missing(void);
bool functions_there(void);

/* The module of all kernels; the portable one has "affine" alone. The
 * caller destroys it. */
struct trm_module *load_kernels(struct trm_device *device);

/* Any of the kernels; destroyed by the fixture. */
struct trm_kernel *kernel_on(struct trm_device *device, const char *name);
struct trm_kernel *kernel(const char *name);

/* One whose groups are of that size: of a portable kernel it is the constants 0, 1 and 2, a function takes it
 * from the grid, which is to say it as well. */
struct trm_kernel *kernel_sized(const char *name, const uint32_t size[3]);

void kernels_close(void);

/* Launch `kernel` over n elements in groups of 64. */
int32_t launch_1d(struct trm_stream *stream, struct trm_kernel *used, uint32_t n,
                  const struct trm_argument *arguments, uint32_t argument_count);

/* data[i] = data[i] × factor + addend for n uint32_t: the order of two of these shows in the result. */
int32_t launch_affine(struct trm_stream *stream, struct trm_buffer *data, uint32_t n, uint32_t factor,
                      uint32_t addend);

/* The same with a kernel "affine" of the stream's device, for many streams and for threads. */
int32_t launch_affine_with(struct trm_stream *stream, struct trm_kernel *affine_kernel,
                           struct trm_buffer *data, uint32_t n, uint32_t factor, uint32_t addend);

/* Make the stream fail with TRM_ERROR_KERNEL and this native code. Whether the failure is known when this
 * returns is the backend's affair. */
void fail_stream(struct trm_stream *stream, int32_t native_code);

/* What the kernel "dawdle" is told, to run for about so long on the device under test while something is seen
 * beside it: `milliseconds`, four times as long at each attempt. What it makes of what it is told differs;
 * the pace of the device is measured at the first call and at each further attempt, on the.stream. On a busy
 * machine the kernel may have ended before anybody could look; a case that looks for what must be seen tries
 * again then, and fails at the last attempt. */
#define ATTEMPTS 6u
uint32_t dawdle_us(uint32_t milliseconds, unsigned attempt);

/* What it then takes at least, on whatever device, as it was measured. */
int64_t dawdle_least_ns(uint32_t milliseconds, unsigned attempt);

/* How often the kernel "count" has run in this process. */
unsigned count_runs(void);

/* The module of all kernels, as C functions, as SPIR-V, and as a device takes it. */
struct trm_module_desc functions_desc(void);
struct trm_module_desc portable_desc(void);
struct trm_module_desc kernels_desc(struct trm_device *device);

#endif
