/* Runs whose locks favour the thread that runs the pipeline: other threads get in, and nothing is lost.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

#define TOKENS 4000
/* The locks favour the thread by then. */
#define LATER 100

static struct record record;
static _Atomic uint32_t favoured; /* tokens at whose sink the locks favoured its thread */
static _Atomic bool is_under_way, is_over;

static int32_t take(void *user, const struct trm_token *token)
{
    favoured += base_biased_lock_favours_me(&fake.pipeline->lock) &&
                base_biased_lock_favours_me(&fake.pipeline->enqueue_lock);
    if (token->index == LATER)
        is_under_way = true;
    return record_take(user, token);
}

static int32_t fill_without_end(void *user, struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static int32_t take_any(void *user, const struct trm_token *token)
{
    (void)user;
    if (token->index == LATER)
        is_under_way = true;
    return TRM_OK;
}

static int32_t run(uint64_t count)
{
    record_init(&record, count);
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_function(take, &record);
    return trm_pipeline_run(fake.handle, &source, &sink);
}

static void create(void)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.duration = 0;
    favoured      = 0;
    is_under_way = is_over = false;
}

static bool can_favour(void)
{
    return fake.pipeline->object.context->has_barriers;
}

static pthread_t start(void *(*function)(void *))
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, function, NULL), 0);
    return thread;
}

START_TEST(the_locks_favour_the_thread_of_a_run_and_none_after_it)
{
    create();
    OK(run(TOKENS));
    ck_assert(record_is_complete(&record, TOKENS, NO_TOKEN));
    ck_assert_uint_eq(favoured > TOKENS / 2, can_favour());
    ck_assert(!base_biased_lock_favours_me(&fake.pipeline->lock));
    ck_assert(!base_biased_lock_favours_me(&fake.pipeline->enqueue_lock));
    fake_counts(TOKENS, 0, 0, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

static void *report_again_and_again(void *nothing)
{
    uint64_t before = 0;
    while (!is_over) {
        struct trm_report report = fake_report();
        ck_assert_uint_ge(report.tokens, before);
        before = report.tokens;
        sched_yield();
    }
    return nothing;
}

START_TEST(reports_of_another_thread_disturb_no_token)
{
    create();
    pthread_t thread = start(report_again_and_again);
    OK(run(TOKENS));
    is_over = true;
    pthread_join(thread, NULL);
    ck_assert(record_is_complete(&record, TOKENS, NO_TOKEN));
    fake_counts(TOKENS, 0, 0, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

static void *cancel(void *nothing)
{
    while (!is_under_way)
        sched_yield();
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    return nothing;
}

START_TEST(another_thread_cancels_a_run_whose_locks_favour_its_thread)
{
    create();
    struct trm_source source = trm_source_function(fill_without_end, NULL);
    struct trm_sink sink     = trm_sink_function(take_any, NULL);
    pthread_t thread         = start(cancel);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_CANCELLED);
    pthread_join(thread, NULL);
    fake_all_free();
    OK(run(TOKENS));
    ck_assert(record_is_complete(&record, TOKENS, NO_TOKEN));
    fake_destroy();
}
END_TEST

static void *run_all(void *nothing)
{
    OK(run(TOKENS));
    return nothing;
}

START_TEST(each_run_favours_its_own_thread)
{
    create();
    for (int i = 0; i < 4; i++) {
        favoured = 0;
        if (i % 2 == 0)
            pthread_join(start(run_all), NULL);
        else
            OK(run(TOKENS));
        ck_assert(record_is_complete(&record, TOKENS, NO_TOKEN));
        ck_assert_uint_eq(favoured > TOKENS / 2, can_favour());
    }
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_fails_late_in_a_run_is_told)
{
    create();
    fake.fates[FAKE_TOKENS - 1] = FATE_DEVICE;
    ck_assert_int_eq(run(TOKENS), TRM_ERROR_KERNEL);
    ck_assert(record_is_complete(&record, FAKE_TOKENS - 1, NO_TOKEN));
    fake_counts(FAKE_TOKENS - 1, 0, 1, 2);
    fake_all_free();
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline locks that favour a thread");
    TCase *runs  = tcase_create("runs");
    tcase_set_timeout(runs, 60);
    tcase_add_test(runs, the_locks_favour_the_thread_of_a_run_and_none_after_it);
    tcase_add_test(runs, reports_of_another_thread_disturb_no_token);
    tcase_add_test(runs, another_thread_cancels_a_run_whose_locks_favour_its_thread);
    tcase_add_test(runs, each_run_favours_its_own_thread);
    tcase_add_test(runs, a_token_that_fails_late_in_a_run_is_told);
    suite_add_tcase(suite, runs);
    return suite;
}

UNIT_SUITE(make_suite)
