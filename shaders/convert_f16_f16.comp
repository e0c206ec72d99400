#version 450
/* convert_f16_f16: target[i] = source[i] * scale + bias
 *
 * Arguments
 *     source          count 16-bit floats
 *     target          count 16-bit floats
 *     scale           the factor; 1 by default in `trireme run`
 *     bias            is added to the product; 0 by default in `trireme run`
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Notes
 *     Results beyond 65504 become infinite (or 65504, where a device rounds towards zero).
 * Example
 *     trireme run --raw f16 -k convert_f16_f16:scale=0.5,bias=1 numbers.f16 result.f16
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE float16_t
#define TARGET float16_t
#define LOAD(element) float(element)
#define STORE(value) float16_t(value)
#include "common/convert.glsl"
