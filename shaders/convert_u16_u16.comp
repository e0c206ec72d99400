#version 450
/* convert_u16_u16: target[i] = source[i] * scale + bias
 *
 * Arguments
 *     source          count unsigned 16-bit integers
 *     target          count unsigned 16-bit integers
 *     scale           the factor; 1 by default in `trireme run`
 *     bias            is added to the product; 0 by default in `trireme run`
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Notes
 *     Rounded to the nearest integer, of two the even one; results beyond 0 to 65535 become the nearer
 *     end; NaN becomes 0.
 * Example
 *     trireme run --raw u16 -k convert_u16_u16:scale=0.5,bias=1 numbers.u16 result.u16
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE uint16_t
#define TARGET uint16_t
#define LOAD(element) float(uint(element))
#define STORE(value) uint16_t(saturate(value, 65535.0))
#include "common/convert.glsl"
