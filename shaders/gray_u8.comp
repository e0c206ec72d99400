#version 450
/* gray_u8: the luma of RGB pixels, Y = Kr R + Kg G + Kb B
 *
 * Arguments
 *     source          count pixels of `channels` bytes: red, green, blue, and what else there is
 *     target          count bytes
 *     count           the number of pixels
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     channels        samples of a pixel of source, at least 3 (3)
 *     standard        which Kr, Kg, Kb (0):
 *                       0 bt601  0.299, 0.587, 0.114
 *                       1 bt709  0.2126, 0.7152, 0.0722
 * Notes
 *     255 is 1. Results are rounded to the nearest byte, of two the even one; results beyond 0 to 255
 *     become the nearer end.
 * Example
 *     trireme run -k gray_u8:standard=bt709 in.ppm out.pgm
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_u8.glsl"
#include "common/gray.glsl"
