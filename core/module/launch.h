/* Launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_LAUNCH_H
#define CORE_MODULE_LAUNCH_H

#include <trireme/backend.h>

#include "core/module/kernel.h"

/* What trm_launch() does, on a stream that core_stream_begin() has found. */
int32_t core_launch(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                    const struct trm_argument *arguments, uint32_t argument_count);

/* Most arguments of a cached launch. */
#define CORE_CACHED_ARGUMENTS 16

/* A launch that has been checked once, to be enqueued any number of times. */
struct core_cached_launch {
    struct core_kernel *kernel;
    struct trm_launch_desc desc; /* without `arguments`, so that it can be moved */
    struct trm_launch_argument arguments[CORE_CACHED_ARGUMENTS];
    struct core_in_flight *in_flight[CORE_CACHED_ARGUMENTS]; /* of the buffers */
    uint32_t in_flight_count;
};

/* Checks a launch on streams of the device of `stream`, and caches it. The caller keeps kernel, buffers and
 * blocks alive. False: the launch would fail, has too many arguments, or others than scalars, buffers and
 * blocks. */
bool core_launch_cache(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                       const struct trm_argument *arguments, uint32_t argument_count,
                       struct core_cached_launch *cached);

/* Does what core_launch() would do with the same arguments. */
int32_t core_launch_enqueue_cached(struct core_stream *stream, const struct core_cached_launch *cached);

/* The two halves of a launch, for launch_cached.c: resolves grid and arguments, as many as the kernel has and
 * none of them an image or named; enqueues what was resolved. */
int32_t core_launch_resolve(struct core_stream *stream, struct core_kernel *kernel,
                            const struct trm_grid *grid, const struct trm_argument *arguments,
                            struct core_cached_launch *cached);
int32_t core_launch_enqueue(struct core_stream *stream, struct core_kernel *kernel,
                            const struct trm_launch_desc *desc, struct core_in_flight *const *in_flight,
                            uint32_t in_flight_count);

/* What core_launch() does with a kernel that has arrays, in which each element is an argument: `arguments`
 * has kernel->flat_count, and behind them those of the kind REACHED. An argument of kind CORE_ARGUMENT_NONE
 * is an element that the launch does not give. */
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

/* Logs a warning for the first two spans that overlap in part while one of them is written, once a kernel,
 * from CORE_OVERLAP_PAIRS pairs. Equal spans are work in place. `parameters` are those of the backend, as
 * `arguments` are. */
void core_launch_warn_of_overlap(struct core_kernel *kernel, const struct trm_parameter *parameters,
                                 const struct trm_launch_argument *arguments, uint32_t count);

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
