#version 450
/* convolve_separable: each sample becomes a weighted sum of those along a row or a column
 *
 *      target[y][x] = sum over k of weights[k] * source[y][x + k - radius],
 *      k from 0 to 2 * radius     (axis 0; along y for axis 1)
 *
 * Launched for rows and then for columns it filters with the outer product of the two sets of weights.
 *
 * Arguments
 *     source          planes x height x width x channels floats
 *     weights         2 * radius + 1 floats
 *     target          as many as source
 *     width           of an image, in pixels
 *     height          of an image, in pixels
 *     radius          0 and up; `trireme run` takes it from the number of weights
 * Launch
 *     width * channels items in x, height groups in y, planes groups in z
 * Constants
 *     0               items of a group (256)
 *     channels        samples of a pixel, side by side (1)
 *     border          what is outside of the image (0):
 *                       0 nearest  what the nearest pixel is
 *                       1 zero
 *     axis            0 along rows, 1 along columns (0); `trireme run` launches both
 *     radius_most     the greatest radius at which rows go through shared memory (32); beyond it they
 *                     are slower
 * Example
 *     trireme run -k convolve_separable:weights=0.25,0.5,0.25 in.y4m out.y4m
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
