#version 450
// All that an item may know of where it is.
layout(local_size_x = 5, local_size_y = 2, local_size_z = 3) in;
layout(set = 0, binding = 0) writeonly buffer Place { uint place[]; };
void main()
{
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 at = gl_WorkGroupID * gl_WorkGroupSize + gl_LocalInvocationID;
    uint i = at.x + size.x * (at.y + size.y * at.z);
    place[i * 4u] = gl_LocalInvocationIndex;
    place[i * 4u + 1u] = gl_GlobalInvocationID.x + 1000u * gl_GlobalInvocationID.y + 1000000u * gl_GlobalInvocationID.z;
    place[i * 4u + 2u] = gl_WorkGroupID.x + 1000u * gl_WorkGroupID.y + 1000000u * gl_WorkGroupID.z;
    place[i * 4u + 3u] = gl_NumWorkGroups.x + 1000u * gl_NumWorkGroups.y + 1000000u * gl_NumWorkGroups.z;
}
