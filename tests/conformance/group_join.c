/* Shared ports that kernels on several devices write: what the copies are after they were joined.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "kernels.h"
#include "shaders.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define WORDS 1000u
#define BYTES (WORDS * sizeof(float))

/* Each token is added to a shared buffer. */
struct joined {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_group_kernel *kernel;
    struct trm_group_buffer *state;
    uint32_t devices;
    struct trm_port ports[2];
    struct trm_argument arguments[4];
    struct trm_stage stage, stages[2]; /* `stages`: behind one of the host */
    struct trm_join join;
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
    /* The source. */
    uint64_t count; /* of tokens */
    uint64_t bad;   /* the token that fails */
    float step;     /* each element of each token; 0: they differ */
};

/* ---- a group and its pipeline --------------------------------------------------------------- */

/* Devices of several backends, of CONFORMANCE_TEAM, else all of the backend under test. */
static void open_group(struct joined *joined)
{
    const struct trm_setting settings[] = {{"stream.models", "no"}, {"backend", "vulkan,cpu"}};
    struct trm_device_summary summary   = {.struct_size = sizeof(summary)};
    const char *mixed                   = getenv("CONFORMANCE_TEAM");
    char devices[80];
    ck_ok(context_with(settings, mixed != NULL ? 2 : 1, &joined->context));
    ck_ok(trm_device_describe(joined->context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(joined->context, mixed != NULL ? mixed : devices, &joined->group));
    ck_ok(trm_group_size(joined->group, &joined->devices));
}

/* Element i of the buffer is `i` at first. */
static void write_state(const struct joined *joined)
{
    float words[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (float)i;
    ck_ok(trm_group_buffer_write(joined->state, 0, words, BYTES));
}

static void describe(struct joined *joined, int32_t operation, uint32_t tokens)
{
    joined->ports[0]     = trm_port_input("tokens", BYTES);
    joined->ports[1]     = trm_port_shared("state", trm_group_port_buffer(joined->state));
    joined->arguments[0] = trm_arg_port(0);
    joined->arguments[1] = trm_arg_port(1);
    joined->arguments[2] = trm_arg_f32(1);
    joined->arguments[3] = trm_arg_port_elements(0, sizeof(float));
    joined->stage =
        trm_stage_launch(trm_group_stage_kernel(joined->kernel), joined->arguments, 4, 0, sizeof(float));
    joined->join =
        (struct trm_join){.port = 1, .type = TRM_TYPE_F32, .operation = operation, .tokens = tokens};
    joined->desc = (struct trm_pipeline_desc){.struct_size = sizeof(joined->desc),
                                              .name        = "joined",
                                              .ports       = joined->ports,
                                              .port_count  = 2,
                                              .stages      = &joined->stage,
                                              .stage_count = 1,
                                              .depth       = 2,
                                              .joins       = &joined->join,
                                              .join_count  = 1};
}

/* False: the device takes no portable kernels; it was said so. */
static bool joined_open(struct joined *joined, int32_t operation, uint32_t tokens)
{
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = BYTES};
    if (getenv("CONFORMANCE_TEAM") == NULL && shaders_missing())
        return false;
    *joined = (struct joined){.bad = UINT64_MAX};
    open_group(joined);
    ck_ok(trm_group_kernel_named(joined->group, "axpy", NULL, 0, &joined->kernel));
    ck_ok(trm_group_buffer_create(joined->group, &desc, &joined->state));
    write_state(joined);
    describe(joined, operation, tokens);
    return true;
}

static void joined_close(struct joined *joined)
{
    trm_pipeline_destroy(joined->pipeline);
    trm_group_buffer_destroy(joined->state);
    trm_group_kernel_destroy(joined->kernel);
    trm_group_destroy(joined->group);
    trm_context_destroy(joined->context);
}

/* ---- tokens --------------------------------------------------------------------------------- */

static float element_of(const struct joined *joined, uint64_t index, uint32_t i)
{
    return joined->step != 0 ? joined->step : (float)(index % 8 + i % 5);
}

static int32_t load(void *user, struct trm_token *token)
{
    const struct joined *joined = user;
    float *words                = token->data[0];
    if (token->index >= joined->count)
        return TRM_TOKEN_END;
    if (token->index == joined->bad)
        return TRM_ERROR_IO;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = element_of(joined, token->index, i);
    return TRM_OK;
}

static int32_t drop(void *user, const struct trm_token *token)
{
    (void)user, (void)token;
    return TRM_OK;
}

static int32_t run(struct joined *joined, uint32_t workers)
{
    struct trm_source source = trm_source_function(load, joined);
    struct trm_sink sink     = trm_sink_function(drop, NULL);
    source.workers           = workers;
    return trm_pipeline_run(joined->pipeline, &source, &sink);
}

/* The report of the last run has its joins, of rounds of so many tokens, and how long they took. */
static void ck_report(const struct joined *joined, uint32_t tokens)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    ck_ok(trm_pipeline_report(joined->pipeline, &report));
    ck_assert_uint_eq(report.joins, joined->devices > 1 ? (joined->count + tokens - 1) / tokens : 0);
    ck_assert_int_eq(report.join_ns != 0, joined->devices > 1);
}

