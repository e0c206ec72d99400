#version 450
// A loop between barriers that work-items run side by side, as in a product of matrices.
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(push_constant) uniform Arguments { int from; int to; int shift; };

shared float tile[64];

void main()
{
    uint id = gl_GlobalInvocationID.x, me = gl_LocalInvocationID.x;
    float sums[4];
    for (int i = 0; i < 4; i++)
        sums[i] = 0.0;
    for (uint i = me; i < 64u; i += gl_WorkGroupSize.x)
        tile[i] = float(i);
    barrier();
    for (int k = from; k < to; k++) {
        float value = tile[k];
        for (int i = 0; i < 4; i++)
            sums[i + shift] += value * tile[i];
    }
    barrier();
    result[id] = sums[0] + sums[1] + sums[2] + sums[3];
}
