/* What the files that write traces share.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_TRACE_H
#define PIPELINE_REPORT_TRACE_H

#include <stdbool.h>
#include <trireme/report.h>

#include "pipeline/report/measure.h"
#include "pipeline/report/writer.h"

/* A token in one stage. Slices of one lane of a track never overlap. */
struct pipeline_slice {
    uint64_t begin, end; /* as measured; end is never before begin */
    uint32_t token;      /* number among the traced tokens */
    uint32_t lane;
};

/* One stage, or of several devices one stage on one of them. */
struct pipeline_track {
    char name[64]; /* "compute"; "cuda:1 compute" */
    uint32_t stage;
    int32_t device;                /* -1: of all devices */
    struct pipeline_slice *slices; /* sorted by begin */
    uint32_t slice_count;
    uint32_t lanes; /* at least 1 */
};

/* Load and sink, and three stages on each device. */
#define PIPELINE_TRACKS_MOST (2 + 3 * TRM_REPORT_DEVICES)

/* Made once, read by all formats. */
struct pipeline_trace {
    struct core_context *context;
    const struct pipeline_measure *measure;
    const struct trm_report *report;
    uint32_t token_count;
    uint64_t first, last; /* of all slices; 0 when there are none */

    struct pipeline_track tracks[PIPELINE_TRACKS_MOST]; /* load, the devices one by one, sink */
    uint32_t track_count;

    struct pipeline_slice *memory; /* of all tracks */
    size_t size;
};

/* The traced tokens of a measure that does not change, with the report of the same moment. Errors:
 * OUT_OF_HOST_MEMORY. */
int32_t pipeline_trace_init(struct core_context *context, const struct pipeline_measure *measure,
                            const struct trm_report *report, struct pipeline_trace *trace);
void pipeline_trace_fini(struct pipeline_trace *trace);

const struct pipeline_token_times *pipeline_trace_token(const struct pipeline_trace *trace,
                                                        const struct pipeline_slice *slice);

/* How a token ended that did not come out: "skipped", "cancelled" or the name of a status. */
const char *pipeline_trace_status(int32_t status);

/* Trace Event JSON. Errors: OUT_OF_HOST_MEMORY. */
int32_t pipeline_trace_events(const struct pipeline_trace *trace, struct pipeline_writer *writer);

/* One HTML file. */
void pipeline_trace_timeline(const struct pipeline_trace *trace, struct pipeline_writer *writer);

/* The parts that are the same in every file. */
extern const char pipeline_timeline_style[];
extern const char pipeline_timeline_script[];

#endif
