/* Pipelines whose stages prefer streams: of their own, or the program's.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "kernels.h"
#include "plans.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define BYTES (PLAN_WORDS * sizeof(uint32_t))
#define BIT(number) (UINT64_C(1) << (number))
#define STRATEGIES (sizeof(all_strategies) / sizeof(all_strategies[0]))

/* Only a fault makes a stage wait for so long. */
#define GIVE_UP_NS UINT64_C(60000000000)

static struct trm_stage_stream preferred[PLAN_MOST_STAGES];

static bool has_graphs_alone(int32_t strategy)
{
    return strategy == TRM_STRATEGY_SLOT_GRAPHS || strategy == TRM_STRATEGY_RESIDENT;
}

/* ---- plans ---------------------------------------------------------------------------------- */

static void spread(struct rig *rig, uint32_t from, uint32_t to, uint32_t factor)
{
    struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to), trm_arg_port_elements(0, 4),
                                       trm_arg_u32(factor), trm_arg_u32(1)};
    rig_launch(rig, "spread", 0, arguments, 5);
}

static uint32_t scratch(struct rig *rig)
{
    return rig_port(rig, trm_port_scratch(NULL, BYTES));
}

/* in → a → b → c → out */
static void build_row(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), a = scratch(rig), b = scratch(rig),
             c = scratch(rig), out = rig_port(rig, trm_port_output("out", BYTES));
    spread(rig, in, a, 3);
    spread(rig, a, b, 5);
    spread(rig, b, c, 7);
    spread(rig, c, out, 11);
    rig->desc.streams = preferred;
}

static void expect_row(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = (((plan_input(rig, index, 0, i) * 3 + 1) * 5 + 1) * 7 + 1) * 11 + 1;
}

static const struct plan row = {"a row of stages on streams that they prefer", 0, build_row, expect_row};
static const struct plan row_alone = {"a row of stages on the program's streams", PLAN_ALONE, build_row,
                                      expect_row};

/* The second and the third stage run after the first, and the fourth after both. */
static const uint64_t diamond_after[] = {0, BIT(0), BIT(0), BIT(1) | BIT(2)};

/* in → a, which forks to b and c; both join in out. */
static void build_diamond(struct rig *rig)
{
    uint32_t in = rig_port(rig, trm_port_input("in", BYTES)), a = scratch(rig), b = scratch(rig),
             c = scratch(rig), out = rig_port(rig, trm_port_output("out", BYTES));
    struct trm_argument join[] = {trm_arg_port(b), trm_arg_port(c), trm_arg_port(out),
                                  trm_arg_port_elements(0, 4), trm_arg_u32(11)};
    spread(rig, in, a, 3);
    spread(rig, a, b, 5);
    spread(rig, a, c, 7);
    rig_launch(rig, "blend", 0, join, 5);
    rig->desc.after   = diamond_after;
    rig->desc.streams = preferred;
}

static void expect_diamond(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = plan_input(rig, index, 0, i) * 3 + 1;
        words[i]   = (a * 5 + 1) * 11 + a * 7 + 1;
    }
}

static const struct plan diamond = {"branches on streams that they prefer", 0, build_diamond, expect_diamond};
static const struct plan diamond_alone = {"branches on the program's streams", PLAN_ALONE, build_diamond,
                                          expect_diamond};

/* state = 31 state + 9, in a buffer that is shared, or an argument alone */
static void launch_step(struct rig *rig, struct trm_argument state)
{
    struct trm_argument arguments[] = {state, trm_arg_u32(9)};
    struct trm_stage *stage         = rig_launch(rig, "step", 0, arguments, 2);
    stage->items_bytes              = 0;
    stage->grid                     = trm_grid_1d(1, 0);
}

static void make_state(struct rig *rig)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = sizeof(uint32_t), .flags = TRM_BUFFER_ZEROED};
    ck_ok(trm_buffer_create_from(rig->device, &desc, &rig->shared));
}

/* ---- results -------------------------------------------------------------------------------- */

