/* Trireme: the state of one `trireme run`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_SESSION_H
#define TRIREME_TOOLS_RUN_SESSION_H

#include "tools/run/file/file.h"
#include "tools/run/media/media.h"
#include "tools/run/options/options.h"
#include "tools/run/pipeline/pipeline.h"
#include "tools/run/report/report.h"

enum {
    SESSION_SLOTS = 64 /* of the pipeline at most, on all devices together */
};

struct session {
    const struct run_options *options;
    struct fault fault;
    struct claims claims;
    struct trm_context *context;
    struct trm_group *group;
    struct reader reader;
    struct media_format out;
    struct plan plan;
    struct work work;
    struct verify verify;
    struct writer writer;
    struct reports reports;
    struct progress progress;
    /* The text after FRAME of each frame on its way; trm_token.user is its place. A frame keeps its place
     * when another device repeats it in another slot. */
    char *notes[SESSION_SLOTS];
    _Atomic uint64_t notes_in_use; /* a bit each */
};

/* drive.c: pass all frames of the reader through the pipeline to the writer. Failures are in the fault. */
void drive(struct session *session);

/* Threads that write frames. */
uint32_t drive_writers(const struct session *session);

#endif
