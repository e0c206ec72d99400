#version 450
#extension GL_EXT_shader_16bit_storage : require
/* y = W x, where W has 4 bits a weight: blocks of 32 weights with a scale of 16 bits. A group has a row. */
layout(local_size_x = 64) in;

struct Block {
    float16_t scale;
    uint16_t quads[8]; /* weights 2i and 2i + 1 in the low halves of the bytes, 16 further in the high ones */
};

layout(std430, set = 0, binding = 0) readonly buffer W { Block w[]; };
layout(std430, set = 0, binding = 1) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Parameters { uint columns; };

shared float sums[64];

void main()
{
    uint row = gl_WorkGroupID.x, t = gl_LocalInvocationID.x, blocks = columns / 32;
    float sum = 0.0;

    for (uint b = t; b < blocks; b += 64) {
        uint at = row * blocks + b;
        float part = 0.0;
        for (uint i = 0; i < 8; i++) {
            uint q = uint(w[at].quads[i]), c = b * 32 + 2 * i;
            part += (float(q & 15) - 8.0) * x[c] + (float(q >> 8 & 15) - 8.0) * x[c + 1] +
                    (float(q >> 4 & 15) - 8.0) * x[c + 16] + (float(q >> 12) - 8.0) * x[c + 17];
        }
        sum += float(w[at].scale) * part;
    }
    sums[t] = sum;
    barrier();
    for (uint k = 32; k > 0; k >>= 1) {
        if (t < k)
            sums[t] += sums[t + k];
        barrier();
    }
    if (t == 0)
        y[row] = sums[0];
}
