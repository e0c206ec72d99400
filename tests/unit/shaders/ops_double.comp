#version 450
#extension GL_ARB_gpu_shader_int64 : require
// Doubles.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { dvec2 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { double results[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(operands.length()))
        return;
    double a = operands[i].x, b = operands[i].y;
    uint at = 32u * i;
    results[at++] = a + b;
    results[at++] = a - b;
    results[at++] = a * b;
    results[at++] = a / b;
    results[at++] = -a;
    results[at++] = abs(a);
    results[at++] = sign(a);
    results[at++] = floor(a);
    results[at++] = ceil(a);
    results[at++] = trunc(a);
    results[at++] = roundEven(a);
    results[at++] = fract(a);
    results[at++] = min(a, b);
    results[at++] = max(a, b);
    results[at++] = clamp(a, -2.5lf, 2.5lf);
    results[at++] = mix(a, b, 0.25lf);
    results[at++] = step(a, b);
    results[at++] = mod(a, b);
    results[at++] = sqrt(abs(a));
    results[at++] = inversesqrt(abs(a));
    results[at++] = fma(a, b, 1.0lf);
    int e;
    results[at++] = frexp(a, e);
    results[at++] = double(e);
    results[at++] = ldexp(a, 5);
    double whole;
    results[at++] = modf(a, whole);
    results[at++] = whole;
    results[at++] = length(dvec3(a, b, 1.0lf));
    results[at++] = inverse(dmat2(a, b, -b, a))[0][1];
    results[at++] = a < b ? 1.0lf : isnan(a) ? 2.0lf : 3.0lf;
    results[at++] = double(int64_t(a));
    results[at++] = 1.0lf / 3.0lf;
    results[at++] = dot(dvec2(a, b), dvec2(b, a));
}
