/* Whether a backend's kernel matches its shader's reflection.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_KERNEL_INTERFACE_H
#define CORE_MODULE_KERNEL_INTERFACE_H

#include <trireme/backend.h>

/* Compares a backend's description of a kernel with its shader's reflection. A description without
 * parameters means "as reflected", and is completed. Errors: ABI, naming the first difference. */
int32_t core_kernel_interface_match(const struct trm_kernel_info *reflected, struct trm_kernel_desc *desc);

/* What a parameter takes, for sentences: "f32", "a buffer of f32", "a block of 16 bytes". */
#define CORE_PARAMETER_TEXT 64
const char *core_parameter_text(const struct trm_parameter *parameter, char text[CORE_PARAMETER_TEXT]);

#endif
