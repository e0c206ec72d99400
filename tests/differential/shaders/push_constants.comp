// Push constants of every shape.
//! push f32 1.5 u32 7 i32 -3 f32 0 1 2 3 4 0.5 0.25 u32 10 20 30 40 pad 0 0 0 0 0 0 0 0 f32 1 2 3 pad 0 0 0 0 f32 4 5 6 pad 0 0 0 0 f32 9 8
//! out 0 f32 1024 ulp 1
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer C { float c[]; };

struct pair {
    float one;
    float other;
};

layout(push_constant) uniform Push {
    float scale;        /* 0 */
    uint count;         /* 4 */
    int shift;          /* 8 */
    float gap;          /* 12 */
    vec4 color;         /* 16 */
    vec2 half_;         /* 32 */
    uint list[4];       /* 40 */
    mat2x3 matrix;      /* 64 */
    pair last;          /* 96 */
} push;

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 16u;
    c[o + 0u] = push.scale;
    c[o + 1u] = float(push.count);
    c[o + 2u] = float(push.shift);
    c[o + 3u] = push.color.z;
    c[o + 4u] = push.color[i % 4u];
    c[o + 5u] = push.half_.y;
    c[o + 6u] = float(push.list[i % 4u]);
    c[o + 7u] = push.matrix[i % 2u].z;
    c[o + 8u] = (push.matrix * vec2(1, 10)).y;
    c[o + 9u] = push.matrix[1][i % 3u];
    pair p = push.last;
    c[o + 10u] = p.one - p.other;
    c[o + 11u] = float(push.list[3]);
    vec4 color = push.color;
    color.xy += push.half_;
    c[o + 12u] = color.x + color.y;
    c[o + 13u] = push.gap;
    c[o + 14u] = float(push.list.length());
    c[o + 15u] = push.last.other;
}
