/* Functions of numbers: those of the C library, and the ones of CUDA that say how they round. Nothing is
 * contracted here: a product and a sum are rounded twice unless the text says fma.
 * SPDX-License-Identifier: MIT
 */
#define STANDIN_MATH_1(name)           \
    extern "C" double name(double);    \
    extern "C" float name##f(float);   \
    STANDIN_INLINE float name(float x) \
    {                                  \
        return name##f(x);             \
    }
#define STANDIN_MATH_2(name)                    \
    extern "C" double name(double, double);     \
    extern "C" float name##f(float, float);     \
    STANDIN_INLINE float name(float x, float y) \
    {                                           \
        return name##f(x, y);                   \
    }

STANDIN_MATH_1(sin)
STANDIN_MATH_1(cos)
STANDIN_MATH_1(tan)
STANDIN_MATH_1(asin)
STANDIN_MATH_1(acos)
STANDIN_MATH_1(atan)
STANDIN_MATH_1(sinh)
STANDIN_MATH_1(cosh)
STANDIN_MATH_1(tanh)
STANDIN_MATH_1(asinh)
STANDIN_MATH_1(acosh)
STANDIN_MATH_1(atanh)
STANDIN_MATH_1(exp)
STANDIN_MATH_1(exp2)
STANDIN_MATH_1(exp10)
STANDIN_MATH_1(expm1)
STANDIN_MATH_1(log)
STANDIN_MATH_1(log2)
STANDIN_MATH_1(log10)
STANDIN_MATH_1(log1p)
STANDIN_MATH_1(sqrt)
STANDIN_MATH_1(cbrt)
STANDIN_MATH_1(fabs)
STANDIN_MATH_1(floor)
STANDIN_MATH_1(ceil)
STANDIN_MATH_1(trunc)
STANDIN_MATH_1(round)
STANDIN_MATH_1(rint)
STANDIN_MATH_1(nearbyint)
STANDIN_MATH_1(erf)
STANDIN_MATH_1(erfc)
STANDIN_MATH_1(tgamma)
STANDIN_MATH_1(lgamma)
STANDIN_MATH_2(pow)
STANDIN_MATH_2(atan2)
STANDIN_MATH_2(fmod)
STANDIN_MATH_2(remainder)
STANDIN_MATH_2(fmin)
STANDIN_MATH_2(fmax)
STANDIN_MATH_2(fdim)
STANDIN_MATH_2(hypot)
STANDIN_MATH_2(copysign)
STANDIN_MATH_2(nextafter)
#undef STANDIN_MATH_1
#undef STANDIN_MATH_2

extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
extern "C" double scalbn(double, int);
extern "C" float scalbnf(float, int);
extern "C" double frexp(double, int *);
extern "C" float frexpf(float, int *);
extern "C" double modf(double, double *);
extern "C" float modff(float, float *);
extern "C" void sincos(double, double *, double *);
extern "C" void sincosf(float, float *, float *);
extern "C" long lrint(double);
extern "C" long lrintf(float);
extern "C" long long llrint(double);
extern "C" long long llrintf(float);
extern "C" long lround(double);
extern "C" long lroundf(float);

STANDIN_INLINE float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
STANDIN_INLINE float ldexp(float x, int e)
{
    return ldexpf(x, e);
}
STANDIN_INLINE float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
STANDIN_INLINE double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
STANDIN_INLINE float rsqrt(float x)
{
    return 1.0f / sqrtf(x);
}
STANDIN_INLINE float rcbrtf(float x)
{
    return 1.0f / cbrtf(x);
}
STANDIN_INLINE float sinpif(float x)
{
    return sinf(x * 3.14159265358979323846f);
}
STANDIN_INLINE float cospif(float x)
{
    return cosf(x * 3.14159265358979323846f);
}
STANDIN_INLINE float norm3df(float x, float y, float z)
{
    return sqrtf(x * x + y * y + z * z);
}
STANDIN_INLINE float saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
STANDIN_INLINE float __saturatef(float x)
{
    return saturatef(x);
}

STANDIN_INLINE int isnan(float x)
{
    return x != x;
}
STANDIN_INLINE int isnan(double x)
{
    return x != x;
}
STANDIN_INLINE int isinf(float x)
{
    return fabsf(x) > 0x1.fffffep+127f;
}
STANDIN_INLINE int isinf(double x)
{
    return fabs(x) > 0x1.fffffffffffffp+1023;
}
STANDIN_INLINE int isfinite(float x)
{
    return fabsf(x) <= 0x1.fffffep+127f;
}
STANDIN_INLINE int isfinite(double x)
{
    return fabs(x) <= 0x1.fffffffffffffp+1023;
}
STANDIN_INLINE int signbit(float x)
{
    return __builtin_signbit(x) != 0;
}
STANDIN_INLINE int signbit(double x)
{
    return __builtin_signbit(x) != 0;
}

