/* Atomics, and what orders memory.
 * SPDX-License-Identifier: MIT
 */
STANDIN_INLINE void __threadfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
STANDIN_INLINE void __threadfence_block(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
STANDIN_INLINE void __threadfence_system(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define STANDIN_ATOMIC(name, type, how)                        \
    STANDIN_INLINE type name(type *place, type value)          \
    {                                                          \
        return how(place, value, __ATOMIC_SEQ_CST);            \
    }                                                          \
    STANDIN_INLINE type name##_block(type *place, type value)  \
    {                                                          \
        return how(place, value, __ATOMIC_SEQ_CST);            \
    }                                                          \
    STANDIN_INLINE type name##_system(type *place, type value) \
    {                                                          \
        return how(place, value, __ATOMIC_SEQ_CST);            \
    }
#define STANDIN_ATOMICS(type)                                                                              \
    STANDIN_ATOMIC(atomicAdd, type, __atomic_fetch_add)                                                    \
    STANDIN_ATOMIC(atomicSub, type, __atomic_fetch_sub)                                                    \
    STANDIN_ATOMIC(atomicAnd, type, __atomic_fetch_and)                                                    \
    STANDIN_ATOMIC(atomicOr, type, __atomic_fetch_or)                                                      \
    STANDIN_ATOMIC(atomicXor, type, __atomic_fetch_xor)                                                    \
    STANDIN_ATOMIC(atomicExch, type, __atomic_exchange_n)                                                  \
    STANDIN_INLINE type atomicCAS(type *place, type expected, type value)                                  \
    {                                                                                                      \
        __atomic_compare_exchange_n(place, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        return expected;                                                                                   \
    }                                                                                                      \
    STANDIN_INLINE type atomicMin(type *place, type value)                                                 \
    {                                                                                                      \
        type seen = __atomic_load_n(place, __ATOMIC_SEQ_CST);                                              \
        while (value < seen &&                                                                             \
               !__atomic_compare_exchange_n(place, &seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { \
        }                                                                                                  \
        return seen;                                                                                       \
    }                                                                                                      \
    STANDIN_INLINE type atomicMax(type *place, type value)                                                 \
    {                                                                                                      \
        type seen = __atomic_load_n(place, __ATOMIC_SEQ_CST);                                              \
        while (seen < value &&                                                                             \
               !__atomic_compare_exchange_n(place, &seen, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { \
        }                                                                                                  \
        return seen;                                                                                       \
    }
STANDIN_ATOMICS(int)
STANDIN_ATOMICS(unsigned int)
STANDIN_ATOMICS(long long)
STANDIN_ATOMICS(unsigned long long)
STANDIN_ATOMICS(unsigned long)
#undef STANDIN_ATOMICS
#undef STANDIN_ATOMIC

/* Adds by comparing and exchanging the bits. */
template <typename T, typename B> STANDIN_INLINE T standin_atomic_add(T *place, T value)
{
    B seen = __atomic_load_n((B *)place, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n((B *)place, &seen, standin_bits<B>(standin_bits<T>(seen) + value), 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return standin_bits<T>(seen);
}
STANDIN_INLINE float atomicAdd(float *place, float value)
{
    return standin_atomic_add<float, unsigned int>(place, value);
}
STANDIN_INLINE double atomicAdd(double *place, double value)
{
    return standin_atomic_add<double, unsigned long long>(place, value);
}
STANDIN_INLINE float atomicExch(float *place, float value)
{
    return standin_bits<float>(
        __atomic_exchange_n((unsigned int *)place, standin_bits<unsigned int>(value), __ATOMIC_SEQ_CST));
}
STANDIN_INLINE unsigned int atomicInc(unsigned int *place, unsigned int most)
{
    unsigned int seen = __atomic_load_n(place, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(place, &seen, seen >= most ? 0u : seen + 1u, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
    return seen;
}
STANDIN_INLINE unsigned int atomicDec(unsigned int *place, unsigned int most)
{
    unsigned int seen = __atomic_load_n(place, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(place, &seen, seen == 0 || seen > most ? most : seen - 1u, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return seen;
}
