/* Pipelines whose stages fork and join.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <pthread.h>
#include <string.h>

#define BYTES (PLAN_WORDS * sizeof(uint32_t))
#define BIT(number) (UINT64_C(1) << (number))

/* ---- plans ---------------------------------------------------------------------------------- */

/* The next stage, which runs after these. */
static void set_after(struct rig *rig, uint64_t stages)
{
    rig->desc.after                       = rig->after;
    rig->after[rig->desc.stage_count - 1] = stages;
}

/* factor × from + addend → to, for as many words as the input has. */
static void spread(struct rig *rig, uint32_t from, uint32_t to, uint32_t factor, uint64_t after)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to), trm_arg_port_elements(0, 4),
                                       trm_arg_u32(factor), trm_arg_u32(1)};
    rig_launch(rig, "spread", 0, arguments, 5);
    set_after(rig, after);
}

/* from × factor + other → to. */
static void blend(struct rig *rig, uint32_t from, uint32_t other, uint32_t to, uint32_t factor,
                  uint64_t after)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(other), trm_arg_port(to),
                                       trm_arg_port_elements(0, 4), trm_arg_u32(factor)};
    rig_launch(rig, "blend", 0, arguments, 5);
    set_after(rig, after);
}

static uint32_t scratch(struct rig *rig)
{
    return rig_port(rig, trm_port_scratch(NULL, BYTES));
}

/* in → a, which forks to b and c; both join in out. */
static void build_diamond(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), a = scratch(rig), b = scratch(rig),
             c = scratch(rig), out = rig_port(rig, trm_port_output("out", BYTES));
    spread(rig, in, a, 3, 0);
    spread(rig, a, b, 5, BIT(0));
    spread(rig, a, c, 7, BIT(0));
    blend(rig, b, c, out, 11, BIT(1) | BIT(2));
}

/* The same, the last stage first. */
static void build_backwards(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), a = scratch(rig), b = scratch(rig),
             c = scratch(rig), out = rig_port(rig, trm_port_output("out", BYTES));
    blend(rig, b, c, out, 11, BIT(1) | BIT(2));
    spread(rig, a, c, 7, BIT(3));
    spread(rig, a, b, 5, BIT(3));
    spread(rig, in, a, 3, 0);
}

static const int32_t diamond_priorities[] = {TRM_PRIORITY_HIGH, TRM_PRIORITY_LOW, TRM_PRIORITY_NORMAL,
                                             TRM_PRIORITY_NORMAL};

static void build_urgent(struct rig *rig)
{
    build_diamond(rig);
    rig->desc.priorities = diamond_priorities;
}

/* No branches, but a stage on another stream. */
static void build_urgent_row(struct rig *rig)
{
    build_urgent(rig);
    rig->desc.after = NULL;
}

static void expect_diamond(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = plan_input(rig, index, 0, i) * 3 + 1;
        words[i]   = (a * 5 + 1) * 11 + a * 7 + 1;
    }
}

/* The outputs follow the input. */
static void build_variable(struct rig *rig)
{
    build_diamond(rig);
    for (uint32_t i = 1; i < rig->desc.port_count; i++)
        rig->ports[i].follows = 1;
}

static void build_divisible(struct rig *rig)
{
    build_variable(rig);
    rig->desc.flags |= TRM_PIPELINE_DIVISIBLE;
    rig->desc.piece_bytes = 256;
    for (uint32_t i = 0; i < rig->desc.port_count; i++)
        rig->ports[i].grain = sizeof(uint32_t);
}

/* More roots than can run at once, in → 6 × scratch, joined one by one. */
static void build_many(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), roots[6], last, next;
    for (uint32_t i = 0; i < 6; i++) {
        roots[i] = scratch(rig);
        spread(rig, in, roots[i], 3 + i, 0);
    }
    last = roots[0];
    for (uint32_t i = 1; i < 6; i++, last = next) {
        next = i == 5 ? rig_port(rig, trm_port_output("out", BYTES)) : scratch(rig);
        blend(rig, last, roots[i], next, 2 * i + 1, i == 1 ? BIT(0) | BIT(1) : BIT(i) | BIT(i + 4));
    }
}

