/* Queues of pipelines: calls from inside callbacks, and cancelling.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static struct record record;

static struct trm_source source_of(uint64_t count, uint32_t workers)
{
    record_init(&record, count);
    struct trm_source source = trm_source_function(record_fill, &record);
    source.workers           = workers;
    return source;
}

static int32_t run(uint64_t count, uint32_t workers)
{
    struct trm_source source = source_of(count, workers);
    struct trm_sink taker    = trm_sink_function(record_take, &record);
    return trm_pipeline_run(fake.handle, &source, &taker);
}

static int32_t next(struct trm_token **token)
{
    return trm_pipeline_next(fake.handle, TRM_FOREVER, token);
}

static struct trm_token *filled(void)
{
    struct trm_token *token;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    memset(token->data[0], (int)(token->index & 0x7f), token->size[0]);
    return token;
}

/* ---- inside callbacks ----------------------------------------------------------------------- */

static int32_t calls_back(struct trm_token *token)
{
    struct trm_token *other;
    struct trm_slot slots[3];
    uint32_t count;
    struct trm_source source = trm_source_function(record_fill, &record);
    (void)token;
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &other), TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &other), TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(trm_pipeline_start(fake.handle, &source), TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(trm_pipeline_cancel(fake.handle, 1), TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(pipeline_queue_close(fake.pipeline), TRM_ERROR_DEADLOCK);
    OK(trm_pipeline_slots(fake.handle, slots, 3, &count));
    return TRM_OK;
}

static int32_t filling_calls_back(void *user, struct trm_token *token)
{
    calls_back(token);
    return record_fill(user, token);
}

static int32_t taking_calls_back(void *user, const struct trm_token *token)
{
    calls_back(NULL);
    ck_assert_int_eq(trm_pipeline_release(fake.handle, (struct trm_token *)(uintptr_t)token),
                     TRM_ERROR_INVALID_ARGUMENT);
    return record_take(user, token);
}

/* The rest of the fake engine is in fake.c. */
bool pipeline_engine_is_on_stream(const struct pipeline *member)
{
    (void)member;
    return false;
}

START_TEST(calls_that_would_wait_for_themselves_are_told_so)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(5, (uint32_t)_i);
    source.fill              = filling_calls_back;
    struct trm_sink taker    = trm_sink_function(taking_calls_back, &record);
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert(record_is_complete(&record, 5, NO_TOKEN));
    fake_destroy();
}
END_TEST

static int32_t filling_cancels(void *user, struct trm_token *token)
{
    if (token->index == 9)
        ck_assert_int_eq(trm_pipeline_cancel(fake.handle, 0), TRM_ERROR_TIMEOUT);
    return record_fill(user, token);
}

START_TEST(a_source_may_cancel_its_own_run)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(1000, (uint32_t)_i);
    source.fill              = filling_cancels;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_CANCELLED);
    fake_all_free();
    OK(run(20, (uint32_t)_i));
    ck_assert(record_is_complete(&record, 20, NO_TOKEN));
    fake_destroy();
}
END_TEST

/* ---- cancelling ----------------------------------------------------------------------------- */

static _Atomic int32_t returned;

/* Until the cancelled call has returned, because it may not have begun at the first cancel. */
static void *cancels(void *nothing)
{
    (void)nothing;
    do {
        usleep(10000);
        trm_pipeline_cancel(fake.handle, 0);
    } while (!atomic_load(&returned));
    return NULL;
}

static pthread_t begin_cancelling(void *(*how)(void *))
{
    pthread_t thread;
    atomic_store(&returned, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, how, NULL), 0);
    return thread;
}

static void end_cancelling(pthread_t thread)
{
    atomic_store(&returned, 1);
    pthread_join(thread, NULL);
}

static void *cancels_what_hangs(void *nothing)
{
    int32_t hangs = 0;
    while (!hangs) {
        usleep(2000);
        pthread_mutex_lock(&fake.lock);
        hangs = fake.enqueued > 4;
        pthread_mutex_unlock(&fake.lock);
    }
    return cancels(nothing);
}

START_TEST(a_cancelled_run_returns_although_the_device_hangs)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.fates[4]    = FATE_HANGS;
    pthread_t thread = begin_cancelling(cancels_what_hangs);
    ck_assert_int_eq(run(100, (uint32_t)_i), TRM_ERROR_CANCELLED);
    end_cancelling(thread);
    ck_assert_uint_le(record.seen_count, 4);
    ck_assert_uint_lt(fake_free_slots(), 3);
    ck_assert_int_eq(trm_pipeline_cancel(fake.handle, MILLISECOND), TRM_ERROR_TIMEOUT);
    fake_let_go();
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    fake_all_free();
    fake.fates[4] = FATE_GOOD;
    OK(run(20, (uint32_t)_i));
    ck_assert(record_is_complete(&record, 20, NO_TOKEN));
    fake_destroy();
}
END_TEST

START_TEST(a_cancel_wakes_who_waits_for_a_slot_or_a_result)
{
    struct trm_token *token, *other;
    pthread_t thread;
    fake_create_plain(1, TRM_FAILURE_STOP);
    thread = begin_cancelling(cancels);
    ck_assert_int_eq(next(&token), TRM_ERROR_CANCELLED);
    end_cancelling(thread);
    token  = filled();
    thread = begin_cancelling(cancels);
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &other), TRM_ERROR_CANCELLED);
    end_cancelling(thread);
    ck_assert_int_eq(trm_pipeline_submit(fake.handle, token), TRM_ERROR_CANCELLED);
    fake_all_free();
    fake.fates[2] = FATE_HANGS;
    OK(trm_pipeline_discard(fake.handle, filled()));
    token = filled();
    OK(trm_pipeline_submit(fake.handle, token));
    thread = begin_cancelling(cancels);
    ck_assert_int_eq(next(&token), TRM_ERROR_CANCELLED);
    end_cancelling(thread);
    fake_let_go();
    OK(trm_pipeline_submit(fake.handle, filled()));
    OK(next(&token));
    ck_assert_uint_eq(token->index, 3);
    fake_destroy();
}
END_TEST

