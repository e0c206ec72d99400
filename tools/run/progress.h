/* Trireme: how far a run is, on a terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PROGRESS_H
#define TRIREME_TOOLS_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/report.h>

struct progress {
    bool shown; /* standard error is a terminal, and nobody asked for quiet */
    bool colour;
    bool drawn;       /* there is a line to be wiped */
    const char *unit; /* "frames", "batches" */
    uint64_t total;   /* 0: not known */
    uint64_t began;   /* nanoseconds */
    uint64_t next;    /* when it is drawn again */
};

void progress_begin(struct progress *progress, const char *unit, uint64_t total, bool quiet);

/* So many frames are done. Draws a few times a second; the pipeline says what holds it up (NULL: nobody does). */
void progress_update(struct progress *progress, uint64_t done, struct trm_pipeline *pipeline);

/* Wipe the line, and say in its place what was done and how fast. */
void progress_end(struct progress *progress, uint64_t done);

/* The line without its end, for `columns` of a terminal; critical NULL: not known. */
void progress_line(char *text, size_t capacity, const struct progress *progress, uint64_t done,
                   double seconds, const char *critical, unsigned columns);

#endif
