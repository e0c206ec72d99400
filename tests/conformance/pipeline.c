/* Pipelines: the output equals that of a plain loop, for every depth and strategy.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

/* ---- results -------------------------------------------------------------------------------- */

static void run_at(const struct plan *plan, uint32_t depth, int32_t strategy)
{
    struct rig rig;
    rig_make(&rig, plan, depth, strategy);
    if (rig_open(&rig) == TRM_OK) {
        ck_slots_free(rig.pipeline);
        rig_run(&rig, 3 * depth + 2, 0);
        ck_slots_free(rig.pipeline);
        rig_again(&rig);
        rig_run(&rig, depth, 0); /* once more, with another number of tokens */
        ck_slots_free(rig.pipeline);
    }
    rig_close(&rig);
    kernels_close();
}

static void run_plan(const char *name)
{
    unsigned step = scaled(1, 3);
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 8; depth += depth < 4 ? 1 : step)
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++)
            run_at(plan_named(name), depth, all_strategies[i]);
}

START_TEST(tokens_are_copied_up_and_down_where_there_are_no_stages)
{
    run_plan("copies alone");
}
END_TEST

START_TEST(one_kernel_gives_what_a_loop_gives)
{
    run_plan("one kernel");
}
END_TEST

START_TEST(several_kernels_pass_scratch_on)
{
    run_plan("several kernels with scratch");
}
END_TEST

START_TEST(a_chain_of_scratch_gives_what_a_loop_gives)
{
    run_plan("a chain of scratch");
}
END_TEST

/* Device memory of a slot of a chain: in, kernels with `scratch` ports between them, out. piece: its bytes;
 * 0: tokens are not divisible. */
static uint64_t chain_bytes(struct trm_kernel *kernel, uint32_t scratch, uint64_t bytes, uint64_t piece)
{
    struct trm_port ports[12];
    struct trm_stage stages[12];
    struct trm_argument arguments[12][5];
    struct trm_report report      = {.struct_size = sizeof(report)};
    struct trm_pipeline *pipeline = NULL;
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .stages = stages, .depth = 1};
    desc.port_count  = scratch + 2;
    desc.stage_count = scratch + 1;
    desc.flags       = piece != 0 ? TRM_PIPELINE_DIVISIBLE : 0;
    desc.piece_bytes = piece;
    for (uint32_t i = 0; i < desc.port_count; i++) {
        ports[i]       = i == 0             ? trm_port_input("in", bytes)
                         : i == scratch + 1 ? trm_port_output("out", bytes)
                                            : trm_port_scratch(NULL, bytes);
        ports[i].grain = piece != 0 ? 4 : 0;
    }
    for (uint32_t i = 0; i < desc.stage_count; i++) {
        arguments[i][0] = trm_arg_port(i);
        arguments[i][1] = trm_arg_port(i + 1);
        arguments[i][2] = trm_arg_port_elements(i, 4);
        arguments[i][3] = trm_arg_u32(3);
        arguments[i][4] = trm_arg_u32(i);
        stages[i]       = trm_stage_launch(kernel, arguments[i], 5, i, 4);
    }
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_ok(trm_pipeline_report(pipeline, &report));
    trm_pipeline_destroy(pipeline);
    return report.device_bytes;
}

START_TEST(a_chain_of_ten_stages_needs_two_scratch_ports_of_memory)
{
    const uint64_t bytes = 40000;
    if (kernels_missing())
        return;
    uint64_t without = chain_bytes(kernel("spread"), 0, bytes, 0);
    uint64_t one     = chain_bytes(kernel("spread"), 1, bytes, 0);
    uint64_t nine    = chain_bytes(kernel("spread"), 9, bytes, 0);
    ck_assert_uint_eq(one - without, bytes);
    ck_assert_uint_ge(nine - without, 2 * bytes);
    ck_assert_uint_le(nine - without, 2 * bytes * 21 / 20);
    kernels_close();
}
END_TEST

/* Which stays in the cache, since every piece uses it. */
START_TEST(between_the_stages_of_pieces_is_memory_of_one_piece)
{
    const uint64_t bytes = 40000, piece = 4000;
    if (kernels_missing())
        return;
    uint64_t without = chain_bytes(kernel("spread"), 0, bytes, piece);
    uint64_t two     = chain_bytes(kernel("spread"), 2, bytes, piece);
    if (device_number(the.device, TRM_DEVICE_UNIFIED))
        ck_assert_uint_le(two - without, 2 * piece);
    else
        ck_assert_uint_eq(two - without, 2 * bytes);
    kernels_close();
}
END_TEST

START_TEST(a_shared_table_is_read_by_all_tokens)
{
    run_plan("a shared table");
}
END_TEST

START_TEST(a_shared_state_is_written_by_one_token_after_the_other)
{
    run_plan("a shared state");
}
END_TEST

START_TEST(host_stages_read_and_write_between_launches)
{
    run_plan("host stages");
}
END_TEST

