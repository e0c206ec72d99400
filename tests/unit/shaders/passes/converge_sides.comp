#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// Work-items take both sides.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Arguments { uint n; };

void main()
{
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> matrix = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
    uint x = data[gl_LocalInvocationID.x];
    if (x > 9u)
        x = subgroupMin(x);
    else
        x = subgroupMax(x);
    data[gl_LocalInvocationID.x] = x;
}
