/* Instructions of PTX that texts have in asm statements. The compiler's driver makes calls of them:
 *
 *     asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));      ptx_cvt_rn_f16_f32(half, x);
 *
 * SPDX-License-Identifier: MIT
 */
template <typename T> STANDIN_INLINE void ptx_cvt_f32_f16(float &to, T from)
{
    to = standin_half_to_float((unsigned short)from);
}
template <typename T> STANDIN_INLINE void ptx_cvt_rn_f16_f32(T &to, float from)
{
    to = (T)standin_float_to_half(from);
}
/* Two at once; the first is the upper one. */
STANDIN_INLINE void ptx_cvt_rn_f16x2_f32(unsigned int &to, float high, float low)
{
    to = (unsigned int)standin_float_to_half(high) << 16 | standin_float_to_half(low);
}
template <typename T, typename U> STANDIN_INLINE void ptx_mov_u32(T &to, U from)
{
    to = (T)from;
}
template <typename T, typename U> STANDIN_INLINE void ptx_mov_b32(T &to, U from)
{
    to = (T)from;
}
template <typename T, typename U> STANDIN_INLINE void ptx_mov_u64(T &to, U from)
{
    to = (T)from;
}
STANDIN_INLINE void ptx_ld_acquire_sys_global_u64(unsigned long long &to, const unsigned long long *from)
{
    to = __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
STANDIN_INLINE void ptx_st_release_sys_global_u64(unsigned long long *to, unsigned long long value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
STANDIN_INLINE void ptx_ld_acquire_gpu_global_u64(unsigned long long &to, const unsigned long long *from)
{
    to = __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
STANDIN_INLINE void ptx_ld_acquire_gpu_global_u32(unsigned int &to, const unsigned int *from)
{
    to = __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
STANDIN_INLINE void ptx_st_release_gpu_global_u64(unsigned long long *to, unsigned long long value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
STANDIN_INLINE void ptx_st_relaxed_sys_global_u64(unsigned long long *to, unsigned long long value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}
STANDIN_INLINE void ptx_red_release_gpu_global_add_u32(unsigned int *to, unsigned int value)
{
    (void)__atomic_fetch_add(to, value, __ATOMIC_RELEASE);
}
STANDIN_INLINE void ptx_exit(void)
{
    standin_runtime->exit();
}
struct standin_time {
    long seconds, nanoseconds;
};
extern "C" int clock_gettime(int clock, struct standin_time *time) throw();
/* Nanoseconds of CLOCK_MONOTONIC since another time than the host's. */
STANDIN_INLINE unsigned long long ptx_globaltimer(void)
{
    struct standin_time time = {0, 0};
    clock_gettime(1, &time);
    return 1700000000123456789ull + (unsigned long long)time.seconds * 1000000000u +
           (unsigned long long)time.nanoseconds;
}
STANDIN_INLINE unsigned int ptx_globaltimer_lo(void)
{
    return (unsigned int)ptx_globaltimer();
}
STANDIN_INLINE unsigned int ptx_laneid(void)
{
    return standin_lane();
}
STANDIN_INLINE unsigned int ptx_tid_x(void)
{
    return threadIdx.x;
}
STANDIN_INLINE unsigned int ptx_ctaid_x(void)
{
    return blockIdx.x;
}
STANDIN_INLINE unsigned int ptx_nsmid(void)
{
    return 4;
}
STANDIN_INLINE void ptx_tex_2d_v4_f32_f32(float &x, float &y, float &z, float &w, unsigned long long texture,
                                          float u, float v)
{
    float texel[4];
    standin_runtime->sample(texture, u, v, texel);
    x = texel[0];
    y = texel[1];
    z = texel[2];
    w = texel[3];
}
