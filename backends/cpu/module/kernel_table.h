/* cpu backend: tables of C functions, made to modules.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_KERNEL_TABLE_H
#define BACKENDS_CPU_MODULE_KERNEL_TABLE_H

#include "backends/cpu/module/module.h"

/* Where kernels lie, before they are checked. */
struct cpu_kernel_list {
    const uint8_t *first;
    uint64_t stride;
    uint64_t count;
    const char *name;      /* of the module, for messages */
    const uint8_t *digest; /* what they were made of; NULL: by hand */
};

/* Check and copy them. Errors: INVALID_ARGUMENT naming the kernel; OUT_OF_HOST_MEMORY. */
int32_t cpu_module_make(struct trm_backend_instance *instance, const struct cpu_kernel_list *list,
                        struct trm_backend_module **result);

/* Among the first `count` kernels. NULL: there is none of that name. */
struct trm_backend_kernel *cpu_module_find(struct trm_backend_module *module, uint32_t count,
                                           const char *name);

/* Open a shared object that is trusted, and find its table. Close it with dlclose().
 * Errors: BACKEND with the linker's words; NOT_FOUND, ABI for the table. */
int32_t cpu_library_open(struct trm_backend_instance *instance, const char *path, const char *name,
                         void **library, struct cpu_kernel_list *list);

/* The formats of native code. */
int32_t cpu_load_functions(struct trm_backend_instance *instance, const struct trm_module_source *source,
                           struct trm_backend_module **module);
int32_t cpu_load_shared_object(struct trm_backend_instance *instance, const struct trm_module_source *source,
                               struct trm_backend_module **module);

#endif
