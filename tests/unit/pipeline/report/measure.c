/* What a pipeline has measured: sums of tokens with known times.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "tests/unit/pipeline/report/fixture.h"
#include "tests/unit/runner.h"

static void check_sum(const struct trm_stage_report *stage, uint64_t begin, uint64_t end)
{
    ck_assert_uint_eq(stage->busy_ns + stage->starved_ns + stage->blocked_ns, end - begin);
}

static void check_stage(const struct trm_stage_report *stage, uint64_t busy, uint64_t starved,
                        uint64_t blocked)
{
    ck_assert_uint_eq(stage->busy_ns, busy);
    ck_assert_uint_eq(stage->starved_ns, starved);
    ck_assert_uint_eq(stage->blocked_ns, blocked);
}

START_TEST(nothing_measured_is_an_empty_report_without_a_critical_stage)
{
    struct pipeline_measure *measure = make_measure(3, 0);
    struct trm_report report         = measure_report(measure, 3);

    ck_assert_uint_eq(report.tokens, 0);
    ck_assert_uint_eq(report.measured, 0);
    ck_assert_uint_eq(report.elapsed_ns, 0);
    ck_assert_int_eq(report.critical, -1);
    ck_assert(report.efficiency == 0 && report.fill == 0);
    pipeline_measure_destroy(measure);
    pipeline_measure_destroy(NULL);
}
END_TEST

/* Two slots, compute is the longest:
 *     load      0   0-10          10-20                          100-110
 *     upload        10-30         30-50                          110-130
 *     compute            30-80               80-130                    130-180
 *     download               80-90                130-140                   180-190
 *     sink                     90-100                 140-155                    190-195
 */
