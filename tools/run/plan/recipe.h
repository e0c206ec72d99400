/* Trireme: facts about the built-in kernels that their interfaces do not have.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PLAN_RECIPE_H
#define TRIREME_TOOLS_RUN_PLAN_RECIPE_H

#include "tools/run/plan/plan.h"

enum recipe_flag {
    RECIPE_POINTWISE = 1u << 0, /* items are independent of each other */
    RECIPE_STACKED   = 1u << 1, /* takes any number of adjacent planes */
    RECIPE_LUMA      = 1u << 2, /* not useful for chroma: applied to luma alone by default */
    RECIPE_INSIDE    = 1u << 3, /* its output is within the range of its input */
    RECIPE_TWICE     = 1u << 4, /* launched along rows, then along columns */
    RECIPE_PIXELS    = 1u << 5, /* counts pixels, not samples */
    RECIPE_GRAY      = 1u << 6, /* its output has no colour: chroma becomes neutral by default */
};

/* One kernel on one track, while its arguments are determined. */
struct draft {
    struct plan *plan;
    struct spec *spec;
    const struct code *code;
    const struct plan_track *track;
    struct surface from;
    struct surface to;
    uint64_t items[3]; /* all 0: follows from the interface */
    struct {
        const char *name;
        double value;
    } fixed[16]; /* parameters and constants that the frames or options determine */
    uint32_t fixed_count;
    uint64_t value_count; /* elements of a buffer with constant contents; 0: any number, repeated */
};

struct recipe {
    const char *kernel;
    uint32_t flags;
    const char *defaults; /* "low=0,high=1": defaults of options; may be NULL */
    const char *words;    /* "operation=add|subtract": words for the values of a constant; may be NULL */
    const char *refusal;  /* why it cannot be used in a chain; NULL: it can */
    /* Determines sizes and the values that follow from options; may be NULL. False after plan_complain(). */
    bool (*prepare)(struct draft *draft);
};

/* NULL: the kernel has no recipe, which is always so for a user's kernel. */
const struct recipe *recipe_find(const struct code *code);

/* The default of a parameter in "low=0,high=1", as text of `length` bytes; NULL: it has none. */
const char *recipe_lookup(const char *list, const char *name, size_t *length);

void draft_fix(struct draft *draft, const char *name, double value);

/* plan_arguments.c: the constants and the arguments of a step; source and target are indices of parameters,
 * equal if the kernel works in place. False after plan_complain(). */
bool draft_constants(struct draft *draft, const struct recipe *recipe, struct step *step);
bool draft_arguments(struct draft *draft, const struct recipe *recipe, int source, int target,
                     struct step *step);

/* plan_kernel.c: true if `name` is one of `names`, ignoring case. */
bool draft_is_one_of(const char *name, const char *const *names, size_t count);

#endif
