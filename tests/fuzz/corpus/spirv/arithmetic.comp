#version 450
// Scalars and vectors of all common types, conversions, and what GLSL has for them.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer A { float a[]; };
layout(std430, set = 0, binding = 1) buffer B { vec4 b[]; };
layout(std430, set = 0, binding = 2) buffer C { uint64_t c[]; };
layout(push_constant) uniform P { uint count; float scale; ivec2 shift; } p;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= p.count)
        return;
    float x = a[i];
    int n = int(x) % 7 - (p.shift.x >> 2);
    uint u = bitfieldExtract(floatBitsToUint(x), n & 15, 8) + bitCount(uint(n));
    vec3 v = normalize(vec3(x, sin(x), pow(abs(x), p.scale)));
    uint carry;
    u = uaddCarry(u, 0x80000000u, carry) ^ carry;
    float whole, part = modf(x, whole);
    int exponent;
    part += frexp(x, exponent) * ldexp(1.0, exponent);
    b[i] = vec4(cross(v, v.zxy), dot(v, v)) + mix(vec4(part), vec4(whole), greaterThan(vec4(v, x), vec4(0)));
    b[i] += unpackUnorm4x8(packSnorm4x8(b[i])) + vec4(isnan(x), isinf(x), any(lessThan(v, v.yzx)), !bool(u));
    f16vec2 h = f16vec2(v.xy);
    i16vec2 s = i16vec2(n, u);
    c[i] = uint64_t(u) << 32 | uint64_t(uint16_t(s.x)) | uint64_t(h.x > h.y) | uint64_t(int8_t(n));
    c[i] += uint64_t(double(x) * 3.0LF);
}
