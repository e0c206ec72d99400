#version 450
/* transpose: target[column][row] = source[row][column]
 *
 * A group carries a tile of 32 x 32 through shared memory, so that reading and writing are both along
 * rows. The tile's rows are one element longer than they need be: then a column of it lies on different
 * banks.
 *
 * source      rows x columns floats, row after row
 * target      columns x rows floats, row after row
 * Launch      ceil(columns / 32) x ceil(rows / 32) groups
 * Constants   none; a group has 32 x 8 items
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 32, local_size_y = 8) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    uint rows;
    uint columns;
};

const uint side = 32;
const uint each = 4; /* elements of an item */
shared float tile[side][side + 1];

void main()
{
    const uint x = gl_LocalInvocationID.x;
    const uint column = gl_WorkGroupID.x * side;
    const uint row = gl_WorkGroupID.y * side;

    for (uint i = 0; i < each; i++) {
        uint y = i * gl_WorkGroupSize.y + gl_LocalInvocationID.y;
        if (row + y < rows && column + x < columns)
            tile[y][x] = source[(row + y) * columns + column + x];
    }
    barrier();
    for (uint i = 0; i < each; i++) {
        uint y = i * gl_WorkGroupSize.y + gl_LocalInvocationID.y;
        if (column + y < columns && row + x < rows)
            target[(column + y) * rows + row + x] = tile[x][y];
    }
}
