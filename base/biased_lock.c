/* Mutexes that favour a thread: what the others do.
 * SPDX-License-Identifier: MIT
 */
#include "base/biased_lock.h"

#include "base/futex.h"

void base_biased_lock_init(struct base_biased_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
    atomic_init(&lock->owner, 0);
    atomic_init(&lock->is_inside, 0);
    atomic_init(&lock->is_wanted, 1);
}

void base_biased_lock_fini(struct base_biased_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

void base_biased_lock_let_in(struct base_biased_lock *lock)
{
    base_futex_wake(&lock->is_inside, 1);
}

/* With the mutex: waits until the owner is outside and cannot go inside. */
static void end_bias(struct base_biased_lock *lock)
{
    atomic_store_explicit(&lock->is_wanted, 1, memory_order_relaxed);
    base_barrier_heavy();
    while (atomic_load_explicit(&lock->is_inside, memory_order_acquire) != 0)
        base_futex_wait(&lock->is_inside, 1, BASE_NEVER);
    atomic_store_explicit(&lock->owner, 0, memory_order_relaxed);
}

/* With the mutex. */
static bool is_biased(const struct base_biased_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) != 0;
}

/* The calling thread is not favoured, or has seen that another one ends that, which then has the mutex until
 * it is done. */
void base_biased_lock_acquire_mutex(struct base_biased_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    if (is_biased(lock))
        end_bias(lock);
}

bool base_biased_lock_try_acquire(struct base_biased_lock *lock)
{
    if (base_biased_lock_enter(lock))
        return true;
    if (pthread_mutex_trylock(&lock->mutex) != 0)
        return false;
    if (!is_biased(lock))
        return true;
    pthread_mutex_unlock(&lock->mutex);
    return false;
}

void base_biased_lock_favour(struct base_biased_lock *lock)
{
    if (base_biased_lock_favours_me(lock) || !base_barrier_is_supported())
        return;
    atomic_store_explicit(&lock->is_inside, 1, memory_order_relaxed);
    atomic_store_explicit(&lock->is_wanted, 0, memory_order_relaxed);
    atomic_store_explicit(&lock->owner, base_biased_lock_self(), memory_order_relaxed);
    pthread_mutex_unlock(&lock->mutex);
}

bool base_biased_lock_unfavour(struct base_biased_lock *lock)
{
    if (!base_biased_lock_favours_me(lock))
        return true;
    if (pthread_mutex_trylock(&lock->mutex) == 0) {
        atomic_store_explicit(&lock->is_wanted, 1, memory_order_relaxed);
        atomic_store_explicit(&lock->is_inside, 0, memory_order_relaxed);
        atomic_store_explicit(&lock->owner, 0, memory_order_relaxed);
        return true;
    }
    base_biased_lock_leave(lock);
    base_biased_lock_acquire_mutex(lock);
    return false;
}

bool base_biased_lock_wait(struct base_biased_lock *lock, const struct base_condition *condition,
                           uint64_t deadline)
{
    /* What the caller waits for may have come while another thread held the lock. */
    if (!base_biased_lock_unfavour(lock))
        return true;
    uint32_t changes = base_condition_changes(condition);
    pthread_mutex_unlock(&lock->mutex);
    bool in_time = base_condition_sleep(condition, changes, deadline);
    pthread_mutex_lock(&lock->mutex);
    if (is_biased(lock))
        end_bias(lock);
    return in_time;
}
