#version 450
// Functions of the exponential and angle families, chosen by a constant.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int which = 0;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) readonly buffer Y { float y[]; };
layout(std430, binding = 2) writeonly buffer Z { float z[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(x.length()))
        return;
    float a = x[i];
    switch (which) {
    case 0: z[i] = exp(a); break;
    case 1: z[i] = exp2(a); break;
    case 2: z[i] = log(a); break;
    case 3: z[i] = log2(a); break;
    case 4: z[i] = sin(a); break;
    case 5: z[i] = cos(a); break;
    case 6: z[i] = tan(a); break;
    case 7: z[i] = asin(a); break;
    case 8: z[i] = acos(a); break;
    case 9: z[i] = atan(a); break;
    case 10: z[i] = sinh(a); break;
    case 11: z[i] = cosh(a); break;
    case 12: z[i] = tanh(a); break;
    case 13: z[i] = asinh(a); break;
    case 14: z[i] = acosh(a); break;
    case 15: z[i] = atanh(a); break;
    case 16: z[i] = pow(a, y[i]); break;
    case 17: z[i] = atan(a, y[i]); break;
    default: z[i] = inversesqrt(a); break;
    }
}
