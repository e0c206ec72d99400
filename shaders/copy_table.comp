#version 450
/* copy_table: copies spans of bytes, one for each row of a table
 *
 *     t[i] = s[i]
 *
 * Collectives (<trireme/collective.h>) of many small spans are made of it. The spans of two rows overlap only where
 * both are read.
 *
 * Arguments
 *     table           7 words for each row: the first group of the row, counted over all rows; how many units its
 *                     spans have; the bytes of a unit, 1, 4 or 16; the address of its source, and that of its
 *                     target, both multiples of a unit, with the lower half first
 *     rows            how many rows the table has, at least 1
 * Launch
 *     for each row as many groups in x as take its units, one unit an item
 * Constants
 *     0               items of a group (256)
 * Notes
 *     The device reaches all spans by their addresses (trm_buffer_address()), and the launch does not keep them: see
 *     trm_arg_reached().
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(table), trm_arg_u32(rows)};
 *     trm_kernel_named(device, "copy_table", NULL, 0, &kernel);
 *     struct trm_grid grid = trm_grid_1d(groups, 0);
 *     trm_launch(stream, kernel, &grid, arguments, 2);
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(buffer_reference, std430, buffer_reference_align = 1) buffer Bytes { uint8_t e[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint e[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Quads { uvec4 e[]; };
layout(std430, set = 0, binding = 0) readonly buffer Table { uint table[]; };

layout(push_constant) uniform Parameters { uint rows; };

#define ROW_WORDS 7
#include "common/table_row.glsl"

void main()
{
    find_row(ROW_WORDS);
    uint i = (gl_WorkGroupID.x - row[0]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (i >= row[1])
        return;
    uint unit = row[2];
    uvec2 source = uvec2(row[3], row[4]);
    uvec2 target = uvec2(row[5], row[6]);
    if (unit == 16)
        Quads(target).e[i] = Quads(source).e[i];
    else if (unit == 4)
        Words(target).e[i] = Words(source).e[i];
    else
        Bytes(target).e[i] = Bytes(source).e[i];
}
