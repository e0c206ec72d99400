// bool, and vectors of it.
//! in 0 i32 1024 range -3 3
//! in 1 i32 1024 range -3 3
//! out 2 u32 2560
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { ivec4 a[]; };
layout(std430, binding = 1) readonly buffer B { ivec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

struct flags {
    bool one;
    bvec3 three;
    bool many[4];
};

bvec4 both(bvec4 x, bvec4 y)
{
    return bvec4(x.x && y.x, x.y || y.y, x.z ^^ y.z, !x.w == y.w);
}

uint number(bvec4 v)
{
    return uint(v.x) | uint(v.y) << 1 | uint(v.z) << 2 | uint(v.w) << 3;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 10u;
    ivec4 x = a[i], y = b[i];
    bvec4 less = lessThan(x, y), same = equal(x, y), other = notEqual(x, y);
    c[o + 0u] = number(less) | number(same) << 4 | number(other) << 8;
    c[o + 1u] = number(both(less, same));
    c[o + 2u] = uint(any(less)) + 2u * uint(all(other)) + 4u * uint(any(not(same)));
    flags f;
    f.one = x.x > y.x;
    f.three = greaterThan(x.yzw, y.yzw);
    for (int k = 0; k < 4; k++)
        f.many[k] = x[k] != y[3 - k];
    c[o + 3u] = uint(f.one) + uint(all(f.three)) * 2u + uint(f.many[i % 4u]) * 4u;
    flags g = f;
    g.one = !g.one;
    c[o + 4u] = uint(f == g) + uint(f != g) * 2u;
    g.one = f.one;
    c[o + 5u] = uint(f == g);
    bool t = x.x == 0 ? y.x < 0 : y.x >= 0;
    c[o + 6u] = uint(t) + uint(bool(x.y)) * 2u + uint(bool(float(y.z))) * 4u;
    bvec2 p = bvec2(t, !t);
    p = mix(p, p.yx, bvec2(x.x < 0, x.y < 0));
    c[o + 7u] = uint(p.x) + uint(p.y) * 2u;
    c[o + 8u] = uint(p == bvec2(true)) + uint(equal(p, bvec2(true, false)).x) * 2u + uint(x == y) * 4u + uint(x != y) * 8u;
    c[o + 9u] = uint(int(t) + int(float(t) * 4.0)) + uint(dot(vec4(less), vec4(1, 2, 4, 8)));
}
