/* Modules of native code: what a program says of their kernels, and how formats are called.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_NATIVE_H
#define CORE_MODULE_MODULE_NATIVE_H

#include <stdbool.h>
#include <trireme/backend.h>

struct core_context;

/* Formats that have struct trm_native_options. */
static inline bool core_module_is_device_code(int32_t format)
{
    return format == TRM_MODULE_CUBIN || format == TRM_MODULE_PTX || format == TRM_MODULE_CUDA;
}

/* "a fat binary", "PTX", "CUDA C": for sentences. NULL: no such format. */
const char *core_module_format_text(int32_t format);

/* A copy of the options (NULL: none are given), complete and in this version's sizes; kernels and options are checked. */
int32_t core_native_options_create(struct core_context *context, const struct trm_native_options *given,
                                   const struct trm_native_options **options);
void core_native_options_destroy(struct core_context *context,
                                 const struct trm_native_options *options); /* NULL is fine */

#endif
