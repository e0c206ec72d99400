// One buffer seen as several types, which one argument fills: read as float, vec4, uint and struct.
//! in 0 f32 256 range -4 4
//! inout 1 u32 64
//! out 2 f32 64
//! groups 2 1 1
#version 450
layout(local_size_x = 32) in;
struct pair { vec2 a; uvec2 b; };
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 0) readonly buffer A4 { vec4 a4[]; };
layout(std430, binding = 0) readonly buffer AU { uint au[]; };
layout(std430, binding = 0) readonly buffer AS { uint head[4]; pair rest[]; } s;
layout(std430, binding = 1) buffer U { uint u[]; };
layout(std430, binding = 2) writeonly buffer Y { float y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint k = i % uint(s.rest.length());
    y[i] = a[i] + dot(a4[i], vec4(1.0, 0.5, 0.25, 2.0)) + s.rest[k].a.y;
    u[i] ^= au[i] + au[4u * i] + s.rest[k].b.x + s.head[i & 3u] + uint(a4.length()) * 1000u + uint(a.length());
}
