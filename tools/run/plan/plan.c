/* Trireme: applying a chain of kernels to the tracks of a frame.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/run/plan/recipe.h"

/* ---- small things ---- */

uint64_t surface_samples(const struct surface *surface)
{
    return (uint64_t)surface->width * surface->height * surface->channels * surface->planes;
}

uint64_t surface_bytes(const struct surface *surface)
{
    return surface_samples(surface) * trm_type_size(surface->type);
}

static bool is_copy(const struct spec *spec)
{
    return strcmp(spec->kernel, "copy") == 0;
}

struct step *plan_add_step(struct plan *plan, uint32_t track, const struct code *code)
{
    struct step *step;

    if (plan->step_count == plan->step_capacity) {
        struct step *steps;

        plan->step_capacity = plan->step_capacity ? 2 * plan->step_capacity : 16;
        steps               = output_allocate(plan->step_capacity, sizeof(*steps));
        if (plan->step_count > 0)
            memcpy(steps, plan->steps, plan->step_count * sizeof(*steps));
        free(plan->steps);
        plan->steps = steps;
    }
    step        = &plan->steps[plan->step_count++];
    step->code  = code;
    step->track = track;
    step->from = step->to = plan->tracks[track].now;
    if (plan->track_count > 1)
        snprintf(step->label, sizeof(step->label), "%s (%s)", code->info.name, plan->tracks[track].name);
    else
        snprintf(step->label, sizeof(step->label), "%s", code->info.name);
    return step;
}

/* ---- tracks ---- */

static void add_track(struct plan *plan, int role, const char *name, struct surface surface)
{
    struct plan_track *track = &plan->tracks[plan->track_count++];

    track->role   = role;
    track->name   = name;
    track->in     = surface;
    track->now    = surface;
    track->inside = true;
}

/* Plan a chain of copies only: a frame is an array of bytes. */
static bool pack(struct plan *plan, const struct spec *specs, uint32_t count)
{
    uint64_t bytes = media_frame_bytes(plan->format);

    for (uint32_t i = 0; i < count; i++)
        if (!is_copy(&specs[i]))
            return false;
    if (bytes > INT32_MAX)
        return false;
    plan->packed = true;
    /* With an even number of bytes, an item copies two of them. */
    if (!plan->format->flat && bytes % 2 == 0)
        add_track(plan, MEDIA_DATA, "frame", (struct surface){(uint32_t)(bytes / 2), 1, 1, 1, TRM_TYPE_U16});
    else
        add_track(plan, MEDIA_DATA, "frame", (struct surface){(uint32_t)bytes, 1, 1, 1, TRM_TYPE_U8});
    return true;
}

/* Planes of the same size stay together if every kernel takes several. */
static void lay_out(struct plan *plan, bool together)
{
    static const char *const chroma[] = {"Cb", "Cr"};

    for (uint32_t i = 0; i < plan->format->track_count; i++) {
        const struct media_track *track = &plan->format->tracks[i];
        struct surface surface          = {track->width, track->height, track->channels, track->planes,
                                           plan->format->type};

        if (together || track->planes == 1) {
            add_track(plan, track->role, media_role_name(track->role), surface);
            continue;
        }
        surface.planes = 1;
        for (uint32_t p = 0; p < track->planes; p++)
            add_track(plan, track->role, chroma[p % 2], surface);
    }
}

/* ---- the tracks that a kernel is applied to ---- */

static bool parse_planes(const char *text, bool *luma, bool *chroma, bool *alpha)
{
    bool all = strcmp(text, "all") == 0;

    *luma   = all || strcmp(text, "y") == 0 || strcmp(text, "luma") == 0;
    *chroma = all || strcmp(text, "uv") == 0 || strcmp(text, "chroma") == 0;
    *alpha  = all || strcmp(text, "a") == 0 || strcmp(text, "alpha") == 0;
    return *luma || *chroma || *alpha;
}

