/* Pipelines that drop tokens for newer ones, and tokens with deadlines.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <sched.h>

static const int32_t dropping[] = {TRM_FULL_DROP_OLDEST, TRM_FULL_LATEST};

/* False: the device does not have the strategy. */
static bool open_dropping(struct rig *rig, uint32_t depth, int32_t strategy, int32_t on_full)
{
    rig_make(rig, plan_named("several kernels with scratch"), depth, strategy);
    rig->desc.on_full = on_full;
    rig->loose        = true;
    return rig_open(rig) == TRM_OK;
}

static void close_dropping(struct rig *rig)
{
    ck_assert_msg(rig->wrong == NULL, "token %llu: %s", (unsigned long long)rig->wrong_token, rig->wrong);
    rig_close(rig);
    kernels_close();
}

static void submit_one(struct rig *rig, uint64_t deadline_ns)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token));
    rig_fill(rig, token);
    token->deadline_ns = deadline_ns;
    ck_ok(trm_pipeline_submit(rig->pipeline, token));
}

/* Waits until the work of a token has ended. */
static void wait_until_done(struct rig *rig, uint64_t index)
{
    for (;;) {
        struct trm_slot slots[64];
        uint32_t count;
        ck_ok(trm_pipeline_slots(rig->pipeline, slots, 64, &count));
        for (uint32_t i = 0; i < count; i++)
            if (slots[i].token == index && slots[i].state == TRM_SLOT_DONE)
                return;
        sched_yield();
    }
}

static void take(struct rig *rig, uint64_t index)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_next(rig->pipeline, TRM_FOREVER, &token));
    ck_assert_uint_eq(token->index, index);
    rig_take(rig, token);
    ck_ok(trm_pipeline_release(rig->pipeline, token));
}

static struct trm_report report_of(const struct rig *rig)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    ck_ok(trm_pipeline_report(rig->pipeline, &report));
    return report;
}

START_TEST(a_full_pipeline_drops_its_oldest_results)
{
    if (group_counts_slots() || kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        if (open_dropping(&rig, 3, all_strategies[s], TRM_FULL_DROP_OLDEST)) {
            for (uint64_t i = 0; i < 10; i++) {
                submit_one(&rig, 0);
                wait_until_done(&rig, i);
            }
            for (uint64_t i = 7; i < 10; i++)
                take(&rig, i);
            ck_assert_uint_eq(report_of(&rig).dropped, 7);
            ck_assert_uint_eq(report_of(&rig).tokens, 3);
            ck_slots_free(rig.pipeline);
        }
        close_dropping(&rig);
    }
}
END_TEST

START_TEST(the_latest_result_comes_alone)
{
    if (group_counts_slots() || kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        if (open_dropping(&rig, 4, all_strategies[s], TRM_FULL_LATEST)) {
            for (uint64_t i = 0; i < 20; i++) {
                submit_one(&rig, 0);
                if (i % 3 != 2)
                    continue;
                wait_until_done(&rig, i);
                take(&rig, i);
            }
            ck_assert_uint_eq(report_of(&rig).tokens, 6);
            ck_assert_uint_eq(report_of(&rig).dropped, 12);
        }
        close_dropping(&rig);
    }
}
END_TEST

/* The consumer keeps each token for two periods of the producer, and asks when a newer one has ended. */
START_TEST(a_consumer_at_half_speed_gets_the_newest_result_each_time)
{
    if (group_counts_slots() || kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct trm_token *token = NULL;
        struct rig rig;
        uint64_t taken = 0;
        if (open_dropping(&rig, 3, all_strategies[s], TRM_FULL_LATEST)) {
            for (uint64_t period = 0; period < 200; period++) {
                submit_one(&rig, 0);
                wait_until_done(&rig, period);
                if (period % 2 != 0)
                    continue;
                if (token != NULL)
                    ck_ok(trm_pipeline_release(rig.pipeline, token));
                ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
                ck_assert_uint_eq(token->index, period);
                rig_take(&rig, token);
                taken++;
            }
            ck_ok(trm_pipeline_release(rig.pipeline, token));
            ck_assert_uint_eq(taken, 100);
            ck_assert_uint_eq(report_of(&rig).tokens, 100);
            /* Every other one; the last result was neither asked for nor overtaken. */
            ck_assert_uint_eq(report_of(&rig).dropped, 99);
        }
        close_dropping(&rig);
    }
}
END_TEST

/* A sink that is done with its first token only when the source has given many more. */
struct slow_sink {
    struct rig rig;
    uint64_t last;
};

