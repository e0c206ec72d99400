/* Pipelines: functions as sources and sinks, workers that load, and refused sources and sinks.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <stdatomic.h>

/* ---- functions and workers ------------------------------------------------------------------ */

START_TEST(workers_fill_tokens_and_results_stay_in_order)
{
    static const uint32_t workers[] = {0, 1, 4, 16};
    if (kernels_missing())
        return;
    for (size_t w = 0; w < sizeof(workers) / sizeof(workers[0]); w++) {
        for (uint32_t depth = 1; depth <= 5; depth += 2) {
            struct rig rig;
            rig_make(&rig, plan_named("variable sizes"), depth, TRM_STRATEGY_AUTO);
            ck_ok(rig_open(&rig));
            rig_run(&rig, scaled(100, 30), workers[w]);
            ck_assert_uint_eq(rig.loaded, rig.count);
            rig_again(&rig);
            rig_run(&rig, 7, workers[w]);
            ck_slots_free(rig.pipeline);
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

/* The first worker sleeps over its token; the others go on. */
static int32_t slow_first(void *user, struct trm_token *token)
{
    if (token->index == 0)
        sleep_ms(20);
    return rig_source(user, token);
}

START_TEST(a_slow_worker_does_not_change_the_order)
{
    struct trm_source source;
    struct trm_sink sink;
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 4, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    source         = trm_source_function(slow_first, &rig);
    sink           = trm_sink_function(rig_sink, &rig);
    source.workers = 4;
    rig.count      = 20;
    ck_ok(trm_pipeline_run(rig.pipeline, &source, &sink));
    rig_check(&rig);
    rig_close(&rig);
}
END_TEST

struct meeting {
    atomic_uint inside, most;
    unsigned wanted; /* waits for so many */
    uint64_t last;
};

static int32_t meet(void *user, struct trm_token *token)
{
    struct meeting *meeting = user;
    unsigned inside = atomic_fetch_add(&meeting->inside, 1) + 1, most = atomic_load(&meeting->most);
    while (inside > most && !atomic_compare_exchange_weak(&meeting->most, &most, inside))
        continue;
    sleep_ms(5);
    for (uint64_t end = now_ns() + LONG_NS; atomic_load(&meeting->most) < meeting->wanted && now_ns() < end;)
        sleep_ms(1);
    atomic_fetch_sub(&meeting->inside, 1);
    return token->index < meeting->last ? TRM_OK : TRM_TOKEN_END;
}

static unsigned most_inside(uint32_t workers)
{
    struct trm_port port          = trm_port_input("in", 4);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 8};
    struct meeting meeting   = {.wanted = workers > 1 ? 2 : 1, .last = 24};
    struct trm_source source = trm_source_function(meet, &meeting);
    struct trm_pipeline *pipeline;
    source.workers = workers;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_slots_free(pipeline);
    trm_pipeline_destroy(pipeline);
    return atomic_load(&meeting.most);
}

START_TEST(workers_load_at_the_same_time_and_one_alone_does_not)
{
    ck_assert_uint_eq(most_inside(0), 1);
    ck_assert_uint_eq(most_inside(1), 1);
    ck_assert_uint_gt(most_inside(3), 1);
    ck_assert_uint_le(most_inside(3), 3);
}
END_TEST

static int32_t skip_thirds(void *user, struct trm_token *token)
{
    struct rig *rig = user;
    if (token->index >= rig->count)
        return TRM_TOKEN_END;
    rig_fill(rig, token);
    return token->index % 3 == 0 ? TRM_TOKEN_SKIP : TRM_OK;
}

/* Takes the remaining tokens. */
static int32_t take_rest(void *user, const struct trm_token *token)
{
    struct rig *rig = user;
    if (token->index % 3 == 0)
        rig->wrong = "a token that was thrown away came out";
    rig->loose = true;
    rig_take(rig, token);
    return TRM_OK;
}

START_TEST(tokens_that_the_source_throws_away_reach_no_sink)
{
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 3; workers += 3) {
        for (uint32_t depth = 1; depth <= 4; depth++) {
            struct trm_report report = {.struct_size = sizeof(report)};
            struct trm_source source;
            struct trm_sink sink;
            struct rig rig;
            rig_make(&rig, plan_named("one kernel"), depth, TRM_STRATEGY_AUTO);
            ck_ok(rig_open(&rig));
            source         = trm_source_function(skip_thirds, &rig);
            source.workers = workers;
            sink           = trm_sink_function(take_rest, &rig);
            rig.count      = 30;
            ck_ok(trm_pipeline_run(rig.pipeline, &source, &sink));
            ck_assert_ptr_null(rig.wrong);
            ck_assert_uint_eq(rig.delivered, 20);
            ck_ok(trm_pipeline_report(rig.pipeline, &report));
            ck_assert_uint_eq(report.tokens, 20);
            ck_assert_uint_eq(report.skipped, 10);
            ck_assert_uint_eq(report.failed, 0);
            ck_slots_free(rig.pipeline);
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

START_TEST(a_source_may_end_at_once)
{
    struct rig rig;
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 4; workers += 2) {
        rig_make(&rig, plan_named("one kernel"), 3, TRM_STRATEGY_AUTO);
        ck_ok(rig_open(&rig));
        rig_run(&rig, 0, workers);
        ck_slots_free(rig.pipeline);
        rig_run(&rig, 5, workers);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

/* ---- without order -------------------------------------------------------------------------- */

START_TEST(without_order_every_token_comes_once)
{
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        for (uint32_t depth = 1; depth <= 5; depth += 2) {
            struct rig rig;
            rig_make(&rig, plan_named("variable sizes"), depth, all_strategies[i]);
            rig.desc.flags |= TRM_PIPELINE_UNORDERED;
            rig.loose = true;
            if (rig_open(&rig) == TRM_OK) {
                rig_run(&rig, scaled(100, 30), depth - 1);
                ck_slots_free(rig.pipeline);
            }
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

START_TEST(sources_and_sinks_that_cannot_be_are_refused)
{
    struct trm_port ports[] = {trm_port_input("a", 100), trm_port_input("b", 100), trm_port_output("c", 100),
                               trm_port_output("d", 100)};
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 4, .depth = 2};
    struct trm_source source = trm_source_memory("bytes", 5);
    struct trm_sink sink;
    struct trm_pipeline *pipeline;
    struct meeting meeting = {.last = 1};
    char memory[100];
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT); /* two inputs */
    source = trm_source_file("/dev/null");
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_count(5);
    /* no source for them */
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_pipeline_run(pipeline, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_function(meet, &meeting);
    sink   = trm_sink_memory(memory, sizeof(memory));
    ck_status(trm_pipeline_run(pipeline, &source, &sink), TRM_ERROR_INVALID_ARGUMENT); /* two outputs */
    sink = trm_sink_file("/dev/null");
    ck_status(trm_pipeline_run(pipeline, &source, &sink), TRM_ERROR_INVALID_ARGUMENT);
    source.memory = memory; /* two at once */
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source             = trm_source_function(meet, &meeting);
    source.struct_size = 4;
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_function(meet, &meeting);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_slots_free(pipeline);
    trm_pipeline_destroy(pipeline);
}
END_TEST

START_TEST(a_pipeline_without_inputs_needs_a_count)
{
    struct trm_port port          = trm_port_scratch("scratch", 100);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 2};
    struct trm_source source = trm_source_count(0);
    struct trm_pipeline *pipeline;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_count(7);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    trm_pipeline_destroy(pipeline);
}
END_TEST

void add_pipeline_functions(Suite *suite)
{
    TCase *functions = group_make(suite, "pipelines: functions and workers");
    CASE(functions, workers_fill_tokens_and_results_stay_in_order);
    CASE(functions, a_slow_worker_does_not_change_the_order);
    CASE(functions, workers_load_at_the_same_time_and_one_alone_does_not);
    CASE(functions, tokens_that_the_source_throws_away_reach_no_sink);
    CASE(functions, a_source_may_end_at_once);
    CASE(functions, without_order_every_token_comes_once);
    CASE(functions, sources_and_sinks_that_cannot_be_are_refused);
    CASE(functions, a_pipeline_without_inputs_needs_a_count);
}
