/* cpu backend: portable kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_PORTABLE_H
#define BACKENDS_CPU_MODULE_PORTABLE_H

#include "backends/cpu/module/module.h"

/* Load code for a SPIR-V source: a shared object beside a named module, or one from the cache, or else
 * translated to C and compiled. Blocks while it compiles. Errors: as trm_module_load(). */
int32_t cpu_portable_load(struct trm_backend_instance *instance, const struct trm_module_source *source,
                          struct trm_backend_module **module);

/* Translate and compile a SPIR-V source, then replace the file at `path` in one step. flags: enum
 * trm_build_flag. Blocks. */
int32_t cpu_portable_build(struct trm_backend_instance *instance, const struct trm_module_source *source,
                           uint32_t flags, const char *path);

#endif