/* The effect of a kernel on a track. */
enum effect {
    EFFECT_NONE = 0,
    EFFECT_KERNEL,
    EFFECT_BLEACH,
};

static bool choose_tracks(struct plan *plan, struct spec *spec, const struct code *code,
                          int effects[PLAN_TRACKS])
{
    const struct recipe *recipe = recipe_find(code);
    uint32_t flags              = recipe ? recipe->flags : 0;
    bool luma = true, chroma = !(flags & RECIPE_LUMA), alpha = chroma, some = false;
    const char *planes = code_constant(code, "planes") ? NULL : spec_value(spec, "planes");

    if (planes && !parse_planes(planes, &luma, &chroma, &alpha))
        return plan_misuse(plan, spec, code, "planes=%s is none of all, y, uv and alpha", planes);
    for (uint32_t i = 0; i < plan->track_count; i++) {
        int role = plan->tracks[i].role;

        effects[i] = (role == MEDIA_CHROMA  ? chroma
                      : role == MEDIA_ALPHA ? alpha
                                            : luma)
                         ? EFFECT_KERNEL
                         : EFFECT_NONE;
        some |= effects[i] == EFFECT_KERNEL;
        if (role == MEDIA_CHROMA && !planes && (flags & RECIPE_GRAY))
            effects[i] = EFFECT_BLEACH;
    }
    return some || plan_complain(plan, spec, code, "these frames have no planes \"%s\"", planes);
}

/* Before anything is missing: a misspelt option is the cause of that. */
static bool check_names(struct plan *plan, const struct spec *spec, const struct code *code)
{
    for (uint32_t i = 0; i < spec->option_count; i++) {
        const char *name = spec->options[i].name;
        char meant[160];

        if (plan_has_option(code, name) || plan_is_automatic(name))
            continue;
        plan_suggest(code, name, meant, sizeof(meant));
        return plan_misuse(plan, spec, code, "it has no option \"%s\"%s", name, meant);
    }
    return true;
}

static bool check_used(struct plan *plan, const struct spec *spec, const struct code *code)
{
    for (uint32_t i = 0; i < spec->option_count; i++) {
        const char *name = spec->options[i].name;

        if (spec->options[i].used)
            continue;
        if (plan_is_automatic(name))
            return plan_misuse(plan, spec, code, "\"%s\" follows from the frames", name);
        return plan_misuse(plan, spec, code, "it has no option \"%s\"", name);
    }
    return true;
}

static bool apply(struct plan *plan, struct spec *spec)
{
    struct code *code = code_find(&plan->codes, plan->context, spec->kernel, plan->fault);
    const struct recipe *recipe;
    int effects[PLAN_TRACKS] = {0};

    if (!code)
        return false;
    recipe = recipe_find(code);
    if (recipe && recipe->refusal)
        return fault_set(plan->fault, "-k %s: %s", spec->text, recipe->refusal);
    if (!check_names(plan, spec, code) || !choose_tracks(plan, spec, code, effects))
        return false;
    for (uint32_t i = 0; i < plan->track_count; i++) {
        if (effects[i] == EFFECT_KERNEL && !plan_kernel(plan, i, spec, code))
            return false;
        if (effects[i] == EFFECT_BLEACH && !plan_bleach(plan, i))
            return false;
    }
    return check_used(plan, spec, code);
}

/* ---- the end of the chain ---- */

static bool has_steps(const struct plan *plan, uint32_t track)
{
    for (uint32_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].track == track)
            return true;
    return false;
}

static bool finish_track(struct plan *plan, uint32_t index)
{
    struct plan_track *track = &plan->tracks[index];

    if (!has_steps(plan, index) && !plan_copy(plan, index))
        return false;
    if (track->now.type == track->in.type || plan_convert(plan, index, track->in.type))
        return true;
    return fault_is_set(plan->fault) ||
           fault_set(plan->fault, "the last kernel leaves %s, which cannot become %s again",
                     trm_type_name(track->now.type), trm_type_name(track->in.type));
}

