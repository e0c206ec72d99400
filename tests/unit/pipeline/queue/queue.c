/* Queues of pipelines: runs, starts, serving, and which calls are allowed when.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/futex.h"
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

static struct trm_sink sink(void)
{
    return trm_sink_function(record_take, &record);
}

static int32_t run(uint64_t count, uint32_t workers)
{
    struct trm_source source = source_of(count, workers);
    struct trm_sink taker    = sink();
    return trm_pipeline_run(fake.handle, &source, &taker);
}

/* ---- runs ----------------------------------------------------------------------------------- */

START_TEST(a_run_passes_every_token_in_order_at_every_depth)
{
    for (uint32_t workers = 0; workers <= 3; workers++) {
        fake_create_plain((uint32_t)_i, TRM_FAILURE_STOP);
        OK(run(100, workers));
        ck_assert(record_is_complete(&record, 100, NO_TOKEN));
        ck_assert_uint_le(atomic_load(&record.calls), 101 + workers);
        fake_all_free();
        fake_counts(100, 0, 0, 0);
        fake_destroy();
    }
}
END_TEST

START_TEST(a_source_without_tokens_is_a_run_without_tokens)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    OK(run(0, (uint32_t)_i));
    ck_assert_uint_eq(record.seen_count, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(loaders_of_uneven_speed_keep_the_order)
{
    fake_create_plain(6, TRM_FAILURE_STOP);
    struct trm_source source = source_of(60, 4);
    struct trm_sink taker    = sink();
    record.load_ns           = MILLISECOND;
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert(record_is_complete(&record, 60, NO_TOKEN));
    fake_destroy();
}
END_TEST

START_TEST(a_serial_source_gets_one_worker_at_most)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    fake_create_plain(6, TRM_FAILURE_STOP);
    struct trm_source source = source_of(20, (uint32_t)_i);
    struct trm_sink taker    = sink();
    source.flags             = TRM_END_SERIAL;
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert(record_is_complete(&record, 20, NO_TOKEN));
    pipeline_measure_report(fake.pipeline->measure, &report);
    ck_assert_uint_eq(report.workers, _i == 0 ? 0 : 1);
    fake_destroy();
}
END_TEST

START_TEST(flags_of_ends_that_are_not_known_are_refused)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(20, 0);
    struct trm_sink taker    = sink();
    source.flags             = 4;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &taker), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "the flags of the source, 0x4"));
    source.flags = 0;
    taker.flags  = 8;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &taker), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "the flags of the sink, 0x8"));
    fake_destroy();
}
END_TEST

START_TEST(a_load_that_sleeps_is_reported_as_waiting)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    fake_create_plain(6, TRM_FAILURE_STOP);
    struct trm_source source = source_of(20, (uint32_t)_i);
    struct trm_sink taker    = sink();
    record.load_ns           = 2 * MILLISECOND;
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    pipeline_measure_report(fake.pipeline->measure, &report);
    ck_assert_uint_gt(report.load_waiting_ns, report.stages[TRM_STAGE_LOAD].busy_ns / 2);
    ck_assert_uint_le(report.load_waiting_ns, report.stages[TRM_STAGE_LOAD].busy_ns);
    /* the sink does not sleep, but may wait for a processor */
    ck_assert_uint_le(report.sink_waiting_ns, report.stages[TRM_STAGE_SINK].busy_ns);
    fake_destroy();
}
END_TEST

static void *releases(void *token)
{
    OK(trm_pipeline_release(fake.handle, token));
    return NULL;
}

static void *submits(void *token)
{
    OK(trm_pipeline_submit(fake.handle, token));
    return NULL;
}

