// Angles and their functions. Vulkan promises sin and cos to 2^-11 between -pi and pi, atan to 4096 ulp.
//! in 0 f32 256 range -3 3
//! in 1 f32 256 range -0.99 0.99
//! out 2 f32 5120 rel 2e-3 abs 2e-3
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 20u;
    float x = a[i], y = b[i];
    vec2 v = vec2(x, y), w = vec2(y, -y * 0.5);
    c[o + 0u] = sin(x);
    c[o + 1u] = cos(x);
    c[o + 2u] = tan(y);
    c[o + 3u] = asin(y);
    c[o + 4u] = acos(y);
    c[o + 5u] = atan(x);
    c[o + 6u] = atan(y, x);
    c[o + 7u] = atan(-y, x * 2.0);
    c[o + 8u] = sinh(x);
    c[o + 9u] = cosh(x);
    c[o + 10u] = tanh(x);
    c[o + 11u] = asinh(x);
    c[o + 12u] = acosh(abs(x) + 1.5);
    c[o + 13u] = atanh(y * 0.9);
    c[o + 14u] = radians(x * 60.0);
    c[o + 15u] = degrees(y) * 0.01;
    c[o + 16u] = dot(sin(v) + cos(v), tan(w));
    c[o + 17u] = dot(asin(w) * acos(w), atan(v));
    c[o + 18u] = dot(sinh(w) + cosh(w) + tanh(v), asinh(v) + atanh(w * 0.5));
    c[o + 19u] = dot(acosh(abs(v) + vec2(1.5)), atan(v, w) + radians(v) - degrees(w) * 0.01);
}
