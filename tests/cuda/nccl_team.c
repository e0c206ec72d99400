/* See nccl_team.h.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>

#include "tests/cuda/nccl_team.h"

const struct nccl_standin_control *nccl;
struct nccl_team team;

const char *const nccl_functions[FUNCTIONS] = {
    "ncclGetVersion", "ncclCommInitAll", "ncclCommDestroy",    "ncclCommAbort", "ncclCommGetAsyncError",
    "ncclGroupStart", "ncclGroupEnd",    "ncclGetErrorString", "ncclAllReduce", "ncclReduce",
    "ncclBroadcast",  "ncclAllGather",   "ncclReduceScatter",  "ncclSend",      "ncclRecv",
};

static void team_setup(void)
{
    void *library = dlopen(NCCL_STANDIN_PATH, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    nccl = dlsym(library, NCCL_STANDIN_CONTROL_SYMBOL);
    ck_assert_ptr_nonnull(nccl);
    standin_shape("devices=3");
}

void streams_open(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        team.streams[d] = stream_open(team.devices[d], TRM_STREAM_ANY);
}

void streams_close(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        trm_stream_destroy(team.streams[d]);
}

void team_open(const char *library, const char *way, uint32_t flags)
{
    const struct trm_setting settings[] = {{"cuda.nccl", library}, {"collective.way", way}};
    ck_ok(context_make(settings, 2, &team.context));
    ck_ok(trm_group_create(team.context, "cuda:*", &team.group));
    ck_ok(trm_group_size(team.group, &team.count));
    ck_assert_uint_le(team.count, DEVICES);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_ok(trm_group_device(team.group, d, &team.devices[d]));
        team.in[d]      = buffer_open(team.devices[d], TRM_MEMORY_DEVICE, BYTES);
        team.out[d]     = buffer_open(team.devices[d], TRM_MEMORY_DEVICE, BYTES);
        team.inputs[d]  = trm_span_whole(team.in[d]);
        team.outputs[d] = trm_span_whole(team.out[d]);
    }
    streams_open();
    ck_ok(trm_collective_create(team.group, flags, &team.collective));
}

void team_close(void)
{
    streams_close();
    trm_collective_destroy(team.collective);
    trm_group_destroy(team.group);
    for (uint32_t d = 0; d < team.count; d++) {
        trm_buffer_destroy(team.in[d]);
        trm_buffer_destroy(team.out[d]);
        trm_device_destroy(team.devices[d]);
    }
    trm_context_destroy(team.context);
    ck_assert_uint_eq(nccl->living(), 0);
    check_nothing_left("the collective");
}

/* Each device adds its number and one. */
void fill_inputs(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_fill(team.streams[d], team.inputs[d], d + 1, 4));
}

int32_t add_up(void)
{
    return trm_all_reduce(team.collective, team.streams, team.outputs, team.inputs, 1, TRM_TYPE_I32,
                          TRM_REDUCE_SUM);
}

void ck_sums(void)
{
    static uint32_t found[WORDS];
    for (uint32_t d = 0; d < team.count; d++) {
        ck_ok(trm_download(team.streams[d], found, team.outputs[d]));
        ck_ok(trm_stream_sync(team.streams[d]));
        for (uint32_t i = 0; i < WORDS; i++)
            ck_assert_uint_eq(found[i], team.count * (team.count + 1) / 2);
    }
}

void add_up_rightly(void)
{
    fill_inputs();
    ck_ok(add_up());
    ck_sums();
}

void team_add_case(Suite *suite, TCase *tcase)
{
    tcase_add_checked_fixture(tcase, team_setup, NULL);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
}
