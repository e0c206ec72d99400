#version 450
// Vectors, arrays and structs taken apart and put together, with indices that are known and that are not.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { uvec4 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };

struct Inner { uvec3 v; uint s; bool b; };
struct Outer { Inner inner[2]; uvec2 w; float f; };

const uint table[8] = uint[](3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u);
const uvec2 pairs[3] = uvec2[](uvec2(1, 2), uvec2(3, 4), uvec2(5, 6));

shared uint group[64];

Outer change(Outer o, uint by)
{
    o.inner[by & 1u].v.y += by;
    o.inner[1].s ^= by;
    o.inner[0].b = !o.inner[0].b;
    o.w = o.w.yx;
    return o;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uvec4 a = operands[i];
    uint at = 16u * i, k = a.x & 3u;

    results[at + 0u] = a[k];
    uvec4 b = a.wzyx;
    b[k] = 77u;
    results[at + 1u] = b.x + 3u * b.y + 5u * b.z + 7u * b.w;
    b.xz = a.yw;
    results[at + 2u] = b.x ^ b.y << 1 ^ b.z << 2 ^ b.w << 3;
    results[at + 3u] = table[a.y & 7u];
    results[at + 4u] = pairs[a.z % 3u].y + pairs[a.z % 3u][k & 1u];
    uint local[5];
    for (uint n = 0u; n < 5u; n++)
        local[n] = a[n & 3u] * n;
    local[k] += 1000u;
    results[at + 5u] = local[0] + local[1] + local[2] + local[3] + local[a.w % 5u];
    Outer o = Outer(Inner[2](Inner(a.xyz, a.w, a.x > a.y), Inner(a.yzw, a.x, false)), a.xy, 1.5);
    Outer p = change(change(o, k), a.y);
    results[at + 6u] = p.inner[0].v.x + 3u * p.inner[0].v.y + 5u * p.inner[1].v.y + 7u * p.inner[1].s;
    results[at + 7u] = p.w.x + 3u * p.w.y + uint(p.f * 2.0) + (p.inner[0].b ? 100u : 200u) + (p.inner[1].b ? 1u : 2u);
    results[at + 8u] = p.inner[k & 1u].v[a.z % 3u];
    bvec4 less = lessThan(a, a.yzwx);
    results[at + 9u] = uint(any(less)) | uint(all(not(less))) << 1 | uint(less[k]) << 2 | uint(less == bvec4(true)) << 3;
    uvec4 chosen = mix(a, b, less);
    results[at + 10u] = chosen.x + 3u * chosen.y + 5u * chosen.z + 7u * chosen.w;
    mat3x2 m = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    m[k % 3u][1] = float(a.x & 255u);
    m[1] = vec2(9.0, 8.0);
    results[at + 11u] = uint(m[0].x + 2.0 * m[0].y + 4.0 * m[1].x + 8.0 * m[1].y + 16.0 * m[2].x + 32.0 * m[2].y);
    group[gl_LocalInvocationIndex] = a.x;
    barrier();
    results[at + 12u] = group[63u - gl_LocalInvocationIndex];
    Outer many[3] = Outer[](o, p, o);
    many[k % 3u].w.x = 5u;
    results[at + 13u] = many[0].w.x + 3u * many[1].w.x + 5u * many[2].w.x;
    results[at + 14u] = uint(o == p) + 2u * uint(local == uint[5](0u, 0u, 0u, 0u, 0u));
    results[at + 15u] = gl_WorkGroupSize[k % 3u] + gl_LocalInvocationID[k % 3u];
}
