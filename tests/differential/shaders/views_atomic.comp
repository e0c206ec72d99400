// Atomics through one view, and plain reads of the result through another one behind a barrier; a uniform guard.
//! inout 0 i32 8 index 0 1
//! out 1 u32 64
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer C { int c[]; };
layout(std430, binding = 0) buffer CV { ivec2 cv[]; };
layout(std430, binding = 1) buffer O { uint o[]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    atomicAdd(c[2], 3);
    atomicMax(c[3], int(i));
    memoryBarrierBuffer();
    barrier();
    ivec2 both = cv[1];
    uint sum = 0u;
    if (cv[1].x > 100)
        sum += uint(both.y);
    memoryBarrierBuffer();
    barrier();
    if (i == 0u)
        c[2] = 0;
    memoryBarrierBuffer();
    barrier();
    o[i] = sum + uint(cv[1].x + both.x);
}
