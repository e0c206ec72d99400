/* How well stages overlap on a device whose stages take known times: the measured time equals the prediction,
 * the critical stage is found, and the report says which stage waited for which. A busy machine makes a run
 * longer and never shorter, so each test may repeat, and the best try counts.
 * SPDX-License-Identifier: MIT
 */
#include "scene.h"

#include <inttypes.h>
#include <math.h>

#define TRIES 5 /* for each of the scales */

/* What the last run had for a millisecond. */
static uint64_t unit = MS;

struct outcome {
    struct trm_report report;
    struct trm_prediction predicted; /* from the known times */
    uint64_t wall_ns;                /* around the call */
};

/* ---- one run -------------------------------------------------------------------------------- */

/* Sources and sinks that take their time, counted from the end of the last call where that is late, so that
 * delays do not add up. */
struct clock {
    uint64_t each, end;
    uint64_t tokens;
};

static void pass_time(struct clock *clock, uint64_t begin)
{
    /* A call that began because a thread woke late does not count as the source's delay. */
    uint64_t from = clock->end != 0 && begin - clock->end < MS / 2 ? clock->end : begin;

    clock->end = from + clock->each;
    if (clock->each != 0 && now_ns() < clock->end)
        sleep_ns(clock->end - now_ns());
}

static int32_t source(void *user, struct trm_token *token)
{
    struct clock *clock = user;

    if (token->index >= clock->tokens)
        return TRM_TOKEN_END;
    pass_time(clock, now_ns());
    return TRM_OK;
}

static int32_t sink(void *user, const struct trm_token *token)
{
    (void)token;
    pass_time(user, now_ns());
    return TRM_OK;
}

static void predict(const struct scene *times, struct trm_prediction *prediction)
{
    struct trm_prediction_desc desc = {.struct_size = sizeof(desc),
                                       .depth       = times->depth,
                                       .tokens      = times->tokens,
                                       .one_thread  = times->workers == 0};

    memcpy(desc.stage_ns, times->stage, sizeof(desc.stage_ns));
    desc.lanes[TRM_STAGE_LOAD] = times->workers;
    prediction->struct_size    = sizeof(*prediction);
    ck_ok(trm_predict(&desc, prediction));
}

static void run_once(const struct scene *times, struct outcome *outcome)
{
    struct clock load             = {.each = times->stage[TRM_STAGE_LOAD], .tokens = times->tokens};
    struct clock out              = {.each = times->stage[TRM_STAGE_SINK]};
    struct trm_source from        = trm_source_function(source, &load);
    struct trm_sink to            = trm_sink_function(sink, &out);
    struct trm_pipeline *pipeline = scene_pipeline(times);

    from.workers     = times->workers;
    outcome->wall_ns = now_ns();
    ck_ok(trm_pipeline_run(pipeline, &from, &to));
    outcome->wall_ns = now_ns() - outcome->wall_ns;
    scene_end(pipeline, &outcome->report);
    ck_assert_uint_eq(outcome->report.tokens, times->tokens);
    predict(times, &outcome->predicted);
}

static double apart(uint64_t one, uint64_t other)
{
    return fabs((double)one / (double)other - 1);
}

/* Repeats until `good`, a few times at most; keeps the try with the least `badness`. */
static double run_scaled(const struct scene *times, double (*badness)(const struct outcome *outcome),
                         double most, struct outcome *best)
{
    double least = INFINITY;

    scene_open(times);
    for (int i = 0; i < TRIES && least > most; i++) {
        struct outcome outcome;
        run_once(times, &outcome);
        if (badness(&outcome) < least) {
            least = badness(&outcome);
            *best = outcome;
        }
    }
    fixture_close();
    return least;
}

static void run_well(const struct scene *times, double (*badness)(const struct outcome *outcome), double most,
                     struct outcome *best)
{
    double least = INFINITY;

