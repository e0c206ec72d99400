/* Which row of a table a group has to do with.
 *
 * Before it: ROW_WORDS, the most words of a row; a buffer `table` of words, whose rows begin with the group that takes
 * the row's first elements, each with a later one; and `rows`, how many there are.
 *
 * The items of the group look at different rows, and then bring the words of the right one to `row`, so that no load
 * waits for more than one other.
 * SPDX-License-Identifier: MIT
 */
shared uint row_number;
shared uint row[ROW_WORDS];

/* Finds the last row that does not begin behind the group. All items call it, and have `row` behind it. */
void find_row(uint stride)
{
    uint item = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;

    for (uint i = item; i < rows; i += gl_WorkGroupSize.x)
        if (table[i * stride] <= group && (i + 1 == rows || table[(i + 1) * stride] > group))
            row_number = i;
    barrier();
    for (uint i = item; i < stride; i += gl_WorkGroupSize.x)
        row[i] = table[row_number * stride + i];
    barrier();
}
