#version 450
/* The numbers of the columns of each row of 1024, in ascending order of their values: bitonic. A group has a row, an
 * invocation a column. */
layout(local_size_x = 1024) in;

layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Order { int order[]; };

shared int columns[1024];

void main()
{
    uint c = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * 1024;

    columns[c] = int(c);
    barrier();
    for (uint k = 2; k <= 1024; k *= 2) {
        for (uint j = k / 2; j > 0; j /= 2) {
            uint other = c ^ j;
            if (other > c) {
                int a = columns[c], b = columns[other];
                bool ascending = (c & k) == 0;
                if (ascending ? x[row + a] > x[row + b] : x[row + a] < x[row + b]) {
                    columns[c] = b;
                    columns[other] = a;
                }
            }
            barrier();
        }
    }
    order[row + c] = columns[c];
}
