/* Trireme: finding and reflecting the kernels of a chain, without a device.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_CODE_H
#define TRIREME_TOOLS_KERNEL_CODE_H

#include <stdbool.h>
#include <trireme/group.h>
#include <trireme/shader.h>

#include "tools/output/output.h"

enum {
    CODE_CONSTANTS = 32
};

struct code {
    struct code *next;
    char *name; /* as the command line gives it */
    bool named; /* an installed kernel, which may have precompiled code for a device */
    char *path; /* of the file otherwise; NULL: named */
    struct trm_shader *shader;
    struct trm_kernel_info info;
    struct trm_constant_info constants[CODE_CONSTANTS];
    uint32_t constant_count;
};

/* Find a kernel and add it to `list`. A name with a '/' or an extension (.spv, .comp, .glsl) is a path, which
 * may lack the extension; other names are those of installed kernels, then of NAME.comp in the folders of
 * the setting kernel.path. NULL: it failed, the fault says why. */
struct code *code_find(struct code **list, struct trm_context *context, const char *name,
                       struct fault *fault);
void code_release(struct code *list);

/* Whether a name has the extension of a kernel's file: .spv, .comp, .glsl. */
bool code_has_ending(const char *name);

/* Why the text of a file is no kernel in GLSL: it is CUDA C. NULL: it may be one. `bytes` are followed by a
 * zero. */
const char *code_foreign(const char *path, const char *bytes);

/* A constant by its name or number. NULL: there is none. */
const struct trm_constant_info *code_constant(const struct code *code, const char *name);

/* Load it on every device of a group. */
bool code_load(const struct code *code, struct trm_group *group, const struct trm_constant *constants,
               uint32_t constant_count, struct trm_group_kernel **kernel, struct fault *fault);

#endif
