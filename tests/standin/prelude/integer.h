/* Functions of integers.
 * SPDX-License-Identifier: MIT
 */
STANDIN_INLINE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}
STANDIN_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
STANDIN_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned int)x);
}
STANDIN_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
STANDIN_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
STANDIN_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
STANDIN_INLINE unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
STANDIN_INLINE unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
STANDIN_INLINE unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return (unsigned int)((unsigned long long)x * y >> 32);
}
STANDIN_INLINE int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
STANDIN_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
STANDIN_INLINE long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
STANDIN_INLINE int __mul24(int x, int y)
{
    return (x << 8 >> 8) * (y << 8 >> 8);
}
STANDIN_INLINE unsigned int __umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
STANDIN_INLINE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned int result      = 0;
    for (int i = 0; i < 4; i++) {
        unsigned int byte = (unsigned int)(bytes >> 8 * (selector >> 4 * i & 7)) & 255u;
        if (selector >> 4 * i & 8)
            byte = byte & 128u ? 255u : 0u;
        result |= byte << 8 * i;
    }
    return result;
}
STANDIN_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
STANDIN_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
STANDIN_INLINE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    return (x > y ? x - y : y - x) + z;
}
STANDIN_INLINE int __dp4a(int x, int y, int sum)
{
    for (int i = 0; i < 4; i++)
        sum += (int)(signed char)(x >> 8 * i) * (int)(signed char)(y >> 8 * i);
    return sum;
}
STANDIN_INLINE unsigned int __dp4a(unsigned int x, unsigned int y, unsigned int sum)
{
    for (int i = 0; i < 4; i++)
        sum += (x >> 8 * i & 255u) * (y >> 8 * i & 255u);
    return sum;
}

/* ---- four bytes at once */

#define STANDIN_BYTES(name, expression)                                \
    STANDIN_INLINE unsigned int name(unsigned int x, unsigned int y)   \
    {                                                                  \
        unsigned int result = 0;                                       \
        for (int i = 0; i < 4; i++) {                                  \
            unsigned int a = x >> 8 * i & 255u, b = y >> 8 * i & 255u; \
            result |= ((expression)&255u) << 8 * i;                    \
        }                                                              \
        return result;                                                 \
    }
STANDIN_BYTES(__vadd4, a + b)
STANDIN_BYTES(__vsub4, a - b)
STANDIN_BYTES(__vaddus4, a + b > 255u ? 255u : a + b)
STANDIN_BYTES(__vsubus4, a > b ? a - b : 0u)
STANDIN_BYTES(__vavgu4, (a + b + 1u) >> 1)
STANDIN_BYTES(__vmaxu4, a > b ? a : b)
STANDIN_BYTES(__vminu4, a < b ? a : b)
STANDIN_BYTES(__vabsdiffu4, a > b ? a - b : b - a)
STANDIN_BYTES(__vcmpgtu4, a > b ? 255u : 0u)
STANDIN_BYTES(__vcmpgeu4, a >= b ? 255u : 0u)
STANDIN_BYTES(__vcmpltu4, a < b ? 255u : 0u)
STANDIN_BYTES(__vcmpleu4, a <= b ? 255u : 0u)
STANDIN_BYTES(__vcmpeq4, a == b ? 255u : 0u)
STANDIN_BYTES(__vcmpne4, a != b ? 255u : 0u)
#undef STANDIN_BYTES
