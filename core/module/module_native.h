/* Modules of native code: the program's description of their kernels, and the names of formats.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_NATIVE_H
#define CORE_MODULE_MODULE_NATIVE_H

#include <stdbool.h>
#include <trireme/backend.h>

struct core_context;

/* True for formats that have struct trm_native_options. */
static inline bool core_module_is_device_code(int32_t format)
{
    return format == TRM_MODULE_CUBIN || format == TRM_MODULE_PTX || format == TRM_MODULE_CUDA;
}

/* "cubins", "PTX", "CUDA C": for sentences. NULL: no such format. */
const char *core_module_format_text(int32_t format);

/* Checks the options (NULL: none) and copies them to this version's sizes. */
int32_t core_native_options_create(struct core_context *context, const struct trm_native_options *given,
                                   const struct trm_native_options **options);
void core_native_options_destroy(struct core_context *context,
                                 const struct trm_native_options *options); /* NULL is fine */

#endif