static void try_plan(const struct plan *plan, uint32_t depth, uint32_t workers)
{
    for (size_t s = 0; s < STRATEGIES; s++) {
        struct rig rig;
        rig_make(&rig, plan, depth, all_strategies[s]);
        if (rig_open(&rig) == TRM_OK) {
            ck_assert_msg(!has_graphs_alone(all_strategies[s]), "%s took a stage's stream",
                          trm_strategy_name(all_strategies[s]));
            rig_run(&rig, PLAN_MOST_TOKENS, workers);
            rig_check(&rig);
            ck_slots_free(rig.pipeline);
        }
        rig_close(&rig);
        kernels_close();
    }
}

START_TEST(stages_on_streams_of_their_own_give_the_same_results)
{
    if (kernels_missing())
        return;
    for (uint32_t i = 0; i < 4; i++)
        preferred[i] = trm_stage_stream_own();
    try_plan(&row, 3, 0);
    try_plan(&diamond, 3, 2);
    preferred[0] = preferred[2] = trm_stage_stream_any();
    try_plan(&row, 2, 2);
    try_plan(&diamond, 1, 0);
}
END_TEST

START_TEST(stages_on_streams_of_the_program_give_the_same_results)
{
    struct trm_stream *one, *other;
    if (kernels_missing())
        return;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &one));
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_HIGH, &other));
    preferred[0] = trm_stage_stream_given(one);
    preferred[1] = trm_stage_stream_given(other);
    preferred[2] = trm_stage_stream_given(one);
    preferred[3] = trm_stage_stream_any();
    try_plan(&row_alone, 3, 0);
    try_plan(&diamond_alone, 2, 0);
    preferred[3] = trm_stage_stream_own();
    try_plan(&diamond_alone, 3, 0);
    trm_stream_destroy(one);
    trm_stream_destroy(other);
}
END_TEST

/* ---- the order of the program's stream -------------------------------------------------------- */

static void build_step(struct rig *rig)
{
    uint32_t in  = rig_port(rig, trm_port_input("in", BYTES)),
             out = rig_port(rig, trm_port_output("out", BYTES));
    make_state(rig);
    launch_step(rig, trm_arg_port(rig_port(rig, trm_port_shared("state", rig->shared))));
    spread(rig, in, out, 3);
    rig->desc.streams = preferred;
}

static void expect_spread(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = plan_input(rig, index, 0, i) * 3 + 1;
}

static const struct plan stepping = {"a stage on a stream of the program's", PLAN_ORDERED, build_step,
                                     expect_spread};

static void submit(struct rig *rig)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token));
    rig_fill(rig, token);
    ck_ok(trm_pipeline_submit(rig->pipeline, token));
}

static void take(struct rig *rig)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_next(rig->pipeline, TRM_FOREVER, &token));
    rig_take(rig, token);
    ck_ok(trm_pipeline_release(rig->pipeline, token));
    ck_assert_msg(rig->wrong == NULL, "%s", rig->wrong);
}

/* What the program enqueues before a token comes before its stage, and what it enqueues behind it sees its
 * work, without waiting for the token. */
static void enqueue_around(struct rig *rig, struct trm_stream *stream)
{
    uint32_t value = 5, word = 0;
    ck_ok(trm_upload(stream, trm_span_of(rig->shared, 0, sizeof(value)), &value));
    submit(rig);
    submit(rig);
    ck_ok(trm_download(stream, &word, trm_span_of(rig->shared, 0, sizeof(word))));
    ck_ok(trm_stream_sync(stream));
    ck_assert_uint_eq(word, (5u * 31 + 9) * 31 + 9);
    take(rig);
    take(rig);
}

