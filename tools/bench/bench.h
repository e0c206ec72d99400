/* Trireme: `trireme bench`: cases, grouped in suites, each giving one figure a round.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_BENCH_H
#define TRIREME_TOOLS_BENCH_BENCH_H

#include <trireme/trireme.h>

#include <semaphore.h>
#include <stdbool.h>

/* State that all cases share. The members below the line belong to the running case: its setup makes them,
 * and they are zero between cases. */
struct bench {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_device_summary summary; /* of the device */
    bool quick;                        /* every case does a twentieth of its work */
    const char *complaint;             /* a case's sentence for a failure outside of Trireme */

    struct trm_module *module; /* NULL when the device takes no C functions */
    struct trm_kernel *empty;  /* does nothing; see bench_launch_empty(). NULL when the device has none */
    struct trm_buffer *dummy;  /* the buffer argument of a portable `empty`; else NULL */
    struct trm_kernel *post;   /* takes the address of a sem_t as u64, and posts it; a C function, or NULL */
    sem_t wake;
    uint32_t share; /* the running case does 1/share of its work */

    /* ---- */
    struct trm_stream *streams[2];
    struct trm_event *event;
    struct trm_stream_pool *pool;
    struct trm_buffer *buffers[2];
    unsigned char *host[2];
    struct bench_flow *flow, *other_flow; /* bench_flow.h */
    struct bench_team *team;              /* bench_team.h */
    struct bench_mix *mix;                /* bench_mix.h */
    char note[96];                        /* what a sample has to say about its figure; bench_result.notes */
};

enum bench_needs {
    BENCH_NEEDS_EMPTY = 1u << 0, /* skipped on devices without an empty kernel */
    BENCH_NEEDS_POST  = 1u << 1, /* skipped on devices that take no C functions */
};

struct bench_case {
    const char *name; /* unique in its suite, with unit and reference */
    const char *help;
    const char *unit;
    const char *reference; /* what is measured instead of Trireme ("malloc"); NULL: Trireme */
    uint32_t needs;        /* enum bench_needs */
    uint64_t argument;     /* meaning depends on the case: a size, a percentile … */
    const void *user;
    /* Takes what the case before it has measured in the same round, or one before that: cases that follow
     * each other are chosen together. */
    bool follows;

    /* Makes the objects that sample() uses; NULL: none. bench_teardown() runs afterwards even if this
     * fails. */
    int32_t (*setup)(struct bench *bench, const struct bench_case *test);
    /* Takes one measurement. Called twice a round; the second figure counts. Before the first round, unless
     * `quick` is set, it is called with a twentieth of the work to find out how long that takes. */
    int32_t (*sample)(struct bench *bench, const struct bench_case *test, double *value);
};

struct bench_suite {
    const char *name;
    const struct bench_case *cases;
    uint32_t count;
    /* A case and those that follow it compare by themselves, in turns: so they have their rounds one after
     * the other, and their figures are those of a single round, in which the last case has its median. */
    bool contests;
};

extern const struct bench_suite bench_stream_suite;
extern const struct bench_suite bench_copy_suite;
extern const struct bench_suite bench_alloc_suite;
extern const struct bench_suite bench_pipeline_suite;
extern const struct bench_suite bench_auto_suite;
extern const struct bench_suite bench_devices_suite;
extern const struct bench_suite bench_collective_suite;
extern const struct bench_suite bench_pools_suite;
extern const struct bench_suite bench_profile_suite;
extern const struct bench_suite bench_serve_suite;

/* ---- results ------------------------------------------------------------------------------------------- */

struct bench_result {
    const struct bench_suite *suite;
    const struct bench_case *test;
    uint32_t first, last; /* the rows of the cases that follow each other, of which this is one */
    double *values;       /* one a round */
    char **notes;         /* one a round, or ""; of suites with contests */
    uint32_t count;
    uint32_t share; /* bench.share; 0: not determined yet */
    char *skipped;  /* why it was not measured; NULL when it was */
    bool failed;    /* skipped because it failed */
};

struct bench_results {
    struct bench_result *rows;
    uint32_t count;
};

/* Make a row of each case of `suites` whose name is `pattern` or matches it as a file matches one of the
 * shell, and of those that it follows or that follow it. NULL: of all. */
void bench_results_choose(const struct bench_suite *const *suites, uint32_t suite_count, const char *pattern,
                          struct bench_results *results);
void bench_results_release(struct bench_results *results);

/* Run the cases of the rows for `rounds` rounds, suite after suite. Each round runs every case of the suite
 * once, so that slow drifts of the machine affect all of them alike. `ended` is called when the cases of the
 * rows `first` to `last` have had their rounds. Progress goes to stderr when it is a terminal. */
typedef void (*bench_ended)(const struct bench *bench, const struct bench_results *results, uint32_t first,
                            uint32_t last);
void bench_run(struct bench *bench, uint32_t rounds, struct bench_results *results, bench_ended ended);

/* The heading of the table, and its lines. */
void bench_print_heading(const struct bench *bench, const struct bench_results *results);
void bench_print_text(const struct bench *bench, const struct bench_results *results, uint32_t first,
                      uint32_t last);

void bench_print_json(const struct bench *bench, const struct bench_results *results, uint32_t first,
                      uint32_t last);

/* Cases without a figure, on stderr, so that programs that read the figures can ignore them. */
void bench_print_skipped(const struct bench_results *results);

/* ---- helpers of the cases ------------------------------------------------------------------------------ */

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t bench_now(void);

/* `count` divided by the share of the running case. */
uint64_t bench_scale(const struct bench *bench, uint64_t count);

/* The p-th percentile (0 to 100, nearest rank) of latencies; sorts them. count is not 0. */
double bench_percentile(uint64_t *samples, uint64_t count, uint64_t p);

/* The median; sorts. count is not 0. */
double bench_median(double *values, uint32_t count);

/* A setup that makes both streams, the event and the semaphore. */
int32_t bench_streams_setup(struct bench *bench, const struct bench_case *test);

/* Destroy everything that a setup has made. */
void bench_teardown(struct bench *bench);

/* Launch the empty kernel. */
int32_t bench_launch_empty(struct bench *bench, struct trm_stream *stream);

/* Wait for the semaphore; signals do not end the wait. */
void bench_wait_for_wake(struct bench *bench);

/* Load the kernels of struct bench. */
int32_t bench_load_kernels(struct bench *bench);
void bench_unload_kernels(struct bench *bench);

/* The built-in kernel of `links`, a constant of that name, fused multiply-adds for each element, one after
 * the other. The descriptor keeps the pointer. */
struct trm_module_desc bench_chain_desc(const struct trm_constant *links);

/* The status of a call that loads a built-in kernel: where these are not installed, the case is skipped. */
int32_t bench_built_in(struct bench *bench, int32_t status);

/* Draw the same tasks of several kinds on one stream, round-robin over a pool, and by the pool's own choice,
 * as an SVG file. Returns an exit status. */
int bench_picture(struct bench *bench, const char *path);

#endif
