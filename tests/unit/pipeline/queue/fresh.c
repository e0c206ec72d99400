/* Tokens that are dropped for newer ones, and deadlines.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <string.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static void create(uint32_t depth, int32_t on_full, int32_t on_failure)
{
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .depth = depth, .on_failure = on_failure, .on_full = on_full};
    fake_create(&desc);
}

static struct trm_token *acquire(uint64_t timeout_ns)
{
    struct trm_token *token;
    OK(trm_pipeline_acquire(fake.handle, timeout_ns, &token));
    memset(token->data[0], (int)(token->index & 0x7f), token->size[0]);
    return token;
}

static void submit(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        OK(trm_pipeline_submit(fake.handle, acquire(TRM_FOREVER)));
}

static void wait_until_done(uint64_t index)
{
    bool is_done = false;
    while (!is_done) {
        struct trm_slot slots[PIPELINE_DEPTH_MOST];
        uint32_t count;
        OK(trm_pipeline_slots(fake.handle, slots, PIPELINE_DEPTH_MOST, &count));
        for (uint32_t i = 0; i < count; i++)
            is_done = is_done || (slots[i].state == TRM_SLOT_DONE && slots[i].token == index);
        sched_yield();
    }
}

/* Takes the next token, which must be the one with this index. */
static void take(uint64_t index)
{
    struct trm_token *token;
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    ck_assert_uint_eq(token->index, index);
    OK(trm_pipeline_release(fake.handle, token));
}

static void dropped_are(uint64_t dropped, uint64_t expired)
{
    struct trm_report report = fake_report();
    ck_assert_uint_eq(report.dropped, dropped);
    ck_assert_uint_eq(report.expired, expired);
}

/* ---- acquire -------------------------------------------------------------------------------- */

START_TEST(a_full_pipeline_drops_the_oldest_token_that_has_ended)
{
    create(3, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    submit(3);
    wait_until_done(2);
    OK(trm_pipeline_submit(fake.handle, acquire(TRM_FOREVER)));
    dropped_are(1, 0);
    take(1);
    take(2);
    take(3);
    fake_counts(3, 0, 0, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_full_pipeline_that_blocks_drops_nothing)
{
    struct trm_token *token;
    create(2, TRM_FULL_BLOCK, TRM_FAILURE_STOP);
    submit(2);
    wait_until_done(1);
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, MILLISECOND, &token), TRM_ERROR_TIMEOUT);
    take(0);
    take(1);
    dropped_are(0, 0);
    fake_destroy();
}
END_TEST

START_TEST(tokens_of_the_program_are_not_dropped)
{
    struct trm_token *token, *out;
    create(2, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    submit(1);
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &out));
    token = acquire(0);
    struct trm_token *none;
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &none), TRM_ERROR_TIMEOUT);
    OK(trm_pipeline_submit(fake.handle, token));
    wait_until_done(1);
    token = acquire(TRM_FOREVER); /* token 1, the only one that is neither */
    ck_assert_uint_eq(token->index, 2);
    OK(trm_pipeline_discard(fake.handle, token));
    OK(trm_pipeline_release(fake.handle, out));
    dropped_are(1, 0);
    fake_destroy();
}
END_TEST

static void *acquire_and_discard(void *unused)
{
    OK(trm_pipeline_discard(fake.handle, acquire(TRM_FOREVER)));
    return unused;
}

static void *acquire_and_be_cancelled(void *unused)
{
    struct trm_token *token;
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token), TRM_ERROR_CANCELLED);
    return unused;
}

/* No slice of waiting for the device passes before the producer has the slot that the program released. */
START_TEST(a_slot_that_is_released_is_had_at_once_beside_the_work_of_a_dropped_token)
{
    struct trm_token *out;
    pthread_t producer;
    create(2, TRM_FULL_LATEST, TRM_FAILURE_STOP);
    fake.notifies = true;
    fake.fates[0] = FATE_HANGS;
    submit(2);
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &out));
    ck_assert_uint_eq(out->index, 1); /* token 0 was dropped, and its work runs */
    uint64_t waits = fake.waits;
    ck_assert_int_eq(pthread_create(&producer, NULL, acquire_and_discard, NULL), 0);
    while (!fake_is_watched())
        sched_yield();
    OK(trm_pipeline_release(fake.handle, out));
    ck_assert_int_eq(pthread_join(producer, NULL), 0);
    ck_assert_uint_eq(fake.waits, waits);
    fake.notifies = false;
    fake_destroy();
}
END_TEST

