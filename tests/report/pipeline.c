/* Report, trace and timeline of a pipeline, through the public functions.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <inttypes.h>
#include <trireme/trireme.h>

#include "tests/unit/folder.h"
#include "tests/unit/pipeline/report/trace_reader.h"
#include "tests/unit/runner.h"

enum {
    BYTES  = 4096,
    TOKENS = 100
};

static struct trm_context *context;
static struct trm_device *device;
static struct trm_pipeline *pipeline;

static void begin(void)
{
    struct trm_setting settings[] = {{"backend", "cpu"}};
    struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                     .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                     .settings      = settings,
                                     .setting_count = 1};

    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    ck_assert_int_eq(trm_device_open(context, NULL, &device), TRM_OK);
    events = malloc(EVENTS_MOST * sizeof(*events));
    ck_assert_ptr_nonnull(events);
}

static void end(void)
{
    free(events);
    trm_pipeline_destroy(pipeline);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

/* ---- a pipeline that turns bytes round on the host ----------------------------------------------
 *
 * The output of the host stage is uploaded like the input, so twice the bytes are uploaded. */

static int32_t turn(void *user, const struct trm_token *token)
{
    const unsigned char *from = token->data[0];
    unsigned char *to         = token->data[1];

    (void)user;
    for (uint64_t i = 0; i < BYTES; i++)
        to[i] = from[BYTES - 1 - i];
    return TRM_OK;
}

static struct trm_pipeline_desc describe(struct trm_port ports[2], struct trm_stage *stage)
{
    struct trm_pipeline_desc desc = {.struct_size  = sizeof(desc),
                                     .name         = "turn",
                                     .ports        = ports,
                                     .port_count   = 2,
                                     .stages       = stage,
                                     .stage_count  = 1,
                                     .depth        = 3,
                                     .strategy     = TRM_STRATEGY_ROLE_STREAMS,
                                     .measure      = TRM_MEASURE_ALL,
                                     .trace_tokens = TOKENS};

    ports[0]    = trm_port_input("x", BYTES);
    ports[1]    = trm_port_output("y", BYTES);
    *stage      = trm_stage_host(turn, NULL, 1, 2);
    stage->name = "turn round";
    return desc;
}

static void make(const struct trm_pipeline_desc *desc)
{
    ck_assert_int_eq(trm_pipeline_create(device, desc, &pipeline), TRM_OK);
}

/* Skips number 7 if the test wants that. */
static int32_t fill(void *user, struct trm_token *token)
{
    const int32_t *skips = user;

    memset(token->data[0], (int)token->index, BYTES);
    return skips != NULL && *skips && token->index == 7 ? TRM_TOKEN_SKIP : TRM_OK;
}

static void run(uint64_t count, int32_t skips, trm_sink_fn consume, void *user)
{
    struct trm_source source = trm_source_function(fill, &skips);
    struct trm_sink sink     = trm_sink_function(consume, user);

    source.count = count;
    ck_assert_int_eq(trm_pipeline_run(pipeline, &source, consume != NULL ? &sink : NULL), TRM_OK);
}

static struct trm_report get_report(void)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    ck_assert_int_eq(trm_pipeline_report(pipeline, &report), TRM_OK);
    return report;
}

struct text {
    char *bytes;
    size_t length;
};

static int32_t keep(void *user, const char *bytes, size_t length)
{
    struct text *text = user;

    text->bytes = realloc(text->bytes, text->length + length + 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return TRM_OK;
}

/* ---- reports -------------------------------------------------------------------------------- */

static void check_times(const struct trm_report *report)
{
    uint64_t means = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        const struct trm_stage_report *stage = &report->stages[i];

        ck_assert_uint_le(stage->busy_ns + stage->starved_ns + stage->blocked_ns, report->elapsed_ns);
        ck_assert_uint_le(stage->least_ns, stage->mean_ns);
        ck_assert_uint_le(stage->mean_ns, stage->most_ns);
        ck_assert_uint_le(stage->busy_ns, report->stages[report->critical].busy_ns);
        means +=
            stage->mean_ns * stage->tokens < stage->busy_ns ? stage->mean_ns * stage->tokens : stage->busy_ns;
    }
    ck_assert_uint_eq(report->bound_ns, report->stages[report->critical].busy_ns);
    ck_assert_uint_eq(report->sequential_ns, means);
    ck_assert_uint_gt(report->predicted_ns, 0);
    ck_assert(report->efficiency > 0 && report->efficiency <= 1);
    ck_assert(report->fill > 0 && report->fill <= 1);
}

