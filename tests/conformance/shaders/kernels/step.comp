#version 450
// state = state * 31 + addend. In one group.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { uint value; } state;
layout(push_constant) uniform Arguments { uint addend; };

void main()
{
    if (gl_WorkGroupID == uvec3(0))
        state.value = state.value * 31 + addend;
}
