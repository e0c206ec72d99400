/* Trireme: what a run tells about itself.
 *
 * progress   a line on the terminal, while it runs
 * reports    the report, the trace and the timeline, after it
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_REPORT_REPORT_H
#define TRIREME_TOOLS_RUN_REPORT_REPORT_H

#include "tools/run/report/progress.h"
#include "tools/run/report/reports.h"

#endif
