/* The shader room: portable code without a device.
 *
 * shader            the objects: creation, description
 * shader_code       a SPIR-V module with constants, its reflection, digest and name of variant; modules hold
 *                   one too
 * shader_load       the words of a module from SPIR-V, GLSL or the name of a kernel
 * shader_translate  translations to C and CUDA C, which the shader keeps
 * kernel_path       finds kernels by name
 * host_translate    translations for backends
 *
 * A shader is constant once it is created, but for its list of translations, which a lock guards.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_SHADER_H
#define CORE_SHADER_SHADER_H

#include "core/shader/host_translate.h"
#include "core/shader/kernel_path.h"
#include "core/shader/shader_code.h"
#include "core/shader/shader_object.h"

#endif
