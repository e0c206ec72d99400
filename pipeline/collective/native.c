/* The way nccl: the backend's own collectives, by a library such as NCCL.
 *
 * A call is one operation of the first device's stream, which waits for all others before it, and for which
 * they wait after it. What the backend needs is made when a call first takes this way, and made anew after it
 * has failed.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/backend.h>

#include "pipeline/collective/collective.h"

static const int32_t kinds[PIPELINE_KINDS] = {
    [PIPELINE_ALL_REDUCE]     = TRM_COLLECTIVE_ALL_REDUCE,
    [PIPELINE_REDUCE]         = TRM_COLLECTIVE_REDUCE,
    [PIPELINE_REDUCE_SCATTER] = TRM_COLLECTIVE_REDUCE_SCATTER,
    [PIPELINE_BROADCAST]      = TRM_COLLECTIVE_BROADCAST,
    [PIPELINE_ALL_GATHER]     = TRM_COLLECTIVE_ALL_GATHER,
    [PIPELINE_ALL_TO_ALL]     = TRM_COLLECTIVE_ALL_TO_ALL,
};

/* ---- what it does --------------------------------------------------------------------------- */

/* NCCL rounds floats of 16 bits after each device, drops NaNs from minima and maxima, does not say how it
 * rounds averages of integers, and makes those of floats of terms that it has divided before. */
bool pipeline_native_is_exact(const struct pipeline_call *call)
{
    bool is_sum = call->operation == TRM_REDUCE_SUM;

    if (!pipeline_kind_reduces(call->kind))
        return true;
    switch (call->type) {
    case TRM_TYPE_I32:
    case TRM_TYPE_I64:
        return call->operation != TRM_REDUCE_AVERAGE;
    case TRM_TYPE_F16:
    case TRM_TYPE_BF16:
        return is_sum && call->devices <= 2;
    default:
        return is_sum;
    }
}

/* ---- life ----------------------------------------------------------------------------------- */

int32_t pipeline_native_prepare(struct pipeline_collective *collective)
{
    struct pipeline_group *group = collective->group;

    if (collective->native != NULL && core_communicator_check(collective->native) != TRM_OK) {
        core_log(collective->object.context, TRM_LOG_WARNING, "collectives of the backend are made anew: %s",
                 trm_last_error().sentence);
        core_communicator_set_aside(collective->native, &collective->failed_natives);
        collective->native = NULL;
    }
    if (collective->native != NULL)
        return TRM_OK;
    base_error_clear();
    int32_t status = core_communicator_create(group->devices, group->count, &collective->native);
    if (status != TRM_OK)
        core_log(collective->object.context, TRM_LOG_INFO, "collectives do not take the way nccl: %s",
                 trm_last_error().sentence);
    return status;
}

void pipeline_native_fini(struct pipeline_collective *collective)
{
    core_communicator_destroy(collective->native);
    core_communicator_destroy_list(collective->failed_natives);
    collective->native         = NULL;
    collective->failed_natives = NULL;
}

/* ---- a call --------------------------------------------------------------------------------- */

/* The spans that have a length: moved together. */
static uint32_t pack(const struct pipeline_call *call)
{
    uint32_t devices = call->devices, outputs = call->kind == PIPELINE_REDUCE ? 1 : devices, kept = 0;

    for (uint32_t k = 0; k < call->count; k++) {
        if (call->inputs[k * (uint64_t)devices].length == 0)
            continue;
        for (uint32_t d = 0; kept != k && d < devices; d++)
            call->inputs[kept * (uint64_t)devices + d] = call->inputs[k * (uint64_t)devices + d];
        for (uint32_t i = 0; kept != k && i < outputs; i++)
            call->outputs[kept * (uint64_t)outputs + i] = call->outputs[k * (uint64_t)outputs + i];
        kept++;
    }
    return kept;
}

static int32_t run(struct pipeline_collective *collective, const struct pipeline_call *call)
{
    struct core_stream *stream;
    const struct core_communication communication = {
        .kind      = kinds[call->kind],
        .type      = pipeline_kind_reduces(call->kind) ? call->type : TRM_TYPE_U8,
        .operation = pipeline_kind_reduces(call->kind) ? call->operation : TRM_REDUCE_SUM,
        .root      = call->root,
        .count     = pack(call),
        .inputs    = call->inputs,
        .outputs   = call->outputs,
    };

    int32_t status = core_stream_begin_live(call->streams[0], call->name, &stream);
    return status == TRM_OK ? core_communicator_enqueue(collective->native, stream, &communication) : status;
}

int32_t pipeline_native_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call)
{
    int32_t status = pipeline_streams_gather(call, 0);

    if (status == TRM_OK)
        status = run(collective, call);
    return status == TRM_OK ? pipeline_streams_scatter(call, 0) : status;
}
