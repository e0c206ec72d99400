/* Advice about the program and its machine is right: the memory that it copies from, how a server submits,
 * and what else keeps its threads from running.
 * SPDX-License-Identifier: MIT
 */
#include "promise.h"

/* ---- memory --------------------------------------------------------------------------------- */

START_TEST(pinned_inputs_gain_what_is_promised)
{
    struct scene scene     = {.stage              = {0, 2 * MS, 3 * MS, 2 * MS, 0},
                              .depth              = 3,
                              .tokens             = 32,
                              .pageable_ns        = 6 * MS,
                              .has_pageable_input = true};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_STAGE);

    if (outcome.is_skipped)
        return;
    ck_assert_int_eq(outcome.before.advised.stage, TRM_STAGE_UPLOAD);
    ck_assert_ptr_nonnull(strstr(outcome.before.advice, "from pageable memory: fill token->data"));
    ck_assert_uint_eq(outcome.before.pageable_copies, 32);
    ck_assert_uint_eq(outcome.after.pageable_copies, 0);
    ck_assert_ptr_null(strstr(outcome.after.advice, "pageable"));
}
END_TEST

START_TEST(pinned_results_gain_what_is_promised)
{
    struct scene scene     = {.stage               = {0, 2 * MS, 3 * MS, 2 * MS, 0},
                              .depth               = 3,
                              .tokens              = 32,
                              .pageable_ns         = 6 * MS,
                              .has_pageable_output = true};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_STAGE);

    if (outcome.is_skipped)
        return;
    ck_assert_int_eq(outcome.before.advised.stage, TRM_STAGE_DOWNLOAD);
    ck_assert_ptr_nonnull(strstr(outcome.before.advice, "to pageable memory: read token->data"));
    ck_assert_uint_eq(outcome.after.pageable_copies, 0);
}
END_TEST

START_TEST(pageable_memory_is_not_named_where_it_is_no_slower_or_nothing_tells_how_much)
{
    struct scene scene = {
        .stage = {0, 8 * MS, 3 * MS, 8 * MS, 0}, .depth = 3, .tokens = 16, .has_pageable_input = true};
    struct trm_report report;

    scene.strategy = TRM_STRATEGY_ROLE_STREAMS;
    promise_run(&scene, &report);
    ck_assert_uint_eq(report.pageable_copies, 16);
    ck_assert_msg(strstr(report.advice, "pageable") == NULL, "%s", report.advice);
    scene.pageable_ns         = 8 * MS;
    scene.has_pageable_output = true;
    promise_run(&scene, &report);
    ck_assert_uint_eq(report.pageable_copies, 32);
    ck_assert_msg(strstr(report.advice, "pageable") == NULL, "%s", report.advice);
}
END_TEST

/* ---- the machine ---------------------------------------------------------------------------- */

START_TEST(threads_that_are_late_cost_what_is_said)
{
    struct scene scene = {
        .stage = {0, 2 * MS, 2 * MS, 2 * MS, 0}, .depth = 1, .tokens = 24, .wake_ns = 14 * MS};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_MACHINE);

    ck_assert_ptr_nonnull(strstr(outcome.before.advice, "tages account for only "));
    ck_assert_double_ge(outcome.got, 2);
}
END_TEST

START_TEST(threads_that_lose_their_processors_cost_what_is_said)
{
    struct scene scene     = {.stage        = {0, 2 * MS, 2 * MS, 2 * MS, 0},
                              .depth        = 1,
                              .tokens       = 24,
                              .wake_ns      = 14 * MS,
                              .has_yielders = true};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_MACHINE);

    ck_assert_ptr_nonnull(strstr(outcome.before.advice, "waited for a processor (preempted "));
    ck_assert_uint_ge(outcome.before.preempted, 10);
}
END_TEST

/* Threads that are late beside stages that explain the time are not worth a sentence; that threads lose their
 * processors is. */
START_TEST(a_machine_that_is_a_little_late_is_not_blamed)
{
    struct scene scene = {.stage        = {0, 4 * MS, 4 * MS, 4 * MS, 0},
                          .depth        = 1,
                          .tokens       = 12,
                          .strategy     = TRM_STRATEGY_ROLE_STREAMS,
                          .wake_ns      = MS,
                          .has_yielders = true};
    struct trm_report report;

    promise_run(&scene, &report);
    ck_assert_msg(strstr(report.advice, "account for only") == NULL, "%s", report.advice);
}
END_TEST

/* ---- serving -------------------------------------------------------------------------------- */

/* So many requests at once: one: each waits for its result. */
static void serve(const struct scene *scene, uint64_t at_once, struct trm_report *report)
{
    struct trm_pipeline *pipeline;
    struct trm_token *token;
    uint64_t sent = 0, got = 0;

    scene_open(scene);
    pipeline = scene_pipeline(scene);
    while (got < scene->tokens) {
        if (sent < scene->tokens && sent - got < at_once) {
            ck_ok(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
            ck_ok(trm_pipeline_submit(pipeline, token));
            sent++;
            continue;
        }
        ck_ok(trm_pipeline_next(pipeline, TRM_FOREVER, &token));
        ck_ok(trm_pipeline_release(pipeline, token));
        got++;
    }
    scene_end(pipeline, report);
    fixture_close();
}

static void serve_one(const struct scene *scene, struct trm_report *report)
{
    serve(scene, 1, report);
}

static void serve_many(const struct scene *scene, struct trm_report *report)
{
    serve(scene, scene->depth, report);
}

START_TEST(a_server_that_submits_ahead_gains_what_is_promised)
{
    struct scene scene = {.stage = {0, 3 * MS, 5 * MS, 3 * MS, 0}, .depth = 4, .tokens = 32};

    promise_holds_by(&scene, TRM_ADVICE_MORE, serve_one, serve_many);
}
END_TEST

/* Enqueueing takes longer than any stage, and only one token at a time is enqueued. */
START_TEST(a_server_whose_submits_take_long_gains_what_is_promised)
{
    struct scene scene = {
        .stage = {0, 3 * MS, 5 * MS, 3 * MS, 0}, .depth = 4, .tokens = 32, .enqueue_ns = 8 * MS};

    promise_holds_by(&scene, TRM_ADVICE_MORE, serve_one, serve_many);
}
END_TEST

int main(void)
{
    const struct promise_group groups[] = {
        {"memory",
         {pinned_inputs_gain_what_is_promised, pinned_results_gain_what_is_promised,
          pageable_memory_is_not_named_where_it_is_no_slower_or_nothing_tells_how_much}},
        {"the machine",
         {threads_that_are_late_cost_what_is_said, threads_that_lose_their_processors_cost_what_is_said,
          a_machine_that_is_a_little_late_is_not_blamed}},
        {"serving",
         {a_server_that_submits_ahead_gains_what_is_promised,
          a_server_whose_submits_take_long_gains_what_is_promised}},
    };

    return promise_main("following advice about the host", groups, sizeof(groups) / sizeof(groups[0]));
}
