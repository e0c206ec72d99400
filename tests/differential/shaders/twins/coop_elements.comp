/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) readonly buffer C { int c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };
layout(std430, binding = 4) writeonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { int f[]; };
layout(std430, binding = 6) writeonly buffer G { int g[]; };
layout(std430, binding = 7) writeonly buffer H { float h[]; };
layout(std430, binding = 8) buffer Counts { uint positive; };

void main()
{
    uint i   = gl_LocalInvocationID.x;
    float y  = b[i], w = float(c[i]);
    float16_t x = a[i];
    precise float z = float(x) * 2.0 - y;

    d[i] = -(z + 0.25);
    x    = max(x * float16_t(0.5), float16_t(-1.0));
    if (y > 0.0)
        atomicAdd(positive, 1u);
    e[i] = x + float16_t(y);
    f[i] = -(c[i] / 7 + c[i] * 3 - 5);
    g[i] = int(y);
    h[i] = w < 0.0 ? w * 0.125 : w;
}
