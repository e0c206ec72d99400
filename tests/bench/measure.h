/* Benchmarks of peers: what all of them share. A peer is a program that does the work of `trireme bench` by
 * other means and prints the same lines: one JSON object with suite, case, backend, unit, median, min, max.
 *
 *     peer            every case
 *     peer --start    make ready, run one kernel, print "ready", end: for `spawn`
 *     peer --idle     run one kernel, then measure the processor time of doing nothing
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_MEASURE_H
#define TRIREME_TESTS_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same amounts of work as in tools/bench/bench_*.c. */
enum {
    LAUNCHES    = 100000,
    TRIPS       = 5000,
    HOPS        = 20000,
    SLEEPS      = 40,
    MAPPINGS    = 1000,
    PAIRS       = 20000,
    WRITES      = 1000,
    LIVE        = 64,
    LIVE_ROUNDS = 16,
};

#define MIB ((size_t)1 << 20)
#define COPY_BYTES (64 * MIB)

struct measure_case {
    const char *suite;
    const char *name;
    const char *unit;
    double (*sample)(void); /* called twice a round; the first figure is thrown away */
};

struct measure_peer {
    const char *name;           /* the field "backend" */
    int (*open)(void);          /* 0, or not 0 after a message: the peer cannot work here */
    void (*first_kernel)(void); /* run the smallest piece of work and wait for it */
    void (*close)(void);
    const struct measure_case *cases;
    size_t case_count;
};

/* The whole of a peer's main(). Exit status: 0; 1 when it cannot work here; 2 for a wrong command line. */
int measure_main(int argc, char **argv, const struct measure_peer *peer);

/* Print one line. Sorts the values. */
void measure_print(const char *suite, const char *name, const char *backend, const char *unit, double *values,
                   size_t count);

/* Nanoseconds of CLOCK_MONOTONIC; with MEASURE_CLOCK=processor in the environment, of
 * CLOCK_PROCESS_CPUTIME_ID, which other work on the machine disturbs less. */
uint64_t measure_now(void);

/* Nanoseconds of CLOCK_PROCESS_CPUTIME_ID. */
uint64_t measure_processor_time(void);

/* The median; of an even number of values, the mean of the two in the middle. Sorts them. */
double measure_median(double *values, size_t count);

/* Sleep as long as the cases do that want all workers asleep. */
void measure_pause(void);

/* The p-th percentile of `count` trips in nanoseconds; with `asleep` there is a pause before each. count is
 * TRIPS at most. */
double measure_trips(void (*trip)(void), size_t count, int asleep, unsigned p);

/* Operations a second. */
double measure_rate(uint64_t count, uint64_t nanoseconds);

/* Memory whose pages are there. Never NULL: ends the program when there is none. */
void *measure_memory(size_t size);

/* Keeps the compiler from removing writes to memory that is not read. */
void measure_use(const void *memory);

/* End the program with a message. */
void measure_fail(const char *what) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