    for (size_t i = 0; i < SCENE_SCALES && least > most; i++) {
        struct scene scaled = scene_scaled(times, scene_scales[i]);
        unit                = scene_scales[i] * MS;
        least               = run_scaled(&scaled, badness, most, best);
    }
    ck_assert_msg(least <= most,
                  "depth %u, %s: off by %.1f %% at best: %.2f ms, predicted %.2f from what was measured and "
                  "%.2f from what is known",
                  times->depth, trm_strategy_name(times->strategy), 100 * least,
                  (double)best->report.elapsed_ns / 1e6, (double)best->report.predicted_ns / 1e6,
                  (double)best->predicted.elapsed_ns / 1e6);
}

static double off_known(const struct outcome *outcome)
{
    return apart(outcome->report.elapsed_ns, outcome->predicted.elapsed_ns);
}

static double off_report(const struct outcome *outcome)
{
    return apart(outcome->report.elapsed_ns, outcome->report.predicted_ns);
}

static double off_either(const struct outcome *outcome)
{
    return fmax(off_known(outcome), off_report(outcome));
}

/* Sources and sinks sleep a little too long, which is measured, so known times are approximate. */
static double off_sleepy(const struct outcome *outcome)
{
    return fmax(off_known(outcome) / 4, off_report(outcome));
}

/* ---- prediction ----------------------------------------------------------------------------- */

/* Which stage is the slowest, and the times of the others. */
static struct scene with_critical(int critical, uint32_t depth)
{
    struct scene times = {.depth = depth, .strategy = TRM_STRATEGY_ROLE_STREAMS, .tokens = 16};

    times.stage[TRM_STAGE_UPLOAD]   = 4 * MS;
    times.stage[TRM_STAGE_COMPUTE]  = 5 * MS;
    times.stage[TRM_STAGE_DOWNLOAD] = 3 * MS;
    times.stage[critical]           = 9 * MS;
    return times;
}

START_TEST(at_depth_1_a_run_takes_the_sum_of_all_stages)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 1);
    struct outcome outcome;

    run_well(&times, off_either, 0.02, &outcome);
    ck_assert_double_le(apart(outcome.predicted.elapsed_ns, 16 * (4 + 9 + 3) * unit), 1e-6);
    ck_assert_double_le(apart(outcome.report.sequential_ns, outcome.report.elapsed_ns), 0.03);
}
END_TEST

START_TEST(at_depth_3_and_more_a_run_takes_the_slowest_stage_alone)
{
    struct scene times = with_critical(_i, 3);
    struct outcome outcome;

    run_well(&times, off_either, 0.02, &outcome);
    ck_assert_int_eq(outcome.report.critical, _i);
    ck_assert_int_eq(outcome.predicted.critical, _i);
    ck_assert_double_le(apart(outcome.report.bound_ns, 16 * 9 * unit), 0.02);
    ck_assert_double_ge(outcome.report.efficiency, 0.9);
    ck_assert_double_le(outcome.report.efficiency, 1.0001);
    times = with_critical(_i, 5);
    run_well(&times, off_either, 0.02, &outcome);
}
END_TEST

START_TEST(at_depth_2_a_run_is_in_between)
{
    struct scene times[3];
    double elapsed[3]; /* in units */
    struct outcome outcome;

    for (uint32_t i = 0; i < 3; i++) {
        times[i] = (struct scene){.depth = 1 + i, .strategy = TRM_STRATEGY_ROLE_STREAMS, .tokens = 16};
        times[i].stage[TRM_STAGE_UPLOAD]   = 5 * MS;
        times[i].stage[TRM_STAGE_COMPUTE]  = 6 * MS;
        times[i].stage[TRM_STAGE_DOWNLOAD] = 5 * MS;
        run_well(&times[i], off_either, 0.02, &outcome);
        elapsed[i] = (double)outcome.report.elapsed_ns / (double)unit;
    }
    ck_assert_double_lt(elapsed[1], elapsed[0] * 0.6);
    ck_assert_double_lt(elapsed[2], elapsed[1] * 0.9);
}
END_TEST