START_TEST(a_stage_runs_in_the_order_of_the_programs_stream)
{
    if (kernels_missing())
        return;
    uint32_t tried = 0;
    for (size_t s = 0; s < STRATEGIES; s++) {
        struct rig rig;
        struct trm_stream *stream;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        preferred[0] = trm_stage_stream_given(stream);
        preferred[1] = trm_stage_stream_any();
        rig_make(&rig, &stepping, 2, all_strategies[s]);
        if (rig_open(&rig) == TRM_OK) {
            enqueue_around(&rig, stream);
            enqueue_around(&rig, stream);
            tried++;
        }
        rig_close(&rig);
        trm_stream_destroy(stream);
        kernels_close();
    }
    ck_assert_uint_gt(tried, 0);
}
END_TEST

/* The token waits for what the program has put on the stream, though the pipeline's own streams are free. */
START_TEST(a_token_waits_for_what_is_on_the_stream_of_its_stage)
{
    struct trm_stream *stream;
    struct trm_token *token;
    struct rig rig;
    if (kernels_missing())
        return;
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    for (uint32_t i = 0; i < 4; i++)
        preferred[i] = trm_stage_stream_any();
    preferred[3] = trm_stage_stream_given(stream);
    rig_make(&rig, &row_alone, 2, TRM_STRATEGY_SLOT_STREAMS);
    ck_status(rig_open(&rig), TRM_OK);
    struct hold *hold = hold_begin(stream);
    submit(&rig);
    ck_status(trm_pipeline_next(rig.pipeline, 1000000, &token), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    take(&rig);
    rig_close(&rig);
    trm_stream_destroy(stream);
}
END_TEST

/* ---- stages of several tokens at once ---------------------------------------------------------- */

static struct trm_stream *watching;
static struct trm_buffer *watched;
static atomic_uint seen;

/* Of the first token: waits until the first stage has run for the second one, too. */
static int32_t watch(void *user, const struct trm_token *token)
{
    uint64_t give_up = trm_clock_now() + GIVE_UP_NS;
    uint32_t word    = 0;
    (void)user;
    if (token->index != 0)
        return TRM_OK;
    while (word != 9 * 31 + 9 && trm_clock_now() < give_up) {
        int32_t status = trm_download(watching, &word, trm_span_of(watched, 0, sizeof(word)));
        if (status == TRM_OK)
            status = trm_stream_sync(watching);
        if (status != TRM_OK)
            return status;
        sched_yield();
    }
    atomic_store(&seen, word);
    return TRM_OK;
}

/* The buffer is no port, so tokens need not be processed in order. */
static void build_watch(struct rig *rig)
{
    uint32_t in  = rig_port(rig, trm_port_input("in", BYTES)),
             out = rig_port(rig, trm_port_output("out", BYTES));
    make_state(rig);
    watched = rig->shared;
    launch_step(rig, trm_arg_buffer(rig->shared));
    rig_host(rig, watch, BIT(in), 0);
    spread(rig, in, out, 3);
    rig->desc.streams = preferred;
}

static const struct plan watching_plan = {"a stage that waits for the next token's", PLAN_ORDERED,
                                          build_watch, expect_spread};

/* In role streams all stages have one stream, on which the first stage of the second token would come behind
 * the second stage of the first one, for ever. */
START_TEST(a_stage_of_its_own_stream_runs_for_the_next_token)
{
    struct rig rig;
    if (kernels_missing())
        return;
    if (!hold_works()) {
        skip("its host stages run inside the call that enqueues them");
        return;
    }
    atomic_store(&seen, 0);
    preferred[0] = trm_stage_stream_own();
    preferred[1] = preferred[2] = trm_stage_stream_any();
    rig_make(&rig, &watching_plan, 2, TRM_STRATEGY_ROLE_STREAMS);
    ck_status(rig_open(&rig), TRM_OK);
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &watching));
    submit(&rig);
    submit(&rig);
    take(&rig);
    take(&rig);
    ck_assert_uint_eq(atomic_load(&seen), 9 * 31 + 9);
    trm_stream_destroy(watching);
    rig_close(&rig);
}
END_TEST

/* ---- life --------------------------------------------------------------------------------------- */

