/* Reports as text and JSON.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <locale.h>

#include "tests/unit/pipeline/report/format.h"
#include "tests/unit/runner.h"

/* Columns of a terminal: bytes that begin a character. */
static void check_width(const char *lines, size_t most, uint32_t *count)
{
    size_t columns = 0;

    *count = 0;
    for (const char *c = lines; *c != '\0'; c++) {
        if (*c == '\n') {
            ++*count;
            columns = 0;
            continue;
        }
        columns += ((unsigned char)*c & 0xc0) != 0x80;
        ck_assert_msg(columns <= most, "line %u of:\n%s", *count + 1, lines);
    }
}

START_TEST(the_text_tells_what_was_and_what_could_be_in_some_twenty_lines)
{
    struct trm_report report = ideal_report(&usual);
    uint32_t lines;

    format_report(&report, TRM_REPORT_TEXT);
    check_width(text, 80, &lines);
    ck_assert_uint_ge(lines, 15);
    ck_assert_uint_le(lines, 24);
    has("edges on cpu:0 (cpu): role streams, 3 slots\n  it was asked for\n");
    has("  tokens     300 in 1.21 s: 249.0 tokens/s, 0.26 GB/s up, 0.13 GB/s down\n");
    has("  stage     busy █ starved ░ blocked ▒   a token  > the critical stage\n  load        25 %       0 "
        "%      74 %   1.00 ms  "
        "███████");
    has("> compute    100 %       0 %       0 %   4.00 ms  ██████████████████████████████\n");
    has("  compute    blur 25 %, sobel 75 %\n");
    has("  bound      1.20 s for compute alone: 99.6 % of the possible rate\n");
    has("  predicted  1.21 s from these stage times, as measured\n");
    has("  sequential 2.70 s one after the other: overlap made it 2.24 times as fast\n");
    has("  slots      3.0 of 3 in use on average; 3.00 MiB on the device, 3.00 MiB on the\n             "
        "host\n");
    has("\ncompute is the bound and the pipeline reaches 99.6 % of the possible rate");
    lacks("at once");
    lacks("threads");
    lacks("failure");
    lacks("skipped");
    lacks("waits on the host");
    ck_assert_ptr_null(strchr(text, '\t'));
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
}
END_TEST

START_TEST(the_text_tells_of_failures_and_of_what_is_slow)
{
    struct ideal ideal = usual;
    struct trm_report report;
    uint32_t lines;

    ideal.failed = 18;
    report       = ideal_report(&ideal);
    snprintf(report.failure, sizeof(report.failure),
             "token 17, compute \"sobel\": the kernel says that its input is no picture, and it says so at "
             "some length");
    report.host_waits      = 7;
    report.pageable_copies = 300;
    report.pieces          = 16;
    report.cancelled       = 3;
    report.dropped         = 5;
    report.expired         = 2;
    report.late            = 4;
    format_report(&report, TRM_REPORT_TEXT);
    check_width(text, 80, &lines);
    has("tokens in 16 pieces");
    has("             1 failed, 3 cancelled, 5 dropped, 2 of them expired, 4 late\n");
    has("  failure    token 17, compute \"sobel\": the kernel says that its input is no\n             "
        "picture");
    has("             7 waits on the host, 300 copies of pageable memory\n");
}
END_TEST

START_TEST(the_text_says_who_loads)
{
    struct trm_report report = ideal_report(&usual);

    report.one_thread = 1;
    text_has(&report, "  threads    load and sink take turns in one thread\n");
    report.one_thread = 0;
    report.workers    = 1;
    text_has(&report, "  threads    1 loader worker\n");
    report.workers = 4;
    text_has(&report, "  threads    4 loader workers\n");
}
END_TEST

START_TEST(the_text_explains_tokens_that_are_in_a_stage_at_once)
{
    struct trm_report report = ideal_report(&usual);
    uint32_t lines;

    report.stages[TRM_STAGE_COMPUTE].mean_ns *= 2;
    format_report(&report, TRM_REPORT_TEXT);
    check_width(text, 80, &lines);
    has("  at once    compute works on 2.0 tokens at once on average, so that each takes\n"
        "             longer than its share of the time\n");
}
END_TEST