START_TEST(loading_and_sinking_count_as_well)
{
    struct scene times = {.depth = 3, .strategy = TRM_STRATEGY_ROLE_STREAMS, .tokens = 16};
    struct outcome outcome;

    times.stage[TRM_STAGE_LOAD]    = 4 * MS;
    times.stage[TRM_STAGE_UPLOAD]  = 3 * MS;
    times.stage[TRM_STAGE_COMPUTE] = 5 * MS;
    times.stage[TRM_STAGE_SINK]    = 3 * MS;
    run_well(&times, off_sleepy, 0.02, &outcome); /* one thread loads and sinks */
    times.workers = 1;
    times.depth   = 5;
    run_well(&times, off_sleepy, 0.02, &outcome); /* another one loads */
    ck_assert_int_eq(outcome.report.critical, TRM_STAGE_COMPUTE);
}
END_TEST

START_TEST(every_stage_is_found_when_it_is_the_slowest)
{
    struct scene times = {.depth = 6, .strategy = TRM_STRATEGY_ROLE_STREAMS, .tokens = 16, .workers = 1};
    struct outcome outcome;

    for (int i = 0; i < TRM_STAGES; i++)
        times.stage[i] = 3 * MS;
    times.stage[_i] = 8 * MS;
    run_well(&times, off_known, 0.05, &outcome);
    ck_assert_msg(outcome.report.critical == _i, "%s is the slowest, not %s", trm_stage_name(_i),
                  trm_stage_name(outcome.report.critical));
    ck_assert_double_ge(outcome.report.efficiency, 0.8);
    ck_assert_str_ne(outcome.report.advice, "");
    ck_assert_msg(strstr(outcome.report.advice, trm_stage_name(_i)) != NULL,
                  "the advice does not name %s: %s", trm_stage_name(_i), outcome.report.advice);
}
END_TEST

START_TEST(every_strategy_overlaps)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 3);
    struct outcome outcome;

    times.strategy = strategies[_i];
    run_well(&times, off_known, 0.05, &outcome);
    ck_assert_int_ne(outcome.report.strategy, TRM_STRATEGY_AUTO);
    if (times.strategy != TRM_STRATEGY_AUTO)
        ck_assert_int_eq(outcome.report.strategy, times.strategy);
    ck_assert_str_ne(outcome.report.reason, "");
    ck_assert_uint_eq(outcome.report.host_waits, 0);
}
END_TEST

/* ---- measured values ------------------------------------------------------------------------ */

/* A delayed token shows in its stage before it shows in the whole. */
static double off_stages(const struct outcome *outcome)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 3);
    double most        = 0;

    for (int i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        const struct trm_stage_report *stage = &outcome->report.stages[i];
        most                                 = fmax(most, apart(stage->least_ns, times.stage[i] / MS * unit));
        most                                 = fmax(most, apart(stage->most_ns, times.stage[i] / MS * unit));
    }
    return fmax(fmax(off_either(outcome), 4 * most), apart(outcome->report.elapsed_ns, outcome->wall_ns));
}

START_TEST(the_report_has_the_times_of_the_stages)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 3);
    struct outcome outcome;

    run_well(&times, off_stages, 0.02, &outcome);
    for (int i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        const struct trm_stage_report *stage = &outcome.report.stages[i];
        ck_assert_uint_eq(stage->tokens, 16);
        ck_assert_double_le(apart(stage->mean_ns, times.stage[i] / MS * unit), 0.005);
        ck_assert_double_le(apart(stage->least_ns, times.stage[i] / MS * unit), 0.005);
        ck_assert_double_le(apart(stage->most_ns, times.stage[i] / MS * unit), 0.005);
        ck_assert_double_le(apart(stage->busy_ns, 16 * times.stage[i] / MS * unit), 0.005);
    }
    ck_assert_uint_eq(outcome.report.measured, 16);
    ck_assert_uint_eq(outcome.report.bytes_up, 16 * 1024);
    ck_assert_uint_eq(outcome.report.bytes_down, 16 * 1024);
    ck_assert_uint_eq(outcome.report.stages[TRM_STAGE_UPLOAD].bytes, 16 * 1024);
    ck_assert_uint_eq(outcome.report.launch_count, 1);
    ck_assert_double_le(apart(outcome.report.launches[0].busy_ns, 16 * 9 * unit), 0.005);
    ck_assert_double_le(apart(outcome.report.elapsed_ns, outcome.wall_ns), 0.02);
    ck_assert_double_gt(outcome.report.fill, 0.5);
    ck_assert_double_le(outcome.report.fill, 1.0001);
}
END_TEST

