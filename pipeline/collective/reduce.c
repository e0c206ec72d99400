/* Launches of the reduce_spans kernels.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "pipeline/collective/collective.h"

#define SPANS PIPELINE_KERNEL_SPANS
/* Elements of a launch, where the device does not allow fewer: the kernels count in 32 bits. */
#define MOST_ELEMENTS (UINT64_C(1) << 30)
#define GROUP_ITEMS 256u

static const int32_t types[PIPELINE_REDUCE_TYPES] = {TRM_TYPE_F16, TRM_TYPE_BF16, TRM_TYPE_F32,
                                                     TRM_TYPE_F64, TRM_TYPE_I32,  TRM_TYPE_I64};

int32_t pipeline_reduce_index(int32_t type)
{
    for (int32_t i = 0; i < PIPELINE_REDUCE_TYPES; i++)
        if (types[i] == type)
            return i;
    return -1;
}

/* The form for sums of `sources` spans; 0: only that for everything does it. */
static uint32_t form_of(uint32_t sources, uint32_t targets, bool is_average)
{
    if (sources < 2 || sources > SPANS || (targets != 1 && targets != sources))
        return 0;
    return 1 + (sources - 2) * 4 + (targets > 1 ? 2 : 0) + is_average;
}

/* Loads a form once. */
static void load_form(struct pipeline_collective *collective, const char *name, int32_t type,
                      uint32_t sources, uint32_t targets, bool is_average)
{
    const struct trm_constant constants[] = {trm_constant_u32("reads", sources),
                                             trm_constant_u32("writes", targets),
                                             trm_constant_u32("averages", is_average)};
    uint32_t form = form_of(sources, targets, is_average), count = is_average ? 3 : targets > 1 ? 2 : 1;

    if (form == 0 || (collective->asked_forms[type] >> form & 1) != 0)
        return;
    collective->asked_forms[type] |= 1u << form;
    if (trm_group_kernel_named(collective->group_held, name, constants, count,
                               &collective->kernels[type][form]) != TRM_OK)
        base_error_clear(); /* that for everything does the same */
}

int32_t pipeline_reduce_load(struct pipeline_collective *collective, const struct pipeline_call *call)
{
    char name[32];
    int32_t status  = TRM_OK;
    bool is_average = call->operation == TRM_REDUCE_AVERAGE;

    if (!pipeline_kind_reduces(call->kind) || collective->devices == 1)
        return TRM_OK;
    int32_t type = pipeline_reduce_index(call->type);
    snprintf(name, sizeof(name), "reduce_spans_%s", trm_type_name(call->type));
    if (collective->kernels[type][0] == NULL)
        status = trm_group_kernel_named(collective->group_held, name, NULL, 0, &collective->kernels[type][0]);
    if (status != TRM_OK || (call->operation != TRM_REDUCE_SUM && !is_average))
        return status;
    load_form(collective, name, type, call->devices, 1, is_average);
    load_form(collective, name, type, call->devices, call->devices, is_average);
    return TRM_OK;
}

/* ---- one launch ----------------------------------------------------------------------------- */

/* What one kernel does. */
struct step {
    const struct trm_span *sources[SPANS], *targets[SPANS];
    uint32_t source_count, target_count;
    uint32_t operation; /* of the shader */
    uint32_t divisor;
};

static struct trm_argument argument_of(const struct trm_span *const *spans, uint32_t count, uint32_t i,
                                       uint64_t at, uint64_t bytes)
{
    const struct trm_span *span = spans[i < count ? i : 0]; /* a step has a source and a target */

    return span != NULL ? trm_arg_span(trm_span_of(span->buffer, span->offset + at, bytes)) : trm_arg_u32(0);
}

