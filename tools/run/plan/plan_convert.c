/* Trireme: converting samples to floats and back.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/plan/plan.h"

static bool is_integer(int32_t type)
{
    return type == TRM_TYPE_U8 || type == TRM_TYPE_U16;
}

static bool is_float(int32_t type)
{
    return type == TRM_TYPE_F16 || type == TRM_TYPE_F32;
}

/* The chroma sample that means no colour: 128 of 255, 512 of 1023. */
static double neutral(const struct plan *plan, const struct plan_track *track)
{
    return track->role == MEDIA_CHROMA ? (plan->format->maximum + 1) / 2 : 0;
}

static void add_scalar(struct step *step, float value)
{
    union {
        float f32;
        uint32_t u32;
    } both = {.f32 = value};

    step->arguments[step->argument_count++] =
        (struct step_argument){.kind = STEP_SCALAR, .type = TRM_TYPE_F32, .bits = both.u32};
}

static void add_buffers(struct step *step)
{
    step->arguments[step->argument_count++] = (struct step_argument){.kind = STEP_SOURCE};
    step->arguments[step->argument_count++] = (struct step_argument){.kind = STEP_TARGET};
}

static void finish(struct plan *plan, struct step *step)
{
    step->arguments[step->argument_count++] =
        (struct step_argument){.kind = STEP_COUNT, .type = TRM_TYPE_U32};
    step->pointwise = true;
    step->counted   = true;
    step->items[0]  = surface_samples(&step->from);
    step->items[1] = step->items[2] = 1;
    plan->tracks[step->track].now   = step->to;
}

/* convert_A_B(source, target, scale, bias, count) */
static bool add_conversion(struct plan *plan, uint32_t track, int32_t type, double scale, double bias)
{
    int32_t from = plan->tracks[track].now.type;
    char name[48];
    struct code *code;
    struct step *step;

    snprintf(name, sizeof(name), "convert_%s_%s", trm_type_name(from), trm_type_name(type));
    code = code_find(&plan->codes, plan->context, name, plan->fault);
    if (!code)
        return false;
    step          = plan_add_step(plan, track, code);
    step->to.type = type;
    add_buffers(step);
    add_scalar(step, (float)scale);
    add_scalar(step, (float)bias);
    finish(plan, step);
    return true;
}

/* threshold(source, target, level, low, high, count): values above the level become the level. */
static bool add_clamp(struct plan *plan, uint32_t track, double level)
{
    struct code *code = code_find(&plan->codes, plan->context, "threshold", plan->fault);
    struct step *step;

    if (!code)
        return false;
    step                 = plan_add_step(plan, track, code);
    step->constants[0]   = trm_constant_u32("mode", 1);
    step->constant_count = 1;
    add_buffers(step);
    add_scalar(step, (float)level);
    add_scalar(step, 0);
    add_scalar(step, 1);
    finish(plan, step);
    return true;
}

/* True if no clamp is needed before the conversion. */
static bool clamps_itself(const struct plan *plan, const struct plan_track *track, int32_t type)
{
    uint32_t most = type == TRM_TYPE_U8 ? 255 : 65535;

    return plan->format->maximum == 0 || plan->format->maximum == most || track->inside;
}

static bool to_integers(struct plan *plan, uint32_t index, int32_t type)
{
    struct plan_track *track = &plan->tracks[index];
    double maximum           = plan->format->maximum;
    double middle            = neutral(plan, track);

    if (maximum == 0)
        return add_conversion(plan, index, type, 1, 0);
    if (!clamps_itself(plan, track, type)) {
        if (track->now.type != TRM_TYPE_F32 && !add_conversion(plan, index, TRM_TYPE_F32, 1, 0))
            return false;
        if (!add_clamp(plan, index, (maximum - middle) / maximum))
            return false;
    }
    track->inside = true;
    return add_conversion(plan, index, type, maximum, middle);
}

bool plan_convert(struct plan *plan, uint32_t index, int32_t type)
{
    const struct plan_track *track = &plan->tracks[index];
    double maximum                 = plan->format->maximum;

    if (is_float(track->now.type) && is_float(type))
        return add_conversion(plan, index, type, 1, 0);
    if (is_integer(track->now.type) && is_float(type))
        return add_conversion(plan, index, type, maximum == 0 ? 1 : 1 / maximum,
                              maximum == 0 ? 0 : -neutral(plan, track) / maximum);
    /* Integers have the range of the input, so they cannot become another integer type. */
    if (is_float(track->now.type) && is_integer(type) && type == track->in.type)
        return to_integers(plan, index, type);
    return false;
}

bool plan_copy(struct plan *plan, uint32_t index)
{
    int32_t type = plan->tracks[index].now.type;

    if (!is_integer(type) && !is_float(type))
        return fault_set(plan->fault, "%s is copied only where no other kernel works on the frames",
                         trm_type_name(type));
    return add_conversion(plan, index, type, 1, 0);
}

/* Drop the steps of a track that still has its original size: the step that follows replaces their result. */
static void forget_steps(struct plan *plan, uint32_t index)
{
    struct plan_track *track = &plan->tracks[index];
    uint32_t kept            = 0;

    if (surface_samples(&track->now) != surface_samples(&track->in) || track->now.width != track->in.width)
        return;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct step *step = &plan->steps[i];

        if (step->track != index) {
            plan->steps[kept++] = *step;
            continue;
        }
        for (uint32_t a = 0; a < step->argument_count; a++)
            free(step->arguments[a].values);
    }
    memset(plan->steps + kept, 0, (plan->step_count - kept) * sizeof(*plan->steps));
    plan->step_count = kept;
    track->now       = track->in;
}

bool plan_bleach(struct plan *plan, uint32_t index)
{
    struct plan_track *track = &plan->tracks[index];
    int32_t type             = track->now.type;

    if (!is_integer(type) && !is_float(type))
        return fault_set(plan->fault, "chroma of type %s", trm_type_name(type));
    forget_steps(plan, index);
    type          = track->now.type;
    track->inside = true;
    return add_conversion(plan, index, type, 0, is_integer(type) ? neutral(plan, track) : 0);
}
