/* Pipelines: tokens that are like those before them in their slot, whose operations the library keeps, and
 * tokens among them that are not.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#define BYTES 256u
#define WORDS (BYTES / 4)
#define MARK 0xDEADBEEFu

/* in → first → scratch → second → out */
struct chained {
    struct trm_port ports[3];
    struct trm_argument arguments[2][5];
    struct trm_stage stages[2];
    struct trm_pipeline *pipeline;
    uint64_t count, base, at; /* tokens of a run; added to what they hold; the one that fails */
    bool is_varied;           /* some tokens are shorter */
    uint64_t delivered, bytes;
    const char *wrong;
};

/* A token is full but for one of three in the second half of each dozen. */
static uint64_t size_of(const struct chained *chained, uint64_t index)
{
    bool is_short = chained->is_varied && index % 12 >= 6 && index % 3 == 0;
    return is_short ? BYTES / 2 - 4 * (index % 12) : BYTES;
}

static uint32_t word_of(const struct chained *chained, uint64_t index, uint32_t i)
{
    return (uint32_t)(chained->base + index * 100 + i);
}

static int32_t load(void *user, struct trm_token *token)
{
    struct chained *chained = user;
    uint32_t *words         = token->data[0];

    if (token->index == chained->count)
        return TRM_TOKEN_END;
    token->size[0] = size_of(chained, token->index);
    for (uint32_t i = 0; i < token->size[0] / 4; i++)
        words[i] = word_of(chained, token->index, i);
    if (token->index == chained->at)
        words[0] = MARK;
    chained->bytes += token->size[0];
    return TRM_OK;
}

static int32_t drain(void *user, const struct trm_token *token)
{
    struct chained *chained = user;
    const uint32_t *words   = token->data[2];
    bool has_second         = chained->at == UINT64_MAX;

    if (token->size[2] != size_of(chained, token->index))
        chained->wrong = "a token came out with another size";
    for (uint32_t i = 0; i < token->size[2] / 4; i++) {
        uint32_t in = word_of(chained, token->index, i);
        if (has_second && words[i] != (in * 3 + 1) * 5 + 2)
            chained->wrong = "a token came out with wrong data";
    }
    if (token->index == chained->at)
        chained->wrong = "the failed token came out";
    chained->delivered++;
    return TRM_OK;
}

/* The second stage is `second`, which takes four arguments if it is to fail at a token. False: the device has
 * no such strategy. */
static bool open_chained(struct chained *chained, uint32_t depth, int32_t strategy, const char *second)
{
    bool fails                    = strcmp(second, "picky") == 0;
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = chained->ports,
                                     .port_count  = 3,
                                     .stages      = chained->stages,
                                     .stage_count = 2,
                                     .depth       = depth,
                                     .strategy    = strategy,
                                     .on_failure  = fails ? TRM_FAILURE_SKIP : TRM_FAILURE_STOP};

    *chained                  = (struct chained){.count = 36, .at = UINT64_MAX, .is_varied = !fails};
    chained->ports[0]         = trm_port_input("in", BYTES);
    chained->ports[1]         = trm_port_scratch("between", BYTES);
    chained->ports[2]         = trm_port_output("out", BYTES);
    chained->ports[2].follows = 1;
    struct trm_argument one[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 4),
                                 trm_arg_u32(3), trm_arg_u32(1)};
    struct trm_argument two[] = {trm_arg_port(1), trm_arg_port(2), trm_arg_port_elements(0, 4),
                                 trm_arg_u32(5), trm_arg_u32(2)};
    struct trm_argument bad[] = {trm_arg_port(0), trm_arg_port(2), trm_arg_u32(WORDS), trm_arg_u32(MARK)};
    memcpy(chained->arguments[0], one, sizeof(one));
    memcpy(chained->arguments[1], fails ? bad : two, fails ? sizeof(bad) : sizeof(two));
    chained->stages[0] = trm_stage_launch(stage_kernel("spread"), chained->arguments[0], 5, 0, 4);
    chained->stages[1] =
        trm_stage_launch(stage_kernel(second), chained->arguments[1], fails ? 4 : 5, 0, fails ? 0 : 4);
    chained->stages[0].name = "first";
    chained->stages[1].name = "second";
    if (fails)
        chained->stages[1].grid = trm_grid_1d(1, 0);
    int32_t status = pipeline_under_test(&desc, &chained->pipeline);
    ck_assert_msg(status == TRM_OK || (status == TRM_ERROR_UNSUPPORTED && strategy != TRM_STRATEGY_AUTO),
                  "%s", trm_last_error().sentence);
    return status == TRM_OK;
}

