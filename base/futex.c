/* Sleeping until a word changes, and the clock of timeouts.
 * SPDX-License-Identifier: MIT
 */
#include "base/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000u

uint64_t base_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

uint64_t base_deadline(uint64_t timeout_ns)
{
    uint64_t deadline;
    if (timeout_ns == UINT64_MAX || __builtin_add_overflow(base_now(), timeout_ns, &deadline))
        return BASE_NEVER;
    return deadline;
}

uint64_t base_remaining(uint64_t deadline)
{
    if (deadline == BASE_NEVER)
        return UINT64_MAX;
    uint64_t now = base_now();
    return deadline > now ? deadline - now : 0;
}

bool base_futex_wait(const _Atomic uint32_t *word, uint32_t expected, uint64_t deadline)
{
    struct timespec until = {
        .tv_sec  = (time_t)(deadline / SECOND),
        .tv_nsec = (long)(deadline % SECOND),
    };
    /* FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC; FUTEX_WAIT takes a duration. */
    long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                          deadline == BASE_NEVER ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

void base_futex_wake(const _Atomic uint32_t *word, uint32_t count)
{
    syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count > INT_MAX ? INT_MAX : count, NULL, NULL,
            0);
}
