#version 450
/* rgb_to_yuv: R'G'B' pixels to Y'CbCr without subsampling (4:4:4)
 *
 * source      count pixels of 3 floats: red, green, blue
 * target      count pixels of 3 floats: Y, Cb, Cr; or three planes of count floats each. Chroma 0 is
 *             stored as 128 / 255
 * Launch      count items in x
 * Constants   0: items of a group (256); standard: 0 BT.601, 1 BT.709 (0); range: 0 full, 1 limited: Y
 *             from 16 to 235, Cb and Cr from 16 to 240, of 255 (0); planar: 1 for planes (0)
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_f32.glsl"
#include "common/rgb_to_yuv.glsl"
