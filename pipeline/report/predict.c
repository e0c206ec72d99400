/* Predicts how long a pipeline takes.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/predict.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/report/report_internal.h"

/* Bytes of the structures in their first version. */
#define DESC_LEAST offsetof(struct trm_prediction_desc, devices)
#define PREDICTION_LEAST offsetof(struct trm_prediction, throughput)

/* ---- the descriptor ------------------------------------------------------------------------- */

/* Nanoseconds that so many bytes take at a speed. */
static int32_t link_time(uint64_t bytes, double speed, const char *name, uint64_t *time)
{
    double nanoseconds = (double)bytes / speed * 1e9;

    if (bytes == 0 || speed == 0)
        return TRM_OK;
    if (!(speed > 0) || !(nanoseconds < 9e18))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s is not a speed in bytes a second that this can be done at", name);
    *time = (uint64_t)(nanoseconds + 0.5);
    return TRM_OK;
}

/* Devices have slots and stages of their own, so together they have as many times more. */
static void set_lanes(const struct trm_prediction_desc *desc, struct pipeline_model *model)
{
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        bool is_on_device = pipeline_stage_is_on_device(i);
        uint32_t lanes    = desc->lanes[i] != 0 ? desc->lanes[i] : 1;
        uint32_t most     = is_on_device ? model->depth : model->depth * model->devices;

        lanes           = lanes < most ? lanes : most;
        model->lanes[i] = is_on_device ? lanes * model->devices : lanes;
    }
    model->depth *= model->devices;
}

/* How long compute takes as branches: the longest path where they run at once, else the sum. */
static int32_t compute_time(const struct trm_prediction_desc *desc, uint64_t *time)
{
    uint64_t sum = 0, path;

    if (desc->launch_count == 0)
        return TRM_OK;
    if (desc->launch_count > TRM_REPORT_LAUNCHES)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "launch_count is %u: a prediction has at most %d launches", desc->launch_count,
                         TRM_REPORT_LAUNCHES);
    for (uint32_t i = 0; i < desc->launch_count; i++) {
        if (desc->launch_after[i] >> i != 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "launch_after[%u] names a launch that is not before it", i);
        if (__builtin_add_overflow(sum, desc->launch_ns[i], &sum))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the times of the launches overflow");
    }
    *time = sum;
    if (desc->branches > 1)
        *time = pipeline_longest_path(desc->launch_ns, desc->launch_after, desc->launch_count, &path);
    return TRM_OK;
}

