/* Predictions by the times of single tokens.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/trireme.h>

#include "pipeline/report/predict.h"

#include "tests/unit/runner.h"

/* Any times: tokens keep their order, the run ends, and it takes no less than the longest stage and no more
 * than one token after the other. */
START_TEST(tokens_with_times_of_their_own_end_in_any_pipeline)
{
    static struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct pipeline_report_facts facts = {.recent = recent, .recent_count = PIPELINE_RECENT_TOKENS};
    uint64_t state                     = 99;

    for (int round = 0; round < 300; round++) {
        struct trm_prediction_desc desc = {.struct_size = sizeof(desc)};
        uint64_t sums[TRM_STAGES] = {0}, all = 0, most = 0;
        for (uint32_t i = 0; i < PIPELINE_RECENT_TOKENS; i++) {
            for (int s = 0; s < TRM_STAGES; s++) {
                state             = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
                recent[i].time[s] = (state >> 60) < 3 ? (state >> 30) % 100000 : (state >> 30) % 1000;
                sums[s] += recent[i].time[s];
            }
        }
        for (int s = 0; s < TRM_STAGES; s++) {
            desc.stage_ns[s] = sums[s] / PIPELINE_RECENT_TOKENS;
            desc.lanes[s]    = s == TRM_STAGE_LOAD || s == TRM_STAGE_SINK ? 1 + (state >> (20 + s)) % 8 : 1;
            all += sums[s];
            most = sums[s] / desc.lanes[s] > most ? sums[s] / desc.lanes[s] : most;
        }
        desc.one_thread = (state >> 50) % 4 == 0;
        desc.processors = (uint32_t)(state >> 45) % 3;
        uint64_t at_one = pipeline_predict_recent(&desc, 1, &facts);
        uint64_t deep   = pipeline_predict_recent(&desc, 1 + (uint32_t)(state >> 40) % 64, &facts);
        ck_assert_uint_ge(at_one, all / 100 * 99);
        ck_assert_uint_le(at_one, all);
        ck_assert_uint_le(deep, all);
        ck_assert_uint_ge(deep, most / 100 * 98);
    }
}
END_TEST

/* Tokens that were made with a mean time in load. */
struct evened {
    uint64_t sum, usual;
    uint32_t slow;
};

static struct evened even_load(uint64_t mean, const struct pipeline_report_facts *facts)
{
    struct trm_prediction_desc desc = {.struct_size = sizeof(desc)};
    struct pipeline_stage_times even[PIPELINE_RECENT_TOKENS];
    struct evened evened = {0};

    desc.stage_ns[TRM_STAGE_LOAD] = mean;
    pipeline_even_recent(&desc, facts, TRM_STAGE_LOAD, even);
    evened.usual = even[0].time[TRM_STAGE_LOAD];
    for (uint32_t i = 0; i < facts->recent_count; i++) {
        evened.sum += even[i].time[TRM_STAGE_LOAD];
        evened.slow += even[i].time[TRM_STAGE_LOAD] > evened.usual;
    }
    return evened;
}

START_TEST(rare_slow_tokens_keep_their_time)
{
    static struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct pipeline_report_facts facts = {.recent = recent, .recent_count = PIPELINE_RECENT_TOKENS};
    struct evened evened;

    for (uint32_t i = 0; i < PIPELINE_RECENT_TOKENS; i++)
        recent[i].time[TRM_STAGE_LOAD] = i % 40 == 20 ? 100000 : 1000;
    /* As if one of 128 were slow, or half of one: a single one would be an outlier. */
    for (uint64_t mean = 1400; mean < 2600; mean += 100) {
        evened = even_load(mean, &facts);
        ck_assert_uint_eq(evened.usual, 1000);
        ck_assert_uint_eq(evened.slow, 2);
        ck_assert_uint_eq(evened.sum, mean * PIPELINE_RECENT_TOKENS);
    }
    evened = even_load(1000 + 99000 * 10 / PIPELINE_RECENT_TOKENS + 1000, &facts);
    ck_assert_uint_ge(evened.slow, 10);
    ck_assert_uint_le(evened.slow, 12);
    /* Tokens that shared the stage took longer than any recent one alone. */
    evened = even_load(150000, &facts);
    ck_assert_uint_eq(evened.slow, PIPELINE_RECENT_TOKENS - 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("predictions by single tokens");
    TCase *tests = tcase_create("predictions by single tokens");

    tcase_add_test(tests, tokens_with_times_of_their_own_end_in_any_pipeline);
    tcase_add_test(tests, rare_slow_tokens_keep_their_time);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
