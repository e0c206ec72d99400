// A game of life on a torus, with a border in shared memory that groups load together.
//! in 0 u8 4096 range 0 1
//! out 1 u8 4096
//! groups 8 8 1
#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { uint8_t a[]; };
layout(std430, binding = 1) writeonly buffer C { uint8_t c[]; };
shared uint tile[10][10];

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), local = ivec2(gl_LocalInvocationID.xy);
    ivec2 corner = ivec2(gl_WorkGroupID.xy * 8u) - 1;
    for (uint k = gl_LocalInvocationIndex; k < 100u; k += 64u) {
        ivec2 p = ivec2(k % 10u, k / 10u);
        ivec2 q = (corner + p + 64) % 64;
        tile[p.y][p.x] = uint(a[q.y * 64 + q.x]);
    }
    barrier();
    uint around = 0u;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            if (dx != 1 || dy != 1)
                around += tile[local.y + dy][local.x + dx];
    bool alive = around == 3u || (around == 2u && tile[local.y + 1][local.x + 1] != 0u);
    c[at.y * 64 + at.x] = uint8_t(alive ? 1 : 0);
}
