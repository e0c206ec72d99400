#version 450
/* gamma_u8: target[i] = source[i] through a gamma curve
 *
 *      power:      value to the power `exponent`; 0 of what is not above 0
 *      to_srgb:    12.92 * value where value <= 0.0031308, else 1.055 * value^(1 / 2.4) - 0.055
 *      from_srgb:  value / 12.92 where value <= 0.04045, else ((value + 0.055) / 1.055)^2.4
 *
 * (IEC 61966-2-1)
 *
 * Arguments
 *     source          count bytes
 *     target          count bytes
 *     exponent        of curve 0; 1 by default in `trireme run`
 *     count           the number of samples
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     curve           which one (0); the words are for `trireme run`:
 *                       0 power
 *                       1 to_srgb    from linear light to sRGB
 *                       2 from_srgb  from sRGB to linear light
 * Notes
 *     255 is 1. Results are rounded to the nearest byte, of two the even one; results beyond 0 to 255
 *     become the nearer end.
 * Example
 *     trireme run -k gamma_u8:exponent=0.5 in.y4m out.y4m
 *     trireme run -k gamma_u8:curve=from_srgb in.ppm out.ppm
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_u8.glsl"
#include "common/gamma.glsl"
