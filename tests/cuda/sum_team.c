/* See sum_team.h.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/sum_team.h"

#include "tests/cuda/fixture.h"

struct sum_team sum_team;

void sum_team_open(const char *way)
{
    const struct trm_setting setting = {"collective.way", way};
    ck_ok(context_make(&setting, 1, &sum_team.context));
    ck_ok(trm_group_create(sum_team.context, "cuda:*", &sum_team.group));
    ck_ok(trm_group_size(sum_team.group, &sum_team.count));
    ck_assert_uint_le(sum_team.count, SUM_TEAM_DEVICES);
    for (uint32_t d = 0; d < sum_team.count; d++) {
        ck_ok(trm_group_device(sum_team.group, d, &sum_team.devices[d]));
        sum_team.streams[d] = stream_open(sum_team.devices[d], TRM_STREAM_ANY);
        sum_team.in[d]      = buffer_open(sum_team.devices[d], TRM_MEMORY_DEVICE, SUM_TEAM_BYTES);
        sum_team.out[d]     = buffer_open(sum_team.devices[d], TRM_MEMORY_DEVICE, SUM_TEAM_BYTES);
        ck_ok(trm_fill(sum_team.streams[d], trm_span_whole(sum_team.in[d]), d + 1, 4));
    }
    ck_ok(trm_collective_create(sum_team.group, 0, &sum_team.collective));
}

void sum_team_close(void)
{
    for (uint32_t d = 0; d < sum_team.count; d++) {
        trm_stream_destroy(sum_team.streams[d]);
        trm_buffer_destroy(sum_team.in[d]);
        trm_buffer_destroy(sum_team.out[d]);
    }
    trm_collective_destroy(sum_team.collective);
    trm_group_destroy(sum_team.group);
    for (uint32_t d = 0; d < sum_team.count; d++)
        trm_device_destroy(sum_team.devices[d]);
    trm_context_destroy(sum_team.context);
    check_nothing_left("the sums");
}

void sum_team_sync(void)
{
    for (uint32_t d = 0; d < sum_team.count; d++)
        ck_ok(trm_stream_sync(sum_team.streams[d]));
}

int32_t sum_team_call(uint32_t count, uint64_t bytes)
{
    struct trm_span in[SUM_TEAM_SPANS * SUM_TEAM_DEVICES], out[SUM_TEAM_SPANS * SUM_TEAM_DEVICES];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < sum_team.count; d++) {
            in[k * sum_team.count + d]  = trm_span_of(sum_team.in[d], k * bytes, bytes);
            out[k * sum_team.count + d] = trm_span_of(sum_team.out[d], k * bytes, bytes);
        }
    return trm_all_reduce(sum_team.collective, sum_team.streams, out, in, count, TRM_TYPE_I32,
                          TRM_REDUCE_SUM);
}

void sum_team_check(uint64_t bytes)
{
    static uint32_t found[SUM_TEAM_BYTES / 4];
    for (uint32_t d = 0; d < sum_team.count; d++) {
        ck_ok(trm_download(sum_team.streams[d], found, trm_span_of(sum_team.out[d], 0, bytes)));
        ck_ok(trm_stream_sync(sum_team.streams[d]));
        for (uint64_t i = 0; i < bytes / 4; i++)
            ck_assert_uint_eq(found[i], sum_team.count * (sum_team.count + 1) / 2);
    }
}
