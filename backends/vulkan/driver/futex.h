/* vulkan backend: the clock, and sleeping on a word.
 *
 * Only what happens on the host is slept for here: what the device does is slept for in the driver (timeline.c). All ordering
 * comes from the atomics of the word itself. Who wakes looks again.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_FUTEX_H
#define BACKENDS_VULKAN_DRIVER_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define VULKAN_NEVER UINT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t vulkan_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The moment at which a time-out ends; VULKAN_NEVER for one that never does. */
static inline uint64_t vulkan_deadline(uint64_t timeout_ns)
{
    uint64_t deadline;
    if (timeout_ns == UINT64_MAX || __builtin_add_overflow(vulkan_now(), timeout_ns, &deadline))
        return VULKAN_NEVER;
    return deadline;
}

/* Nanoseconds until then; 0 when it has come. */
static inline uint64_t vulkan_remaining(uint64_t deadline)
{
    if (deadline == VULKAN_NEVER)
        return UINT64_MAX;
    uint64_t now = vulkan_now();
    return now < deadline ? deadline - now : 0;
}

/* Between two looks at something that another thread or the device changes. */
static inline void vulkan_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* Sleep while *word is `expected`, at most until `deadline`. False when the deadline has come. */
static inline bool vulkan_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline)
{
    struct timespec until        = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    const struct timespec *limit = deadline == VULKAN_NEVER ? NULL : &until;
    long result =
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, limit, NULL, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

static inline void vulkan_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#endif
