/* cpu backend: a cheap clock for short stretches. Ticks serve comparisons and budgets, never time stamps.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MACHINE_CLOCK_H
#define BACKENDS_CPU_MACHINE_CLOCK_H

#include <sched.h>
#include <stdbool.h>

#include <trireme/backend_util.h>

struct cpu_clock {
    uint64_t first_tick;
    uint64_t first_ns;
    _Atomic uint32_t ticks_per_us; /* a guess until a millisecond has passed */
};

static inline uint64_t cpu_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return trm_util_now();
#endif
}

/* Whether so many ticks have passed since `begin`. The counter may be behind `begin`, where processors do not
 * agree or a virtual machine has moved to another one: then no loop lasts until it has caught up. */
static inline bool cpu_have_passed(uint64_t ticks, uint64_t begin)
{
    return cpu_ticks() - begin >= ticks;
}

/* Ticks in units of about 0.1 µs, which wrap around after half a minute at the earliest. The counter of
 * x86-64 runs at gigahertz, that of aarch64 at 20 MHz to 1 GHz. */
#if defined(__aarch64__)
#define CPU_COARSE_SHIFT 3
#else
#define CPU_COARSE_SHIFT 8
#endif

static inline uint32_t cpu_coarse_ticks(void)
{
    return (uint32_t)(cpu_ticks() >> CPU_COARSE_SHIFT);
}

/* 1 + the number of the processor that runs this thread now; never 0. */
static inline uint16_t cpu_current_processor(void)
{
    return (uint16_t)(sched_getcpu() + 1);
}

static inline void cpu_clock_init(struct cpu_clock *clock)
{
    uint32_t guess = 1000;
#if defined(__x86_64__)
    guess = 2500;
#elif defined(__aarch64__)
    uint64_t hertz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    guess = hertz < 1000000 ? 1 : (uint32_t)(hertz / 1000000);
#endif
    clock->first_tick = cpu_ticks();
    clock->first_ns   = trm_util_now();
    atomic_init(&clock->ticks_per_us, guess);
}

/* Measure the rate again. Idle threads call this now and then. */
static inline void cpu_clock_refine(struct cpu_clock *clock)
{
    uint64_t us   = (trm_util_now() - clock->first_ns) / 1000;
    uint64_t rate = us < 1000 ? 0 : (cpu_ticks() - clock->first_tick) / us;
    if (rate > 0 && rate < 100000)
        atomic_store_explicit(&clock->ticks_per_us, (uint32_t)rate, memory_order_relaxed);
}

/* Ticks per microsecond; never 0. */
static inline uint64_t cpu_clock_rate(const struct cpu_clock *clock)
{
    return atomic_load_explicit(&clock->ticks_per_us, memory_order_relaxed) | 1u;
}

/* `deadline`, a time of trm_util_now(), without what has passed since `begin`: nothing where the counter is
 * behind `begin`. */
static inline uint64_t cpu_clock_deadline(const struct cpu_clock *clock, uint64_t deadline, uint64_t begin)
{
    uint64_t now    = cpu_ticks();
    uint64_t passed = now > begin ? (now - begin) * 1000 / cpu_clock_rate(clock) : 0;
    return passed < deadline ? deadline - passed : 0;
}

#endif
