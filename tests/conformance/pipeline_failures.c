/* Pipelines: tokens that fail, and ends before the end.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <pthread.h>
#include <stdatomic.h>

#define MS UINT64_C(1000000)
#define MARK 0xDEADBEEFu

/* A pipeline in which every stage can be made to fail at one token: in → picky → scratch → host → picky → out. */
enum place {
    AT_LOAD,
    AT_FIRST_LAUNCH,
    AT_HOST,
    AT_SECOND_LAUNCH,
    AT_SHAPE,
    AT_SINK,
    PLACES,
};

static const char *const place_words[PLACES] = {"load", "first", "middle", "second", "first", "sink"};

struct fragile {
    struct trm_port ports[3];
    struct trm_argument arguments[2][4];
    struct trm_stage stages[3];
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
    enum place place;
    uint64_t at;    /* the token that fails; UINT64_MAX: none */
    uint64_t count; /* of tokens */
    uint64_t delivered;
    uint64_t last; /* index delivered last */
    const char *wrong;
};

static int32_t break_host(void *user, const struct trm_token *token)
{
    struct fragile *fragile = user;
    uint32_t *words         = token->data[1];
    bool due                = token->index == fragile->at;
    if (due && fragile->place == AT_HOST)
        return TRM_ERROR_NOT_FOUND;
    if (due && fragile->place == AT_SECOND_LAUNCH)
        words[0] = MARK;
    return TRM_OK;
}

static int32_t break_shape(void *user, const struct trm_token *token, struct trm_grid *grid,
                           struct trm_argument *arguments)
{
    struct fragile *fragile = user;
    (void)arguments;
    *grid = trm_grid_1d(1, 0);
    return token->index == fragile->at && fragile->place == AT_SHAPE ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

static int32_t break_load(void *user, struct trm_token *token)
{
    struct fragile *fragile = user;
    uint32_t *words         = token->data[0];
    if (token->index >= fragile->count)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < 64; i++)
        words[i] = (uint32_t)token->index * 100 + i;
    if (token->index != fragile->at)
        return TRM_OK;
    if (fragile->place == AT_FIRST_LAUNCH)
        words[0] = MARK;
    return fragile->place == AT_LOAD ? TRM_ERROR_NOT_FOUND : TRM_OK;
}

static int32_t break_sink(void *user, const struct trm_token *token)
{
    struct fragile *fragile = user;
    const uint32_t *words   = token->data[2];
    if (token->index == fragile->at && fragile->place == AT_SINK)
        return TRM_ERROR_NOT_FOUND;
    if (token->index == fragile->at)
        fragile->wrong = "the failed token came out";
    if (fragile->delivered > 0 && token->index <= fragile->last)
        fragile->wrong = "tokens came out of order";
    for (uint32_t i = 0; i < 64; i++)
        if (words[i] != (uint32_t)token->index * 100 + i + 2)
            fragile->wrong = "a token came out with wrong data";
    fragile->last = token->index;
    fragile->delivered++;
    return TRM_OK;
}

static void fragile_make(struct fragile *fragile, uint32_t depth, int32_t strategy, int32_t mode)
{
    memset(fragile, 0, sizeof(*fragile));
    fragile->ports[0] = trm_port_input("in", 256);
    fragile->ports[1] = trm_port_scratch("scratch", 256);
    fragile->ports[2] = trm_port_output("out", 256);
    for (int i = 0; i < 2; i++) {
        fragile->arguments[i][0] = trm_arg_port((uint32_t)i);
        fragile->arguments[i][1] = trm_arg_port((uint32_t)i + 1);
        fragile->arguments[i][2] = trm_arg_u32(64);
        fragile->arguments[i][3] = trm_arg_u32(MARK);
    }
    fragile->stages[0]       = trm_stage_launch(kernel("picky"), fragile->arguments[0], 4, 0, 0);
    fragile->stages[0].name  = "first";
    fragile->stages[0].shape = break_shape;
    fragile->stages[0].user  = fragile;
    fragile->stages[1]       = trm_stage_host(break_host, fragile, 2, 2);
    fragile->stages[1].name  = "middle";
    fragile->stages[2]       = trm_stage_launch(kernel("picky"), fragile->arguments[1], 4, 0, 0);
    fragile->stages[2].name  = "second";
    fragile->stages[2].grid  = trm_grid_1d(1, 0);
    fragile->at              = UINT64_MAX;
    fragile->desc            = (struct trm_pipeline_desc){.struct_size = sizeof(fragile->desc),
                                                          .ports       = fragile->ports,
                                                          .port_count  = 3,
                                                          .stages      = fragile->stages,
                                                          .stage_count = 3,
                                                          .depth       = depth,
                                                          .strategy    = strategy,
                                                          .on_failure  = mode};
}

