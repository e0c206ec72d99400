/* Trireme: the progress of a run on a terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_REPORT_PROGRESS_H
#define TRIREME_TOOLS_RUN_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/report.h>

struct progress {
    bool shown; /* standard error is a terminal, without --quiet */
    bool colour;
    bool drawn;       /* the line has to be erased */
    const char *unit; /* "frames", "batches" */
    uint64_t total;   /* 0: not known */
    uint64_t began;   /* nanoseconds */
    uint64_t next;    /* time of the next drawing */
};

void progress_begin(struct progress *progress, const char *unit, uint64_t total, bool quiet);

/* `done` frames are done. Draws a few times a second, with the critical stage of `pipeline` (NULL:
 * without). */
void progress_update(struct progress *progress, uint64_t done, struct trm_pipeline *pipeline);

/* Replace the line by the number of frames and their rate. */
void progress_end(struct progress *progress, uint64_t done);

/* Format the line, without line end, for `columns` of a terminal; critical NULL: not known. */
void progress_line(char *text, size_t capacity, const struct progress *progress, uint64_t done,
                   double seconds, const char *critical, unsigned columns);

#endif