START_TEST(a_slot_is_free_before_its_times_are_read_and_enqueued_after_that)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_token *token;
    pthread_t releaser, submitter;

    fake_create_plain(1, TRM_FAILURE_STOP);
    fake.stamped = fake.holds_times = true;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    OK(trm_pipeline_submit(fake.handle, token));
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    ck_assert_int_eq(pthread_create(&releaser, NULL, releases, token), 0);
    /* The only slot, while its stamps are read. */
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    pthread_mutex_lock(&fake.lock);
    while (fake.reading == 0)
        pthread_cond_wait(&fake.changed, &fake.lock);
    ck_assert_uint_eq(fake.enqueued, 1);
    pthread_mutex_unlock(&fake.lock);
    ck_assert_int_eq(pthread_create(&submitter, NULL, submits, token), 0);
    pthread_mutex_lock(&fake.lock);
    ck_assert_uint_eq(fake.enqueued, 1);
    fake.holds_times = false;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    pthread_join(releaser, NULL);
    pthread_join(submitter, NULL);
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    OK(trm_pipeline_release(fake.handle, token));
    ck_assert_uint_eq(fake.enqueued, 2);
    fake_counts(2, 0, 0, 0);
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_times_out_leaves_its_place_among_the_slots_in_use)
{
    struct trm_pipeline_desc desc = {.struct_size      = sizeof(desc),
                                     .depth            = 3,
                                     .on_failure       = TRM_FAILURE_SKIP,
                                     .token_timeout_ns = 5 * MILLISECOND};
    struct trm_source source      = source_of(4, (uint32_t)_i);
    struct trm_token *token;

    fake_create(&desc);
    fake.slots_in_use = 1;
    fake.fates[1]     = FATE_HANGS;
    OK(trm_pipeline_start(fake.handle, &source));
    for (uint64_t i = 0; i < 4; i++) {
        int32_t status = trm_pipeline_next(fake.handle, TRM_FOREVER, &token);
        ck_assert_int_eq(status, i == 1 ? TRM_ERROR_TIMEOUT : TRM_OK);
        if (status == TRM_OK) {
            ck_assert_uint_eq(token->index, i);
            OK(trm_pipeline_release(fake.handle, token));
        }
    }
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_the_source_skips_reaches_no_sink)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(20, (uint32_t)_i);
    struct trm_sink taker    = sink();
    record.skips             = 7;
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert(record_is_complete(&record, 20, 7));
    fake_counts(19, 1, 0, 0);
    fake_destroy();
}
END_TEST

START_TEST(a_count_ends_a_source_that_would_go_on)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(1000, (uint32_t)_i);
    struct trm_sink taker    = sink();
    source.count             = 25;
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert(record_is_complete(&record, 25, NO_TOKEN));
    ck_assert_uint_eq(atomic_load(&record.calls), 25);
    fake_destroy();
}
END_TEST

START_TEST(memory_goes_to_memory_with_a_smaller_last_token)
{
    enum {
        SIZE = FAKE_TOKEN_BYTES * 9 + 100
    };
    static unsigned char from[SIZE], to[SIZE];
    for (uint32_t i = 0; i < SIZE; i++)
        from[i] = (unsigned char)(i * 31);
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = trm_source_memory(from, SIZE);
    struct trm_sink taker    = trm_sink_memory(to, SIZE);
    source.workers           = (uint32_t)_i;
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    for (uint32_t i = 0; i < SIZE; i++)
        ck_assert_uint_eq(to[i], (unsigned char)(i * 31 + 1));
    fake_counts(10, 0, 0, 0);
    fake_destroy();
}
END_TEST

START_TEST(a_run_allocates_nothing_once_it_is_under_way)
{
    fake_create_plain(4, TRM_FAILURE_STOP);
    int64_t before = atomic_load(&fake.counting.allocations);
    OK(run(500, (uint32_t)_i));
    ck_assert_int_eq(atomic_load(&fake.counting.allocations), before);
    fake_destroy();
}
END_TEST

START_TEST(a_pipeline_grows_when_the_engine_wants_another_slot)
{
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.grows_to = 5;
    OK(run(50, (uint32_t)_i));
    ck_assert(record_is_complete(&record, 50, NO_TOKEN));
    ck_assert_uint_eq(atomic_load(&fake.pipeline->depth), 5);
    fake_all_free();
    fake_destroy();
}
END_TEST

/* The hung token goes on when all others have come. */
static int32_t take_and_let_go(void *user, const struct trm_token *token)
{
    int32_t status = record_take(user, token);
    if (record.seen_count == 5)
        fake_let_go();
    return status;
}

START_TEST(results_of_an_unordered_pipeline_come_when_they_are_through)
{
    struct trm_pipeline_desc desc = {.depth = 3, .flags = TRM_PIPELINE_UNORDERED};
    fake_create(&desc);
    fake.fates[1]            = FATE_HANGS;
    struct trm_source source = source_of(6, (uint32_t)_i);
    struct trm_sink taker    = trm_sink_function(take_and_let_go, &record);
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert_uint_eq(record.seen_count, 6);
    ck_assert_uint_eq(record.seen[5], 1);
    ck_assert_uint_eq(record.wrong, 0);
    fake_destroy();
}
END_TEST

