// Powers, exponentials and logarithms.
//! in 0 f32 256 range 0.1 8
//! in 1 f32 256 range -4 4
//! out 2 f32 3072 rel 2e-5 abs 1e-5
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float x = a[i], y = b[i];
    vec3 v = vec3(x, x + 0.5, x * 2.0), w = vec3(y, -y, y * 0.5);
    c[i * 12u + 0u] = pow(x, y);
    c[i * 12u + 1u] = exp(y);
    c[i * 12u + 2u] = exp2(y);
    c[i * 12u + 3u] = log(x);
    c[i * 12u + 4u] = log2(x);
    c[i * 12u + 5u] = sqrt(x);
    c[i * 12u + 6u] = inversesqrt(x);
    c[i * 12u + 7u] = dot(pow(v, w), vec3(0.1, 0.01, 0.5)) * 0.01;
    c[i * 12u + 8u] = dot(exp(w), vec3(0.1)) + dot(exp2(w), vec3(0.2));
    c[i * 12u + 9u] = dot(log(v), vec3(1)) - dot(log2(v), vec3(0.5));
    c[i * 12u + 10u] = dot(sqrt(v), inversesqrt(v));
    c[i * 12u + 11u] = log(exp(y)) - y;
}
