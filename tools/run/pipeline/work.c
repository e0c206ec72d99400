/* Trireme: making a plan into a pipeline on the devices of a group.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/pipeline/work.h"

#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tools/output/output.h"

/* ---- kernels ---- */

static bool same_kernel(const struct step *one, const struct step *other)
{
    if (one->code != other->code || one->constant_count != other->constant_count)
        return false;
    for (uint32_t i = 0; i < one->constant_count; i++)
        if (one->constants[i].id != other->constants[i].id ||
            one->constants[i].bits != other->constants[i].bits ||
            one->constants[i].name != other->constants[i].name)
            return false;
    return true;
}

static bool load_kernels(struct work *work)
{
    const struct plan *plan = work->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct step *step = &plan->steps[i];
        struct trm_group_kernel *kernel;

        for (uint32_t before = 0; before < i && !work->kernels[i]; before++)
            if (same_kernel(step, &plan->steps[before]))
                work->kernels[i] = work->kernels[before];
        if (work->kernels[i])
            continue;
        if (!code_load(step->code, work->group, step->constants, step->constant_count, &kernel, work->fault))
            return false;
        work->kernels[i] = kernel;
    }
    return true;
}

static void unload_kernels(struct work *work)
{
    for (uint32_t i = 0; work->kernels && i < work->plan->step_count; i++) {
        bool shared = false;

        for (uint32_t before = 0; before < i; before++)
            shared |= work->kernels[before] == work->kernels[i];
        if (!shared)
            trm_group_kernel_destroy(work->kernels[i]);
    }
}

/* ---- ports ---- */

static bool add_port(struct work *work, struct trm_port port, uint32_t *index)
{
    if (work->port_count == WORK_PORTS)
        return fault_set(work->fault, "the chain is too long: it takes more than %d buffers", WORK_PORTS);
    *index                          = work->port_count;
    work->ports[work->port_count++] = port;
    return true;
}

static bool add_frame_ports(struct work *work)
{
    const struct plan *plan = work->plan;
    uint32_t unused;

    for (uint32_t i = 0; i < plan->track_count; i++)
        if (!add_port(work, trm_port_input(plan->tracks[i].name, surface_bytes(&plan->tracks[i].in)),
                      &unused))
            return false;
    for (uint32_t i = 0; i < plan->track_count; i++) {
        struct trm_port port = trm_port_output(plan->tracks[i].name, surface_bytes(&plan->tracks[i].now));

        port.follows = 1 + i;
        if (!add_port(work, port, &unused))
            return false;
    }
    return true;
}

/* A scratch port for the output of a step, other than the one that the step reads. */
static bool find_scratch(struct work *work, const struct step *step, uint32_t source, uint32_t *index)
{
    uint64_t size        = surface_bytes(&step->to);
    struct trm_port port = trm_port_scratch("between", size);

    for (uint32_t i = 2 * work->plan->track_count; i < work->port_count; i++) {
        if (i == source || work->ports[i].kind != TRM_PORT_SCRATCH || work->ports[i].size != size ||
            work->ports[i].follows != 1 + step->track)
            continue;
        *index = i;
        return true;
    }
    port.follows = 1 + step->track;
    return add_port(work, port, index);
}

static bool add_values(struct work *work, const struct step_argument *argument, uint32_t *index)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = argument->bytes, .data = argument->values};
    struct trm_group_buffer *buffer;
    struct trm_port port;

    if (trm_group_buffer_create(work->group, &desc, &buffer) != TRM_OK)
        return fault_library(work->fault, "the numbers of a kernel");
    port       = trm_port_shared("numbers", trm_group_port_buffer(buffer));
    port.flags = TRM_PORT_READ_ONLY;
    if (!add_port(work, port, index)) {
        trm_group_buffer_destroy(buffer);
        return false;
    }
    work->values[*index] = buffer;
    return true;
}

/* ---- stages ---- */

/* Bytes of the track's input for each work-item of a step, if they divide evenly; else 0. */
static uint64_t input_bytes_an_item(const struct work *work, const struct step *step)
{
    uint64_t bytes = surface_bytes(&work->plan->tracks[step->track].in);

    return step->counted && bytes % step->items[0] == 0 ? bytes / step->items[0] : 0;
}

static struct trm_argument make_scalar(int32_t type, uint64_t bits)
{
    struct trm_argument argument = trm_arg_u64(bits);

    argument.type = type;
    return argument;
}

static bool make_argument(struct work *work, const struct step *step, const struct step_argument *from,
                          uint32_t source, uint32_t target, struct trm_argument *argument)
{
    uint64_t bytes = input_bytes_an_item(work, step);
    uint32_t index = 0;

    switch (from->kind) {
    case STEP_SOURCE:
        *argument = trm_arg_port(source);
        return true;
    case STEP_TARGET:
        *argument = trm_arg_port(target);
        return true;
    case STEP_COUNT:
        *argument =
            bytes > 0 && bytes <= UINT32_MAX
                ? trm_arg_port_elements(step->track, (uint32_t)bytes)
                : make_scalar(from->type, step->counted ? step->items[0] : surface_samples(&step->from));
        return true;
    case STEP_VALUES:
        if (!add_values(work, from, &index))
            return false;
        *argument = trm_arg_port(index);
        return true;
    default:
        *argument = make_scalar(from->type, from->bits);
        return true;
    }
}

/* The launch for a token of flat data, which may have fewer elements than others. */
static int32_t shape_flat(void *user, const struct trm_token *token, struct trm_grid *grid,
                          struct trm_argument *arguments)
{
    const struct work_shape *shape = user;
    const struct step *step        = shape->step;
    uint64_t declared              = (uint64_t)step->from.width * step->from.channels;
    uint64_t width                 = token->size[step->track] / trm_type_size(shape->input_type);

