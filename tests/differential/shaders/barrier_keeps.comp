// What has to be kept for each work-item over a barrier: scalars, vectors, matrices, arrays, structs, bools.
//! in 0 f32 1024 range -2 2
//! out 1 f32 1024 rel 1e-4 abs 1e-4
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) writeonly buffer C { vec4 c[]; };
shared vec4 tile[64];

struct kept {
    vec3 v;
    float list[3];
    bool flag;
};
float global_sum = 1.0;
int global_list[4];

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    vec4 x = a[i];
    mat2 m = mat2(x.xy, x.zw);
    float list[5];
    for (uint k = 0u; k < 5u; k++)
        list[k] = x[k % 4u] * float(k);
    kept s = kept(x.zyx, float[3](1.0, x.x, 3.0), x.w > 0.0);
    bvec2 signs = greaterThan(x.xy, vec2(0));
    float same = float(gl_WorkGroupID.x) * 2.0;
    global_sum += x.y;
    global_list[local % 4u] = int(local);
    tile[local] = x;
    barrier();
    x = tile[(local + 1u) % 64u];
    list[local % 5u] += x.y;
    m = m * mat2(x.xy, x.zw);
    s.v += x.xyz;
    global_sum += x.z;
    barrier();
    tile[local] = vec4(m[0], list[(local + 2u) % 5u], s.flag ? 1.0 : 0.0);
    s.list[local % 3u] = -1.0;
    barrier();
    vec4 y = tile[63u - local];
    c[i] = vec4(y.x + s.v.x + same, y.y + m[1].y + s.list[1], y.z + list[local % 5u] + global_sum,
                y.w + float(signs.x) * 2.0 + float(signs.y) * 4.0 + float(global_list[local % 4u]));
}
