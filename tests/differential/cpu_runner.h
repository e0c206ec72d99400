/* Compute shaders on a device of Trireme, through its public functions alone: the translation to C on "cpu".
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_CPU_RUNNER_H
#define TESTS_DIFFERENTIAL_CPU_RUNNER_H

#include "tests/differential/runner.h"

/* NULL, and the reason in words, when the backend is missing. Serves one thread at a time. */
struct runner *cpu_runner_open(char *reason, size_t capacity);

#endif