START_TEST(the_report_of_a_run_says_what_it_was)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct trm_report report;

    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    report = get_report();
    ck_assert_str_eq(report.name, "turn");
    ck_assert_str_eq(report.backend, "cpu");
    ck_assert_str_eq(report.device, "cpu:0");
    ck_assert_str_eq(report.failure, "");
    ck_assert_int_eq(report.strategy, TRM_STRATEGY_ROLE_STREAMS);
    ck_assert_uint_eq(report.depth, 3);
    ck_assert_uint_eq(report.pieces, 1);
    ck_assert_uint_eq(report.workers, 0);
    ck_assert_uint_eq(report.one_thread, 1);
    ck_assert_uint_eq(report.tokens, TOKENS);
    ck_assert_uint_eq(report.measured, TOKENS);
    ck_assert_uint_eq(report.bytes_up, TOKENS * 2 * BYTES);
    ck_assert_uint_eq(report.bytes_down, TOKENS * BYTES);
    ck_assert_uint_eq(report.launch_count, 1);
    ck_assert_str_eq(report.launches[0].name, "turn round");
    ck_assert_str_eq(report.reason, "requested by the descriptor");
    ck_assert_uint_ge(report.device_bytes, UINT64_C(3) * 2 * BYTES);
    ck_assert_uint_gt(strlen(report.advice), 20);
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        ck_assert_uint_eq(report.stages[i].tokens, TOKENS);
    check_times(&report);
}
END_TEST

START_TEST(stages_of_equal_names_are_numbered)
{
    struct trm_port ports[2];
    struct trm_stage stages[4];
    struct trm_pipeline_desc desc = describe(ports, &stages[0]);
    struct trm_report report;
    struct text text = {0};

    stages[1] = stages[2] = stages[3] = stages[0];
    stages[1].name                    = "other";
    stages[3].name                    = NULL;
    desc.stage_count                  = 4;
    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    report = get_report();
    ck_assert_uint_eq(report.launch_count, 4);
    ck_assert_str_eq(report.launches[0].name, "turn round 1");
    ck_assert_str_eq(report.launches[1].name, "other");
    ck_assert_str_eq(report.launches[2].name, "turn round 2");
    ck_assert_str_eq(report.launches[3].name, "host");
    ck_assert_int_eq(trm_pipeline_trace(pipeline, TRM_TRACE_EVENTS, keep, &text), TRM_OK);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"turn round 2\""));
    free(text.bytes);
}
END_TEST

START_TEST(a_run_begins_a_new_report)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);

    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    run(20, 1, NULL, NULL);
    ck_assert_uint_eq(get_report().tokens, 19);
    ck_assert_uint_eq(get_report().skipped, 1);
    ck_assert_uint_eq(get_report().bytes_up, 19 * 2 * BYTES);
}
END_TEST

START_TEST(loader_threads_are_told)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct trm_source source      = trm_source_function(fill, NULL);

    make(&desc);
    source.count   = TOKENS;
    source.workers = 2;
    ck_assert_int_eq(trm_pipeline_run(pipeline, &source, NULL), TRM_OK);
    ck_assert_uint_eq(get_report().workers, 2);
    ck_assert_uint_eq(get_report().one_thread, 0);
    ck_assert_uint_eq(get_report().tokens, TOKENS);
}
END_TEST

START_TEST(without_measuring_the_report_has_counts_and_the_whole_time)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct trm_report report;

    desc.measure      = TRM_MEASURE_NONE;
    desc.trace_tokens = 0;
    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    report = get_report();
    ck_assert_uint_eq(report.tokens, TOKENS);
    ck_assert_uint_eq(report.bytes_up, TOKENS * 2 * BYTES);
    ck_assert_uint_gt(report.elapsed_ns, 0);
    ck_assert_uint_eq(report.measured, 0);
    ck_assert_int_eq(report.critical, -1);
    ck_assert_uint_eq(report.predicted_ns, 0);
    ck_assert_ptr_nonnull(strstr(report.advice, "No times were taken"));
}
END_TEST

