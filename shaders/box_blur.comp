#version 450
/* box_blur: each sample becomes the mean of the 2 * radius + 1 samples around it along a row or a
 * column
 *
 *      target[y][x] = sum over d of source[y][x + d] / (2 * radius + 1),
 *      d from -radius to radius     (axis 0; along y for axis 1)
 *
 * Launched for rows and then for columns it makes the mean of a square.
 *
 * Arguments
 *     source          planes x height x width x channels floats
 *     target          as many
 *     width           of an image, in pixels
 *     height          of an image, in pixels
 *     radius          samples on each side, 0 and up
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
 *     trireme run -k box_blur:radius=3 in.y4m out.y4m
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#include "common/axis.glsl"

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
    uint radius;
};

void prepare()
{
}

#define TAPS (2 * radius + 1)
#define WEIGHT(k) 1.0
#define FINISH(sum) ((sum) / float(2 * radius + 1))
#include "common/separable.glsl"
