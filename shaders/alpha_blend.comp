#version 450
/* alpha_blend: pixels with alpha one over the other (T. Porter and T. Duff, "Compositing digital images",
 * 1984: over)
 *
 *      alpha = front alpha + back alpha * (1 - front alpha)
 *      colour = (front colour * front alpha + back colour * back alpha * (1 - front alpha)) / alpha,
 *               0 where alpha is 0
 *      premultiplied: colour = front colour + back colour * (1 - front alpha)
 *
 * front, back, target   count pixels of 4 floats: red, green, blue, alpha
 * Launch      count items in x
 * Constants   0: items of a group (256); premultiplied: 1 where colours were multiplied with their alpha
 *             (0)
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_f32.glsl"
#include "common/alpha_blend.glsl"
