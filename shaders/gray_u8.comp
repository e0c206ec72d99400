#version 450
/* gray_u8: the luma of RGB pixels, Y = Kr R + Kg G + Kb B
 *
 * source      count pixels of `channels` bytes: red, green, blue, and what else there is
 * target      count bytes
 * Launch      count items in x
 * Constants   0: items of a group (256); channels: 3 or more (3); standard: 0 BT.601: 0.299, 0.587, 0.114,
 *             1 BT.709: 0.2126, 0.7152, 0.0722 (0)
 * Bytes       255 is 1. Results are rounded to the nearest byte, of two the even one; what is beyond the
 *             ends becomes the end.
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_u8.glsl"
#include "common/gray.glsl"
