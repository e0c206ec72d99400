#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Halves: every operation is rounded to half.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { f16vec2 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { float16_t results[]; };
layout(std430, binding = 2) writeonly buffer Words { uint words[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(operands.length()))
        return;
    float16_t a = operands[i].x, b = operands[i].y;
    uint at = 24u * i;
    results[at++] = a + b;
    results[at++] = a - b;
    results[at++] = a * b;
    results[at++] = a / b;
    results[at++] = -a;
    results[at++] = abs(a);
    results[at++] = floor(a);
    results[at++] = min(a, b);
    results[at++] = max(a, b);
    results[at++] = sqrt(abs(a));
    results[at++] = a < b ? a : float16_t(0.1);
    results[at++] = float16_t(float(a) * 3.0);
    results[at++] = float16_t(int(clamp(a, float16_t(-1000.0), float16_t(1000.0))));
    results[at++] = uint16BitsToHalf(halfBitsToUint16(a) ^ 0x8000us);
    f16vec3 v = f16vec3(a, b, 1.0hf);
    results[at++] = dot(v, v.yzx);
    results[at++] = f16mat2(a, b, b, a)[1].x;
    results[at++] = float16_t(double(a) + double(b) * 0.001lf);
    words[i] = uint(a < b) | uint(a == b) << 1 | uint(isnan(a)) << 2 | uint(isinf(a)) << 3 | packFloat2x16(operands[i].yx) << 4;
}
