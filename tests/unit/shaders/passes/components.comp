#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { vec4 x[]; };
layout(push_constant) uniform P { int k; } p;
float scale = 2.0;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 v;
    v.x = x[i].y;
    v.zw = x[i].xy;
    v[p.k] = scale;
    scale = v[p.k + 1];
    x[i] = v * scale;
}