static void expect_many(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i);
        words[i]    = in * 3 + 1;
        for (uint32_t k = 1; k < 6; k++)
            words[i] = words[i] * (2 * k + 1) + in * (3 + k) + 1;
    }
}

/* Two branches of three scratch ports each, of which the first and the third can share. */
static void build_chains(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), ends[2];
    for (uint32_t branch = 0; branch < 2; branch++) {
        uint32_t first = scratch(rig), second = scratch(rig), third = scratch(rig);
        spread(rig, in, first, 3 + branch, 0);
        spread(rig, first, second, 5, BIT(3 * branch));
        spread(rig, second, third, 7, BIT(3 * branch + 1));
        ends[branch] = third;
    }
    blend(rig, ends[0], ends[1], rig_port(rig, trm_port_output("out", BYTES)), 11, BIT(2) | BIT(5));
}

static void expect_chains(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i), ends[2];
        for (uint32_t branch = 0; branch < 2; branch++)
            ends[branch] = ((in * (3 + branch) + 1) * 5 + 1) * 7 + 1;
        words[i] = ends[0] * 11 + ends[1];
    }
}

/* The scratch follows the input: its tokens use less than it has room for. */
static void build_variable_chains(struct rig *rig)
{
    build_chains(rig);
    for (uint32_t i = 1; i < rig->desc.port_count; i++)
        rig->ports[i].follows = 1;
}

static int32_t host_flip(void *user, const struct trm_token *token)
{
    (void)user;
    uint32_t *words = token->data[1];
    for (uint32_t i = 0; i < token->size[1] / sizeof(*words); i++)
        words[i] ^= (uint32_t)token->index;
    return TRM_OK;
}

static int32_t host_triple(void *user, const struct trm_token *token)
{
    (void)user;
    const uint32_t *in = token->data[0];
    uint32_t *to       = token->data[2];
    for (uint32_t i = 0; i < token->size[2] / sizeof(*to); i++)
        to[i] = in[i] * 3;
    return TRM_OK;
}

/* in → a, which the host flips in a branch; the host fills b in another one; a third is a launch. */
static void build_host(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), a = scratch(rig), b = scratch(rig),
             c = scratch(rig), d = scratch(rig), out = rig_port(rig, trm_port_output("out", BYTES));
    spread(rig, in, a, 3, 0);
    rig_host(rig, host_flip, BIT(a), BIT(a));
    set_after(rig, BIT(0));
    rig_host(rig, host_triple, BIT(in), BIT(b));
    set_after(rig, 0);
    spread(rig, in, c, 7, 0);
    blend(rig, a, b, d, 5, BIT(1) | BIT(2));
    blend(rig, d, c, out, 11, BIT(3) | BIT(4));
}

static void expect_host(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i);
        words[i]    = (((in * 3 + 1) ^ (uint32_t)index) * 5 + in * 3) * 11 + in * 7 + 1;
    }
}

/* One branch advances a state that all tokens share, the other only looks at the input. */
static void build_state(struct rig *rig)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = sizeof(uint32_t), .flags = TRM_BUFFER_ZEROED};
    ck_ok(trm_buffer_create_from(rig->device, &desc, &rig->shared));
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), a = scratch(rig), b = scratch(rig),
             out                  = rig_port(rig, trm_port_output("out", BYTES));
    uint32_t state                = rig_port(rig, trm_port_shared("state", rig->shared));
    struct trm_argument running[] = {trm_arg_port(state), trm_arg_port(in), trm_arg_port(b),
                                     trm_arg_port_elements(in, 4)};
    spread(rig, in, a, 3, 0);
    struct trm_stage *stage = rig_launch(rig, "running", in, running, 4);
    stage->items_bytes      = 0;
    stage->grid             = trm_grid_1d(1, 0);
    set_after(rig, 0);
    blend(rig, a, b, out, 5, BIT(0) | BIT(1));
}

