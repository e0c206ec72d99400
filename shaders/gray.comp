#version 450
/* gray: the luma of RGB pixels, Y = Kr R + Kg G + Kb B
 *
 * source      count pixels of `channels` floats: red, green, blue, and what else there is
 * target      count floats
 * Launch      count items in x
 * Constants   0: items of a group (256); channels: 3 or more (3); standard: 0 BT.601: 0.299, 0.587, 0.114,
 *             1 BT.709: 0.2126, 0.7152, 0.0722 (0)
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/samples_f32.glsl"
#include "common/gray.glsl"
