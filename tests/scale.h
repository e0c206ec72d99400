/* How much of a test there is time for.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_SCALE_H
#define TESTS_SCALE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Gcc defines macros of its own for its sanitizers. */
#ifdef __has_feature
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define HAS_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#ifdef __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER 1
#else
#define HAS_ADDRESS_SANITIZER 0
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_THREAD_SANITIZER 1
#else
#define HAS_THREAD_SANITIZER 0
#endif
#endif

/* Is this a build with a sanitizer? It takes many times as long, and bears no threads in the child of a
 * fork. */
static inline bool sanitized(void)
{
    return HAS_ADDRESS_SANITIZER || HAS_THREAD_SANITIZER;
}

/* Is a variable of the environment set, and not to 0? */
static inline bool is_asked_for(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "0") != 0;
}

/* `quick` under CONFORMANCE_QUICK=1 and with a sanitizer: fewer rounds do. */
static inline unsigned scaled(unsigned full, unsigned quick)
{
    return is_asked_for("CONFORMANCE_QUICK") || sanitized() ? quick : full;
}

/* So long may a loop go on that opens devices: a driver takes between a millisecond and most of a second for
 * one. */
#define ROUNDS_NS (scaled(10, 4) * UINT64_C(1000000000))

/* Rounds of such a loop: `wanted`, or as many as there is time for, and `least` in any case.
 *
 *     for (struct rounds rounds = rounds_of(scaled(200, 20), 3); rounds_left(&rounds); rounds.number++)
 */
struct rounds {
    unsigned number; /* of the round, from 0 on */
    unsigned wanted, least;
    uint64_t end_ns;
};

static inline uint64_t rounds_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline struct rounds rounds_of(unsigned wanted, unsigned least)
{
    return (struct rounds){.wanted = wanted, .least = least, .end_ns = rounds_now_ns() + ROUNDS_NS};
}

static inline bool rounds_left(const struct rounds *rounds)
{
    return rounds->number < rounds->wanted &&
           (rounds->number < rounds->least || rounds_now_ns() < rounds->end_ns);
}

/* How many of `count` cases to go on by, `least` in any case, so that runs of `run_ns` each go through all of
 * them evenly within `limit_ns`. */
static inline uint64_t stride_within(uint64_t limit_ns, uint64_t count, uint64_t run_ns, uint64_t least)
{
    uint64_t fit = limit_ns / (run_ns + 1) + 1, stride = (count + fit - 1) / fit;
    return stride > least ? stride : least;
}

#endif
