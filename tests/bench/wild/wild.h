/* The suite "wild": ten kernels as people run them. What they work on, how they are launched, and what they
 * must give, the same for Trireme and all peers. A runner makes the memory, launches the steps in order and
 * hands the results back:
 *
 *     struct wild_work work;
 *     wild_make(&work, i, WILD_USUAL);
 *     …                      copies array i from work.arrays[i].data, launches work.steps, copies outputs
 *                            back
 *     wild_check(&work);     ends the program when a result is wrong
 *     wild_free(&work);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_WILD_H
#define TRIREME_TESTS_BENCH_WILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../measure.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WILD_CASES        = 10,
    WILD_ARRAYS_MOST  = 5,
    WILD_STEPS_MOST   = 2,
    WILD_NUMBERS_MOST = 4,
};

enum wild_size {
    WILD_QUICK, /* shows that it works */
    WILD_USUAL, /* for processors: some ten milliseconds at most */
    WILD_LARGE, /* for graphics cards */
};

/* A buffer; or an image of four channels of 8 bits, 0 to 1, which the result of the same size is. */
struct wild_array {
    size_t bytes;
    void *data;
    uint32_t width, height; /* of an image; 0: a buffer */
    bool is_output;
};

/* A value in a push constant. */
struct wild_number {
    bool is_float;
    union {
        uint32_t u;
        float f;
    } value;
};

/* A launch. Arguments are the arrays in this order, then the numbers. */
struct wild_step {
    const char *kernel;
    uint32_t items[3]; /* multiples of the group */
    uint32_t group[3];
    int arrays[WILD_ARRAYS_MOST];
    int array_count;
    struct wild_number numbers[WILD_NUMBERS_MOST];
    int number_count;
};

struct wild_work {
    const char *name;
    const char *unit; /* of work.amount a nanosecond */
    double amount;    /* bytes that must be read and written, or operations */
    struct wild_array arrays[WILD_ARRAYS_MOST];
    int array_count;
    struct wild_step steps[WILD_STEPS_MOST];
    int step_count;
    uint32_t sizes[4]; /* as the case means them */
    void (*check)(const struct wild_work *work);
};

/* The name of case `number`. */
const char *wild_name(int number);

/* Fill the arrays of case `number`, and clear the outputs. Ends the program when there is no memory. */
void wild_make(struct wild_work *work, int number, enum wild_size size);
void wild_check(const struct wild_work *work);
void wild_free(struct wild_work *work);

/* What a runner's command line says: [--quick | --large] [CASE…] */
struct wild_options {
    enum wild_size size;
    char **names;
    int name_count;
};

/* Reads the command line; ends the program with 2 where it is wrong. */
void wild_options_read(struct wild_options *options, int argc, char **argv);
bool wild_is_wanted(const struct wild_options *options, const char *name);

/* Enqueues the steps of a case once, and waits for all that was enqueued. */
struct wild_runner {
    void (*enqueue)(void *state, const struct wild_work *work);
    void (*wait)(void *state);
    void *state;
};

/* One sample: the rate in the case's unit, over as many repetitions as `repeat`. */
double wild_sample(const struct wild_runner *runner, const struct wild_work *work, int repeat);

/* How many repetitions take long enough to be measured. Runs some, so that all is warm. */
int wild_repetitions(const struct wild_runner *runner, const struct wild_work *work, enum wild_size size);

/* Measures a case and prints its line. */
void wild_measure(const struct wild_runner *runner, const struct wild_work *work, enum wild_size size,
                  const char *backend);

#ifdef __cplusplus
}
#endif

#endif
