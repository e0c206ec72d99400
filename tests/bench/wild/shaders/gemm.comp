#version 450
/* C = A B by tiles of 16 x 16 in shared memory; m x k times k x n, of any size. */
layout(local_size_x = 16, local_size_y = 16) in;

layout(std430, set = 0, binding = 0) readonly buffer A { float a[]; };
layout(std430, set = 0, binding = 1) readonly buffer B { float b[]; };
layout(std430, set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Parameters {
    uint m;
    uint n;
    uint k;
};

shared float ta[16][16], tb[16][16];

void main()
{
    uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y;
    uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float sum = 0.0;

    for (uint begin = 0; begin < k; begin += 16) {
        ta[ty][tx] = row < m && begin + tx < k ? a[row * k + begin + tx] : 0.0;
        tb[ty][tx] = begin + ty < k && column < n ? b[(begin + ty) * n + column] : 0.0;
        barrier();
        for (uint i = 0; i < 16; i++)
            sum += ta[ty][i] * tb[i][tx];
        barrier();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
