/* Compute shaders on a device of Trireme, through its public functions alone: on "cpu" the translation to C,
 * on another backend whatever that makes of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_TRIREME_RUNNER_H
#define TESTS_DIFFERENTIAL_TRIREME_RUNNER_H

#include "tests/differential/runner.h"

/* NULL, and the reason in words, when the backend is missing. Serves one thread at a time. A shader that the
 * cpu does not take is a failure. */
struct runner *cpu_runner_open(char *reason, size_t capacity);

/* The backend that CONFORMANCE_BACKEND names (a name, or the path of a plugin), else "vulkan". */
struct runner *backend_runner_open(char *reason, size_t capacity);

#endif
