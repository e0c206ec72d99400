// Sums that live over barriers and change in a loop that each work-item leaves in two ways, after many inlined calls.
//! in 0 f32 64 range -2 2
//! inout 1 f32 64 rel 1e-4 abs 1e-4
//! groups 4 1 1
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer C { float c[]; };
shared float tile[64];

float twist(float x, float y)
{
    float z = x * y + 0.5;
    z = abs(z) > 1.0 ? z * 0.25 : z + x;
    return z - floor(z) * y;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    float x = a[i];
    x = twist(twist(twist(x, 0.5), twist(x, 0.75)), twist(twist(x, 0.125), twist(x, 0.625)));
    x = twist(twist(twist(x, 1.5), twist(x, 1.75)), twist(twist(x, 1.125), twist(x, 1.625)));
    tile[local] = x;
    barrier();
    float sum0 = 0.0, sum1 = 1.0;
    for (uint k = 0u; k < local; k++) {
        float y = tile[k];
        sum0 += y;
        sum1 = max(sum1, y);
        if (y > 1.75)
            break;
        sum0 += 0.25;
        sum1 -= y;
    }
    barrier();
    tile[local] = sum0;
    barrier();
    c[i] = tile[15u - local] + sum1;
    barrier();
    c[i] += sum0 - sum1;
}
