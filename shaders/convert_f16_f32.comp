#version 450
/* convert_f16_f32: target[i] = source[i] * scale + bias
 *
 * source      count 16-bit floats
 * target      count floats
 * Launch      count items in x
 * Constants   0: items of a group (256)
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE float16_t
#define TARGET float
#define LOAD(element) float(element)
#define STORE(value) (value)
#include "common/convert.glsl"
