/* Random compute shaders that are well-formed, end, and give one result only: integers wrap, divisors are not
 * zero, shifts and indices are masked, floats are only added, subtracted and multiplied without contraction,
 * barriers stand where the whole group comes, and atomics only do what order does not matter to.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_GENERATOR_H
#define TESTS_DIFFERENTIAL_GENERATOR_H

#include "tests/differential/shader_case.h"

/* The shader of a seed, the same one each time. To be ended with shader_case_fini(). 0, and why, without
 * memory. */
int generate_case(struct shader_case *shader, uint64_t seed, char *reason, size_t capacity);

#endif
