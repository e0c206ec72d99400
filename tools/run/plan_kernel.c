/* Trireme: one kernel on one track: which of its buffers are what, and where the values of its parameters come from.
 *
 * Any kernel will do that reads one buffer and writes another, or works on one in place. More buffers that it only reads are
 * given numbers on the command line. Sizes and counts are known by their names.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kc.h"
#include "tools/output.h"
#include "tools/run/recipe.h"

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

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_result(const char *name)
{
    static const char *const names[] = {"target", "result", "output", "out", "dst", "destination", "dest"};

    return is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

static bool is_source(const char *name)
{
    static const char *const names[] = {"source", "input", "in", "src", "x", "image", "data"};

    return is_one_of(name, names, sizeof(names) / sizeof(names[0]));
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

/* ---- numbers ---- */

static uint64_t bits_of(int32_t type, double value)
{
    union {
        double f64;
        float f32;
        uint64_t u64;
    } both = {.u64 = 0};

    if (type == TRM_TYPE_F64)
        both.f64 = value;
    else if (type == TRM_TYPE_F32)
        both.f32 = (float)value;
    else
        both.u64 = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    return both.u64;
}

static bool find_fixed(const struct draft *draft, const char *name, double *value)
{
    for (uint32_t i = 0; i < draft->fixed_count; i++) {
        if (strcmp(draft->fixed[i].name, name) == 0) {
            *value = draft->fixed[i].value;
            return true;
        }
    }
    return false;
}

static bool is_count(const char *name)
{
    static const char *const names[] = {"count", "n", "size", "length", "elements"};

    return is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

/* What the frames decide. */
static bool find_automatic(const struct draft *draft, const char *name, double *value)
{
    const struct surface *from = &draft->from;
    const struct {
        const char *name;
        uint32_t value;
    } known[] = {
        {"width", from->width},
        {"height", from->height},
        {"rows", from->height},
        {"columns", from->width},
        {"planes", from->planes},
        {"channels", from->channels},
        {"stride", from->width * from->channels},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0) {
            *value = known[i].value;
            return true;
        }
    }
    return false;
}

/* The position of a word in "operation=add|subtract"; −1: it is none of them. */
static long find_word(const char *words, const char *name, const char *word)
{
    size_t length = 0, size = strlen(word);
    const char *at  = recipe_lookup(words, name, &length);
    const char *end = at ? at + length : NULL;

    for (long number = 0; at && at < end; number++) {
        size_t part = strcspn(at, "|,");

        if (part == size && strncmp(at, word, size) == 0)
            return number;
        at += part + 1;
    }
    return -1;
}

static bool parse(const struct draft *draft, const char *name, int32_t type, const char *text, uint64_t *bits)
{
    if (kc_value(type, text, bits))
        return true;
    return plan_complain(draft->plan, draft->spec, draft->code, "%s=%s is no value of type %s", name, text,
                         trm_type_name(type));
}

/* ---- constants ---- */

static bool add_constants(struct draft *draft, const struct recipe *recipe, struct step *step)
{
    for (uint32_t i = 0; i < draft->code->constant_count; i++) {
        const struct trm_constant_info *info = &draft->code->constants[i];
        struct trm_constant constant         = {.name = info->name, .id = info->id, .type = info->type};
        const char *text;
        double value;
        long word;

        if (!*info->name)
            continue; /* the size of a group: left alone */
        if (find_fixed(draft, info->name, &value) ||
            (strcmp(info->name, "channels") == 0 && find_automatic(draft, info->name, &value))) {
            constant.bits = bits_of(info->type, value);
        } else {
            text = spec_value(draft->spec, info->name);
            if (!text)
                continue;
            word = recipe ? find_word(recipe->words, info->name, text) : -1;
            if (word >= 0)
                constant.bits = (uint64_t)word;
            else if (!parse(draft, info->name, info->type, text, &constant.bits))
                return false;
        }
        if (constant.bits == info->default_bits)
            continue; /* so that the code that was made for the defaults is found */
        if (step->constant_count == STEP_CONSTANTS)
            return complain(draft, "too many constants");
        step->constants[step->constant_count++] = constant;
    }
    return true;
}

/* ---- arguments ---- */

/* A buffer of constant contents: the numbers that were given, over and over, so that whatever part of it belongs to a
 * sample is there. */