static int32_t report_inside(void *user, const struct trm_token *token)
{
    uint64_t *calls          = user;
    struct trm_report report = get_report();

    ck_assert_uint_eq(report.tokens, token->index);
    ck_assert_uint_eq(report.depth, 3);
    ++*calls;
    return TRM_OK;
}

START_TEST(a_sink_may_ask_for_the_report_of_what_is_through)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    uint64_t calls                = 0;

    make(&desc);
    run(TOKENS, 0, report_inside, &calls);
    ck_assert_uint_eq(calls, TOKENS);
}
END_TEST

START_TEST(wrong_arguments_of_a_report_are_refused)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct trm_report report      = {.struct_size = 16};

    make(&desc);
    ck_assert_int_eq(trm_pipeline_report(pipeline, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_report(pipeline, &report), TRM_ERROR_INVALID_ARGUMENT);
    report.struct_size = sizeof(report);
    ck_assert_int_eq(trm_pipeline_report(NULL, &report), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_pipeline_report(pipeline, &report), TRM_OK);
    ck_assert_int_eq(report.critical, -1);
}
END_TEST

/* ---- traces --------------------------------------------------------------------------------- */

START_TEST(the_report_of_a_run_says_what_its_trace_says)
{
    static const int32_t strategies[] = {TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS,
                                         TRM_STRATEGY_ZERO_COPY};
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);

    for (uint32_t i = 0; i < 3; i++) {
        struct trm_report report;
        struct text text = {0};

        desc.strategy = strategies[i];
        make(&desc);
        run(TOKENS, 1, NULL, NULL);
        report = get_report();
        ck_assert_int_eq(trm_pipeline_trace(pipeline, TRM_TRACE_EVENTS, keep, &text), TRM_OK);
        read_trace(text.bytes);
        check_sums(&report);
        ck_assert_uint_eq(report.skipped, 1);
        free(text.bytes);
        trm_pipeline_destroy(pipeline);
    }
    pipeline = NULL;
}
END_TEST

START_TEST(a_pipeline_that_keeps_no_tokens_has_no_trace)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct text text              = {0};

    desc.trace_tokens = 0;
    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    ck_assert_int_eq(trm_pipeline_trace(pipeline, TRM_TRACE_EVENTS, keep, &text), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "trace_tokens"));
    ck_assert_ptr_null(text.bytes);
}
END_TEST

static int32_t trace_inside(void *user, const struct trm_token *token)
{
    int32_t *statuses = user;

    if (token->index == 5) {
        struct text text = {0};
        statuses[0]      = trm_pipeline_trace(pipeline, TRM_TRACE_EVENTS, keep, &text);
        statuses[1]      = trm_pipeline_trace_file(pipeline, TRM_TRACE_EVENTS, folder_path("trace.json"));
    }
    return TRM_OK;
}

START_TEST(while_it_is_run_a_trace_is_busy_and_the_file_stays_as_it_was)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    int32_t statuses[2]           = {0};
    char text[16]                 = "";
    FILE *file;

    folder_make();
    folder_write_bytes("trace.json", "before", 6);
    make(&desc);
    run(TOKENS, 0, trace_inside, statuses);
    ck_assert_int_eq(statuses[0], TRM_ERROR_BUSY);
    ck_assert_int_eq(statuses[1], TRM_ERROR_BUSY);
    file = fopen(folder_path("trace.json"), "r");
    ck_assert_uint_eq(fread(text, 1, sizeof(text) - 1, file), 6);
    ck_assert_str_eq(text, "before");
    fclose(file);
    ck_assert_int_eq(trm_pipeline_trace_file(pipeline, TRM_TRACE_EVENTS, folder_path("trace.json")), TRM_OK);
    ck_assert_int_eq(trm_pipeline_trace_file(pipeline, TRM_TRACE_TIMELINE, folder_path("t.html")), TRM_OK);
    folder_remove();
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_told_by_its_path)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);

    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    ck_assert_int_eq(trm_pipeline_trace_file(pipeline, TRM_TRACE_EVENTS, "/dev/full"), TRM_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "/dev/full: cannot be written: No space left"));
    ck_assert_int_eq(trm_pipeline_trace_file(pipeline, TRM_TRACE_TIMELINE, "/nowhere/t.html"), TRM_ERROR_IO);
    ck_assert_ptr_nonnull(
        strstr(trm_last_error().sentence, "/nowhere/t.html: cannot be created: No such file"));
}
END_TEST