START_TEST(a_pipeline_keeps_the_stream_of_a_stage_alive)
{
    struct trm_stream *stream;
    struct trm_token *token;
    struct rig rig;
    uint32_t word = 0;
    if (kernels_missing())
        return;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    preferred[0] = trm_stage_stream_given(stream);
    preferred[1] = trm_stage_stream_given(stream);
    rig_make(&rig, &stepping, 2, TRM_STRATEGY_AUTO);
    ck_status(rig_open(&rig), TRM_OK);
    submit(&rig);
    trm_stream_destroy(stream);
    ck_status(trm_stream_query(stream), TRM_ERROR_INVALID_HANDLE);
    submit(&rig);
    take(&rig);
    submit(&rig);
    take(&rig);
    take(&rig);
    ck_ok(trm_download(the.stream, &word, trm_span_of(rig.shared, 0, sizeof(word))));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(word, (9u * 31 + 9) * 31 + 9);
    ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
    rig_fill(&rig, token);
    ck_ok(trm_pipeline_submit(rig.pipeline, token)); /* the end waits for it */
    rig_close(&rig);
}
END_TEST

struct end {
    struct trm_pipeline *pipeline;
    int32_t status;
};

static void end_inside(void *user, int32_t status)
{
    struct end *end = user;
    (void)status;
    trm_pipeline_destroy(end->pipeline);
    end->status = trm_last_error().status;
}

START_TEST(a_callback_on_the_stream_of_a_stage_cannot_end_the_pipeline)
{
    struct trm_stream *stream;
    struct rig rig;
    if (kernels_missing())
        return;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    preferred[0] = trm_stage_stream_given(stream);
    preferred[1] = trm_stage_stream_any();
    rig_make(&rig, &stepping, 2, TRM_STRATEGY_AUTO);
    ck_status(rig_open(&rig), TRM_OK);
    struct end end = {.pipeline = rig.pipeline};
    ck_ok(trm_stream_callback(stream, end_inside, &end));
    ck_ok(trm_stream_sync(stream));
    ck_assert_int_eq(end.status, TRM_ERROR_DEADLOCK);
    submit(&rig);
    take(&rig);
    rig_close(&rig);
    trm_stream_destroy(stream);
}
END_TEST

struct late {
    struct trm_pipeline *pipeline;
    _Atomic bool has_begun, has_ended;
};

/* There is no free slot, so the call waits until the pipeline ends. */
static void leave_late(void *user, int32_t status)
{
    struct late *late       = user;
    struct trm_token *token = NULL;
    (void)status;
    atomic_store(&late->has_begun, true);
    trm_pipeline_acquire(late->pipeline, TRM_FOREVER, &token);
    atomic_store(&late->has_ended, true);
}

/* The callback may be the last that leaves the pipeline, which then ends there, and with it the destroyed
 * stream. */
