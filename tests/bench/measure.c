/* Benchmarks of peers: what all of them share.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ROUNDS     = 3,
    MOST_CASES = 64
};

static int compare_counts(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static uint64_t clock_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t measure_now(void)
{
    const char *clock = getenv("MEASURE_CLOCK");

    return clock_now(clock && strcmp(clock, "processor") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

uint64_t measure_processor_time(void)
{
    return clock_now(CLOCK_PROCESS_CPUTIME_ID);
}

double measure_median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_numbers);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

static void sleep_for(time_t seconds, long nanoseconds)
{
    struct timespec pause = {.tv_sec = seconds, .tv_nsec = nanoseconds};

    nanosleep(&pause, NULL);
}

void measure_pause(void)
{
    sleep_for(0, 2000000);
}

double measure_trips(void (*trip)(void), size_t count, int asleep, unsigned p)
{
    static uint64_t latencies[TRIPS];

    for (size_t i = 0; i < count; i++) {
        uint64_t begin;

        if (asleep)
            measure_pause();
        begin = measure_now();
        trip();
        latencies[i] = measure_now() - begin;
    }
    qsort(latencies, count, sizeof(latencies[0]), compare_counts);
    return (double)latencies[(p * (count - 1) + 50) / 100];
}

double measure_rate(uint64_t count, uint64_t nanoseconds)
{
    return (double)count / ((double)nanoseconds * 1e-9);
}

void *measure_memory(size_t size)
{
    void *memory = aligned_alloc(4096, size);

    if (!memory)
        measure_fail("no memory");
    memset(memory, 0x3f, size);
    return memory;
}

void measure_use(const void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

void measure_fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

void measure_print(const char *suite, const char *name, const char *backend, const char *unit, double *values,
                   size_t count)
{
    double median = measure_median(values, count);

    printf("{\"suite\": \"%s\", \"case\": \"%s\", \"backend\": \"%s\", \"unit\": \"%s\", "
           "\"median\": %.6g, \"min\": %.6g, \"max\": %.6g}\n",
           suite, name, backend, unit, median, values[0], values[count - 1]);
    fflush(stdout);
}

static void run_cases(const struct measure_peer *peer)
{
    static double values[MOST_CASES][ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < peer->case_count && i < MOST_CASES; i++) {
            peer->cases[i].sample();
            values[i][round] = peer->cases[i].sample();
        }
    }
    for (size_t i = 0; i < peer->case_count && i < MOST_CASES; i++)
        measure_print(peer->cases[i].suite, peer->cases[i].name, peer->name, peer->cases[i].unit, values[i],
                      ROUNDS);
}

/* Processor time of all threads during a second in which nothing is asked of them, in percent of one core. */
static void measure_idle(const struct measure_peer *peer)
{
    uint64_t begin, used;
    double percent;

    peer->first_kernel();
    sleep_for(0, 100000000); /* threads may spin for a while after work */
    begin = measure_now();
    used  = measure_processor_time();
    sleep_for(1, 0);
    used    = measure_processor_time() - used;
    percent = 100.0 * (double)used / (double)(measure_now() - begin);
    measure_print("start", "idle", peer->name, "%core", &percent, 1);
}

static void show_ready(const struct measure_peer *peer)
{
    peer->first_kernel();
    puts("ready");
    fflush(stdout);
}

int measure_main(int argc, char **argv, const struct measure_peer *peer)
{
    int start = argc == 2 && strcmp(argv[1], "--start") == 0;
    int idle  = argc == 2 && strcmp(argv[1], "--idle") == 0;

    if (argc != 1 && !start && !idle) {
        fprintf(stderr, "Usage: %s [--start | --idle]\n", argv[0]);
        return 2;
    }
    if (peer->open() != 0)
        return 1;
    if (start)
        show_ready(peer);
    else if (idle)
        measure_idle(peer);
    else
        run_cases(peer);
    peer->close();
    return 0;
}
