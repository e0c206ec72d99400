/* Advice is right: on a device whose stages take known times each test builds a situation, reads the advice,
 * follows it, and compares the gain with the predicted one.
 * SPDX-License-Identifier: MIT
 */
#include "promise.h"

/* ---- settings ------------------------------------------------------------------------------- */

START_TEST(more_slots_gain_what_is_promised)
{
    struct scene scene = {.stage = {0, 4 * MS, 5 * MS, 3 * MS, 0}, .depth = 1, .tokens = 24};

    promise_holds(&scene, TRM_ADVICE_DEPTH);
    scene.stage[TRM_STAGE_LOAD] = scene.stage[TRM_STAGE_SINK] = 2 * MS;
    scene.depth                                               = 2;
    scene.workers                                             = 1;
    promise_holds(&scene, TRM_ADVICE_DEPTH);
}
END_TEST

START_TEST(a_loader_beside_the_sink_gains_what_is_promised)
{
    struct scene scene     = {.stage        = {4 * MS, 1 * MS, 3 * MS, 1 * MS, 4 * MS},
                              .depth        = 5,
                              .tokens       = 24,
                              .source_flags = TRM_END_SERIAL};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_WORKERS);

    if (outcome.is_skipped)
        return;
    ck_assert_uint_eq(outcome.before.advised.workers, 1);
}
END_TEST

START_TEST(more_workers_gain_what_is_promised)
{
    struct scene scene = {
        .stage = {9 * MS, 1 * MS, 2 * MS, 1 * MS, 0}, .depth = 3, .tokens = 48, .workers = 1};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_WORKERS);

    if (outcome.is_skipped)
        return;
    ck_assert_uint_ge(outcome.before.advised.workers, 4);
    ck_assert_double_ge(outcome.before.advised.gain, 2.5);
    ck_assert_uint_gt(outcome.before.load_waiting_ns, outcome.before.stages[TRM_STAGE_LOAD].busy_ns / 2);
}
END_TEST

/* A slow token holds up the results behind it, so four times as many workers gain less. */
START_TEST(workers_of_an_uneven_source_gain_what_is_promised)
{
    struct scene scene     = {.stage       = {1 * MS, 0, 1 * MS / 5, 0, 0},
                              .depth       = 3,
                              .tokens      = 128,
                              .workers     = 1,
                              .each_eighth = 16 * MS};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_WORKERS);

    if (outcome.is_skipped)
        return;
    ck_assert_double_lt(outcome.before.advised.gain, 0.9 * outcome.before.advised.workers);
}
END_TEST

START_TEST(threads_for_the_sink_gain_what_is_promised)
{
    struct scene scene     = {.stage       = {1 * MS, 1 * MS, 4 * MS, 1 * MS, 7 * MS},
                              .depth       = 4,
                              .tokens      = 48,
                              .workers     = 1,
                              .sinks       = 1,
                              .has_options = true};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_SINKS);

    if (outcome.is_skipped)
        return;
    ck_assert_uint_ge(outcome.before.advised.sinks, 2);
}
END_TEST

START_TEST(slots_that_even_out_a_source_gain_what_is_promised)
{
    struct scene scene = {.stage        = {1 * MS, 0, 2 * MS, 0, 0},
                          .depth        = 2,
                          .tokens       = 96,
                          .workers      = 1,
                          .each_eighth  = 8 * MS,
                          .source_flags = TRM_END_SERIAL};

    promise_holds(&scene, TRM_ADVICE_DEPTH);
}
END_TEST

/* Every eighth token is the slow one: a sample of every other stretch of four tokens would have all of them,
 * or none. */
START_TEST(slots_are_advised_from_samples_too)
{
    struct scene scene = {.stage        = {1 * MS, 0, 2 * MS, 0, 0},
                          .depth        = 2,
                          .tokens       = 160,
                          .workers      = 1,
                          .each_eighth  = 8 * MS,
                          .source_flags = TRM_END_SERIAL,
                          .is_sampled   = true};

    promise_holds(&scene, TRM_ADVICE_DEPTH);
}
END_TEST

/* ---- tokens --------------------------------------------------------------------------------- */

START_TEST(more_and_smaller_tokens_gain_what_is_promised)
{
    struct scene scene = {
        .stage = {0, 16 * MS, 16 * MS, 16 * MS, 0}, .depth = 3, .tokens = 3, .source_flags = TRM_END_SERIAL};

    promise_holds(&scene, TRM_ADVICE_SIZE);
}
END_TEST

START_TEST(larger_tokens_gain_what_is_promised)
{
    struct scene scene = {.stage = {0, 1000, 1000, 1000, 0}, .depth = 3, .tokens = 2000, .wake_ns = 40000};

    promise_holds(&scene, TRM_ADVICE_SIZE);
}
END_TEST