    for (uint32_t i = 0; width < declared && i < step->argument_count; i++)
        if (step->arguments[i].kind == STEP_WIDTH)
            arguments[i].value.u64 = width;
    return trm_kernel_grid(shape->kernel, width, step->items[1], step->items[2], grid);
}

static bool make_stage(struct work *work, uint32_t number, uint32_t source, uint32_t target)
{
    const struct step *step        = &work->plan->steps[number];
    struct trm_argument *arguments = work->arguments + (size_t)number * STEP_ARGUMENTS;
    uint64_t bytes                 = input_bytes_an_item(work, step);
    struct trm_stage *stage        = &work->stages[number];
    struct trm_kernel *first;

    for (uint32_t i = 0; i < step->argument_count; i++)
        if (!make_argument(work, step, &step->arguments[i], source, target, &arguments[i]))
            return false;
    *stage = trm_stage_launch(trm_group_stage_kernel(work->kernels[number]), arguments, step->argument_count,
                              step->track, bytes);
    stage->name = step->label;
    if (bytes > 0)
        return true;
    if (trm_group_kernel_get(work->kernels[number], 0, &first) != TRM_OK)
        return fault_library(work->fault, step->label);
    if (work->plan->format->flat) {
        work->shapes[number] = (struct work_shape){step, first, work->plan->tracks[step->track].in.type};
        stage->shape         = shape_flat;
        stage->user          = &work->shapes[number];
    }
    if (trm_kernel_grid(first, step->items[0], step->items[1], step->items[2], &stage->grid) != TRM_OK)
        return fault_library(work->fault, step->label);
    return true;
}

/* True if a later step moves the track to another buffer. */
static bool goes_on(const struct plan *plan, uint32_t number)
{
    for (uint32_t i = number + 1; i < plan->step_count; i++)
        if (plan->steps[i].track == plan->steps[number].track && !plan->steps[i].in_place)
            return true;
    return false;
}

static bool make_stages(struct work *work)
{
    const struct plan *plan = work->plan;
    uint32_t now[PLAN_TRACKS]; /* the port that holds a track */

    for (uint32_t i = 0; i < plan->track_count; i++)
        now[i] = i;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct step *step = &plan->steps[i];
        uint32_t source = now[step->track], target = source;

        if (!step->in_place && !goes_on(plan, i))
            target = plan->track_count + step->track;
        else if (!step->in_place && !find_scratch(work, step, source, &target))
            return false;
        if (!make_stage(work, i, source, target))
            return false;
        now[step->track] = target;
    }
    return true;
}

/* ---- pieces ---- */

static uint64_t greatest_common(uint64_t one, uint64_t other)
{
    while (other != 0) {
        uint64_t rest = one % other;

        one   = other;
        other = rest;
    }
    return one;
}

/* If every sample depends on one input sample alone, a frame may be processed in parts. Finds the greatest
 * number of equal parts of all ports. */
static void divide(struct work *work, struct trm_pipeline_desc *desc)
{
    const struct plan *plan = work->plan;
    uint64_t parts          = 0;

    for (uint32_t i = 0; i < plan->step_count; i++)
        if (!plan->steps[i].pointwise || input_bytes_an_item(work, &plan->steps[i]) == 0)
            return;
    for (uint32_t i = 0; i < plan->step_count; i++)
        parts = greatest_common(parts, plan->steps[i].items[0]);
    if (parts < 64)
        return;
    for (uint32_t i = 0; i < work->port_count; i++) {
        if (work->ports[i].kind == TRM_PORT_SHARED)
            return; /* a part would need its own part of the values */
        work->ports[i].grain = work->ports[i].size / parts;
    }
    desc->flags |= TRM_PIPELINE_DIVISIBLE;
}

/* ---- the whole ---- */

bool work_open(struct work *work, const struct plan *plan, struct trm_group *group,
               const struct trm_pipeline_desc *desc, struct fault *fault)
{
    struct trm_pipeline_desc mine = *desc;

    memset(work, 0, sizeof(*work));
    work->plan      = plan;
    work->fault     = fault;
    work->group     = group;
    work->kernels   = output_allocate(plan->step_count, sizeof(*work->kernels));
    work->arguments = output_allocate((size_t)plan->step_count * STEP_ARGUMENTS, sizeof(*work->arguments));
    work->stages    = output_allocate(plan->step_count, sizeof(*work->stages));
    work->shapes    = output_allocate(plan->step_count, sizeof(*work->shapes));
    if (!load_kernels(work) || !add_frame_ports(work) || !make_stages(work))
        goto close;
    divide(work, &mine);
    mine.ports       = work->ports;
    mine.port_count  = work->port_count;
    mine.stages      = work->stages;
    mine.stage_count = plan->step_count;
    if (trm_group_pipeline_create(group, &mine, &work->pipeline) != TRM_OK) {
        fault_library(fault, "the pipeline cannot be made");
        goto close;
    }
    return true;

close:
    work->pipeline = NULL;
    work_close(work);
    return false;
}

void work_close(struct work *work)
{
    trm_pipeline_destroy(work->pipeline);
    for (uint32_t i = 0; i < WORK_PORTS; i++)
        trm_group_buffer_destroy(work->values[i]);
    unload_kernels(work);
    free(work->kernels);
    free(work->arguments);
    free(work->stages);
    free(work->shapes);
    memset(work, 0, sizeof(*work));
}
