#version 450
/* box_blur3x3: each sample becomes the mean of the 3 x 3 around it
 *
 *      target[y][x] = sum over i, j of source[y + i - 1][x + j - 1] / 9,  i, j from 0 to 2
 *
 * Arguments
 *     source          planes x height x width x channels floats
 *     target          as many
 *     width           of an image, in pixels
 *     height          of an image, in pixels
 * Launch
 *     width * channels items in x, height in y, planes in z (any number of images one after the other)
 * Constants
 *     0               items of a group in x (64)
 *     1               items of a group in y (4)
 *     channels        samples of a pixel, side by side (1)
 *     border          what is outside of the image (0):
 *                       0 nearest  what the nearest pixel is
 *                       1 zero
 * Example
 *     trireme run -k box_blur3x3:border=zero in.y4m out.y4m
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64, local_size_y = 4, local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 3) const uint channels = 1;
layout(constant_id = 4) const uint border = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
};

#include "common/window.glsl"

void main()
{
    const uint samples = width * channels;
    const uint x = gl_GlobalInvocationID.x;
    const uint y = gl_GlobalInvocationID.y;
    if (x >= samples || y >= height)
        return;
    const uint rows = gl_GlobalInvocationID.z * height;

    vec3 above, at, below;
    window(rows, x, y, samples, height, above, at, below);
    vec3 sums = above + at + below;
    target[(rows + y) * samples + x] = (sums.x + sums.y + sums.z) * (1.0 / 9.0);
}
