#version 450
/* Loops between loads and stores that all items run equally often: threads may run several items. In place;
 * buffers of other widths; the last items are few. */
layout(local_size_x = 64) in;
//! in 0 u32 1023
//! inout 1 f32 1023 range -2 2 ulp 0
//! in 2 2u32 1023
//! out 3 u32 1023
//! groups 16 1 1
//! push u32 1019 u32 5 i32 -3 f32 0.75
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(binding = 2) readonly buffer Z { uvec2 z[]; };
layout(binding = 3) writeonly buffer W { uint w[]; };
layout(push_constant) uniform Arguments { uint count; uint rounds; int low; float a; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    uint v = x[i], p = z[i].x, q = z[i].y;
    precise float sum = y[i];
    for (uint r = 0u; r < rounds; r++) {
        sum = sum * a + 0.5;
        for (int k = low; k < int(r); k += 2) {
            uint swap = p;
            p = q + uint(k);
            q = swap;
            if ((p & 4u) != 0u)
                v += i;
        }
    }
    uint left = rounds * 3u;
    do {
        v = v * 5u + left;
        left /= 2u;
        if (left == 3u)
            break;
    } while (left != 0u);
    y[i] = sum + float(v & 7u);
    w[i] = v ^ p ^ (q << 1) ^ i;
}
