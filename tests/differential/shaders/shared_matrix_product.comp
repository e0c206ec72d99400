// The product of two matrices by tiles.
//! in 0 f32 2304
//! in 1 f32 2304
//! out 2 f32 2304 rel 1e-5 abs 1e-5
//! push u32 48
//! groups 3 3 1
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; };
shared float left[16][16], right[16][16];

void main()
{
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float sum = 0.0;
    for (uint tile = 0u; tile < n; tile += 16u) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier();
        for (uint k = 0u; k < 16u; k++)
            sum += left[y][k] * right[k][x];
        barrier();
    }
    c[row * n + column] = sum;
}
