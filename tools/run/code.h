/* Trireme: finding and reflecting the kernels of a chain, without a device.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_CODE_H
#define TRIREME_TOOLS_RUN_CODE_H

#include <stdbool.h>
#include <trireme/shader.h>

#include "tools/run/fault.h"

enum {
    CODE_CONSTANTS = 32
};

struct code {
    struct code *next;
    char *name; /* as the command line gives it */
    bool named; /* an installed kernel, which may have precompiled code for a device */
    struct trm_shader *shader;
    struct trm_kernel_info info;
    struct trm_constant_info constants[CODE_CONSTANTS];
    uint32_t constant_count;
};

/* Find a kernel by its name, or by the path of a .spv or .comp file (with a '/' or one of these extensions),
 * and add it to `list`. NULL: it failed, the fault says why. */
struct code *code_find(struct code **list, struct trm_context *context, const char *name,
                       struct fault *fault);
void code_release(struct code *list);

const struct trm_constant_info *code_constant(const struct code *code, const char *name);

/* Load it on a device. */
bool code_load(const struct code *code, struct trm_device *device, const struct trm_constant *constants,
               uint32_t constant_count, struct trm_kernel **kernel, struct fault *fault);

#endif
