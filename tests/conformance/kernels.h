/* The kernels of the cases. Only this file knows in which format the device under test takes them.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_KERNELS_H
#define CONFORMANCE_KERNELS_H

#include "harness.h"

/* Whether the device under test takes none of the formats of the kernels. If so, prints why, as skip() does:
 * the caller returns. */
bool kernels_missing(void);

/* The same without a message. */
bool kernels_there(void);

/* Whether the device takes no C functions: the kernels that fail, that count in this process or that inspect
 * their worker exist as functions only. */
bool functions_missing(void);
bool functions_there(void);
bool takes_functions(struct trm_device *device); /* functions_there() of the device under test */

/* The module of all kernels; the portable one has "affine" alone. The
 * caller destroys it. */
struct trm_module *load_kernels(struct trm_device *device);

/* Any of the kernels; destroyed by the fixture. */
struct trm_kernel *kernel_on(struct trm_device *device, const char *name);
struct trm_kernel *kernel(const char *name);

/* CONFORMANCE_GROUP=1: pipelines of plans, and those that fail at a chosen place, are made on a group of all
 * devices of the backend under test. stage_kernel() is a kernel for their stages, and pipeline_under_test()
 * makes one. The group is the fixture's; NULL: no group. */
struct trm_group *group_under_test(void);
struct trm_kernel *stage_kernel(const char *name);
int32_t pipeline_under_test(const struct trm_pipeline_desc *desc, struct trm_pipeline **pipeline);

/* Devices of the group; 1: no group. group_counts_slots() skips a case that knows how many slots there
 * are. */
uint32_t group_devices(void);
bool group_counts_slots(void);

/* A kernel of a group; destroyed by the fixture. */
struct trm_group_kernel *group_kernel(struct trm_group *group, const char *name);

/* A kernel with groups of that size. A portable kernel gets the size from the constants 0, 1 and 2; a
 * function takes it from the grid, which must name it as well. */
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

/* Makes the stream fail with TRM_ERROR_KERNEL and this native code. Whether the failure is known when this
 * returns depends on the backend. */
void fail_stream(struct trm_stream *stream, int32_t native_code);

/* The argument with which the kernel "dawdle" runs for about `milliseconds` on the device under test, four
 * times as long at each attempt. The speed of the device is measured on the.stream at the first call and at
 * each further attempt. On a busy machine the kernel may end before the case has observed it; the case then
 * tries again, and fails at the last attempt. */
#define ATTEMPTS 6u
uint32_t dawdle_us(uint32_t milliseconds, unsigned attempt);

/* The least time that the kernel then takes, as measured. */
int64_t dawdle_least_ns(uint32_t milliseconds, unsigned attempt);

/* How often the kernel "count" has run in this process. */
unsigned count_runs(void);

/* The module of all kernels: as C functions, as SPIR-V, and in the format that a device takes. */
struct trm_module_desc functions_desc(void);
struct trm_module_desc portable_desc(void);
struct trm_module_desc kernels_desc(struct trm_device *device);

#endif
