/* Trireme: `trireme run`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/output.h"
#include "tools/run/progress.h"
#include "tools/run/verify.h"
#include "tools/run/work.h"
#include "tools/run/writer.h"

enum {
    SLOTS_MOST   = 64,
    TRACE_TOKENS = 16384, /* if the number of frames is not known */
    TRACE_MOST   = 1 << 18,
    INTERRUPTED  = 128 + SIGINT,
};

struct session {
    const struct run_options *options;
    struct fault fault;
    struct trm_context *context;
    struct trm_device *device;
    struct reader reader;
    struct media_format out;
    struct plan plan;
    struct work work;
    struct verify verify;
    struct writer writer;
    struct progress progress;
    char *notes[SLOTS_MOST]; /* the text after FRAME of the frame in each slot */
};

/* ---- source and sink ---- */

static int32_t fill(void *user, struct trm_token *token)
{
    struct session *session = user;
    struct frame frame = {token->data, token->size, session->plan.track_count, &session->notes[token->slot]};

    switch (reader_read(&session->reader, token->index, &frame)) {
    case READER_FRAME:
        return TRM_OK;
    case READER_END:
        return TRM_TOKEN_END;
    default:
        return TRM_ERROR_IO;
    }
}

static int32_t consume(void *user, const struct trm_token *token)
{
    struct session *session = user;
    uint32_t tracks         = session->plan.track_count;
    struct frame frame = {token->data + tracks, token->size + tracks, tracks, &session->notes[token->slot]};

    /* A frame after a missing one would take its place. */
    if (token->index != session->writer.frames)
        return TRM_OK;
    if (session->options->verify && !verify_frame(&session->verify, token))
        return TRM_ERROR_IO;
    if (!writer_write(&session->writer, token->index, &frame))
        return TRM_ERROR_IO;
    progress_update(&session->progress, session->writer.frames, session->work.pipeline);
    return TRM_OK;
}

/* ---- getting ready ---- */

static bool parse_chain(struct session *session, struct spec *specs)
{
    for (uint32_t i = 0; i < session->options->kernel_count; i++)
        if (!spec_parse(&specs[i], session->options->kernels[i], &session->fault))
            return false;
    return plan_make(&session->plan, session->context, &session->reader.format, specs,
                     session->options->kernel_count, &session->out, &session->fault);
}

static bool make_plan(struct session *session)
{
    struct spec *specs = output_allocate(session->options->kernel_count, sizeof(*specs));
    bool well          = parse_chain(session, specs);

    for (uint32_t i = 0; i < session->options->kernel_count; i++)
        spec_release(&specs[i]);
    free(specs);
    return well;
}

static bool choose_output(struct session *session)
{
    const struct run_options *options = session->options;
    struct media_format from          = session->out;
    int kind                          = options->output_kind;

    if (kind == MEDIA_NONE)
        kind = writer_kind(options->output);
    if (kind == MEDIA_NONE)
        kind = session->reader.format.kind;
    if (options->rate > 0) {
        from.rate         = options->rate;
        from.rate_divisor = options->rate_divisor;
    }
    return writer_format(&from, kind, &session->out, options->output, &session->fault);
}