static int32_t fragile_open(struct fragile *fragile)
{
    int32_t status = trm_pipeline_create(the.device, &fragile->desc, &fragile->pipeline);
    if (status == TRM_ERROR_UNSUPPORTED && fragile->desc.strategy != TRM_STRATEGY_AUTO)
        return status;
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return TRM_OK;
}

static void fragile_begin(struct fragile *fragile, uint32_t depth)
{
    fragile_make(fragile, depth, TRM_STRATEGY_AUTO, TRM_FAILURE_STOP);
    ck_assert_int_eq(fragile_open(fragile), TRM_OK);
}

static void fragile_close(struct fragile *fragile)
{
    trm_pipeline_destroy(fragile->pipeline);
    kernels_close();
}

static int32_t fragile_run(struct fragile *fragile, uint64_t count)
{
    struct trm_source source = trm_source_function(break_load, fragile);
    struct trm_sink sink     = trm_sink_function(break_sink, fragile);
    fragile->count           = count;
    fragile->delivered = fragile->last = 0;
    fragile->wrong                     = NULL;
    int32_t status                     = trm_pipeline_run(fragile->pipeline, &source, &sink);
    ck_assert_msg(fragile->wrong == NULL, "depth %u, %s, failing in %s at %lld: token %llu: %s",
                  fragile->desc.depth, trm_strategy_name(fragile->desc.strategy), place_words[fragile->place],
                  (long long)fragile->at, (unsigned long long)fragile->last, fragile->wrong);
    ck_slots_free(fragile->pipeline);
    return status;
}

/* ---- modes ----------------------------------------------------------------------------------------------- */

/* What the status of a failure at a place is. */
static int32_t place_status(enum place place)
{
    return place == AT_FIRST_LAUNCH || place == AT_SECOND_LAUNCH ? TRM_ERROR_KERNEL : TRM_ERROR_NOT_FOUND;
}

static void fail_in_mode(uint32_t depth, int32_t strategy, int32_t mode, enum place place)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct fragile fragile;
    fragile_make(&fragile, depth, strategy, mode);
    if (fragile_open(&fragile) == TRM_OK) {
        fragile.place  = place;
        fragile.at     = 7;
        int32_t status = fragile_run(&fragile, 20);
        if (mode == TRM_FAILURE_SKIP) {
            ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
            ck_assert_uint_eq(fragile.delivered, 19);
        } else {
            ck_assert_msg(status == place_status(place), "depth %u, %s, failing in %s: %s (%s)", depth,
                          trm_strategy_name(strategy), place_words[place], trm_status_name(status),
                          trm_last_error().sentence);
            ck_assert_msg(strstr(trm_last_error().sentence, "token 7,") != NULL &&
                              strstr(trm_last_error().sentence, place_words[place]) != NULL,
                          "depth %u, %s, token 7 failing in %s: %s", depth, trm_strategy_name(strategy),
                          place_words[place], trm_last_error().sentence);
            if (place_status(place) == TRM_ERROR_NOT_FOUND) /* a function that has said nothing else */
                ck_sentence_has("the program's function answered TRM_ERROR_NOT_FOUND");
            ck_assert_uint_le(fragile.delivered, mode == TRM_FAILURE_STOP ? 7 : 7 + depth);
            if (mode == TRM_FAILURE_DRAIN)
                ck_assert_uint_ge(fragile.delivered, 7);
        }
        ck_ok(trm_pipeline_report(fragile.pipeline, &report));
        ck_assert_uint_eq(report.tokens, fragile.delivered);
        ck_assert_uint_ge(report.failed, 1);
        ck_assert_msg(strstr(report.failure, "token 7") != NULL, "the report's failure is: %s",
                      report.failure);
        fragile.at = UINT64_MAX; /* and it can be used again */
        ck_ok(fragile_run(&fragile, 12));
        ck_assert_uint_eq(fragile.delivered, 12);
        ck_ok(trm_pipeline_report(fragile.pipeline, &report));
        ck_assert_uint_eq(report.failed, 0);
        ck_assert_str_eq(report.failure, "");
    }
    fragile_close(&fragile);
}

