/* What the report room shows: measuring a pipeline, and writing reports and traces of what was measured. The
 * room knows no pipeline; its callers hand over everything that is written.
 *
 *     measure.c        sums of the times of tokens         predict*.c, prediction.c  the predicted time
 *     advice.c         what would make it faster           writer.c         text, numbers, JSON, HTML
 *     report_text.c    a report as text                    report_json.c    a report as JSON
 *     format.c         formats of reports                  output_file.c    output into a file
 *     slices.c         tokens of a trace by stage          trace_events.c   a trace as Trace Event JSON
 *     timeline_html.c  a trace as one HTML file            timeline_style.c, timeline_script.c  its fixed parts
 *     trace.c          formats of traces                   stage.c          names of the stages
 *     strategy.c       names of the strategies
 *
 * Locks: none. A caller that shares a measure between threads locks it.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_REPORT_H
#define PIPELINE_REPORT_REPORT_H

#include <trireme/report.h>

#include "pipeline/report/measure.h"

/* Adds the prediction and the advice to a report that has the measured values and describes its pipeline. */
void core_report_complete(struct trm_report *report);

/* TRM_OK for a value of enum trm_report_format, else INVALID_ARGUMENT. */
int32_t core_report_check_format(int32_t format);

/* Writes a report. Errors: those of `write`. */
int32_t core_report_write(const struct trm_report *report, int32_t format, trm_write_fn write, void *user);

/* TRM_OK for a value of enum trm_trace_format, else INVALID_ARGUMENT. */
int32_t core_trace_check_format(int32_t format);

/* Writes the traced tokens of a measure and the report of the same moment. Neither may change meanwhile.
 * Errors: OUT_OF_HOST_MEMORY, those of `write`. */
int32_t core_trace_write(struct core_context *context, const struct core_measure *measure,
                         const struct trm_report *report, int32_t format, trm_write_fn write, void *user);

/* Writes an output by calling `write` with `writer`. */
typedef int32_t (*core_produce_fn)(const void *subject, trm_write_fn write, void *writer);

/* Creates or truncates `path` and fills it by one call of `produce`. Errors: IO, those of `produce`. */
int32_t core_output_file(const char *path, core_produce_fn produce, const void *subject);

#endif
