/* Conversions between 16-bit and 64-bit floats.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/half.h"

#include <string.h>

#define EXPONENT_BIAS 15
#define MANTISSA_BITS 10
#define DOUBLE_MANTISSA_BITS 52
#define DOUBLE_BIAS 1023

static double scale(uint32_t mantissa, int32_t exponent)
{
    double value = mantissa;

    for (; exponent > 0; exponent--)
        value *= 2;
    for (; exponent < 0; exponent++)
        value /= 2;
    return value;
}

double spirv_half_value(uint16_t bits)
{
    int32_t exponent  = bits >> MANTISSA_BITS & 0x1f;
    uint32_t mantissa = bits & 0x3ff;
    double value;

    if (exponent == 0x1f)
        value = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = scale(mantissa, 1 - EXPONENT_BIAS - MANTISSA_BITS);
    else
        value = scale(mantissa | 0x400, exponent - EXPONENT_BIAS - MANTISSA_BITS);
    return bits >> 15 != 0 ? -value : value;
}

uint16_t spirv_half_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign     = (uint16_t)(bits >> 63 << 15);
    int32_t exponent  = (int32_t)(bits >> DOUBLE_MANTISSA_BITS & 0x7ff) - DOUBLE_BIAS;
    uint64_t mantissa = (bits & (((uint64_t)1 << DOUBLE_MANTISSA_BITS) - 1)) | (uint64_t)1
                                                                                   << DOUBLE_MANTISSA_BITS;

    if (exponent == DOUBLE_BIAS + 1)
        return (uint16_t)(sign | 0x7c00 | (mantissa << 12 != 0 ? 0x200 : 0));
    if (exponent > EXPONENT_BIAS)
        return (uint16_t)(sign | 0x7c00);
    if (exponent < -25)
        return sign;
    /* Denormals have fewer mantissa bits. */
    uint32_t drop = DOUBLE_MANTISSA_BITS - MANTISSA_BITS;
    if (exponent < 1 - EXPONENT_BIAS)
        drop += (uint32_t)(1 - EXPONENT_BIAS - exponent);
    uint64_t kept = mantissa >> drop, rest = mantissa & (((uint64_t)1 << drop) - 1);
    uint64_t half = (uint64_t)1 << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1) != 0);
    /* The addition lets a carry out of the mantissa increment the exponent, up to infinity. */
    uint64_t biased =
        exponent < 1 - EXPONENT_BIAS ? 0 : (uint64_t)(exponent + EXPONENT_BIAS - 1) << MANTISSA_BITS;
    return (uint16_t)(sign | (biased + kept));
}

double spirv_half_quantize(double value)
{
    uint16_t bits = spirv_half_bits(value);

    if ((bits & 0x7c00) == 0)
        bits &= 0x8000;
    return spirv_half_value(bits);
}