static int32_t launch_range(struct trm_kernel *kernel, struct trm_stream *stream, const struct step *step,
                            uint64_t at, uint32_t elements, uint32_t element_bytes)
{
    struct trm_argument arguments[2 * SPANS + 5];
    struct trm_grid grid = trm_grid_1d((elements + GROUP_ITEMS - 1) / GROUP_ITEMS, 0);
    uint64_t bytes       = (uint64_t)elements * element_bytes;

    for (uint32_t i = 0; i < SPANS; i++) {
        arguments[i]         = argument_of(step->sources, step->source_count, i, at, bytes);
        arguments[SPANS + i] = argument_of(step->targets, step->target_count, i, at, bytes);
    }
    arguments[2 * SPANS]     = trm_arg_u32(elements);
    arguments[2 * SPANS + 1] = trm_arg_u32(step->source_count);
    arguments[2 * SPANS + 2] = trm_arg_u32(step->target_count);
    arguments[2 * SPANS + 3] = trm_arg_u32(step->operation);
    arguments[2 * SPANS + 4] = trm_arg_u32(step->divisor);
    return trm_launch(stream, kernel, &grid, arguments, 2 * SPANS + 5);
}

/* ---- a task --------------------------------------------------------------------------------- */

struct reduction {
    struct trm_group_kernel *const *kernels; /* by form; of the collective */
    struct trm_stream *stream;
    const struct pipeline_task_range *task;
    uint64_t most_elements;
    uint32_t element;
    uint32_t operation, divisor;
};

static int32_t run(const struct reduction *reduction, const struct step *step)
{
    const struct pipeline_task_range *task = reduction->task;
    uint64_t elements                      = task->bytes / reduction->element;
    uint32_t form =
        step->operation == 0 ? form_of(step->source_count, step->target_count, step->divisor > 1) : 0;
    struct trm_kernel *kernel = NULL;

    int32_t status = trm_group_kernel_get(reduction->kernels[reduction->kernels[form] != NULL ? form : 0],
                                          task->device, &kernel);
    for (uint64_t done = 0; status == TRM_OK && done < elements;) {
        uint64_t left  = elements - done;
        uint32_t count = (uint32_t)(left < reduction->most_elements ? left : reduction->most_elements);
        status         = launch_range(kernel, reduction->stream, step, done * reduction->element, count,
                                      reduction->element);
        done += count;
    }
    return status;
}

/* Combines all sources: up to four, then the result with three more at a time. */
static int32_t combine(const struct reduction *reduction, const struct trm_span *scratch)
{
    const struct pipeline_task_range *task = reduction->task;
    uint32_t done                          = 0;
    int32_t status                         = TRM_OK;

    while (status == TRM_OK && done < task->source_count) {
        struct step step = {.operation = reduction->operation, .divisor = 1};
        if (done > 0)
            step.sources[step.source_count++] = scratch;
        while (step.source_count < SPANS && done < task->source_count)
            step.sources[step.source_count++] = &task->sources[done++];
        if (done < task->source_count) {
            step.targets[step.target_count++] = scratch;
        } else {
            step.divisor = reduction->divisor;
            while (step.target_count < SPANS && step.target_count < task->target_count) {
                step.targets[step.target_count] = &task->targets[step.target_count];
                step.target_count++;
            }
        }
        status = run(reduction, &step);
    }
    return status;
}

/* Writes what the first target has to those that one kernel could not write. */
static int32_t spread(const struct reduction *reduction)
{
    const struct pipeline_task_range *task = reduction->task;
    int32_t status                         = TRM_OK;

    for (uint32_t done = SPANS; status == TRM_OK && done < task->target_count;) {
        struct step step = {.sources = {&task->targets[0]}, .source_count = 1, .divisor = 1};
        while (step.target_count < SPANS && done < task->target_count)
            step.targets[step.target_count++] = &task->targets[done++];
        status = run(reduction, &step);
    }
    return status;
}

int32_t pipeline_reduce_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                const struct pipeline_task_range *task, struct trm_stream *stream,
                                struct trm_span scratch)
{
    const struct core_device *device = collective->group->devices[task->device];
    uint64_t items                   = device->limits.max_groups[0] * GROUP_ITEMS;
    bool is_average                  = call->operation == TRM_REDUCE_AVERAGE;
    struct reduction reduction       = {
              .kernels       = collective->kernels[pipeline_reduce_index(call->type)],
              .stream        = stream,
              .task          = task,
              .most_elements = items < MOST_ELEMENTS ? items : MOST_ELEMENTS,
              .element       = call->element,
              .operation     = is_average ? 0 : (uint32_t)call->operation,
              .divisor       = is_average ? call->devices : 1,
    };

    int32_t status = combine(&reduction, &scratch);
    return status == TRM_OK ? spread(&reduction) : status;
}
