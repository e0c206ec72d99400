#version 450
/* scan_add: target[i] += offsets[i / block], the last step of scan: a block is what one of its groups scans
 *
 * offsets     as many elements as there are groups: the exclusive scan of what scan left in `sums`
 * target      count elements
 * Launch      ceil(count / (256 * 7)) groups in x (group size x per_item)
 * Constants   as of scan: 0: items of a group (256); per_item: elements of an item (7)
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT float
#include "common/scan_add.glsl"
