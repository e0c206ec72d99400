#version 450
/* convert_f16_u16: target[i] = source[i] * scale + bias
 *
 * source      count 16-bit floats
 * target      count unsigned 16-bit integers
 *             Rounded to the nearest integer, of two the even one; what is beyond 0 to 65535
 *             becomes the end; NaN becomes 0.
 * Launch      count items in x
 * Constants   0: items of a group (256)
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE float16_t
#define TARGET uint16_t
#define LOAD(element) float(element)
#define STORE(value) uint16_t(saturate(value, 65535.0))
#include "common/convert.glsl"
