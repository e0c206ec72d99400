/* The suite "pipeline" with OpenMP: tasks that depend on each other through three buffers; besides, one
 * thread that does one thing after the other, and all threads at one thing after the other.
 * SPDX-License-Identifier: MIT
 */
#include <omp.h>

#include "pipeline_work.h"

/* ---- one thread ------------------------------------------------------------------------------------- */

static void pass_sequential(struct flow *flow)
{
    for (int i = 0; i < flow->tokens; i++) {
        memcpy(flow->slot[0], flow->in[i % FLOW_RING], flow->bytes);
        flow_in_place(flow->slot[0], flow->count, flow->links);
        memcpy(flow->out[i % FLOW_RING], flow->slot[0], flow->bytes);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------ */

static void pass_tasks(struct flow *flow)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < flow->tokens; i++) {
        float *slot = flow->slot[i % FLOW_SLOTS], *in = flow->in[i % FLOW_RING],
              *out = flow->out[i % FLOW_RING];
#pragma omp task depend(out : slot[0])
        memcpy(slot, in, flow->bytes);
#pragma omp task depend(inout : slot[0])
        flow_in_place(slot, flow->count, flow->links);
#pragma omp task depend(in : slot[0])
        memcpy(out, slot, flow->bytes);
    }
}

/* ---- all threads at one thing ----------------------------------------------------------------------- */

enum {
    PARTS = 16
};

static void copy_part(float *target, const float *source, size_t bytes, int part)
{
    size_t begin = (size_t)part * (bytes / PARTS);

    memcpy((char *)target + begin, (const char *)source + begin, bytes / PARTS);
}

static void pass_fork_join(struct flow *flow)
{
    float *slot = flow->slot[0];

    for (int i = 0; i < flow->tokens; i++) {
#pragma omp parallel for schedule(static)
        for (int part = 0; part < PARTS; part++)
            copy_part(slot, flow->in[i % FLOW_RING], flow->bytes, part);
#pragma omp parallel for schedule(static)
        for (int part = 0; part < PARTS; part++)
            flow_in_place(slot + (size_t)part * (flow->count / PARTS), flow->count / PARTS, flow->links);
#pragma omp parallel for schedule(static)
        for (int part = 0; part < PARTS; part++)
            copy_part(flow->out[i % FLOW_RING], slot, flow->bytes, part);
    }
}

/* ---- the peer --------------------------------------------------------------------------------------- */

FLOW_SAMPLES(sequential, pass_sequential);
FLOW_SAMPLES(tasks, pass_tasks);
FLOW_SAMPLES(fork_join, pass_fork_join);

static int open_threads(void)
{
    return 0;
}

static void first_kernel(void)
{
    fork_join_small_1();
}

static void close_threads(void)
{
    flow_close_all();
}

static const struct measure_case cases[] = {
    FLOW_CASES(sequential, "copies_sequential"),
    FLOW_CASES(tasks, "copies_triple"),
    FLOW_CASES(fork_join, "copies_forkjoin"),
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "openmp",
        .open         = open_threads,
        .first_kernel = first_kernel,
        .close        = close_threads,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
