/* Inside reports: who writes what.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_REPORT_INTERNAL_H
#define PIPELINE_REPORT_REPORT_INTERNAL_H

#include <stdbool.h>
#include <trireme/report.h>

#include "pipeline/report/report.h"
#include "pipeline/report/writer.h"

/* One sentence: what holds the run back, and what would help on a host of so many processors. */
void core_report_advise(const struct trm_report *report, uint32_t processors, char *advice, size_t capacity);

/* Where host and device share memory, and on a cpu also processors, stages slow each other down: alone they would take less, and
 * what their times one after the other come to is a limit. */
bool core_report_is_shared(const struct trm_report *report);

/* Who loads and sinks: "load and sink take turns in one thread"; "" where the program does. */
void core_report_threads(const struct trm_report *report, char *text, size_t capacity);

void core_report_text(const struct trm_report *report, struct core_writer *writer);
void core_report_json(const struct trm_report *report, struct core_writer *writer);

#endif