START_TEST(a_host_stage_needs_no_kernel_beside_it)
{
    run_plan("a host stage alone");
}
END_TEST

START_TEST(a_pipeline_may_stay_on_the_device)
{
    run_plan("on the device only");
}
END_TEST

START_TEST(there_may_be_several_inputs_and_outputs)
{
    run_plan("several inputs and outputs");
}
END_TEST

START_TEST(tokens_have_sizes_of_their_own)
{
    run_plan("variable sizes");
}
END_TEST

START_TEST(a_divisible_pipeline_gives_the_same_in_pieces)
{
    run_plan("divisible");
}
END_TEST

START_TEST(the_program_may_shape_each_launch)
{
    run_plan("shaped by the program");
}
END_TEST

START_TEST(depth_0_is_tuned_and_gives_the_same)
{
    if (kernels_missing())
        return;
    for (uint32_t i = 0; i < plan_count; i++) {
        struct rig rig;
        rig_make(&rig, &plans[i], 0, TRM_STRATEGY_AUTO);
        ck_ok(rig_open(&rig));
        rig_run(&rig, scaled(200, 40), 0);
        ck_slots_free(rig.pipeline);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

START_TEST(a_divisible_pipeline_takes_pieces_of_any_size)
{
    static const uint64_t pieces[] = {1, 4, 7, 100, 1000, 3999, 4000, 4001, 1u << 20, 0};
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct rig rig;
        rig_make(&rig, plan_named("divisible"), 3, TRM_STRATEGY_AUTO);
        rig.desc.piece_bytes = pieces[i];
        ck_ok(rig_open(&rig));
        rig_run(&rig, 25, 0);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

START_TEST(auto_decides_and_says_why)
{
    const uint64_t whole     = PLAN_MOST_TOKENS * PLAN_WORDS * sizeof(uint32_t);
    struct trm_report report = {.struct_size = sizeof(report)};
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("several kernels with scratch"), 3, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    rig_run(&rig, PLAN_MOST_TOKENS, 0);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_int_gt(report.strategy, TRM_STRATEGY_AUTO);
    ck_assert_int_le(report.strategy, TRM_STRATEGY_ZERO_COPY);
    ck_assert_str_ne(report.reason, "");
    if (device_number(the.device, TRM_DEVICE_UNIFIED)) {
        ck_assert_int_eq(report.strategy, TRM_STRATEGY_ZERO_COPY);
        ck_assert_uint_eq(report.bytes_up, 0);
    } else if (device_number(the.device,
                             /* some tokens may have been tried without copies */
                             TRM_DEVICE_MAPPED)) {
        ck_assert_uint_le(report.bytes_up, whole);
    } else {
        ck_assert_int_ne(report.strategy, TRM_STRATEGY_ZERO_COPY);
        ck_assert_uint_eq(report.bytes_up, whole);
    }
    ck_assert_uint_eq(report.bytes_down, report.bytes_up);
    ck_assert_uint_eq(report.tokens, PLAN_MOST_TOKENS);
    ck_assert_uint_eq(report.depth, 3);
    ck_assert_uint_gt(report.device_bytes, 0);
    ck_assert_str_eq(report.name, "several kernels with scratch");
    rig_close(&rig);
}
END_TEST

START_TEST(measuring_changes_what_is_reported_and_nothing_else)
{
    static const int32_t measures[] = {TRM_MEASURE_SAMPLED, TRM_MEASURE_ALL, TRM_MEASURE_NONE};
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        for (int m = 0; m < 3; m++) {
            struct trm_report report = {.struct_size = sizeof(report)};
            struct rig rig;
            rig_make(&rig, plan_named("host stages"), 3, all_strategies[s]);
            rig.desc.measure = measures[m];
            if (rig_open(&rig) == TRM_OK) {
                rig_run(&rig, 40, 0);
                ck_ok(trm_pipeline_report(rig.pipeline, &report));
                ck_assert_uint_eq(report.tokens, 40);
                ck_assert_uint_gt(report.elapsed_ns, 0);
                if (measures[m] == TRM_MEASURE_ALL)
                    ck_assert_uint_eq(report.measured, 40);
                if (measures[m] == TRM_MEASURE_SAMPLED)
                    ck_assert_uint_gt(report.measured, 0);
                if (measures[m] == TRM_MEASURE_NONE)
                    ck_assert_uint_eq(report.measured, 0);
                ck_assert_int_eq(report.critical == -1, measures[m] == TRM_MEASURE_NONE);
            }
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

/* ---- sizes ---------------------------------------------------------------------------------- */

struct sizes {
    uint64_t given, second, third;
    uint64_t seen[3];
};

static int32_t give_size(void *user, struct trm_token *token)
{
    struct sizes *sizes = user;
    if (token->index > 0)
        return TRM_TOKEN_END;
    ck_assert_uint_eq(token->size[0], 1000); /* the declared size at first */
    memset(token->data[0], 0, 1000);
    token->size[0] = sizes->given;
    return TRM_OK;
}

static int32_t see_sizes(void *user, const struct trm_token *token)
{
    struct sizes *sizes = user;
    for (int i = 0; i < 3; i++)
        sizes->seen[i] = token->size[i];
    return TRM_OK;
}

START_TEST(a_port_that_follows_is_as_full_as_its_input_rounded_down)
{
    static const uint64_t given[] = {0, 1, 3, 333, 500, 999, 1000};
    struct trm_port ports[]       = {trm_port_input("in", 1000), trm_port_output("twice", 2000),
                                     trm_port_output("third", 333)};
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 3, .depth = 2};
    struct trm_pipeline *pipeline;
    struct sizes sizes;
    ports[1].follows = ports[2].follows = 1;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        struct trm_source source = trm_source_function(give_size, &sizes);
        struct trm_sink sink     = trm_sink_function(see_sizes, &sizes);
        memset(&sizes, 0, sizeof(sizes));
        sizes.given = given[i];
        ck_ok(trm_pipeline_run(pipeline, &source, &sink));
        ck_assert_uint_eq(sizes.seen[0], given[i]);
        ck_assert_uint_eq(sizes.seen[1], given[i] * 2);
        ck_assert_uint_eq(sizes.seen[2], given[i] * 333 / 1000);
    }
    trm_pipeline_destroy(pipeline);
}
END_TEST

START_TEST(a_token_that_is_larger_than_declared_is_refused_by_name)
{
    struct trm_port ports[]       = {trm_port_input("frame", 1000), trm_port_output("out", 1000)};
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 2, .depth = 2};
    struct trm_pipeline *pipeline;
    struct trm_token *token;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_ok(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
    token->size[0] = 1001;
    ck_status(trm_pipeline_submit(pipeline, token), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("frame");
    trm_pipeline_destroy(pipeline);
}
END_TEST

/* ---- memory of the program ------------------------------------------------------------------ */

struct lender {
    struct rig *rig;
    uint32_t (*words)[PLAN_WORDS];
};

static int32_t lend(void *user, struct trm_token *token)
{
    struct lender *lender = user;
    if (token->index >= lender->rig->count)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < PLAN_WORDS; i++)
        lender->words[token->index][i] = plan_input(lender->rig, token->index, 0, i);
    token->data[0] = lender->words[token->index];
    token->user    = (void *)(uintptr_t)(token->index + 1000);
    return TRM_OK;
}

START_TEST(a_source_may_lend_memory_of_its_own)
{
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        struct rig rig;
        struct lender lender     = {&rig, calloc(20, sizeof(*lender.words))};
        struct trm_source source = trm_source_function(lend, &lender);
        struct trm_sink sink     = trm_sink_function(rig_sink, &rig);
        rig_make(&rig, plan_named("one kernel"), 3, all_strategies[i]);
        if (rig_open(&rig) == TRM_OK) {
            rig.count = 20;
            ck_ok(trm_pipeline_run(rig.pipeline, &source, &sink));
            rig_check(&rig);
            rig_again(&rig); /* and the slots' own memory is used again */
            rig_run(&rig, 10, 0);
        }
        rig_close(&rig);
        kernels_close();
        free(lender.words);
    }
}
END_TEST

void add_pipeline(Suite *suite)
{
    TCase *results = group_make(suite, "pipelines: results");
    CASE(results, tokens_are_copied_up_and_down_where_there_are_no_stages);
    CASE(results, one_kernel_gives_what_a_loop_gives);
    CASE(results, several_kernels_pass_scratch_on);
    CASE(results, a_chain_of_scratch_gives_what_a_loop_gives);
    CASE(results, a_chain_of_ten_stages_needs_two_scratch_ports_of_memory);
    CASE(results, between_the_stages_of_pieces_is_memory_of_one_piece);
    CASE(results, a_shared_table_is_read_by_all_tokens);
    CASE(results, a_shared_state_is_written_by_one_token_after_the_other);
    CASE(results, host_stages_read_and_write_between_launches);
    CASE(results, a_host_stage_needs_no_kernel_beside_it);
    CASE(results, a_pipeline_may_stay_on_the_device);
    CASE(results, there_may_be_several_inputs_and_outputs);
    CASE(results, tokens_have_sizes_of_their_own);
    CASE(results, a_divisible_pipeline_gives_the_same_in_pieces);
    CASE(results, the_program_may_shape_each_launch);
    CASE(results, depth_0_is_tuned_and_gives_the_same);
    CASE(results, a_divisible_pipeline_takes_pieces_of_any_size);
    CASE(results, auto_decides_and_says_why);
    CASE(results, measuring_changes_what_is_reported_and_nothing_else);
    CASE(results, a_port_that_follows_is_as_full_as_its_input_rounded_down);
    CASE(results, a_token_that_is_larger_than_declared_is_refused_by_name);
    CASE(results, a_source_may_lend_memory_of_its_own);
}
