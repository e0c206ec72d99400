// Vectors in buffers and in shared memory, which CUDA reads as a whole.
//! in 0 f32 4096
//! in 1 f32 4096
//! out 2 f32 4096
//! push u32 32
//! groups 1 16 1
#version 450
layout(local_size_x = 32, local_size_y = 2) in;
layout(std430, binding = 0) readonly restrict buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly restrict buffer B { vec2 b[]; };
layout(std430, binding = 2) restrict buffer C { vec4 c[]; };
layout(push_constant) uniform Push { uint width; };
shared vec4 tile[2][32];
shared vec2 pairs[64];

void main()
{
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint i = gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x;
    tile[y][x] = a[i];
    pairs[y * 32u + x] = b[2u * i] + b[2u * i + 1u];
    barrier();
    c[i] = tile[1u - y][31u - x] + vec4(pairs[63u - (y * 32u + x)], 1.0, 2.0);
}
