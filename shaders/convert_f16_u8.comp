#version 450
/* convert_f16_u8: target[i] = source[i] * scale + bias
 *
 * source      count 16-bit floats
 * target      count bytes
 *             Rounded to the nearest integer, of two the even one; what is beyond 0 to 255
 *             becomes the end; NaN becomes 0.
 * Launch      count items in x
 * Constants   0: items of a group (256)
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE float16_t
#define TARGET uint8_t
#define LOAD(element) float(element)
#define STORE(value) uint8_t(saturate(value, 255.0))
#include "common/convert.glsl"
