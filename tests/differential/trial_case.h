/* A shader_case for a module that says nothing of its data: made after its reflection.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_TRIAL_CASE_H
#define TESTS_DIFFERENTIAL_TRIAL_CASE_H

#include <trireme/trireme.h>

#include "tests/differential/module_facts.h"
#include "tests/differential/shader_case.h"

/* Values for the constants of the size of a work-group, with which the groups are whole subgroups.
 * Cooperative matrices need that, and the defaults are often 1. 0: the module has no such constants. */
uint32_t trial_case_sizes(const struct module_facts *facts, struct trm_shader *module,
                          struct trm_constant constants[3]);

/* Make the case of a module with one kernel. Integers are small, for many are sizes or indices; so are those
 * of a buffer whose elements are structs, unless `is_float`. The constants get their values. Every
 * buffer has at least 64 KiB. 0, and why, when the module cannot be run like this. The caller calls
 * shader_case_fini(). */
int trial_case_make(struct shader_case *shader, struct trm_shader *module, const struct module_facts *facts,
                    const struct trm_constant *constants, uint32_t constant_count, int is_float, char *reason,
                    size_t capacity);

/* Whether a buffer's elements are structs, so that `is_float` makes a difference. */
int trial_case_has_structs(struct trm_shader *module);

#endif
