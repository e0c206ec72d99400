/* What the files of the report room share.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_REPORT_INTERNAL_H
#define PIPELINE_REPORT_REPORT_INTERNAL_H

#include <stdbool.h>
#include <trireme/report.h>

#include "pipeline/report/report.h"
#include "pipeline/report/writer.h"

/* Writes one sentence that says what limits the run and what would help on a host of so many processors:
 * report->advice and report->advised. */
void pipeline_report_advise(struct trm_report *report, const struct pipeline_report_facts *facts,
                            uint32_t processors);

/* trm_report_prediction() without the stages of compute, so that stage_ns counts. */
int32_t pipeline_report_describe(const struct trm_report *report, struct trm_prediction_desc *desc);

/* Whether stages share memory and perhaps processors, so that they slow each other down; the sum of their
 * times is then a limit of what overlap can gain. */
bool pipeline_report_is_shared(const struct trm_report *report);

/* Whether overlap gained more than rounding hides. */
bool pipeline_report_has_overlap(const struct trm_report *report);

/* Whether the program, which submits tokens and takes results, sets the pace: how far the run is from what
 * the stages could do then says nothing. */
bool pipeline_report_is_paced(const struct trm_report *report);

/* "zero-copy by graphs" */
const char *pipeline_report_strategy(const struct trm_report *report);

/* What a token is called, with its article, and several of them: "frame", "a frame", "frames". */
#define PIPELINE_WORD_BYTES 32
const char *pipeline_report_token(const struct trm_report *report);
const char *pipeline_report_a_token(const struct trm_report *report, char text[PIPELINE_WORD_BYTES]);
const char *pipeline_report_tokens(const struct trm_report *report);

/* Tokens that did not come out, or late: "2 skipped, 1 failed, 3 cancelled, 4 dropped, 1 of them expired, 5
 * late"; "" where all did in time. */
void pipeline_report_lost(const struct trm_report *report, char *text, size_t capacity);

/* Which threads load and sink: "load and sink take turns in one thread"; "" where the program does both. */
void pipeline_report_threads(const struct trm_report *report, char *text, size_t capacity);

void pipeline_report_text(const struct trm_report *report, struct pipeline_writer *writer);
void pipeline_report_json(const struct trm_report *report, struct pipeline_writer *writer);

/* A device of a group that takes so many times as long as the fastest one for a token is slow. */
#define PIPELINE_SLOW_TIMES 2

/* How many times as fast the run would have been without a slow device that held up the others; 1: it did
 * not. Never more than the others were measured to do. */
double pipeline_report_gain_without(const struct trm_report *report, uint32_t device);

/* What each device of a group did; for one device no text, no HTML, and an empty list as JSON. */
void pipeline_report_devices_text(const struct trm_report *report, struct pipeline_writer *writer);
void pipeline_report_devices_json(const struct trm_report *report, struct pipeline_writer *writer);
void pipeline_report_devices_html(const struct trm_report *report, struct pipeline_writer *writer);

/* The time of the longest path through `count` stages, at most TRM_REPORT_LAUNCHES: bit j of after[i], of
 * which j is below i, says that stage i runs after stage j. path: receives a bit for each stage on it. */
uint64_t pipeline_longest_path(const uint64_t *times, const uint64_t *after, uint32_t count, uint64_t *path);

/* Fills in path_ns and path from the launches. */
void pipeline_report_find_path(struct trm_report *report);

/* What was read ahead, in words; false: nothing. As members of the JSON. */
bool pipeline_report_ahead_line(const struct trm_report *report, char *text, size_t capacity);
void pipeline_report_ahead_json(const struct trm_report *report, struct pipeline_writer *writer);

/* The device on which a launch runs whatever the device of its token; NULL: there is none. */
const char *pipeline_report_launch_device(const struct trm_report *report, uint32_t launch);

/* What branches a token has, in words; false: none. As a member of a launch in JSON, and as a table; nothing
 * where there are none. */
bool pipeline_report_branches_line(const struct trm_report *report, char *text, size_t capacity);
void pipeline_report_after_json(const struct trm_report *report, uint32_t launch,
                                struct pipeline_writer *writer);
void pipeline_report_branches_html(const struct trm_report *report, struct pipeline_writer *writer);

#endif
