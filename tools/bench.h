/* Trireme: `trireme bench`: cases, grouped in suites, each giving one figure a round.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_H
#define TRIREME_TOOLS_BENCH_H

#include <trireme/trireme.h>

#include <semaphore.h>
#include <stdbool.h>

/* What all cases use. Members below the line are the running case's own: made by its setup, zero between cases. */
struct bench {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_device_summary summary; /* of the device */
    bool quick;                        /* a twentieth of the work, everywhere */
    const char *complaint;             /* a case's own sentence for a failure that is not Trireme's */

    struct trm_module *module; /* NULL where the device takes no C functions */
    struct trm_kernel *empty;  /* does nothing; see bench_launch_empty(). NULL where there is none */
    struct trm_buffer *dummy;  /* what a portable `empty` is given; else NULL */
    struct trm_kernel *post;   /* takes the address of a sem_t as u64, and posts it; a C function, or NULL */
    sem_t wake;
    uint32_t share; /* the running case does one of so many parts of its work */

    /* ---- */
    struct trm_stream *streams[2];
    struct trm_event *event;
    struct trm_buffer *buffers[2];
    unsigned char *host[2];
    struct bench_flow *flow, *other_flow; /* bench_flow.h */
};

enum bench_needs {
    BENCH_NEEDS_EMPTY = 1u << 0, /* skipped where there is no kernel that does nothing */
    BENCH_NEEDS_POST  = 1u << 1, /* skipped on devices that take no C functions */
};

struct bench_case {
    const char *name; /* unique in its suite, with unit and reference */
    const char *help;
    const char *unit;
    const char *reference; /* whose figure it is when not Trireme's ("malloc"); NULL: Trireme's */
    uint32_t needs;        /* enum bench_needs */
    uint64_t argument;     /* the case's own: a size, a percentile … */
    const void *user;

    /* Make what sample() uses; NULL: nothing. bench_teardown() follows in any case. */
    int32_t (*setup)(struct bench *bench, const struct bench_case *test);
    /* Measure once. Called twice a round, and before the first, unless all is done quickly, with a twentieth of the work to see how
     * long that takes; the last figure of a round counts. */
    int32_t (*sample)(struct bench *bench, const struct bench_case *test, double *value);
};

struct bench_suite {
    const char *name;
    const struct bench_case *cases;
    uint32_t count;
};

extern const struct bench_suite bench_stream_suite;
extern const struct bench_suite bench_copy_suite;
extern const struct bench_suite bench_alloc_suite;
extern const struct bench_suite bench_pipeline_suite;

/* ---- what came out ----------------------------------------------------------------------------------------- */

struct bench_result {
    const struct bench_suite *suite;
    const struct bench_case *test;
    double *values; /* one a round */
    uint32_t count;
    uint32_t share; /* bench.share; 0: not known yet */
    char *skipped;  /* why it was not measured; NULL when it was */
    bool failed;    /* skipped for a failure */
};

struct bench_results {
    struct bench_result *rows;
    uint32_t count;
};

/* Run the cases of `suites` for `rounds` rounds. Cases of one round run one after the other, so that slow drifts of the
 * machine meet all cases alike. Progress goes to stderr when it is a terminal. */
void bench_run(struct bench *bench, const struct bench_suite *const *suites, uint32_t suite_count,
               uint32_t rounds, struct bench_results *results);
void bench_results_release(struct bench_results *results);

void bench_print_text(const struct bench *bench, const struct bench_results *results);
void bench_print_json(const struct bench *bench, const struct bench_results *results);

/* ---- helpers of the cases ---------------------------------------------------------------------------------- */

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t bench_now(void);

/* `count`, or the part of it that the case is to do. */
uint64_t bench_scale(const struct bench *bench, uint64_t count);

/* The p-th percentile (0 to 100, nearest rank) of latencies; sorts them. count is not 0. */
double bench_percentile(uint64_t *samples, uint64_t count, uint64_t p);

/* The median; sorts. count is not 0. */
double bench_median(double *values, uint32_t count);

/* A setup for cases of streams: both streams, the event and the semaphore. */
int32_t bench_streams_setup(struct bench *bench, const struct bench_case *test);

/* End whatever a setup has made. */
void bench_teardown(struct bench *bench);

/* Launch the empty kernel. */
int32_t bench_launch_empty(struct bench *bench, struct trm_stream *stream);

/* Wait for the semaphore, whatever signals arrive. */
void bench_wait_for_wake(struct bench *bench);

/* Load the kernels above where the device takes C functions. */
int32_t bench_load_kernels(struct bench *bench);
void bench_unload_kernels(struct bench *bench);

#endif
