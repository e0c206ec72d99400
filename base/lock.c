/* The contended paths of the four-byte mutex.
 * SPDX-License-Identifier: MIT
 */
#include "base/lock.h"

#include "base/futex.h"

void base_lock_wait(struct base_lock *lock)
{
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        base_futex_wait(&lock->state, 2, BASE_NEVER);
}

void base_lock_wake(struct base_lock *lock)
{
    base_futex_wake(&lock->state, 1);
}
