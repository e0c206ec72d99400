/* Trireme: comparing the output with that of the cpu backend.
 *
 * Every frame also passes through a second pipeline on the cpu, of depth 1, with its own buffers and streams.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PIPELINE_VERIFY_H
#define TRIREME_TOOLS_RUN_PIPELINE_VERIFY_H

#include <stdio.h>

#include "tools/run/pipeline/work.h"

struct verify {
    const struct plan *plan;
    struct fault *fault;
    struct trm_context *context;
    struct trm_group *group;
    struct work work;
    uint64_t frames; /* compared */
    uint64_t samples;
    uint64_t unlike; /* samples that differ by more than the tolerance */
    double tolerance;
    double largest;    /* the largest difference; for floats relative to references above 1 */
    uint64_t at_frame; /* the place of the largest difference */
    uint64_t at_sample;
    uint32_t at_track;
};

bool verify_open(struct verify *verify, const struct plan *plan, bool verbose, struct fault *fault);
void verify_close(struct verify *verify);

/* Compare the result of a frame, a token of a pipeline of the same plan. Differences are counted. False: the
 * comparison failed. */
bool verify_frame(struct verify *verify, const struct trm_token *token);

/* Print the result in a line. Returns true if there was no difference beyond the tolerance. */
bool verify_print(const struct verify *verify, FILE *file);

#endif
