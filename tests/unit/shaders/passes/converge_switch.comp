#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// Work-items take different cases.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Arguments { uint n; };

void main()
{
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> matrix = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
    uint x = data[gl_LocalInvocationID.x];
    switch (x) {
    case 1u:
        x = subgroupMin(x);
        break;
    case 2u:
        x = subgroupMax(x);
        break;
    }
    data[gl_LocalInvocationID.x] = x;
}
