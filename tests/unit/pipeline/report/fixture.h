/* A measure without a pipeline, filled by hand, and its reports. For tests with Check and programs without
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_REPORT_FIXTURE_H
#define TESTS_UNIT_PIPELINE_REPORT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "core/object/context.h"
#include "pipeline/report/report_internal.h"
#include "pipeline/report/trace.h"

/* A condition for any test. */
#define must_hold(condition)                                                \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* When time begins: clocks do not begin at 0. */
#define EPOCH UINT64_C(5000000000000)

static struct trm_context *fixture_handle;
static struct core_context *fixture_context;

static inline void fixture_begin(void)
{
    must_hold(trm_context_create(NULL, &fixture_handle) == TRM_OK);
    fixture_context = core_context_find(fixture_handle);
    must_hold(fixture_context != NULL);
}

static inline void fixture_end(void)
{
    trm_context_destroy(fixture_handle);
}

static inline struct pipeline_measure *make_measure(uint32_t depth, uint32_t trace_tokens)
{
    static const char *const names[]  = {"blur", "sobel"};
    struct pipeline_measure_desc desc = {depth, trace_tokens, 2, names};
    struct pipeline_measure *measure;

    must_hold(pipeline_measure_create(fixture_context, &desc, &measure) == TRM_OK);
    return measure;
}

/* A token with the begin and end of each stage from EPOCH; {0, 0}: a stage that it does not have. */
static inline struct pipeline_token_times make_token(uint64_t index, uint32_t slot,
                                                     uint64_t times[TRM_STAGES][2])
{
    struct pipeline_token_times token = {.index = index, .slot = slot, .status = TRM_OK};

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        if (times[i][0] == 0 && times[i][1] == 0)
            continue;
        token.begin[i] = EPOCH + times[i][0];
        token.end[i]   = EPOCH + times[i][1];
    }
    return token;
}

static inline struct trm_report measure_report(const struct pipeline_measure *measure, uint32_t depth)
{
    struct trm_report report = {.struct_size = sizeof(report), .depth = depth, .pieces = 1};

    pipeline_measure_report(measure, &report);
    return report;
}

/* ---- a pipeline of given stage times -------------------------------------------------------- */

struct ideal {
    uint32_t depth, workers;
    uint64_t tokens;
    uint64_t time[TRM_STAGES];
    uint64_t bytes_up, bytes_down;
    /* 0: every token is measured; else so many in a row of every ten times as many */
    uint32_t sampled_of;
    uint64_t gap;    /* idle time between tokens on the host */
    uint64_t failed; /* 1 + the index of a token that fails */
    uint32_t trace_tokens;
    uint32_t devices;    /* that get tokens by turns; below 2: one */
    bool is_of_a_device; /* it is the measure of one of several devices */
};

enum {
    IDEAL_MOST = 20000
};

/* Fills a measure from a pipeline whose stages take exactly the given times. */
static inline struct pipeline_measure *run_ideal(const struct ideal *ideal)
{
    static uint64_t ends[IDEAL_MOST][TRM_STAGES];
    struct pipeline_measure *measure = make_measure(ideal->depth, ideal->trace_tokens);

    must_hold(ideal->tokens <= IDEAL_MOST);
    pipeline_measure_threads(measure, ideal->workers, 0);
    for (uint64_t i = 0; i < ideal->tokens; i++) {
        struct pipeline_token_times token = {.index = i, .slot = (uint32_t)(i % ideal->depth)};
        if (ideal->devices > 1)
            token.device = (uint32_t)(i % ideal->devices);
        uint64_t at = i >= ideal->depth ? ends[i - ideal->depth][TRM_STAGE_SINK] + ideal->gap : EPOCH;
        uint64_t launch_ends[2];

        for (uint32_t s = 0; s < TRM_STAGES; s++) {
            uint32_t lanes = s == TRM_STAGE_LOAD && ideal->workers > 0 ? ideal->workers : 1;

            if (i >= lanes && ends[i - lanes][s] > at)
                at = ends[i - lanes][s];
            token.begin[s] = ideal->time[s] > 0 ? at : 0;
            at += ideal->time[s];
            token.end[s] = ideal->time[s] > 0 ? at : 0;
            ends[i][s]   = at;
        }
        if (ideal->sampled_of > 0 && i / ideal->sampled_of % 10 != 0) {
            memset(token.begin + 1, 0, 3 * sizeof(token.begin[0]));
            memset(token.end + 1, 0, 3 * sizeof(token.end[0]));
        } else if (token.begin[TRM_STAGE_COMPUTE] != 0) {
            launch_ends[0]     = token.begin[TRM_STAGE_COMPUTE] + ideal->time[TRM_STAGE_COMPUTE] / 4;
            launch_ends[1]     = token.end[TRM_STAGE_COMPUTE];
            token.launch_count = 2;
            token.launch_end   = launch_ends;
        }
        token.bytes_up   = ideal->bytes_up;
        token.bytes_down = ideal->bytes_down;
        token.status     = ideal->failed == i + 1 ? TRM_ERROR_KERNEL : TRM_OK;
        if (ideal->is_of_a_device)
            pipeline_measure_device_token(measure, &token);
        else
            pipeline_measure_token(measure, &token);
    }
    return measure;
}

/* Its whole report. */
static inline struct trm_report ideal_report(const struct ideal *ideal)
{
    struct pipeline_measure *measure = run_ideal(ideal);
    struct trm_report report         = measure_report(measure, ideal->depth);

    snprintf(report.name, sizeof(report.name), "edges");
    snprintf(report.backend, sizeof(report.backend), "cpu");
    snprintf(report.device, sizeof(report.device), "cpu:0");
    snprintf(report.reason, sizeof(report.reason), "it was asked for");
    report.strategy     = ideal->bytes_up > 0 ? TRM_STRATEGY_ROLE_STREAMS : TRM_STRATEGY_ZERO_COPY;
    report.device_bytes = 3 << 20;
    report.host_bytes   = 3 << 20;
    report.preempted    = 0; /* of this process, which the times are not of */
    for (uint32_t i = 0; ideal->devices > 1 && i < ideal->devices; i++) {
        struct trm_device_report *device = &report.devices[report.device_count++];

        snprintf(device->device, sizeof(device->device), "cpu:%u", i);
        device->depth  = ideal->depth;
        device->tokens = (ideal->tokens + ideal->devices - 1 - i) / ideal->devices;
        device->latency_ns =
            ideal->time[TRM_STAGE_UPLOAD] + ideal->time[TRM_STAGE_COMPUTE] + ideal->time[TRM_STAGE_DOWNLOAD];
    }
    pipeline_report_complete(&report, NULL);
    pipeline_measure_destroy(measure);
    return report;
}

/* ---- written text --------------------------------------------------------------------------- */

struct written {
    char *text;
    size_t length, capacity;
};

static inline int32_t keep_written(void *user, const char *text, size_t length)
{
    struct written *written = user;

    if (written->length + length + 1 > written->capacity) {
        written->capacity = 2 * (written->length + length + 1);
        written->text     = realloc(written->text, written->capacity);
        must_hold(written->text != NULL);
    }
    memcpy(written->text + written->length, text, length);
    written->length += length;
    written->text[written->length] = '\0';
    return TRM_OK;
}

#endif
