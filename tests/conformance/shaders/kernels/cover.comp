#version 450
// Counts each group in counts[group], and any disagreement about the grid in counts[groups].
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Counts { uint values[]; } counts;
layout(push_constant) uniform Arguments { uint x, y, z; };

void main()
{
    uint all   = x * y * z;
    uint group = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (gl_NumWorkGroups != uvec3(x, y, z))
        atomicAdd(counts.values[all], 1);
    atomicAdd(counts.values[min(group, all)], 1);
}
