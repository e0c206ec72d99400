#version 450
/* alpha_blend: pixels with alpha one over the other (T. Porter and T. Duff, "Compositing digital
 * images", 1984: over)
 *
 *      alpha = front alpha + back alpha * (1 - front alpha)
 *      colour = (front colour * front alpha + back colour * back alpha * (1 - front alpha)) / alpha,
 *               0 where alpha is 0
 *      premultiplied: colour = front colour + back colour * (1 - front alpha)
 *
 * Arguments
 *     front           count pixels of 4 floats: red, green, blue, alpha
 *     back            as many pixels
 *     target          as many pixels
 *     count           the number of pixels
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     premultiplied   1 where colours were multiplied with their alpha (0)
 * Example
 *     trireme run --raw f32 --size 64x48x4 -k alpha_blend:back=0,0,1,1 front.rgba blended.rgba
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_f32.glsl"
#include "common/alpha_blend.glsl"
