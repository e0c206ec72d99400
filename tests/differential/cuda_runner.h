/* Compute shaders on an NVIDIA GPU: the translation to CUDA C, compiled by NVRTC and launched through the
 * driver, both opened at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_CUDA_RUNNER_H
#define TESTS_DIFFERENTIAL_CUDA_RUNNER_H

#include "tests/differential/runner.h"

/* NULL, and the reason in words, where there is no driver, no device or no NVRTC. To be used by the thread
 * that opened it. */
struct runner *cuda_runner_open(char *reason, size_t capacity);

#endif
