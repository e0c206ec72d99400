// The lengths of runtime arrays behind other members and of structs.
//! in 0 u32 103
//! in 1 f32 99
//! inout 2 u32 64
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint head[3]; uint rest[]; } a;
struct three { vec2 x; float y; };
layout(std430, binding = 1) readonly buffer B { float one; three many[]; } b;
layout(std430, binding = 2) buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(c.length()))
        return;
    c[i] += uint(a.rest.length()) * 1000u + uint(b.many.length());
    if (i < uint(a.rest.length()))
        c[i] += a.rest[i] + a.head[i % 3u];
    if (i < uint(b.many.length()))
        c[i] += floatBitsToUint(b.many[i].y);
}
