#version 450
/* convolve_separable: each sample becomes a weighted sum of those along a row or a column
 *
 *      target[y][x] = sum over k of weights[k] * source[y][x + k - radius]     (axis 0; along y for axis 1)
 *
 * Launched for rows and then for columns it filters with the outer product of the two sets of weights.
 *
 * source, target   planes x height x width x channels floats
 * Launch      width * channels items in x, height groups in y, planes groups in z
 * Constants   0: items of a group (256); channels: samples of a pixel (1); border: what is outside of the
 *             image: 0 the nearest pixel, 1 zero (0); axis: 0 along rows, 1 along columns (0);
 *             radius_most: up to this radius rows go through shared memory; a greater one is slower (32)
 * weights     2 * radius + 1 floats
 * radius      0 and up
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/axis.glsl"

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) readonly restrict buffer Weights { float weights[]; };
layout(std430, set = 0, binding = 2) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
    uint radius;
};

void prepare()
{
}

#define TAPS (2 * radius + 1)
#define WEIGHT(k) weights[k]
#define FINISH(sum) (sum)
#include "common/separable.glsl"
