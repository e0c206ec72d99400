/* Parts of the reflection (reflect.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_REFLECT_H
#define COMPILER_SPIRV_REFLECT_H

#include "compiler/spirv/spirv.h"

/* Describes a variable of storage class UniformConstant as a parameter. */
struct trm_parameter spirv_reflect_opaque(const struct spirv_module *module, uint32_t id);

#endif
