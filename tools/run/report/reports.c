/* Trireme: the report, the trace and the timeline of a run.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/report/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "tools/output/output.h"

/* ---- checking and opening ---- */

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* The report goes to standard output, or to standard error if frames go to standard output. */
static bool claim_stream(const struct run_options *options, struct claims *claims, struct fault *fault)
{
    bool to_error = is_standard(options->output);
    struct stat state;

    if (options->report == RUN_REPORT_NONE || options->report_file ||
        fstat(to_error ? STDERR_FILENO : STDOUT_FILENO, &state) != 0)
        return true;
    return claims_write(claims, &state, CLAIM_REPORT, to_error ? "standard error" : "standard output", fault);
}

bool reports_check(const struct run_options *options, struct claims *claims, struct fault *fault)
{
    if (!claim_stream(options, claims, fault))
        return false;
    if (options->report_file && !claims_write_path(claims, options->report_file, CLAIM_REPORT, fault))
        return false;
    if (options->trace && !claims_write_path(claims, options->trace, CLAIM_TRACE, fault))
        return false;
    return !options->timeline || claims_write_path(claims, options->timeline, CLAIM_TIMELINE, fault);
}

bool reports_open(struct reports *reports, const struct run_options *options, struct claims *claims,
                  struct fault *fault)
{
    memset(reports, 0, sizeof(*reports));
    reports->options           = options;
    reports->fault             = fault;
    reports->report.descriptor = reports->trace.descriptor = reports->timeline.descriptor = -1;
    if (options->report_file &&
        !outlet_open(&reports->report, options->report_file, CLAIM_REPORT, claims, fault))
        return false;
    if (options->trace && !outlet_open(&reports->trace, options->trace, CLAIM_TRACE, claims, fault))
        return false;
    return !options->timeline ||
           outlet_open(&reports->timeline, options->timeline, CLAIM_TIMELINE, claims, fault);
}

/* ---- writing ---- */

/* Write text, and a line end unless it has one. */
static void print_line(FILE *file, const char *text)
{
    size_t length = strlen(text);

    fputs(text, file);
    if (length == 0 || text[length - 1] != '\n')
        fputc('\n', file);
}

static void write_line(struct reports *reports, struct outlet *outlet, const char *text)
{
    size_t length = strlen(text);

    if (outlet_write(outlet, text, length, reports->fault) && (length == 0 || text[length - 1] != '\n'))
        outlet_write(outlet, "\n", 1, reports->fault);
    outlet_close(outlet, reports->fault);
}

static void write_report(struct reports *reports, struct trm_pipeline *pipeline)
{
    const struct run_options *options = reports->options;
    int32_t format           = options->report == RUN_REPORT_JSON ? TRM_REPORT_JSON : TRM_REPORT_TEXT;
    struct trm_report report = {.struct_size = sizeof(report)};
    size_t size              = 0;
    char *text;

    if (options->report == RUN_REPORT_NONE)
        return;
    if (trm_pipeline_report(pipeline, &report) != TRM_OK) {
        fault_library(reports->fault, "the report");
        return;
    }
    trm_report_format(&report, format, NULL, 0, &size);
    text = output_allocate(size + 2, 1);
    if (trm_report_format(&report, format, text, size + 1, NULL) != TRM_OK)
        fault_library(reports->fault, "the report");
    else if (options->report_file)
        write_line(reports, &reports->report, text);
    else
        print_line(is_standard(options->output) ? stderr : stdout, text);
    free(text);
}

/* One trace while the library writes it. */
struct writing {
    struct outlet *outlet;
    struct fault *fault;
};

static int32_t write_piece(void *user, const char *text, size_t length)
{
    const struct writing *writing = user;

    return outlet_write(writing->outlet, text, length, writing->fault) ? TRM_OK : TRM_ERROR_IO;
}

static void write_trace(struct reports *reports, struct trm_pipeline *pipeline, int32_t format,
                        struct outlet *outlet)
{
    struct writing writing = {outlet, reports->fault};

    if (outlet->descriptor < 0)
        return;
    /* Where the file failed, the fault already says so. */
    if (trm_pipeline_trace(pipeline, format, write_piece, &writing) != TRM_OK)
        fault_library(reports->fault, outlet->name);
    outlet_close(outlet, reports->fault);
}

void reports_write(struct reports *reports, struct trm_pipeline *pipeline)
{
    write_report(reports, pipeline);
    write_trace(reports, pipeline, TRM_TRACE_EVENTS, &reports->trace);
    write_trace(reports, pipeline, TRM_TRACE_TIMELINE, &reports->timeline);
}

void reports_close(struct reports *reports)
{
    if (!reports->options)
        return;
    outlet_close(&reports->report, reports->fault);
    outlet_close(&reports->trace, reports->fault);
    outlet_close(&reports->timeline, reports->fault);
    reports->options = NULL;
}