/* The output must not truncate the input. */
static bool check_paths(struct session *session)
{
    const struct run_options *options = session->options;
    struct stat in, out;

    if (strcmp(options->input.path, "-") == 0 || strcmp(options->output, "-") == 0)
        return true;
    if (session->reader.sequence.count > 0 && strcmp(options->input.path, options->output) == 0)
        return fault_set(&session->fault, "%s: is the input too", options->output);
    if (stat(options->output, &out) != 0 || (!S_ISREG(out.st_mode) && !S_ISDIR(out.st_mode)))
        return true;
    if (stat(options->input.path, &in) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return true;
    return fault_set(&session->fault, "%s: is the input too", options->output);
}

static bool open_work(struct session *session)
{
    const struct run_options *options   = session->options;
    bool trace                          = options->trace || options->timeline;
    uint64_t tokens                     = session->reader.known ? session->reader.known + 1 : TRACE_TOKENS;
    const struct trm_pipeline_desc desc = {
        .struct_size  = sizeof(desc),
        .name         = "trireme run",
        .depth        = options->depth,
        .strategy     = options->strategy,
        .on_failure   = TRM_FAILURE_DRAIN,
        .measure      = trace ? TRM_MEASURE_ALL : TRM_MEASURE_SAMPLED,
        .trace_tokens = !trace                ? 0
                        : tokens < TRACE_MOST ? (uint32_t)tokens
                                              : TRACE_MOST,
    };

    return work_open(&session->work, &session->plan, session->device, &desc, &session->fault);
}

/* ---- the report ---- */

/* Writes text, and a line end unless it has one. */
static void write_line(FILE *file, const char *text)
{
    size_t length = strlen(text);

    fputs(text, file);
    if (length == 0 || text[length - 1] != '\n')
        fputc('\n', file);
}

static bool write_text(struct session *session, const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    bool well;

    if (!file)
        return fault_set(&session->fault, "%s: cannot be written: %s", path, strerror(errno));
    write_line(file, text);
    well = !ferror(file);
    if (fclose(file) != 0)
        well = false;
    return well || fault_set(&session->fault, "%s: cannot be written: %s", path, strerror(errno));
}

static bool print_report(struct session *session)
{
    const struct run_options *options = session->options;
    int32_t format           = options->report == RUN_REPORT_JSON ? TRM_REPORT_JSON : TRM_REPORT_TEXT;
    struct trm_report report = {.struct_size = sizeof(report)};
    size_t size              = 0;
    bool well                = true;
    char *text;

    if (trm_pipeline_report(session->work.pipeline, &report) != TRM_OK)
        return fault_library(&session->fault, "the report");
    trm_report_format(&report, format, NULL, 0, &size);
    text = output_allocate(size + 2, 1);
    if (trm_report_format(&report, format, text, size + 1, NULL) != TRM_OK) {
        well = fault_library(&session->fault, "the report");
    } else {
        if (options->report_file)
            well = write_text(session, options->report_file, text);
        else
            write_line(strcmp(options->output, "-") == 0 ? stderr : stdout, text);
    }
    free(text);
    return well;
}

static bool write_trace(struct session *session, int32_t format, const char *path)
{
    if (!path || trm_pipeline_trace_file(session->work.pipeline, format, path) == TRM_OK)
        return true;
    return fault_set(&session->fault, "%s", trm_last_error().sentence); /* the sentence names the file */
}

static void tell(struct session *session)
{
    const struct run_options *options = session->options;

    progress_end(&session->progress, session->writer.frames);
    if (options->report != RUN_REPORT_NONE)
        print_report(session);
    write_trace(session, TRM_TRACE_EVENTS, options->trace);
    write_trace(session, TRM_TRACE_TIMELINE, options->timeline);
    if (options->verify && !verify_print(&session->verify, stderr))
        fault_set(&session->fault, "the output differs from that of the cpu backend");
}

/* ---- the run ---- */

static void pump(struct session *session)
{
    const struct run_options *options = session->options;
    struct trm_source source          = trm_source_function(fill, session);
    struct trm_sink sink              = trm_sink_function(consume, session);

    source.workers = options->workers;
    progress_begin(&session->progress, session->reader.format.flat ? "batches" : "frames",
                   session->reader.known, options->quiet);
    if (trm_pipeline_run(session->work.pipeline, &source, &sink) != TRM_OK)
        fault_set(&session->fault, "%s", trm_last_error().sentence);
    writer_close(&session->writer);
    tell(session);
}

static void run_on_device(struct session *session)
{
    const struct run_options *options = session->options;

    if (!open_work(session))
        return;
    if (options->verify && !verify_open(&session->verify, &session->plan, options->verbose, &session->fault))
        goto close_work;
    if (writer_open(&session->writer, options->output, &session->out, &session->reader.sequence,
                    &session->fault))
        pump(session);
    writer_close(&session->writer);
    if (options->verify)
        verify_close(&session->verify);
    for (int i = 0; i < SLOTS_MOST; i++)
        free(session->notes[i]);

close_work:
    work_close(&session->work);
}

static void run_with_input(struct session *session)
{
    const struct run_options *options = session->options;

    if (!make_plan(session))
        return;
    if (choose_output(session) && check_paths(session)) {
        if (trm_device_open(session->context, options->device, &session->device) == TRM_OK) {
            run_on_device(session);
            trm_device_destroy(session->device);
        } else {
            fault_library(&session->fault, "no device to run on");
        }
    }
    plan_release(&session->plan);
}

static const char *unit(const struct session *session)
{
    if (session->reader.format.flat)
        return session->writer.frames == 1 ? "batch" : "batches";
    return session->writer.frames == 1 ? "frame" : "frames";
}

static int finish(struct session *session)
{
    const char *verb = session->writer.frames == 1 ? "was" : "were";

    if (fault_is_set(&session->fault)) {
        fflush(stdout);
        fputs("trireme run: ", stderr);
        output_text(stderr, session->fault.text);
        if (session->writer.frames > 0)
            fprintf(stderr, " (%" PRIu64 " %s before %s written)", session->writer.frames, unit(session),
                    verb);
        fputc('\n', stderr);
        return session->fault.misuse ? COMMAND_USAGE : COMMAND_FAILED;
    }
    if (!interrupt_came())
        return COMMAND_OK;
    fprintf(stderr, "trireme run: interrupted; %" PRIu64 " %s %s written\n", session->writer.frames,
            unit(session), verb);
    return INTERRUPTED;
}

static int run(const struct run_options *options)
{
    struct session session = {.options = options};
    int status;

    fault_init(&session.fault);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is reported like a full disk */
    interrupt_arm();
    if (command_context_for(options->backend, options->verbose, &session.context) != TRM_OK) {
        status = command_failed("the settings are wrong");
    } else {
        if (reader_open(&session.reader, &options->input, &session.fault)) {
            run_with_input(&session);
            reader_close(&session.reader);
        }
        status = finish(&session);
        trm_context_destroy(session.context);
    }
    interrupt_disarm();
    fault_fini(&session.fault);
    return status;
}

static int run_main(int argc, char **argv)
{
    struct run_options options = {0};
    int status                 = run_parse(argc, argv, &options);

    if (status == COMMAND_OK)
        status = run(&options);
    run_options_fini(&options);
    return status;
}

const struct command run_command = {
    .name    = "run",
    .summary = "stream video, images or arrays through a chain of kernels",
    .help =
        "Usage: trireme run -k KERNEL[:NAME=VALUE,…] [-k …] [OPTION…] INPUT OUTPUT\n"
        "\n"
        "Passes every frame through the kernels in order, while the next frame is loaded and the previous "
        "one\n"
        "is written. INPUT and OUTPUT are files, or - for standard input and output:\n"
        "\n"
        "  trireme run -k gaussian_blur:sigma=2 -k sobel in.y4m out.y4m\n"
        "  ffmpeg -i in.mp4 -f yuv4mpegpipe - | trireme run -k sobel - - | ffplay -\n"
        "\n"
        "  -k, --kernel KERNEL   an installed kernel (trireme info --kernels), a .spv or .comp file, or "
        "copy,\n"
        "                        which changes nothing. Its parameters and constants follow as NAME=VALUE;\n"
        "                        planes=y, planes=uv or planes=all selects the planes of video to process\n"
        "\n"
        "Formats, detected from the contents of the input and the extension of the output:\n"
        "  y4m   YUV4MPEG2 video: 4:2:0, 4:2:2, 4:4:4, mono; 8 bits and more\n"
        "  pnm   PPM and PGM images: several in one file, a folder of them, or frame%04d.ppm\n"
        "      --raw TYPE        numbers: f32, f16, u8, u16, i32 or u32\n"
        "      --batch SIZE      bytes of numbers in a batch (default 16M)\n"
        "      --size WxH[xC]    or the size of an image of numbers\n"
        "      --input-format, --output-format FORMAT   y4m, pnm or (output) raw\n"
        "      --rate N[:D]      frames per second of video made from images (default 25)\n"
        "      --frames N        stop after N frames, at least 1\n"
        "\n"
        "      --backend LIST    backends in order of preference, such as cuda,cpu\n"
        "      --device ID       the device, such as cuda:1\n"
        "      --depth N         frames in flight: 1 sequential, 2 double, 3 triple buffering (default), 0 "
        "tuned\n"
        "      --strategy NAME   auto, role-streams, slot-streams, slot-graphs or zero-copy\n"
        "      --workers N       threads that load frames (default 1)\n"
        "\n"
        "      --report text|json    report how well loading, computing and writing overlapped, and the "
        "limits\n"
        "      --report-file FILE    write the report to FILE; default: standard output, or standard error "
        "if\n"
        "                            OUTPUT is -\n"
        "      --json                the same as --report json\n"
        "      --trace FILE          write the times of every frame for ui.perfetto.dev and "
        "chrome://tracing\n"
        "      --timeline FILE       write the same as a page for a browser\n"
        "      --verify              compare every frame with the result of the cpu backend\n"
        "  -q, --quiet               show no progress on the terminal\n"
        "  -v, --verbose             print the log of the library to stderr\n"
        "\n"
        "Exits with 0 on success, 1 if something failed (the frames finished before are written), 2 if the\n"
        "command line or an option of a kernel is wrong, 130 after an interrupt.\n",
    .run = run_main,
};
