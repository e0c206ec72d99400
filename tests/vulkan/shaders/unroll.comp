#version 450
#extension GL_EXT_control_flow_attributes : require
// tests/vulkan/unroll.c counts an operation that only one of the loops has.
layout(local_size_x = 32) in;
layout(push_constant) uniform Arguments { uint n; int m; float a; };
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
void main()
{
    uint v = gl_GlobalInvocationID.x, w = v;
    float f = a;
    for (uint i = 0u; i < n; i++) // bitfieldReverse: computes only
        v = bitfieldReverse(v) + i;
    for (int i = m; i <= 100 + m; i += 2) // bitCount: loads
        v += uint(bitCount(from[v % 64u] ^ uint(i)));
    for (uint i = 0u; i < 40u; i++) // bitfieldExtract: the driver knows the count
        v = bitfieldExtract(v, 2, 20) + i * from[i];
    for (uint i = 0u; i < n; i++) // >> of an int: may leave
        if ((w = uint(int(w) >> 1)) == 3u)
            break;
    [[dont_unroll]] for (uint i = 0u; i < n; i++) // /: told not to
        w = w / 3u + i;
    for (uint i = 0u; i < n; i++) // f * f: the loop inside
        for (uint j = i; j < n; j++)
            f = f * f;
    for (uint i = n; i != 0u; i >>= 1) // ~: does not count
        w = ~w;
    to[gl_GlobalInvocationID.x] = v + w + uint(f);
}
