// All built-in inputs, in three dimensions.
//! out 0 u32 11520
//! groups 3 2 4
#version 450
layout(local_size_x = 5, local_size_y = 3, local_size_z = 2) in;
layout(std430, binding = 0) writeonly buffer C { uint c[]; };

void main()
{
    uvec3 extent = gl_NumWorkGroups * gl_WorkGroupSize;
    uint i = gl_GlobalInvocationID.x + extent.x * (gl_GlobalInvocationID.y + extent.y * gl_GlobalInvocationID.z);
    uint o = i * 16u;
    for (uint k = 0u; k < 3u; k++) {
        c[o + k] = gl_GlobalInvocationID[k];
        c[o + 3u + k] = gl_LocalInvocationID[k];
        c[o + 6u + k] = gl_WorkGroupID[k];
        c[o + 9u + k] = gl_NumWorkGroups[k];
        c[o + 12u + k] = gl_WorkGroupSize[k];
    }
    c[o + 15u] = gl_LocalInvocationIndex;
}