static void expect_state(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    rig->state *= 31;
    for (uint32_t i = 0; i < count; i++)
        rig->state += plan_input(rig, index, 0, i);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i);
        words[i]    = (in * 3 + 1) * 5 + in + rig->state;
    }
}

static const struct plan diamond    = {"a diamond", 0, build_diamond, expect_diamond};
static const struct plan backwards  = {"a diamond backwards", 0, build_backwards, expect_diamond};
static const struct plan urgent     = {"a diamond with priorities", 0, build_urgent, expect_diamond};
static const struct plan urgent_row = {"a row with priorities", 0, build_urgent_row, expect_diamond};
static const struct plan variable   = {"a diamond of variable sizes", PLAN_VARIABLE, build_variable,
                                       expect_diamond};
static const struct plan divisible  = {"a divisible diamond", PLAN_VARIABLE | PLAN_DIVISIBLE, build_divisible,
                                       expect_diamond};
static const struct plan many       = {"many branches", 0, build_many, expect_many};
static const struct plan chains     = {"branches of scratch", 0, build_chains, expect_chains};
static const struct plan variable_chains = {"branches of scratch of variable sizes", PLAN_VARIABLE,
                                            build_variable_chains, expect_chains};
static const struct plan host_plan       = {"host stages in branches", 0, build_host, expect_host};
static const struct plan stateful        = {"a state in a branch", PLAN_ORDERED, build_state, expect_state};

/* ---- results -------------------------------------------------------------------------------- */

static void run_at(const struct plan *plan, uint32_t depth, int32_t strategy, int32_t measure)
{
    struct rig rig;
    rig_make(&rig, plan, depth, strategy);
    rig.desc.measure = measure;
    if (rig_open(&rig) == TRM_OK) {
        rig_run(&rig, 3 * depth + 2, 0);
        ck_slots_free(rig.pipeline);
        rig_again(&rig);
        rig_run(&rig, depth, 0);
        ck_slots_free(rig.pipeline);
    }
    rig_close(&rig);
    kernels_close();
}

static void run_plan(const struct plan *plan)
{
    unsigned step = scaled(2, 3);
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 7; depth += depth < 3 ? 1 : step)
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++)
            run_at(plan, depth, all_strategies[i], depth % 2 ? TRM_MEASURE_ALL : TRM_MEASURE_NONE);
}

START_TEST(a_diamond_gives_what_a_loop_gives)
{
    run_plan(&diamond);
}
END_TEST

START_TEST(the_order_of_the_array_does_not_matter_to_branches)
{
    run_plan(&backwards);
}
END_TEST

START_TEST(branches_take_tokens_of_any_size)
{
    run_plan(&variable);
}
END_TEST

START_TEST(branches_of_pieces_give_what_a_loop_gives)
{
    run_plan(&divisible);
}
END_TEST

START_TEST(there_may_be_more_branches_than_run_at_once)
{
    run_plan(&many);
}
END_TEST

START_TEST(branches_pass_scratch_on)
{
    run_plan(&chains);
}
END_TEST

START_TEST(scratch_of_branches_follows_tokens_of_any_size)
{
    run_plan(&variable_chains);
}
END_TEST

START_TEST(branches_may_have_host_stages)
{
    run_plan(&host_plan);
}
END_TEST

START_TEST(tokens_take_turns_at_a_state_in_a_branch)
{
    run_plan(&stateful);
}
END_TEST

START_TEST(stages_may_prefer_priorities)
{
    run_plan(&urgent);
    run_plan(&urgent_row);
}
END_TEST

/* ---- scratch -------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct plan *plan, bool has_branches)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct rig rig;
    rig_make(&rig, plan, 1, TRM_STRATEGY_AUTO);
    if (!has_branches)
        rig.desc.after = NULL;
    ck_assert_int_eq(rig_open(&rig), TRM_OK);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    rig_close(&rig);
    kernels_close();
    return report.device_bytes;
}

/* Each branch needs two ports at once, and both branches may run at once; one after the other, the ends and
 * one more do. Ports are rounded up to an alignment. */
