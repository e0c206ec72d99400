#version 450
/* reduce: the sum, minimum or maximum of many floats
 *
 *      partial[g] = source[begin] OPERATION ... OPERATION source[end - 1],
 *      begin = g * 4096, end the lesser of begin + 4096 and count
 *
 * Each group leaves the result of its block in `partial`. Launch it again with `partial` as source
 * until there is one group; a million elements take two launches.
 *
 * Arguments
 *     source          count floats
 *     partial         as many as there are groups
 *     count           the number of elements, at most 2^32 - 1 - the elements of a block
 * Launch
 *     ceil(count / (256 * 16)) groups in x (16 elements for each item); one where count is 0
 * Constants
 *     0               items of a group (256)
 *     operation       what is done (0):
 *                       0 sum
 *                       1 minimum
 *                       2 maximum
 * Notes
 *     Of no elements: 0, infinity and minus infinity. The order of the additions depends on the
 *     constants alone, so a sum is the same each time.
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(partial),
 *                                        trm_arg_u32(count)};
 *     struct trm_constant maximum = trm_constant_u32("operation", 2);
 *     trm_kernel_named(device, "reduce", &maximum, 1, &kernel);
 *     grid = trm_grid_1d((count + 256 * 16 - 1) / (256 * 16), 0);
 *     trm_launch(stream, kernel, &grid, arguments, 3);
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT float
#define LEAST uintBitsToFloat(0xff800000u)
#define GREATEST uintBitsToFloat(0x7f800000u)
#include "common/reduce.glsl"
