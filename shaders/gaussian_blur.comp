#version 450
/* gaussian_blur: a Gaussian blur along a row or a column; launch it for both
 *
 *      target[y][x] = sum over d of w(d) * source[y][x + d] / sum over d of w(d),
 *      w(d) = exp(-d^2 / (2 sigma^2)), d from -radius to radius     (axis 0; along y for axis 1)
 *
 * Arguments
 *     source          planes x height x width x channels floats
 *     target          as many
 *     width           of an image, in pixels
 *     height          of an image, in pixels
 *     radius          0 to 64. A radius of three times sigma leaves out 0.3 % of the bell, one of two
 *                     times 4.6 %. By default `trireme run` takes three times sigma
 *     sigma           standard deviation in pixels, above 0
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
 *     trireme run -k gaussian_blur:sigma=2 in.y4m out.y4m
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
    float sigma;
};

const uint bell_most = 2 * 64 + 1;
shared float bell[bell_most];
shared float bell_sum;

void prepare()
{
    const uint count = min(2 * radius + 1, bell_most);
    for (uint k = gl_LocalInvocationID.x; k < count; k += gl_WorkGroupSize.x) {
        float distance = (float(k) - float(radius)) / sigma;
        bell[k] = exp(-0.5 * distance * distance);
    }
    barrier();
    if (gl_LocalInvocationID.x == 0) {
        float sum = 0.0;
        for (uint k = 0; k < count; k++)
            sum += bell[k];
        bell_sum = sum;
    }
    barrier();
}

#define TAPS min(2 * radius + 1, bell_most)
#define WEIGHT(k) bell[k]
#define FINISH(sum) ((sum) / bell_sum)
#include "common/separable.glsl"
