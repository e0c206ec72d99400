#version 450
/* binary: result[i] = a[i] OPERATION b[i]
 *
 * Arguments
 *     a               count floats
 *     b               count floats; `trireme run` repeats the numbers that it is given
 *     result          count floats
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     operation       what is done (0); the words are for `trireme run`:
 *                        0 add       a + b
 *                        1 subtract  a - b
 *                        2 multiply  a * b
 *                        3 divide    a / b
 *                        4 min       the less; of a number and a NaN either
 *                        5 max       the greater; of a number and a NaN either
 *                        6 power     a to the power b, of a > 0
 *                        7 angle     of the point (b, a), -pi to pi radians; not of (0, 0)
 *                        8 modulo    a - b * floor(a / b): the rest, with the sign of b
 *                        9 equal     1 where a = b, else 0
 *                       10 less      1 where a < b, else 0
 *                       11 greater   1 where a > b, else 0
 * Example
 *     trireme run --raw f32 -k binary:operation=multiply,b=10 numbers.f32 result.f32
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint operation = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer A { float a[]; };
layout(std430, set = 0, binding = 1) readonly restrict buffer B { float b[]; };
layout(std430, set = 0, binding = 2) writeonly restrict buffer Result { float result[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

/* A device's quotient may be off by a little, and so miss an integer, or reach one that it should not. */
float modulo(float p, float q)
{
    float left = p - q * floor(p / q);
    if (abs(left) >= abs(q))
        left -= q;
    return left != 0.0 && (left < 0.0) != (q < 0.0) ? left + q : left;
}

float apply(float p, float q)
{
    switch (operation) {
    case 1:
        return p - q;
    case 2:
        return p * q;
    case 3:
        return p / q;
    case 4:
        return min(p, q);
    case 5:
        return max(p, q);
    case 6:
        return pow(p, q);
    case 7:
        return atan(p, q);
    case 8:
        return modulo(p, q);
    case 9:
        return p == q ? 1.0 : 0.0;
    case 10:
        return p < q ? 1.0 : 0.0;
    case 11:
        return p > q ? 1.0 : 0.0;
    default:
        return p + q;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    result[i] = apply(a[i], b[i]);
}
