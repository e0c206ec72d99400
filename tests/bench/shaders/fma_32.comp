#version 450
#extension GL_EXT_control_flow_attributes : require
/* 32 fused multiply-adds, one after the other. */
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer X { float x[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float v = x[i];
    [[unroll]] for (int j = 0; j < 32; j++)
        v = fma(v, 0.9990234375, 0.0009765625);
    x[i] = v;
}