START_TEST(a_report_goes_into_a_file_as_it_is_spelled_out)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct trm_report report      = {.struct_size = sizeof(report)};
    char expected[16384], got[16384];

    folder_make();
    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    for (int32_t format = TRM_REPORT_TEXT; format <= TRM_REPORT_JSON; format++) {
        ck_assert_int_eq(trm_pipeline_report_file(pipeline, format, folder_path("report")), TRM_OK);
        ck_assert_int_eq(trm_pipeline_report(pipeline, &report), TRM_OK);
        ck_assert_int_eq(trm_report_format(&report, format, expected, sizeof(expected), NULL), TRM_OK);
        FILE *file = fopen(folder_path("report"), "r");
        ck_assert_ptr_nonnull(file);
        got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
        fclose(file);
        ck_assert_str_eq(got, expected);
    }
    ck_assert_int_eq(trm_pipeline_report_file(pipeline, 2, folder_path("report")),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_report_file(pipeline, TRM_REPORT_TEXT, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_report_file(NULL, TRM_REPORT_TEXT, folder_path("r")),
                     TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_pipeline_report_file(pipeline, TRM_REPORT_TEXT, "/dev/full"), TRM_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "/dev/full: cannot be written: No space left"));
    ck_assert_int_eq(trm_pipeline_report_file(pipeline, TRM_REPORT_TEXT, "/nowhere/r"), TRM_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "/nowhere/r: cannot be created: No such file"));
    folder_remove();
}
END_TEST

static int32_t refuse(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
    return 123;
}

START_TEST(what_the_writer_answers_is_what_the_trace_answers)
{
    struct trm_port ports[2];
    struct trm_stage stage;
    struct trm_pipeline_desc desc = describe(ports, &stage);
    struct text text              = {0};

    make(&desc);
    run(TOKENS, 0, NULL, NULL);
    ck_assert_int_eq(trm_pipeline_trace(pipeline, TRM_TRACE_EVENTS, refuse, NULL), 123);
    ck_assert_int_eq(trm_pipeline_trace(pipeline, TRM_TRACE_TIMELINE, refuse, NULL), 123);
    ck_assert_int_eq(trm_pipeline_trace(pipeline, 2, keep, &text), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_trace(pipeline, TRM_TRACE_EVENTS, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_trace_file(pipeline, TRM_TRACE_EVENTS, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_trace(NULL, TRM_TRACE_EVENTS, keep, &text), TRM_ERROR_INVALID_HANDLE);
    ck_assert_ptr_null(text.bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reports of pipelines");
    TCase *tests = tcase_create("reports of pipelines");

    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, the_report_of_a_run_says_what_it_was);
    tcase_add_test(tests, stages_of_equal_names_are_numbered);
    tcase_add_test(tests, a_run_begins_a_new_report);
    tcase_add_test(tests, loader_threads_are_told);
    tcase_add_test(tests, without_measuring_the_report_has_counts_and_the_whole_time);
    tcase_add_test(tests, a_sink_may_ask_for_the_report_of_what_is_through);
    tcase_add_test(tests, wrong_arguments_of_a_report_are_refused);
    tcase_add_test(tests, the_report_of_a_run_says_what_its_trace_says);
    tcase_add_test(tests, a_pipeline_that_keeps_no_tokens_has_no_trace);
    tcase_add_test(tests, while_it_is_run_a_trace_is_busy_and_the_file_stays_as_it_was);
    tcase_add_test(tests, a_file_that_cannot_be_written_is_told_by_its_path);
    tcase_add_test(tests, a_report_goes_into_a_file_as_it_is_spelled_out);
    tcase_add_test(tests, what_the_writer_answers_is_what_the_trace_answers);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
