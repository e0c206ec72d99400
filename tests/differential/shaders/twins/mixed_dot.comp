/* Products of halves, added as floats. */
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { f16vec2 a[]; };
layout(std430, binding = 1) readonly buffer B { f16vec2 b[]; };
layout(std430, binding = 2) readonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };
layout(std430, binding = 4) writeonly buffer E { float16_t e[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec2 x = vec2(a[i]), y = vec2(b[i]);
    d[i]   = c[i] + x.x * y.x + x.y * y.y;
    e[i]   = float16_t(float(float16_t(c[i])) + x.x * y.x + x.y * y.y);
}
