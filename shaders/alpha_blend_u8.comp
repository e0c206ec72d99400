#version 450
/* alpha_blend_u8: pixels with alpha one over the other (T. Porter and T. Duff, "Compositing digital
 * images", 1984: over)
 *
 *      alpha = front alpha + back alpha * (1 - front alpha)
 *      colour = (front colour * front alpha + back colour * back alpha * (1 - front alpha)) / alpha,
 *               0 where alpha is 0
 *      premultiplied: colour = front colour + back colour * (1 - front alpha)
 *
 * Arguments
 *     front           count pixels of 4 bytes: red, green, blue, alpha
 *     back            as many pixels
 *     target          as many pixels
 *     count           the number of pixels
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     premultiplied   1 where colours were multiplied with their alpha (0)
 * Notes
 *     255 is 1. Results are rounded to the nearest byte, of two the even one; results beyond 0 to 255
 *     become the nearer end.
 * Example
 *     trireme run --raw u8 --size 64x48x4 -k alpha_blend_u8:back=0,0,255,255 front.rgba blended.rgba
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_u8.glsl"
#include "common/alpha_blend.glsl"