START_TEST(the_text_says_what_is_read_ahead_or_why_nothing_is)
{
    struct trm_report report = ideal_report(&usual);

    format_report(&report, TRM_REPORT_TEXT);
    lacks("ahead");
    report.ahead        = 27;
    report.ahead_budget = 64;
    report.ahead_most   = 36;
    report.ahead_bytes  = 1 << 20;
    text_has(&report, "  ahead      27 of 64 tokens suffice now, at most 36 were there (1.00 MiB)\n");
    report.ahead = report.ahead_budget = report.ahead_most = 0;
    report.ahead_none                                      = TRM_AHEAD_NONE_TOO_SMALL;
    format_report(&report, TRM_REPORT_TEXT);
    has("  ahead      nothing is read ahead: ahead_bytes is less than the inputs of one\n             token "
        "take\n");
    format_report(&report, TRM_REPORT_JSON);
    has("\"none\": \"ahead_bytes is less than the inputs of one token take\"");
}
END_TEST

START_TEST(what_took_many_times_as_long_is_not_told_in_percent)
{
    struct trm_report report = ideal_report(&usual);

    report.elapsed_ns = report.predicted_ns * 340;
    text_has(&report, "from these stage times; measured 340 times as long\n");
    report.elapsed_ns = report.predicted_ns * 5 / 2;
    text_has(&report, "from these stage times; measured 2.5 times as long\n");
    report.elapsed_ns = report.predicted_ns * 3 / 2;
    text_has(&report, "from these stage times; measured 50.0 % more\n");
}
END_TEST