/* Order the steps by track: tracks are independent of each other, and their data stays in the caches. */
static void sort_steps(struct plan *plan)
{
    struct step *sorted = output_allocate(plan->step_count, sizeof(*sorted));
    uint32_t count      = 0;

    for (uint32_t track = 0; track < plan->track_count; track++)
        for (uint32_t i = 0; i < plan->step_count; i++)
            if (plan->steps[i].track == track)
                sorted[count++] = plan->steps[i];
    free(plan->steps);
    plan->steps         = sorted;
    plan->step_capacity = plan->step_count;
}

/* The format of the output, from the sizes of the tracks. */
static bool describe_output(const struct plan *plan, struct media_format *out)
{
    *out        = *plan->format;
    out->width  = plan->tracks[0].now.width;
    out->height = plan->tracks[0].now.height;
    if (plan->format->kind == MEDIA_Y4M) {
        media_video_tracks(out, plan->format->tracks[plan->format->track_count - 1].role == MEDIA_ALPHA);
    } else {
        media_pixel_track(out, plan->tracks[0].now.channels);
        out->tracks[0].planes = plan->tracks[0].now.planes;
    }
    for (uint32_t i = 0, t = 0; i < out->track_count; i++)
        for (uint32_t planes = 0; planes < out->tracks[i].planes; t++) {
            const struct surface *now = &plan->tracks[t].now;

            if (t == plan->track_count || now->width != out->tracks[i].width ||
                now->height != out->tracks[i].height || now->channels != out->tracks[i].channels)
                return fault_set(plan->fault,
                                 "the planes of a frame no longer fit together after the last kernel: "
                                 "kernels that change the size go on all planes");
            planes += now->planes;
        }
    return media_check_size(out, "output", plan->fault);
}

/* ---- the whole ---- */

static bool all_stacked(struct plan *plan, const struct spec *specs, uint32_t count, bool *stacked)
{
    *stacked = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct recipe *recipe;
        struct code *code;

        if (is_copy(&specs[i]))
            continue;
        code = code_find(&plan->codes, plan->context, specs[i].kernel, plan->fault);
        if (!code)
            return false;
        recipe = recipe_find(code);
        if (!recipe || !(recipe->flags & (RECIPE_STACKED | RECIPE_POINTWISE)))
            *stacked = false;
    }
    return true;
}

static bool make(struct plan *plan, struct spec *specs, uint32_t count, struct media_format *out)
{
    bool stacked;

    if (!pack(plan, specs, count)) {
        if (!all_stacked(plan, specs, count, &stacked))
            return false;
        lay_out(plan, stacked);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_copy(&specs[i]) && specs[i].option_count > 0)
            return fault_misuse(plan->fault, "-k %s: copy has no options", specs[i].text);
        if (!is_copy(&specs[i]) && !apply(plan, &specs[i]))
            return false;
    }
    for (uint32_t i = 0; i < plan->track_count; i++)
        if (!finish_track(plan, i))
            return false;
    sort_steps(plan);
    if (plan->packed) {
        *out = *plan->format;
        return true;
    }
    return describe_output(plan, out);
}

bool plan_make(struct plan *plan, struct trm_context *context, const struct media_format *format,
               struct spec *specs, uint32_t spec_count, struct media_format *out, struct fault *fault)
{
    memset(plan, 0, sizeof(*plan));
    plan->context = context;
    plan->format  = format;
    plan->fault   = fault;
    if (make(plan, specs, spec_count, out))
        return true;
    plan_release(plan);
    return false;
}

void plan_release(struct plan *plan)
{
    for (uint32_t s = 0; s < plan->step_count; s++)
        for (uint32_t a = 0; a < plan->steps[s].argument_count; a++)
            free(plan->steps[s].arguments[a].values);
    free(plan->steps);
    code_release(plan->codes);
    memset(plan, 0, sizeof(*plan));
}
