/* Trireme: functions that the cases of `trireme bench` share.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include "tools/bench/bench_flow.h"
#include "tools/bench/bench_mix.h"
#include "tools/bench/bench_team.h"
#include "tools/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bench_scale(const struct bench *bench, uint64_t count)
{
    return count >= bench->share ? count / bench->share : 1;
}

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

double bench_percentile(uint64_t *samples, uint64_t count, uint64_t p)
{
    qsort(samples, count, sizeof(*samples), compare_counts);
    return (double)samples[(p * (count - 1) + 50) / 100];
}

double bench_median(double *values, uint32_t count)
{
    qsort(values, count, sizeof(*values), compare_numbers);
    if (count % 2 == 1)
        return values[count / 2];
    return (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

int32_t bench_streams_setup(struct bench *bench, const struct bench_case *test)
{
    int32_t status;

    (void)test;
    for (int i = 0; i < 2; i++) {
        status = trm_stream_create(bench->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &bench->streams[i]);
        if (status != TRM_OK)
            return status;
    }
    return trm_event_create(bench->device, 0, &bench->event);
}

void bench_teardown(struct bench *bench)
{
    bench_flow_end(bench->flow);
    bench_flow_end(bench->other_flow);
    bench->flow = bench->other_flow = NULL;
    bench_team_end(bench->team);
    bench->team = NULL;
    bench_mix_end(bench->mix);
    bench->mix = NULL;
    trm_stream_pool_destroy(bench->pool);
    bench->pool = NULL;
    trm_event_destroy(bench->event);
    bench->event = NULL;
    for (int i = 0; i < 2; i++) {
        trm_stream_destroy(bench->streams[i]);
        trm_buffer_destroy(bench->buffers[i]);
        free(bench->host[i]);
        bench->streams[i] = NULL;
        bench->buffers[i] = NULL;
        bench->host[i]    = NULL;
    }
}

int32_t bench_launch_empty(struct bench *bench, struct trm_stream *stream)
{
    static const struct trm_grid one = {{1, 1, 1}, {1, 1, 1}, 0, 0}, one_group = {{1, 1, 1}, {0, 0, 0}, 0, 0};

    if (!bench->dummy)
        return trm_launch(stream, bench->empty, &one, NULL, 0);
    /* `fill` with a count of 0. */
    const struct trm_argument arguments[] = {trm_arg_buffer(bench->dummy), trm_arg_f32(0.0f), trm_arg_u32(0)};
    return trm_launch(stream, bench->empty, &one_group, arguments, 3);
}

void bench_wait_for_wake(struct bench *bench)
{
    while (sem_wait(&bench->wake) != 0 && errno == EINTR)
        continue;
}
