/* Trireme: applying one kernel to one track: the roles of its buffers and the values of its parameters.
 *
 * The kernel must read one buffer and write another, or change one in place. Further read-only buffers get
 * numbers from the command line. Sizes and counts are recognised by the names of the parameters.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tools/run/plan/recipe.h"

/* The buffers of an interface, by index of the parameter; −1: none. */
struct roles {
    int source;
    int target; /* the same as source: in place */
};

static bool complain(const struct draft *draft, const char *complaint)
{
    return plan_complain(draft->plan, draft->spec, draft->code, "%s", complaint);
}

/* ---- buffers ---- */

bool draft_is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_result(const char *name)
{
    static const char *const names[] = {"target", "result", "output", "out", "dst", "destination", "dest"};

    return draft_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

static bool is_source(const char *name)
{
    static const char *const names[] = {"source", "input", "in", "src", "x", "image", "data"};

    return draft_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

static void find_source(const struct trm_kernel_info *info, struct roles *roles)
{
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct trm_parameter *parameter = &info->parameters[i];

        if (parameter->kind != TRM_PARAMETER_BUFFER || parameter->access != TRM_ACCESS_READ)
            continue;
        if (roles->source < 0 ||
            (is_source(parameter->name) && !is_source(info->parameters[roles->source].name)))
            roles->source = (int)i;
    }
}

static bool find_roles(const struct draft *draft, struct roles *roles)
{
    const struct trm_kernel_info *info = &draft->code->info;
    uint32_t written                   = 0;

    roles->source = roles->target = -1;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        if (info->parameters[i].kind != TRM_PARAMETER_BUFFER || info->parameters[i].access == TRM_ACCESS_READ)
            continue;
        roles->target = (int)i;
        written++;
    }
    if (written != 1)
        return complain(draft, written == 0 ? "it writes no buffer" : "it writes more than one buffer");
    find_source(info, roles);
    if (roles->source < 0)
        roles->source = roles->target; /* in place */
    else if (info->parameters[roles->target].access != TRM_ACCESS_WRITE &&
             !is_result(info->parameters[roles->target].name))
        return plan_complain(
            draft->plan, draft->spec, draft->code,
            "it reads and writes \"%s\" and reads \"%s\" besides; a buffer that it only writes is "
            "declared writeonly",
            info->parameters[roles->target].name, info->parameters[roles->source].name);
    if (roles->source == roles->target && info->parameters[roles->target].access == TRM_ACCESS_WRITE)
        return complain(draft, "it reads no buffer");
    return true;
}

static bool check_type(struct draft *draft, int32_t type)
{
    struct plan *plan = draft->plan;
    uint32_t index    = (uint32_t)(draft->track - plan->tracks);

    if (type == TRM_TYPE_NONE || type == draft->track->now.type || plan_convert(plan, index, type))
        return true;
    if (fault_is_set(plan->fault))
        return false;
    return plan_complain(plan, draft->spec, draft->code, "it takes samples of type %s, these are %s",
                         trm_type_name(type), trm_type_name(draft->track->now.type));
}

/* ---- work-items ---- */

static bool has_parameter(const struct code *code, const char *name)
{
    for (uint32_t i = 0; i < code->info.parameter_count; i++)
        if (strcmp(code->info.parameters[i].name, name) == 0)
            return true;
    return false;
}

/* Two dimensions if the kernel has width and height, else one. */
static bool choose_items(struct draft *draft, const struct recipe *recipe, const struct trm_parameter *source,
                         struct step *step)
{
    const struct surface *from = &draft->from;
    uint32_t components        = source->components > 1 ? source->components : 1;
    bool pixels                = recipe && (recipe->flags & RECIPE_PIXELS);

    memcpy(step->items, draft->items, sizeof(step->items));
    if (step->items[0] > 0)
        return true;
    if (has_parameter(draft->code, "width") && has_parameter(draft->code, "height")) {
        if (from->channels > 1 && !code_constant(draft->code, "channels") &&
            !has_parameter(draft->code, "channels"))
            return plan_complain(draft->plan, draft->spec, draft->code,
                                 "it knows images of one channel alone, these have %u", from->channels);
        step->items[0] = (uint64_t)from->width * from->channels;
        step->items[1] = from->height;
        step->items[2] = from->planes;
        return true;
    }
    if (pixels)
        components = draft->track->now.planes > 1 && from->channels == 1 ? from->planes : from->channels;
    if (surface_samples(from) % components != 0)
        return plan_complain(draft->plan, draft->spec, draft->code, "it takes %u samples at a time",
                             components);
    step->items[0] = surface_samples(from) / components;
    step->items[1] = step->items[2] = 1;
    step->counted                   = true;
    return true;
}

/* ---- the whole ---- */

/* Append one launch; axis 0 or 1 for kernels that are launched twice, otherwise −1. */
static bool add_launch(struct plan *plan, uint32_t index, struct spec *spec, const struct code *code,
                       const struct roles *roles, int axis)
{
    const struct recipe *recipe        = recipe_find(code);
    const struct trm_kernel_info *info = &code->info;
    struct draft draft = {.plan = plan, .spec = spec, .code = code, .track = &plan->tracks[index]};
    struct step *step;

    draft.from = draft.to = plan->tracks[index].now;
    if (info->parameters[roles->target].type != TRM_TYPE_NONE)
        draft.to.type = info->parameters[roles->target].type;
    if (axis >= 0)
        draft_fix(&draft, "axis", axis);
    if (recipe && recipe->prepare && !recipe->prepare(&draft))
        return false;
    if (roles->source == roles->target && !plan_copy(plan, index))
        return false;
    step = plan_add_step(plan, index, code);
    if (axis >= 0 && plan->track_count > 1)
        snprintf(step->label, sizeof(step->label), "%s %s (%s)", info->name, axis == 0 ? "rows" : "columns",
                 plan->tracks[index].name);
    else if (axis >= 0)
        snprintf(step->label, sizeof(step->label), "%s %s", info->name, axis == 0 ? "rows" : "columns");
    step->to        = draft.to;
    step->in_place  = roles->source == roles->target;
    step->pointwise = recipe && (recipe->flags & RECIPE_POINTWISE);
    if (!draft_constants(&draft, recipe, step))
        return false;
    if (!draft_arguments(&draft, recipe, roles->source, roles->target, step))
        return false;
    if (!choose_items(&draft, recipe, &info->parameters[roles->source], step))
        return false;
    /* The samples of a pixel are far apart in a planar conversion. */
    if (draft.to.planes != draft.from.planes || draft.from.planes > 1)
        step->pointwise &= !(recipe && (recipe->flags & RECIPE_PIXELS));
    plan->tracks[index].now = step->to;
    if (!recipe || !(recipe->flags & RECIPE_INSIDE))
        plan->tracks[index].inside = false;
    return true;
}

bool plan_kernel(struct plan *plan, uint32_t index, struct spec *spec, const struct code *code)
{
    const struct recipe *recipe = recipe_find(code);
    struct draft draft          = {.plan = plan, .spec = spec, .code = code, .track = &plan->tracks[index]};
    struct roles roles;

    if (!find_roles(&draft, &roles))
        return false;
    if (!check_type(&draft, code->info.parameters[roles.source].type))
        return false;
    if (!recipe || !(recipe->flags & RECIPE_TWICE))
        return add_launch(plan, index, spec, code, &roles, -1);
    if (!add_launch(plan, index, spec, code, &roles, 0))
        return false;
    /* An array has no columns. */
    return plan->tracks[index].now.height == 1 || add_launch(plan, index, spec, code, &roles, 1);
}
