#version 450
/* convert_f32_f16: target[i] = source[i] * scale + bias
 *
 * source      count floats
 * target      count 16-bit floats
 *             What is beyond 65504 becomes infinite (or 65504, where a device rounds towards
 *             zero).
 * Launch      count items in x
 * Constants   0: items of a group (256)
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE float
#define TARGET float16_t
#define LOAD(element) float(element)
#define STORE(value) float16_t(value)
#include "common/convert.glsl"