/* What `count` tokens add to element i. */
static double added(const struct joined *joined, uint64_t count, uint32_t i)
{
    double sum = 0;
    for (uint64_t index = 0; index < count; index++)
        sum += element_of(joined, index, i);
    return sum;
}

/* All copies are `part` of what was added `times` times by all tokens, and what they were at first. */
static void ck_copies(const struct joined *joined, double times)
{
    float found[WORDS];
    for (uint32_t device = 0; device < joined->devices; device++) {
        struct trm_device *owner;
        struct trm_buffer *one;
        ck_ok(trm_group_device(joined->group, device, &owner));
        ck_ok(trm_group_buffer_get(joined->state, device, &one));
        struct trm_stream *stream = make_stream(owner);
        get(stream, one, 0, found, BYTES);
        for (uint32_t i = 0; i < WORDS; i++) {
            double expected = i + times * added(joined, joined->count, i);
            ck_assert_msg(fabs(found[i] - expected) <= 1e-4 * (1 + fabs(expected)),
                          "element %u of device %u is %g, not %g", i, device, (double)found[i], expected);
        }
        trm_stream_destroy(stream);
        trm_device_destroy(owner);
    }
}

/* ---- operations ----------------------------------------------------------------------------- */

START_TEST(what_tokens_of_a_group_add_is_summed_on_every_device)
{
    struct joined joined;
    for (uint32_t tokens = 1; tokens < 100; tokens = tokens * 4 - 1) {
        if (!joined_open(&joined, TRM_REDUCE_SUM, tokens))
            return;
        ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
        joined.count = 50;
        ck_ok(run(&joined, 0));
        ck_copies(&joined, 1);
        ck_report(&joined, tokens);
        ck_ok(run(&joined, 3));
        ck_copies(&joined, 2);
        ck_report(&joined, tokens);
        joined_close(&joined);
    }
}
END_TEST

START_TEST(the_average_of_a_group_counts_each_device)
{
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_AVERAGE, 4))
        return;
    ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
    joined.count = 22;
    ck_ok(run(&joined, 0));
    ck_copies(&joined, 1.0 / joined.devices);
    joined_close(&joined);
}
END_TEST

/* One token a round: it is the only change. */
static void extreme(int32_t operation, float step)
{
    struct joined joined;
    if (!joined_open(&joined, operation, 1))
        return;
    ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
    joined.count = 20;
    joined.step  = step;
    ck_ok(run(&joined, 0));
    ck_copies(&joined, 1);
    joined_close(&joined);
}

START_TEST(the_greatest_element_of_a_group_comes_to_every_device)
{
    extreme(TRM_REDUCE_MAXIMUM, 1);
}
END_TEST

START_TEST(the_least_element_of_a_group_comes_to_every_device)
{
    extreme(TRM_REDUCE_MINIMUM, -1);
}
END_TEST

/* ---- when copies are joined ----------------------------------------------------------------- */

static void submit(struct joined *joined, uint64_t first, uint64_t end)
{
    struct trm_token *token;
    for (uint64_t index = first; index < end; index++) {
        ck_ok(trm_pipeline_acquire(joined->pipeline, TRM_FOREVER, &token));
        float *words = token->data[0];
        for (uint32_t i = 0; i < WORDS; i++)
            words[i] = element_of(joined, index, i);
        ck_ok(trm_pipeline_submit(joined->pipeline, token));
        ck_ok(trm_pipeline_next(joined->pipeline, TRM_FOREVER, &token));
        ck_ok(trm_pipeline_release(joined->pipeline, token));
    }
}

START_TEST(a_program_that_serves_joins_the_copies_of_a_group_when_it_wants)
{
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 3))
        return;
    ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
    ck_ok(trm_pipeline_join(joined.pipeline));
    ck_copies(&joined, 1);
    for (uint64_t index = 0; index < 12; index += 4) {
        submit(&joined, index, index + 4);
        ck_ok(trm_pipeline_join(joined.pipeline));
        joined.count = index + 4;
        ck_copies(&joined, 1);
    }
    ck_ok(trm_pipeline_join(joined.pipeline));
    ck_copies(&joined, 1);
    joined_close(&joined);
}
END_TEST

