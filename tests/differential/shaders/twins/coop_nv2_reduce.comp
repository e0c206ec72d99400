/* The same with scalars. */
#version 450
layout(local_size_x = 40) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
void main()
{
    uint t = gl_LocalInvocationIndex;
    for (uint i = t; i < 256u; i += 40u) {
        float x = a[i / 8u * 48u];
        for (uint k = 1u; k < 48u; k++)
            x = max(x, a[i / 8u * 48u + k]);
        b[i] = x;
    }
    for (uint i = t; i < 1152u; i += 40u) {
        float x = 0.0;
        for (uint k = 0u; k < 32u; k++)
            x += a[k * 48u + i % 48u];
        b[256u + i] = x;
    }
    for (uint i = t; i < 384u; i += 40u) {
        uint at     = i / 24u * 96u + i % 24u * 2u;
        b[1408u + i] = a[at] + a[at + 1u] + a[at + 48u] + a[at + 49u];
    }
    float most = a[0];
    for (uint k = 1u; k < 1536u; k++)
        most = max(most, a[k]);
    for (uint i = t; i < 32u; i += 40u)
        b[1792u + i] = most;
}
