/* A mutex that one thread at a time can take without atomic read-modify-write operations.
 *
 * It is an ordinary mutex until the thread that holds it calls base_biased_lock_favour(). From then on that
 * thread takes and releases it with plain stores: `is_inside` says whether it holds it. Another thread that
 * takes the mutex ends this: it sets `is_wanted`, passes a heavy barrier (base/barrier.h), and waits until
 * the favoured thread is outside. The favoured thread passes light ones, so either it sees `is_wanted` when
 * it goes inside, and takes the mutex instead, or the other one sees it inside. The other thread pays a
 * microsecond once, and the favoured one nothing, which is right where others rarely come. The idea is that
 * of K. Russell and D. Detlefs, "Eliminating synchronization-related atomic operations with biased locking
 * and bulk rebiasing", 2006.
 *
 * Another thread is favoured only after the one before has called base_biased_lock_unfavour(), whether or not
 * the bias had ended by then. So no thread that goes inside does so by an old value of `owner`.
 *
 * All words are atomic; each way out of the lock is a release and each way in an acquire, so that checkers of
 * data races see what orders the threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_BIASED_LOCK_H
#define BASE_BIASED_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/barrier.h"
#include "base/compiler.h"
#include "base/futex.h"

struct base_biased_lock {
    pthread_mutex_t mutex;
    /* The favoured thread; 0: none, and the thread that holds `mutex` holds the lock. Written with `mutex`; 0
     * while a thread that is not favoured holds the lock. */
    _Atomic uintptr_t owner;
    _Atomic uint32_t is_inside; /* the owner holds the lock, or looks whether it may; a futex */
    _Atomic uint32_t is_wanted; /* the bias has ended or is about to; written with `mutex` */
};

void base_biased_lock_init(struct base_biased_lock *lock);
void base_biased_lock_fini(struct base_biased_lock *lock);

/* The parts that are not inline. */
void base_biased_lock_acquire_mutex(struct base_biased_lock *lock);
void base_biased_lock_let_in(struct base_biased_lock *lock);

/* A call of pthread_self() would take as long as the rest. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
#define BASE_THREAD_SELF ((uintptr_t)__builtin_thread_pointer())
#endif
#endif
#ifndef BASE_THREAD_SELF
#define BASE_THREAD_SELF ((uintptr_t)pthread_self())
#endif

static inline uintptr_t base_biased_lock_self(void)
{
    return BASE_THREAD_SELF;
}

/* Whether the calling thread is favoured. Another thread may end this while it is outside. */
static inline bool base_biased_lock_favours_me(const struct base_biased_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == base_biased_lock_self();
}

/* Of the owner. */
static inline void base_biased_lock_leave(struct base_biased_lock *lock)
{
    atomic_store_explicit(&lock->is_inside, 0, memory_order_release);
    base_barrier_light();
    if (UNLIKELY(atomic_load_explicit(&lock->is_wanted, memory_order_relaxed) != 0))
        base_biased_lock_let_in(lock);
}

/* False: the calling thread is not favoured, or no longer. */
static inline bool base_biased_lock_enter(struct base_biased_lock *lock)
{
    if (!base_biased_lock_favours_me(lock))
        return false;
    atomic_store_explicit(&lock->is_inside, 1, memory_order_relaxed);
    base_barrier_light();
    if (LIKELY(atomic_load_explicit(&lock->is_wanted, memory_order_acquire) == 0))
        return true;
    base_biased_lock_leave(lock);
    return false;
}

static inline void base_biased_lock_acquire(struct base_biased_lock *lock)
{
    if (!base_biased_lock_enter(lock))
        base_biased_lock_acquire_mutex(lock);
}

static inline void base_biased_lock_release(struct base_biased_lock *lock)
{
    if (base_biased_lock_favours_me(lock))
        base_biased_lock_leave(lock);
    else
        pthread_mutex_unlock(&lock->mutex);
}

/* Takes the lock unless another thread holds it or is favoured. */
bool base_biased_lock_try_acquire(struct base_biased_lock *lock);

/* Favours the calling thread, which holds the lock and goes on to. Does nothing where
 * base_barrier_is_supported() says no. */
void base_biased_lock_favour(struct base_biased_lock *lock);

/* The calling thread, which holds the lock and goes on to, is favoured no longer. Another thread may hold the
 * lock meanwhile: then false. */
bool base_biased_lock_unfavour(struct base_biased_lock *lock);

/* Releases the lock while it sleeps on the condition. False when the deadline passed. A thread that was
 * favoured is no longer. May return early. */
bool base_biased_lock_wait(struct base_biased_lock *lock, const struct base_condition *condition,
                           uint64_t deadline);

#endif
