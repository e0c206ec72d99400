/* A backend's description of a kernel: compared with the shader's reflection, or copied.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_KERNEL_INTERFACE_H
#define CORE_MODULE_KERNEL_INTERFACE_H

#include <stddef.h>
#include <trireme/backend.h>

struct core_context;

/* Compares a backend's description of a kernel with its shader's reflection. A description without
 * parameters means "as reflected", and is completed. Errors: ABI, naming the first difference. */
int32_t core_kernel_interface_match(const struct trm_kernel_info *reflected, struct trm_kernel_desc *desc);

/* Checks the description of native code, and puts a copy of the parameters, of `size` bytes from the
 * context's allocator, in their place, since the backend may change its own. `size` 0: there are none. */
int32_t core_kernel_interface_copy(const struct core_context *context, struct trm_kernel_desc *desc,
                                   const char *name, size_t *size);

/* The name of a parameter; "" where the code has none. */
const char *core_parameter_name(const struct trm_parameter *parameter);

/* What a parameter takes, for sentences: "f32", "a buffer of f32", "a block of 16 bytes". */
#define CORE_PARAMETER_TEXT 128
const char *core_parameter_text(const struct trm_parameter *parameter, char text[CORE_PARAMETER_TEXT]);

#endif
