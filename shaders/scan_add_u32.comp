#version 450
/* scan_add_u32: target[i] += offsets[i / block], the last step of scan_u32: a block is what one of its
 * groups scans
 *
 *      offsets[g] = sums[0] + ... + sums[g - 1],  offsets[0] = 0
 *
 * `offsets` is the exclusive scan of the totals: scan `sums`, which scan_u32 left, with exclusive=1.
 * `sums` itself and its inclusive scan give wrong results: they add to a block its own total. Whether
 * the blocks themselves were scanned inclusively or exclusively makes no difference.
 *
 * Arguments
 *     offsets         as many elements as there are groups: the exclusive scan of what scan_u32 left
 *                     in `sums`
 *     target          count elements: what scan_u32 left in its target
 *     count           the number of elements
 * Launch
 *     ceil(count / (256 * 7)) groups in x, as scan_u32
 * Constants
 *     0               items of a group (256), as of scan_u32
 *     per_item        elements of an item (7), as of scan_u32
 * Notes
 *     The example scans up to 1792 * 1792 elements inclusively. With more, the totals have more than
 *     one block, and their scan takes the same three launches.
 * Example
 *     uint32_t block = 256 * 7, blocks = (count + block - 1) / block;
 *     struct trm_constant exclusive = trm_constant_u32("exclusive", 1);
 *     struct trm_argument parts[] = {trm_arg_buffer(source), trm_arg_buffer(target),
 *                                    trm_arg_buffer(sums), trm_arg_u32(count)};
 *     struct trm_argument totals[] = {trm_arg_buffer(sums), trm_arg_buffer(offsets), trm_arg_buffer(total),
 *                                     trm_arg_u32(blocks)};
 *     struct trm_argument add[] = {trm_arg_buffer(offsets), trm_arg_buffer(target), trm_arg_u32(count)};
 *     struct trm_grid grid = trm_grid_1d(blocks, 0), one = trm_grid_1d(1, 0);
 *     trm_kernel_named(device, "scan_u32", NULL, 0, &scan);
 *     trm_kernel_named(device, "scan_u32", &exclusive, 1, &scan_exclusive);
 *     trm_kernel_named(device, "scan_add_u32", NULL, 0, &scan_add);
 *     trm_launch(stream, scan, &grid, parts, 4);
 *     trm_launch(stream, scan_exclusive, &one, totals, 4);
 *     trm_launch(stream, scan_add, &grid, add, 3);
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT uint
#include "common/scan_add.glsl"
