#version 450
// c = a b, of any size, by tiles of 16 x 16.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Arguments { uint rows; uint columns; uint depth; };
shared float tile_a[16][16];
shared float tile_b[16][16];
void main()
{
    uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y;
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    float sum = 0.0;
    for (uint k = 0u; k < depth; k += 16u) {
        tile_a[ly][lx] = y < rows && k + lx < depth ? a[y * depth + k + lx] : 0.0;
        tile_b[ly][lx] = x < columns && k + ly < depth ? b[(k + ly) * columns + x] : 0.0;
        barrier();
        for (uint i = 0u; i < 16u; i++)
            sum += tile_a[ly][i] * tile_b[i][lx];
        barrier();
    }
    if (x < columns && y < rows)
        c[y * columns + x] = sum;
}
