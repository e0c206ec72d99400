#version 450
/* rgb_to_yuv: R'G'B' pixels to Y'CbCr without subsampling (4:4:4)
 *
 *      Y  = Kr R + Kg G + Kb B
 *      Cb = (B - Y) / (2 - 2 Kb) + 128 / 255
 *      Cr = (R - Y) / (2 - 2 Kr) + 128 / 255
 *      limited: Y * 219 / 255 + 16 / 255, (Cb - 128 / 255) * 224 / 255 + 128 / 255, Cr as Cb
 *
 * Kr, Kg, Kb are those of `standard`. In the limited range Y goes from 16 / 255 to 235 / 255, Cb and
 * Cr from 16 / 255 to 240 / 255. (ITU-R BT.601-7, 2.5.1; BT.709-6, 3)
 *
 * Arguments
 *     source          count pixels of 3 floats: red, green, blue
 *     target          count pixels of 3 floats: Y, Cb, Cr; or three planes of count floats each
 *     count           the number of pixels
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     standard        which Kr, Kg, Kb (0):
 *                       0 bt601  0.299, 0.587, 0.114
 *                       1 bt709  0.2126, 0.7152, 0.0722
 *     range           of Y, Cb and Cr (0):
 *                       0 full
 *                       1 limited
 *     planar          1 where Y, Cb and Cr are in planes, 0 where a pixel has them side by side (0)
 * Example
 *     trireme run -k rgb_to_yuv:planar=1,range=limited in.ppm out.y4m
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_f32.glsl"
#include "common/rgb_to_yuv.glsl"
