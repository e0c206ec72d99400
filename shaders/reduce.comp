#version 450
/* reduce: the sum, minimum or maximum of many floats
 *
 * Each group leaves the result of its block in `partial`. Launch it again with `partial` as source until
 * there is one group; a million elements take two launches.
 *
 * source      count floats; at most 2^32 - 1 - the elements of a block
 * partial     as many as there are groups
 * Launch      ceil(count / (256 * 16)) groups in x (16 elements for each item); one, where count is 0
 * Constants   0: items of a group (256); operation: 0 sum, 1 minimum, 2 maximum (0)
 * Result      of no elements 0, infinity and minus infinity. The order of the additions depends on the
 *             constants alone, so a sum is the same each time.
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT float
#define LEAST uintBitsToFloat(0xff800000u)
#define GREATEST uintBitsToFloat(0x7f800000u)
#include "common/reduce.glsl"
