#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Work-item i reads buffer i % count of as many as the launch gives.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer From { uint x[]; } from[];
layout(std430, binding = 1) buffer To { uint y[]; };
layout(push_constant) uniform Push { uint count; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i] = from[nonuniformEXT(i % count)].x[i];
}