START_TEST(results_of_an_ordered_pipeline_wait_for_a_slow_one)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.slow_token    = 1;
    fake.slow_duration = 20 * MILLISECOND;
    OK(run(6, (uint32_t)_i));
    ck_assert(record_is_complete(&record, 6, NO_TOKEN));
    fake_destroy();
}
END_TEST

START_TEST(what_is_wrong_with_a_source_or_sink_is_said)
{
    static unsigned char memory[8];
    fake_create_plain(2, TRM_FAILURE_STOP);
    struct trm_source source = trm_source_count(5);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "has inputs"));
    source      = trm_source_memory(memory, 8);
    source.fill = record_fill;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source             = trm_source_memory(memory, 8);
    source.struct_size = 4;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source                = trm_source_memory(memory, 8);
    struct trm_sink taker = trm_sink_memory(memory, 8);
    taker.consume         = record_take;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &taker), TRM_ERROR_INVALID_ARGUMENT);
    OK(trm_pipeline_run(fake.handle, &source, NULL));
    fake_destroy();
}
END_TEST

/* ---- starts --------------------------------------------------------------------------------- */

static int32_t next(struct trm_token **token)
{
    return trm_pipeline_next(fake.handle, TRM_FOREVER, token);
}

START_TEST(what_is_started_is_taken_by_hand_until_its_end)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    for (int round = 0; round < 2; round++) {
        struct trm_source source = source_of(20, (uint32_t)_i);
        struct trm_token *token;
        int32_t status;
        OK(trm_pipeline_start(fake.handle, &source));
        while ((status = next(&token)) == TRM_OK) {
            record_note(&record, token);
            OK(trm_pipeline_release(fake.handle, token));
        }
        ck_assert_int_eq(status, TRM_TOKEN_END);
        ck_assert_int_eq(next(&token), TRM_TOKEN_END);
        ck_assert(record_is_complete(&record, 20, NO_TOKEN));
        fake_all_free();
    }
    fake_destroy();
}
END_TEST

START_TEST(what_is_cancelled_is_told_once_and_then_over)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(1000, (uint32_t)_i);
    struct trm_token *token;
    OK(trm_pipeline_start(fake.handle, &source));
    OK(next(&token));
    OK(trm_pipeline_release(fake.handle, token));
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    ck_assert_int_eq(next(&token), TRM_ERROR_CANCELLED);
    ck_assert_int_eq(next(&token), TRM_TOKEN_END);
    fake_all_free();
    OK(run(5, 0));
    fake_destroy();
}
END_TEST

START_TEST(only_one_thing_at_a_time_is_run_started_or_served)
{
    struct trm_token *token, *other;
    fake_create_plain(3, TRM_FAILURE_STOP);
    struct trm_source source = source_of(10, (uint32_t)_i);
    OK(trm_pipeline_acquire(fake.handle, 0, &token));
    ck_assert_int_eq(trm_pipeline_start(fake.handle, &source), TRM_ERROR_BUSY);
    OK(trm_pipeline_submit(fake.handle, token));
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_BUSY);
    OK(next(&token));
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_BUSY);
    OK(trm_pipeline_release(fake.handle, token));
    OK(trm_pipeline_start(fake.handle, &source));
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &other), TRM_ERROR_BUSY);
    ck_assert_int_eq(trm_pipeline_start(fake.handle, &source), TRM_ERROR_BUSY);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_BUSY);
    fake_destroy();
}
END_TEST

/* ---- serving -------------------------------------------------------------------------------- */

static struct trm_token *filled(void)
{
    struct trm_token *token;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    memset(token->data[0], (int)(token->index & 0x7f), token->size[0]);
    return token;
}

