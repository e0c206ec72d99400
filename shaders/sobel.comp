#version 450
/* sobel: how fast an image changes, by the 3 x 3 kernels of Sobel
 *
 *      across = | -1 0 1 |      down = | -1 -2 -1 |
 *               | -2 0 2 |             |  0  0  0 |
 *               | -1 0 1 |             |  1  2  1 |
 *
 * A sample of the target is made of the sums of the 3 x 3 samples around it times these weights, as
 * `quantity` says.
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
 *     quantity        what becomes of the two sums (0):
 *                       0 length  sqrt(across^2 + down^2)
 *                       1 sum     |across| + |down|
 *                       2 across
 *                       3 down
 * Example
 *     trireme run -k sobel in.y4m out.y4m
 *     trireme run -k sobel:quantity=sum in.y4m out.y4m
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64, local_size_y = 4, local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 3) const uint channels = 1;
layout(constant_id = 4) const uint border = 0;
layout(constant_id = 5) const uint quantity = 0;

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
    float across = (above.z - above.x) + 2.0 * (at.z - at.x) + (below.z - below.x);
    float down = (below.x - above.x) + 2.0 * (below.y - above.y) + (below.z - above.z);
    float result;
    switch (quantity) {
    case 1:
        result = abs(across) + abs(down);
        break;
    case 2:
        result = across;
        break;
    case 3:
        result = down;
        break;
    default:
        result = sqrt(across * across + down * down);
    }
    target[(rows + y) * samples + x] = result;
}
