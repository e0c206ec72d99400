/* cpu backend: sleeping on a word.
 *
 * All ordering comes from the atomics of the word itself; the kernel only puts threads to sleep. Every
 * waiter looks at its word again after it woke, so spurious wakes (signals, reused addresses) cost a
 * turn and nothing else.
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_FUTEX_H
#define CPU_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPU_NEVER UINT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The moment at which a time-out ends; CPU_NEVER for one that never does. */
static inline uint64_t cpu_deadline(uint64_t timeout_ns)
{
    uint64_t deadline;
    if (timeout_ns == UINT64_MAX || __builtin_add_overflow(cpu_now(), timeout_ns, &deadline))
        return CPU_NEVER;
    return deadline;
}

/* Sleep while *word is `expected`, at most until `deadline`. False when the deadline has come. */
static inline bool cpu_futex_wait(atomic_uint *word, uint32_t expected, uint64_t deadline)
{
    struct timespec until        = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    const struct timespec *limit = deadline == CPU_NEVER ? NULL : &until;
    long result =
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, limit, NULL, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

static inline void cpu_futex_wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#endif
