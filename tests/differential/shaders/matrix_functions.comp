// Determinants and inverses.
//! in 0 f32 1024 range -1 1
//! out 1 f32 2048 abs 1e-3 rel 1e-3
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { mat4 a[]; };
layout(std430, binding = 1) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    /* far from singular */
    mat4 m4 = a[i] + mat4(4.0);
    mat3 m3 = mat3(m4);
    mat2 m2 = mat2(m4);
    uint o = i * 32u;
    c[o + 0u] = determinant(m2);
    c[o + 1u] = determinant(m3);
    c[o + 2u] = determinant(m4);
    mat2 i2 = inverse(m2);
    mat3 i3 = inverse(m3);
    mat4 i4 = inverse(m4);
    for (uint k = 0u; k < 4u; k++)
        c[o + 3u + k] = i2[k / 2u][k % 2u];
    for (uint k = 0u; k < 9u; k++)
        c[o + 7u + k] = i3[k / 3u][k % 3u];
    for (uint k = 0u; k < 16u; k++)
        c[o + 16u + k] = (i4 * m4)[k / 4u][k % 4u] + i4[k % 4u][k / 4u];
}