static int32_t read_description(const struct trm_prediction_desc *desc, struct pipeline_model *model)
{
    uint64_t sum = 0, whole;
    int32_t status;

    memset(model, 0, sizeof(*model));
    model->tokens     = desc->tokens;
    model->depth      = desc->depth != 0 ? desc->depth : 3;
    model->devices    = desc->devices != 0 ? desc->devices : 1;
    model->processors = desc->processors;
    model->one_thread = desc->one_thread != 0;
    memcpy(model->time, desc->stage_ns, sizeof(model->time));
    if (model->tokens == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there are no tokens to predict");
    if (model->depth > PIPELINE_PREDICT_DEPTH_MOST ||
        model->devices > PIPELINE_PREDICT_DEPTH_MOST / model->depth)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "depth is %u on each of %u devices: a pipeline has at most %d slots", model->depth,
                         model->devices, PIPELINE_PREDICT_DEPTH_MOST);
    status = compute_time(desc, &model->time[TRM_STAGE_COMPUTE]);
    if (status != TRM_OK)
        return status;
    status = link_time(desc->bytes_up, desc->up_speed, "up_speed", &model->time[TRM_STAGE_UPLOAD]);
    if (status == TRM_OK)
        status =
            link_time(desc->bytes_down, desc->down_speed, "down_speed", &model->time[TRM_STAGE_DOWNLOAD]);
    if (status != TRM_OK)
        return status;
    status = link_time(desc->bytes_up + desc->bytes_down, desc->host_speed, "host_speed", &model->host_time);
    if (status != TRM_OK)
        return status;
    set_lanes(desc, model);
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        if (__builtin_add_overflow(sum, model->time[i], &sum))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the times of the stages overflow");
    }
    if (sum == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "no stage takes any time");
    if (__builtin_add_overflow(sum, model->host_time, &sum) ||
        __builtin_mul_overflow(sum, model->tokens, &whole) || whole > UINT64_MAX / 2)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the times of all tokens together overflow");
    return TRM_OK;
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* The stage with the longest time for a token while all its lanes work. */
static int32_t find_critical(const struct pipeline_model *model)
{
    int32_t critical = 0;

    for (int32_t i = 1; i < TRM_STAGES; i++)
        if ((unsigned __int128)model->time[i] * model->lanes[critical] >
            (unsigned __int128)model->time[critical] * model->lanes[i])
            critical = i;
    return critical;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* 0 where it is no limit. */
static uint64_t host_time(const struct pipeline_model *model)
{
    return pipeline_model_first_copy(model) != TRM_STAGES ? model->host_time : 0;
}

static uint64_t find_bound(const struct pipeline_model *model, int32_t critical)
{
    uint64_t bound = model->time[critical] * model->tokens / model->lanes[critical];
    uint64_t device =
        model->time[TRM_STAGE_UPLOAD] + model->time[TRM_STAGE_COMPUTE] + model->time[TRM_STAGE_DOWNLOAD];

    if (model->processors != 0)
        bound = larger(bound, device * model->tokens / ((uint64_t)model->processors * model->devices));
    if (host_time(model) > 0) /* spaces the beginnings of copies */
        bound = larger(bound, host_time(model) * (model->tokens - 1) +
                                  model->time[pipeline_model_first_copy(model)]);
    if (model->one_thread)
        bound = larger(bound, (model->time[TRM_STAGE_LOAD] + model->time[TRM_STAGE_SINK]) * model->tokens);
    return bound;
}

/* Whether stages can want the same processor or thread; of one device, since all are alike. */
static bool has_sharing(const struct pipeline_model *model)
{
    uint32_t wanted = 0;

    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++)
        if (model->time[i] > 0)
            wanted += model->lanes[i] / model->devices;
    if (wanted > model->depth / model->devices)
        wanted = model->depth / model->devices;
    return (model->processors != 0 && model->processors < wanted) ||
           (model->one_thread && model->time[TRM_STAGE_LOAD] > 0 && model->time[TRM_STAGE_SINK] > 0);
}

static bool is_host_bound(const struct pipeline_model *model, int32_t critical)
{
    return (unsigned __int128)host_time(model) * model->lanes[critical] > model->time[critical];
}

int32_t trm_predict(const struct trm_prediction_desc *desc, struct trm_prediction *prediction)
{
    struct pipeline_model_times times;
    struct pipeline_model model;
    struct trm_prediction_desc own;
    struct trm_prediction answer = {.struct_size = sizeof(answer)};
    int32_t status;

    status = core_desc_copy(&own, sizeof(own), desc, DESC_LEAST, "trm_prediction_desc");
    if (status != TRM_OK)
        return status;
    status = core_output_check(prediction, "trm_predict", "prediction");
    if (status == TRM_OK)
        status = read_description(&own, &model);
    if (status != TRM_OK)
        return status;

    if (model.one_thread) {
        model.lanes[TRM_STAGE_LOAD] = 1;
        model.lanes[TRM_STAGE_SINK] = 1;
    }
    answer.critical = find_critical(&model);
    if (has_sharing(&model))
        pipeline_predict_shared(&model, answer.critical, &times);
    else
        pipeline_predict_exact(&model, answer.critical, &times);
    answer.bound_ns = find_bound(&model, answer.critical);
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        answer.sequential_ns += model.time[i] * model.tokens;
    answer.sequential_ns = larger(answer.sequential_ns, host_time(&model) * model.tokens);
    answer.elapsed_ns    = times.elapsed;
    answer.startup_ns    = times.startup;
    answer.drain_ns      = times.elapsed - times.critical_done;
    answer.period_ns     = times.period;
    answer.speedup       = (double)answer.sequential_ns / (double)times.elapsed;
    answer.throughput    = times.period > 0 ? 1e9 / (double)times.period : 0;
    answer.host_bound    = is_host_bound(&model, answer.critical);
    if (!core_struct_copy_out(prediction, &answer, sizeof(answer), PREDICTION_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_prediction.struct_size is %u, but its size is %zu",
                         prediction->struct_size, sizeof(answer));
    return TRM_OK;
}
