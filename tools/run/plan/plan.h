/* Trireme: the launches that apply a chain of kernels to the tracks of a frame, with their arguments and
 * buffers. Planning needs no device.
 *
 * Samples are converted to the type that each kernel takes. Integers become floats as sample / maximum, so
 * that 1 is white, and for chroma (sample − neutral) / maximum, so that 0 is no colour; they are converted
 * back rounded and clamped. Numbers (raw data) are converted without scaling.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PLAN_PLAN_H
#define TRIREME_TOOLS_RUN_PLAN_PLAN_H

#include "tools/kernel/kernel.h"
#include "tools/run/media/media.h"

enum {
    PLAN_TRACKS    = 8,
    STEP_ARGUMENTS = 24,
    STEP_CONSTANTS = 16,
    STEP_LABEL     = 48,
};

/* The contents of a buffer between two launches. */
struct surface {
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t planes;
    int32_t type;
};

enum step_argument_kind {
    STEP_SOURCE = 1, /* the buffer that the step reads */
    STEP_TARGET = 2, /* the buffer that it writes */
    STEP_COUNT  = 3, /* the number of work-items, as a `type` */
    STEP_SCALAR = 4, /* a value */
    STEP_VALUES = 5, /* a buffer with constant contents */
    STEP_WIDTH  = 6, /* a value; for flat data, the number of elements of the frame */
};

struct step_argument {
    int kind; /* enum step_argument_kind */
    int32_t type;
    uint64_t bits;  /* SCALAR: the value in the low bytes */
    void *values;   /* VALUES: the contents; owned */
    uint64_t bytes; /* VALUES: their size */
};

/* One launch. */
struct step {
    char label[STEP_LABEL];
    const struct code *code;
    uint32_t track;
    struct surface from;
    struct surface to;
    bool in_place;  /* source and target are the same buffer */
    bool pointwise; /* items are independent, so that parts of a frame can be processed separately */
    bool counted;   /* one-dimensional, with as many items as the frame has elements */
    uint64_t items[3];
    struct trm_constant constants[STEP_CONSTANTS];
    uint32_t constant_count;
    struct step_argument arguments[STEP_ARGUMENTS];
    uint32_t argument_count;
};

/* A track while the chain is planned. */
struct plan_track {
    int role;           /* enum media_role */
    const char *name;   /* "luma" */
    struct surface in;  /* at the input */
    struct surface now; /* after the last step */
    bool inside;        /* floats between black and white */
};

struct plan {
    struct trm_context *context;
    struct fault *fault;
    const struct media_format *format; /* of the input */
    bool packed;                       /* only copies bytes */
    struct code *codes;
    struct plan_track tracks[PLAN_TRACKS];
    uint32_t track_count;
    struct step *steps; /* in the order of launches */
    uint32_t step_count;
    uint32_t step_capacity;
};

/* Plan a chain for frames of a format. `out` receives the format of the output, which is of the same kind. */
bool plan_make(struct plan *plan, struct trm_context *context, const struct media_format *format,
               struct spec *specs, uint32_t spec_count, struct media_format *out, struct fault *fault);
void plan_release(struct plan *plan);

uint64_t surface_samples(const struct surface *surface);
uint64_t surface_bytes(const struct surface *surface);

/* ---- shared by the files plan*.c */

/* Append an empty step that starts from the present state of a track. */
struct step *plan_add_step(struct plan *plan, uint32_t track, const struct code *code);

/* plan_convert.c: convert a track to another type of samples. False without a fault: there is no
 * conversion. */
bool plan_convert(struct plan *plan, uint32_t track, int32_t type);

/* Append a step that copies a track. */
bool plan_copy(struct plan *plan, uint32_t track);

/* Append a step that removes the colour of a track of chroma. */
bool plan_bleach(struct plan *plan, uint32_t track);

/* plan_kernel.c: append the steps that apply a kernel of the command line to one track. */
bool plan_kernel(struct plan *plan, uint32_t track, struct spec *spec, const struct code *code);

/* plan_options.c: true if the frames determine the parameter or constant of this name. */
bool plan_is_automatic(const char *name);

/* True if the kernel has an option of this name. */
bool plan_has_option(const struct code *code, const char *name);

/* Write " (did you mean amount?)" with the nearest options; "" if none is near. */
void plan_suggest(const struct code *code, const char *name, char *text, size_t capacity);

/* Set a fault that names the options of a kernel: plan_complain() if the kernel does not fit the frames,
 * plan_misuse() if its options are wrong. Both return false. */
bool plan_complain(struct plan *plan, const struct spec *spec, const struct code *code, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
bool plan_misuse(struct plan *plan, const struct spec *spec, const struct code *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
