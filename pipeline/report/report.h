/* What the report room shows: measuring a pipeline, and writing reports and traces of what was measured. The
 * room knows no pipeline; its callers hand over everything that is written. Its writer serves other rooms
 * too.
 *
 *     measure.c        sums of the times of tokens         predict*.c, prediction.c  the predicted time
 *     rates.c          how fast copies and enqueueing are
 *     advice*.c        what would make it faster           writer.c         text, numbers, JSON, HTML
 *     words.c          what reports call things
 *     report_text.c    a report as text                    report_json.c    a report as JSON
 *     format.c         formats of reports                  output_file.c    output into a file
 *     slices.c         tokens of a trace by stage          trace_events.c   a trace as Trace Event JSON
 *     shared.c         limits that devices share       report_devices.c  what each device of a group did
 *     timeline_html.c  a trace as one HTML file timeline_style.c, timeline_script.c its fixed parts
 *     report_branches.c  the branches of compute, and their longest path
 *     trace.c          formats of traces                   names.c          names of stages and strategies
 *
 * Locks: none. A caller that shares a measure between threads locks it.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_REPORT_H
#define PIPELINE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <trireme/report.h>

#include "pipeline/report/measure.h"
#include "pipeline/report/shared.h"
#include "pipeline/report/writer.h"

/* Bytes of struct trm_report in the first version. */
#define PIPELINE_REPORT_LEAST offsetof(struct trm_report, load_waiting_ns)

/* A copy of struct trm_advice_words; "": not given. */
struct pipeline_report_words {
    bool are_given;
    char token[24], tokens[24], workers[24], depth[24], size[24], sinks[24], devices[24];
    uint32_t sink_count;
};

/* given: NULL is fine. Errors: INVALID_ARGUMENT. */
int32_t pipeline_report_words_copy(const struct trm_advice_words *given, struct pipeline_report_words *words);

/* What the advice uses besides the report; all zero: nothing is known. */
struct pipeline_report_facts {
    uint32_t source_flags, sink_flags; /* enum trm_end_flags */
    char source_name[64], sink_name[64];
    struct pipeline_report_words words;
    /* The times of the last measured tokens, in order. */
    const struct pipeline_stage_times *recent;
    uint32_t recent_count;
    struct pipeline_rates rates;
    uint64_t slot_ns;     /* what the first token of a slot takes longer than others; 0: not known */
    bool may_drop;        /* enum trm_full_mode says so */
    bool is_started;      /* the program takes the results of the last source */
    uint64_t host_stages; /* bit i: launch i is a function of the program */
};

/* Adds the prediction and the advice to a report that has the measured values and describes its pipeline.
 * facts: NULL is fine. */
void pipeline_report_complete(struct trm_report *report, const struct pipeline_report_facts *facts);

/* Puts in front of the reason which strategy each device of a group has, where they differ: the strategy and
 * the reason are those of the first device. The report has its devices. strategies: one for each. */
void pipeline_report_strategies(struct trm_report *report, const int32_t *strategies);

/* TRM_OK for a value of enum trm_report_format, else INVALID_ARGUMENT. */
int32_t pipeline_report_check_format(int32_t format);

/* Writes a report. Errors: those of `write`. */
int32_t pipeline_report_write(const struct trm_report *report, int32_t format, trm_write_fn write,
                              void *user);

/* TRM_OK for a value of enum trm_trace_format, else INVALID_ARGUMENT. */
int32_t pipeline_trace_check_format(int32_t format);

/* Writes the traced tokens of a measure and the report of the same moment. Neither may change meanwhile.
 * Errors: OUT_OF_HOST_MEMORY, those of `write`. */
int32_t pipeline_trace_write(struct core_context *context, const struct pipeline_measure *measure,
                             const struct trm_report *report, int32_t format, trm_write_fn write, void *user);

/* Writes an output by calling `write` with `writer`. */
typedef int32_t (*pipeline_produce_fn)(const void *subject, trm_write_fn write, void *writer);

/* Creates or truncates `path` and fills it by one call of `produce`; a path that names a descriptor
 * (/dev/stdout, /dev/fd/3) is written from the descriptor's position. Errors: IO, those of `produce`. */
int32_t pipeline_output_file(const char *path, pipeline_produce_fn produce, const void *subject);

/* The same into an open file, which stays open; `path` is for messages. */
int32_t pipeline_output_descriptor(int fd, const char *path, pipeline_produce_fn produce,
                                   const void *subject);

#endif