START_TEST(overlap_that_gained_nothing_is_no_factor_in_text_nor_page)
{
    struct ideal ideal = {.depth = 1, .tokens = 10, .time = {1000, 0, 3000, 0, 1000}, .trace_tokens = 10};
    struct trm_report report         = ideal_report(&ideal);
    struct pipeline_measure *measure = run_ideal(&ideal);
    struct written page              = {0};
    struct pipeline_writer writer;
    struct pipeline_trace trace;

    ck_assert_uint_eq(report.sequential_ns, report.elapsed_ns);
    text_has(&report, "of stages, one after the other\n");
    lacks("times as fast");
    for (uint32_t gained = 0; gained < 2; gained++) {
        page.length = 0;
        report.sequential_ns += gained * (report.elapsed_ns / 100);
        ck_assert_int_eq(pipeline_trace_init(fixture_context, measure, &report, &trace), TRM_OK);
        pipeline_writer_begin(&writer, keep_written, &page);
        pipeline_trace_timeline(&trace, &writer);
        ck_assert_int_eq(pipeline_writer_end(&writer), TRM_OK);
        ck_assert_int_eq(strstr(page.text, "gain by overlap") != NULL, gained);
        pipeline_trace_fini(&trace);
    }
    free(page.text);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(where_memory_is_one_the_gain_is_a_limit)
{
    struct ideal ideal = usual;
    struct trm_report report;

    ideal.bytes_up = ideal.bytes_down = 0;
    report                            = ideal_report(&ideal);
    ck_assert_int_eq(report.strategy, TRM_STRATEGY_ZERO_COPY);
    text_has(&report, "with overlap up to 2.24 times as fast\n");
    /* A gain that rounds to nothing is not told. */
    report.sequential_ns = report.elapsed_ns + 1;
    format_report(&report, TRM_REPORT_TEXT);
    lacks("times as fast");
}
END_TEST

START_TEST(time_before_the_first_and_after_the_last_token_is_told)
{
    struct trm_report report = ideal_report(&usual);

    format_report(&report, TRM_REPORT_TEXT);
    lacks("the rest:");
    report.stages[TRM_STAGE_SINK].starved_ns /= 2;
    text_has(&report, "  the rest: before its first and after its last token\n");
}
END_TEST

START_TEST(a_number_stays_with_its_unit_where_lines_are_broken)
{
    struct trm_report report = ideal_report(&usual);
    char words[128];

    for (uint32_t length = 60; length < 90; length++) {
        memset(words, 'w', length);
        words[length] = '\0';
        snprintf(report.advice, sizeof(report.advice), "%s (predicted 2.2 x). And 40 %% of it.", words);
        format_report(&report, TRM_REPORT_TEXT);
        lacks("2.2\n");
        lacks("40\n");
        has("2.2 x).");
    }
    /* A word that only begins like a unit goes to the next line. */
    memset(words, 'w', 75);
    snprintf(report.advice, sizeof(report.advice), "%.75s 12 xylophones", words);
    text_has(&report, "12\nxylophones\n");
}
END_TEST

START_TEST(without_times_the_text_has_counts_only)
{
    struct trm_report report = {.struct_size = sizeof(report), .critical = -1, .depth = 2, .tokens = 12};

    report.elapsed_ns = 3000000000;
    pipeline_report_complete(&report, NULL);
    text_has(&report, "pipeline on (): auto, 2 slots\n");
    has("12 in 3.00 s: 4.00 tokens/s\n");
    has("No times were taken");
    lacks("busy");
    lacks("bound");
}
END_TEST

START_TEST(a_long_sentence_is_broken_and_a_long_word_is_not)
{
    struct trm_report report = ideal_report(&usual);

    memset(report.reason, 'x', sizeof(report.reason) - 1);
    text_has(&report, "\n  xxxxxxxxxxxxxxx");
    memset(report.name, 'n', sizeof(report.name) - 1);
    memset(report.device, 'd', sizeof(report.device) - 1);
    text_has(&report, "nnnn on\ndddd");
}
END_TEST

START_TEST(slots_that_rest_are_told)
{
    struct trm_report report = ideal_report(&usual);
    report.slots_in_use      = 2;
    text_has(&report, ": role streams, 3 slots, now at most 2 at a time in runs\n");
    format_report(&report, TRM_REPORT_JSON);
    has("\"slots_in_use\": 2,");
    report.slots_in_use = 3;
    text_has(&report, ": role streams, 3 slots\n");
}
END_TEST

START_TEST(a_strategy_that_has_two_forms_says_which_one_it_is)
{
    struct trm_report report = ideal_report(&usual);
    report.strategy          = TRM_STRATEGY_ZERO_COPY;
    text_has(&report, ": zero-copy, 3 slots\n");
    report.by_graphs = 1;
    text_has(&report, ": zero-copy by graphs, 3 slots\n");
    report.strategy = TRM_STRATEGY_SLOT_GRAPHS;
    text_has(&report, ": slot graphs, 3 slots\n");
}
END_TEST

/* ---- JSON ----------------------------------------------------------------------------------- */

START_TEST(the_json_has_every_member)
{
    static const char *const members[] = {
        "\"name\": \"edges\"",
        "\"backend\": \"cpu\"",
        "\"device\": \"cpu:0\"",
        "\"strategy\": \"role streams\"",
        "\"reason\": \"it was asked for\"",
        "\"by_graphs\": 0,",
        "\"joins\": 0,",
        "\"join_seconds\": 0.000000000,",
        "\"depth\": 3,",
        "\"slots_in_use\": 3,",
        "\"pieces\": 1,",
        "\"workers\": 0,",
        "\"one_thread\": 0,",
        "\"preempted\": ",
        "\"tokens\": 300,",
        "\"skipped\": 0,",
        "\"failed\": 0,",
        "\"cancelled\": 0,",
        "\"dropped\": 0,",
        "\"expired\": 0,",
        "\"late\": 0,",
        "\"measured\": 300,",
        "\"seconds\": 1.205000000,",
        "\"bytes_up\": 314572800,",
        "\"bytes_down\": 157286400,",
        "\"critical\": \"compute\",",
        "\"bound_seconds\": 1.200000000,",
        "\"efficiency\": 0.995851,",
        "\"predicted_seconds\": 1.205000000,",
        "\"sequential_seconds\": 2.700000000,",
        "\"fill\": 0.9",
        "\"device_bytes\": 3145728,",
        "\"host_bytes\": 3145728,",
        "\"host_waits\": 0,",
        "\"pageable_copies\": 0,",
        "\"failure\": \"\"",
        "\"advice\": \"compute is the bound",
        "{\"name\": \"compute\", \"tokens\": 300, \"bytes\": 0, \"busy_seconds\": 1.200000000, ",
        "\"starved_seconds\": 0.000000000, \"blocked_seconds\": 0.000000000, \"mean_seconds\": 0.004000000,",
        "{\"name\": \"blur\", \"busy_seconds\": 0.300000000}",
    };
    struct trm_report report = ideal_report(&usual);

    format_report(&report, TRM_REPORT_JSON);
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        has(members[i]);
}
END_TEST

START_TEST(nothing_measured_is_a_critical_stage_of_null)
{
    struct trm_report report = {.struct_size = sizeof(report), .critical = -1};

    format_report(&report, TRM_REPORT_JSON);
    has("\"critical\": null,");
    has("\"seconds\": 0.000000000,");
    has("\"launches\": [],");
}
END_TEST

START_TEST(a_report_that_is_shorter_than_it_ever_was_is_refused)
{
    struct trm_report report        = ideal_report(&usual);
    struct trm_prediction_desc desc = {.struct_size = sizeof(desc)};

    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_JSON, text, sizeof(text), NULL), TRM_OK);
    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_OK);
    report.struct_size = 4;
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_JSON, text, sizeof(text), NULL),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(any_bytes_of_a_name_become_good_json)
{
    struct trm_report report = ideal_report(&usual);

    snprintf(report.name, sizeof(report.name),
             "a\"b\\c\nd\x01\x7f\xff \xc3\xa4 \xed\xa0\x80 \xf5\x80\x80\x80 </script>");
    format_report(&report, TRM_REPORT_JSON);
    has("\"name\": \"a\\\"b\\\\c\\u000ad\\u0001\\u007f\\ufffd \xc3\xa4 \\ufffd\\ufffd\\ufffd "
        "\\ufffd\\ufffd\\ufffd\\ufffd \\u003c/script\\u003e\"");
}
END_TEST

