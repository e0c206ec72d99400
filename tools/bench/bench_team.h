/* Trireme: the devices of the suite `collective`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_TEAM_H
#define TRIREME_TOOLS_BENCH_TEAM_H

#include <trireme/trireme.h>

#include "tools/bench/bench.h"

#define BENCH_TEAM_SPANS 128u

/* A stream and two buffers of one size on each device, cut into spans. */
struct bench_team {
    struct trm_group *group;
    struct trm_collective *collective;
    uint32_t devices;
    struct trm_stream *streams[TRM_GROUP_DEVICES];
    struct trm_buffer *inputs[TRM_GROUP_DEVICES], *outputs[TRM_GROUP_DEVICES];
    uint32_t spans;
    struct trm_span in[TRM_GROUP_DEVICES * BENCH_TEAM_SPANS], out[TRM_GROUP_DEVICES * BENCH_TEAM_SPANS];
    struct bench_backward *backward; /* of bench_backward.c */
};

/* Open the devices of the setting `devices` as bench->team, with `spans` spans of `size` bytes. */
int32_t bench_team_open(struct bench *bench, uint32_t spans, uint64_t size);

/* Wait for all streams of the devices. */
int32_t bench_team_sync(struct bench_team *team);

/* End a team; NULL is fine. */
void bench_team_end(struct bench_team *team);

/* bench_backward.c: how much of the sum of 64 MiB of gradients the backward pass hides. */
int32_t bench_backward_setup(struct bench *bench, const struct bench_case *test);
int32_t bench_backward_sample(struct bench *bench, const struct bench_case *test, double *value);
void bench_backward_end(struct bench_backward *backward, uint32_t devices);

#endif
