#version 450
/* convert_u8_f32: target[i] = source[i] * scale + bias
 *
 * source      count bytes
 * target      count floats
 * Launch      count items in x
 * Constants   0: items of a group (256)
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE uint8_t
#define TARGET float
#define LOAD(element) float(uint(element))
#define STORE(value) (value)
#include "common/convert.glsl"
