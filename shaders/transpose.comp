#version 450
/* transpose: target[column][row] = source[row][column]
 *
 * A group carries a tile of 32 x 32 through shared memory, so that reading and writing are both along
 * rows. The tile's rows are one element longer than they need be: then a column of it lies on
 * different banks.
 *
 * Arguments
 *     source          rows x columns floats, row after row
 *     target          columns x rows floats, row after row
 *     rows            of source
 *     columns         of source
 * Launch
 *     ceil(columns / 32) x ceil(rows / 32) groups of 32 x 8 items
 * Example
 *     trireme run -k transpose in.y4m out.y4m
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
const uint apart = 8; /* rows between the four elements of an item */
shared float tile[side][side + 1];

void load(uint row, uint column, uint y)
{
    const uint x = gl_LocalInvocationID.x;
    if (row + y < rows && column + x < columns)
        tile[y][x] = source[(row + y) * columns + column + x];
}

void store(uint row, uint column, uint y)
{
    const uint x = gl_LocalInvocationID.x;
    if (column + y < columns && row + x < rows)
        target[(column + y) * rows + row + x] = tile[x][y];
}

void main()
{
    const uint y = gl_LocalInvocationID.y;
    const uint column = gl_WorkGroupID.x * side;
    const uint row = gl_WorkGroupID.y * side;

    load(row, column, y);
    load(row, column, y + apart);
    load(row, column, y + 2 * apart);
    load(row, column, y + 3 * apart);
    barrier();
    store(row, column, y);
    store(row, column, y + apart);
    store(row, column, y + 2 * apart);
    store(row, column, y + 3 * apart);
}
