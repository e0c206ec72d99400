/* Branches of compute: the longest path, in reports, predictions and traces.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "tests/unit/pipeline/report/fixture.h"
#include "tests/unit/runner.h"

#define BIT(number) (UINT64_C(1) << (number))

enum {
    GRAY,
    BLUR,
    EDGES,
    MIX,
    STAGES
};

static const char *const names[STAGES] = {"gray", "blur", "edges", "mix"};

/* gray, then blur and edges, then mix. */
static const uint64_t diamond[STAGES] = {0, BIT(GRAY), BIT(GRAY), BIT(BLUR) | BIT(EDGES)};

static uint64_t path_of(const uint64_t times[STAGES], uint64_t *path)
{
    return pipeline_longest_path(times, diamond, STAGES, path);
}

START_TEST(the_longest_path_is_the_longer_branch_with_what_both_share)
{
    const uint64_t blurred[STAGES] = {5, 40, 30, 7}, edged[STAGES] = {5, 40, 41, 7};
    uint64_t path;

    ck_assert_uint_eq(path_of(blurred, &path), 52);
    ck_assert_uint_eq(path, BIT(GRAY) | BIT(BLUR) | BIT(MIX));
    ck_assert_uint_eq(path_of(edged, &path), 53);
    ck_assert_uint_eq(path, BIT(GRAY) | BIT(EDGES) | BIT(MIX));
}
END_TEST

START_TEST(a_stage_that_nothing_runs_after_may_end_the_longest_path)
{
    const uint64_t times[3] = {5, 40, 7}, after[3] = {0, 0, BIT(0)};
    uint64_t path;

    ck_assert_uint_eq(pipeline_longest_path(times, after, 3, &path), 40);
    ck_assert_uint_eq(path, BIT(1));
    ck_assert_uint_eq(pipeline_longest_path(times, after, 0, &path), 0);
    ck_assert_uint_eq(path, 0);
}
END_TEST

/* ---- predictions ---------------------------------------------------------------------------- */

static struct trm_prediction_desc describe(uint32_t branches)
{
    struct trm_prediction_desc desc = {.struct_size  = sizeof(desc),
                                       .depth        = 1,
                                       .tokens       = 100,
                                       .stage_ns     = {1, 2, 999, 3, 4},
                                       .launch_count = STAGES,
                                       .branches     = branches,
                                       .launch_ns    = {5, 40, 30, 7}};

    memcpy(desc.launch_after, diamond, sizeof(diamond));
    return desc;
}

static uint64_t predict(const struct trm_prediction_desc *desc)
{
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    ck_assert_int_eq(trm_predict(desc, &prediction), TRM_OK);
    return prediction.elapsed_ns;
}

START_TEST(compute_is_predicted_as_the_longest_path_where_branches_overlap_else_as_the_sum)
{
    struct trm_prediction_desc desc = describe(2);

    ck_assert_uint_eq(predict(&desc), 100 * (10 + 52));
    desc.branches = 1;
    ck_assert_uint_eq(predict(&desc), 100 * (10 + 82));
    desc.branches = 0;
    ck_assert_uint_eq(predict(&desc), 100 * (10 + 82));
    desc.launch_count = 0;
    ck_assert_uint_eq(predict(&desc), 100 * (10 + 999));
}
END_TEST

static void refused(const struct trm_prediction_desc *desc, const char *words)
{
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    ck_assert_int_eq(trm_predict(desc, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "%s", trm_last_error().sentence);
}

START_TEST(launches_that_cannot_be_predicted_are_refused)
{
    struct trm_prediction_desc desc = describe(2);

    desc.launch_after[1] = BIT(1);
    refused(&desc, "launch_after[1]");
    desc                 = describe(2);
    desc.launch_after[0] = BIT(3);
    refused(&desc, "launch_after[0]");
    desc              = describe(2);
    desc.launch_count = TRM_REPORT_LAUNCHES + 1;
    refused(&desc, "at most 16 launches");
    desc              = describe(2);
    desc.launch_ns[1] = UINT64_MAX;
    refused(&desc, "overflow");
}
END_TEST

/* ---- reports -------------------------------------------------------------------------------- */

/* Four tokens one after the other: gray to 10, blur to 50, edges to 40, mix to 57. */
static struct pipeline_measure *measure_diamond(bool has_branches)
{
    struct pipeline_measure_desc desc = {2, 8, STAGES, names};
    struct pipeline_measure *measure;

    must_hold(pipeline_measure_create(fixture_context, &desc, &measure) == TRM_OK);
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t times[TRM_STAGES][2] = {
            {i * 60 + 1, i * 60 + 2}, {0, 0}, {i * 60 + 2, i * 60 + 59}, {0, 0}, {i * 60 + 59, i * 60 + 60}};
        struct pipeline_token_times token = make_token(i, (uint32_t)(i % 2), times);
        uint64_t at                       = token.begin[TRM_STAGE_COMPUTE];
        uint64_t ends[STAGES]             = {at + 10, at + 50, at + 40, at + 57};

        token.launch_count = STAGES;
        token.launch_end   = ends;
        token.launch_after = has_branches ? diamond : NULL;
        pipeline_measure_token(measure, &token);
    }
    return measure;
}

