#version 450
// More arguments than a launch holds without an allocation.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
layout(push_constant) uniform Arguments {
    uint a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19;
};

void main()
{
    uint all[20] = uint[](a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19);
    for (uint i = 0; i < 20; i++)
        result[i] = all[i];
}
