/* Pipelines whose stages fork and join: failures in a branch.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#define BIT(number) (UINT64_C(1) << (number))
#define MARK 0xDEADBEEFu

struct broken {
    struct trm_port ports[4];
    struct trm_argument arguments[3][5];
    struct trm_stage stages[3];
    uint64_t after[3];
    uint64_t at, delivered;
    const char *wrong;
};

static int32_t broken_load(void *user, struct trm_token *token)
{
    const struct broken *broken = user;
    uint32_t *words             = token->data[0];
    if (token->index == 20)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < 64; i++)
        words[i] = (uint32_t)token->index * 100 + i;
    if (token->index == broken->at)
        words[0] = MARK;
    return TRM_OK;
}

static int32_t broken_sink(void *user, const struct trm_token *token)
{
    struct broken *broken = user;
    const uint32_t *words = token->data[3];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t in = (uint32_t)token->index * 100 + i;
        if (words[i] != (in * 3 + 1) * 5 + in + 1)
            broken->wrong = "a token came out with wrong data";
    }
    if (token->index == broken->at)
        broken->wrong = "the failed token came out";
    broken->delivered++;
    return TRM_OK;
}

static int32_t broken_host(void *user, const struct trm_token *token)
{
    const struct broken *broken = user;
    const uint32_t *in          = token->data[0];
    uint32_t *to                = token->data[2];
    for (uint32_t i = 0; i < 64; i++)
        to[i] = in[i] + 1;
    return token->index == broken->at ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

/* A pipeline that spares all but one token may be one of a group. */
static struct trm_kernel *kernel_for(uint64_t spared, const char *name)
{
    return spared == 19 ? stage_kernel(name) : kernel_on(the.device, name);
}

/* in → left (spread) and right (a kernel or function that fails at one token) → join. `streams` may be NULL;
 * so many of 20 tokens are `spared`. */
static void fail_in_branch(uint32_t depth, int32_t strategy, bool runs_on_host,
                           const struct trm_stage_stream *streams, uint64_t spared)
{
    struct broken broken = {.at = 7};
    struct trm_pipeline *pipeline;
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = broken.ports,
                                     .port_count  = 4,
                                     .stages      = broken.stages,
                                     .stage_count = 3,
                                     .depth       = depth,
                                     .strategy    = strategy,
                                     .on_failure  = TRM_FAILURE_SKIP,
                                     .after       = broken.after,
                                     .streams     = streams};
    struct trm_source source      = trm_source_function(broken_load, &broken);
    struct trm_sink sink          = trm_sink_function(broken_sink, &broken);
    struct trm_report report      = {.struct_size = sizeof(report)};

    broken.ports[0]             = trm_port_input("in", 256);
    broken.ports[1]             = trm_port_scratch("left", 256);
    broken.ports[2]             = trm_port_scratch("right", 256);
    broken.ports[3]             = trm_port_output("out", 256);
    struct trm_argument left[]  = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 4),
                                   trm_arg_u32(3), trm_arg_u32(1)};
    struct trm_argument right[] = {trm_arg_port(0), trm_arg_port(2), trm_arg_u32(64), trm_arg_u32(MARK)};
    struct trm_argument join[]  = {trm_arg_port(1), trm_arg_port(2), trm_arg_port(3),
                                   trm_arg_port_elements(0, 4), trm_arg_u32(5)};
    memcpy(broken.arguments[0], left, sizeof(left));
    memcpy(broken.arguments[1], right, sizeof(right));
    memcpy(broken.arguments[2], join, sizeof(join));
    broken.stages[0]      = trm_stage_launch(kernel_for(spared, "spread"), broken.arguments[0], 5, 0, 4);
    broken.stages[1]      = runs_on_host
                                ? trm_stage_host(broken_host, &broken, BIT(0), BIT(2))
                                : trm_stage_launch(kernel_for(spared, "picky"), broken.arguments[1], 4, 0, 0);
    broken.stages[1].name = "right";
    if (!runs_on_host)
        broken.stages[1].grid = trm_grid_1d(1, 0);
    broken.stages[2] = trm_stage_launch(kernel_for(spared, "blend"), broken.arguments[2], 5, 0, 4);
    broken.after[2]  = BIT(0) | BIT(1);

    int32_t status = spared == 19 ? pipeline_under_test(&desc, &pipeline)
                                  : trm_pipeline_create(the.device, &desc, &pipeline);
    if (status == TRM_ERROR_UNSUPPORTED && strategy != TRM_STRATEGY_AUTO)
        return;
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
    ck_assert_msg(broken.wrong == NULL, "depth %u, %s: %s", depth, trm_strategy_name(strategy), broken.wrong);
    ck_assert_uint_eq(broken.delivered, spared);
    ck_ok(trm_pipeline_report(pipeline, &report));
    ck_assert_uint_eq(report.failed, 20 - spared);
    /* A graph does not tell which of its kernels failed; some backends do. The strategy auto tries graphs. */
    bool may_be_graph = strategy == TRM_STRATEGY_SLOT_GRAPHS || strategy == TRM_STRATEGY_AUTO;
    bool names_one    = strstr(report.failure, "compute \"") != NULL;
    bool names_right  = strstr(report.failure, "\"right\"") != NULL;
    ck_assert_msg(strstr(report.failure, "token 7") != NULL &&
                      (names_right || (!names_one && may_be_graph && !runs_on_host)),
                  "depth %u, %s: the failure is: %s", depth, trm_strategy_name(strategy), report.failure);
    broken.at        = UINT64_MAX; /* and it can be used again */
    broken.delivered = 0;
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
    ck_assert_msg(broken.wrong == NULL, "%s", broken.wrong);
    ck_assert_uint_eq(broken.delivered, spared == 19 ? 20 : 0);
    trm_pipeline_destroy(pipeline);
}

