/* cpu backend: the flags of the C compiler.
 *
 * "native" makes the compiler look at the processor itself. It cannot where an emulator of this process alone
 * (valgrind, qemu-user) has other instructions than /proc/cpuinfo says, nor does a cross compiler know the
 * word. So the features that this process sees are compared with those of /proc/cpuinfo; where they differ,
 * the flags name the best level that this process has.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/compile.h"

#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* Floats follow the rules of GLSL: no traps, no errno, and a product and a sum may be rounded once. */
#define COMMON                                                                                   \
    "-std=gnu11 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fno-strict-aliasing " \
    "-fPIC -shared -w "

#if defined(__x86_64__)

static const char *flags_of_this_machine(const char *machine)
{
    bool has_avx2 = __builtin_cpu_supports("avx2"), has_avx512 = __builtin_cpu_supports("avx512f");
    if (has_avx2 == (strstr(machine, " avx2") != NULL) && has_avx512 == (strstr(machine, " avx512f") != NULL))
        return COMMON "-march=native";
    return has_avx2 && __builtin_cpu_supports("fma") ? COMMON "-march=x86-64-v3" : COMMON "-march=x86-64";
}

#elif defined(__aarch64__)

/* Bits of AT_HWCAP, <asm/hwcap.h>. Every processor of the architecture has the first one. */
enum {
    HAS_ASIMD     = 1 << 1,
    HAS_ATOMICS   = 1 << 8,
    HAS_FP_HALF   = 1 << 9,
    HAS_SIMD_HALF = 1 << 10,
    HAS_SIMD_RDM  = 1 << 12,
    HAS_SVE       = 1 << 22
};

/* The level of ARMv8.2 with arithmetic of halves. */
#define HAS_LEVEL_2 (HAS_ATOMICS | HAS_FP_HALF | HAS_SIMD_HALF | HAS_SIMD_RDM)

static const char *flags_of_this_machine(const char *machine)
{
    unsigned long has = getauxval(AT_HWCAP);
    bool has_level_2 = (has & HAS_LEVEL_2) == HAS_LEVEL_2, has_sve = (has & HAS_SVE) != 0;
    if (strstr(machine, " asimd") != NULL &&
        (strstr(machine, " asimdhp") != NULL) == ((has & HAS_SIMD_HALF) != 0) &&
        (strstr(machine, " sve") != NULL) == has_sve)
        return COMMON "-mcpu=native";
    if (!has_level_2)
        return COMMON "-march=armv8-a";
    return has_sve ? COMMON "-march=armv8.2-a+fp16+sve" : COMMON "-march=armv8.2-a+fp16";
}

#else

static const char *flags_of_this_machine(const char *machine)
{
    (void)machine;
    return COMMON "-mcpu=native";
}

#endif

const char *cpu_compile_flags(uint32_t flags)
{
    char machine[CPU_MODEL_BYTES];
    if (flags & TRM_BUILD_PORTABLE)
        return COMMON "-DTRM_PORTABLE";
    cpu_machine_model(machine);
    return flags_of_this_machine(machine);
}
