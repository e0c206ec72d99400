#version 450
/* reduce_u32: the sum, minimum or maximum of many unsigned integers
 *
 * Each group leaves the result of its block in `partial`. Launch it again with `partial` as source until
 * there is one group; a million elements take two launches.
 *
 * source      count unsigned integers; at most 2^32 - 1 - the elements of a block
 * partial     as many as there are groups
 * Launch      ceil(count / (256 * 16)) groups in x (16 elements for each item); one, where count is 0
 * Constants   0: items of a group (256); operation: 0 sum, 1 minimum, 2 maximum (0)
 * Result      of no elements 0, 2^32 - 1 and 0. Sums are modulo 2^32.
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT uint
#define LEAST 0u
#define GREATEST 0xffffffffu
#include "common/reduce.glsl"
