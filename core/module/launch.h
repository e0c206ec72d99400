/* Launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_LAUNCH_H
#define CORE_MODULE_LAUNCH_H

#include "core/module/kernel.h"

/* What trm_launch() does, on a stream that core_stream_begin() has found. */
int32_t core_launch(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                    const struct trm_argument *arguments, uint32_t argument_count);

/* Put arguments in the order of the kernel's parameters: first some by position, then the rest by name. `arranged` has room
 * for one for each parameter. Errors: INVALID_ARGUMENT naming a parameter that is missing or given twice, or a
 * name that is none. */
int32_t core_launch_arrange(const struct core_kernel *kernel, const struct trm_argument *given,
                            uint32_t count, struct trm_argument *arranged);

/* Does a parameter take an argument of that kind, type and size? The least size of a buffer is not looked at. */
bool core_launch_takes(const struct trm_parameter *parameter, const struct trm_argument *given);

/* The failure of a launch with a wrong number of arguments; tells which one is missing where they have names. */
int32_t core_launch_fail_count(const struct core_kernel *kernel, const struct trm_argument *given,
                               uint32_t count);

/* The failure of an argument that is not what parameter number `index` takes. */
int32_t core_launch_fail_argument(const struct core_kernel *kernel, uint32_t index,
                                  const struct trm_argument *given);

#endif
