#version 450
/* convert_f32_f32: target[i] = source[i] * scale + bias
 *
 * Arguments
 *     source          count floats
 *     target          count floats
 *     scale           the factor; 1 by default in `trireme run`
 *     bias            is added to the product; 0 by default in `trireme run`
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Example
 *     trireme run --raw f32 -k convert_f32_f32:scale=0.5,bias=1 numbers.f32 result.f32
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define SOURCE float
#define TARGET float
#define LOAD(element) float(element)
#define STORE(value) (value)
#include "common/convert.glsl"
