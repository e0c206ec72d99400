/* Trireme: what is known of the built-in kernels beyond what their interface says.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_RECIPE_H
#define TRIREME_TOOLS_RUN_RECIPE_H

#include "tools/run/plan.h"

enum recipe_flag {
    RECIPE_POINTWISE = 1u << 0, /* each item by itself */
    RECIPE_STACKED   = 1u << 1, /* takes any number of planes, one after the other */
    RECIPE_LUMA   = 1u << 2, /* means little to chroma: applied to luma alone, where nothing else is said */
    RECIPE_INSIDE = 1u << 3, /* what it writes is between the least and the greatest that it reads */
    RECIPE_TWICE  = 1u << 4, /* along rows, and then along columns */
    RECIPE_PIXELS = 1u << 5, /* counts pixels and not samples */
    RECIPE_GRAY =
        1u << 6, /* what it makes has no colour: chroma becomes neutral, where nothing else is said */
};

/* One kernel on one track, while its arguments are found. */
struct draft {
    struct plan *plan;
    struct spec *spec;
    const struct code *code;
    const struct plan_track *track;
    struct surface from;
    struct surface to;
    uint64_t items[3]; /* all 0: by the interface */
    struct {
        const char *name;
        double value;
    } fixed[16]; /* parameters and constants that follow from the frames or from options */
    uint32_t fixed_count;
    uint64_t value_count; /* elements that a buffer of constant contents must have; 0: any number, repeated */
};

struct recipe {
    const char *kernel;
    uint32_t flags;
    const char *defaults; /* "low=0,high=1" of what needs not be given; may be NULL */
    const char *words;    /* "operation=add|subtract" numbers of a constant as words; may be NULL */
    const char *refusal;  /* why it makes no frames of frames; NULL: it does */
    /* Find sizes and what follows from options; may be NULL. False after plan_complain(). */
    bool (*prepare)(struct draft *draft);
};

/* NULL: nothing is known of it. A user's own kernel is never known. */
const struct recipe *recipe_find(const struct code *code);

/* The default of a parameter in "low=0,high=1", as text without its end; NULL: it has none. */
const char *recipe_lookup(const char *list, const char *name, size_t *length);

void draft_fix(struct draft *draft, const char *name, double value);

/* plan_arguments.c: the constants and the arguments of a step; source and target are parameters by their index, the same for a
 * kernel that works in place. False after plan_complain(). */
bool draft_constants(struct draft *draft, const struct recipe *recipe, struct step *step);
bool draft_arguments(struct draft *draft, const struct recipe *recipe, int source, int target,
                     struct step *step);

/* plan_kernel.c: is it one of these, whatever the case of its letters? */
bool draft_is_one_of(const char *name, const char *const *names, size_t count);

#endif
