#version 450
/* threshold: samples by whether they are above a level
 *
 * source, target   count floats
 * level, low, high   what the constant `mode` says; as the samples are counted
 * Launch      count items in x
 * Constants   0: items of a group (256); mode (0):
 *      0 high above the level, else low       1 the level above the level, else as it is
 *      2 as it is above the level, else low   3 high above the level, else as it is
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT float
#define NUMBER float
#include "common/threshold.glsl"
