/* Functions for each width of vectors that this architecture may have. Define LEVEL, the file with the
 * functions, and include this one; it includes that file once for each width, with
 *     LANES      floats of a vector
 *     REGISTERS  vectors that functions may count on having in registers
 *     NAME(x)    the name of the function x
 *     TARGET     the attribute of each function
 * A vector wider than the processor's would not stay in registers. BEST(x) is the function x for the
 * processor that runs it.
 * SPDX-License-Identifier: MIT
 */

#if defined(__x86_64__)
#define LANES 16
#define REGISTERS 32
#define NAME(x) avx512_##x
#define TARGET __attribute__((target("avx512f,avx2,fma")))
#include LEVEL
#undef LANES
#undef REGISTERS
#undef NAME
#undef TARGET

#define LANES 8
#define REGISTERS 16
#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2,fma")))
#include LEVEL
#undef LANES
#undef REGISTERS
#undef NAME
#undef TARGET

#define BEST(x)                                                                     \
    (__builtin_cpu_supports("avx512f")                                 ? avx512_##x \
     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2_##x   \
                                                                       : any_##x)
#else
#define BEST(x) any_##x
#endif

#define LANES 4
#define REGISTERS 16
#define NAME(x) any_##x
#define TARGET
#include LEVEL