static int32_t take_slowly(void *user, const struct trm_token *token)
{
    struct slow_sink *sink = user;
    while (sink->rig.delivered == 0 && __atomic_load_n(&sink->rig.loaded, __ATOMIC_RELAXED) < 20)
        sched_yield();
    if (sink->rig.delivered > 0 && token->index <= sink->last)
        return TRM_ERROR_OUT_OF_RANGE;
    sink->last = token->index;
    rig_take(&sink->rig, token);
    return TRM_OK;
}

START_TEST(a_source_with_workers_goes_on_beside_a_slow_sink)
{
    if (group_counts_slots() || kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        for (size_t i = 0; i < sizeof(dropping) / sizeof(dropping[0]); i++) {
            struct slow_sink slow = {.last = 0};
            if (open_dropping(&slow.rig, 4, all_strategies[s], dropping[i])) {
                struct trm_source source = trm_source_function(rig_source, &slow.rig);
                struct trm_sink sink     = trm_sink_function(take_slowly, &slow);
                source.workers           = 1 + (uint32_t)i;
                slow.rig.count           = 50;
                ck_ok(trm_pipeline_run(slow.rig.pipeline, &source, &sink));
                ck_assert_uint_eq(slow.last, 49);
                struct trm_report report = report_of(&slow.rig);
                ck_assert_uint_eq(report.tokens, slow.rig.delivered);
                ck_assert_uint_eq(report.tokens + report.dropped, 50);
                ck_assert_uint_gt(report.dropped, 0);
                ck_slots_free(slow.rig.pipeline);
            }
            close_dropping(&slow.rig);
        }
    }
}
END_TEST

START_TEST(a_late_token_comes_out_and_says_so)
{
    const uint64_t deadlines[] = {0, 1, UINT64_MAX};
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    ck_assert(open_dropping(&rig, 3, TRM_STRATEGY_AUTO, TRM_FULL_BLOCK));
    for (int i = 0; i < 3; i++)
        submit_one(&rig, deadlines[i]);
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
        ck_assert_uint_eq(token->late, i == 1);
        rig_take(&rig, token);
        ck_ok(trm_pipeline_release(rig.pipeline, token));
    }
    ck_assert_uint_eq(report_of(&rig).late, 1);
    ck_assert_uint_eq(report_of(&rig).dropped, 0);
    close_dropping(&rig);
}
END_TEST

START_TEST(an_expired_token_is_not_run_where_tokens_may_be_dropped)
{
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(dropping) / sizeof(dropping[0]); i++) {
        ck_assert(open_dropping(&rig, 3, TRM_STRATEGY_AUTO, dropping[i]));
        submit_one(&rig, trm_clock_now() - 1);
        ck_slots_free(rig.pipeline);
        ck_status(trm_pipeline_next(rig.pipeline, 0, &token), TRM_ERROR_TIMEOUT);
        submit_one(&rig, UINT64_MAX);
        take(&rig, 1);
        ck_assert_uint_eq(report_of(&rig).expired, 1);
        ck_assert_uint_eq(report_of(&rig).dropped, 1);
        ck_assert_uint_eq(report_of(&rig).tokens, 1);
        close_dropping(&rig);
    }
}
END_TEST

START_TEST(what_a_full_pipeline_does_is_checked)
{
    struct trm_pipeline *pipeline = NULL;
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.on_full = TRM_FULL_LATEST + 1;
    ck_refused(trm_pipeline_create(the.device, &rig.desc, &pipeline));
    rig.desc.on_full = TRM_FULL_LATEST;
    rig.desc.flags |= TRM_PIPELINE_UNORDERED;
    ck_refused(trm_pipeline_create(the.device, &rig.desc, &pipeline));
    rig_close(&rig);
}
END_TEST

void add_pipeline_fresh(Suite *suite)
{
    TCase *fresh = group_make(suite, "pipelines: freshness");
    CASE(fresh, a_full_pipeline_drops_its_oldest_results);
    CASE(fresh, the_latest_result_comes_alone);
    CASE(fresh, a_consumer_at_half_speed_gets_the_newest_result_each_time);
    CASE(fresh, a_source_with_workers_goes_on_beside_a_slow_sink);
    CASE(fresh, a_late_token_comes_out_and_says_so);
    CASE(fresh, an_expired_token_is_not_run_where_tokens_may_be_dropped);
    CASE(fresh, what_a_full_pipeline_does_is_checked);
}
