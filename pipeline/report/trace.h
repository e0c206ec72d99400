/* What the files that write traces share.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_TRACE_H
#define PIPELINE_REPORT_TRACE_H

#include <stdbool.h>
#include <trireme/report.h>

#include "pipeline/report/measure.h"
#include "pipeline/report/writer.h"

/* A token in one stage. Slices of one lane never overlap. */
struct core_slice {
    uint64_t begin, end; /* as measured; end is never before begin */
    uint32_t token;      /* number among the traced tokens */
    uint32_t lane;
};

/* Made once, read by all formats. */
struct core_trace {
    struct core_context *context;
    const struct core_measure *measure;
    const struct trm_report *report;
    uint32_t token_count;
    uint64_t first, last; /* of all slices; 0 when there are none */

    /* By stage, sorted by begin. */
    struct core_slice *slices[TRM_STAGES];
    uint32_t slice_count[TRM_STAGES];
    uint32_t lanes[TRM_STAGES]; /* at least 1 */

    struct core_slice *memory;
    size_t size;
};

/* The traced tokens of a measure that does not change, with the report of the same moment. Errors:
 * OUT_OF_HOST_MEMORY. */
int32_t core_trace_init(struct core_context *context, const struct core_measure *measure,
                        const struct trm_report *report, struct core_trace *trace);
void core_trace_fini(struct core_trace *trace);

const struct core_token_times *core_trace_token(const struct core_trace *trace,
                                                const struct core_slice *slice);

/* Trace Event JSON. Errors: OUT_OF_HOST_MEMORY. */
int32_t core_trace_events(const struct core_trace *trace, struct core_writer *writer);

/* One HTML file. */
void core_trace_timeline(const struct core_trace *trace, struct core_writer *writer);

/* The parts that are the same in every file. */
extern const char core_timeline_style[];
extern const char core_timeline_script[];

#endif
