// Matrices and functions of double.
//! in 0 f64 576 range -2 2
//! out 1 f64 1536 rel 1e-12 abs 1e-12
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { double a[]; };
layout(std430, binding = 1) writeonly buffer C { double c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint p = i * 9u, o = i * 24u;
    dmat3 m = dmat3(a[p], a[p + 1u], a[p + 2u], a[p + 3u], a[p + 4u], a[p + 5u], a[p + 6u], a[p + 7u], a[p + 8u]);
    dmat3 n = m + dmat3(5.0LF);
    dmat3 product = m * transpose(n), inverted = inverse(n);
    for (uint k = 0u; k < 9u; k++)
        c[o + k] = product[k / 3u][k % 3u];
    for (uint k = 0u; k < 9u; k++)
        c[o + 9u + k] = inverted[k / 3u][k % 3u];
    c[o + 18u] = determinant(n);
    c[o + 19u] = dot(m[0], m[1]);
    c[o + 20u] = length(m[2]);
    c[o + 21u] = normalize(n[0]).x;
    c[o + 22u] = cross(m[0], m[1]).z + fma(a[p], a[p + 1u], a[p + 2u]);
    c[o + 23u] = sqrt(abs(a[p])) + inversesqrt(abs(a[p + 1u]) + 1.0LF) + ldexp(a[p], 3);
}
