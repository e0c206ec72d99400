/* Pipelines: the three ways to run one, and which calls are allowed when.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#define MS UINT64_C(1000000)

static void open_plan(struct rig *rig, const char *name, uint32_t depth, int32_t strategy)
{
    rig_make(rig, plan_named(name), depth, strategy);
    ck_ok(rig_open(rig));
}

/* ---- start and next ------------------------------------------------------------------------- */

static void iterate(struct rig *rig, uint64_t count, uint32_t workers)
{
    struct trm_source source = trm_source_function(rig_source, rig);
    struct trm_token *token;
    int32_t answer;
    source.workers = workers;
    rig->count     = count;
    ck_ok(trm_pipeline_start(rig->pipeline, &source));
    while ((answer = trm_pipeline_next(rig->pipeline, TRM_FOREVER, &token)) == TRM_OK) {
        rig_take(rig, token);
        ck_ok(trm_pipeline_release(rig->pipeline, token));
    }
    ck_assert_msg(answer == TRM_TOKEN_END, "%s: %s", trm_status_name(answer), trm_last_error().sentence);
    rig_check(rig);
    ck_slots_free(rig->pipeline);
}

START_TEST(tokens_of_a_source_are_taken_one_by_one)
{
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 4; depth++) {
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
            struct rig rig;
            rig_make(&rig, plan_named("several kernels with scratch"), depth, all_strategies[i]);
            if (rig_open(&rig) == TRM_OK) {
                for (uint32_t turn = 0; turn < 3; turn++) {
                    rig_again(&rig);
                    /* and once more when workers have just ended */
                    iterate(&rig, 20, turn % 2 * 2);
                }
            }
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

START_TEST(several_tokens_may_be_kept_while_others_are_on_their_way)
{
    struct trm_token *kept[3];
    struct trm_source source;
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 4, TRM_STRATEGY_AUTO);
    source    = trm_source_function(rig_source, &rig);
    rig.count = 9;
    ck_ok(trm_pipeline_start(rig.pipeline, &source));
    for (uint64_t round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &kept[i]));
        for (int i = 0; i < 3; i++)
            rig_take(&rig, kept[i]);
        for (int i = 0; i < 3; i++)
            ck_ok(trm_pipeline_release(rig.pipeline, kept[2 - i]));
    }
    ck_assert_int_eq(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &kept[0]), TRM_TOKEN_END);
    rig_check(&rig);
    ck_slots_free(rig.pipeline);
    rig_close(&rig);
}
END_TEST

START_TEST(when_the_program_holds_all_slots_there_is_no_other_to_wait_for)
{
    struct trm_token *kept[2], *third;
    struct trm_source source;
    struct rig rig;
    if (group_counts_slots() || kernels_missing())
        return;
    open_plan(&rig, "one kernel", 2, TRM_STRATEGY_AUTO);
    source    = trm_source_function(rig_source, &rig);
    rig.count = 6;
    ck_ok(trm_pipeline_start(rig.pipeline, &source));
    ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &kept[0]));
    ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &kept[1]));
    ck_refused(trm_pipeline_next(rig.pipeline, 50 * MS, &third));
    rig_take(&rig, kept[0]);
    rig_take(&rig, kept[1]);
    ck_ok(trm_pipeline_release(rig.pipeline, kept[0]));
    ck_ok(trm_pipeline_release(rig.pipeline, kept[1]));
    while (trm_pipeline_next(rig.pipeline, TRM_FOREVER, &third) == TRM_OK) {
        rig_take(&rig, third);
        ck_ok(trm_pipeline_release(rig.pipeline, third));
    }
    rig_check(&rig);
    rig_close(&rig);
}
END_TEST

START_TEST(only_one_run_is_under_way_at_a_time)
{
    struct trm_source source;
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 2, TRM_STRATEGY_AUTO);
    source    = trm_source_function(rig_source, &rig);
    rig.count = 6;
    ck_ok(trm_pipeline_start(rig.pipeline, &source));
    ck_status(trm_pipeline_start(rig.pipeline, &source), TRM_ERROR_BUSY);
    ck_status(trm_pipeline_run(rig.pipeline, &source, NULL), TRM_ERROR_BUSY);
    ck_status(trm_pipeline_acquire(rig.pipeline, 0, &token), TRM_ERROR_BUSY);
    while (trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token) == TRM_OK) {
        rig_take(&rig, token);
        ck_ok(trm_pipeline_release(rig.pipeline, token));
    }
    rig_check(&rig);
    rig_again(&rig);
    rig_run(&rig, 6, 0); /* and then another one may run */
    rig_close(&rig);
}
END_TEST