static bool add_values(struct draft *draft, const struct trm_parameter *parameter,
                       struct step_argument *argument)
{
    const char *text = spec_value(draft->spec, parameter->name);
    uint32_t size    = trm_type_size(parameter->type);
    uint64_t count = 0, wanted = draft->value_count ? draft->value_count : surface_samples(&draft->from);
    unsigned char *values;
    char *copy, *rest, *word;
    bool well = true;

    if (!text)
        return plan_complain(draft->plan, draft->spec, draft->code,
                             "%s is missing: numbers with commas between them", parameter->name);
    if (size == 0)
        return plan_complain(draft->plan, draft->spec, draft->code, "%s has elements of no simple type",
                             parameter->name);
    if (wanted < strlen(text))
        wanted = draft->value_count ? wanted : strlen(text); /* at least as many as are given */
    values = output_allocate(wanted, size);
    copy   = output_copy(text);
    for (word = strtok_r(copy, ",", &rest); word && well; word = strtok_r(NULL, ",", &rest)) {
        uint64_t bits = 0;

        well = parse(draft, parameter->name, parameter->type, word, &bits);
        if (count < wanted)
            memcpy(values + count * size, &bits, size);
        count++;
    }
    free(copy);
    if (well && (count == 0 || (draft->value_count && count != draft->value_count)))
        well = plan_complain(draft->plan, draft->spec, draft->code,
                             "%s has %" PRIu64 " numbers, it needs %" PRIu64, parameter->name, count,
                             draft->value_count ? draft->value_count : 1);
    for (uint64_t i = count; well && i < wanted; i++)
        memcpy(values + i * size, values + (i - count) * size, size);
    *argument = (struct step_argument){.kind = STEP_VALUES, .values = values, .bytes = wanted * size};
    return well;
}

static bool add_scalar(struct draft *draft, const struct recipe *recipe,
                       const struct trm_parameter *parameter, struct step_argument *argument)
{
    size_t length       = 0;
    const char *initial = recipe ? recipe_lookup(recipe->defaults, parameter->name, &length) : NULL;
    const char *text;
    char copy[32];
    double value;

    *argument = (struct step_argument){.kind = STEP_SCALAR, .type = parameter->type};
    if (find_fixed(draft, parameter->name, &value) || find_automatic(draft, parameter->name, &value)) {
        argument->bits = bits_of(parameter->type, value);
        return true;
    }
    if (is_count(parameter->name)) {
        argument->kind = STEP_COUNT;
        return true;
    }
    text = spec_value(draft->spec, parameter->name);
    if (!text && initial) {
        snprintf(copy, sizeof(copy), "%.*s", (int)length, initial);
        text = copy;
    }
    if (!text)
        return plan_complain(draft->plan, draft->spec, draft->code, "%s (%s) is missing", parameter->name,
                             trm_type_name(parameter->type));
    return parse(draft, parameter->name, parameter->type, text, &argument->bits);
}

static bool add_argument(struct draft *draft, const struct recipe *recipe, const struct roles *roles,
                         uint32_t index, struct step *step)
{
    const struct trm_parameter *parameter = &draft->code->info.parameters[index];
    struct step_argument *argument;

    if (step->argument_count == STEP_ARGUMENTS)
        return complain(draft, "it has too many parameters");
    argument = &step->arguments[step->argument_count++];
    if ((int)index == roles->target)
        *argument = (struct step_argument){.kind = STEP_TARGET};
    else if ((int)index == roles->source)
        *argument = (struct step_argument){.kind = STEP_SOURCE};
    else if (parameter->kind == TRM_PARAMETER_BUFFER)
        return add_values(draft, parameter, argument);
    else if (parameter->kind == TRM_PARAMETER_SCALAR)
        return add_scalar(draft, recipe, parameter, argument);
    else
        return plan_complain(draft->plan, draft->spec, draft->code,
                             "its parameter %s is a vector or a struct, which cannot be given here",
                             parameter->name);
    return true;
}

/* ---- work-items ---- */

static bool has_parameter(const struct code *code, const char *name)
{
    for (uint32_t i = 0; i < code->info.parameter_count; i++)
        if (strcmp(code->info.parameters[i].name, name) == 0)
            return true;
    return false;
}

/* By two dimensions where the kernel knows width and height, else by a count. */
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

/* One launch; axis 0 or 1 of those that are launched twice, −1 of others. */
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
    if (!add_constants(&draft, recipe, step))
        return false;
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (!add_argument(&draft, recipe, roles, i, step))
            return false;
    if (!choose_items(&draft, recipe, &info->parameters[roles->source], step))
        return false;
    /* A planar conversion counts pixels that lie far apart. */
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
