/* Pipelines: the order of the stages, changed after creation.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#define WORD_BYTES 4u
#define PORT_BYTES (PLAN_WORDS * WORD_BYTES)

/* Stages of the plan, as they stand in the descriptor. */
enum {
    FIRST   = 0, /* out = 3 in + 5 */
    STEP    = 1, /* out[0] = 31 out[0] + 9 */
    HOST    = 2, /* out[1] = 5 out[1] + 1 */
    STRIDE  = 3, /* out[0] = 31 out[0] + 4 */
    FLIP    = 4, /* out[1] ^= 77, on the host */
    LEFT    = 5, /* a = 7 in + 2 */
    LEFT_2  = 6, /* b = 2 a + 1 */
    RIGHT   = 7, /* c = 5 in + 3 */
    RIGHT_2 = 8, /* d = 4 c + 6 */
    JOIN    = 9, /* joined = 11 b + d */
    STAGES  = 10
};

static const uint32_t orders[][STAGES] = {
    {FIRST, STEP, HOST, STRIDE, FLIP, LEFT, LEFT_2, RIGHT, RIGHT_2, JOIN},
    {FIRST, STRIDE, STEP, FLIP, HOST, LEFT, LEFT_2, RIGHT, RIGHT_2, JOIN},
    /* a and c live at once: the scratch ports need more memory */
    {LEFT, RIGHT, FIRST, FLIP, STEP, STRIDE, HOST, RIGHT_2, LEFT_2, JOIN},
    {RIGHT, RIGHT_2, LEFT, LEFT_2, JOIN, FIRST, HOST, STEP, STRIDE, FLIP},
};
#define ORDERS (sizeof(orders) / sizeof(orders[0]))

static const uint32_t *order = orders[0]; /* the one that is set */

static int32_t host_line(void *user, const struct trm_token *token)
{
    (void)user;
    uint32_t *out = token->data[1];
    out[1]        = out[1] * 5 + 1;
    return TRM_OK;
}

static int32_t host_flip(void *user, const struct trm_token *token)
{
    (void)user;
    uint32_t *out = token->data[1];
    out[1] ^= 77;
    return TRM_OK;
}

static void spread(struct rig *rig, uint32_t from, uint32_t to, uint32_t factor, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to),
                                       trm_arg_port_elements(0, WORD_BYTES), trm_arg_u32(factor),
                                       trm_arg_u32(addend)};
    rig_launch(rig, "spread", 0, arguments, 5);
}

static void step(struct rig *rig, uint32_t port, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_port(port), trm_arg_u32(addend)};
    struct trm_stage *stage         = rig_launch(rig, "step", 0, arguments, 2);
    stage->items_bytes              = 0;
    stage->grid                     = trm_grid_1d(1, 0);
}

static void build(struct rig *rig)
{
    uint32_t in                = rig_port(rig, trm_port_input("in", PORT_BYTES));
    uint32_t out               = rig_port(rig, trm_port_output("out", PORT_BYTES));
    uint32_t a                 = rig_port(rig, trm_port_scratch("a", (uint64_t)4 * PORT_BYTES));
    uint32_t b                 = rig_port(rig, trm_port_scratch("b", PORT_BYTES));
    uint32_t c                 = rig_port(rig, trm_port_scratch("c", (uint64_t)4 * PORT_BYTES));
    uint32_t d                 = rig_port(rig, trm_port_scratch("d", PORT_BYTES));
    uint32_t joined            = rig_port(rig, trm_port_output("joined", PORT_BYTES));
    struct trm_argument join[] = {trm_arg_port(b), trm_arg_port(d), trm_arg_port(joined),
                                  trm_arg_port_elements(in, WORD_BYTES), trm_arg_u32(11)};
    spread(rig, in, out, 3, 5);
    step(rig, out, 9);
    rig_host(rig, host_line, 1u << out, 1u << out);
    step(rig, out, 4);
    rig_host(rig, host_flip, 1u << out, 1u << out);
    spread(rig, in, a, 7, 2);
    spread(rig, a, b, 2, 1);
    spread(rig, in, c, 5, 3);
    spread(rig, c, d, 4, 6);
    rig_launch(rig, "blend", 0, join, 5);
    static const char *const names[STAGES] = {"first", "step",   "host",  "stride",  "flip",
                                              "left",  "left 2", "right", "right 2", "join"};
    for (uint32_t i = 0; i < STAGES; i++)
        rig->stages[i].name = names[i];
}

