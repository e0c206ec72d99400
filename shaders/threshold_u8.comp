#version 450
/* threshold_u8: samples by whether they are above a level
 *
 *      binary:    target[i] = source[i] > level ? high : low
 *      truncate:  target[i] = source[i] > level ? level : source[i]
 *      to_low:    target[i] = source[i] > level ? source[i] : low
 *      to_high:   target[i] = source[i] > level ? high : source[i]
 *
 * Arguments
 *     source          count bytes
 *     target          count bytes
 *     level           a sample above it is high, one at it is not
 *     low             as the formula says; 0 by default in `trireme run`
 *     high            as the formula says; 255 by default in `trireme run`
 *     count           the number of samples
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     mode            which formula (0); the words are for `trireme run`:
 *                       0 binary
 *                       1 truncate
 *                       2 to_low
 *                       3 to_high
 * Example
 *     trireme run -k threshold_u8:level=128 in.y4m out.y4m
 *     trireme run -k threshold_u8:level=128,mode=to_low in.y4m out.y4m
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#extension GL_GOOGLE_include_directive : require

#define ELEMENT uint8_t
#define NUMBER uint
#include "common/threshold.glsl"
