/* Kernels as SPIR-V, for tests on any device.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_KERNELS_H
#define TESTS_DEVICE_KERNELS_H

#include <stdint.h>
#include <trireme/trireme.h>

/* "affine": data[i] × factor + addend over n numbers. "spread": out[i] = in[i] × factor + addend; in, out, n,
 * factor, addend. "dawdle": takes at least so many microseconds, its only argument. "hang": out[i] = in[i],
 * and a work-item with a 0 there never ends; in, out, n. */
int32_t affine_load(struct trm_device *device, struct trm_kernel **kernel);
int32_t spread_load(struct trm_device *device, struct trm_kernel **kernel);
int32_t spread_load_group(struct trm_group *group, struct trm_group_kernel **kernel);
int32_t dawdle_load(struct trm_device *device, struct trm_kernel **kernel);
int32_t hang_load(struct trm_device *device, struct trm_kernel **kernel);
struct trm_kernel *affine_on(struct trm_device *device);
int32_t affine_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *data,
                      uint32_t n, uint32_t factor, uint32_t addend);

#endif
