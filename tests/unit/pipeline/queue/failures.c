/* Queues of pipelines: what fails, what is reported, and what goes on.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/futex.h"
#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define TOKENS 20

static struct record loaded, taken;

static struct trm_source source_of(uint64_t count, uint32_t workers)
{
    record_init(&loaded, count);
    record_init(&taken, count);
    struct trm_source source = trm_source_function(record_fill, &loaded);
    source.workers           = workers;
    return source;
}

static int32_t run(uint32_t workers)
{
    struct trm_source source = source_of(TOKENS, workers);
    struct trm_sink sink     = trm_sink_function(record_take, &taken);
    return trm_pipeline_run(fake.handle, &source, &sink);
}

/* ---- the matrix: stage × token × depth × mode × loaders ------------------------------------- */

enum where {
    LOAD,
    ENQUEUE,
    STREAM,
    DEVICE,
    SINK,
    WHERES
};

static const char *const sentences[WHERES] = {[LOAD]    = "load: ",
                                              [ENQUEUE] = "upload: ",
                                              [STREAM]  = "upload: ",
                                              [DEVICE]  = "compute \"twice\": ",
                                              [SINK]    = "sink: "};

static int32_t run_failing(enum where where, uint64_t token, uint32_t workers)
{
    static const int32_t fates[WHERES] = {
        [ENQUEUE] = FATE_ENQUEUE, [STREAM] = FATE_STREAM, [DEVICE] = FATE_DEVICE};
    struct trm_source source = source_of(TOKENS, workers);
    struct trm_sink sink     = trm_sink_function(record_take, &taken);
    fake.fates[token]        = fates[where];
    fake.fates_are_permanent = true;
    loaded.fails             = where == LOAD ? token : NO_TOKEN;
    taken.fails              = where == SINK ? token : NO_TOKEN;
    int32_t status           = trm_pipeline_run(fake.handle, &source, &sink);
    fake.fates[token]        = FATE_GOOD;
    return status;
}

static void names_the_failure(const struct base_failure *failure, enum where where, uint64_t token)
{
    char begin[64];
    snprintf(begin, sizeof(begin), "token %" PRIu64 ", %s", token, sentences[where]);
    ck_assert_int_ne(failure->status, TRM_OK);
    ck_assert_msg(strncmp(failure->sentence, begin, strlen(begin)) == 0, "\"%s\" does not begin with \"%s\"",
                  failure->sentence, begin);
}

static void fails_well(enum where where, uint64_t token, uint32_t depth, int32_t mode, uint32_t workers)
{
    fake_create_plain(depth, mode);
    int32_t status = run_failing(where, token, workers);
    names_the_failure(&fake.pipeline->failure, where, token);
    if (mode == TRM_FAILURE_SKIP) {
        ck_assert_int_eq(status, TRM_OK);
        ck_assert(record_is_complete(&taken, TOKENS, token));
        fake_counts(TOKENS - 1, 0, 1, 0);
    } else {
        ck_assert_int_eq(status, fake.pipeline->failure.status);
        ck_assert_str_eq(trm_last_error().sentence, fake.pipeline->failure.sentence);
        ck_assert_uint_eq(taken.wrong, 0);
        ck_assert_uint_eq(fake_report().failed, 1);
    }
    /* Everything before it has come out in order, and in mode STOP nothing after it. */
    if (mode == TRM_FAILURE_STOP)
        ck_assert(record_is_complete(&taken, token, NO_TOKEN));
    if (mode == TRM_FAILURE_DRAIN) {
        uint64_t last = taken.seen_count > 0 ? taken.seen[taken.seen_count - 1] : 0;
        ck_assert(last > token ? record_is_complete(&taken, last + 1, token)
                               : record_is_complete(&taken, token, NO_TOKEN));
    }
    fake_all_free();
    OK(run(workers));
    ck_assert(record_is_complete(&taken, TOKENS, NO_TOKEN));
    ck_assert_int_eq(fake.pipeline->failure.status, TRM_OK);
    fake_destroy();
}

