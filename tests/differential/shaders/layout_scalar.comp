// The scalar layout: nothing is padded.
//! in 0 f32,3f32,2f32,u32,9f32,3f32 64 range 0 9
//! out 1 f32,3f32,2f32,u32,9f32,3f32 64
//! groups 1 1 1
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;

struct record {
    float a;
    vec3 b;
    vec2 c;
    uint d;
    mat3 e;
    vec3 f;
};

layout(scalar, binding = 0) readonly buffer A { record a[]; };
layout(scalar, binding = 1) writeonly buffer B { record b[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    record r = a[63u - i];
    r.b = r.b.zyx;
    r.d += i;
    r.e = transpose(r.e);
    b[i] = r;
    b[i].f.y = a[i].e[i % 3u][1];
    b[i].c = a[i].f.xz;
}
