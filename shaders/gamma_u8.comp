#version 450
/* gamma_u8: samples through a gamma curve
 *
 * source, target   count bytes
 * exponent    of curve 0
 * Launch      count items in x
 * Constants   0: items of a group (256); curve (0):
 *      0 value to the power `exponent`; 0 and what is below it become 0
 *      1 linear light to sRGB, 2 sRGB to linear light (IEC 61966-2-1); what is below 0 goes on along the
 *      straight part
 * Bytes       255 is 1. Results are rounded to the nearest byte, of two the even one; what is beyond the
 *             ends becomes the end.
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_u8.glsl"
#include "common/gamma.glsl"
