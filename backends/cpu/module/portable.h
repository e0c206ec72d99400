/* cpu backend: portable kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_PORTABLE_H
#define BACKENDS_CPU_MODULE_PORTABLE_H

#include "backends/cpu/module/module.h"

/* Code for a SPIR-V source: a shared object that lies beside a named module, or one of the cache, or else translated to C
 * and compiled. Errors: as of trm_module_load(). */
int32_t cpu_portable_load(struct trm_backend_instance *instance, const struct trm_module_source *source,
                          struct trm_backend_module **module);

/* Translate, compile, and put the shared object in the place of `path` at once. Flags: enum trm_build_flag. */
int32_t cpu_portable_build(struct trm_backend_instance *instance, const struct trm_module_source *source,
                           uint32_t flags, const char *path);

#endif
