#version 450
/* yuv_to_rgb_u8: Y'CbCr pixels without subsampling (4:4:4) to R'G'B'
 *
 * source      count pixels of 3 bytes: Y, Cb, Cr; or three planes of count bytes each. Chroma 0 is stored
 *             as 128 / 255
 * target      count pixels of 3 bytes: red, green, blue
 * Launch      count items in x
 * Constants   0: items of a group (256); standard: 0 BT.601, 1 BT.709 (0); range: 0 full, 1 limited: Y
 *             from 16 to 235, Cb and Cr from 16 to 240, of 255 (0); planar: 1 for planes (0)
 * Bytes       255 is 1. Results are rounded to the nearest byte, of two the even one; what is beyond the
 *             ends becomes the end.
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_u8.glsl"
#include "common/yuv_to_rgb.glsl"