static void run_chained(struct chained *chained)
{
    struct trm_source source = trm_source_function(load, chained);
    struct trm_sink sink     = trm_sink_function(drain, chained);

    chained->delivered = chained->bytes = 0;
    ck_ok(trm_pipeline_run(chained->pipeline, &source, &sink));
    ck_assert_msg(chained->wrong == NULL, "%s", chained->wrong);
    ck_assert_uint_eq(chained->delivered, chained->count - (chained->at < chained->count));
}

START_TEST(tokens_of_other_sizes_among_equal_ones_come_out_right)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct chained chained;

    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 4; depth += 3)
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
            if (open_chained(&chained, depth, all_strategies[i], "spread"))
                for (uint64_t run = 0; run < 3; run++) {
                    chained.base = run * 1000000;
                    run_chained(&chained);
                    ck_ok(trm_pipeline_report(chained.pipeline, &report));
                    ck_assert_uint_eq(report.tokens, chained.count);
                    /* Tokens of a trial may be without copies. */
                    if (report.bytes_up != 0 && all_strategies[i] != TRM_STRATEGY_AUTO)
                        ck_assert_uint_eq(report.bytes_up, chained.bytes);
                    ck_assert_uint_eq(report.bytes_down, report.bytes_up);
                }
            trm_pipeline_destroy(chained.pipeline);
            kernels_close();
        }
}
END_TEST

/* Far from the first token of its slot. Two runs: the slot's stream was replaced before the second. */
START_TEST(a_launch_that_fails_after_many_like_it_is_named)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct chained chained;

    if (kernels_missing() || !functions_there())
        return;
    for (uint32_t depth = 1; depth <= 4; depth += 3)
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
            if (open_chained(&chained, depth, all_strategies[i], "picky"))
                for (uint64_t run = 0; run < 2; run++) {
                    chained.at = 29 - run;
                    run_chained(&chained);
                    ck_ok(trm_pipeline_report(chained.pipeline, &report));
                    ck_assert_uint_eq(report.failed, 1);
                    char token[16];
                    snprintf(token, sizeof(token), "token %u", (unsigned)chained.at);
                    bool names_one    = strstr(report.failure, "compute \"") != NULL;
                    bool names_second = strstr(report.failure, "\"second\"") != NULL;
                    /* A graph, which the automatic choice tries as well, does not tell which of its kernels
                     * failed; some backends do. */
                    bool is_graph = all_strategies[i] == TRM_STRATEGY_SLOT_GRAPHS ||
                                    all_strategies[i] == TRM_STRATEGY_AUTO;
                    ck_assert_msg(strstr(report.failure, token) != NULL &&
                                      (names_second || (!names_one && is_graph)),
                                  "depth %u, %s: the failure is: %s", depth,
                                  trm_strategy_name(all_strategies[i]), report.failure);
                }
            trm_pipeline_destroy(chained.pipeline);
            kernels_close();
        }
}
END_TEST

START_TEST(a_program_that_serves_gets_tokens_that_are_like_those_before)
{
    struct chained chained;
    struct trm_token *token;
    struct trm_slot slots[4];
    uint32_t count;

    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        if (open_chained(&chained, 1, all_strategies[i], "spread"))
            for (uint64_t index = 0; index < 5; index++) {
                chained.is_varied = false;
                ck_ok(trm_pipeline_acquire(chained.pipeline, TRM_FOREVER, &token));
                for (uint32_t k = 0; k < WORDS; k++)
                    ((uint32_t *)token->data[0])[k] = word_of(&chained, token->index, k);
                ck_ok(trm_pipeline_submit(chained.pipeline, token));
                ck_ok(trm_pipeline_slots(chained.pipeline, slots, 4, &count));
                ck_assert_uint_ge(count, 1);
                ck_ok(trm_pipeline_next(chained.pipeline, TRM_FOREVER, &token));
                ck_assert_uint_eq(token->index, index);
                drain(&chained, token);
                ck_assert_msg(chained.wrong == NULL, "%s", chained.wrong);
                ck_ok(trm_pipeline_release(chained.pipeline, token));
            }
        trm_pipeline_destroy(chained.pipeline);
        kernels_close();
    }
}
END_TEST

void add_pipeline_cached_operations(Suite *suite)
{
    TCase *cached = group_make(suite, "pipelines: tokens alike");
    CASE(cached, tokens_of_other_sizes_among_equal_ones_come_out_right);
    CASE(cached, a_launch_that_fails_after_many_like_it_is_named);
    CASE(cached, a_program_that_serves_gets_tokens_that_are_like_those_before);
}