static void expect_out(uint32_t *words)
{
    for (uint32_t i = 0; i < STAGES; i++) {
        if (order[i] == STEP)
            words[0] = words[0] * 31 + 9;
        else if (order[i] == STRIDE)
            words[0] = words[0] * 31 + 4;
        else if (order[i] == HOST)
            words[1] = words[1] * 5 + 1;
        else if (order[i] == FLIP)
            words[1] ^= 77;
    }
}

static void expect(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in = plan_input(rig, index, 0, i);
        words[i]    = port == 1 ? in * 3 + 5 : ((in * 7 + 2) * 2 + 1) * 11 + (in * 5 + 3) * 4 + 6;
    }
    if (port == 1)
        expect_out(words);
}

static const struct plan plan = {.name = "stages that change places", .build = build, .expect = expect};

static void set(struct rig *rig, const uint32_t *to)
{
    ck_ok(trm_pipeline_set_stage_order(rig->pipeline, to, STAGES));
    order = to;
}

START_TEST(stages_run_in_the_order_that_is_set)
{
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    if (kernels_missing())
        return;
    ck_ok(trm_device_get_usage(the.device, &before));
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        order = orders[0];
        rig_make(&rig, &plan, 3, all_strategies[s]);
        if (rig_open(&rig) == TRM_OK) {
            for (uint32_t i = 0; i <= 2 * ORDERS; i++) {
                rig_again(&rig);
                rig_run(&rig, 12, i % 2);
                set(&rig, orders[(i + 1) % ORDERS]);
            }
        }
        rig_close(&rig);
        kernels_close();
    }
    ck_ok(trm_device_get_usage(the.device, &after));
    ck_assert_uint_eq(after.buffers, before.buffers);
    ck_assert_uint_eq(after.buffer_bytes, before.buffer_bytes);
}
END_TEST

START_TEST(the_report_has_the_stages_in_their_new_order)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct rig rig;
    if (kernels_missing())
        return;
    order = orders[0];
    rig_make(&rig, &plan, 2, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    rig_run(&rig, 5, 0);
    set(&rig, orders[3]);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_uint_eq(report.tokens, 0);
    ck_assert_uint_eq(report.launch_count, STAGES);
    ck_assert_str_eq(report.launches[0].name, "right");
    ck_assert_str_eq(report.launches[4].name, "join");
    ck_assert_str_eq(report.launches[9].name, "flip");
    rig_again(&rig);
    rig_run(&rig, 5, 0);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_uint_eq(report.tokens, 5);
    rig_close(&rig);
}
END_TEST

