/* The suite "pipeline" without any machinery: what this machine can do at most. Each thread takes whole
 * batches and does all stages itself, so nothing is handed over; "nocopy" goes straight from input to output.
 * With BOUND_BEST the stages go through a batch in pieces that stay in the cache, with a kernel that keeps
 * eight vectors in flight, which hides how long a fused multiply-add takes.
 * SPDX-License-Identifier: MIT
 */
#include <omp.h>

#include "pipeline_work.h"

#ifdef BOUND_BEST

#define NAME "bound_best"
#define PIECE ((size_t)32 << 10) /* floats */

typedef float lanes __attribute__((vector_size(64), aligned(4)));

enum {
    LANES     = sizeof(lanes) / sizeof(float),
    IN_FLIGHT = 8,
};

/* count is a multiple of LANES × IN_FLIGHT; target may be source. */
static __attribute__((noinline)) void kernel(float *target, const float *source, size_t count, int links)
{
    const lanes factor = (lanes){0} + FLOW_FACTOR, term = (lanes){0} + FLOW_TERM;

    for (size_t i = 0; i < count; i += LANES * IN_FLIGHT) {
        lanes v[IN_FLIGHT];

#pragma GCC unroll 8
        for (int k = 0; k < IN_FLIGHT; k++)
            v[k] = *(const lanes *)(source + i + (size_t)k * LANES);
        for (int link = 0; link < links; link++) {
#pragma GCC unroll 8
            for (int k = 0; k < IN_FLIGHT; k++)
                v[k] = v[k] * factor + term;
        }
#pragma GCC unroll 8
        for (int k = 0; k < IN_FLIGHT; k++)
            *(lanes *)(target + i + (size_t)k * LANES) = v[k];
    }
}

static void all_stages(const struct flow *flow, int token, float *buffer)
{
    const float *in = flow->in[token % FLOW_RING];
    float *out      = flow->out[token % FLOW_RING];

    for (size_t begin = 0; begin < flow->count; begin += PIECE) {
        size_t count = flow->count - begin < PIECE ? flow->count - begin : PIECE;

        memcpy(buffer, in + begin, count * sizeof(float));
        kernel(buffer, buffer, count, flow->links);
        memcpy(out + begin, buffer, count * sizeof(float));
    }
}

#else

#define NAME "bound"

static void kernel(float *target, const float *source, size_t count, int links)
{
    flow_plain(target, source, count, links);
}

static void all_stages(const struct flow *flow, int token, float *buffer)
{
    memcpy(buffer, flow->in[token % FLOW_RING], flow->bytes);
    flow_in_place(buffer, flow->count, flow->links);
    memcpy(flow->out[token % FLOW_RING], buffer, flow->bytes);
}

#endif

/* ---- one batch a thread ----------------------------------------------------------------------------- */

static void pass_copies(struct flow *flow)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < flow->tokens; i++)
        all_stages(flow, i, flow->slot[omp_get_thread_num()]);
}

static void pass_nocopy(struct flow *flow)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < flow->tokens; i++)
        kernel(flow->out[i % FLOW_RING], flow->in[i % FLOW_RING], flow->count, flow->links);
}

/* ---- the peer --------------------------------------------------------------------------------------- */

FLOW_SAMPLES(copies, pass_copies);
FLOW_SAMPLES(nocopy, pass_nocopy);

static int open_threads(void)
{
    return omp_get_max_threads() <= FLOW_RING ? 0 : -1;
}

static void first_kernel(void)
{
    nocopy_small_1();
}

static void close_threads(void)
{
    flow_close_all();
}

static const struct measure_case cases[] = {
    FLOW_CASES(copies, "copies_triple"),
    FLOW_CASES(nocopy, "nocopy_triple"),
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = NAME,
        .open         = open_threads,
        .first_kernel = first_kernel,
        .close        = close_threads,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
