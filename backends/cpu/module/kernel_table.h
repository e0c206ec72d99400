/* cpu backend: tables of C functions, made into modules.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_KERNEL_TABLE_H
#define BACKENDS_CPU_MODULE_KERNEL_TABLE_H

#include "backends/cpu/module/module.h"

/* Where a module's kernels are, before they are checked. */
struct cpu_kernel_list {
    const uint8_t *first;
    uint64_t stride;
    uint64_t count;
    const char *name;       /* of the module, for messages */
    const uint8_t *digest;  /* of the shader that they were made from; NULL: written by hand */
    trm_cpu_fault_fn fault; /* of a shared object; NULL: it has none */
    trm_cpu_live_fn live;   /* the same */
};

/* Check the kernels and copy them into a new module. Errors: INVALID_ARGUMENT naming the kernel;
 * OUT_OF_HOST_MEMORY. */
int32_t cpu_module_create(struct trm_backend_instance *instance, const struct cpu_kernel_list *list,
                          struct trm_backend_module **result);

/* Find a kernel by its name among the first `count`. NULL: none. */
struct trm_backend_kernel *cpu_module_find_kernel(struct trm_backend_module *module, uint32_t count,
                                                  const char *name);

/* Open a shared object that the caller has found to be trusted, and find its table. The caller closes it with
 * dlclose(). Errors: BACKEND with the dynamic linker's message; NOT_FOUND or ABI for the table. */
int32_t cpu_library_open(struct trm_backend_instance *instance, const char *path, const char *name,
                         void **library, struct cpu_kernel_list *list);

/* Load a source of format FUNCTIONS or SHARED_OBJECT. */
int32_t cpu_load_functions(struct trm_backend_instance *instance, const struct trm_module_source *source,
                           struct trm_backend_module **module);
int32_t cpu_load_shared_object(struct trm_backend_instance *instance, const struct trm_module_source *source,
                               struct trm_backend_module **module);

#endif