START_TEST(serving_gives_results_in_the_order_of_submission)
{
    struct trm_token *first, *second, *token;
    fake_create_plain(3, TRM_FAILURE_STOP);
    first  = filled();
    second = filled();
    OK(trm_pipeline_submit(fake.handle, second));
    OK(trm_pipeline_submit(fake.handle, first));
    OK(next(&token));
    ck_assert_ptr_eq(token, second);
    OK(trm_pipeline_release(fake.handle, token));
    OK(next(&token));
    ck_assert_ptr_eq(token, first);
    OK(trm_pipeline_release(fake.handle, token));
    fake_counts(2, 0, 0, 0);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(waiting_ends_with_the_time_out)
{
    struct trm_token *tokens[2], *token;
    fake_create_plain(2, TRM_FAILURE_STOP);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, MILLISECOND, &token), TRM_ERROR_TIMEOUT);
    tokens[0] = filled();
    tokens[1] = filled();
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, MILLISECOND, &token), TRM_ERROR_TIMEOUT);
    fake.fates[0] = FATE_HANGS;
    OK(trm_pipeline_submit(fake.handle, tokens[0]));
    ck_assert_int_eq(trm_pipeline_next(fake.handle, 0, &token), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_pipeline_next(fake.handle, MILLISECOND, &token), TRM_ERROR_TIMEOUT);
    fake_let_go();
    OK(next(&token));
    OK(trm_pipeline_release(fake.handle, token));
    OK(trm_pipeline_discard(fake.handle, tokens[1]));
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_is_not_the_programs_to_give_is_refused)
{
    struct trm_token *token, *taken;
    struct trm_token foreign = {.index = 0};
    fake_create_plain(2, TRM_FAILURE_STOP);
    ck_assert_int_eq(trm_pipeline_submit(fake.handle, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_release(fake.handle, &foreign), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_discard(fake.handle, (struct trm_token *)(uintptr_t)17),
                     TRM_ERROR_INVALID_ARGUMENT);
    token = filled();
    ck_assert_int_eq(trm_pipeline_release(fake.handle, token), TRM_ERROR_INVALID_ARGUMENT);
    OK(trm_pipeline_submit(fake.handle, token));
    ck_assert_int_eq(trm_pipeline_submit(fake.handle, token), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_discard(fake.handle, token), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_release(fake.handle, token), TRM_ERROR_INVALID_ARGUMENT);
    OK(next(&taken));
    ck_assert_int_eq(trm_pipeline_submit(fake.handle, taken), TRM_ERROR_INVALID_ARGUMENT);
    OK(trm_pipeline_release(fake.handle, taken));
    ck_assert_int_eq(trm_pipeline_release(fake.handle, taken), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "already"));
    fake_all_free();
    fake_destroy();
}
END_TEST

#define SERVED 400

static _Atomic uint64_t served;
static _Atomic uint32_t seen[SERVED];

static void *producer(void *nothing)
{
    (void)nothing;
    for (int i = 0; i < SERVED / 2; i++) {
        struct trm_token *token = filled();
        token->user             = (void *)(uintptr_t)(token->index + 1);
        OK(trm_pipeline_submit(fake.handle, token));
    }
    return NULL;
}

static void *consumer(void *nothing)
{
    (void)nothing;
    while (atomic_load(&served) < SERVED) {
        struct trm_token *token;
        if (trm_pipeline_next(fake.handle, 5 * MILLISECOND, &token) != TRM_OK)
            continue;
        ck_assert_uint_eq((uintptr_t)token->user, token->index + 1);
        atomic_fetch_add(&seen[token->index], 1);
        atomic_fetch_add(&served, 1);
        OK(trm_pipeline_release(fake.handle, token));
    }
    return NULL;
}

START_TEST(several_threads_submit_and_take_at_once)
{
    struct trm_pipeline_desc desc = {.depth = 4, .flags = _i ? TRM_PIPELINE_UNORDERED : 0};
    pthread_t threads[4];
    fake_create(&desc);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, i < 2 ? producer : consumer, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SERVED; i++)
        ck_assert_uint_eq(atomic_load(&seen[i]), 1);
    fake_all_free();
    fake_counts(SERVED, 0, 0, 0);
    fake_destroy();
}
END_TEST

static void *take_one(void *taken)
{
    OK(next(taken));
    return NULL;
}

