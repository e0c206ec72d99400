#version 450
/* unary: result[i] = OPERATION x[i]
 *
 * Arguments
 *     x               count floats
 *     result          count floats
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     operation       what is done (0); the words are for `trireme run`:
 *                        0 negative      -x
 *                        1 magnitude     |x|
 *                        2 sqrt          square root
 *                        3 inverse_sqrt  1 / square root
 *                        4 exp           e to the x
 *                        5 log           to base e
 *                        6 sin           of radians
 *                        7 cos           of radians
 *                        8 tanh
 *                        9 sigmoid       1 / (1 + e^-x)
 *                       10 relu          x where it is positive, else 0
 *                       11 gelu          x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the approximation
 *                                        of Hendrycks and Gimpel, "Gaussian error linear units", 2016
 *                       12 floor
 *                       13 ceil
 *                       14 round         to the nearest integer, of two the even one
 *                       15 truncate      towards zero
 *                       16 inverse       1 / x
 *                       17 square        x * x
 *                       18 sign          -1, 0 or 1
 *                       19 silu          x / (1 + e^-x)
 *                       20 exp2          2 to the x
 *                       21 log2          to base 2
 *                       22 tan           of radians
 * Example
 *     trireme run --raw f32 -k unary:operation=sqrt numbers.f32 result.f32
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint operation = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer X { float x[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Result { float result[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

/* tanh() may be made of exponentials that overflow; it is one or minus one, as far as a float tells, from
 * 9.02 on. */
float saturating_tanh(float p)
{
    return abs(p) > 10.0 ? sign(p) : tanh(p);
}

float sigmoid(float p)
{
    return 1.0 / (1.0 + exp(-p));
}

float gelu(float p)
{
    return 0.5 * p * (1.0 + saturating_tanh(0.7978845608 * (p + 0.044715 * p * p * p)));
}

float apply(float p)
{
    switch (operation) {
    case 1:
        return abs(p);
    case 2:
        return sqrt(p);
    case 3:
        return inversesqrt(p);
    case 4:
        return exp(p);
    case 5:
        return log(p);
    case 6:
        return sin(p);
    case 7:
        return cos(p);
    case 8:
        return saturating_tanh(p);
    case 9:
        return sigmoid(p);
    case 10:
        return p > 0.0 ? p : 0.0;
    case 11:
        return gelu(p);
    case 12:
        return floor(p);
    case 13:
        return ceil(p);
    case 14:
        return roundEven(p);
    case 15:
        return trunc(p);
    case 16:
        return 1.0 / p;
    case 17:
        return p * p;
    case 18:
        return sign(p);
    case 19:
        return p * sigmoid(p);
    case 20:
        return exp2(p);
    case 21:
        return log2(p);
    case 22:
        return tan(p);
    default:
        return -p;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    result[i] = apply(x[i]);
}
