// Whole structs, arrays and matrices from buffer to buffer, between layouts.
//! in 0 f32 512
//! uniform 1 f32 128
//! inout 2 f32 512
//! groups 8 1 1
#version 450
layout(local_size_x = 1) in;

struct part {
    mat2 matrix;
    float list[4];
    vec3 v;
    float w;
};

struct whole {
    part parts[4];
};

layout(std430, binding = 0) readonly buffer A { whole a[]; };
layout(std140, binding = 1) uniform U { part u[3]; };
layout(std430, binding = 2) buffer C { whole c[]; };

part pick(whole w, uint at)
{
    return w.parts[at];
}

void main()
{
    uint i = gl_WorkGroupID.x;
    c[i] = a[7u - i];
    c[i].parts[1] = u[i % 3u];
    c[i].parts[2].list = u[1].list;
    c[i].parts[3].matrix = a[i].parts[i % 4u].matrix;
    part p = pick(a[i], (i + 1u) % 4u);
    p.v = p.v.yxz;
    c[i].parts[i % 4u] = p;
    c[i].parts[0].list[i % 4u] = p.list[3u - i % 4u];
}
