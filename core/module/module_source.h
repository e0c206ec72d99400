/* What a module is loaded from: the program's description, as a backend gets it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MODULE_SOURCE_H
#define CORE_MODULE_MODULE_SOURCE_H

#include <stdbool.h>
#include <trireme/backend.h>

struct core_context;
struct core_shader_code;

/* True for formats that the core turns into SPIR-V. */
static inline bool core_module_is_portable(int32_t format)
{
    return format >= TRM_MODULE_SPIRV && format <= TRM_MODULE_SHADER;
}

/* The format as the backend gets it. */
static inline int32_t core_module_backend_format(int32_t format)
{
    return core_module_is_portable(format) ? TRM_MODULE_SPIRV : format;
}

/* Checks a description as far as that is possible without loading it. */
int32_t core_module_desc_check(const struct trm_module_desc *desc);

/* Creates the source. For portable formats `*portable` is what the source points to, and must be
 * destroyed; else it is NULL. The source itself is released once it has been loaded. */
int32_t core_module_source_create(struct core_context *context, const struct trm_module_desc *desc,
                                  struct core_shader_code **portable, struct trm_module_source *source);
void core_module_source_release(struct core_context *context, struct trm_module_source *source);
void core_module_source_destroy(struct core_context *context,
                                struct core_shader_code *portable); /* NULL is fine */

#endif
