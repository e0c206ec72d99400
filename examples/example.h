/* Trireme examples: the one thing they share, what to do when a call fails.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_EXAMPLES_EXAMPLE_H
#define TRIREME_EXAMPLES_EXAMPLE_H

#include <trireme/trireme.h>

#include <stdio.h>
#include <stdlib.h>

/* End the program unless a call went well. Real programs pass the status on instead. */
static inline void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "%s: %s\n", trm_status_name(status), trm_last_error().sentence);
    exit(1);
}

/* End the program unless what it computed is right. */
static inline void expect(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
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