START_TEST(numbers_have_a_point_in_every_locale)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8"};
    struct trm_report report           = ideal_report(&usual);
    char expected[sizeof(text)];

    strcpy(expected, format_report(&report, TRM_REPORT_JSON));
    for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
        setlocale(LC_ALL, locales[i]);
        ck_assert_str_eq(format_report(&report, TRM_REPORT_JSON), expected);
    }
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(numbers_are_rounded_and_what_is_none_is_0)
{
    static const struct {
        double value;
        uint32_t decimals;
        const char *expected;
    } table[] = {
        {0, 0, "0"},       {0, 3, "0.000"},     {1.0005, 3, "1.001"},
        {-2.5, 1, "-2.5"}, {-0.01, 1, "0.0"},   {99.96, 1, "100.0"},
        {1e30, 2, "0"},    {0.0 / 0.0, 2, "0"}, {1e12, 3, "1000000000000.000"},
    };
    char number[48];

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        ck_assert_str_eq(pipeline_number_text(number, sizeof(number), table[i].value, table[i].decimals),
                         table[i].expected);
}
END_TEST

START_TEST(times_and_bytes_are_said_as_people_say_them)
{
    char said[48];

    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 0), "0 ns");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 999), "999 ns");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 999.6), "1.00 µs");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 4020000), "4.02 ms");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 41.25e6), "41.3 ms");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 412e6), "412 ms");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 1.234e9), "1.23 s");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 123e9), "2 min 03 s");
    ck_assert_str_eq(pipeline_time_text(said, sizeof(said), 7380e9), "2 h 03 min");
    ck_assert_str_eq(pipeline_bytes_text(said, sizeof(said), 0), "0 bytes");
    ck_assert_str_eq(pipeline_bytes_text(said, sizeof(said), 1023), "1023 bytes");
    ck_assert_str_eq(pipeline_bytes_text(said, sizeof(said), 1536), "1.50 KiB");
    ck_assert_str_eq(pipeline_bytes_text(said, sizeof(said), UINT64_C(96) << 20), "96.0 MiB");
    ck_assert_str_eq(pipeline_bytes_text(said, sizeof(said), UINT64_MAX), "16.0 EiB");
}
END_TEST

/* ---- buffers -------------------------------------------------------------------------------- */

START_TEST(a_query_of_the_size_alone_succeeds)
{
    struct trm_report report = ideal_report(&usual);
    size_t needed            = 0;

    for (int32_t format = TRM_REPORT_TEXT; format <= TRM_REPORT_JSON; format++) {
        ck_assert_int_eq(trm_report_format(&report, format, text, sizeof(text), NULL), TRM_OK);
        ck_assert_int_eq(trm_report_format(&report, format, NULL, 0, &needed), TRM_OK);
        ck_assert_uint_eq(needed, strlen(text) + 1);
        ck_assert_int_eq(trm_report_format(&report, format, NULL, 0, NULL), TRM_OK);
        ck_assert_int_eq(trm_report_format(&report, format, NULL, 1, &needed), TRM_ERROR_INVALID_ARGUMENT);
    }
}
END_TEST

