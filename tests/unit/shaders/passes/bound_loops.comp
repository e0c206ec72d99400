#version 450
// Loops whose heads compare a number ahead of their counter; those behind the first two stay as they are.
layout(local_size_x = 4) in;
layout(push_constant) uniform Arguments { uint n; int m; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main()
{
    uint sum = data[0], i = 0u;
    for (; i + 4u <= n; i += 4u)
        sum = sum * 5u;
    for (int k = 1; k <= m; k++)
        sum = sum + 7u;
    for (uint k = 0u; k + 3u < n; k += 3u) // no power of two
        sum = sum * 3u;
    for (uint k = 0u; k + 2u < n; k += 2u) // another way out
        if ((sum += 9u) == 0u)
            break;
    for (uint k = sum; k + 2u < n; k += 2u) // may begin where the comparison wraps around
        sum = sum * 11u;
    data[0] = sum + i;
}