/* Of kernels only C functions can fail. */
static bool place_can_fail(enum place place)
{
    return place_status(place) != TRM_ERROR_KERNEL || functions_there();
}

static void fail_everywhere(int32_t mode)
{
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 5; depth += 2)
        for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++)
            for (int place = 0; place < PLACES; place++)
                if (place_can_fail((enum place)place))
                    fail_in_mode(depth, all_strategies[s], mode, (enum place)place);
}

START_TEST(stopping_throws_away_what_is_under_way)
{
    fail_everywhere(TRM_FAILURE_STOP);
}
END_TEST

START_TEST(draining_delivers_what_is_under_way_but_for_the_failed_token)
{
    fail_everywhere(TRM_FAILURE_DRAIN);
}
END_TEST

START_TEST(skipping_leaves_the_failed_token_out)
{
    fail_everywhere(TRM_FAILURE_SKIP);
}
END_TEST

/* ---- by hand --------------------------------------------------------------------------------------------- */

static void ck_first_failed(const struct fragile *fragile, int32_t status)
{
    ck_assert_msg(status == place_status(fragile->place), "%s: %s", trm_status_name(status),
                  trm_last_error().sentence);
    ck_sentence_has("token 1");
    ck_sentence_has("first");
}

/* Token 1 of 3 fails: at the latest when it is its turn, and at once where that is known already. */
static void serve_three(struct fragile *fragile)
{
    struct trm_token *token;
    bool told = false;
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_pipeline_acquire(fragile->pipeline, TRM_FOREVER, &token));
        ck_assert_int_eq(break_load(fragile, token), TRM_OK);
        int32_t status = trm_pipeline_submit(fragile->pipeline, token);
        if (i == 1 && status != TRM_OK) {
            ck_first_failed(fragile, status);
            told = true;
        } else {
            ck_ok(status);
        }
    }
    for (uint64_t i = 0; i < 3; i++) {
        if (i == 1 && told)
            continue;
        int32_t status = trm_pipeline_next(fragile->pipeline, TRM_FOREVER, &token);
        if (i == 1) {
            ck_first_failed(fragile, status);
            continue;
        }
        ck_ok(status);
        ck_assert_uint_eq(token->index, i);
        ck_assert_int_eq(break_sink(fragile, token), TRM_OK);
        ck_ok(trm_pipeline_release(fragile->pipeline, token));
    }
}

START_TEST(a_failed_token_is_told_once_and_the_others_come_out)
{
    struct fragile fragile;
    if (kernels_missing())
        return;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        fragile_make(&fragile, 3, all_strategies[s], TRM_FAILURE_SKIP);
        if (fragile_open(&fragile) == TRM_OK) {
            fragile.place = place_can_fail(AT_FIRST_LAUNCH) ? AT_FIRST_LAUNCH : AT_SHAPE;
            fragile.at    = 1;
            fragile.count = 3;
            serve_three(&fragile);
            ck_assert_ptr_null(fragile.wrong);
            ck_slots_free(fragile.pipeline);
        }
        fragile_close(&fragile);
    }
}
END_TEST