static struct trm_report report_of(const struct pipeline_measure *measure, uint32_t branches)
{
    struct trm_report report = measure_report(measure, 2);

    report.branches = branches;
    for (uint32_t i = 0; i < STAGES; i++)
        report.launch_after[i] = branches > 1 ? diamond[i] : i == 0 ? 0 : BIT(i - 1);
    pipeline_report_complete(&report, NULL);
    return report;
}

START_TEST(a_stage_in_a_branch_begins_when_those_before_it_have_ended)
{
    struct pipeline_measure *measure = measure_diamond(true);
    struct trm_report report         = report_of(measure, 2);

    ck_assert_uint_eq(report.launches[GRAY].busy_ns, 4 * 10);
    ck_assert_uint_eq(report.launches[BLUR].busy_ns, 4 * 40);
    ck_assert_uint_eq(report.launches[EDGES].busy_ns, 4 * 30);
    ck_assert_uint_eq(report.launches[MIX].busy_ns, 4 * 7);
    ck_assert_uint_eq(report.path_ns, 4 * 57);
    ck_assert_uint_eq(report.path, BIT(GRAY) | BIT(BLUR) | BIT(MIX));
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(without_branches_the_path_is_all_stages)
{
    struct pipeline_measure *measure = measure_diamond(false);
    struct trm_report report         = report_of(measure, 1);

    ck_assert_uint_eq(report.launches[EDGES].busy_ns, 0);
    ck_assert_uint_eq(report.path_ns, 4 * 57);
    ck_assert_uint_eq(report.path, 15);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(a_report_describes_branches_as_long_as_compute_was)
{
    struct pipeline_measure *measure = measure_diamond(true);
    struct trm_report report         = report_of(measure, 2);
    struct trm_prediction_desc desc  = {.struct_size = sizeof(desc)};

    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_OK);
    ck_assert_uint_eq(desc.launch_count, STAGES);
    ck_assert_uint_eq(desc.branches, 2);
    ck_assert_uint_eq(desc.launch_ns[BLUR], 40);
    ck_assert_uint_eq(desc.launch_after[MIX], diamond[MIX]);
    ck_assert_uint_eq(predict(&desc), report.predicted_ns);
    desc.branches = 1;
    ck_assert_uint_gt(predict(&desc), report.predicted_ns);
    pipeline_measure_destroy(measure);
}
END_TEST

/* ---- texts ---------------------------------------------------------------------------------- */

struct text {
    char *all;
    size_t length;
};

static int32_t collect(void *user, const char *piece, size_t length)
{
    struct text *text = user;

    text->all = realloc(text->all, text->length + length + 1);
    must_hold(text->all != NULL);
    memcpy(text->all + text->length, piece, length);
    text->length += length;
    text->all[text->length] = '\0';
    return TRM_OK;
}

static void says(const struct text *text, const char *words, bool is_said)
{
    ck_assert_msg((strstr(text->all, words) != NULL) == is_said, "\"%s\" in: %s", words, text->all);
}

START_TEST(reports_say_which_stages_are_on_the_longest_path)
{
    struct pipeline_measure *measure = measure_diamond(true);
    struct trm_report report         = report_of(measure, 2);
    struct text text = {NULL, 0}, json = {NULL, 0}, without = {NULL, 0};

    ck_assert_int_eq(pipeline_report_write(&report, TRM_REPORT_TEXT, collect, &text), TRM_OK);
    says(&text, "up to 2 at once", true);
    says(&text, "66 %", true);
    says(&text, "gray, blur, mix", true);
    ck_assert_int_eq(pipeline_report_write(&report, TRM_REPORT_JSON, collect, &json), TRM_OK);
    says(&json, "{\"name\": \"mix\", \"busy_seconds\": 0.000000028, \"after\": [1, 2]}", true);
    says(&json, "\"branches\": 2", true);
    report.branches = 1;
    ck_assert_int_eq(pipeline_report_write(&report, TRM_REPORT_TEXT, collect, &without), TRM_OK);
    says(&without, "at once", false);
    free(text.all);
    free(json.all);
    free(without.all);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(a_trace_has_a_track_for_each_branch_and_the_timeline_a_table)
{
    struct pipeline_measure *measure = measure_diamond(true), *plain = measure_diamond(false);
    struct trm_report report = report_of(measure, 2);
    struct text trace = {NULL, 0}, page = {NULL, 0}, without = {NULL, 0};

    ck_assert_int_eq(
        pipeline_trace_write(fixture_context, measure, &report, TRM_TRACE_EVENTS, collect, &trace), TRM_OK);
    says(&trace, "{\"name\": \"compute, branch 2\"}", true);
    /* From the end of gray, for 30 ns, in the thread of that branch. */
    says(&trace, "\"tid\": 10301, \"ts\": 0.011, \"dur\": 0.030, \"cat\": \"launch\", \"name\": \"edges\"",
         true);
    ck_assert_int_eq(
        pipeline_trace_write(fixture_context, measure, &report, TRM_TRACE_TIMELINE, collect, &page), TRM_OK);
    says(&page, "Branches of compute", true);
    says(&page, "<td>blur, edges</td>", true);
    report = report_of(plain, 1);
    ck_assert_int_eq(
        pipeline_trace_write(fixture_context, plain, &report, TRM_TRACE_EVENTS, collect, &without), TRM_OK);
    says(&without, "branch", false);
    free(trace.all);
    free(page.all);
    free(without.all);
    pipeline_measure_destroy(measure);
    pipeline_measure_destroy(plain);
}
END_TEST

START_TEST(branches_that_run_one_after_the_other_are_mentioned_with_the_reason)
{
    struct trm_report report = {.struct_size = sizeof(report), .branches = 1};
    char line[256];

    report.strategy                          = TRM_STRATEGY_ZERO_COPY;
    report.stages[TRM_STAGE_COMPUTE].mean_ns = 5000;
    ck_assert(!pipeline_report_branches_line(&report, line, sizeof(line)));
    report.one_by_one = 1;
    ck_assert(pipeline_report_branches_line(&report, line, sizeof(line)));
    ck_assert_str_eq(line, "one after the other: tokens of less than 20 µs gain nothing by streams of their "
                           "own; a strategy that the program sets uses them all the same");
    report.strategy = TRM_STRATEGY_SLOT_GRAPHS;
    ck_assert(pipeline_report_branches_line(&report, line, sizeof(line)));
    ck_assert_str_eq(line, "one after the other with the strategy slot graphs");
    report.pieces = 4;
    ck_assert(pipeline_report_branches_line(&report, line, sizeof(line)));
    ck_assert_str_eq(line, "one after the other, since tokens run in pieces");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("branches");
    TCase *tests = tcase_create("branches");

    tcase_add_checked_fixture(tests, fixture_begin, fixture_end);
    tcase_add_test(tests, the_longest_path_is_the_longer_branch_with_what_both_share);
    tcase_add_test(tests, a_stage_that_nothing_runs_after_may_end_the_longest_path);
    tcase_add_test(tests, compute_is_predicted_as_the_longest_path_where_branches_overlap_else_as_the_sum);
    tcase_add_test(tests, launches_that_cannot_be_predicted_are_refused);
    tcase_add_test(tests, a_stage_in_a_branch_begins_when_those_before_it_have_ended);
    tcase_add_test(tests, without_branches_the_path_is_all_stages);
    tcase_add_test(tests, a_report_describes_branches_as_long_as_compute_was);
    tcase_add_test(tests, reports_say_which_stages_are_on_the_longest_path);
    tcase_add_test(tests, a_trace_has_a_track_for_each_branch_and_the_timeline_a_table);
    tcase_add_test(tests, branches_that_run_one_after_the_other_are_mentioned_with_the_reason);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
