#version 450
/* convert_u8_u8: target[i] = source[i] * scale + bias
 *
 * Arguments
 *     source          count bytes
 *     target          count bytes
 *     scale           the factor; 1 by default in `trireme run`
 *     bias            is added to the product; 0 by default in `trireme run`
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Notes
 *     Rounded to the nearest integer, of two the even one; results beyond 0 to 255 become the nearer
 *     end; NaN becomes 0.
 * Example
 *     trireme run --raw u8 -k convert_u8_u8:scale=0.5,bias=1 numbers.u8 result.u8
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE uint8_t
#define TARGET uint8_t
#define LOAD(element) float(uint(element))
#define STORE(value) uint8_t(saturate(value, 255.0))
#include "common/convert.glsl"
