/* Threads that each have their own streams, and compute at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_WORKERS_H
#define TESTS_DEVICE_WORKERS_H

#include <stdint.h>
#include <trireme/trireme.h>

/* So many threads upload, compute with "affine" (tests/device/kernels.h) and download, round after round,
 * each on three streams of the device. Returns when all threads have ended. The test fails when a call fails
 * or a number is wrong. */
void workers_run(struct trm_device *device, struct trm_kernel *affine, uint32_t count);

#endif