/* The same by a cancel, where no slot comes back. */
START_TEST(a_cancel_ends_the_wait_beside_a_dropped_token_at_once)
{
    struct trm_token *out;
    pthread_t producer;
    create(2, TRM_FULL_LATEST, TRM_FAILURE_STOP);
    fake.notifies = true;
    fake.fates[0] = FATE_HANGS;
    submit(2);
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &out));
    uint64_t waits = fake.waits;
    ck_assert_int_eq(pthread_create(&producer, NULL, acquire_and_be_cancelled, NULL), 0);
    while (!fake_is_watched())
        sched_yield();
    ck_assert_int_eq(trm_pipeline_cancel(fake.handle, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(pthread_join(producer, NULL), 0);
    ck_assert_uint_eq(fake.waits, waits);
    OK(trm_pipeline_release(fake.handle, out));
    fake.notifies = false;
    fake_destroy();
}
END_TEST

struct call {
    pthread_t thread;
    struct trm_token *token;
    int32_t status;
};

static void *acquire_in_thread(void *user)
{
    struct call *call = user;
    call->status      = trm_pipeline_acquire(fake.handle, TRM_FOREVER, &call->token);
    return NULL;
}

static void *next_in_thread(void *user)
{
    struct call *call = user;
    call->status      = trm_pipeline_next(fake.handle, TRM_FOREVER, &call->token);
    return NULL;
}

static void begin(struct call *call, void *(*function)(void *user))
{
    ck_assert_int_eq(pthread_create(&call->thread, NULL, function, call), 0);
}

static void end(struct call *call)
{
    pthread_join(call->thread, NULL);
    OK(call->status);
}

/* Waits until threads wait for a slot, and for a result. */
static void wait_for_waiters(bool for_slot, bool for_result)
{
    bool is_there = false;
    while (!is_there) {
        base_biased_lock_acquire(&fake.pipeline->lock);
        is_there = (!for_slot || fake.pipeline->queue->free_waiters > 0) &&
                   (!for_result || fake.pipeline->queue->has_leader);
        base_biased_lock_release(&fake.pipeline->lock);
        sched_yield();
    }
}

START_TEST(the_newest_result_stays_while_later_tokens_are_in_flight)
{
    struct call acquires = {.status = TRM_OK};
    create(2, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    fake.fates[1] = FATE_HANGS;
    submit(2);
    wait_until_done(0);
    begin(&acquires, acquire_in_thread);
    wait_for_waiters(true, false);
    take(0);
    end(&acquires);
    ck_assert_uint_eq(acquires.token->index, 2);
    dropped_are(0, 0);
    OK(trm_pipeline_discard(fake.handle, acquires.token));
    fake_destroy();
}
END_TEST

START_TEST(the_newest_result_is_dropped_when_time_runs_out)
{
    struct trm_token *token;
    create(2, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    fake.fates[1] = FATE_HANGS;
    submit(2);
    wait_until_done(0);
    token = acquire(_i == 0 ? 0 : 5 * MILLISECOND);
    dropped_are(1, 0);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    fake_destroy();
}
END_TEST

START_TEST(a_result_that_a_thread_waits_for_is_not_dropped)
{
    struct call acquires = {.status = TRM_OK}, takes = {.status = TRM_OK};
    create(2, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    fake.fates[0] = FATE_HANGS;
    submit(2);
    begin(&takes, next_in_thread);
    wait_for_waiters(false, true);
    begin(&acquires, acquire_in_thread);
    wait_for_waiters(true, true);
    fake_let_go();
    end(&takes);
    ck_assert_uint_eq(takes.token->index, 0);
    OK(trm_pipeline_release(fake.handle, takes.token));
    end(&acquires);
    OK(trm_pipeline_discard(fake.handle, acquires.token));
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_failed_is_reported_not_dropped)
{
    struct trm_token *token;
    create(2, TRM_FULL_DROP_OLDEST, TRM_FAILURE_SKIP);
    fake.fates[0] = FATE_DEVICE;
    submit(2);
    wait_until_done(1);
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, MILLISECOND, &token), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, TRM_FOREVER, &token), TRM_ERROR_KERNEL);
    take(1);
    fake_counts(1, 0, 1, 0);
    dropped_are(0, 0);
    fake_destroy();
}
END_TEST

/* ---- the latest ----------------------------------------------------------------------------- */

START_TEST(the_latest_result_passes_over_older_ones)
{
    create(4, TRM_FULL_LATEST, TRM_FAILURE_STOP);
    fake.fates[3] = FATE_HANGS;
    submit(4);
    wait_until_done(2);
    take(2);
    dropped_are(2, 0);
    fake_let_go();
    take(3);
    fake_counts(2, 0, 0, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(the_latest_result_passes_over_older_ones_that_still_run)
{
    create(2, TRM_FULL_LATEST, TRM_FAILURE_STOP);
    fake.fates[0] = FATE_HANGS;
    submit(2);
    wait_until_done(1);
    take(1);
    dropped_are(1, 0);
    ck_assert_uint_eq(fake_free_slots(), 1); /* the device has the other one */
    fake_let_go();
    submit(2);
    wait_until_done(3);
    take(3);
    fake_destroy();
}
END_TEST

START_TEST(the_latest_result_does_not_hide_a_failure)
{
    struct trm_token *token;
    create(3, TRM_FULL_LATEST, TRM_FAILURE_SKIP);
    fake.fates[1] = FATE_DEVICE;
    submit(3);
    wait_until_done(2);
    take(0);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, TRM_FOREVER, &token), TRM_ERROR_KERNEL);
    take(2);
    dropped_are(0, 0);
    fake_destroy();
}
END_TEST

/* ---- sources -------------------------------------------------------------------------------- */

/* A sink that keeps the first token until the source has given many more. */
#define GIVEN 40

static struct record record;

static int32_t take_slowly(void *user, const struct trm_token *token)
{
    while (record.seen_count == 0 && atomic_load(&record.calls) < GIVEN / 2)
        sched_yield();
    return record_take(user, token);
}

static void is_rising(void)
{
    ck_assert_uint_eq(record.wrong, 0);
    for (uint64_t i = 1; i < record.seen_count; i++)
        ck_assert_uint_lt(record.seen[i - 1], record.seen[i]);
    ck_assert_uint_eq(record.seen[record.seen_count - 1], GIVEN - 1);
}

START_TEST(a_source_with_workers_does_not_wait_for_the_sink)
{
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_function(take_slowly, &record);
    record_init(&record, GIVEN);
    create(3, _i == 0 ? TRM_FULL_DROP_OLDEST : TRM_FULL_LATEST, TRM_FAILURE_STOP);
    source.workers = 1;
    OK(trm_pipeline_run(fake.handle, &source, &sink));
    is_rising();
    struct trm_report report = fake_report();
    ck_assert_uint_eq(report.tokens, record.seen_count);
    ck_assert_uint_eq(report.tokens + report.dropped, GIVEN);
    ck_assert_uint_ge(report.dropped, GIVEN / 2 - 4);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_source_without_workers_waits_for_no_thread)
{
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_function(record_take, &record);
    record_init(&record, GIVEN);
    create(3, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    OK(trm_pipeline_run(fake.handle, &source, &sink));
    ck_assert(record_is_complete(&record, GIVEN, NO_TOKEN));
    dropped_are(0, 0);
    fake_destroy();
}
END_TEST

START_TEST(the_last_token_of_a_source_is_always_delivered)
{
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_function(record_take, &record);
    for (uint32_t depth = 1; depth <= 5; depth++) {
        for (uint32_t workers = 0; workers <= 3; workers++) {
            record_init(&record, GIVEN);
            create(depth, TRM_FULL_LATEST, TRM_FAILURE_STOP);
            source.workers = workers;
            OK(trm_pipeline_run(fake.handle, &source, &sink));
            is_rising();
            struct trm_report report = fake_report();
            ck_assert_uint_eq(report.tokens + report.dropped, GIVEN);
            fake_all_free();
            fake_destroy();
        }
    }
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------- */

#define MANY 400

static void *produce(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < MANY; i++)
        OK(trm_pipeline_submit(fake.handle, acquire(TRM_FOREVER)));
    return NULL;
}

START_TEST(each_token_is_taken_dropped_or_has_failed)
{
    struct call producer = {.status = TRM_OK};
    create(4, _i == 0 ? TRM_FULL_DROP_OLDEST : TRM_FULL_LATEST, TRM_FAILURE_SKIP);
    fake.fates[7]   = FATE_DEVICE;
    fake.fates[30]  = FATE_DEVICE;
    uint64_t before = 0, taken = 0;
    begin(&producer, produce);
    for (uint64_t index = 0; index + 1 < MANY;) {
        struct trm_token *token;
        int32_t status = trm_pipeline_next(fake.handle, TRM_FOREVER, &token);
        if (status == TRM_ERROR_KERNEL)
            continue;
        OK(status);
        index = token->index;
        ck_assert(taken == 0 || index > before);
        before = index;
        taken++;
        if (taken % 3 == 0)
            sched_yield();
        OK(trm_pipeline_release(fake.handle, token));
    }
    end(&producer);
    struct trm_report report = fake_report();
    ck_assert_uint_eq(report.tokens, taken);
    ck_assert_uint_eq(report.tokens + report.dropped + report.failed, MANY);
    fake_destroy();
}
END_TEST

/* ---- deadlines ------------------------------------------------------------------------------ */

START_TEST(a_token_that_comes_out_after_its_deadline_is_late)
{
    const uint64_t deadlines[] = {0, 1, UINT64_MAX};
    create(3, TRM_FULL_BLOCK, TRM_FAILURE_STOP);
    for (int i = 0; i < 3; i++) {
        struct trm_token *token = acquire(0);
        ck_assert_uint_eq(token->deadline_ns, 0);
        token->deadline_ns = deadlines[i];
        OK(trm_pipeline_submit(fake.handle, token));
    }
    for (int i = 0; i < 3; i++) {
        struct trm_token *token;
        OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
        ck_assert_uint_eq(token->late, i == 1);
        OK(trm_pipeline_release(fake.handle, token));
    }
    ck_assert_uint_eq(fake_report().late, 1);
    fake_counts(3, 0, 0, 0);
    fake_destroy();
}
END_TEST

START_TEST(a_pipeline_that_drops_does_not_run_an_expired_token)
{
    struct trm_token *token;
    create(2, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    token              = acquire(0);
    token->deadline_ns = trm_clock_now() - 1;
    OK(trm_pipeline_submit(fake.handle, token));
    ck_assert_uint_eq(fake.enqueued, 0);
    fake_all_free();
    dropped_are(1, 1);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    token              = acquire(0);
    token->deadline_ns = UINT64_MAX;
    OK(trm_pipeline_submit(fake.handle, token));
    take(1);
    dropped_are(1, 1);
    fake_destroy();
}
END_TEST

/* A source whose odd tokens have expired. */
static int32_t fill_late(void *user, struct trm_token *token)
{
    token->deadline_ns = token->index % 2;
    return record_fill(user, token);
}

START_TEST(expired_tokens_of_a_source_reach_no_sink)
{
    struct trm_source source = trm_source_function(fill_late, &record);
    struct trm_sink sink     = trm_sink_function(record_take, &record);
    record_init(&record, GIVEN);
    source.workers = (uint32_t)_i;
    create(GIVEN, TRM_FULL_DROP_OLDEST, TRM_FAILURE_STOP);
    OK(trm_pipeline_run(fake.handle, &source, &sink));
    ck_assert_uint_eq(record.seen_count, GIVEN / 2);
    for (uint64_t i = 0; i < record.seen_count; i++)
        ck_assert_uint_eq(record.seen[i], 2 * i);
    dropped_are(GIVEN / 2, GIVEN / 2);
    fake_all_free();
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite    = suite_create("freshness");
    TCase *acquires = tcase_create("acquire");
    tcase_add_test(acquires, a_full_pipeline_drops_the_oldest_token_that_has_ended);
    tcase_add_test(acquires, a_full_pipeline_that_blocks_drops_nothing);
    tcase_add_test(acquires, tokens_of_the_program_are_not_dropped);
    tcase_add_test(acquires, a_slot_that_is_released_is_had_at_once_beside_the_work_of_a_dropped_token);
    tcase_add_test(acquires, a_cancel_ends_the_wait_beside_a_dropped_token_at_once);
    tcase_add_test(acquires, the_newest_result_stays_while_later_tokens_are_in_flight);
    tcase_add_loop_test(acquires, the_newest_result_is_dropped_when_time_runs_out, 0, 2);
    tcase_add_test(acquires, a_result_that_a_thread_waits_for_is_not_dropped);
    tcase_add_test(acquires, a_token_that_failed_is_reported_not_dropped);
    suite_add_tcase(suite, acquires);

    TCase *latest = tcase_create("latest");
    tcase_add_test(latest, the_latest_result_passes_over_older_ones);
    tcase_add_test(latest, the_latest_result_passes_over_older_ones_that_still_run);
    tcase_add_test(latest, the_latest_result_does_not_hide_a_failure);
    suite_add_tcase(suite, latest);

    TCase *sources = tcase_create("sources");
    tcase_add_loop_test(sources, a_source_with_workers_does_not_wait_for_the_sink, 0, 2);
    tcase_add_test(sources, a_source_without_workers_waits_for_no_thread);
    tcase_add_test(sources, the_last_token_of_a_source_is_always_delivered);
    tcase_add_loop_test(sources, each_token_is_taken_dropped_or_has_failed, 0, 2);
    suite_add_tcase(suite, sources);

    TCase *deadlines = tcase_create("deadlines");
    tcase_add_test(deadlines, a_token_that_comes_out_after_its_deadline_is_late);
    tcase_add_test(deadlines, a_pipeline_that_drops_does_not_run_an_expired_token);
    tcase_add_loop_test(deadlines, expired_tokens_of_a_source_reach_no_sink, 0, 3);
    suite_add_tcase(suite, deadlines);
    return suite;
}

UNIT_SUITE(make_suite)