static uint64_t idle(const struct trm_stage_report *stage)
{
    return stage->starved_ns + stage->blocked_ns;
}

/* Threads that wake late show as waiting of stages before they show in the whole. */
#define NOT_YET 1e3

/* Of the scenes below: computing or uploading is the slowest. */
static double off_second(const struct outcome *outcome)
{
    const struct trm_stage_report *stages = outcome->report.stages;
    const struct trm_stage_report *upload = &stages[TRM_STAGE_UPLOAD], *compute = &stages[TRM_STAGE_COMPUTE],
                                  *download = &stages[TRM_STAGE_DOWNLOAD], *load = &stages[TRM_STAGE_LOAD];
    bool is_right = idle(compute) < compute->busy_ns / 50 && download->starved_ns > 15 * 6 * unit &&
                    download->blocked_ns < download->starved_ns / 10 && idle(upload) > 12 * 6 * unit &&
                    load->blocked_ns > 12 * 6 * unit && load->starved_ns < 5 * unit;
    return is_right ? off_either(outcome) : NOT_YET;
}

static double off_first(const struct outcome *outcome)
{
    const struct trm_stage_report *compute  = &outcome->report.stages[TRM_STAGE_COMPUTE];
    const struct trm_stage_report *download = &outcome->report.stages[TRM_STAGE_DOWNLOAD];
    bool is_right = compute->starved_ns > 15 * 6 * unit && compute->blocked_ns < 5 * unit &&
                    download->starved_ns > 15 * 6 * unit && download->blocked_ns < 5 * unit;
    return is_right ? off_either(outcome) : NOT_YET;
}

START_TEST(stages_behind_the_slowest_starve_and_those_before_it_are_blocked)
{
    struct scene times = {.depth = 3, .strategy = TRM_STRATEGY_ROLE_STREAMS, .tokens = 20};
    struct outcome outcome;

    times.stage[TRM_STAGE_UPLOAD]   = 2 * MS;
    times.stage[TRM_STAGE_COMPUTE]  = 8 * MS;
    times.stage[TRM_STAGE_DOWNLOAD] = 2 * MS;
    run_well(&times, off_second, 0.02, &outcome);

    /* The slowest stage is the first one: all later stages starve, and none is blocked. */
    times.stage[TRM_STAGE_UPLOAD]  = 8 * MS;
    times.stage[TRM_STAGE_COMPUTE] = 2 * MS;
    run_well(&times, off_first, 0.02, &outcome);
}
END_TEST

/* Each stage waits while the others work on the one token. */
static double off_alone(const struct outcome *outcome)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 1);
    double most        = 0;

    for (int i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        uint64_t gap = (4 + 9 + 3) * unit - times.stage[i] / MS * unit;
        most         = fmax(most, apart(idle(&outcome->report.stages[i]), 15 * gap));
    }
    return fmax(off_either(outcome), most / 2.5);
}

START_TEST(at_depth_1_every_stage_waits_for_the_others)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 1);
    struct outcome outcome;

    run_well(&times, off_alone, 0.02, &outcome);
}
END_TEST

/* ---- tuning --------------------------------------------------------------------------------- */

