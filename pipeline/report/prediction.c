/* A prediction from a report.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/report/report_internal.h"

/* The mean number of tokens that load or sink worked on at once while busy; 1 for one by one. */
static uint32_t lanes_of(const struct trm_stage_report *stage)
{
    double sum = (double)stage->mean_ns * (double)stage->tokens;

    if (stage->busy_ns == 0 || sum <= (double)stage->busy_ns * 1.5)
        return 1;
    return sum >= (double)stage->busy_ns * 64 ? 64 : (uint32_t)(sum / (double)stage->busy_ns + 0.5);
}

static void describe_stage(const struct trm_report *report, uint32_t number, struct trm_prediction_desc *desc)
{
    const struct trm_stage_report *stage = &report->stages[number];
    bool is_on_host                      = number == TRM_STAGE_LOAD || number == TRM_STAGE_SINK;
    uint32_t lanes                       = is_on_host ? lanes_of(stage) : 1;

    if (stage->tokens == 0)
        return;
    if (number == TRM_STAGE_LOAD && report->workers > 0) {
        desc->lanes[number]    = report->workers;
        desc->stage_ns[number] = stage->mean_ns;
        return;
    }
    /* Keeps the rate: as many tokens in as much time as it was busy. Tokens that were on the device at once
     * shared it, so one alone takes no longer than its share. */
    desc->lanes[number]    = lanes;
    desc->stage_ns[number] = (uint64_t)((unsigned __int128)stage->busy_ns * lanes / stage->tokens);
}

/* A token that was read ahead was in the source for longer than its slot was loaded. */
static void describe_ahead(const struct trm_report *report, struct trm_prediction_desc *desc)
{
    if (report->ahead > 0 && report->source_ns > desc->stage_ns[TRM_STAGE_LOAD])
        desc->stage_ns[TRM_STAGE_LOAD] = report->source_ns;
}

/* Branches that are as long as compute, each stage in proportion. */
static void describe_launches(const struct trm_report *report, struct trm_prediction_desc *desc)
{
    uint64_t compute = desc->stage_ns[TRM_STAGE_COMPUTE];

    if (report->branches < 2 || report->path_ns == 0 || report->launch_count > TRM_REPORT_LAUNCHES)
        return;
    desc->branches     = report->branches;
    desc->launch_count = report->launch_count;
    for (uint32_t i = 0; i < report->launch_count; i++) {
        desc->launch_ns[i] =
            (uint64_t)((unsigned __int128)report->launches[i].busy_ns * compute / report->path_ns);
        desc->launch_after[i] = report->launch_after[i];
    }
}

/* What the report itself predicts from: how long compute took. */
int32_t pipeline_report_describe(const struct trm_report *report, struct trm_prediction_desc *desc)
{
    int32_t status     = trm_report_prediction(report, desc);
    desc->launch_count = 0;
    return status;
}

int32_t trm_report_prediction(const struct trm_report *report, struct trm_prediction_desc *desc)
{
    struct trm_prediction_desc answer = {.struct_size = sizeof(answer)};
    struct trm_report own;

    if (report == NULL || report->struct_size < PIPELINE_REPORT_LEAST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the report is NULL, or its struct_size is too small");
    int32_t status = core_output_check(desc, "trm_report_prediction", "desc");
    if (status != TRM_OK)
        return status;
    if (report->measured == 0 || report->tokens == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "nothing was measured that a prediction could be made from");
    answer.depth      = report->depth;
    answer.tokens     = report->tokens;
    answer.one_thread = report->one_thread;
    answer.processors =
        report->device_count > 1 ? report->processors * report->device_count : report->processors;
    answer.bytes_up   = report->bytes_up / report->tokens;
    answer.bytes_down = report->bytes_down / report->tokens;
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        describe_stage(report, i, &answer);
    if (core_struct_copy_in(&own, sizeof(own), report, PIPELINE_REPORT_LEAST)) {
        describe_ahead(&own, &answer);
        describe_launches(&own, &answer);
    }
    if (!core_struct_copy_out(desc, &answer, sizeof(answer), offsetof(struct trm_prediction_desc, devices)))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_prediction_desc.struct_size is %u, but its size is %zu", desc->struct_size,
                         sizeof(answer));
    return TRM_OK;
}

/* Processors that this process may use. */
static uint32_t count_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;

    if (count < 1)
        count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

void pipeline_report_complete(struct trm_report *report, const struct pipeline_report_facts *facts)
{
    static const struct pipeline_report_facts none;
    struct trm_prediction_desc desc  = {.struct_size = sizeof(desc)};
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    report->predicted_ns = 0;
    pipeline_report_find_path(report);
    if (report->measured > 0 && pipeline_report_describe(report, &desc) == TRM_OK &&
        trm_predict(&desc, &prediction) == TRM_OK)
        report->predicted_ns = prediction.elapsed_ns;
    pipeline_report_advise(report, facts != NULL ? facts : &none, count_processors());
}
