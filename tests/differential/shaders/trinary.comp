// The least, the greatest and the middle of three (AMD_shader_trinary_minmax), of scalars and vectors.
//! in 0 3f32,3i32,3u32 96 range 0 9
//! out 1 3f32,3i32,3u32 96
//! out 2 4f32 96
//! groups 3 1 1
#version 450
#extension GL_AMD_shader_trinary_minmax : require
layout(local_size_x = 32) in;

struct Three {
    float f[3];
    int i[3];
    uint u[3];
};

layout(std430, binding = 0) readonly buffer Values { Three values[]; };
layout(std430, binding = 1) writeonly buffer Results { Three results[]; };
layout(std430, binding = 2) writeonly buffer Vectors { vec4 vectors[]; };

void main()
{
    uint at = gl_GlobalInvocationID.x;
    float a = values[at].f[0] - 4.0, b = values[at].f[1] - 5.0, c = values[at].f[2] - 4.5;
    int i = values[at].i[0] - 4, j = values[at].i[1] - 5, k = values[at].i[2] - 4;
    uint x = values[at].u[0] - 4u, y = values[at].u[1], z = values[at].u[2];

    results[at].f[0] = min3(a, b, c);
    results[at].f[1] = mid3(a, b, c);
    results[at].f[2] = max3(a, b, c);
    results[at].i[0] = min3(i, j, k);
    results[at].i[1] = mid3(i, j, k);
    results[at].i[2] = max3(i, j, k);
    results[at].u[0] = min3(x, y, z);
    results[at].u[1] = mid3(x, y, z);
    results[at].u[2] = max3(x, y, z);
    vec4 one = vec4(a, b, c, 0.0), other = vec4(b, c, a, 1.0), last = vec4(c, a, b, abs(a));
    vectors[at] = mid3(one, other, last) + max3(one, other, last) * 16.0 + min3(one, other, last) * 256.0;
}
