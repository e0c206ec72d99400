/* Trireme: how a job, which runs in a process of its own, tells what it finds.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_REPORT_H
#define TRIREME_TOOLS_CHECK_REPORT_H

#include "tools/check/finding.h"

#include <pthread.h>

/* Threads of the library report too: they log. */
struct report {
    pthread_mutex_t lock;
    int descriptor; /* the pipe to the process that prints */
    const char *section;
    const char *subject;
    bool ignores_log; /* warnings of the library are no findings */
    bool is_verbose;  /* the whole log goes to stderr */
};

/* Say what the job does next: shown while it lasts, and named when the process does not survive it. */
void report_begin(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Say that the job has ended: without this, a process that exits early looks like a good one. */
void report_end(struct report *report);

/* Report a finding about the subject of the report. `remedy`: what to do; NULL: nothing. */
void report_add(struct report *report, enum finding_state state, const char *topic, const char *remedy,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Report a failure with the last error of this thread, and a remedy that follows from its status. */
void report_failure(struct report *report, const char *topic, const char *what);

/* A log function of a context, whose user is a report: warnings become findings. */
void report_log(void *user, int32_t level, const char *message);

/* ---- the other end of the pipe */

enum {
    REPORT_BEGIN  = 'b', /* a record begins with this and a text, or with '0' + enum finding_state and five */
    REPORT_END    = 'e', /* the last record of a job, with a text as for REPORT_BEGIN */
    REPORT_FIELDS = 5,
};

#endif
