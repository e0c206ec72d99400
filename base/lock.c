/* The slow side of the small mutex.
 * SPDX-License-Identifier: MIT
 */
#include "base/lock.h"

#include "base/futex.h"

void core_lock_wait(struct core_lock *lock)
{
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        core_futex_wait(&lock->state, 2, CORE_NEVER);
}

void core_lock_wake(struct core_lock *lock)
{
    core_futex_wake(&lock->state, 1);
}
