/* Trireme: the signature of a kernel, as text and as JSON.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_SIGNATURE_H
#define TRIREME_TOOLS_KERNEL_SIGNATURE_H

#include "tools/output/output.h"

#include <trireme/trireme.h>

/* "saxpy(x: readonly f32[], y: f32[], n: u32, a: f32)"; a buffer with several views is "x4: f32x4[] | x:
 * f32[]" */
void signature_print(FILE *file, const struct trm_kernel_info *kernel, struct trm_shader *shader);

/* "group 256x1x1  shared 0", and where the shader has constants "  constants op: u32 = 0" */
void signature_print_facts(FILE *file, const struct trm_kernel_info *kernel, struct trm_shader *shader);

/* The members "kernels" and "constants" of an object. */
void signature_json(struct json *json, struct trm_shader *shader);

#endif
