#version 450
// Operations on floats that are exact or rounded once.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { vec4 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { float results[]; };
layout(std430, binding = 2) writeonly buffer Bits { uint bits[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(operands.length()))
        return;
    float a = operands[i].x, b = operands[i].y, c = operands[i].z;
    uint at = 48u * i;
    precise float sum = a + b, difference = a - b, product = a * b, both = a * b + c;
    results[at++] = sum;
    results[at++] = difference;
    results[at++] = product;
    results[at++] = both;
    results[at++] = a / b;
    results[at++] = -a;
    results[at++] = abs(a);
    results[at++] = sign(a);
    results[at++] = floor(a);
    results[at++] = ceil(a);
    results[at++] = trunc(a);
    results[at++] = roundEven(a);
    results[at++] = round(a);
    results[at++] = fract(a);
    results[at++] = min(a, b);
    results[at++] = max(a, b);
    results[at++] = clamp(a, -2.5, 2.5);
    results[at++] = mix(a, b, 0.25);
    results[at++] = mix(a, b, c > 0.0);
    results[at++] = step(a, b);
    results[at++] = smoothstep(-3.0, 3.0, a);
    results[at++] = mod(a, b);
    results[at++] = sqrt(abs(a));
    results[at++] = inversesqrt(abs(a));
    results[at++] = fma(a, b, c);
    results[at++] = radians(a);
    results[at++] = degrees(a);
    results[at++] = uintBitsToFloat(floatBitsToUint(a) ^ 0x80000000u);
    int e;
    results[at++] = frexp(a, e);
    results[at++] = float(e);
    results[at++] = ldexp(a, int(clamp(c, -20.0, 20.0)));
    float whole;
    results[at++] = modf(a, whole);
    results[at++] = whole;
    results[at++] = float(1.0e-40) + a;
    results[at++] = 16777217.0 * a;
    results[at++] = a < b ? 1.0 / 3.0 : -0.1;
    bits[i] = uint(a < b) | uint(a <= b) << 1 | uint(a > b) << 2 | uint(a >= b) << 3 | uint(a == b) << 4 |
              uint(a != b) << 5 | uint(isnan(a)) << 6 | uint(isinf(a)) << 7 | uint(!(a < b)) << 8 |
              uint(!(a == b)) << 9 | uint(!(a != b)) << 10;
}