START_TEST(idle_time_is_told_apart_exactly)
{
    struct pipeline_measure *measure = make_measure(2, 0);
    uint64_t times[3][TRM_STAGES][2] = {
        {{1, 10}, {10, 30}, {30, 80}, {80, 90}, {90, 100}},
        {{10, 20}, {30, 50}, {80, 130}, {130, 140}, {140, 155}},
        {{100, 110}, {110, 130}, {130, 180}, {180, 190}, {190, 195}},
    };
    struct trm_report report;

    for (uint32_t i = 0; i < 3; i++) {
        struct pipeline_token_times token = make_token(i, i % 2, times[i]);
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 2);
    ck_assert_uint_eq(report.tokens, 3);
    ck_assert_uint_eq(report.measured, 3);
    ck_assert_uint_eq(report.elapsed_ns, 194);
    /* Slot 0 was free at 100: until then load was blocked. */
    check_stage(&report.stages[TRM_STAGE_LOAD], 29, 0, 80);
    /* 50 to 110: nothing had been loaded. */
    check_stage(&report.stages[TRM_STAGE_UPLOAD], 60, 60, 0);
    check_stage(&report.stages[TRM_STAGE_COMPUTE], 150, 0, 0);
    check_stage(&report.stages[TRM_STAGE_DOWNLOAD], 30, 80, 0);
    check_stage(&report.stages[TRM_STAGE_SINK], 30, 75, 0);
    ck_assert_int_eq(report.critical, TRM_STAGE_COMPUTE);
    ck_assert_uint_eq(report.bound_ns, 150);
    ck_assert_uint_eq(report.sequential_ns, 3 * (9 + 20 + 50 + 10 + 10));
    ck_assert(report.efficiency == 150.0 / 194);
    ck_assert(report.fill == (99 + 145 + 95) / (194.0 * 2));
    ck_assert_uint_eq(report.stages[TRM_STAGE_SINK].mean_ns, 10);
    ck_assert_uint_eq(report.stages[TRM_STAGE_SINK].least_ns, 5);
    ck_assert_uint_eq(report.stages[TRM_STAGE_SINK].most_ns, 15);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(a_stage_whose_token_was_ready_is_blocked_and_not_starved)
{
    struct pipeline_measure *measure = make_measure(2, 0);
    /* The second token is uploaded by 30, but compute begins only at 45. */
    uint64_t times[2][TRM_STAGES][2] = {
        {{1, 5}, {5, 10}, {10, 20}, {20, 22}, {22, 23}},
        {{5, 20}, {20, 30}, {45, 60}, {60, 61}, {61, 62}},
    };
    struct trm_report report;

    for (uint32_t i = 0; i < 2; i++) {
        struct pipeline_token_times token = make_token(i, i, times[i]);
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 2);
    check_stage(&report.stages[TRM_STAGE_COMPUTE], 25, 10, 15);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(load_starves_when_a_slot_is_free_and_nothing_comes)
{
    struct pipeline_measure *measure = make_measure(1, 0);
    uint64_t times[2][TRM_STAGES][2] = {
        {{1, 5}, {0, 0}, {5, 10}, {0, 0}, {10, 12}},
        {{100, 105}, {0, 0}, {105, 110}, {0, 0}, {110, 112}},
    };
    struct trm_report report;

    for (uint32_t i = 0; i < 2; i++) {
        struct pipeline_token_times token = make_token(i, 0, times[i]);
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 1);
    check_stage(&report.stages[TRM_STAGE_LOAD], 9, 88, 7);
    ck_assert_uint_eq(report.stages[TRM_STAGE_UPLOAD].tokens, 0);
    check_stage(&report.stages[TRM_STAGE_UPLOAD], 0, 0, 0);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(busy_time_is_the_union_where_tokens_overlap_in_a_stage)
{
    struct pipeline_measure *measure = make_measure(3, 0);
    uint64_t times[3][TRM_STAGES][2] = {
        {{1, 40}, {40, 41}, {41, 42}, {42, 43}, {43, 44}},
        {{2, 50}, {50, 51}, {51, 52}, {52, 53}, {53, 54}},
        {{60, 70}, {70, 71}, {71, 72}, {72, 73}, {73, 74}},
    };
    struct trm_report report;

    for (uint32_t i = 0; i < 3; i++) {
        struct pipeline_token_times token = make_token(i, i, times[i]);
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 3);
    ck_assert_uint_eq(report.stages[TRM_STAGE_LOAD].busy_ns, 59);
    check_sum(&report.stages[TRM_STAGE_LOAD], 1, 70);
    ck_assert_uint_eq(report.stages[TRM_STAGE_LOAD].mean_ns, (39 + 48 + 10) / 3);
    /* With a known number of loaders, the least cost of load is its sum divided by them. */
    ck_assert_uint_eq(report.bound_ns, 59);
    pipeline_measure_threads(measure, 2, 0);
    report = measure_report(measure, 3);
    ck_assert_uint_eq(report.bound_ns, 32 * 3 / 2);
    ck_assert_uint_eq(report.workers, 2);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(what_overlaps_within_a_stage_is_not_counted_twice_one_after_the_other)
{
    struct pipeline_measure *measure = make_measure(2, 0);
    /* Two tokens share the processors of compute: each takes twice its time. */
    uint64_t times[2][TRM_STAGES][2] = {
        {{1, 11}, {0, 0}, {21, 121}, {0, 0}, {121, 131}},
        {{11, 21}, {0, 0}, {21, 121}, {0, 0}, {131, 141}},
    };
    struct trm_prediction_desc desc  = {.struct_size = sizeof(desc)};
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};
    struct trm_report report;

    for (uint32_t i = 0; i < 2; i++) {
        struct pipeline_token_times token = make_token(i, i, times[i]);
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 2);
    ck_assert_uint_eq(report.stages[TRM_STAGE_COMPUTE].mean_ns, 100);
    ck_assert_uint_eq(report.stages[TRM_STAGE_COMPUTE].busy_ns, 100);
    ck_assert_uint_eq(report.sequential_ns, 2 * 10 + 100 + 2 * 10);
    ck_assert_uint_eq(report.elapsed_ns, 140);
    /* So does a prediction. */
    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_OK);
    ck_assert_uint_eq(desc.stage_ns[TRM_STAGE_COMPUTE], 50);
    ck_assert_uint_eq(desc.lanes[TRM_STAGE_COMPUTE], 1);
    ck_assert_int_eq(trm_predict(&desc, &prediction), TRM_OK);
    ck_assert_uint_eq(prediction.sequential_ns, report.sequential_ns);
    pipeline_measure_destroy(measure);
}
END_TEST

/* Tokens come in the order of their ends; begins of a stage are out of order by less than the depth. */
START_TEST(the_order_in_which_tokens_come_does_not_matter_within_the_depth)
{
    uint64_t loads[8][2] = {{1, 10}, {11, 15}, {12, 40}, {20, 25}, {26, 60}, {45, 50}, {61, 62}, {70, 80}};
    static const uint32_t orders[][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                         {3, 2, 1, 0, 7, 6, 5, 4},
                                         {1, 0, 3, 2, 5, 4, 7, 6},
                                         {0, 3, 1, 2, 6, 5, 4, 7}};
    struct trm_report first, report;

    for (uint32_t k = 0; k < 4; k++) {
        struct pipeline_measure *measure = make_measure(4, 0);

        for (uint32_t i = 0; i < 8; i++) {
            uint64_t *load                    = loads[orders[k][i]];
            uint64_t times[TRM_STAGES][2]     = {{load[0], load[1]}, {0, 0}, {100, 101}, {0, 0}, {0, 0}};
            struct pipeline_token_times token = make_token(orders[k][i], 0, times);
            pipeline_measure_token(measure, &token);
        }
        report = measure_report(measure, 4);
        if (k == 0)
            first = report;
        ck_assert_uint_eq(report.stages[TRM_STAGE_LOAD].busy_ns, 9 + 4 + 25 + 20 + 1 + 10);
        check_sum(&report.stages[TRM_STAGE_LOAD], 1, 80);
        ck_assert_uint_eq(report.stages[TRM_STAGE_LOAD].mean_ns, first.stages[TRM_STAGE_LOAD].mean_ns);
        pipeline_measure_destroy(measure);
    }
}
END_TEST

START_TEST(a_report_in_the_middle_changes_nothing)
{
    struct ideal ideal           = {.depth = 3, .tokens = 100, .time = {10, 20, 30, 15, 5}};
    struct pipeline_measure *all = run_ideal(&ideal), *measure = make_measure(3, 0);
    struct trm_report expected = measure_report(all, 3), report;
    uint64_t ends[100][TRM_STAGES];

    for (uint64_t i = 0; i < 100; i++) {
        struct pipeline_token_times token = {.index = i, .slot = (uint32_t)(i % 3)};
        uint64_t at                       = i >= 3 ? ends[i - 3][4] : EPOCH;

        for (uint32_t s = 0; s < TRM_STAGES; s++) {
            if (i > 0 && ends[i - 1][s] > at)
                at = ends[i - 1][s];
            token.begin[s] = at;
            token.end[s] = ends[i][s] = at += ideal.time[s];
        }
        pipeline_measure_token(measure, &token);
        report = measure_report(measure, 3);
        ck_assert_uint_eq(report.tokens, i + 1);
    }
    ck_assert_mem_eq(report.stages, expected.stages, sizeof(report.stages));
    ck_assert_uint_eq(report.elapsed_ns, expected.elapsed_ns);
    pipeline_measure_destroy(measure);
    pipeline_measure_destroy(all);
}
END_TEST

START_TEST(tokens_are_counted_by_how_they_ended)
{
    struct pipeline_measure *measure  = make_measure(3, 0);
    uint64_t times[TRM_STAGES][2]     = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
    uint64_t only_load[TRM_STAGES][2] = {{6, 8}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    struct pipeline_token_times token = make_token(0, 0, times);
    struct trm_report report;

    token.bytes_up   = 100;
    token.bytes_down = 30;
    pipeline_measure_token(measure, &token);
    token.is_late = true;
    pipeline_measure_token(measure, &token);
    token        = make_token(2, 0, only_load);
    token.status = TRM_TOKEN_SKIP;
    pipeline_measure_token(measure, &token);
    token        = make_token(3, 0, only_load);
    token.status = TRM_ERROR_KERNEL;
    pipeline_measure_token(measure, &token);
    for (uint64_t i = 4; i < 7; i++) {
        token        = make_token(i, 0, only_load);
        token.status = TRM_ERROR_CANCELLED;
        pipeline_measure_token(measure, &token);
    }
    for (uint64_t i = 7; i < 12; i++) {
        token        = make_token(i, 0, only_load);
        token.status = i < 9 ? PIPELINE_TOKEN_EXPIRED : PIPELINE_TOKEN_DROPPED;
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 3);
    ck_assert_uint_eq(report.tokens, 2);
    ck_assert_uint_eq(report.late, 1);
    ck_assert_uint_eq(report.skipped, 1);
    ck_assert_uint_eq(report.failed, 1);
    ck_assert_uint_eq(report.cancelled, 3);
    ck_assert_uint_eq(report.dropped, 5);
    ck_assert_uint_eq(report.expired, 2);
    ck_assert_uint_eq(report.measured, 2);
    ck_assert_uint_eq(report.bytes_up, 200);
    ck_assert_uint_eq(report.bytes_down, 60);
    ck_assert_uint_eq(report.stages[TRM_STAGE_UPLOAD].bytes, 200);
    ck_assert_uint_eq(report.stages[TRM_STAGE_DOWNLOAD].bytes, 60);
    ck_assert_uint_eq(report.stages[TRM_STAGE_LOAD].tokens, 12);
    ck_assert_uint_eq(report.stages[TRM_STAGE_COMPUTE].tokens, 2);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(launches_are_told_apart_by_their_ends)
{
    struct ideal ideal               = {.depth = 3, .tokens = 50, .time = {10, 20, 40, 15, 5}};
    struct pipeline_measure *measure = run_ideal(&ideal);
    struct trm_report report         = measure_report(measure, 3);

    ck_assert_uint_eq(report.launch_count, 2);
    ck_assert_str_eq(report.launches[0].name, "blur");
    ck_assert_str_eq(report.launches[1].name, "sobel");
    ck_assert_uint_eq(report.launches[0].busy_ns, 50 * 10);
    ck_assert_uint_eq(report.launches[1].busy_ns, 50 * 30);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(what_was_sampled_stands_for_all)
{
    struct ideal ideal   = {.depth = 3, .tokens = 10000, .time = {1000, 2000, 4000, 1500, 500}};
    struct ideal sampled = ideal;
    sampled.sampled_of   = 8;
    struct pipeline_measure *measures[2] = {run_ideal(&ideal), run_ideal(&sampled)};
    struct trm_report all = measure_report(measures[0], 3), some = measure_report(measures[1], 3);

    ck_assert_uint_eq(some.measured, 1000);
    ck_assert_uint_eq(some.tokens, 10000);
    ck_assert_int_eq(some.critical, all.critical);
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        const struct trm_stage_report *a = &all.stages[i], *b = &some.stages[i];
        double whole = (double)(a->busy_ns + a->starved_ns + a->blocked_ns);

        ck_assert_uint_eq(a->tokens, b->tokens);
        ck_assert_uint_eq(a->mean_ns, b->mean_ns);
        ck_assert_double_eq_tol((double)b->busy_ns, (double)a->busy_ns, whole / 100);
        ck_assert_double_eq_tol((double)b->starved_ns, (double)a->starved_ns, whole / 100);
        ck_assert_double_eq_tol((double)b->blocked_ns, (double)a->blocked_ns, whole / 100);
    }
    ck_assert_double_eq_tol((double)some.bound_ns, (double)all.bound_ns, (double)all.bound_ns / 100);
    ck_assert_uint_eq(some.elapsed_ns, all.elapsed_ns);
    pipeline_measure_destroy(measures[0]);
    pipeline_measure_destroy(measures[1]);
}
END_TEST

START_TEST(a_slow_stretch_that_was_sampled_does_not_make_a_stage_longer_than_the_run)
{
    struct pipeline_measure *measure = make_measure(1, 0);
    struct trm_report report;
    uint64_t now = 1;

    for (uint64_t i = 0; i < 100; i++) {
        /* not sampled later, when it takes no time */
        uint64_t compute              = i < 10 ? 100 : 0;
        uint64_t times[TRM_STAGES][2] = {{now, now + 1},
                                         {0, 0},
                                         {now + 1, now + 1 + compute},
                                         {0, 0},
                                         {now + 1 + compute, now + 10 + compute}};
        if (compute == 0)
            times[TRM_STAGE_COMPUTE][0] = times[TRM_STAGE_COMPUTE][1] = 0;
        struct pipeline_token_times token = make_token(i, 0, times);
        pipeline_measure_token(measure, &token);
        now += 10 + compute;
    }
    report = measure_report(measure, 1);
    ck_assert_uint_eq(report.measured, 10);
    ck_assert_uint_eq(report.elapsed_ns, 2000);
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        ck_assert_uint_le(report.stages[i].busy_ns + report.stages[i].starved_ns +
                              report.stages[i].blocked_ns,
                          report.elapsed_ns);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(without_any_times_of_the_device_only_counts_are_told)
{
    struct pipeline_measure *measure = make_measure(3, 0);
    struct trm_report report;

    for (uint64_t i = 0; i < 10; i++) {
        uint64_t times[TRM_STAGES][2] = {
            {i * 10 + 1, i * 10 + 3}, {0, 0}, {0, 0}, {0, 0}, {i * 10 + 8, i * 10 + 9}};
        struct pipeline_token_times token = make_token(i, (uint32_t)(i % 3), times);
        pipeline_measure_token(measure, &token);
    }
    report = measure_report(measure, 3);
    ck_assert_uint_eq(report.tokens, 10);
    ck_assert_uint_eq(report.measured, 0);
    ck_assert_uint_eq(report.elapsed_ns, 98);
    ck_assert_int_eq(report.critical, -1);
    ck_assert_uint_eq(report.bound_ns, 0);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(the_measure_of_a_device_counts_its_tokens_and_its_busy_time)
{
    struct ideal ideal = {
        .depth = 3, .tokens = 60, .time = {10, 20, 40, 15, 5}, .failed = 7, .trace_tokens = 8};

    for (uint32_t sampled_of = 0; sampled_of <= 4; sampled_of += 4) {
        ideal.sampled_of                      = sampled_of;
        ideal.is_of_a_device                  = false;
        struct pipeline_measure *whole        = run_ideal(&ideal);
        ideal.is_of_a_device                  = true;
        struct pipeline_measure *device       = run_ideal(&ideal);
        struct trm_report all                 = measure_report(whole, 3);
        struct trm_report own                 = measure_report(device, 3);
        const struct pipeline_token_times *no = pipeline_measure_traced(device, 0);
        ck_assert_uint_eq(own.tokens, all.tokens);
        ck_assert_uint_eq(own.failed, 1);
        ck_assert_uint_eq(own.measured, all.measured);
        ck_assert_uint_eq(own.elapsed_ns, all.elapsed_ns);
        for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++)
            ck_assert_uint_eq(own.stages[i].busy_ns, all.stages[i].busy_ns);
        for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++)
            ck_assert_uint_eq(own.stages[i].tokens, all.stages[i].tokens);
        ck_assert_ptr_null(no);
        pipeline_measure_destroy(whole);
        pipeline_measure_destroy(device);
    }
}
END_TEST

START_TEST(an_end_before_its_begin_counts_as_no_time)
{
    struct pipeline_measure *measure  = make_measure(3, 4);
    uint64_t times[TRM_STAGES][2]     = {{1, 10}, {12, 11}, {12, 20}, {20, 21}, {21, 22}};
    struct pipeline_token_times token = make_token(0, 0, times);
    struct trm_report report;

    pipeline_measure_token(measure, &token);
    report = measure_report(measure, 3);
    check_stage(&report.stages[TRM_STAGE_UPLOAD], 0, 0, 0);
    ck_assert_uint_eq(report.stages[TRM_STAGE_UPLOAD].tokens, 1);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(a_reset_forgets_everything_but_the_names)
{
    struct ideal ideal = {
        .depth = 3, .tokens = 50, .time = {10, 20, 40, 15, 5}, .trace_tokens = 20, .workers = 2};
    struct pipeline_measure *measure = run_ideal(&ideal), *fresh = make_measure(3, 20);
    struct trm_report report, empty                              = measure_report(fresh, 3);

    ck_assert_ptr_nonnull(pipeline_measure_traced(measure, 0));
    pipeline_measure_reset(measure);
    report = measure_report(measure, 3);
    ck_assert_mem_eq(&report, &empty, sizeof(report));
    ck_assert_ptr_null(pipeline_measure_traced(measure, 0));
    pipeline_measure_destroy(measure);
    pipeline_measure_destroy(fresh);
}
END_TEST

START_TEST(the_last_tokens_are_kept_oldest_first_with_their_launches)
{
    struct ideal ideal = {.depth = 3, .tokens = 50, .time = {10, 20, 40, 15, 5}, .trace_tokens = 8};
    struct pipeline_measure *measure = run_ideal(&ideal), *copy;

    ck_assert_int_eq(pipeline_measure_create_like(measure, &copy), TRM_OK);
    pipeline_measure_copy(copy, measure);
    pipeline_measure_destroy(measure);
    for (uint32_t i = 0; i < 8; i++) {
        const struct pipeline_token_times *token = pipeline_measure_traced(copy, i);

        ck_assert_ptr_nonnull(token);
        ck_assert_uint_eq(token->index, 42 + i);
        ck_assert_uint_eq(token->launch_count, 2);
        ck_assert_uint_eq(token->launch_end[0], token->begin[TRM_STAGE_COMPUTE] + 10);
        ck_assert_uint_eq(token->launch_end[1], token->end[TRM_STAGE_COMPUTE]);
    }
    ck_assert_ptr_null(pipeline_measure_traced(copy, 8));
    ck_assert_str_eq(pipeline_measure_launch_name(copy, 1), "sobel");
    ck_assert_ptr_null(pipeline_measure_launch_name(copy, 2));
    pipeline_measure_destroy(copy);
}
END_TEST

START_TEST(fewer_tokens_than_are_kept_are_all_there)
{
    struct ideal ideal = {.depth = 3, .tokens = 5, .time = {10, 20, 40, 15, 5}, .trace_tokens = 8};
    struct pipeline_measure *measure = run_ideal(&ideal);

    for (uint32_t i = 0; i < 5; i++)
        ck_assert_uint_eq(pipeline_measure_traced(measure, i)->index, i);
    ck_assert_ptr_null(pipeline_measure_traced(measure, 5));
    pipeline_measure_destroy(measure);
}
END_TEST

/* The prediction from a measure equals the measure. */
START_TEST(the_prediction_of_what_was_measured_is_what_was_measured)
{
    static const struct ideal ideals[] = {
        {.depth = 1, .tokens = 500, .time = {1000, 2000, 4000, 1500, 500}},
        {.depth = 2, .tokens = 500, .time = {1000, 2000, 4000, 1500, 500}},
        {.depth = 3, .tokens = 500, .time = {1000, 2000, 4000, 1500, 500}},
        {.depth = 3, .tokens = 500, .time = {0, 3000, 3000, 3000, 0}},
        {.depth = 6, .tokens = 500, .time = {9000, 2000, 4000, 1500, 500}, .workers = 3},
    };

    for (size_t i = 0; i < sizeof(ideals) / sizeof(ideals[0]); i++) {
        struct trm_report report = ideal_report(&ideals[i]);
        ck_assert_uint_eq(report.predicted_ns, report.elapsed_ns);
    }
}
END_TEST

START_TEST(a_report_can_be_asked_for_other_depths_and_links)
{
    struct ideal ideal = {.depth = 1, .tokens = 100, .time = {0, 2000, 4000, 1000, 0}, .bytes_up = 1 << 20};
    struct trm_report report         = ideal_report(&ideal);
    struct trm_prediction_desc desc  = {.struct_size = sizeof(desc)};
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_OK);
    ck_assert_uint_eq(desc.depth, 1);
    ck_assert_uint_eq(desc.tokens, 100);
    ck_assert_uint_eq(desc.stage_ns[TRM_STAGE_COMPUTE], 4000);
    desc.depth = 3;
    ck_assert_int_eq(trm_predict(&desc, &prediction), TRM_OK);
    ck_assert_uint_eq(prediction.elapsed_ns, 7000 + 99 * 4000);
    desc.up_speed = (1 << 20) / 8e-6;
    ck_assert_int_eq(trm_predict(&desc, &prediction), TRM_OK);
    ck_assert_uint_eq(prediction.elapsed_ns, 13000 + 99 * 8000);

    report.measured = 0;
    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_report_prediction(NULL, &desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_report_prediction(&report, NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* A faster sink would be held back by the source, and not by the copies of what was read ahead. */
START_TEST(a_prediction_counts_the_time_of_a_source_that_reads_ahead)
{
    struct ideal ideal       = {.depth = 4, .tokens = 100, .time = {10, 0, 1000, 0, 4000}, .workers = 2};
    struct trm_report report = ideal_report(&ideal);
    struct trm_prediction_desc desc  = {.struct_size = sizeof(desc)};
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    report.ahead     = 8;
    report.source_ns = 7000;
    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_OK);
    ck_assert_uint_eq(desc.stage_ns[TRM_STAGE_LOAD], 7000);
    desc.stage_ns[TRM_STAGE_SINK] = 1000;
    ck_assert_int_eq(trm_predict(&desc, &prediction), TRM_OK);
    ck_assert_uint_ge(prediction.elapsed_ns, 100 * 3500);
    report.source_ns = 5;
    ck_assert_int_eq(trm_report_prediction(&report, &desc), TRM_OK);
    ck_assert_uint_eq(desc.stage_ns[TRM_STAGE_LOAD], 10);
}
END_TEST

START_TEST(stages_have_names)
{
    ck_assert_str_eq(trm_stage_name(TRM_STAGE_LOAD), "load");
    ck_assert_str_eq(trm_stage_name(TRM_STAGE_UPLOAD), "upload");
    ck_assert_str_eq(trm_stage_name(TRM_STAGE_COMPUTE), "compute");
    ck_assert_str_eq(trm_stage_name(TRM_STAGE_DOWNLOAD), "download");
    ck_assert_str_eq(trm_stage_name(TRM_STAGE_SINK), "sink");
    ck_assert_str_eq(trm_stage_name(TRM_STAGES), "unknown");
    ck_assert_str_eq(trm_stage_name(-1), "unknown");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("measure");
    TCase *tests = tcase_create("measure");

    tcase_add_checked_fixture(tests, fixture_begin, fixture_end);
    tcase_add_test(tests, nothing_measured_is_an_empty_report_without_a_critical_stage);
    tcase_add_test(tests, idle_time_is_told_apart_exactly);
    tcase_add_test(tests, a_stage_whose_token_was_ready_is_blocked_and_not_starved);
    tcase_add_test(tests, load_starves_when_a_slot_is_free_and_nothing_comes);
    tcase_add_test(tests, busy_time_is_the_union_where_tokens_overlap_in_a_stage);
    tcase_add_test(tests, what_overlaps_within_a_stage_is_not_counted_twice_one_after_the_other);
    tcase_add_test(tests, the_order_in_which_tokens_come_does_not_matter_within_the_depth);
    tcase_add_test(tests, a_report_in_the_middle_changes_nothing);
    tcase_add_test(tests, tokens_are_counted_by_how_they_ended);
    tcase_add_test(tests, launches_are_told_apart_by_their_ends);
    tcase_add_test(tests, what_was_sampled_stands_for_all);
    tcase_add_test(tests, a_slow_stretch_that_was_sampled_does_not_make_a_stage_longer_than_the_run);
    tcase_add_test(tests, without_any_times_of_the_device_only_counts_are_told);
    tcase_add_test(tests, the_measure_of_a_device_counts_its_tokens_and_its_busy_time);
    tcase_add_test(tests, an_end_before_its_begin_counts_as_no_time);
    tcase_add_test(tests, a_reset_forgets_everything_but_the_names);
    tcase_add_test(tests, the_last_tokens_are_kept_oldest_first_with_their_launches);
    tcase_add_test(tests, fewer_tokens_than_are_kept_are_all_there);
    tcase_add_test(tests, the_prediction_of_what_was_measured_is_what_was_measured);
    tcase_add_test(tests, a_report_can_be_asked_for_other_depths_and_links);
    tcase_add_test(tests, a_prediction_counts_the_time_of_a_source_that_reads_ahead);
    tcase_add_test(tests, stages_have_names);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
