#version 450
/* gray: the luma of RGB pixels, Y = Kr R + Kg G + Kb B
 *
 * Arguments
 *     source          count pixels of `channels` floats: red, green, blue, and what else there is
 *     target          count floats
 *     count           the number of pixels
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     channels        samples of a pixel of source, at least 3 (3)
 *     standard        which Kr, Kg, Kb (0):
 *                       0 bt601  0.299, 0.587, 0.114
 *                       1 bt709  0.2126, 0.7152, 0.0722
 * Example
 *     trireme run -k gray:standard=bt709 in.ppm out.pgm
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_f32.glsl"
#include "common/gray.glsl"