START_TEST(after_a_failure_a_server_acquires_nothing_more)
{
    struct trm_token *token;
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 2);
    fragile.place = AT_HOST;
    fragile.at    = 0;
    fragile.count = 3;
    ck_ok(trm_pipeline_acquire(fragile.pipeline, TRM_FOREVER, &token));
    ck_assert_int_eq(break_load(&fragile, token), TRM_OK);
    ck_ok(trm_pipeline_submit(fragile.pipeline, token));
    ck_status(trm_pipeline_next(fragile.pipeline, TRM_FOREVER, &token), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("token 0");
    ck_sentence_has("middle");
    ck_status(trm_pipeline_acquire(fragile.pipeline, 0, &token), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("middle");
    ck_slots_free(fragile.pipeline);
    fragile_close(&fragile);
}
END_TEST

/* ---- time-outs ------------------------------------------------------------------------------------------- */

struct late {
    struct trm_port port;
    struct trm_argument argument;
    struct trm_stage stage;
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
};

/* A pipeline whose tokens take so long. */
static void late_open(struct late *late, uint32_t microseconds, uint64_t timeout_ns, int32_t mode)
{
    memset(late, 0, sizeof(*late));
    late->port       = trm_port_input("in", 16);
    late->argument   = trm_arg_u32(microseconds);
    late->stage      = trm_stage_launch(kernel("dawdle"), &late->argument, 1, 0, 0);
    late->stage.grid = trm_grid_1d(1, 1);
    late->desc       = (struct trm_pipeline_desc){.struct_size      = sizeof(late->desc),
                                                  .ports            = &late->port,
                                                  .port_count       = 1,
                                                  .stages           = &late->stage,
                                                  .stage_count      = 1,
                                                  .depth            = 2,
                                                  .on_failure       = mode,
                                                  .token_timeout_ns = timeout_ns};
    ck_ok(trm_pipeline_create(the.device, &late->desc, &late->pipeline));
}

/* No run waits for long for what took too long, nor one that was cancelled for anything. */
static void late_close(struct late *late)
{
    ck_ok(trm_pipeline_cancel(late->pipeline, TRM_FOREVER));
    ck_slots_free(late->pipeline);
    trm_pipeline_destroy(late->pipeline);
    kernels_close();
}

static bool nobody_is_late(void)
{
    if (kernels_missing())
        return true;
    if (device_number(the.device, TRM_DEVICE_SYNCHRONOUS) == 0)
        return false;
    skip("the device works inside of calls, so that nobody can be late");
    return true;
}

static int32_t give_some(void *user, struct trm_token *token)
{
    return token->index < *(uint64_t *)user ? TRM_OK : TRM_TOKEN_END;
}

START_TEST(a_token_that_takes_too_long_fails_with_a_time_out)
{
    uint64_t count           = 1;
    struct trm_source source = trm_source_function(give_some, &count);
    int32_t status           = TRM_OK;
    struct late late;
    if (nobody_is_late())
        return;
    for (unsigned i = 0; i < ATTEMPTS && status == TRM_OK; i++) {
        late_open(&late, dawdle_us(60, i), 10 * MS, TRM_FAILURE_STOP);
        status = trm_pipeline_run(late.pipeline, &source, NULL);
        ck_assert(status == TRM_OK || strstr(trm_last_error().sentence, "token 0"));
        late_close(&late);
    }
    ck_assert_int_eq(status, TRM_ERROR_TIMEOUT);

    late_open(&late, 1000, LONG_NS, TRM_FAILURE_STOP);
    ck_ok(trm_pipeline_run(late.pipeline, &source, NULL));
    late_close(&late);
}
END_TEST

START_TEST(late_tokens_are_left_out_one_by_one)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    uint64_t count           = 3;
    struct trm_source source = trm_source_function(give_some, &count);
    struct late late;
    if (nobody_is_late())
        return;
    for (unsigned i = 0; i < ATTEMPTS && report.failed < count; i++) {
        late_open(&late, dawdle_us(40, i), 10 * MS, TRM_FAILURE_SKIP);
        ck_ok(trm_pipeline_run(late.pipeline, &source, NULL));
        ck_ok(trm_pipeline_report(late.pipeline, &report));
        ck_assert_uint_eq(report.tokens + report.failed, count);
        late_close(&late);
    }
    ck_assert_uint_eq(report.failed, count);
}
END_TEST