START_TEST(scratch_ports_that_share_memory_get_more_of_it_where_they_need_it)
{
    struct trm_report first = {.struct_size = sizeof(first)}, wider = first, last = first;
    struct rig rig;
    if (kernels_missing())
        return;
    order = orders[0];
    rig_make(&rig, &plan, 2, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    ck_ok(trm_pipeline_report(rig.pipeline, &first));
    set(&rig, orders[2]);
    ck_ok(trm_pipeline_report(rig.pipeline, &wider));
    ck_assert_uint_ge(wider.device_bytes, first.device_bytes + (uint64_t)2 * PORT_BYTES);
    set(&rig, orders[3]);
    ck_ok(trm_pipeline_report(rig.pipeline, &last));
    ck_assert_uint_eq(last.device_bytes, wider.device_bytes);
    rig_run(&rig, 6, 0);
    rig_close(&rig);
}
END_TEST

static void is_refused(struct rig *rig, const uint32_t *to, uint32_t count, const char *sentence)
{
    ck_status(trm_pipeline_set_stage_order(rig->pipeline, to, count), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(trm_last_error().sentence, sentence) != NULL, "%s", trm_last_error().sentence);
}

START_TEST(an_order_that_is_none_is_refused)
{
    static const uint32_t twice[STAGES]   = {0, 1, 2, 3, 4, 5, 6, 7, 8, 8};
    static const uint32_t unknown[STAGES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, STAGES};
    /* the join before what it reads, and a step before what it changes */
    static const uint32_t join_early[STAGES] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 8};
    static const uint32_t step_early[STAGES] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
    struct rig rig;
    if (kernels_missing())
        return;
    order = orders[0];
    rig_make(&rig, &plan, 2, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    is_refused(&rig, orders[0], STAGES - 1, "has 9 stages");
    is_refused(&rig, NULL, STAGES, "stages");
    is_refused(&rig, orders[0], 1, "has 1 stage, but");
    is_refused(&rig, twice, STAGES, "names stage 8 twice");
    is_refused(&rig, unknown, STAGES, "names stage 10, which does not exist");
    is_refused(&rig, join_early, STAGES, "\"join\" reads port 5 \"d\"");
    is_refused(&rig, join_early, STAGES, "only the later stage \"right 2\" writes");
    is_refused(&rig, step_early, STAGES, "only the later stage \"first\" writes");
    rig_run(&rig, 6, 0);
    rig_close(&rig);
}
END_TEST

START_TEST(a_pipeline_without_stages_has_one_order)
{
    static const uint32_t none[1] = {0};
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("copies alone"), 2, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    ck_ok(trm_pipeline_set_stage_order(rig.pipeline, NULL, 0));
    ck_refused(trm_pipeline_set_stage_order(rig.pipeline, none, 1));
    rig_run(&rig, 4, 0);
    rig_close(&rig);
}
END_TEST

static int32_t set_inside(void *user, const struct trm_token *token)
{
    struct rig *rig = user;
    if (trm_pipeline_set_stage_order(rig->pipeline, orders[1], STAGES) != TRM_ERROR_DEADLOCK)
        return TRM_ERROR_OUT_OF_RANGE;
    rig_take(rig, token);
    return TRM_OK;
}

START_TEST(the_order_is_set_only_while_the_pipeline_is_idle)
{
    struct trm_source source;
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    order = orders[0];
    rig_make(&rig, &plan, 2, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    source               = trm_source_function(rig_source, &rig);
    struct trm_sink sink = trm_sink_function(set_inside, &rig);
    rig.count            = 3;
    ck_ok(trm_pipeline_run(rig.pipeline, &source, &sink));
    rig_check(&rig);

    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    ck_status(trm_pipeline_set_stage_order(rig.pipeline, orders[1], STAGES), TRM_ERROR_BUSY);
    rig_fill(&rig, token);
    ck_ok(trm_pipeline_submit(rig.pipeline, token));
    ck_status(trm_pipeline_set_stage_order(rig.pipeline, orders[1], STAGES), TRM_ERROR_BUSY);
    ck_ok(trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token));
    ck_status(trm_pipeline_set_stage_order(rig.pipeline, orders[1], STAGES), TRM_ERROR_BUSY);
    ck_ok(trm_pipeline_release(rig.pipeline, token));

    rig_again(&rig);
    rig.count = 3;
    ck_ok(trm_pipeline_start(rig.pipeline, &source));
    ck_status(trm_pipeline_set_stage_order(rig.pipeline, orders[1], STAGES), TRM_ERROR_BUSY);
    while (trm_pipeline_next(rig.pipeline, TRM_FOREVER, &token) == TRM_OK) {
        rig_take(&rig, token);
        ck_ok(trm_pipeline_release(rig.pipeline, token));
    }
    rig_check(&rig);
    set(&rig, orders[1]);
    rig_again(&rig);
    rig_run(&rig, 5, 0);
    rig_close(&rig);
}
END_TEST

START_TEST(the_order_is_set_after_a_cancel)
{
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    order = orders[0];
    rig_make(&rig, &plan, 3, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    for (uint32_t i = 1; i <= ORDERS; i++) {
        ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
        rig_fill(&rig, token);
        ck_ok(trm_pipeline_submit(rig.pipeline, token));
        ck_ok(trm_pipeline_cancel(rig.pipeline, TRM_FOREVER));
        set(&rig, orders[i % ORDERS]);
        rig_again(&rig);
        rig_run(&rig, 5, 1);
    }
    rig_close(&rig);
}
END_TEST

void add_pipeline_order(Suite *suite)
{
    TCase *tests = group_make(suite, "pipelines: order of stages");
    CASE(tests, stages_run_in_the_order_that_is_set);
    CASE(tests, the_report_has_the_stages_in_their_new_order);
    CASE(tests, scratch_ports_that_share_memory_get_more_of_it_where_they_need_it);
    CASE(tests, an_order_that_is_none_is_refused);
    CASE(tests, a_pipeline_without_stages_has_one_order);
    CASE(tests, the_order_is_set_only_while_the_pipeline_is_idle);
    CASE(tests, the_order_is_set_after_a_cancel);
}
