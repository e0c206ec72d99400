/* A mutex of four bytes for short critical sections, for objects that exist in large numbers, such as
 * events, in which a pthread_mutex_t would be most of the memory. Zeroed memory is an unlocked mutex. A
 * contended one sleeps on a futex; the three states are those of U. Drepper, "Futexes Are Tricky", mutex 2.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

struct base_lock {
    _Atomic uint32_t state; /* 0 unlocked, 1 locked, 2 locked and threads may sleep */
};

void base_lock_wait(struct base_lock *lock);
void base_lock_wake(struct base_lock *lock);

static inline void base_lock_acquire(struct base_lock *lock)
{
    uint32_t unlocked = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &unlocked, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        base_lock_wait(lock);
}

static inline void base_lock_release(struct base_lock *lock)
{
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        base_lock_wake(lock);
}

#endif
