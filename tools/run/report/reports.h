/* Trireme: what a run tells about itself: the report, the trace and the timeline.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_REPORT_REPORTS_H
#define TRIREME_TOOLS_RUN_REPORT_REPORTS_H

#include <trireme/pipeline.h>

#include "tools/run/file/file.h"
#include "tools/run/options/options.h"

struct reports {
    const struct run_options *options;
    struct fault *fault;
    struct outlet report; /* closed: to standard output or standard error, or none */
    struct outlet trace, timeline;
};

/* Check the paths, without opening any of them. */
bool reports_check(const struct run_options *options, struct claims *claims, struct fault *fault);

/* Open the files, so that one that cannot be written fails before the first frame. */
bool reports_open(struct reports *reports, const struct run_options *options, struct claims *claims,
                  struct fault *fault);

/* Write them, after a run. */
void reports_write(struct reports *reports, struct trm_pipeline *pipeline);

/* Files that were made and not written are removed. May be called again. */
void reports_close(struct reports *reports);

#endif