/* The copies take their time whatever they move, as those of 1 KiB to a GPU do: it is no bound. */
START_TEST(larger_tokens_gain_what_is_promised_where_copies_take_a_fixed_time)
{
    struct scene scene = {
        .stage = {0, 20000, 0, 20000, 0}, .depth = 3, .tokens = 2000, .has_fixed_times = true};
    const char *sentence   = "make them 8 times as large";
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_SIZE);

    if (outcome.is_skipped)
        return;
    ck_assert_msg(strstr(outcome.before.advice, sentence) != NULL, "%s", outcome.before.advice);
}
END_TEST

START_TEST(a_longer_run_gains_what_is_promised)
{
    struct scene scene = {.stage       = {1 * MS, 4 * MS, 5 * MS, 4 * MS, 1 * MS},
                          .depth       = 6,
                          .tokens      = 6,
                          .workers     = 1,
                          .has_options = true};

    promise_holds(&scene, TRM_ADVICE_MORE);
}
END_TEST

/* ---- load and sink -------------------------------------------------------------------------- */

START_TEST(a_quicker_sink_gains_what_is_promised)
{
    struct scene scene = {
        .stage = {1 * MS, 1 * MS, 3 * MS, 1 * MS, 8 * MS}, .depth = 5, .tokens = 24, .workers = 1};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_STAGE);

    if (outcome.is_skipped)
        return;
    ck_assert_int_eq(outcome.before.advised.stage, TRM_STAGE_SINK);
}
END_TEST

START_TEST(a_quicker_load_gains_what_is_promised)
{
    struct scene scene     = {.stage        = {8 * MS, 1 * MS, 3 * MS, 1 * MS, 1 * MS},
                              .depth        = 5,
                              .tokens       = 24,
                              .workers      = 1,
                              .source_flags = TRM_END_SERIAL};
    struct outcome outcome = promise_holds(&scene, TRM_ADVICE_STAGE);

    if (outcome.is_skipped)
        return;
    ck_assert_int_eq(outcome.before.advised.stage, TRM_STAGE_LOAD);
    ck_assert_ptr_null(strstr(outcome.before.advice, "worker"));
}
END_TEST

/* ---- limits --------------------------------------------------------------------------------- */

START_TEST(nothing_helps_where_another_program_feeds_the_source)
{
    struct scene scene = {.stage        = {8 * MS, 1 * MS, 3 * MS, 1 * MS, 1 * MS},
                          .depth        = 3,
                          .tokens       = 32,
                          .workers      = 1,
                          .source_flags = TRM_END_SERIAL | TRM_END_PACED};

    promise_of_nothing(&scene, "the camera delivers ");
    scene.workers = 0;
    promise_of_nothing(&scene, "the camera delivers ");
}
END_TEST

START_TEST(nothing_helps_where_the_reader_is_slow)
{
    struct scene scene = {.stage      = {1 * MS, 1 * MS, 3 * MS, 1 * MS, 8 * MS},
                          .depth      = 3,
                          .tokens     = 32,
                          .workers    = 1,
                          .sink_flags = TRM_END_PACED};

    promise_of_nothing(&scene, "the reader of the display takes ");
}
END_TEST

START_TEST(nothing_helps_where_the_device_is_busy_all_the_time)
{
    struct scene scene = {
        .stage = {1 * MS, 2 * MS, 6 * MS, 2 * MS, 1 * MS}, .depth = 6, .tokens = 48, .workers = 1};

    promise_of_nothing(&scene, "compute is the bound");
}
END_TEST

int main(void)
{
    const struct promise_group groups[] = {
        {"settings",
         {more_slots_gain_what_is_promised, a_loader_beside_the_sink_gains_what_is_promised,
          more_workers_gain_what_is_promised, workers_of_an_uneven_source_gain_what_is_promised,
          threads_for_the_sink_gain_what_is_promised, slots_that_even_out_a_source_gain_what_is_promised,
          slots_are_advised_from_samples_too}},
        {"tokens",
         {more_and_smaller_tokens_gain_what_is_promised, larger_tokens_gain_what_is_promised,
          larger_tokens_gain_what_is_promised_where_copies_take_a_fixed_time,
          a_longer_run_gains_what_is_promised}},
        {"ends", {a_quicker_sink_gains_what_is_promised, a_quicker_load_gains_what_is_promised}},
        {"limits",
         {nothing_helps_where_another_program_feeds_the_source, nothing_helps_where_the_reader_is_slow,
          nothing_helps_where_the_device_is_busy_all_the_time}},
    };

    return promise_main("following advice", groups, sizeof(groups) / sizeof(groups[0]));
}
