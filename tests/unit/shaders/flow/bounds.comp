#version 450
// Reads where `from` says and writes where `to` says.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform Arguments { uint from; uint to; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    y[i + to] = x[i + from] + 1u;
}
