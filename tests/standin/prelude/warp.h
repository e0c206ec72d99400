/* What the work-items of a group do together.
 * SPDX-License-Identifier: MIT
 */
#define __syncthreads() (standin_runtime->barrier())
STANDIN_INLINE int __syncthreads_count(int predicate)
{
    return (int)standin_runtime->barrier_count(predicate);
}
STANDIN_INLINE int __syncthreads_or(int predicate)
{
    return standin_runtime->barrier_count(predicate) != 0;
}
STANDIN_INLINE int __syncthreads_and(int predicate)
{
    return standin_runtime->barrier_count(!predicate) == 0;
}

/* The place in the code identifies the lanes on the same path: the compiler must not merge two calls. */
#ifdef __clang__
#define STANDIN_PLACE __attribute__((noinline, convergent, nomerge))
#else
#define STANDIN_PLACE __attribute__((noinline, noclone))
#endif
static STANDIN_PLACE unsigned int standin_active_mask(void)
{
    return standin_runtime->active_mask(__builtin_return_address(0));
}
#define __activemask() standin_active_mask()

STANDIN_INLINE unsigned int standin_lane(void)
{
    return standin_runtime->lane();
}

STANDIN_INLINE void __syncwarp(unsigned int mask = 0xffffffffu)
{
    (void)standin_runtime->collective(STANDIN_SYNC, mask, 0, 0, 32);
}
STANDIN_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return (unsigned int)standin_runtime->collective(STANDIN_BALLOT, mask, predicate != 0, 0, 32);
}
STANDIN_INLINE int __any_sync(unsigned int mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
STANDIN_INLINE int __all_sync(unsigned int mask, int predicate)
{
    return __ballot_sync(mask, !predicate) == 0;
}

template <typename T>
STANDIN_INLINE T standin_exchange(enum standin_collective kind, unsigned int mask, T value,
                                  unsigned int argument, int width)
{
    static_assert(sizeof(T) <= 8, "of 32 or 64 bits");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(value));
    bits = standin_runtime->collective(kind, mask, bits, argument, (unsigned int)width);
    T result;
    __builtin_memcpy(&result, &bits, sizeof(result));
    return result;
}
template <typename T> STANDIN_INLINE T __shfl_sync(unsigned int mask, T value, int lane, int width = 32)
{
    return standin_exchange(STANDIN_SHUFFLE, mask, value, (unsigned int)lane, width);
}
template <typename T>
STANDIN_INLINE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32)
{
    return standin_exchange(STANDIN_SHUFFLE_UP, mask, value, delta, width);
}
template <typename T>
STANDIN_INLINE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32)
{
    return standin_exchange(STANDIN_SHUFFLE_DOWN, mask, value, delta, width);
}
template <typename T> STANDIN_INLINE T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32)
{
    return standin_exchange(STANDIN_SHUFFLE_XOR, mask, value, (unsigned int)lanes, width);
}
template <typename T> STANDIN_INLINE unsigned int __match_any_sync(unsigned int mask, T value)
{
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(value));
    return (unsigned int)standin_runtime->collective(STANDIN_MATCH, mask, bits, 0, 32);
}
template <typename T> STANDIN_INLINE unsigned int __match_all_sync(unsigned int mask, T value, int *all)
{
    *all = __match_any_sync(mask, value) == mask;
    return *all ? mask : 0u;
}

/* Over the lanes of a mask. */
template <typename T, typename F> STANDIN_INLINE T standin_reduce(unsigned int mask, T value, F join)
{
    T result   = value;
    bool begun = false;
    for (int i = 0; i < 32; i++) {
        T other = __shfl_sync(mask, value, i);
        if (mask >> i & 1u) {
            result = begun ? join(result, other) : other;
            begun  = true;
        }
    }
    return result;
}
template <typename T> STANDIN_INLINE T __reduce_add_sync(unsigned int mask, T value)
{
    return standin_reduce(mask, value, [](T x, T y) { return x + y; });
}
template <typename T> STANDIN_INLINE T __reduce_min_sync(unsigned int mask, T value)
{
    return standin_reduce(mask, value, [](T x, T y) { return y < x ? y : x; });
}
template <typename T> STANDIN_INLINE T __reduce_max_sync(unsigned int mask, T value)
{
    return standin_reduce(mask, value, [](T x, T y) { return x < y ? y : x; });
}
STANDIN_INLINE unsigned int __reduce_and_sync(unsigned int mask, unsigned int value)
{
    return standin_reduce(mask, value, [](unsigned int x, unsigned int y) { return x & y; });
}
STANDIN_INLINE unsigned int __reduce_or_sync(unsigned int mask, unsigned int value)
{
    return standin_reduce(mask, value, [](unsigned int x, unsigned int y) { return x | y; });
}
STANDIN_INLINE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value)
{
    return standin_reduce(mask, value, [](unsigned int x, unsigned int y) { return x ^ y; });
}
