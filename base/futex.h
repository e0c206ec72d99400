/* Sleeping until a word changes, and the clock that time-outs run by.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FUTEX_H
#define BASE_FUTEX_H

#include <stdint.h>

/* A deadline that never comes. */
#define BASE_NEVER UINT64_MAX

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t base_now(void);

/* The time `timeout_ns` from now; BASE_NEVER for TRM_FOREVER and for what is beyond the clock. */
uint64_t base_deadline(uint64_t timeout_ns);

/* What is left until a deadline, as a time-out: 0 when it is over, TRM_FOREVER for BASE_NEVER. */
uint64_t base_remaining(uint64_t deadline);

/* Sleep while *word is `expected`, until somebody wakes it or the deadline comes: then 0, else 1.
 * May come back for no reason. */
int32_t base_futex_wait(const _Atomic uint32_t *word, uint32_t expected, uint64_t deadline);

/* Wake up to `count` sleepers. The word need not exist any more: a thread that changed it may wake
 * after the one that it was changed for has gone on and freed it. */
void base_futex_wake(const _Atomic uint32_t *word, uint32_t count);

#endif