START_TEST(whatever_fails_every_slot_comes_back_and_the_first_cause_is_kept)
{
    static const uint64_t tokens[] = {0, 1, TOKENS / 2, TOKENS - 1};
    for (int where = 0; where < WHERES; where++) {
        for (int token = 0; token < 4; token++) {
            for (int32_t mode = TRM_FAILURE_STOP; mode <= TRM_FAILURE_SKIP; mode++) {
                fails_well(where, tokens[token], (uint32_t)_i, mode, 0);
                fails_well(where, tokens[token], (uint32_t)_i, mode, 2);
            }
        }
    }
}
END_TEST

/* ---- failures that others inherit ----------------------------------------------------------- */

START_TEST(tokens_that_fail_with_another_are_put_on_the_device_again)
{
    fake_create_plain(4, TRM_FAILURE_SKIP);
    fake.fates_are_permanent = true;
    fake.duration            = MILLISECOND;
    fake.fates[5]            = FATE_DEVICE;
    fake.fates[7]            = FATE_DEVICE;
    OK(run((uint32_t)_i));
    fake_counts(TOKENS - 2, 0, 2, 0);
    ck_assert_uint_eq(taken.wrong, 0);
    ck_assert_uint_gt(fake.enqueued, TOKENS);
    ck_assert_uint_ge(fake.recovered, 1);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(tokens_that_cannot_be_repeated_fail_too)
{
    fake_create_plain(4, TRM_FAILURE_SKIP);
    fake.duration     = MILLISECOND;
    fake.unrepeatable = true;
    fake.fates[5]     = FATE_DEVICE;
    OK(run(0));
    ck_assert_uint_eq(taken.seen_count, TOKENS - 4);
    fake_counts(TOKENS - 4, 0, 4, 0);
    ck_assert_uint_eq(fake.enqueued, TOKENS);
    fake_destroy();
}
END_TEST

START_TEST(a_lost_device_stops_in_every_mode)
{
    fake_create_plain(3, _i);
    fake.fates[6] = FATE_LOST;
    ck_assert_int_eq(run(0), TRM_ERROR_DEVICE_LOST);
    ck_assert_uint_eq(taken.seen_count, 6);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 6, "));
    fake_all_free();
    ck_assert_int_eq(run(0), TRM_ERROR_DEVICE_LOST);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(the_oldest_failure_of_an_unordered_pipeline_is_the_cause)
{
    struct trm_pipeline_desc desc = {.depth = 4, .flags = TRM_PIPELINE_UNORDERED, .on_failure = _i};
    fake_create(&desc);
    fake.duration  = 2 * MILLISECOND;
    fake.fates[5]  = FATE_DEVICE;
    int32_t status = run(0);
    ck_assert_int_eq(status, _i == TRM_FAILURE_SKIP ? TRM_OK : TRM_ERROR_KERNEL);
    names_the_failure(&fake.pipeline->failure, DEVICE, 5);
    if (_i == TRM_FAILURE_SKIP)
        ck_assert_uint_eq(taken.seen_count, TOKENS - 1);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(answers_that_mean_nothing_are_failures)
{
    fake_create_plain(2, TRM_FAILURE_STOP);
    struct trm_source source = source_of(TOKENS, 0);
    struct trm_sink sink     = trm_sink_function(record_take, &taken);
    OK(trm_pipeline_run(fake.handle, &source, &sink));
    loaded.count   = TOKENS;
    loaded.fails   = 3;
    int32_t status = trm_pipeline_run(fake.handle, &source, &sink);
    /* A source that gives no reason for its failure: the status is reported. */
    ck_assert_int_eq(status, TRM_ERROR_IO);
    ck_assert_str_eq(trm_last_error().sentence,
                     "token 3, load: the program's function returned TRM_ERROR_IO");
    fake_destroy();
}
END_TEST

static int32_t answers_seven(void *user, struct trm_token *token)
{
    (void)user, (void)token;
    return 7;
}

static int32_t sinks_seven(void *user, const struct trm_token *token)
{
    (void)user, (void)token;
    return 7;
}

START_TEST(an_unknown_answer_of_a_source_or_sink_is_refused)
{
    fake_create_plain(2, TRM_FAILURE_STOP);
    struct trm_source source = trm_source_function(answers_seven, NULL);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(trm_last_error().sentence,
                     "token 0, load: the source returned 7, which is not a status");
    source               = source_of(3, 0);
    struct trm_sink sink = trm_sink_function(sinks_seven, NULL);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(trm_last_error().sentence, "token 0, sink: the sink returned 7, which is not a status");
    fake_destroy();
}
END_TEST

/* ---- tokens that time out ------------------------------------------------------------------- */

START_TEST(a_token_that_takes_too_long_fails_with_its_stage)
{
    struct trm_pipeline_desc desc = {
        .depth = 3, .on_failure = TRM_FAILURE_SKIP, .token_timeout_ns = 30 * MILLISECOND};
    desc.flags = _i ? TRM_PIPELINE_UNORDERED : 0;
    fake_create(&desc);
    fake.fates[5] = FATE_HANGS;
    OK(run(0));
    ck_assert_uint_eq(taken.seen_count, TOKENS - 1);
    ck_assert_int_eq(fake.pipeline->failure.status, TRM_ERROR_TIMEOUT);
    ck_assert_str_eq(fake.pipeline->failure.sentence, "token 5, compute: timed out after 30 ms");
    fake_counts(TOKENS - 1, 0, 1, 0);
    fake_destroy();
}
END_TEST

START_TEST(the_slot_of_a_token_that_took_too_long_comes_back_when_its_work_has_ended)
{
    struct trm_pipeline_desc desc = {
        .depth = 1, .on_failure = TRM_FAILURE_SKIP, .token_timeout_ns = 5 * MILLISECOND};
    struct trm_token *token;
    fake_create(&desc);
    fake.fates[0] = FATE_HANGS;
    OK(trm_pipeline_acquire(fake.handle, 0, &token));
    OK(trm_pipeline_submit(fake.handle, token));
    ck_assert_int_eq(trm_pipeline_next(fake.handle, TRM_FOREVER, &token), TRM_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 0, compute"));
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, MILLISECOND, &token), TRM_ERROR_TIMEOUT);
    fake_let_go();
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    OK(trm_pipeline_discard(fake.handle, token));
    fake_destroy();
}
END_TEST

START_TEST(a_wait_that_times_out_says_whether_anything_is_submitted)
{
    struct trm_token *token;
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.fates[0] = FATE_HANGS;
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    ck_assert_str_eq(trm_last_error().sentence, "no token ended in time: none is submitted");
    OK(trm_pipeline_acquire(fake.handle, 0, &token));
    OK(trm_pipeline_submit(fake.handle, token));
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    ck_assert_str_eq(trm_last_error().sentence, "no token ended in time");
    fake_let_go();
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    OK(trm_pipeline_release(fake.handle, token));
    fake_destroy();
}
END_TEST

START_TEST(tokens_within_their_time_do_not_fail)
{
    struct trm_pipeline_desc desc = {.depth = 3, .token_timeout_ns = 10000000000u};
    fake_create(&desc);
    OK(run((uint32_t)_i));
    ck_assert(record_is_complete(&taken, TOKENS, NO_TOKEN));
    fake_destroy();
}
END_TEST

/* ---- serving -------------------------------------------------------------------------------- */

static void submit(int32_t expected)
{
    struct trm_token *token;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    memset(token->data[0], (int)(token->index & 0x7f), token->size[0]);
    ck_assert_int_eq(trm_pipeline_submit(fake.handle, token), expected);
}

static void request(int32_t expected, uint64_t index)
{
    struct trm_token *token;
    ck_assert_int_eq(trm_pipeline_next(fake.handle, TRM_FOREVER, &token), expected);
    if (expected != TRM_OK)
        return;
    ck_assert_uint_eq(token->index, index);
    OK(trm_pipeline_release(fake.handle, token));
}

START_TEST(a_served_pipeline_that_stopped_says_why_until_it_is_cancelled)
{
    struct trm_token *token;
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.all_hang = true; /* so that all are submitted before the failure is seen */
    fake.fates[1] = FATE_DEVICE;
    submit(TRM_OK);
    submit(TRM_OK);
    submit(TRM_OK);
    fake_let_go();
    request(TRM_OK, 0);
    request(TRM_ERROR_KERNEL, 1);
    request(TRM_ERROR_KERNEL, 1);
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &token), TRM_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 1, compute"));
    ck_assert_int_eq(trm_last_error().native_code, 77);
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    submit(TRM_OK);
    request(TRM_OK, 3);
    fake_counts(2, 0, 1, 1);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_served_pipeline_that_drains_gives_out_what_is_under_way)
{
    struct trm_token *token;
    fake_create_plain(3, TRM_FAILURE_DRAIN);
    fake.fates[0] = FATE_DEVICE;
    submit(TRM_OK);
    submit(TRM_OK);
    submit(TRM_OK);
    request(TRM_ERROR_KERNEL, 0);
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &token), TRM_ERROR_KERNEL);
    request(TRM_OK, 1);
    request(TRM_OK, 2);
    request(TRM_ERROR_KERNEL, 0);
    OK(trm_pipeline_cancel(fake.handle, 0));
    submit(TRM_OK);
    request(TRM_OK, 3);
    fake_destroy();
}
END_TEST

