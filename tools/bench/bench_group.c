/* Trireme: the devices of the suite `devices`: all of the backend of the measured device, or, where that is a
 * cpu, its workers as two devices, in a context with a setting of its own.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

#include <stdio.h>

/* A cpu as two devices or as one: its ids are those of that context. */
static int32_t open_cpu(struct bench_flow *flow)
{
    const char *count = flow->kind->place == BENCH_ON_WHOLE ? "1" : "2";

    const struct trm_setting settings[] = {{.name = "cpu.devices", .value = count},
                                           {.name = "backend", .value = "cpu"}};
    const struct trm_context_desc desc  = {
         .struct_size = sizeof(desc), .settings = settings, .setting_count = 2};

    return trm_context_create(&desc, &flow->context);
}

static int32_t check_several(struct bench *bench, const struct bench_flow *flow)
{
    uint32_t count = 0;
    int32_t status = trm_group_size(flow->group, &count);

    if (status != TRM_OK || count > 1 || flow->kind->place != BENCH_ON_GROUP)
        return status;
    bench->complaint = "the backend has a single device";
    return TRM_ERROR_UNSUPPORTED;
}

int32_t bench_group_begin(struct bench *bench, struct bench_flow *flow)
{
    bool is_cpu    = bench->summary.kind == TRM_DEVICE_CPU;
    bool is_single = flow->kind->place == BENCH_ON_ONE_ONLY || flow->kind->place == BENCH_ON_WHOLE;
    char devices[80];

    if (!is_cpu && flow->kind->place == BENCH_ON_WHOLE) {
        bench->complaint = "only a cpu is divided";
        return TRM_ERROR_UNSUPPORTED;
    }
    int32_t status = is_cpu ? open_cpu(flow) : TRM_OK;

    struct trm_context *context = is_cpu ? flow->context : bench->context;
    const char *backend         = is_cpu ? "cpu" : bench->summary.backend;
    snprintf(devices, sizeof(devices), flow->kind->place == BENCH_ON_GROUP ? "%s:*" : "%s:0", backend);
    if (status == TRM_OK && is_single)
        return trm_device_open(context, devices, &flow->one);
    if (status == TRM_OK)
        status = trm_group_create(context, devices, &flow->group);
    return status == TRM_OK ? check_several(bench, flow) : status;
}

void bench_group_end(struct bench_flow *flow)
{
    trm_group_kernel_destroy(flow->group_kernel);
    trm_group_destroy(flow->group);
    trm_device_destroy(flow->one);
    trm_context_destroy(flow->context);
}
