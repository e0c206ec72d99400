/* Trireme: a chain of kernels applied to the tracks of a frame: which launches that takes, with which arguments, over which
 * buffers. No device is needed for that.
 *
 * Kernels work on what type of samples they like. Integers become floats in between: sample / maximum, so that 1 is white, and
 * of chroma (sample − neutral) / maximum, so that 0 is no colour; and go back rounded and clamped. Numbers (raw data) are
 * converted as they are.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PLAN_H
#define TRIREME_TOOLS_RUN_PLAN_H

#include "tools/run/code.h"
#include "tools/run/media.h"
#include "tools/run/spec.h"

enum {
    PLAN_TRACKS    = 8,
    STEP_ARGUMENTS = 24,
    STEP_CONSTANTS = 16,
    STEP_LABEL     = 48,
};

/* What lies in a buffer between two launches. */
struct surface {
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t planes;
    int32_t type;
};

enum step_argument_kind {
    STEP_SOURCE = 1, /* what the step reads */
    STEP_TARGET = 2, /* what it writes */
    STEP_COUNT  = 3, /* how many work-items there are, as a `type` */
    STEP_SCALAR = 4, /* a value */
    STEP_VALUES = 5, /* a buffer of constant contents */
    STEP_WIDTH  = 6, /* a value, but of flat data as many elements as the frame has */
};

struct step_argument {
    int kind; /* enum step_argument_kind */
    int32_t type;
    uint64_t bits;  /* SCALAR: the value in the low bytes */
    void *values;   /* VALUES: the contents, for free() */
    uint64_t bytes; /* VALUES: so many */
};

/* One launch. */
struct step {
    char label[STEP_LABEL];
    const struct code *code;
    uint32_t track;
    struct surface from;
    struct surface to;
    bool in_place;  /* source and target are one */
    bool pointwise; /* each item by itself, so that a part of a frame can be worked on alone */
    bool counted;   /* items are counted in x, and as many as the frame has */
    uint64_t items[3];
    struct trm_constant constants[STEP_CONSTANTS];
    uint32_t constant_count;
    struct step_argument arguments[STEP_ARGUMENTS];
    uint32_t argument_count;
};

/* A track on its way through the chain. */
struct plan_track {
    int role;           /* enum media_role */
    const char *name;   /* "luma" */
    struct surface in;  /* as it is read */
    struct surface now; /* after the steps so far */
    bool inside;        /* floats that are no less than black and no more than white */
};

struct plan {
    struct trm_context *context;
    struct fault *fault;
    const struct media_format *format; /* of what is read */
    bool packed;                       /* nothing is done but to copy bytes, in whatever units */
    struct code *codes;
    struct plan_track tracks[PLAN_TRACKS];
    uint32_t track_count;
    struct step *steps; /* in the order of launches */
    uint32_t step_count;
    uint32_t step_capacity;
};

/* Plan a chain for frames of a format. `out` gets the format of what comes out (of the same kind as what goes in). */
bool plan_make(struct plan *plan, struct trm_context *context, const struct media_format *format,
               struct spec *specs, uint32_t spec_count, struct media_format *out, struct fault *fault);
void plan_release(struct plan *plan);

uint64_t surface_samples(const struct surface *surface);
uint64_t surface_bytes(const struct surface *surface);

/* ---- for the files of the planner */

/* Append an empty step of a track, from what the track is now. */
struct step *plan_add_step(struct plan *plan, uint32_t track, const struct code *code);

/* plan_convert.c: bring a track to another type of samples. False, without a fault: there is no way. */
bool plan_convert(struct plan *plan, uint32_t track, int32_t type);

/* Append a step that copies what a track is now. */
bool plan_copy(struct plan *plan, uint32_t track);

/* Append a step after which a track of chroma has no colour. */
bool plan_bleach(struct plan *plan, uint32_t track);

/* plan_kernel.c: append what a kernel of the command line takes on one track. */
bool plan_kernel(struct plan *plan, uint32_t track, struct spec *spec, const struct code *code);

/* plan_options.c: does a parameter or constant of this name follow from the frames? */
bool plan_is_automatic(const char *name);

/* Say which options a kernel takes, after what is wrong: why it does not go with these frames, or what is wrong with the
 * options that were given. Return false. */
bool plan_complain(struct plan *plan, const struct spec *spec, const struct code *code, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
bool plan_misuse(struct plan *plan, const struct spec *spec, const struct code *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