/* A producer without a consumer. */
static void *waits_for_a_slot(void *status)
{
    struct trm_token *token;
    *(int32_t *)status = trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token);
    return NULL;
}

static void *waits_for_a_result(void *status)
{
    struct trm_token *token;
    *(int32_t *)status = trm_pipeline_next(fake.handle, TRM_FOREVER, &token);
    return NULL;
}

static bool has_waiter(struct pipeline *pipeline)
{
    const struct pipeline_queue *queue = pipeline->queue;
    base_biased_lock_acquire(&pipeline->lock);
    bool has = queue->free_waiters + queue->change_waiters + queue->leader_waiters > 0;
    base_biased_lock_release(&pipeline->lock);
    return has;
}

START_TEST(destroying_a_pipeline_wakes_who_waits_for_a_slot_or_a_result)
{
    int32_t status = TRM_OK;
    pthread_t thread;
    fake_create_plain(1, TRM_FAILURE_STOP);
    struct pipeline *pipeline = pipeline_enter(fake.handle);
    ck_assert_ptr_nonnull(pipeline);
    if (_i == 0)
        filled(); /* the only slot is the program's */
    ck_assert_int_eq(pthread_create(&thread, NULL, _i == 0 ? waits_for_a_slot : waits_for_a_result, &status),
                     0);
    while (!has_waiter(pipeline))
        usleep(1000);
    ck_assert_int_eq(pipeline_queue_close(pipeline), TRM_OK); /* as trm_pipeline_destroy() does */
    pthread_join(thread, NULL);
    ck_assert_int_eq(status, TRM_ERROR_CANCELLED);
    core_object_leave(&pipeline->object);
    fake_destroy();
}
END_TEST

static void *takes_one(void *expected)
{
    struct trm_token *token;
    ck_assert_int_eq(next(&token), (int32_t)(intptr_t)expected);
    return NULL;
}

static void *acquires_one(void *nothing)
{
    struct trm_token *token;
    (void)nothing;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    OK(trm_pipeline_discard(fake.handle, token));
    return NULL;
}

static void *lets_go_once_cancelled(void *nothing)
{
    bool is_cancelled = false;
    while (!is_cancelled) {
        usleep(1000);
        base_biased_lock_acquire(&fake.pipeline->lock);
        is_cancelled = fake.pipeline->queue->epoch > 0;
        base_biased_lock_release(&fake.pipeline->lock);
    }
    fake_let_go();
    return nothing;
}

static void wait_for_a_waiter(void)
{
    uint64_t waits = 0;
    while (waits == 0) {
        usleep(1000);
        pthread_mutex_lock(&fake.lock);
        waits = fake.waits;
        pthread_mutex_unlock(&fake.lock);
    }
}

START_TEST(a_cancel_waits_for_a_token_that_another_thread_waits_for)
{
    pthread_t taker, releaser;
    fake_create_plain(1, TRM_FAILURE_STOP);
    fake.fates[0] = FATE_HANGS;
    OK(trm_pipeline_submit(fake.handle, filled()));
    ck_assert_int_eq(pthread_create(&taker, NULL, takes_one, (void *)(intptr_t)TRM_ERROR_CANCELLED), 0);
    wait_for_a_waiter();
    ck_assert_int_eq(pthread_create(&releaser, NULL, lets_go_once_cancelled, NULL), 0);
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    fake_all_free();
    pthread_join(taker, NULL);
    pthread_join(releaser, NULL);
    fake_destroy();
}
END_TEST

START_TEST(who_waits_for_a_slot_gets_that_of_a_token_that_took_too_long_once_it_has_ended)
{
    struct trm_pipeline_desc desc = {
        .depth = 1, .on_failure = TRM_FAILURE_SKIP, .token_timeout_ns = 40 * MILLISECOND};
    pthread_t acquirer, taker;
    fake_create(&desc);
    fake.fates[0] = FATE_HANGS;
    OK(trm_pipeline_submit(fake.handle, filled()));
    ck_assert_int_eq(pthread_create(&acquirer, NULL, acquires_one, NULL), 0);
    ck_assert_int_eq(pthread_create(&taker, NULL, takes_one, (void *)(intptr_t)TRM_ERROR_TIMEOUT), 0);
    pthread_join(taker, NULL);
    fake_let_go();
    pthread_join(acquirer, NULL);
    fake_all_free();
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("cancelling pipelines");
    TCase *inside = tcase_create("inside");
    tcase_add_loop_test(inside, calls_that_would_wait_for_themselves_are_told_so, 0, 3);
    tcase_add_loop_test(inside, a_source_may_cancel_its_own_run, 0, 3);
    tcase_add_loop_test(inside, a_cancelled_run_returns_although_the_device_hangs, 0, 3);
    tcase_add_test(inside, a_cancel_wakes_who_waits_for_a_slot_or_a_result);
    tcase_add_loop_test(inside, destroying_a_pipeline_wakes_who_waits_for_a_slot_or_a_result, 0, 2);
    tcase_add_test(inside, a_cancel_waits_for_a_token_that_another_thread_waits_for);
    tcase_add_test(inside, who_waits_for_a_slot_gets_that_of_a_token_that_took_too_long_once_it_has_ended);
    suite_add_tcase(suite, inside);
    return suite;
}

UNIT_SUITE(make_suite)