START_TEST(the_room_that_is_needed_is_told_and_less_is_out_of_range)
{
    struct trm_report report = ideal_report(&usual);
    size_t needed = 0, again = 0;
    char *exact, small[10];

    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, NULL, 0, &needed), TRM_OK);
    ck_assert_uint_gt(needed, 500);
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, small, sizeof(small), &again),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(again, needed);
    ck_assert_uint_eq(strlen(small), 9);
    exact = malloc(needed);
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, exact, needed - 1, NULL),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, exact, needed, NULL), TRM_OK);
    ck_assert_uint_eq(strlen(exact) + 1, needed);
    free(exact);
    ck_assert_int_eq(trm_report_format(NULL, TRM_REPORT_TEXT, text, sizeof(text), NULL),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_report_format(&report, 2, text, sizeof(text), NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

static int32_t refuse(void *user, const char *bytes, size_t length)
{
    int32_t *calls = user;

    (void)bytes;
    (void)length;
    return ++*calls == 2 ? TRM_ERROR_IO : TRM_OK;
}

/* A report of any bytes, such as one that was not initialized, gives some text: nothing is read beyond it. */
START_TEST(a_report_of_any_bytes_gives_some_text)
{
    static char room[1 << 18];
    uint32_t state = 1;

    for (int round = 0; round < 200; round++) {
        struct trm_report report;
        unsigned char *bytes = (unsigned char *)&report;
        for (size_t i = 0; i < sizeof(report); i++) {
            state    = state * 1664525 + 1013904223;
            bytes[i] = round < 2 ? 255 : (unsigned char)(state >> 24);
        }
        report.struct_size = sizeof(report);
        for (int32_t format = TRM_REPORT_TEXT; format <= TRM_REPORT_JSON; format++)
            ck_assert_int_eq(trm_report_format(&report, format, room, sizeof(room), NULL), TRM_OK);
    }
}
END_TEST

START_TEST(a_writer_stops_at_the_first_error)
{
    struct pipeline_writer writer;
    int32_t calls = 0;

    pipeline_writer_begin(&writer, refuse, &calls);
    for (uint32_t i = 0; i < 10000; i++)
        pipeline_write(&writer, "some text");
    ck_assert_int_eq(pipeline_writer_end(&writer), TRM_ERROR_IO);
    ck_assert_int_eq(calls, 2);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("report format");
    TCase *tests = tcase_create("report format");

    tcase_add_checked_fixture(tests, fixture_begin, fixture_end);
    tcase_add_test(tests, slots_that_rest_are_told);
    tcase_add_test(tests, the_text_tells_what_was_and_what_could_be_in_some_twenty_lines);
    tcase_add_test(tests, the_text_tells_of_failures_and_of_what_is_slow);
    tcase_add_test(tests, the_text_says_who_loads);
    tcase_add_test(tests, the_text_explains_tokens_that_are_in_a_stage_at_once);
    tcase_add_test(tests, the_text_says_what_is_read_ahead_or_why_nothing_is);
    tcase_add_test(tests, what_took_many_times_as_long_is_not_told_in_percent);
    tcase_add_test(tests, overlap_that_gained_nothing_is_no_factor_in_text_nor_page);
    tcase_add_test(tests, where_memory_is_one_the_gain_is_a_limit);
    tcase_add_test(tests, time_before_the_first_and_after_the_last_token_is_told);
    tcase_add_test(tests, a_number_stays_with_its_unit_where_lines_are_broken);
    tcase_add_test(tests, without_times_the_text_has_counts_only);
    tcase_add_test(tests, a_long_sentence_is_broken_and_a_long_word_is_not);
    tcase_add_test(tests, a_strategy_that_has_two_forms_says_which_one_it_is);
    tcase_add_test(tests, the_json_has_every_member);
    tcase_add_test(tests, nothing_measured_is_a_critical_stage_of_null);
    tcase_add_test(tests, a_report_that_is_shorter_than_it_ever_was_is_refused);
    tcase_add_test(tests, any_bytes_of_a_name_become_good_json);
    tcase_add_test(tests, numbers_have_a_point_in_every_locale);
    tcase_add_test(tests, numbers_are_rounded_and_what_is_none_is_0);
    tcase_add_test(tests, times_and_bytes_are_said_as_people_say_them);
    tcase_add_test(tests, a_query_of_the_size_alone_succeeds);
    tcase_add_test(tests, the_room_that_is_needed_is_told_and_less_is_out_of_range);
    tcase_add_test(tests, a_report_of_any_bytes_gives_some_text);
    tcase_add_test(tests, a_writer_stops_at_the_first_error);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
