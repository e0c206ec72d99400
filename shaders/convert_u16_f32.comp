#version 450
/* convert_u16_f32: target[i] = source[i] * scale + bias
 *
 * Arguments
 *     source          count unsigned 16-bit integers
 *     target          count floats
 *     scale           the factor; 1 by default in `trireme run`
 *     bias            is added to the product; 0 by default in `trireme run`
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(target),
 *                                        trm_arg_f32(1.0f / 65535), trm_arg_f32(0),
 *                                        trm_arg_u32(count)};
 *     trm_kernel_named(device, "convert_u16_f32", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, count, 1, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 5);
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define SOURCE uint16_t
#define TARGET float
#define LOAD(element) float(uint(element))
#define STORE(value) (value)
#include "common/convert.glsl"
