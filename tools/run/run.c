/* Trireme: `trireme run`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/options/options.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output/output.h"
#include "tools/run/session.h"

enum {
    TRACE_TOKENS = 16384, /* if the number of frames is not known */
    TRACE_MOST   = 1 << 18,
    SIGNALLED    = 128, /* plus the number of the signal, as shells report it */
};

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

/* A file whose ending says nothing gets the format of the input, which may surprise. */
static void tell_kind(const struct session *session, int kind)
{
    const char *path = session->options->output, *slash = strrchr(path, '/'),
               *name = slash ? slash + 1 : path;

    if (!session->options->quiet && strchr(name, '.'))
        fprintf(stderr,
                "trireme run: %s is written as %s, like the input, since its extension is not known\n", path,
                media_kind_name(kind));
}

static bool choose_output(struct session *session)
{
    const struct run_options *options = session->options;
    struct media_format from          = session->out;
    int kind                          = options->output_kind;

    if (kind == MEDIA_NONE)
        kind = writer_kind(options->output);
    if (kind == MEDIA_NONE) {
        kind = session->reader.format.kind;
        tell_kind(session, kind);
    }
    if (options->rate > 0) {
        from.rate         = options->rate;
        from.rate_divisor = options->rate_divisor;
    }
    return writer_format(&from, kind, &session->out, options->output, &session->fault);
}

/* ---- the files of the run ---- */

static void claim_path(struct session *session, const char *path, int use)
{
    struct stat state;

    if (stat(path, &state) == 0)
        claims_read(&session->claims, &state, use, path);
}

static void claim_input(struct session *session)
{
    const struct reader *reader = &session->reader;
    struct stat state;

    if (reader->sequence.count == 0 && fstat(reader->input.descriptor, &state) == 0)
        claims_read(&session->claims, &state, CLAIM_INPUT, reader->input.name);
    if (reader->sequence.folder)
        claim_path(session, reader->request->path, CLAIM_INPUT);
    for (uint64_t i = 0; i < reader->sequence.count; i++)
        claim_path(session, reader->sequence.paths[i], CLAIM_INPUT);
    for (const struct code *code = session->plan.codes; code; code = code->next)
        if (code->path)
            claim_path(session, code->path, CLAIM_KERNEL);
}

/* The library opened the log when the context was created. */
static bool check_log(struct session *session)
{
    char path[4096] = "";
    struct stat state;

    if (trm_context_setting(session->context, "log.file", path, sizeof(path), NULL, NULL) != TRM_OK ||
        path[0] == '\0' || stat(path, &state) != 0)
        return true;
    return claims_write(&session->claims, &state, CLAIM_LOG, path, &session->fault);
}

static bool check_output(struct session *session)
{
    const char *path = session->options->output;
    struct stat state;

    if (strcmp(path, "-") != 0)
        return claims_write_path(&session->claims, path, CLAIM_OUTPUT, &session->fault);
    return fstat(STDOUT_FILENO, &state) != 0 ||
           claims_write(&session->claims, &state, CLAIM_OUTPUT, "standard output", &session->fault);
}

/* No file of a run may destroy another one. Checked before any of them is opened for writing, as far as they
 * exist by then; the rest when they are opened. */
static bool check_paths(struct session *session)
{
    claim_input(session);
    return check_log(session) && check_output(session) &&
           reports_check(session->options, &session->claims, &session->fault);
}

static bool open_outputs(struct session *session)
{
    const struct run_options *options = session->options;

    return writer_open(&session->writer, options->output, &session->out, &session->reader.sequence,
                       &session->claims, &session->fault) &&
           reports_open(&session->reports, options, &session->claims, &session->fault) &&
           (!session->writer.images || images_check(&session->writer, session->reader.known));
}

/* What the advice of the report may name: the options of this command. */
static struct trm_advice_words words_of(const struct session *session)
{
    bool flat = session->reader.format.flat;

