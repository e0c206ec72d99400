/* Trireme examples: shared functions: ending the program when a call fails, and loading kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_EXAMPLES_EXAMPLE_H
#define TRIREME_EXAMPLES_EXAMPLE_H

#include <trireme/trireme.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* End the program if a call failed. Real programs handle the status instead. */
static inline void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "%s: %s\n", trm_status_name(status), trm_last_error().sentence);
    exit(1);
}

/* End the program if a result is wrong. */
static inline void expect(bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

/* Load a built-in kernel. Skips the example if the device has neither code for it nor a compiler. */
static inline struct trm_kernel *named_kernel(struct trm_device *device, const char *name,
                                              const struct trm_constant *constants, uint32_t constant_count)
{
    struct trm_kernel *kernel;

    int32_t status = trm_kernel_named(device, name, constants, constant_count, &kernel);
    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    return kernel;
}

/* Kernels that are C functions run on some devices only. `make check` counts status 77 as skipped. */
static inline void need_c_functions(struct trm_device *device)
{
    if (trm_module_supported(device, TRM_MODULE_FUNCTIONS) == TRM_OK)
        return;
    puts("this device takes no C functions as kernels");
    exit(77);
}

#endif
