/* A shader_case for a module that says nothing of its data: made after its reflection.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_TRIAL_CASE_H
#define TESTS_DIFFERENTIAL_TRIAL_CASE_H

#include <trireme/trireme.h>

#include "tests/differential/module_facts.h"
#include "tests/differential/shader_case.h"

/* Make the case of a module with one kernel. Integers are small, for many are sizes or indices; so are those
 * of a buffer whose elements are structs, unless `is_float`. Every buffer has at least 64 KiB. 0, and why,
 * when the module cannot be run like this. The caller calls shader_case_fini(). */
int trial_case_make(struct shader_case *shader, struct trm_shader *module, const struct module_facts *facts,
                    int is_float, char *reason, size_t capacity);

/* Whether a buffer's elements are structs, so that `is_float` makes a difference. */
int trial_case_has_structs(struct trm_shader *module);

#endif