START_TEST(a_run_is_refused_while_the_program_has_tokens)
{
    struct trm_source source;
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 2, TRM_STRATEGY_AUTO);
    source    = trm_source_function(rig_source, &rig);
    rig.count = 3;
    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    ck_status(trm_pipeline_run(rig.pipeline, &source, NULL), TRM_ERROR_BUSY);
    ck_ok(trm_pipeline_discard(rig.pipeline, token));
    rig_run(&rig, 3, 0);
    rig_close(&rig);
}
END_TEST

/* ---- acquire, submit, next, release --------------------------------------------------------- */

static void serve_one(struct rig *rig, uint64_t expected_index)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token));
    ck_assert_uint_eq(token->index, expected_index);
    ck_assert_uint_eq(token->port_count, rig->desc.port_count);
    ck_assert_uint_lt(token->slot, rig->desc.depth);
    rig_fill(rig, token);
    ck_ok(trm_pipeline_submit(rig->pipeline, token));
    ck_ok(trm_pipeline_next(rig->pipeline, TRM_FOREVER, &token));
    rig_take(rig, token);
    ck_ok(trm_pipeline_release(rig->pipeline, token));
}

START_TEST(a_server_submits_and_takes)
{
    if (kernels_missing())
        return;
    for (uint32_t p = 1; p < plan_count; p++) {
        struct rig rig;
        if (plans[p].flags & PLAN_SOURCELESS)
            continue;
        rig_make(&rig, &plans[p], 3, TRM_STRATEGY_AUTO);
        ck_ok(rig_open(&rig));
        rig.count = 10;
        for (uint64_t i = 0; i < 10; i++)
            serve_one(&rig, i);
        rig_check(&rig);
        ck_slots_free(rig.pipeline);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

START_TEST(a_server_begins_its_report_anew)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 3, TRM_STRATEGY_ROLE_STREAMS);
    rig.count = 100;
    for (uint64_t i = 0; i < 30; i++) {
        if (i % 10 == 0)
            ck_ok(trm_pipeline_reset_report(rig.pipeline));
        serve_one(&rig, i);
        ck_ok(trm_pipeline_report(rig.pipeline, &report));
        ck_assert_uint_eq(report.tokens, i % 10 + 1);
    }
    ck_ok(trm_pipeline_reset_report(rig.pipeline));
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_uint_eq(report.tokens, 0);
    ck_assert_uint_eq(report.elapsed_ns, 0);
    ck_assert_uint_eq(report.depth, 3);
    rig_close(&rig);
}
END_TEST

START_TEST(as_many_tokens_as_slots_are_under_way)
{
    struct trm_token *token, *tokens[5];
    if (group_counts_slots() || kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        rig_make(&rig, plan_named("one kernel"), 5, all_strategies[s]);
        if (rig_open(&rig) != TRM_OK) {
            rig_close(&rig);
            continue;
        }
        rig.count = 20;
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 5; i++) {
                ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &tokens[i]));
                rig_fill(&rig, tokens[i]);
            }
            ck_status(trm_pipeline_acquire(rig.pipeline, 0, &token), TRM_ERROR_TIMEOUT);
            for (int i = 0; i < 5; i++)
                ck_ok(trm_pipeline_submit(rig.pipeline, tokens[i]));
            for (int i = 0; i < 5; i++) {
                ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
                rig_take(&rig, token);
                ck_ok(trm_pipeline_release(rig.pipeline, token));
            }
        }
        rig_check(&rig);
        ck_slots_free(rig.pipeline);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

START_TEST(results_come_in_the_order_of_submission)
{
    struct trm_token *tokens[3], *token;
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 3, TRM_STRATEGY_AUTO);
    rig.loose = true;
    rig.count = 3;
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &tokens[i]));
        rig_fill(&rig, tokens[i]);
    }
    for (int i = 0; i < 3; i++)
        ck_ok(trm_pipeline_submit(rig.pipeline, tokens[2 - i]));
    for (uint64_t i = 0; i < 3; i++) {
        ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
        ck_assert_uint_eq(token->index, 2 - i);
        rig_take(&rig, token);
        ck_ok(trm_pipeline_release(rig.pipeline, token));
    }
    rig_check(&rig);
    rig_close(&rig);
}
END_TEST

