#version 450
/* scan_u32: prefix sums of unsigned integers, modulo 2^32
 *
 * inclusive: target[i] = source[0] + ... + source[i];  exclusive: target[i] = source[0] + ... + source[i - 1]
 *
 * One launch does this for each block of group size x per_item elements by itself, and leaves the blocks'
 * totals in `sums`. For more than one block: scan the totals, exclusively, in the same way, and launch
 * scan_add_u32 with what comes of it.
 *
 * source, target   count elements each; at most 2^32 - 1 - the elements of a block
 * sums        as many elements as there are groups
 * Launch      ceil(count / (256 * 7)) groups in x (group size x per_item)
 * Constants   0: items of a group (256); exclusive: 1, or 0 for inclusive; per_item: elements of an item,
 *             best odd (7)
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT uint
#include "common/scan.glsl"