#define STANDIN_ORDER(type)                 \
    STANDIN_INLINE type min(type x, type y) \
    {                                       \
        return y < x ? y : x;               \
    }                                       \
    STANDIN_INLINE type max(type x, type y) \
    {                                       \
        return x < y ? y : x;               \
    }
STANDIN_ORDER(int)
STANDIN_ORDER(unsigned int)
STANDIN_ORDER(long)
STANDIN_ORDER(unsigned long)
STANDIN_ORDER(long long)
STANDIN_ORDER(unsigned long long)
#undef STANDIN_ORDER
STANDIN_INLINE unsigned int min(int x, unsigned int y)
{
    return min((unsigned int)x, y);
}
STANDIN_INLINE unsigned int min(unsigned int x, int y)
{
    return min(x, (unsigned int)y);
}
STANDIN_INLINE unsigned int max(int x, unsigned int y)
{
    return max((unsigned int)x, y);
}
STANDIN_INLINE unsigned int max(unsigned int x, int y)
{
    return max(x, (unsigned int)y);
}
STANDIN_INLINE float min(float x, float y)
{
    return fminf(x, y);
}
STANDIN_INLINE float max(float x, float y)
{
    return fmaxf(x, y);
}
STANDIN_INLINE double min(double x, double y)
{
    return fmin(x, y);
}
STANDIN_INLINE double max(double x, double y)
{
    return fmax(x, y);
}

STANDIN_INLINE int abs(int x)
{
    return x < 0 ? -x : x;
}
STANDIN_INLINE long abs(long x)
{
    return x < 0 ? -x : x;
}
STANDIN_INLINE long long abs(long long x)
{
    return x < 0 ? -x : x;
}
STANDIN_INLINE long long llabs(long long x)
{
    return x < 0 ? -x : x;
}
STANDIN_INLINE float abs(float x)
{
    return fabsf(x);
}
STANDIN_INLINE double abs(double x)
{
    return fabs(x);
}

/* ---- to the nearest */

STANDIN_INLINE float __fadd_rn(float x, float y)
{
    return x + y;
}
STANDIN_INLINE float __fsub_rn(float x, float y)
{
    return x - y;
}
STANDIN_INLINE float __fmul_rn(float x, float y)
{
    return x * y;
}
STANDIN_INLINE float __fdiv_rn(float x, float y)
{
    return x / y;
}
STANDIN_INLINE float __frcp_rn(float x)
{
    return 1.0f / x;
}
STANDIN_INLINE float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
STANDIN_INLINE float __frsqrt_rn(float x)
{
    return (float)(1.0 / sqrt((double)x));
}
STANDIN_INLINE float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
STANDIN_INLINE double __dadd_rn(double x, double y)
{
    return x + y;
}
STANDIN_INLINE double __dsub_rn(double x, double y)
{
    return x - y;
}
STANDIN_INLINE double __dmul_rn(double x, double y)
{
    return x * y;
}
STANDIN_INLINE double __ddiv_rn(double x, double y)
{
    return x / y;
}
STANDIN_INLINE double __dsqrt_rn(double x)
{
    return sqrt(x);
}
STANDIN_INLINE double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}

/* ---- fast ones, which may be less exact */

STANDIN_INLINE float __fdividef(float x, float y)
{
    return x / y;
}
STANDIN_INLINE float fdividef(float x, float y)
{
    return x / y;
}
STANDIN_INLINE float __expf(float x)
{
    return expf(x);
}
STANDIN_INLINE float __exp2f(float x)
{
    return exp2f(x);
}
STANDIN_INLINE float __exp10f(float x)
{
    return exp10f(x);
}
STANDIN_INLINE float __logf(float x)
{
    return logf(x);
}
STANDIN_INLINE float __log2f(float x)
{
    return log2f(x);
}
STANDIN_INLINE float __log10f(float x)
{
    return log10f(x);
}
STANDIN_INLINE float __powf(float x, float y)
{
    return powf(x, y);
}
STANDIN_INLINE float __sinf(float x)
{
    return sinf(x);
}
STANDIN_INLINE float __cosf(float x)
{
    return cosf(x);
}
STANDIN_INLINE float __tanf(float x)
{
    return tanf(x);
}
STANDIN_INLINE void __sincosf(float x, float *sine, float *cosine)
{
    sincosf(x, sine, cosine);
}
