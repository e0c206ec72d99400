#version 450
/* scan_add_u32: target[i] += offsets[i / block], the last step of scan_u32: a block is what one of its
 * groups scans
 *
 * offsets     as many elements as there are groups: the exclusive scan of what scan_u32 left in `sums`
 * target      count elements
 * Launch      ceil(count / (256 * 7)) groups in x (group size x per_item)
 * Constants   as of scan_u32: 0: items of a group (256); per_item: elements of an item (7)
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT uint
#include "common/scan_add.glsl"
