#version 450
#extension GL_GOOGLE_include_directive : require
// Barriers in a loop around the accesses.
#include "overrun.h"

void main()
{
    uint id = gl_GlobalInvocationID.x, me = gl_LocalInvocationID.x;
    uint local[9], grid[2][3], sum = 0u;
    float parts[3], fraction = 0.0;
    uvec4 vector  = uvec4(id, 1u, 2u, 3u);
    mat2x3 matrix = mat2x3(1.0);
    Pair pair     = Pair(0u, uint[3](0u, 0u, 0u));
    for (uint i = 0u; i < 9u; i++)
        local[i] = i;
    for (uint i = 0u; i < 6u; i++)
        grid[i / 3u][i % 3u] = history[i] = i;
    for (uint i = 0u; i < 3u; i++)
        parts[i] = 0.0;
    for (uint i = me; i < 24u; i += gl_WorkGroupSize.x)
        tile[i] = i;
    for (uint i = me; i < 5u; i += gl_WorkGroupSize.x)
        couples[i] = Pair(i, uint[3](i, i, i));
    barrier();
    for (int round = 0; round < 3; round++) {
        ACCESS
        barrier();
        sum += tile[(me + uint(round)) % 24u];
        barrier();
    }
    barrier();
    for (uint i = 0u; i < 9u; i++)
        sum += local[i];
    for (uint i = 0u; i < 6u; i++)
        sum += grid[i / 3u][i % 3u] + history[i];
    fraction += parts[0] + parts[1] + parts[2] + dot(matrix[0], vec3(1.0)) + dot(matrix[1], vec3(1.0));
    result[id] = sum + vector.x + vector.w + pair.head + pair.tail[2] + uint(fraction);
}
