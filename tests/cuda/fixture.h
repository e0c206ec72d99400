/* What the tests of the cuda backend share: contexts that reach CUDA through the stand-in (tests/standin) or through the machine's
 * own driver.
 *
 * CUDA_TEST_DRIVER=real: the machine's own driver, on a GPU. What needs the stand-in is then left out (standin_missing()).
 * CUDA_TEST_THOROUGH=1: every call fails in its turn, not one in so many.
 * CUDA_TEST_BACKEND names another plugin than that of the build tree.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_FIXTURE_H
#define CUDA_FIXTURE_H

#include <stdbool.h>

#include "tests/device/barrier.h"
#include "tests/device/checks.h"
#include "tests/device/kernels.h"
#include "tests/device/world.h"
#include "tests/scale.h"
#include "tests/standin/control.h"

/* The control of the stand-in; NULL on the machine's own driver. */
extern const struct cuda_standin_control *standin;

/* What the setting cuda.driver is, for programs that open the driver beside the library. */
const char *driver_path(void);

/* Says why a test does nothing here; the caller returns. */
void skip(const char *reason);
bool standin_missing(void);

/* What the stand-in is to be, as its configure() has it. Each test is a process of its own, in which the driver has not been
 * initialised yet. Nothing on the machine's own driver. */
void standin_shape(const char *text);

/* What waits of the backend do: look for so many microseconds before they sleep ("0" until told otherwise). */
void spin_for(const char *microseconds);

/* `full` with CUDA_TEST_THOROUGH=1 alone: what takes minutes. */
unsigned thorough(unsigned full, unsigned usual);

/* Runs a suite as a test program does: 77 where there is no device; run_on_standin() also where it is not the stand-in's. */
int run_suite(Suite *suite);
int run_on_standin(Suite *suite);

#endif
