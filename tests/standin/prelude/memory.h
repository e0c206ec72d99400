/* Loads and stores that say how they are cached, addresses, copies of memory, clocks and the end of a kernel.
 * SPDX-License-Identifier: MIT
 */
#define STANDIN_LOAD(name)                                      \
    template <typename T> STANDIN_INLINE T name(const T *place) \
    {                                                           \
        return *place;                                          \
    }
STANDIN_LOAD(__ldg)
STANDIN_LOAD(__ldca)
STANDIN_LOAD(__ldcg)
STANDIN_LOAD(__ldcs)
STANDIN_LOAD(__ldlu)
STANDIN_LOAD(__ldcv)
#undef STANDIN_LOAD
#define STANDIN_STORE(name)                                           \
    template <typename T> STANDIN_INLINE void name(T *place, T value) \
    {                                                                 \
        *place = value;                                               \
    }
STANDIN_STORE(__stwb)
STANDIN_STORE(__stcg)
STANDIN_STORE(__stcs)
STANDIN_STORE(__stwt)
#undef STANDIN_STORE

/* Addresses of shared memory are 32 bits: the offset from a variable of the object. */
STANDIN_INLINE size_t __cvta_generic_to_shared(const void *place)
{
    return (size_t)((const unsigned char *)place - standin_dynamic) & 0xffffffffu;
}
STANDIN_INLINE size_t __cvta_generic_to_global(const void *place)
{
    return (size_t)place;
}
STANDIN_INLINE unsigned char *standin_shared(unsigned int address)
{
    return standin_dynamic + (int)address;
}

extern "C" void *memcpy(void *, const void *, size_t);
extern "C" void *memset(void *, int, size_t);

/* Copies that were begun are done. */
STANDIN_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    memcpy(to, from, bytes - zeros);
    memset((char *)to + bytes - zeros, 0, zeros);
}
STANDIN_INLINE void __pipeline_commit(void)
{
}
STANDIN_INLINE void __pipeline_wait_prior(size_t)
{
}
template <typename T>
STANDIN_INLINE void ptx_cp_async_ca_shared_global(unsigned int to, const T *from, unsigned int bytes,
                                                  unsigned int read)
{
    __pipeline_memcpy_async(standin_shared(to), from, bytes, bytes - read);
}
template <typename T>
STANDIN_INLINE void ptx_cp_async_cg_shared_global(unsigned int to, const T *from, unsigned int bytes,
                                                  unsigned int read)
{
    __pipeline_memcpy_async(standin_shared(to), from, bytes, bytes - read);
}
STANDIN_INLINE void ptx_cp_async_commit_group(void)
{
}
STANDIN_INLINE void ptx_cp_async_wait_group(unsigned int)
{
}

STANDIN_INLINE long long clock64(void)
{
    return (long long)__builtin_ia32_rdtsc();
}
STANDIN_INLINE long clock(void)
{
    return (long)clock64();
}
extern "C" int sched_yield(void) throw();
/* A kernel that waits for the host leaves it the processor. */
STANDIN_INLINE void __nanosleep(unsigned int)
{
    sched_yield();
}
/* Groups that wait for each other may be more than there are processors. */
#define TRM_SPIN() __nanosleep(0)
STANDIN_INLINE void standin_trap(void)
{
    standin_runtime->trap();
}
STANDIN_INLINE void __trap(void)
{
    standin_trap();
}
#define assert(condition) ((condition) ? (void)0 : standin_trap())
#define __builtin_assume(condition) ((void)0)
#define __builtin_assume_aligned(pointer, alignment) (pointer)
#define __assume(condition) ((void)0)