/* ---- cancel ---------------------------------------------------------------------------------------------- */

struct canceller {
    struct trm_pipeline *pipeline;
    atomic_bool begun; /* the source was called: a cancel of what is idle cancels nothing */
    unsigned after_ms;
    uint64_t timeout_ns;
    int32_t status;
};

static struct canceller *later(struct canceller *canceller)
{
    while (!atomic_load(&canceller->begun))
        sleep_ms(1);
    sleep_ms(canceller->after_ms);
    return canceller;
}

static void *cancel_later(void *user)
{
    struct canceller *canceller = later(user);
    canceller->status           = trm_pipeline_cancel(canceller->pipeline, canceller->timeout_ns);
    return NULL;
}

static int32_t give_for_ever(void *user, struct trm_token *token)
{
    struct canceller *canceller = user;
    (void)token;
    atomic_store(&canceller->begun, true);
    return TRM_OK;
}

START_TEST(a_run_without_end_is_cancelled)
{
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 3; workers += 3) {
        struct canceller canceller = {.after_ms = 20, .timeout_ns = LONG_NS};
        struct trm_source source   = trm_source_function(give_for_ever, &canceller);
        struct fragile fragile;
        pthread_t thread;
        source.workers = workers;
        fragile_begin(&fragile, 3);
        canceller.pipeline = fragile.pipeline;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
        ck_status(trm_pipeline_run(fragile.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
        pthread_join(thread, NULL);
        ck_assert_int_eq(canceller.status, TRM_OK);
        ck_slots_free(fragile.pipeline);
        ck_ok(fragile_run(&fragile, 10)); /* it can be used again */
        ck_assert_uint_eq(fragile.delivered, 10);
        fragile_close(&fragile);
    }
}
END_TEST

/* Is something still under way when the cancelled run has returned? */
static bool returns_early(uint32_t microseconds)
{
    struct canceller canceller = {.after_ms = 10, .timeout_ns = 0};
    struct trm_source source   = trm_source_function(give_for_ever, &canceller);
    struct late late;
    pthread_t thread;
    late_open(&late, microseconds, 0, TRM_FAILURE_STOP);
    canceller.pipeline = late.pipeline;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
    ck_status(trm_pipeline_run(late.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
    int32_t status = trm_pipeline_cancel(late.pipeline, 0);
    pthread_join(thread, NULL);
    late_close(&late);
    return status == TRM_ERROR_TIMEOUT && canceller.status == TRM_ERROR_TIMEOUT;
}

START_TEST(a_cancelled_run_returns_although_the_device_is_slow)
{
    if (nobody_is_late())
        return;
    for (unsigned i = 0; !returns_early(dawdle_us(500, i)); i++)
        ck_assert_uint_lt(i, ATTEMPTS);
}
END_TEST

static int32_t cancel_inside(void *user, struct trm_token *token)
{
    struct canceller *canceller = user;
    if (token->index == 5)
        canceller->status = trm_pipeline_cancel(canceller->pipeline, 0);
    return TRM_OK;
}

START_TEST(a_source_may_cancel)
{
    struct canceller canceller = {.status = 1};
    struct trm_source source   = trm_source_function(cancel_inside, &canceller);
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 3);
    canceller.pipeline = fragile.pipeline;
    ck_status(trm_pipeline_run(fragile.pipeline, &source, NULL), TRM_ERROR_CANCELLED);
    ck_assert_int_ne(canceller.status, 1);
    ck_ok(trm_pipeline_cancel(fragile.pipeline, TRM_FOREVER)); /* a cancelled run does not wait for long */
    ck_slots_free(fragile.pipeline);
    ck_ok(fragile_run(&fragile, 10));
    fragile_close(&fragile);
}
END_TEST

START_TEST(cancelling_an_idle_pipeline_does_nothing)
{
    struct fragile fragile;
    if (kernels_missing())
        return;
    fragile_begin(&fragile, 3);
    ck_ok(trm_pipeline_cancel(fragile.pipeline, TRM_FOREVER));
    ck_ok(trm_pipeline_cancel(fragile.pipeline, 0));
    ck_ok(fragile_run(&fragile, 10));
    ck_ok(trm_pipeline_cancel(fragile.pipeline, 0));
    ck_ok(fragile_run(&fragile, 10));
    fragile_close(&fragile);
}
END_TEST

static void *destroy_later(void *user)
{
    trm_pipeline_destroy(later(user)->pipeline);
    return NULL;
}

START_TEST(a_pipeline_is_destroyed_while_another_thread_runs_it)
{
    if (kernels_missing())
        return;
    for (int i = 0; i < 5; i++) {
        struct canceller canceller = {.after_ms = (unsigned)(2 * i + 1)};
        struct trm_source source   = trm_source_function(give_for_ever, &canceller);
        struct fragile fragile;
        pthread_t thread;
        source.workers = (uint32_t)i % 3;
        fragile_begin(&fragile, 3);
        canceller.pipeline = fragile.pipeline;
        ck_assert_int_eq(pthread_create(&thread, NULL, destroy_later, &canceller), 0);
        ck_refused(trm_pipeline_run(fragile.pipeline, &source, NULL));
        pthread_join(thread, NULL);
        kernels_close();
    }
}
END_TEST

/* ---- beside it ------------------------------------------------------------------------------------------- */

START_TEST(one_pipeline_that_fails_does_not_harm_another)
{
    struct fragile broken, whole;
    if (kernels_missing())
        return;
    fragile_begin(&broken, 3);
    fragile_begin(&whole, 3);
    broken.place = place_can_fail(AT_SECOND_LAUNCH) ? AT_SECOND_LAUNCH : AT_HOST;
    broken.at    = 3;
    ck_status(fragile_run(&broken, 10), place_status(broken.place));
    ck_ok(fragile_run(&whole, 10));
    ck_assert_uint_eq(whole.delivered, 10);
    trm_pipeline_destroy(broken.pipeline);
    ck_ok(fragile_run(&whole, 10));
    fragile_close(&whole);
}
END_TEST

void add_pipeline_failures(Suite *suite)
{
    TCase *modes = group_make(suite, "pipelines: failures");
    CASE(modes, stopping_throws_away_what_is_under_way);
    CASE(modes, draining_delivers_what_is_under_way_but_for_the_failed_token);
    CASE(modes, skipping_leaves_the_failed_token_out);
    CASE(modes, a_failed_token_is_told_once_and_the_others_come_out);
    CASE(modes, after_a_failure_a_server_acquires_nothing_more);
    CASE(modes, one_pipeline_that_fails_does_not_harm_another);

    TCase *ends = group_make(suite, "pipelines: time-outs and cancelling");
    CASE(ends, a_token_that_takes_too_long_fails_with_a_time_out);
    CASE(ends, late_tokens_are_left_out_one_by_one);
    CASE(ends, a_run_without_end_is_cancelled);
    CASE(ends, a_cancelled_run_returns_although_the_device_is_slow);
    CASE(ends, a_source_may_cancel);
    CASE(ends, cancelling_an_idle_pipeline_does_nothing);
    CASE(ends, a_pipeline_is_destroyed_while_another_thread_runs_it);
}
