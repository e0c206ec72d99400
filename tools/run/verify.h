/* Trireme: is what comes out what the cpu backend makes of the same input?
 *
 * Every frame goes through a second pipeline: on the cpu, of depth 1, with buffers and streams of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_VERIFY_H
#define TRIREME_TOOLS_RUN_VERIFY_H

#include <stdio.h>

#include "tools/run/work.h"

struct verify {
    const struct plan *plan;
    struct fault *fault;
    struct trm_context *context;
    struct trm_device *device;
    struct work work;
    uint64_t frames; /* compared */
    uint64_t samples;
    uint64_t unlike; /* samples beyond the tolerance */
    double tolerance;
    double largest;    /* difference; of floats relative to the reference where that is above 1 */
    uint64_t at_frame; /* where that was */
    uint64_t at_sample;
    uint32_t at_track;
};

bool verify_open(struct verify *verify, const struct plan *plan, bool verbose, struct fault *fault);
void verify_close(struct verify *verify);

/* Compare what became of a frame: a token of a pipeline of the same plan. False: it could not be compared; that it differs is
 * only counted. */
bool verify_frame(struct verify *verify, const struct trm_token *token);

/* Say what was found, in a line. Returns whether all was alike. */
bool verify_print(const struct verify *verify, FILE *file);

#endif
