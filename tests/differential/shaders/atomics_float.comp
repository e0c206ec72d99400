// Atomic sums of floats: of numbers whose sums are exact in any order.
//! in 0 f32 1024 range -8 8
//! inout 1 f32 4 range 0 0
//! groups 16 1 1
#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer B { float b[]; };
shared float sum;

void main()
{
    float x = floor(a[gl_GlobalInvocationID.x] * 16.0) / 4.0;
    if (gl_LocalInvocationIndex == 0u)
        sum = 0.0;
    barrier();
    atomicAdd(sum, x);
    atomicAdd(b[0], x);
    atomicAdd(b[1u + gl_LocalInvocationIndex % 2u], abs(x));
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        atomicAdd(b[3], sum);
}
