/* Reading ahead on a device of known times: a source that is fast enough in the mean but pauses now and then.
 * A busy machine only makes the device wait more, so each test may repeat, and the best try counts.
 * SPDX-License-Identifier: MIT
 */
#include "scene.h"

#define TRIES 5
#define TOKENS 96

static uint64_t scale;

/* Pauses for four times as long as the device takes for a token, once in eight tokens. */
static int32_t pausing(void *user, struct trm_token *token)
{
    (void)user;
    if (token->index >= TOKENS)
        return TRM_TOKEN_END;
    if (token->index % 8 == 7)
        sleep_ns(8 * MS * scale);
    return TRM_OK;
}

static const struct scene scene = {
    .stage    = {[TRM_STAGE_UPLOAD] = MS / 10, [TRM_STAGE_COMPUTE] = 2 * MS, [TRM_STAGE_DOWNLOAD] = MS / 10},
    .depth    = 2,
    .workers  = 1,
    .strategy = TRM_STRATEGY_ROLE_STREAMS,
    .tokens   = TOKENS,
};

static struct trm_report run(const struct scene *times, uint64_t ahead_bytes)
{
    struct trm_source source      = trm_source_function(pausing, NULL);
    struct trm_pipeline *pipeline = scene_pipeline(times);
    struct trm_report report      = {.struct_size = sizeof(report)};
    source.workers                = 1;
    source.ahead_bytes            = ahead_bytes;
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    scene_end(pipeline, &report);
    ck_assert_uint_eq(report.tokens, TOKENS);
    return report;
}

static uint64_t starved_of(const struct trm_report *report)
{
    return report->stages[TRM_STAGE_COMPUTE].starved_ns;
}

START_TEST(a_device_waits_less_for_a_source_that_pauses)
{
    bool is_less = false;
    for (size_t i = 0; i < SCENE_SCALES && !is_less; i++) {
        struct scene times = scene_scaled(&scene, scene_scales[i]);
        scale              = scene_scales[i];
        scene_open(&times);
        for (int t = 0; t < TRIES && !is_less; t++) {
            struct trm_report without = run(&times, 0), with = run(&times, 64 * SCENE_BYTES);
            ck_assert_uint_eq(without.ahead_budget, 0);
            ck_assert_uint_eq(with.ahead_budget, 64);
            ck_assert_uint_le(with.ahead_most, 64);
            is_less = with.ahead > 2 && with.ahead_most > 2 && starved_of(&with) * 2 < starved_of(&without);
        }
        fixture_close();
    }
    ck_assert_msg(is_less, "the device waited as long as without reading ahead");
}
END_TEST

START_TEST(what_was_predicted_and_what_came_is_in_the_report)
{
    char text[4096];
    scale = 1;
    scene_open(&scene);
    struct trm_report report = run(&scene, 64 * SCENE_BYTES);
    ck_assert_uint_gt(report.source_ns, 0);
    ck_assert_uint_gt(report.source_spread_ns, 0);
    ck_assert_uint_gt(report.take_ns, 0);
    ck_assert(report.ahead_waits >= 0 && report.ahead_waits < 1);
    ck_ok(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL));
    ck_assert_msg(strstr(text, " tokens suffice now, at most ") != NULL, "%s", text);
    ck_ok(trm_report_format(&report, TRM_REPORT_JSON, text, sizeof(text), NULL));
    ck_assert_msg(strstr(text, "\"ahead\": {\"tokens\": ") != NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\"predicted_waits\": "));
    fixture_close();
}
END_TEST

/* Two tokens fit. */
START_TEST(the_budget_limits_what_is_read_ahead)
{
    scale = 1;
    scene_open(&scene);
    struct trm_report report = run(&scene, 2 * SCENE_BYTES + 1);
    ck_assert_uint_eq(report.ahead_budget, 2);
    ck_assert_uint_le(report.ahead_most, 2);
    ck_assert_uint_le(report.ahead, 2);
    fixture_close();
}
END_TEST

int main(void)
{
    if (!backend_there(ON_TIMED))
        return 77;
    Suite *suite   = suite_create("ahead");
    TCase *group   = tcase_create("reading ahead");
    SRunner *tests = srunner_create(suite);
    tcase_set_timeout(group, 300);
    /* a sanitizer takes time of its own, and a quick check may run other tests beside */
    if (!scaled(0, 1))
        tcase_add_test(group, a_device_waits_less_for_a_source_that_pauses);
    tcase_add_test(group, what_was_predicted_and_what_came_is_in_the_report);
    tcase_add_test(group, the_budget_limits_what_is_read_ahead);
    suite_add_tcase(suite, group);
    srunner_run_all(tests, CK_ENV);
    int failed = srunner_ntests_failed(tests);
    srunner_free(tests);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