/* The thread sleeps, and does not look in slices. */
START_TEST(a_thread_that_wants_any_result_is_woken_by_a_token_that_is_submitted)
{
    struct trm_pipeline_desc desc = {.depth = 2, .flags = TRM_PIPELINE_UNORDERED};
    struct trm_token *taken;
    pthread_t taker;
    fake_create(&desc);
    fake.notifies = true;
    fake.fates[0] = FATE_HANGS;
    OK(trm_pipeline_submit(fake.handle, filled()));
    ck_assert_int_eq(pthread_create(&taker, NULL, take_one, &taken), 0);
    while (!fake_is_watched())
        sched_yield();
    OK(trm_pipeline_submit(fake.handle, filled()));
    ck_assert_int_eq(pthread_join(taker, NULL), 0);
    ck_assert_uint_eq(taken->index, 1);
    OK(trm_pipeline_release(fake.handle, taken));
    fake.notifies = false;
    fake_destroy();
}
END_TEST

START_TEST(an_illegal_move_of_a_slot_is_an_error_and_not_a_crash)
{
    struct trm_token *token;
    fake_create_plain(1, TRM_FAILURE_STOP);
    base_biased_lock_acquire(&fake.pipeline->lock);
    pipeline_queue_move(fake.pipeline->slots[0], PIPELINE_SLOT_OUT);
    base_biased_lock_release(&fake.pipeline->lock);
    fake_all_free();
    ck_assert_int_eq(trm_pipeline_acquire(fake.handle, 0, &token), TRM_ERROR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "free"));
    fake.pipeline->queue->fault.status = TRM_OK;
    OK(trm_pipeline_acquire(fake.handle, 0, &token));
    OK(trm_pipeline_discard(fake.handle, token));
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline queues");
    TCase *runs  = tcase_create("runs");
    tcase_add_loop_test(runs, a_run_passes_every_token_in_order_at_every_depth, 1, 9);
    tcase_add_loop_test(runs, a_source_without_tokens_is_a_run_without_tokens, 0, 3);
    tcase_add_test(runs, loaders_of_uneven_speed_keep_the_order);
    tcase_add_test(runs, a_slot_is_free_before_its_times_are_read_and_enqueued_after_that);
    tcase_add_loop_test(runs, a_token_that_times_out_leaves_its_place_among_the_slots_in_use, 0, 2);
    tcase_add_loop_test(runs, a_serial_source_gets_one_worker_at_most, 0, 5);
    tcase_add_test(runs, flags_of_ends_that_are_not_known_are_refused);
    tcase_add_loop_test(runs, a_load_that_sleeps_is_reported_as_waiting, 0, 3);
    tcase_add_loop_test(runs, a_token_that_the_source_skips_reaches_no_sink, 0, 3);
    tcase_add_loop_test(runs, a_count_ends_a_source_that_would_go_on, 0, 3);
    tcase_add_loop_test(runs, memory_goes_to_memory_with_a_smaller_last_token, 0, 3);
    tcase_add_loop_test(runs, a_run_allocates_nothing_once_it_is_under_way, 0, 3);
    tcase_add_loop_test(runs, a_pipeline_grows_when_the_engine_wants_another_slot, 0, 3);
    tcase_add_loop_test(runs, results_of_an_unordered_pipeline_come_when_they_are_through, 0, 2);
    tcase_add_loop_test(runs, results_of_an_ordered_pipeline_wait_for_a_slow_one, 0, 2);
    tcase_add_test(runs, what_is_wrong_with_a_source_or_sink_is_said);
    suite_add_tcase(suite, runs);
    TCase *starts = tcase_create("starts");
    tcase_add_loop_test(starts, what_is_started_is_taken_by_hand_until_its_end, 0, 3);
    tcase_add_loop_test(starts, what_is_cancelled_is_told_once_and_then_over, 0, 3);
    tcase_add_loop_test(starts, only_one_thing_at_a_time_is_run_started_or_served, 0, 2);
    suite_add_tcase(suite, starts);
    TCase *serving = tcase_create("serving");
    tcase_add_test(serving, serving_gives_results_in_the_order_of_submission);
    tcase_add_test(serving, waiting_ends_with_the_time_out);
    tcase_add_test(serving, a_token_that_is_not_the_programs_to_give_is_refused);
    tcase_add_loop_test(serving, several_threads_submit_and_take_at_once, 0, 2);
    tcase_add_test(serving, a_thread_that_wants_any_result_is_woken_by_a_token_that_is_submitted);
    tcase_add_test(serving, an_illegal_move_of_a_slot_is_an_error_and_not_a_crash);
    suite_add_tcase(suite, serving);
    return suite;
}

UNIT_SUITE(make_suite)
