#version 450
/* scan_u32: prefix sums of unsigned integers, modulo 2^32
 *
 *      inclusive: target[i] = source[0] + ... + source[i]
 *      exclusive: target[i] = source[0] + ... + source[i - 1],  target[0] = 0
 *
 * One launch does this for each block of group size x per_item elements by itself, and leaves the sum
 * of each block in `sums`. For more than one block, scan `sums` with exclusive=1, and give the result
 * to scan_add_u32, which adds it to the blocks; its example has all three launches.
 *
 * Arguments
 *     source          count elements
 *     target          count elements
 *     sums            as many elements as there are groups
 *     count           the number of elements, at most 2^32 - 1 - the elements of a block
 * Launch
 *     ceil(count / (256 * 7)) groups in x: a group scans a block of group size x per_item elements
 * Constants
 *     0               items of a group (256)
 *     exclusive       1 leaves out the element itself, 0 counts it in (0)
 *     per_item        elements of an item, best odd (7)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(target),
 *                                        trm_arg_buffer(sums), trm_arg_u32(count)};
 *     trm_kernel_named(device, "scan_u32", NULL, 0, &kernel);
 *     grid = trm_grid_1d((count + 256 * 7 - 1) / (256 * 7), 0);
 *     trm_launch(stream, kernel, &grid, arguments, 4);
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT uint
#include "common/scan.glsl"