/* The depth that a run ends with; again, with longer times, where that is not within these bounds. */
static uint32_t depth_of(const struct scene *times, uint32_t least, uint32_t most)
{
    struct outcome outcome = {.wall_ns = 0};

    for (size_t i = 0; i < SCENE_SCALES; i++) {
        struct scene scaled = scene_scaled(times, scene_scales[i]);
        scene_open(&scaled);
        run_once(&scaled, &outcome);
        fixture_close();
        if (outcome.report.depth >= least && outcome.report.depth <= most)
            break;
    }
    return outcome.report.depth;
}

/* Five stages of equal length want five slots. The strategy is chosen first, which takes many of the
 * tokens. */
static uint32_t tuned_depth(uint64_t memory_budget, uint32_t least, uint32_t most)
{
    struct scene times = {.depth         = 0,
                          .strategy      = TRM_STRATEGY_AUTO,
                          .tokens        = 270,
                          .workers       = 1,
                          .memory_budget = memory_budget};

    for (int i = 0; i < TRM_STAGES; i++)
        times.stage[i] = 3 * MS;
    return depth_of(&times, least, most);
}

START_TEST(depth_0_grows_while_the_critical_stage_starves)
{
    uint32_t depth = tuned_depth(0, 5, 12);

    ck_assert_uint_ge(depth, 5); /* it began with four */
    ck_assert_uint_le(depth, 12);
}
END_TEST

START_TEST(depth_0_stays_within_its_budget)
{
    uint32_t depth = tuned_depth(4 * 2048, 3, 4);

    ck_assert_uint_ge(depth, 3);
    ck_assert_uint_le(depth, 4);
}
END_TEST

/* It begins with four small slots, and tries one more. */
START_TEST(depth_0_tries_one_slot_more_where_no_stage_starves)
{
    struct scene times = with_critical(TRM_STAGE_COMPUTE, 0);

    times.tokens                    = 60;
    times.stage[TRM_STAGE_UPLOAD]   = 1 * MS;
    times.stage[TRM_STAGE_DOWNLOAD] = 1 * MS;
    times.stage[TRM_STAGE_COMPUTE]  = 4 * MS;
    ck_assert_uint_le(depth_of(&times, 1, 5), 5);
}
END_TEST

int main(void)
{
    Suite *suite;
    TCase *prediction, *measured;
    SRunner *runner;
    int failed;

    if (!backend_there(ON_TIMED) || scaled(0, 1))
        /* a sanitizer takes time of its own, and a quick check may run other tests beside */
        return 77;
    suite      = suite_create("how well pipelines overlap");
    prediction = tcase_create("prediction");
    measured   = tcase_create("what was measured");
    tcase_set_timeout(prediction, 300);
    tcase_add_test(prediction, at_depth_1_a_run_takes_the_sum_of_all_stages);
    tcase_add_loop_test(prediction, at_depth_3_and_more_a_run_takes_the_slowest_stage_alone, TRM_STAGE_UPLOAD,
                        TRM_STAGE_DOWNLOAD + 1);
    tcase_add_test(prediction, at_depth_2_a_run_is_in_between);
    tcase_add_test(prediction, loading_and_sinking_count_as_well);
    tcase_add_loop_test(prediction, every_stage_is_found_when_it_is_the_slowest, 0, TRM_STAGES);
    tcase_add_loop_test(prediction, every_strategy_overlaps, 0, 4);
    suite_add_tcase(suite, prediction);

    tcase_set_timeout(measured, 300);
    tcase_add_test(measured, the_report_has_the_times_of_the_stages);
    tcase_add_test(measured, stages_behind_the_slowest_starve_and_those_before_it_are_blocked);
    tcase_add_test(measured, at_depth_1_every_stage_waits_for_the_others);
    tcase_add_test(measured, depth_0_grows_while_the_critical_stage_starves);
    tcase_add_test(measured, depth_0_stays_within_its_budget);
    tcase_add_test(measured, depth_0_tries_one_slot_more_where_no_stage_starves);
    suite_add_tcase(suite, measured);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
