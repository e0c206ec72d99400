/* Many texts through one process of glslc.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_COMPILE_BATCH_H
#define TESTS_DIFFERENTIAL_COMPILE_BATCH_H

#include "tests/differential/compile.h"

/* Compile those that are PENDING, as far as that can be done together: what glslc refuses, all of them where
 * there is no glslc or they are few, stays PENDING. To be called while the process has one thread only. */
void compile_in_batch(struct compilation *list, uint32_t count);

#endif
