// Pack and unpack, all of them.
//! in 0 u32 256
//! in 1 f32 1024 range -1.5 1.5
//! out 2 u32 1280
//! out 3 f32 6144 abs 1e-6
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 5u, p = i * 24u;
    uint x = a[i];
    /* not near the middle between two: there implementations may go either way */
    vec4 v = (floor(b[i] * 100.0) + vec4(0.2)) / 127.0;
    vec4 w = (floor(abs(b[i]) * 200.0) + vec4(0.2)) / 255.0;
    c[o + 0u] = packSnorm4x8(v);
    c[o + 1u] = packUnorm4x8(w);
    c[o + 2u] = packSnorm2x16((floor(b[i].xy * 30000.0) + vec2(0.2)) / 32767.0);
    c[o + 3u] = packUnorm2x16((floor(abs(b[i].zw) * 60000.0) + vec2(0.2)) / 65535.0);
    c[o + 4u] = packHalf2x16(floor(b[i].xy * 512.0) / 256.0);
    vec4 s = unpackSnorm4x8(x), u = unpackUnorm4x8(x);
    vec2 t = unpackSnorm2x16(x), r = unpackUnorm2x16(x), h = unpackHalf2x16(x & 0x3fff3fffu);
    for (uint k = 0u; k < 4u; k++) {
        d[p + k] = s[k];
        d[p + 4u + k] = u[k];
        d[p + 14u + k] = unpackSnorm4x8(packSnorm4x8(v))[k];
        d[p + 18u + k] = v[k];
    }
    for (uint k = 0u; k < 2u; k++) {
        d[p + 8u + k] = t[k];
        d[p + 10u + k] = r[k];
        d[p + 12u + k] = h[k];
        d[p + 22u + k] = unpackHalf2x16(packHalf2x16(floor(b[i].zw * 99.0) * 0.25))[k];
    }
}
