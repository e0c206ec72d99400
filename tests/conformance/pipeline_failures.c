/* Pipelines: tokens that fail.
 * SPDX-License-Identifier: MIT
 */
#include "fragile.h"
#include "groups.h"
#include "kernels.h"

/* ---- modes ---------------------------------------------------------------------------------- */

/* The status of a failure in this stage. */
static int32_t place_status(enum place place)
{
    return place == AT_FIRST_LAUNCH || place == AT_SECOND_LAUNCH ? TRM_ERROR_KERNEL : TRM_ERROR_NOT_FOUND;
}

static void fail_in_mode(uint32_t depth, int32_t strategy, int32_t mode, enum place place)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct fragile fragile;
    fragile_make(&fragile, depth, strategy, mode);
    if (fragile_open(&fragile) == TRM_OK) {
        fragile.place  = place;
        fragile.at     = 7;
        int32_t status = fragile_run(&fragile, 20);
        if (mode == TRM_FAILURE_SKIP) {
            ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
            ck_assert_uint_eq(fragile.delivered, 19);
        } else {
            ck_assert_msg(status == place_status(place), "depth %u, %s, failing in %s: %s (%s)", depth,
                          trm_strategy_name(strategy), place_words[place], trm_status_name(status),
                          trm_last_error().sentence);
            ck_assert_msg(strstr(trm_last_error().sentence,
                                 group_under_test() != NULL ? "token 7 on " : "token 7,") != NULL &&
                              strstr(trm_last_error().sentence, place_words[place]) != NULL,
                          "depth %u, %s, token 7 failing in %s: %s", depth, trm_strategy_name(strategy),
                          place_words[place], trm_last_error().sentence);
            /* a function that gives no reason */
            if (place_status(place) == TRM_ERROR_NOT_FOUND)
                ck_sentence_has("the program's function returned TRM_ERROR_NOT_FOUND");
            ck_assert_uint_le(fragile.delivered, mode == TRM_FAILURE_STOP ? 7 : 7 + depth * group_devices());
            if (mode == TRM_FAILURE_DRAIN)
                ck_assert_uint_ge(fragile.delivered, 7);
        }
        ck_ok(trm_pipeline_report(fragile.pipeline, &report));
        ck_assert_uint_eq(report.tokens, fragile.delivered);
        ck_assert_uint_ge(report.failed, 1);
        ck_assert_msg(strstr(report.failure, "token 7") != NULL, "the report's failure is: %s",
                      report.failure);
        fragile.at = UINT64_MAX; /* and it can be used again */
        ck_ok(fragile_run(&fragile, 12));
        ck_assert_uint_eq(fragile.delivered, 12);
        ck_ok(trm_pipeline_report(fragile.pipeline, &report));
        ck_assert_uint_eq(report.failed, 0);
        ck_assert_str_eq(report.failure, "");
    }
    fragile_close(&fragile);
}

/* Of kernels only C functions can fail. */
static bool place_can_fail(enum place place)
{
    return place_status(place) != TRM_ERROR_KERNEL || functions_there();
}

static void fail_everywhere(int32_t mode)
{
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 5; depth += 2)
        for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++)
            for (int place = 0; place < PLACES; place++)
                if (place_can_fail((enum place)place))
                    fail_in_mode(depth, all_strategies[s], mode, (enum place)place);
}

START_TEST(stopping_throws_away_what_is_under_way)
{
    fail_everywhere(TRM_FAILURE_STOP);
}
END_TEST

START_TEST(draining_delivers_what_is_under_way_but_for_the_failed_token)
{
    fail_everywhere(TRM_FAILURE_DRAIN);
}
END_TEST

START_TEST(skipping_leaves_the_failed_token_out)
{
    fail_everywhere(TRM_FAILURE_SKIP);
}
END_TEST

/* ---- by hand -------------------------------------------------------------------------------- */

static void ck_first_failed(const struct fragile *fragile, int32_t status)
{
    ck_assert_msg(status == place_status(fragile->place), "%s: %s", trm_status_name(status),
                  trm_last_error().sentence);
    ck_sentence_has("token 1");
    ck_sentence_has("first");
}

/* Token 1 of 3 fails: reported at its turn at the latest, and at once if it is already known. */
static void serve_three(struct fragile *fragile)
{
    struct trm_token *token;
    bool told = false;
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_pipeline_acquire(fragile->pipeline, TRM_FOREVER, &token));
        ck_assert_int_eq(fragile_load(fragile, token), TRM_OK);
        int32_t status = trm_pipeline_submit(fragile->pipeline, token);
        if (i == 1 && status != TRM_OK) {
            ck_first_failed(fragile, status);
            told = true;
        } else {
            ck_ok(status);
        }
    }
    for (uint64_t i = 0; i < 3; i++) {
        if (i == 1 && told)
            continue;
        int32_t status = trm_pipeline_next(fragile->pipeline, TRM_FOREVER, &token);
        if (i == 1) {
            ck_first_failed(fragile, status);
            continue;
        }
        ck_ok(status);
        ck_assert_uint_eq(token->index, i);
        ck_assert_int_eq(fragile_sink(fragile, token), TRM_OK);
        ck_ok(trm_pipeline_release(fragile->pipeline, token));
    }
}