START_TEST(a_discarded_token_leaves_no_trace)
{
    struct trm_token *token, *other;
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 2, TRM_STRATEGY_AUTO);
    for (int i = 0; i < 5; i++) {
        ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
        ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &other));
        ck_ok(trm_pipeline_discard(rig.pipeline, token));
        ck_ok(trm_pipeline_discard(rig.pipeline, other));
        ck_slots_free(rig.pipeline);
    }
    ck_status(trm_pipeline_next(rig.pipeline, 0, &token), TRM_ERROR_TIMEOUT);
    rig_close(&rig);
}
END_TEST

START_TEST(waiting_with_nothing_submitted_is_a_time_out)
{
    struct trm_token *token;
    uint64_t begin;
    struct rig rig;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 2, TRM_STRATEGY_AUTO);
    ck_status(trm_pipeline_next(rig.pipeline, 0, &token), TRM_ERROR_TIMEOUT);
    begin = now_ns();
    ck_status(trm_pipeline_next(rig.pipeline, 30 * MS, &token), TRM_ERROR_TIMEOUT);
    ck_assert_uint_ge(now_ns() - begin, 29 * MS);
    rig.count = 1;
    serve_one(&rig, 0);
    rig_check(&rig);
    rig_close(&rig);
}
END_TEST

START_TEST(waiting_for_a_slot_that_does_not_come_is_a_time_out)
{
    struct trm_token *token, *other;
    uint64_t begin;
    struct rig rig;
    if (group_counts_slots() || kernels_missing())
        return;
    open_plan(&rig, "one kernel", 1, TRM_STRATEGY_AUTO);
    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    begin = now_ns();
    ck_status(trm_pipeline_acquire(rig.pipeline, 30 * MS, &other), TRM_ERROR_TIMEOUT);
    ck_assert_uint_ge(now_ns() - begin, 29 * MS);
    ck_ok(trm_pipeline_discard(rig.pipeline, token));
    ck_ok(trm_pipeline_acquire(rig.pipeline, 30 * MS, &token));
    ck_ok(trm_pipeline_discard(rig.pipeline, token));
    rig_close(&rig);
}
END_TEST

START_TEST(tokens_that_are_not_the_programs_are_refused)
{
    struct trm_token *token, foreign = {0};
    struct rig rig, other;
    if (kernels_missing())
        return;
    open_plan(&rig, "one kernel", 2, TRM_STRATEGY_AUTO);
    open_plan(&other, "one kernel", 2, TRM_STRATEGY_AUTO);
    ck_refused(trm_pipeline_submit(rig.pipeline, NULL));
    ck_refused(trm_pipeline_submit(rig.pipeline, &foreign));
    ck_refused(trm_pipeline_release(rig.pipeline, &foreign));
    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    ck_refused(trm_pipeline_submit(other.pipeline, token));
    ck_refused(trm_pipeline_release(rig.pipeline, token)); /* it was never submitted */
    ck_ok(trm_pipeline_discard(rig.pipeline, token));
    ck_refused(trm_pipeline_discard(rig.pipeline, token));
    ck_refused(trm_pipeline_submit(rig.pipeline, token));
    ck_slots_free(rig.pipeline);
    rig_close(&other);
    rig_close(&rig);
}
END_TEST

void add_pipeline_serve(Suite *suite)
{
    TCase *iterate_group = group_make(suite, "pipelines: start and next");
    CASE(iterate_group, tokens_of_a_source_are_taken_one_by_one);
    CASE(iterate_group, several_tokens_may_be_kept_while_others_are_on_their_way);
    CASE(iterate_group, when_the_program_holds_all_slots_there_is_no_other_to_wait_for);
    CASE(iterate_group, only_one_run_is_under_way_at_a_time);
    CASE(iterate_group, a_run_is_refused_while_the_program_has_tokens);

    TCase *serve = group_make(suite, "pipelines: submit and next");
    CASE(serve, a_server_submits_and_takes);
    CASE(serve, a_server_begins_its_report_anew);
    CASE(serve, as_many_tokens_as_slots_are_under_way);
    CASE(serve, results_come_in_the_order_of_submission);
    CASE(serve, a_discarded_token_leaves_no_trace);
    CASE(serve, waiting_with_nothing_submitted_is_a_time_out);
    CASE(serve, waiting_for_a_slot_that_does_not_come_is_a_time_out);
    CASE(serve, tokens_that_are_not_the_programs_are_refused);
}
