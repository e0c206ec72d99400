/* cuda backend: a mutex for sections of a few instructions, such as those on a stream's marks: a few more, in line, where the two
 * calls of a pthread_mutex_t are seventy. All zero when open. Sleeps in a futex when it is contended; the three states are those of
 * U. Drepper, "Futexes Are Tricky", mutex 2. The core has the same, which no plugin sees.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_LOCK_H
#define CUDA_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct cuda_lock {
    _Atomic uint32_t state; /* 0 open, 1 held, 2 held and somebody may be asleep */
};

__attribute__((cold, noinline, unused)) static void cuda_lock_wait(struct cuda_lock *lock)
{
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static inline void cuda_lock_take(struct cuda_lock *lock)
{
    uint32_t open = 0;
    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(&lock->state, &open, 1,
                                                                  memory_order_acquire, memory_order_relaxed),
                         0))
        cuda_lock_wait(lock);
}

static inline void cuda_lock_give(struct cuda_lock *lock)
{
    if (__builtin_expect(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2, 0))
        syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