START_TEST(the_end_of_a_started_pipeline_of_a_group_joins_the_last_round)
{
    struct joined joined;
    struct trm_token *token;
    int32_t status;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 100))
        return;
    ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
    joined.count             = 17;
    struct trm_source source = trm_source_function(load, &joined);
    ck_ok(trm_pipeline_start(joined.pipeline, &source));
    ck_status(trm_pipeline_join(joined.pipeline), TRM_ERROR_BUSY);
    while ((status = trm_pipeline_next(joined.pipeline, TRM_FOREVER, &token)) == TRM_OK)
        ck_ok(trm_pipeline_release(joined.pipeline, token));
    ck_assert_int_eq(status, TRM_TOKEN_END);
    ck_copies(&joined, 1);
    joined_close(&joined);
}
END_TEST

START_TEST(after_a_failure_the_buffer_of_a_group_is_written_and_joined_anew)
{
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 4))
        return;
    ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
    joined.count = 30;
    joined.bad   = 14;
    ck_status(run(&joined, 0), TRM_ERROR_IO);
    if (joined.devices > 1)
        ck_status(trm_pipeline_join(joined.pipeline), TRM_ERROR_CANCELLED);
    write_state(&joined);
    joined.bad = UINT64_MAX;
    ck_ok(run(&joined, 2));
    ck_copies(&joined, 1);
    joined_close(&joined);
}
END_TEST

/* ---- cancels and stages of the host --------------------------------------------------------- */

static int32_t cancel_at_5(void *user, const struct trm_token *token)
{
    const struct joined *joined = user;
    return token->index == 5 ? trm_pipeline_cancel(joined->pipeline, 0) : TRM_OK;
}

START_TEST(a_cancel_ends_the_round_of_a_group)
{
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 100))
        return;
    ck_ok(trm_group_pipeline_create(joined.group, &joined.desc, &joined.pipeline));
    struct trm_source source = trm_source_function(load, &joined);
    struct trm_sink sink     = trm_sink_function(cancel_at_5, &joined);
    joined.count             = 50;
    ck_status(trm_pipeline_run(joined.pipeline, &source, &sink), TRM_ERROR_CANCELLED);
    write_state(&joined);
    joined.count = 10;
    ck_ok(run(&joined, 0));
    ck_copies(&joined, 1);
    joined_close(&joined);
}
END_TEST

/* The stage of the host before the kernel: it may wait until it is let go, and fail. */
struct host_stage {
    atomic_bool may_end;
    int32_t answer;
};

static int32_t wait_on_host(void *user, const struct trm_token *token)
{
    struct host_stage *stage = user;
    (void)token;
    while (!atomic_load(&stage->may_end))
        usleep(1000);
    usleep(20000); /* what does not wait for the stage is found out */
    return stage->answer;
}

static void open_with_host_stage(struct joined *joined, struct host_stage *stage)
{
    joined->stages[0]        = trm_stage_host(wait_on_host, stage, 1, 1);
    joined->stages[1]        = joined->stage;
    joined->desc.stages      = joined->stages;
    joined->desc.stage_count = 2;
    ck_ok(trm_group_pipeline_create(joined->group, &joined->desc, &joined->pipeline));
}

static void submit_one(struct joined *joined)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(joined->pipeline, TRM_FOREVER, &token));
    for (uint32_t i = 0; i < WORDS; i++)
        ((float *)token->data[0])[i] = element_of(joined, 0, i);
    ck_ok(trm_pipeline_submit(joined->pipeline, token));
}

START_TEST(a_join_of_a_group_waits_for_stages_of_the_host)
{
    struct host_stage stage = {.may_end = true};
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 100))
        return;
    open_with_host_stage(&joined, &stage);
    submit_one(&joined);
    ck_ok(trm_pipeline_join(joined.pipeline));
    joined.count = 1;
    ck_copies(&joined, 1);
    joined_close(&joined);
}
END_TEST

START_TEST(a_join_of_a_group_tells_of_a_stage_of_the_host_that_failed)
{
    struct host_stage stage = {.may_end = true, .answer = TRM_ERROR_IO};
    struct trm_token *token;
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 100))
        return;
    open_with_host_stage(&joined, &stage);
    submit_one(&joined);
    ck_status(trm_pipeline_join(joined.pipeline), TRM_ERROR_CANCELLED);
    ck_status(trm_pipeline_next(joined.pipeline, TRM_FOREVER, &token), TRM_ERROR_IO);
    ck_status(trm_pipeline_join(joined.pipeline), TRM_ERROR_IO);
    ck_ok(trm_pipeline_cancel(joined.pipeline, TRM_FOREVER));
    write_state(&joined);
    stage.answer = TRM_OK;
    submit_one(&joined);
    ck_ok(trm_pipeline_join(joined.pipeline));
    joined.count = 1;
    ck_copies(&joined, 1);
    joined_close(&joined);
}
END_TEST

