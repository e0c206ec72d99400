/* Sleeping until a word changes, condition variables, and the clock of timeouts.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FUTEX_H
#define BASE_FUTEX_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A deadline that never comes. */
#define BASE_NEVER UINT64_MAX

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t base_now(void);

/* The time `timeout_ns` from now; BASE_NEVER for TRM_FOREVER and where the sum overflows. */
uint64_t base_deadline(uint64_t timeout_ns);

/* The nanoseconds until a deadline: 0 when it has passed, TRM_FOREVER for BASE_NEVER. */
uint64_t base_remaining(uint64_t deadline);

/* Sleeps while *word is `expected`, until a wake-up or the deadline. False when the deadline passed. May
 * return early, so the caller checks the word again. */
bool base_futex_wait(const _Atomic uint32_t *word, uint32_t expected, uint64_t deadline);

/* Wakes up to `count` threads that sleep on the word. Only the address is used: the word may be freed by
 * then, since the thread that waited for the change may run first. */
void base_futex_wake(const _Atomic uint32_t *word, uint32_t count);

/* ---- condition variables ----------------------------------------------------------------------------- */

/* Threads sleep until another one, with the lock that they share, says that something has changed.
 * pthread_cond_signal() of glibc up to 2.40 can wake nothing although threads wait (bug 25847), where several
 * wait at once and signals follow each other closely. All 0: nothing waits. */
struct base_condition {
    _Atomic uint32_t changes; /* written with the lock */
};

/* With the lock: what to give to base_condition_sleep(). */
static inline uint32_t base_condition_changes(const struct base_condition *condition)
{
    return atomic_load_explicit(&condition->changes, memory_order_relaxed);
}

/* Without the lock: sleeps until a change that is not among `changes`, or the deadline. False when the
 * deadline passed. May return early, so the caller takes the lock and checks what it waits for. */
static inline bool base_condition_sleep(const struct base_condition *condition, uint32_t changes,
                                        uint64_t deadline)
{
    return base_futex_wait(&condition->changes, changes, deadline);
}

/* With the lock, which alone lets a thread write here, so the two accesses need not be one. */
static inline void base_condition_note(struct base_condition *condition)
{
    atomic_store_explicit(&condition->changes, base_condition_changes(condition) + 1, memory_order_relaxed);
}

/* With the lock: wakes one of the threads that wait, or all. */
static inline void base_condition_signal(struct base_condition *condition)
{
    base_condition_note(condition);
    base_futex_wake(&condition->changes, 1);
}
static inline void base_condition_broadcast(struct base_condition *condition)
{
    base_condition_note(condition);
    base_futex_wake(&condition->changes, INT_MAX);
}

#endif
