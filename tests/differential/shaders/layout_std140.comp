// A uniform buffer by std140: padded arrays, matrices of both orders, nested structs.
//! uniform 0 f32 128 range -5 5
//! out 1 f32 2048 rel 1e-5 abs 1e-4
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;

struct inner {
    vec2 pair;
    float one;
    mat2x3 matrix;
};

layout(std140, binding = 0) uniform Block {
    float first;
    vec3 three;
    float behind;
    float list[3];
    layout(row_major) mat3x4 rows;
    mat3x2 columns;
    inner nested[2];
    vec4 last;
} block;
layout(std430, binding = 1) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 32u;
    uint two = i % 2u, three = i % 3u;
    c[o + 0u] = block.first;
    c[o + 1u] = block.three.y + block.three[three];
    c[o + 2u] = block.behind;
    c[o + 3u] = block.list[three];
    c[o + 4u] = block.list[1] * 2.0;
    vec4 product = block.rows * vec3(1, 2, 3);
    for (uint k = 0u; k < 4u; k++)
        c[o + 5u + k] = product[k];
    c[o + 9u] = block.rows[three][i % 4u];
    c[o + 10u] = block.rows[1].z;
    vec3 back = vec4(1, 0.5, 0.25, 0.125) * block.rows;
    c[o + 11u] = back.x + back.y * 10.0 + back.z * 100.0;
    vec2 narrow = block.columns * vec3(1, -1, 2);
    c[o + 12u] = narrow.x;
    c[o + 13u] = narrow.y;
    c[o + 14u] = block.columns[three][two];
    c[o + 15u] = block.nested[two].pair.y;
    c[o + 16u] = block.nested[two].one;
    vec3 wide = block.nested[1u - two].matrix * vec2(1, 2);
    c[o + 17u] = wide.x + wide.y;
    c[o + 18u] = wide.z;
    c[o + 19u] = block.nested[two].matrix[two][three];
    c[o + 20u] = block.last.w;
    inner copy = block.nested[two];
    c[o + 21u] = copy.pair.x + copy.one;
    c[o + 22u] = copy.matrix[1].z;
    mat3x4 whole = block.rows;
    c[o + 23u] = whole[2].w + transpose(whole)[3].x;
    for (uint k = 24u; k < 32u; k++)
        c[o + k] = float(k);
}