struct joining {
    struct trm_pipeline *pipeline;
    int32_t status;
    atomic_bool has_ended;
};

static void *join_in_thread(void *data)
{
    struct joining *joining = data;
    joining->status         = trm_pipeline_join(joining->pipeline);
    atomic_store(&joining->has_ended, true);
    return NULL;
}

START_TEST(a_cancel_ends_a_join_of_a_group)
{
    struct host_stage stage = {.may_end = false};
    struct joined joined;
    pthread_t thread;
    if (!hold_works()) {
        skip("its host stages run inside the call that enqueues them");
        return;
    }
    if (!joined_open(&joined, TRM_REDUCE_SUM, 100))
        return;
    open_with_host_stage(&joined, &stage);
    submit_one(&joined);
    struct joining joining = {.pipeline = joined.pipeline};
    ck_assert_int_eq(pthread_create(&thread, NULL, join_in_thread, &joining), 0);
    while (!atomic_load(&joining.has_ended)) {
        (void)trm_pipeline_cancel(joined.pipeline, 0);
        usleep(1000);
    }
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(joining.status, TRM_ERROR_CANCELLED);
    atomic_store(&stage.may_end, true);
    joined_close(&joined);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------ */

static void ck_no_pipeline(struct joined *joined, int32_t status, const char *words)
{
    ck_status(trm_group_pipeline_create(joined->group, &joined->desc, &joined->pipeline), status);
    ck_sentence_has(words);
    ck_assert_ptr_null(joined->pipeline);
    describe(joined, TRM_REDUCE_SUM, 4);
}

START_TEST(a_join_of_a_group_that_cannot_be_is_refused)
{
    struct joined joined;
    if (!joined_open(&joined, 9, 4))
        return;
    ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "port 1 \"state\" is joined by an unknown operation");
    joined.join.tokens = 0;
    ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "is joined after 0 tokens");
    joined.join.port = 2;
    ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "names port 2, but the pipeline has 2 ports");
    joined.join.port = 0;
    ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "which only shared buffers that kernels write are");
    joined.desc.joins = NULL;
    ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "joins are NULL");
    struct trm_join twice[2] = {joined.join, joined.join};
    joined.desc.joins        = twice;
    joined.desc.join_count   = 2;
    ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "is joined twice");
    joined_close(&joined);
}
END_TEST

START_TEST(what_only_one_device_of_a_group_can_do_is_refused_on_several)
{
    struct joined joined;
    if (!joined_open(&joined, TRM_REDUCE_SUM, 4))
        return;
    if (joined.devices > 1) {
        joined.desc.join_count = 0;
        ck_no_pipeline(&joined, TRM_ERROR_UNSUPPORTED, "say in `joins` how the copies are combined");
        joined.join.type = TRM_TYPE_U8;
        ck_no_pipeline(&joined, TRM_ERROR_UNSUPPORTED, "elements of type u8 (1) cannot be combined");
        joined.desc.on_failure = TRM_FAILURE_SKIP;
        ck_no_pipeline(&joined, TRM_ERROR_UNSUPPORTED, "STOP or DRAIN");
        joined.arguments[1] = trm_arg_port(0);
        ck_no_pipeline(&joined, TRM_ERROR_INVALID_ARGUMENT, "is joined, but no kernel writes it");
    }
    joined_close(&joined);
}
END_TEST

void add_group_join(Suite *suite)
{
    TCase *operations = group_make(suite, "group_join: operations");
    CASE(operations, what_tokens_of_a_group_add_is_summed_on_every_device);
    CASE(operations, the_average_of_a_group_counts_each_device);
    CASE(operations, the_greatest_element_of_a_group_comes_to_every_device);
    CASE(operations, the_least_element_of_a_group_comes_to_every_device);
    TCase *rounds = group_make(suite, "group_join: rounds");
    CASE(rounds, a_program_that_serves_joins_the_copies_of_a_group_when_it_wants);
    CASE(rounds, the_end_of_a_started_pipeline_of_a_group_joins_the_last_round);
    CASE(rounds, after_a_failure_the_buffer_of_a_group_is_written_and_joined_anew);
    CASE(rounds, a_cancel_ends_the_round_of_a_group);
    CASE(rounds, a_join_of_a_group_waits_for_stages_of_the_host);
    CASE(rounds, a_join_of_a_group_tells_of_a_stage_of_the_host_that_failed);
    CASE(rounds, a_cancel_ends_a_join_of_a_group);
    TCase *refused = group_make(suite, "group_join: refused");
    CASE(refused, a_join_of_a_group_that_cannot_be_is_refused);
    CASE(refused, what_only_one_device_of_a_group_can_do_is_refused_on_several);
}