/* A pipeline cannot replace a stream of the program's. What had ended on it before comes out. */
START_TEST(a_failure_on_a_stream_of_the_programs_fails_all_later_tokens)
{
    if (kernels_missing() || !functions_there())
        return;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        struct trm_stream *stream;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        const struct trm_stage_stream streams[] = {trm_stage_stream_any(), trm_stage_stream_given(stream),
                                                   trm_stage_stream_any()};
        fail_in_branch(3, all_strategies[i], false, streams, 7);
        trm_stream_destroy(stream);
        kernels_close();
    }
}
END_TEST

START_TEST(a_failure_in_a_branch_names_its_stage_and_spares_other_tokens)
{
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 4; depth += 3)
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++)
            for (int runs_on_host = 0; runs_on_host < 2; runs_on_host++)
                if (runs_on_host || functions_there()) {
                    fail_in_branch(depth, all_strategies[i], runs_on_host != 0, NULL, 19);
                    kernels_close();
                }
}
END_TEST

/* A stream of the pipeline's is replaced. */
START_TEST(a_failure_on_a_stream_of_a_stages_own_names_its_stage_and_spares_other_tokens)
{
    const struct trm_stage_stream streams[] = {trm_stage_stream_any(), trm_stage_stream_own(),
                                               trm_stage_stream_own()};
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++)
        for (int runs_on_host = 0; runs_on_host < 2; runs_on_host++)
            if (runs_on_host || functions_there()) {
                fail_in_branch(3, all_strategies[i], runs_on_host != 0, streams, 19);
                kernels_close();
            }
}
END_TEST

void add_pipeline_branches_failures(Suite *suite)
{
    TCase *failures = group_make(suite, "pipelines: branches that fail");
    CASE(failures, a_failure_on_a_stream_of_a_stages_own_names_its_stage_and_spares_other_tokens);
    CASE(failures, a_failure_on_a_stream_of_the_programs_fails_all_later_tokens);
    CASE(failures, a_failure_in_a_branch_names_its_stage_and_spares_other_tokens);
}