START_TEST(a_callback_on_the_stream_of_a_stage_may_be_in_the_pipeline_that_ends)
{
    if (kernels_missing())
        return;
    if (!hold_works()) {
        skip("its callbacks run inside the call that enqueues them");
        return;
    }
    for (uint32_t i = 0; i < 50; i++) {
        struct trm_stream *stream;
        struct trm_token *token;
        struct rig rig;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        preferred[0] = trm_stage_stream_given(stream);
        preferred[1] = trm_stage_stream_any();
        rig_make(&rig, &stepping, 2, TRM_STRATEGY_SLOT_STREAMS);
        ck_status(rig_open(&rig), TRM_OK);
        for (uint32_t k = 0; k < 2; k++)
            ck_ok(trm_pipeline_acquire(rig.pipeline, TRM_FOREVER, &token));
        struct late late = {.pipeline = rig.pipeline};
        ck_ok(trm_stream_callback(stream, leave_late, &late));
        ck_ok(trm_stream_flush(stream));
        while (!atomic_load(&late.has_begun))
            sched_yield();
        trm_stream_destroy(stream);
        trm_pipeline_destroy(rig.pipeline);
        rig.pipeline = NULL;
        while (!atomic_load(&late.has_ended))
            sched_yield();
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------------ */

static void is_refused(struct rig *rig, int32_t status, const char *sentence)
{
    struct trm_pipeline *pipeline = NULL;
    ck_status(trm_pipeline_create(rig->device, &rig->desc, &pipeline), status);
    ck_assert_msg(strstr(trm_last_error().sentence, sentence) != NULL, "%s", trm_last_error().sentence);
    ck_assert_ptr_null(pipeline);
}

START_TEST(streams_that_a_stage_cannot_have_are_refused)
{
    struct trm_stream *stream, *destroyed;
    struct rig rig;
    if (kernels_missing())
        return;
    memset(preferred, 0, sizeof(preferred));
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &destroyed));
    trm_stream_destroy(destroyed);
    rig_make(&rig, &row_alone, 2, TRM_STRATEGY_AUTO);
    preferred[1].kind = 3;
    is_refused(&rig, TRM_ERROR_INVALID_ARGUMENT, "kind 3");
    preferred[1] = trm_stage_stream_given(NULL);
    is_refused(&rig, TRM_ERROR_INVALID_ARGUMENT, "which is NULL");
    preferred[1]      = trm_stage_stream_given(the.stream);
    preferred[1].kind = TRM_STAGE_STREAM_OWN;
    is_refused(&rig, TRM_ERROR_INVALID_ARGUMENT, "not TRM_STAGE_STREAM_GIVEN");
    preferred[1] = trm_stage_stream_given(destroyed);
    is_refused(&rig, TRM_ERROR_INVALID_HANDLE, "stage 1");
    ck_ok(trm_device_thread_stream(the.device, &stream));
    preferred[1] = trm_stage_stream_given(stream);
    is_refused(&rig, TRM_ERROR_UNSUPPORTED, "belongs to a thread");
    preferred[1]      = trm_stage_stream_own();
    rig.desc.strategy = TRM_STRATEGY_SLOT_GRAPHS;
    is_refused(&rig, TRM_ERROR_UNSUPPORTED, "prefers another one");
    rig_close(&rig);
}
END_TEST

START_TEST(more_streams_than_stages_may_prefer_are_refused)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, &row_alone, 2, TRM_STRATEGY_SLOT_STREAMS);
    for (uint32_t i = 0; i < 8; i++) {
        preferred[i] = trm_stage_stream_own();
        if (i >= 4)
            rig.stages[rig.desc.stage_count++] = rig.stages[3];
    }
    ck_status(rig_open(&rig), TRM_OK);
    ck_status(trm_pipeline_set_stage_order(rig.pipeline, NULL, 0), TRM_ERROR_UNSUPPORTED);
    rig_close(&rig);
    preferred[8]                       = trm_stage_stream_own();
    rig.stages[rig.desc.stage_count++] = rig.stages[3];
    is_refused(&rig, TRM_ERROR_INVALID_ARGUMENT, "prefer 9 streams");
}
END_TEST

void add_pipeline_streams(Suite *suite)
{
    TCase *streams = group_make(suite, "pipelines: streams of stages");
    CASE(streams, stages_on_streams_of_their_own_give_the_same_results);
    CASE(streams, stages_on_streams_of_the_program_give_the_same_results);
    CASE(streams, a_stage_runs_in_the_order_of_the_programs_stream);
    CASE(streams, a_token_waits_for_what_is_on_the_stream_of_its_stage);
    CASE(streams, a_stage_of_its_own_stream_runs_for_the_next_token);
    CASE(streams, a_pipeline_keeps_the_stream_of_a_stage_alive);
    CASE(streams, a_callback_on_the_stream_of_a_stage_cannot_end_the_pipeline);
    CASE(streams, a_callback_on_the_stream_of_a_stage_may_be_in_the_pipeline_that_ends);
    CASE(streams, streams_that_a_stage_cannot_have_are_refused);
    CASE(streams, more_streams_than_stages_may_prefer_are_refused);
}
