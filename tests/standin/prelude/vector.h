/* Vectors as CUDA has them.
 * SPDX-License-Identifier: MIT
 */
#define STANDIN_VECTORS(name, scalar, bytes2, bytes4)                             \
    struct name##1                                                                \
    {                                                                             \
        scalar x;                                                                 \
    };                                                                            \
    struct alignas(bytes2) name##2                                                \
    {                                                                             \
        scalar x, y;                                                              \
    };                                                                            \
    struct name##3                                                                \
    {                                                                             \
        scalar x, y, z;                                                           \
    };                                                                            \
    struct alignas(bytes4) name##4                                                \
    {                                                                             \
        scalar x, y, z, w;                                                        \
    };                                                                            \
    STANDIN_INLINE name##1 make_##name##1(scalar x)                               \
    {                                                                             \
        return name##1 {x};                                                       \
    }                                                                             \
    STANDIN_INLINE name##2 make_##name##2(scalar x, scalar y)                     \
    {                                                                             \
        return name##2 {x, y};                                                    \
    }                                                                             \
    STANDIN_INLINE name##3 make_##name##3(scalar x, scalar y, scalar z)           \
    {                                                                             \
        return name##3 {x, y, z};                                                 \
    }                                                                             \
    STANDIN_INLINE name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) \
    {                                                                             \
        return name##4 {x, y, z, w};                                              \
    }

STANDIN_VECTORS(char, signed char, 2, 4)
STANDIN_VECTORS(uchar, unsigned char, 2, 4)
STANDIN_VECTORS(short, short, 4, 8)
STANDIN_VECTORS(ushort, unsigned short, 4, 8)
STANDIN_VECTORS(int, int, 8, 16)
STANDIN_VECTORS(uint, unsigned int, 8, 16)
STANDIN_VECTORS(long, long, 16, 16)
STANDIN_VECTORS(ulong, unsigned long, 16, 16)
STANDIN_VECTORS(longlong, long long, 16, 16)
STANDIN_VECTORS(ulonglong, unsigned long long, 16, 16)
STANDIN_VECTORS(float, float, 8, 16)
STANDIN_VECTORS(double, double, 16, 16)
#undef STANDIN_VECTORS

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z)
    {
    }
};
