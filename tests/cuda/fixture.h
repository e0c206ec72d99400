/* What the tests of the cuda backend share: contexts that reach CUDA through the stand-in (tests/standin)
 * or through the machine's own driver.
 *
 * CUDA_TEST_DRIVER=real: the machine's own driver, on a GPU. Tests that need the stand-in are then skipped
 * (standin_missing()).
 * TEST_THOROUGH=1: make every call fail in turn, not one in several.
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

/* The setting cuda.driver, for programs that open the driver beside the library. */
const char *driver_path(void);

/* Prints why a test does nothing here; the caller returns. */
void skip(const char *reason);
bool standin_missing(void);

/* Configures the stand-in by the words of its configure(). Each test is a process of its own, in which the
 * driver has not been initialized yet. Does nothing on the machine's own driver. */
void standin_shape(const char *text);

/* How many microseconds waits of the backend poll before they sleep ("0" by default). */
void spin_for(const char *microseconds);

/* `full` only with TEST_THOROUGH=1, for tests that take minutes. */
unsigned thorough(unsigned full, unsigned usual);

/* Runs a suite as a test program: 77 where there is no device; run_on_standin() also where the driver is
 * not the stand-in. */
int run_suite(Suite *suite);
int run_on_standin(Suite *suite);

#endif