START_TEST(a_served_pipeline_that_skips_goes_on)
{
    fake_create_plain(3, TRM_FAILURE_SKIP);
    fake.fates[0] = FATE_DEVICE;
    submit(TRM_OK);
    submit(TRM_OK);
    usleep(1000);
    /* cannot be enqueued because of the first one, and goes on with the second */
    submit(TRM_OK);
    request(TRM_ERROR_KERNEL, 0);
    request(TRM_OK, 1);
    request(TRM_OK, 2);
    fake.fates[3] = FATE_STREAM;
    submit(TRM_ERROR_BACKEND);
    submit(TRM_OK);
    request(TRM_OK, 4);
    fake_counts(3, 0, 2, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_cannot_be_submitted_is_lost_and_its_slot_free)
{
    fake_create_plain(1, _i);
    fake.fates[0] = FATE_ENQUEUE;
    submit(TRM_ERROR_OUT_OF_RANGE);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 0, upload: too large"));
    if (_i != TRM_FAILURE_SKIP)
        OK(trm_pipeline_cancel(fake.handle, 0));
    submit(TRM_OK);
    request(TRM_OK, 1);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_failure_to_submit_is_told_in_order_when_it_may_come_of_another_token)
{
    fake_create_plain(3, _i);
    fake.duration = 30 * MILLISECOND;
    fake.fates[1] = FATE_ENQUEUE;
    submit(TRM_OK);
    submit(TRM_ERROR_OUT_OF_RANGE); /* its own failure: reported at once */
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    fake.fates[3] = FATE_STREAM;
    submit(TRM_OK);
    submit(TRM_OK);
    request(TRM_OK, 2);
    request(TRM_ERROR_BACKEND, 3);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 3, upload"));
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_started_pipeline_tells_each_failure_where_it_belongs)
{
    struct trm_token *token;
    fake_create_plain(3, _i);
    struct trm_source source = source_of(TOKENS, 0);
    loaded.fails             = 4;
    uint64_t came = 0, failures = 0;
    int32_t status;
    OK(trm_pipeline_start(fake.handle, &source));
    while ((status = trm_pipeline_next(fake.handle, TRM_FOREVER, &token)) != TRM_TOKEN_END) {
        if (status == TRM_OK) {
            came++;
            OK(trm_pipeline_release(fake.handle, token));
            continue;
        }
        failures++;
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 4, load: "));
        ck_assert_uint_eq(came, 4);
    }
    ck_assert_uint_eq(failures, 1);
    ck_assert_uint_eq(came, _i == TRM_FAILURE_SKIP ? TOKENS - 1 : 4);
    fake_all_free();
    OK(run(0));
    fake_destroy();
}
END_TEST

/* ---- several threads, and failures all the time --------------------------------------------- */

static _Atomic uint64_t outcomes;

static void *submits(void *nothing)
{
    (void)nothing;
    for (int i = 0; i < 150; i++) {
        struct trm_token *token;
        OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
        memset(token->data[0], 1, token->size[0]);
        if (trm_pipeline_submit(fake.handle, token) != TRM_OK)
            atomic_fetch_add(&outcomes, 1);
    }
    return NULL;
}

static void *takes(void *nothing)
{
    (void)nothing;
    while (atomic_load(&outcomes) < 300) {
        struct trm_token *token;
        int32_t status = trm_pipeline_next(fake.handle, 5 * MILLISECOND, &token);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        atomic_fetch_add(&outcomes, 1);
        if (status == TRM_OK)
            OK(trm_pipeline_release(fake.handle, token));
    }
    return NULL;
}

START_TEST(threads_that_submit_and_take_share_failures_without_losing_a_token)
{
    struct trm_pipeline_desc desc = {.depth = 5, .on_failure = TRM_FAILURE_SKIP};
    desc.flags                    = _i ? TRM_PIPELINE_UNORDERED : 0;
    pthread_t threads[4];
    fake_create(&desc);
    for (int i = 3; i < FAKE_TOKENS; i += 5)
        fake.fates[i] = i % 3 == 0 ? FATE_STREAM : i % 3 == 1 ? FATE_DEVICE : FATE_ENQUEUE;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, i < 2 ? submits : takes, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(atomic_load(&outcomes), 300);
    fake_all_free();
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline failures");
    TCase *runs  = tcase_create("runs");
    tcase_set_timeout(runs, 60);
    tcase_add_loop_test(runs, whatever_fails_every_slot_comes_back_and_the_first_cause_is_kept, 1, 9);
    tcase_add_loop_test(runs, tokens_that_fail_with_another_are_put_on_the_device_again, 0, 3);
    tcase_add_test(runs, tokens_that_cannot_be_repeated_fail_too);
    tcase_add_loop_test(runs, a_lost_device_stops_in_every_mode, 0, 3);
    tcase_add_loop_test(runs, the_oldest_failure_of_an_unordered_pipeline_is_the_cause, 0, 3);
    tcase_add_test(runs, answers_that_mean_nothing_are_failures);
    tcase_add_test(runs, an_unknown_answer_of_a_source_or_sink_is_refused);
    suite_add_tcase(suite, runs);
    TCase *late = tcase_create("late");
    tcase_add_loop_test(late, a_token_that_takes_too_long_fails_with_its_stage, 0, 2);
    tcase_add_test(late, the_slot_of_a_token_that_took_too_long_comes_back_when_its_work_has_ended);
    tcase_add_test(late, a_wait_that_times_out_says_whether_anything_is_submitted);
    tcase_add_loop_test(late, tokens_within_their_time_do_not_fail, 0, 2);
    suite_add_tcase(suite, late);
    TCase *serving = tcase_create("serving");
    tcase_add_test(serving, a_served_pipeline_that_stopped_says_why_until_it_is_cancelled);
    tcase_add_test(serving, a_served_pipeline_that_drains_gives_out_what_is_under_way);
    tcase_add_test(serving, a_served_pipeline_that_skips_goes_on);
    tcase_add_loop_test(serving, a_token_that_cannot_be_submitted_is_lost_and_its_slot_free, 0, 3);
    tcase_add_loop_test(serving, a_failure_to_submit_is_told_in_order_when_it_may_come_of_another_token, 0,
                        3);
    tcase_add_loop_test(serving, a_started_pipeline_tells_each_failure_where_it_belongs, 0, 3);
    tcase_add_loop_test(serving, threads_that_submit_and_take_share_failures_without_losing_a_token, 0, 2);
    suite_add_tcase(suite, serving);
    return suite;
}

UNIT_SUITE(make_suite)
