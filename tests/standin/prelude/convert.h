/* Reinterprets bits, and converts numbers. A number outside of the target's range becomes the nearest one in
 * it, and NaN becomes zero.
 * SPDX-License-Identifier: MIT
 */
template <typename To, typename From> STANDIN_INLINE To standin_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "of one size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}

STANDIN_INLINE int __float_as_int(float x)
{
    return standin_bits<int>(x);
}
STANDIN_INLINE unsigned int __float_as_uint(float x)
{
    return standin_bits<unsigned int>(x);
}
STANDIN_INLINE float __int_as_float(int x)
{
    return standin_bits<float>(x);
}
STANDIN_INLINE float __uint_as_float(unsigned int x)
{
    return standin_bits<float>(x);
}
STANDIN_INLINE long long __double_as_longlong(double x)
{
    return standin_bits<long long>(x);
}
STANDIN_INLINE double __longlong_as_double(long long x)
{
    return standin_bits<double>(x);
}
STANDIN_INLINE int __double2hiint(double x)
{
    return (int)(standin_bits<long long>(x) >> 32);
}
STANDIN_INLINE int __double2loint(double x)
{
    return (int)standin_bits<long long>(x);
}
STANDIN_INLINE double __hiloint2double(int high, int low)
{
    return standin_bits<double>((unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}

/* `past` is the first number behind the greatest of the type. */
template <typename To> STANDIN_INLINE To standin_clamp(double x, double least, double past, To low, To high)
{
    return x != x ? (To)0 : x < least ? low : x >= past ? high : (To)x;
}
STANDIN_INLINE int standin_int(double x)
{
    return standin_clamp<int>(x, -2147483648.0, 2147483648.0, -2147483647 - 1, 2147483647);
}
STANDIN_INLINE unsigned int standin_uint(double x)
{
    return standin_clamp<unsigned int>(x, 0.0, 4294967296.0, 0u, 4294967295u);
}
STANDIN_INLINE long long standin_ll(double x)
{
    return standin_clamp<long long>(x, -0x1p63, 0x1p63, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll);
}
STANDIN_INLINE unsigned long long standin_ull(double x)
{
    return standin_clamp<unsigned long long>(x, 0.0, 0x1p64, 0ull, ~0ull);
}

#define STANDIN_CONVERSIONS(suffix, round)                          \
    STANDIN_INLINE int __float2int_##suffix(float x)                \
    {                                                               \
        return standin_int(round((double)x));                       \
    }                                                               \
    STANDIN_INLINE unsigned int __float2uint_##suffix(float x)      \
    {                                                               \
        return standin_uint(round((double)x));                      \
    }                                                               \
    STANDIN_INLINE long long __float2ll_##suffix(float x)           \
    {                                                               \
        return standin_ll(round((double)x));                        \
    }                                                               \
    STANDIN_INLINE unsigned long long __float2ull_##suffix(float x) \
    {                                                               \
        return standin_ull(round((double)x));                       \
    }                                                               \
    STANDIN_INLINE int __double2int_##suffix(double x)              \
    {                                                               \
        return standin_int(round(x));                               \
    }                                                               \
    STANDIN_INLINE unsigned int __double2uint_##suffix(double x)    \
    {                                                               \
        return standin_uint(round(x));                              \
    }                                                               \
    STANDIN_INLINE long long __double2ll_##suffix(double x)         \
    {                                                               \
        return standin_ll(round(x));                                \
    }
STANDIN_CONVERSIONS(rz, trunc)
STANDIN_CONVERSIONS(rn, rint)
STANDIN_CONVERSIONS(rd, floor)
STANDIN_CONVERSIONS(ru, ceil)
#undef STANDIN_CONVERSIONS

STANDIN_INLINE float __int2float_rn(int x)
{
    return (float)x;
}
STANDIN_INLINE float __uint2float_rn(unsigned int x)
{
    return (float)x;
}
STANDIN_INLINE float __ll2float_rn(long long x)
{
    return (float)x;
}
STANDIN_INLINE float __ull2float_rn(unsigned long long x)
{
    return (float)x;
}
STANDIN_INLINE double __int2double_rn(int x)
{
    return x;
}
STANDIN_INLINE double __uint2double_rn(unsigned int x)
{
    return x;
}
STANDIN_INLINE float __double2float_rn(double x)
{
    return (float)x;
}

/* ---- halves, as their bits */

STANDIN_INLINE float standin_half_to_float(unsigned short bits)
{
    unsigned int sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, fraction = bits & 0x3ffu;
    if (exponent == 31)
        return __uint_as_float(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0)
        return __uint_as_float(sign | __float_as_uint((float)fraction * 0x1p-24f));
    return __uint_as_float(sign | (exponent + 112u) << 23 | fraction << 13);
}

/* To the nearest, to even where two are as near. */
STANDIN_INLINE unsigned short standin_float_to_half(float x)
{
    unsigned int bits = __float_as_uint(x), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u)
        return 0x7fffu;
    if (rest >= 0x477ff000u)
        return (unsigned short)(sign | 0x7c00u);
    if (rest < 0x38800000u) {
        /* A denormal, whose last bit is worth 2^-24: so is that of 0.5 in a float. */
        return (unsigned short)(sign | (__float_as_uint(__uint_as_float(rest) + 0.5f) - 0x3f000000u));
    }
    return (unsigned short)(sign | (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13);
}
STANDIN_INLINE float __half2float_bits(unsigned short bits)
{
    return standin_half_to_float(bits);
}
