#version 450
#extension GL_EXT_control_flow_attributes : require
/* Hints before loops whose condition is none that C's loops have in their head. */
layout(local_size_x = 32) in;
//! in 0 f32 1024 range -4 4
//! out 1 f32 64 ulp 4
//! out 2 u32 64
//! groups 2 1 1
//! push u32 9 u32 4
struct Shape { uint count; uint size[4]; };
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Z { uint z[]; };
layout(push_constant) uniform Arguments { uint count; uint steps; };

uint count_of(Shape shape)
{
    return shape.count;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, k = 0u, n = i;
    float sum = 0.0;
    Shape shape = Shape(steps, uint[](1u, 2u, 3u, i));
    [[unroll]] for (int j = 0; uint(j) < count; j++)
        sum += x[uint(j) * 64u + i];
    [[unroll]] for (uint j = 0u; j < count_of(shape); j++)
        n += shape.size[j];
    [[dont_unroll]] do {
        n = n * 3u + k;
        k++;
    } while (n < 1000000u && k < steps * 2u);
    [[unroll]] while (true) {
        n ^= n >> 3;
        if (++k > 12u)
            break;
    }
    [[dont_unroll]] for (;; k++) {
        if ((k & 1u) != 0u)
            continue;
        n += k;
        if (k > 20u)
            break;
    }
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
        if (i >= 60u && j == 2u)
            break;
        n += j * shape.size[j];
    }
    y[i] = sum;
    z[i] = n;
}