START_TEST(scratch_of_branches_that_may_run_at_once_is_apart)
{
    if (kernels_missing())
        return;
    uint64_t apart = bytes_of(&chains, true), in_order = bytes_of(&chains, false);
    ck_assert_uint_gt(apart, in_order);
    ck_assert_uint_ge(apart, group_devices() * 6 * BYTES);
    ck_assert_uint_lt(apart, group_devices() * 8 * BYTES);
}
END_TEST

/* ---- reports -------------------------------------------------------------------------------- */

START_TEST(a_report_tells_which_stages_run_after_which)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, &diamond, 3, TRM_STRATEGY_SLOT_STREAMS);
    rig.desc.measure = TRM_MEASURE_ALL;
    ck_assert_int_eq(rig_open(&rig), TRM_OK);
    rig_run(&rig, 12, 0);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_uint_eq(report.branches, 2);
    ck_assert_uint_eq(report.one_by_one, 0);
    ck_assert_uint_eq(report.launch_after[0], 0);
    ck_assert_uint_eq(report.launch_after[1], BIT(0));
    ck_assert_uint_eq(report.launch_after[2], BIT(0));
    ck_assert_uint_eq(report.launch_after[3], BIT(1) | BIT(2));
    uint64_t sum = 0, longest = report.launches[1].busy_ns;
    for (uint32_t i = 0; i < 4; i++)
        sum += report.launches[i].busy_ns;
    if (report.launches[2].busy_ns > longest)
        longest = report.launches[2].busy_ns;
    ck_assert_uint_eq(report.path_ns, report.launches[0].busy_ns + longest + report.launches[3].busy_ns);
    ck_assert_uint_le(report.path_ns, sum);
    rig_close(&rig);

    rig_make(&rig, &diamond, 3, TRM_STRATEGY_SLOT_GRAPHS);
    if (rig_open(&rig) == TRM_OK) {
        ck_ok(trm_pipeline_report(rig.pipeline, &report));
        ck_assert_uint_eq(report.branches, 1);
        ck_assert_uint_eq(report.one_by_one, 1);
    }
    rig_close(&rig);
    kernels_close();
}
END_TEST

#define PASSED 300u

static void *take_all(void *pipeline)
{
    struct trm_token *token;
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < PASSED; i++) {
        status = trm_pipeline_next(pipeline, TRM_FOREVER, &token);
        if (status == TRM_OK)
            status = trm_pipeline_release(pipeline, token);
    }
    return status == TRM_OK ? pipeline : NULL;
}

/* One thread reads the times of a token that came out while another one fills its slot; a sanitizer would see
 * what they share. */
START_TEST(a_slot_is_filled_while_the_times_of_its_branches_are_read)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_token *token;
    struct rig rig;
    pthread_t taker;
    void *taken;
    if (kernels_missing())
        return;
    rig_make(&rig, &diamond, 2, TRM_STRATEGY_AUTO);
    rig.desc.measure = TRM_MEASURE_ALL;
    ck_assert_int_eq(rig_open(&rig), TRM_OK);
    ck_assert_int_eq(pthread_create(&taker, NULL, take_all, rig.pipeline), 0);
    for (uint32_t i = 0; i < PASSED; i++) {
        ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
        memset(token->data[0], 0, BYTES);
        ck_ok(trm_pipeline_submit(rig.pipeline, token));
    }
    ck_assert_int_eq(pthread_join(taker, &taken), 0);
    ck_assert_ptr_nonnull(taken);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_uint_eq(report.tokens, PASSED);
    rig_close(&rig);
    kernels_close();
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

