// Arrays of the function and of the work-item: initialized, indexed by what is only known at run time,
// two-dimensional.
//! in 0 u32 256
//! out 1 u32 1536
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };

const uint primes[] = uint[](2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u);
const vec2 corners[4] = vec2[4](vec2(0, 1), vec2(2, 3), vec2(4, 5), vec2(6, 7));
uint history[8];
uint grid[3][4];

struct box {
    uvec2 size;
    uint sides[2][3];
};

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 6u;
    uint x = a[i];
    uint local[8] = primes;
    for (uint k = 0u; k < 8u; k++) {
        uint at = (x >> k) & 7u;
        local[at] += k;
        history[k] = local[7u - at];
    }
    c[o + 0u] = local[x & 7u] + history[(x >> 3) & 7u] * 1000u;
    for (uint r = 0u; r < 3u; r++)
        for (uint k = 0u; k < 4u; k++)
            grid[r][k] = r * 10u + k + x;
    grid[x % 3u] = grid[(x + 1u) % 3u];
    c[o + 1u] = grid[x % 3u][x % 4u] - grid[2][3];
    uint copy[3][4] = grid;
    copy[1][2] = 5u;
    c[o + 2u] = copy[1][x % 4u] + uint(copy == grid);
    box boxes[2];
    boxes[0] = box(uvec2(x, 1u), uint[2][3](uint[3](1u, 2u, 3u), uint[3](4u, 5u, x)));
    boxes[1] = boxes[0];
    boxes[x & 1u].sides[x % 2u][x % 3u] = 9u;
    boxes[1].size[x & 1u] = 77u;
    c[o + 3u] = boxes[0].sides[1][x % 3u] + boxes[1].sides[0][1] * 10u + boxes[1].size.y;
    vec2 corner = corners[x % 4u];
    c[o + 4u] = uint(corner.x * 10.0 + corner.y);
    uvec4 v = uvec4(1u, 2u, 3u, 4u);
    v[x & 3u] = x;
    c[o + 5u] = v[(x >> 2) & 3u] + v.x;
}
