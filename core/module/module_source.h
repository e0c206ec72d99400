/* What a module is loaded from: what a program describes, as a backend gets it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_SOURCE_H
#define CORE_MODULE_MODULE_SOURCE_H

#include <stdbool.h>
#include <trireme/backend.h>

struct core_context;
struct core_portable;

/* Formats that are made to SPIR-V here. */
static inline bool core_module_is_portable(int32_t format)
{
    return format >= TRM_MODULE_SPIRV && format <= TRM_MODULE_SHADER;
}

/* The format that a backend gets instead. */
static inline int32_t core_module_backend_format(int32_t format)
{
    return core_module_is_portable(format) ? TRM_MODULE_SPIRV : format;
}

/* Is a description one that can be right? */
int32_t core_module_desc_check(const struct trm_module_desc *desc);

/* Makes the source; of portable formats also what it points to, which is then to be destroyed; else NULL comes out. Once it
 * has been loaded the source itself is released. */
int32_t core_module_source_create(struct core_context *context, const struct trm_module_desc *desc,
                                  struct core_portable **portable, struct trm_module_source *source);
void core_module_source_release(struct core_context *context, struct trm_module_source *source);
void core_module_source_destroy(struct core_context *context,
                                struct core_portable *portable); /* NULL is fine */

#endif
