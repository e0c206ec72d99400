/* The suite "wild": what its runners share.
 * SPDX-License-Identifier: MIT
 */
#include "data.h"

enum {
    SAMPLES   = 5,
    MOST      = 2000,     /* repetitions of a sample */
    WARM_NS   = 60000000, /* processors raise their clocks, caches fill */
    ENOUGH_NS = 40000000,
};

void wild_options_read(struct wild_options *options, int argc, char **argv)
{
    *options = (struct wild_options){.size = WILD_USUAL};
    while (argc > 1 && argv[1][0] == '-') {
        if (strcmp(argv[1], "--quick") == 0) {
            options->size = WILD_QUICK;
        } else if (strcmp(argv[1], "--large") == 0) {
            options->size = WILD_LARGE;
        } else {
            fprintf(stderr, "Usage: %s [--quick | --large] [CASE…]\n", argv[0]);
            exit(2);
        }
        argc--;
        argv++;
    }
    options->names      = argv + 1;
    options->name_count = argc - 1;
}

bool wild_is_wanted(const struct wild_options *options, const char *name)
{
    for (int i = 0; i < options->name_count; i++)
        if (strcmp(options->names[i], name) == 0)
            return true;
    return options->name_count == 0;
}

double wild_sample(const struct wild_runner *runner, const struct wild_work *work, int repeat)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < repeat; i++)
        runner->enqueue(runner->state, work);
    runner->wait(runner->state);
    return work->amount * repeat / (double)(measure_now() - begin);
}

int wild_repetitions(const struct wild_runner *runner, const struct wild_work *work, enum wild_size size)
{
    double rate    = wild_sample(runner, work, 1);
    uint64_t begin = measure_now();

    if (size == WILD_QUICK)
        return 1;
    for (int repeat = 1; measure_now() - begin < WARM_NS; repeat = repeat < MOST / 2 ? 2 * repeat : MOST)
        rate = wild_sample(runner, work, repeat);
    double wanted = (double)ENOUGH_NS * rate / work->amount;
    return wanted < 1 ? 1 : wanted > MOST ? MOST : (int)wanted + 1;
}

void wild_measure(const struct wild_runner *runner, const struct wild_work *work, enum wild_size size,
                  const char *backend)
{
    double samples[SAMPLES];
    int repeat = wild_repetitions(runner, work, size), count = size == WILD_QUICK ? 1 : SAMPLES;

    for (int i = 0; i < count; i++)
        samples[i] = wild_sample(runner, work, repeat);
    measure_print("wild", work->name, backend, work->unit, samples, (size_t)count);
}

/* ---- the list ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    wild_make_fn *make;
} cases[WILD_CASES] = {
    {"q4_matvec", wild_make_q4},       {"softmax", wild_make_softmax}, {"layer_norm", wild_make_norm},
    {"im2col_gemm", wild_make_im2col}, {"rotary", wild_make_rotary},   {"depthwise", wild_make_depthwise},
    {"n_body", wild_make_bodies},      {"argsort", wild_make_order},   {"fft", wild_make_fft},
    {"warp", wild_make_warp},
};

const char *wild_name(int number)
{
    return cases[number].name;
}

void wild_make(struct wild_work *work, int number, enum wild_size size)
{
    *work      = (struct wild_work){0};
    work->name = cases[number].name;
    cases[number].make(work, size);
}

void wild_check(const struct wild_work *work)
{
    work->check(work);
}

void wild_free(struct wild_work *work)
{
    for (int i = 0; i < work->array_count; i++)
        free(work->arrays[i].data);
}
