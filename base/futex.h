/* Sleeping until a word changes, and the clock of timeouts.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FUTEX_H
#define BASE_FUTEX_H

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

#endif