START_TEST(a_failed_token_is_told_once_and_the_others_come_out)
{
    struct fragile fragile;
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        fragile_make(&fragile, 3, all_strategies[s], TRM_FAILURE_SKIP);
        if (fragile_open(&fragile) == TRM_OK) {
            fragile.place = place_can_fail(AT_FIRST_LAUNCH) ? AT_FIRST_LAUNCH : AT_SHAPE;
            fragile.at    = 1;
            fragile.count = 3;
            serve_three(&fragile);
            ck_assert_ptr_null(fragile.wrong);
            ck_slots_free(fragile.pipeline);
        }
        fragile_close(&fragile);
    }
}
END_TEST

START_TEST(after_a_failure_a_server_acquires_nothing_more)
{
    struct trm_token *token;
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 2);
    fragile.place = AT_HOST;
    fragile.at    = 0;
    fragile.count = 3;
    ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
    ck_assert_int_eq(fragile_load(&fragile, token), TRM_OK);
    ck_ok(trm_pipeline_submit(fragile.pipeline, token));
    ck_status(trm_pipeline_next(fragile.pipeline, TRM_FOREVER, &token), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("token 0");
    ck_sentence_has("middle");
    ck_status(trm_pipeline_acquire(fragile.pipeline, 0, &token), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("middle");
    ck_sentence_has("; trm_pipeline_cancel() lets the pipeline go on");
    ck_slots_free(fragile.pipeline);
    fragile_close(&fragile);
}
END_TEST

/* What the sentence promises. */
START_TEST(a_server_that_stopped_goes_on_after_a_cancel)
{
    struct trm_token *token;
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 2);
    ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
    token->size[0] = UINT64_MAX / 2;
    ck_refused(trm_pipeline_submit(fragile.pipeline, token));
    ck_refused(trm_pipeline_acquire(fragile.pipeline, 0, &token));
    ck_sentence_has("; trm_pipeline_cancel() lets the pipeline go on");
    ck_ok(trm_pipeline_cancel(fragile.pipeline, TRM_FOREVER));
    fragile.at    = UINT64_MAX;
    fragile.count = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
        ck_assert_int_eq(fragile_load(&fragile, token), TRM_OK);
        ck_ok(trm_pipeline_submit(fragile.pipeline, token));
        ck_ok(trm_pipeline_next(fragile.pipeline, TRM_FOREVER, &token));
        ck_ok(trm_pipeline_release(fragile.pipeline, token));
    }
    ck_slots_free(fragile.pipeline);
    fragile_close(&fragile);
}
END_TEST

/* In mode DRAIN the others still come out: a cancel would drop them. */
START_TEST(a_server_that_drains_returns_the_rest_before_a_cancel)
{
    static const char words[] = "; when trm_pipeline_next() has given the rest, trm_pipeline_cancel() lets ";
    struct trm_token *token, *other;
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_make(&fragile, 2, TRM_STRATEGY_AUTO, TRM_FAILURE_DRAIN);
    ck_ok(fragile_open(&fragile));
    fragile.at    = UINT64_MAX;
    fragile.count = UINT64_MAX;
    ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &other));
    ck_assert_int_eq(fragile_load(&fragile, token), TRM_OK);
    ck_ok(trm_pipeline_submit(fragile.pipeline, token));
    other->size[0] = UINT64_MAX / 2;
    ck_refused(trm_pipeline_submit(fragile.pipeline, other));
    ck_refused(trm_pipeline_acquire(fragile.pipeline, 0, &other));
    ck_sentence_has(words);
    ck_ok(trm_pipeline_next(fragile.pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_release(fragile.pipeline, token));
    ck_ok(trm_pipeline_cancel(fragile.pipeline, TRM_FOREVER));
    ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
    ck_ok(trm_pipeline_discard(fragile.pipeline, token));
    ck_slots_free(fragile.pipeline);
    fragile_close(&fragile);
}
END_TEST

/* ---- other uses ----------------------------------------------------------------------------- */

START_TEST(one_pipeline_that_fails_does_not_harm_another)
{
    struct fragile broken, whole;
    if (kernels_missing())
        return;
    fragile_begin(&broken, 3);
    fragile_begin(&whole, 3);
    broken.place = place_can_fail(AT_SECOND_LAUNCH) ? AT_SECOND_LAUNCH : AT_HOST;
    broken.at    = 3;
    ck_status(fragile_run(&broken, 10), place_status(broken.place));
    ck_ok(fragile_run(&whole, 10));
    ck_assert_uint_eq(whole.delivered, 10);
    trm_pipeline_destroy(broken.pipeline);
    ck_ok(fragile_run(&whole, 10));
    fragile_close(&whole);
}
END_TEST

void add_pipeline_failures(Suite *suite)
{
    TCase *modes = group_make(suite, "pipelines: failures");
    CASE(modes, stopping_throws_away_what_is_under_way);
    CASE(modes, draining_delivers_what_is_under_way_but_for_the_failed_token);
    CASE(modes, skipping_leaves_the_failed_token_out);
    CASE(modes, a_failed_token_is_told_once_and_the_others_come_out);
    CASE(modes, after_a_failure_a_server_acquires_nothing_more);
    CASE(modes, a_server_that_stopped_goes_on_after_a_cancel);
    CASE(modes, a_server_that_drains_returns_the_rest_before_a_cancel);
    CASE(modes, one_pipeline_that_fails_does_not_harm_another);
}
