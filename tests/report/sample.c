/* sample FOLDER TOKENS DEPTH [WORKERS [FAILED [COPIES [DEVICES]]]]: writes what a pipeline of known stage
 * times reports: report.txt, report.json, trace.json, timeline.html. Load takes 1 ms (4 ms with workers),
 * upload 2, compute 4, download 1.5, the sink 0.5 ms. FAILED: 1 + the number of a token that fails. TOKENS 0:
 * a run without measurements. COPIES 0: the device works in the memory of the host. DEVICES: so many get
 * tokens by turns.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/fixture.h"

static int32_t write_to_file(void *user, const char *text, size_t length)
{
    return fwrite(text, 1, length, user) == length ? TRM_OK : TRM_ERROR_IO;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void write_report(const struct trm_report *report, int32_t format, const char *folder,
                         const char *name)
{
    static char text[1 << 16];
    FILE *file = open_in(folder, name);

    if (trm_report_format(report, format, text, sizeof(text), NULL) != TRM_OK || fputs(text, file) == EOF ||
        fclose(file) != 0)
        exit(EXIT_FAILURE);
}

static void write_trace(const struct pipeline_trace *trace, int32_t format, const char *folder,
                        const char *name)
{
    FILE *file = open_in(folder, name);
    struct pipeline_writer writer;

    pipeline_writer_begin(&writer, write_to_file, file);
    if (format == TRM_TRACE_TIMELINE)
        pipeline_trace_timeline(trace, &writer);
    else if (pipeline_trace_events(trace, &writer) != TRM_OK)
        exit(EXIT_FAILURE);
    if (pipeline_writer_end(&writer) != TRM_OK || fclose(file) != 0)
        exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    struct ideal ideal = {
        .time = {1000000, 2000000, 4000000, 1500000, 500000}, .bytes_up = 1 << 20, .bytes_down = 1 << 19};
    struct pipeline_measure *measure;
    struct trm_report report;
    struct pipeline_trace trace;

    if (argc < 4)
        return 2;
    ideal.tokens       = strtoul(argv[2], NULL, 10);
    ideal.depth        = (uint32_t)strtoul(argv[3], NULL, 10);
    ideal.workers      = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
    ideal.failed       = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
    ideal.trace_tokens = IDEAL_MOST;
    if (ideal.workers > 0)
        ideal.time[TRM_STAGE_LOAD] *= 4;
    if (argc > 6 && strtoul(argv[6], NULL, 10) == 0) {
        ideal.time[TRM_STAGE_UPLOAD] = ideal.time[TRM_STAGE_DOWNLOAD] = 0;
        ideal.bytes_up = ideal.bytes_down = 0;
    }
    ideal.devices = argc > 7 ? (uint32_t)strtoul(argv[7], NULL, 10) : 1;
    fixture_begin();
    report = ideal_report(&ideal);
    if (ideal.failed > 0)
        snprintf(report.failure, sizeof(report.failure), "token %lu, compute \"sobel\": <no> & \"picture\"",
                 (unsigned long)ideal.failed - 1);
    measure = run_ideal(&ideal);
    if (pipeline_trace_init(fixture_context, measure, &report, &trace) != TRM_OK)
        return EXIT_FAILURE;
    write_report(&report, TRM_REPORT_TEXT, argv[1], "report.txt");
    write_report(&report, TRM_REPORT_JSON, argv[1], "report.json");
    write_trace(&trace, TRM_TRACE_EVENTS, argv[1], "trace.json");
    write_trace(&trace, TRM_TRACE_TIMELINE, argv[1], "timeline.html");
    pipeline_trace_fini(&trace);
    pipeline_measure_destroy(measure);
    fixture_end();
    return EXIT_SUCCESS;
}
