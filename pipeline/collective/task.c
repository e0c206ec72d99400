/* Tasks: which device combines or copies which bytes.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/collective.h"

/* Parts begin at multiples of this many bytes, so that kernels take them wherever they take the span. */
#define PART_ALIGNMENT 256u
/* Of several spans, one of up to this many bytes is not divided. */
#define SMALL_BYTES (UINT64_C(16) << 10)

struct range {
    uint64_t at, bytes;
};

/* Part `part` of `bytes` for as many devices. */
static struct range part_of(uint64_t bytes, uint32_t devices, uint32_t part)
{
    uint64_t each = (bytes + devices - 1) / devices;
    each          = (each + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
    uint64_t at   = part * each;
    if (at >= bytes)
        return (struct range){0, 0};
    return (struct range){at, bytes - at < each ? bytes - at : each};
}

static void add_source(struct pipeline_task_range *task, uint32_t device, struct trm_span span, uint64_t at)
{
    task->sources[task->source_count]        = trm_span_of(span.buffer, span.offset + at, task->bytes);
    task->source_devices[task->source_count] = device;
    task->source_count++;
}

static void add_target(struct pipeline_task_range *task, uint32_t device, struct trm_span span, uint64_t at)
{
    task->targets[task->target_count]        = trm_span_of(span.buffer, span.offset + at, task->bytes);
    task->target_devices[task->target_count] = device;
    task->target_count++;
}

/* ---- that combine --------------------------------------------------------------------------- */

/* The bytes that device `part` combines. */
static struct range range_of(const struct pipeline_call *call, enum pipeline_way way, uint32_t number,
                             uint32_t part)
{
    uint32_t worker          = pipeline_call_worker(call, way);
    uint64_t bytes           = call->inputs[number * (uint64_t)call->devices].length;
    const struct range whole = {0, bytes}, none = {0, 0};

    if (call->kind == PIPELINE_REDUCE_SCATTER)
        return (struct range){part * (bytes / call->devices), bytes / call->devices};
    if (worker != PIPELINE_DEVICES)
        return part == worker ? whole : none;
    if (way == PIPELINE_WAY_ONE_SHOT)
        return whole;
    if (call->count > 1 && bytes <= SMALL_BYTES)
        return part == number % call->devices ? whole : none;
    return part_of(bytes, call->devices, part);
}

static void add_targets(const struct pipeline_call *call, enum pipeline_way way, uint32_t number,
                        uint32_t part, uint64_t at, struct pipeline_task_range *task)
{
    uint32_t devices               = call->devices;
    const struct trm_span *outputs = &call->outputs[number * (uint64_t)devices];

    if (call->kind == PIPELINE_REDUCE)
        add_target(task, call->root, call->outputs[number], at);
    else if (call->kind == PIPELINE_REDUCE_SCATTER)
        add_target(task, part, outputs[part], 0);
    else if (way == PIPELINE_WAY_ONE_SHOT)
        add_target(task, part, outputs[part], at);
    else
        for (uint32_t d = 0; d < devices; d++)
            add_target(task, d, outputs[d], at);
}

static bool make_reduction(const struct pipeline_call *call, enum pipeline_way way, uint32_t number,
                           uint32_t part, struct pipeline_task_range *task)
{
    struct range range = range_of(call, way, number, part);

    task->device = part;
    task->bytes  = range.bytes;
    if (range.bytes == 0)
        return false;
    for (uint32_t d = 0; d < call->devices; d++)
        add_source(task, d, call->inputs[number * (uint64_t)call->devices + d], range.at);
    add_targets(call, way, number, part, range.at, task);
    return true;
}

/* ---- that copy ------------------------------------------------------------------------------ */

/* A device gets from another one; part: target * devices + source. */
static bool make_copy(const struct pipeline_call *call, uint32_t number, uint32_t part,
                      struct pipeline_task_range *task)
{
    uint32_t devices = call->devices, target = part / devices, source = part % devices;
    const struct trm_span *in  = &call->inputs[number * (uint64_t)devices];
    const struct trm_span *out = &call->outputs[number * (uint64_t)devices];
    uint64_t piece             = call->kind == PIPELINE_ALL_TO_ALL ? in[0].length / devices : in[0].length;

    if (call->kind == PIPELINE_BROADCAST && source != call->root)
        return false;
    task->device = target;
    task->bytes  = piece;
    add_source(task, source, in[source], call->kind == PIPELINE_ALL_TO_ALL ? target * piece : 0);
    add_target(task, target, out[target], call->kind == PIPELINE_BROADCAST ? 0 : source * piece);
    return piece != 0;
}

/* ---- both ----------------------------------------------------------------------------------- */

uint32_t pipeline_call_worker(const struct pipeline_call *call, enum pipeline_way way)
{
    bool is_whole = way == PIPELINE_WAY_ONE_SHOT || way == PIPELINE_WAY_ROOT;

    if (call->kind == PIPELINE_ALL_REDUCE && way == PIPELINE_WAY_ROOT)
        return 0;
    if (call->kind == PIPELINE_REDUCE && is_whole)
        return call->root;
    if (call->kind == PIPELINE_BROADCAST && call->devices == 2)
        return 1 - call->root;
    return PIPELINE_DEVICES;
}

uint32_t pipeline_call_tasks(const struct pipeline_call *call)
{
    return pipeline_kind_reduces(call->kind) ? call->devices : call->devices * call->devices;
}

bool pipeline_call_task(const struct pipeline_call *call, enum pipeline_way way, uint32_t number,
                        uint32_t part, struct pipeline_task_range *task)
{
    task->source_count = 0;
    task->target_count = 0;
    bool is_work       = pipeline_kind_reduces(call->kind) ? make_reduction(call, way, number, part, task)
                                                           : make_copy(call, number, part, task);
    bool is_there      = is_work && task->source_count == 1 && task->target_count == 1 &&
                    task->sources[0].buffer == task->targets[0].buffer &&
                    task->sources[0].offset == task->targets[0].offset;
    return is_work && !is_there;
}
