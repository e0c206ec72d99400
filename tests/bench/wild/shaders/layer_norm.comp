#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
/* Each row minus its mean, over its deviation, times a gain, plus a bias. A group has a row. */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) readonly buffer Gain { float gain[]; };
layout(std430, set = 0, binding = 2) readonly buffer Bias { float bias[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Parameters {
    uint columns;
    float epsilon;
};

shared float part[256];

/* Sums within each subgroup, then over the subgroups, whose number is a power of two. */
float total(uint t, float own)
{
    own = subgroupAdd(own);
    if (subgroupElect())
        part[gl_SubgroupID] = own;
    barrier();
    for (uint k = gl_NumSubgroups / 2; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k];
        barrier();
    }
    float sum = part[0];
    barrier();
    return sum;
}

void main()
{
    uint t = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * columns;

    float sum = 0.0;
    for (uint c = t; c < columns; c += 256)
        sum += x[row + c];
    float mean = total(t, sum) / float(columns);

    float squares = 0.0;
    for (uint c = t; c < columns; c += 256) {
        float d = x[row + c] - mean;
        squares += d * d;
    }
    float factor = inversesqrt(total(t, squares) / float(columns) + epsilon);

    for (uint c = t; c < columns; c += 256)
        y[row + c] = (x[row + c] - mean) * factor * gain[c] + bias[c];
}
