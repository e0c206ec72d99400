// Matrices with rows first and with columns first, of shapes that need padding.
//! inout 0 f32 1536
//! inout 1 f32 1024
//! groups 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, row_major, binding = 0) buffer R { mat3x2 rows[]; };
layout(std430, column_major, binding = 1) buffer C { mat2x3 columns[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    mat3x2 m = rows[i];
    columns[i] = transpose(m);
    columns[i][1].z = m[i % 3u].y;
    rows[i][2] = m[0];
    rows[i][i % 3u][i % 2u] = 4.0;
}
