#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
/* The softmax of each row. A group has a row, whose subgroups are a power of two in number. */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Parameters {
    uint columns;
    float scale;
};

shared float part[256];

void main()
{
    uint t = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * columns;

    float most = -3.4e38;
    for (uint c = t; c < columns; c += 256)
        most = max(most, x[row + c] * scale);
    most = subgroupMax(most);
    if (subgroupElect())
        part[gl_SubgroupID] = most;
    barrier();
    for (uint k = gl_NumSubgroups / 2; k > 0; k >>= 1) {
        if (t < k)
            part[t] = max(part[t], part[t + k]);
        barrier();
    }
    most = part[0];
    barrier();

    float sum = 0.0;
    for (uint c = t; c < columns; c += 256) {
        float e = exp(x[row + c] * scale - most);
        y[row + c] = e;
        sum += e;
    }
    sum = subgroupAdd(sum);
    if (subgroupElect())
        part[gl_SubgroupID] = sum;
    barrier();
    for (uint k = gl_NumSubgroups / 2; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k];
        barrier();
    }
    float factor = 1.0 / part[0];
    for (uint c = t; c < columns; c += 256)
        y[row + c] *= factor;
}
