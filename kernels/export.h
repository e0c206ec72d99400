/* What a shared object of one kernel exports.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/cpu_kernel.h>

/* At the end of a file: the kernel with the parameters of the array `parameters`, and the members that are
 * given. */
#define EXPORT_KERNEL(...)                                               \
    static const struct trm_cpu_kernel kernel = {                        \
        .parameters      = parameters,                                   \
        .parameter_count = sizeof(parameters) / sizeof(parameters[0]),   \
        __VA_ARGS__,                                                     \
    };                                                                   \
    TRM_API extern const struct trm_cpu_kernel_table trm_cpu_kernels_v1; \
    const struct trm_cpu_kernel_table trm_cpu_kernels_v1 = {             \
        .struct_size = sizeof(trm_cpu_kernels_v1),                       \
        .kernel_size = sizeof(struct trm_cpu_kernel),                    \
        .count       = 1,                                                \
        .kernels     = &kernel,                                          \
    }
