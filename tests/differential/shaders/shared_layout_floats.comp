// A shared block read as bits and as floats, with matrices by rows; another that only one function uses.
//! in 0 f32 128 range 1 2
//! out 1 f32 64
//! groups 2 1 1
#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer O { float o[]; };
struct pair { vec2 first; float second[2]; };
shared Floats { float f[64]; } floats;
shared Bits { uint b[64]; } bits;
shared Matrices { layout(row_major) mat4 m[4]; } matrices;
shared Pairs { pair p[16]; } pairs;

float take(uint l)
{
    pair both = pairs.p[l & 15u];
    return both.first.x + both.second[1] * 0.5;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    floats.f[l] = a[2u * i];
    floats.f[l + 32u] = a[2u * i + 1u];
    barrier();
    bits.b[l] ^= 0x00000100u;
    barrier();
    float sum = matrices.m[l & 3u][l / 4u & 3u][l / 16u] + take(l);
    mat4 whole = matrices.m[3u - (l & 3u)];
    barrier();
    if (l < 4u)
        matrices.m[l] = whole;
    barrier();
    o[i] = sum + floats.f[63u - l];
}
