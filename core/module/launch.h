/* Launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_LAUNCH_H
#define CORE_MODULE_LAUNCH_H

#include "core/module/kernel.h"

/* What trm_launch() does, on a stream that core_stream_begin() has found. */
int32_t core_launch(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                    const struct trm_argument *arguments, uint32_t argument_count);

/* The same of a kernel with arrays, in which each element is an argument: `arguments` has kernel->flat_count,
 * and behind them those of the kind REACHED. An argument of kind CORE_ARGUMENT_NONE is an element that the
 * launch does not give. */
#define CORE_ARGUMENT_NONE INT32_MIN
int32_t core_launch_flat(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                         const struct trm_argument *arguments, uint32_t reached_count);

/* What trm_launch() does with a kernel that has arrays, and whose arguments have the right number
 * (launch_arrays.c). Behind them are those of the kind REACHED. */
int32_t core_launch_arrays(struct core_stream *stream, struct core_kernel *kernel,
                           const struct trm_grid *grid, const struct trm_argument *arguments,
                           uint32_t reached_count);

/* Checks the argument of an array, and that each element has the parameter's kind. Errors: TYPE_MISMATCH,
 * INVALID_ARGUMENT, OUT_OF_RANGE. */
int32_t core_launch_check_array(const struct core_kernel *kernel, uint32_t index,
                                const struct trm_argument *given);

/* Writes 'argument 3 "a"', or 'element 2 of argument 3 "a"' where `index` counts the parameters of a kernel
 * with arrays as the backend has them, and returns the number of the parameter. */
#define CORE_PLACE_TEXT 160
uint32_t core_launch_place(const struct core_kernel *kernel, uint32_t index, char text[CORE_PLACE_TEXT]);

/* Puts arguments in the order of the kernel's parameters: first those by position, then the rest by name.
 * `arranged` has an element for each parameter. Errors: INVALID_ARGUMENT, naming a parameter that is
 * missing or given twice, or an unknown name. */
int32_t core_launch_arrange(const struct core_kernel *kernel, const struct trm_argument *given,
                            uint32_t count, struct trm_argument *arranged);

/* True if a parameter takes an argument of that kind, type and size. Does not check the least size of a
 * buffer. */
bool core_launch_takes(const struct trm_parameter *parameter, const struct trm_argument *given);

/* Fails a launch with a wrong number of arguments; names the missing one where they have names. */
int32_t core_launch_fail_count(const struct core_kernel *kernel, const struct trm_argument *given,
                               uint32_t count);

/* Fails a launch whose argument is not what parameter number `index` takes. */
int32_t core_launch_fail_argument(const struct core_kernel *kernel, uint32_t index,
                                  const struct trm_argument *given);

#endif
