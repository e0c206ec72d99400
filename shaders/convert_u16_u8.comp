#version 450
/* convert_u16_u8: target[i] = source[i] * scale + bias
 *
 * Arguments
 *     source          count unsigned 16-bit integers
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
 *     struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(target),
 *                                        trm_arg_f32(1.0f / 257), trm_arg_f32(0), trm_arg_u32(count)};
 *     trm_kernel_named(device, "convert_u16_u8", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, count, 1, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 5);
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE uint16_t
#define TARGET uint8_t
#define LOAD(element) float(uint(element))
#define STORE(value) uint8_t(saturate(value, 255.0))
#include "common/convert.glsl"
