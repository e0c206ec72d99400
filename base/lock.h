/* A mutex of four bytes for short critical sections: those of which there are many, such as one an
 * event, where a pthread_mutex_t would be most of the object. All zero when open. Sleeps in a futex
 * when it is contended; the three states are those of U. Drepper, "Futexes Are Tricky", mutex 2.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

struct base_lock {
    _Atomic uint32_t state; /* 0 open, 1 held, 2 held and somebody may be asleep */
};

void base_lock_wait(struct base_lock *lock);
void base_lock_wake(struct base_lock *lock);

static inline void base_lock_acquire(struct base_lock *lock)
{
    uint32_t open = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &open, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        base_lock_wait(lock);
}

static inline void base_lock_release(struct base_lock *lock)
{
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        base_lock_wake(lock);
}

#endif
