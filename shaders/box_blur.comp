#version 450
/* box_blur: each sample becomes the mean of the 2 * radius + 1 samples around it along a row or a column
 *
 * Launched for rows and then for columns it makes the mean of a square.
 *
 * source, target   planes x height x width x channels floats
 * Launch      width * channels items in x, height groups in y, planes groups in z
 * Constants   0: items of a group (256); channels: samples of a pixel (1); border: what is outside of the
 *             image: 0 the nearest pixel, 1 zero (0); axis: 0 along rows, 1 along columns (0);
 *             radius_most: up to this radius rows go through shared memory; a greater one is slower (32)
 * radius      0 and up
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