    return (struct trm_advice_words){
        .struct_size = sizeof(struct trm_advice_words),
        .token       = flat ? "batch" : "frame",
        .tokens      = flat ? "batches" : "frames",
        .workers     = "--workers",
        .depth       = "--depth",
        .size        = flat ? "--batch" : NULL,
        .sinks       = session->writer.parallel && !session->options->verify ? "--sink-workers" : NULL,
        .sink_count  = drive_writers(session),
        .devices     = "--devices",
    };
}

static bool open_work(struct session *session)
{
    const struct trm_advice_words words = words_of(session);
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
        .words        = &words,
    };

    return work_open(&session->work, &session->plan, session->group, &desc, &session->fault);
}

/* ---- the run ---- */

static void pump(struct session *session)
{
    const struct run_options *options = session->options;

    progress_begin(&session->progress, session->reader.format.flat ? "batches" : "frames",
                   session->reader.known, options->quiet);
    drive(session);
    writer_close(&session->writer);
    progress_end(&session->progress, session->writer.frames);
    reports_write(&session->reports, session->work.pipeline);
    if (options->verify && !verify_print(&session->verify, stderr))
        fault_set(&session->fault, "the output differs from that of the cpu backend");
}

static void run_on_devices(struct session *session)
{
    const struct run_options *options = session->options;

    if (!open_work(session))
        return;
    if (!options->verify) {
        pump(session);
    } else if (verify_open(&session->verify, &session->plan, options->verbose, &session->fault)) {
        if (options->tolerance >= 0)
            session->verify.tolerance = options->tolerance;
        pump(session);
        verify_close(&session->verify);
    }
    for (int i = 0; i < SESSION_SLOTS; i++)
        free(session->notes[i]);
    work_close(&session->work);
}

static void run_with_outputs(struct session *session)
{
    if (trm_group_create(session->context, session->options->devices, &session->group) == TRM_OK) {
        run_on_devices(session);
        trm_group_destroy(session->group);
    } else {
        fault_library(&session->fault, "no device to run on");
    }
}

static void run_with_input(struct session *session)
{
    if (!make_plan(session))
        return;
    if (choose_output(session) && check_paths(session)) {
        if (open_outputs(session))
            run_with_outputs(session);
        reports_close(&session->reports);
        writer_close(&session->writer);
    }
    plan_release(&session->plan);
}

/* ---- how it ended ---- */

static const char *unit(const struct session *session)
{
    if (session->reader.format.flat)
        return session->writer.frames == 1 ? "batch" : "batches";
    return session->writer.frames == 1 ? "frame" : "frames";
}

/* What became of the output: which frames it has, and whether former contents are gone. */
static void print_outcome(const struct session *session)
{
    const struct outlet *outlet = &session->writer.outlet;
    uint64_t frames             = session->writer.frames;

    if (frames > 0)
        fprintf(stderr, " (%" PRIu64 " %s before %s written%s)", frames, unit(session),
                frames == 1 ? "was" : "were", outlet->replaces ? ", in place of what the output held" : "");
    else if (outlet->replaces)
        fprintf(stderr, outlet->begun ? " (nothing was written, and what the output held is gone)"
                                      : " (the output is as it was)");
}

static int finish(struct session *session)
{
    uint64_t frames = session->writer.frames;

    if (fault_is_set(&session->fault)) {
        fflush(stdout);
        fputs("trireme run: ", stderr);
        output_text(stderr, session->fault.text);
        print_outcome(session);
        fputc('\n', stderr);
        return session->fault.misuse ? COMMAND_USAGE : COMMAND_FAILED;
    }
    if (!interrupt_came())
        return COMMAND_OK;
    fprintf(stderr, "trireme run: interrupted; %" PRIu64 " %s %s written\n", frames, unit(session),
            frames == 1 ? "was" : "were");
    return SIGNALLED + interrupt_signal();
}

static int run(const struct run_options *options)
{
    struct session session = {.options = options};
    int status;

    fault_init(&session.fault);
    claims_init(&session.claims);
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
    claims_fini(&session.claims);
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
    .help    = run_help,
    .run     = run_main,
};