static void refused(struct rig *rig, const char *const *words, uint32_t count)
{
    struct trm_pipeline *pipeline = NULL;
    ck_status(pipeline_under_test(&rig->desc, &pipeline), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(pipeline);
    for (uint32_t i = 0; i < count; i++)
        ck_sentence_has(words[i]);
    rig_close(rig);
    kernels_close();
}

START_TEST(a_cycle_is_refused_with_its_stages)
{
    static const char *const names[] = {"\"left\" (stage 1) after \"mixed\" (stage 3) after \"left\""};
    static const char *const self[]  = {"\"left\" (stage 1) after \"left\""};
    struct rig rig;
    if (kernels_missing())
        return;
    for (uint32_t i = 0; i < 2; i++) {
        rig_make(&rig, &diamond, 2, TRM_STRATEGY_AUTO);
        rig.stages[1].name = "left";
        rig.stages[3].name = "mixed";
        rig.after[1]       = i == 0 ? BIT(3) : BIT(1);
        rig.after[3]       = BIT(1);
        if (i == 0)
            rig.after[2] = BIT(3); /* is behind the cycle, not in it */
        refused(&rig, i == 0 ? names : self, 1);
    }
}
END_TEST

START_TEST(branches_keep_their_order)
{
    static const uint32_t order[] = {0, 2, 1, 3};
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, &diamond, 2, TRM_STRATEGY_AUTO);
    ck_assert_int_eq(rig_open(&rig), TRM_OK);
    ck_status(trm_pipeline_set_stage_order(rig.pipeline, order, 4), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("branches");
    rig_run(&rig, 5, 0);
    rig_close(&rig);
    kernels_close();
}
END_TEST

START_TEST(a_stage_that_does_not_exist_is_refused)
{
    static const char *const words[] = {"stage 2", "runs after stage 4", "4 stages"};
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, &diamond, 2, TRM_STRATEGY_AUTO);
    rig.after[2] = BIT(4) | BIT(63);
    refused(&rig, words, 3);
}
END_TEST

START_TEST(a_priority_that_does_not_exist_is_refused)
{
    static const char *const words[]  = {"stage 1 \"left\"", "priority 7"};
    static const int32_t priorities[] = {0, 7, 0, 0};
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, &diamond, 2, TRM_STRATEGY_AUTO);
    rig.stages[1].name  = "left";
    rig.desc.priorities = priorities;
    refused(&rig, words, 2);
}
END_TEST

START_TEST(stages_that_would_race_are_refused_with_their_port)
{
    static const char *const reads[]  = {"\"left\"", "\"right\"", "\"left\" writes port 2 \"mine\"", "uses"};
    static const char *const writes[] = {"\"left\"", "\"right\"", "port 2 \"mine\"", "writes, too"};
    struct rig rig;
    if (kernels_missing())
        return;
    for (uint32_t i = 0; i < 2; i++) {
        rig_make(&rig, &diamond, 2, TRM_STRATEGY_AUTO);
        rig.ports[2].name              = "mine";
        rig.stages[1].name             = "left";
        rig.stages[2].name             = "right";
        rig.arguments[2][i].value.port = rig.arguments[1][1].value.port;
        refused(&rig, i == 0 ? reads : writes, 4);
    }
}
END_TEST

void add_pipeline_branches(Suite *suite)
{
    TCase *results = group_make(suite, "pipelines: branches");
    CASE(results, a_diamond_gives_what_a_loop_gives);
    CASE(results, the_order_of_the_array_does_not_matter_to_branches);
    CASE(results, branches_take_tokens_of_any_size);
    CASE(results, branches_of_pieces_give_what_a_loop_gives);
    CASE(results, there_may_be_more_branches_than_run_at_once);
    CASE(results, branches_pass_scratch_on);
    CASE(results, scratch_of_branches_follows_tokens_of_any_size);
    CASE(results, branches_may_have_host_stages);
    CASE(results, tokens_take_turns_at_a_state_in_a_branch);
    CASE(results, stages_may_prefer_priorities);
    CASE(results, scratch_of_branches_that_may_run_at_once_is_apart);
    CASE(results, a_report_tells_which_stages_run_after_which);
    CASE(results, a_slot_is_filled_while_the_times_of_its_branches_are_read);

    TCase *refusals = group_make(suite, "pipelines: branches refused");
    CASE(refusals, a_cycle_is_refused_with_its_stages);
    CASE(refusals, branches_keep_their_order);
    CASE(refusals, a_stage_that_does_not_exist_is_refused);
    CASE(refusals, a_priority_that_does_not_exist_is_refused);
    CASE(refusals, stages_that_would_race_are_refused_with_their_port);
}
