#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
#define FUNCTION
#include "flow_functions.h"
void main()
{
    uint i = gl_GlobalInvocationID.x;
    y[i] = all_flow(x[i]);
}
