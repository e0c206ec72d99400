/* The program room: compilers that the library runs, under the limits of the settings compiler.*.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PROGRAM_PROGRAM_H
#define CORE_PROGRAM_PROGRAM_H

#include <limits.h>
#include <stdint.h>
#include <trireme/backend.h>

#include "base/base.h"
#include "base/program/program.h"

struct core_context;

/* The rules under which the library runs programs in this context. */
struct core_program_rules {
    struct base_program_rules base;
    char supervisor[PATH_MAX];
};

/* Reads the settings and finds the supervisor: beside the library, else where it was installed. `rules` does
 * not move afterwards. */
void core_program_rules_init(const struct core_context *context, struct core_program_rules *rules);

/* As the functions of struct trm_host. */
int32_t core_program_run(const struct core_context *context, const struct trm_program_desc *desc,
                         struct trm_program_result *result);
void core_program_release(const struct core_context *context, struct trm_program_result *result);

#endif
