/* Tokens that loaders read ahead of the slots.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <string.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define WORKERS_MOST 4 /* and one more */

static struct record record;

static struct trm_source source_of(uint64_t count, uint32_t workers, uint64_t ahead)
{
    record_init(&record, count);
    struct trm_source source = trm_source_function(record_fill, &record);
    source.workers           = workers;
    source.ahead_bytes       = ahead * FAKE_TOKEN_BYTES;
    return source;
}

static int32_t run(const struct trm_source *source)
{
    struct trm_sink taker = trm_sink_function(record_take, &record);
    return trm_pipeline_run(fake.handle, source, &taker);
}

static struct trm_report ahead_report(void)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    base_biased_lock_acquire(&fake.pipeline->lock);
    pipeline_ahead_report(&fake.pipeline->queue->ahead_facts, &report);
    base_biased_lock_release(&fake.pipeline->lock);
    return report;
}

static void wait_for_calls(uint64_t calls)
{
    while (atomic_load(&record.calls) < calls)
        sched_yield();
}

static void take_all(uint64_t count)
{
    struct trm_token *token;
    for (uint64_t i = 0; i < count; i++) {
        OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
        OK(record_take(&record, token));
        OK(trm_pipeline_release(fake.handle, token));
    }
    ck_assert_int_eq(trm_pipeline_next(fake.handle, TRM_FOREVER, &token), TRM_TOKEN_END);
}

/* The slots take two; nothing is known of the rates, so each loader reads one more. */
START_TEST(tokens_are_read_while_no_slot_is_free)
{
    uint32_t workers         = (uint32_t)_i;
    struct trm_source source = source_of(50, workers, 100);
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.all_hang = true;
    OK(trm_pipeline_start(fake.handle, &source));
    wait_for_calls(2 + workers);
    ck_assert_uint_eq(ahead_report().ahead, workers);
    ck_assert_uint_eq(ahead_report().ahead_budget, 100);
    fake_let_go();
    take_all(50);
    ck_assert(record_is_complete(&record, 50, NO_TOKEN));
    ck_assert_uint_ge(ahead_report().ahead_most, workers);
    fake_all_free();
    fake_destroy();
}
END_TEST

START_TEST(no_more_is_read_ahead_than_the_budget_has_room_for)
{
    for (uint64_t budget = 1; budget <= 3; budget++) {
        struct trm_source source = source_of(200, (uint32_t)_i, budget);
        fake_create_plain(2, TRM_FAILURE_STOP);
        record.load_ns = MILLISECOND / 20;
        OK(run(&source));
        ck_assert(record_is_complete(&record, 200, NO_TOKEN));
        ck_assert_uint_le(ahead_report().ahead_most, budget);
        ck_assert_uint_le(ahead_report().ahead, budget);
        ck_assert_uint_le(ahead_report().ahead_bytes, budget * (FAKE_TOKEN_BYTES + 64));
        fake_destroy();
    }
}
END_TEST

START_TEST(a_budget_below_one_token_reads_nothing_ahead)
{
    struct trm_source source = source_of(20, 2, 1);
    source.ahead_bytes       = FAKE_TOKEN_BYTES - 1;
    fake_create_plain(2, TRM_FAILURE_STOP);
    OK(run(&source));
    ck_assert(record_is_complete(&record, 20, NO_TOKEN));
    ck_assert_uint_eq(ahead_report().ahead, 0);
    ck_assert_uint_eq(ahead_report().ahead_none, TRM_AHEAD_NONE_TOO_SMALL);
    fake_destroy();
}
END_TEST

/* Slow slots: most tokens are read ahead, so both rates become known. */
START_TEST(rates_are_learned_and_waits_predicted)
{
    struct trm_source source = source_of(200, 1, 100);
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.duration = MILLISECOND / 5;
    OK(run(&source));
    struct trm_report report = ahead_report();
    ck_assert_uint_gt(report.source_ns, 0);
    ck_assert_uint_gt(report.take_ns, 0);
    ck_assert_uint_ge(report.ahead, 1);
    ck_assert(report.ahead_predicted >= 0 && report.ahead_predicted <= 1);
    fake_destroy();
}
END_TEST

START_TEST(a_count_is_not_exceeded)
{
    struct trm_source source = source_of(1000, (uint32_t)_i, 50);
    source.count             = 30;
    fake_create_plain(2, TRM_FAILURE_STOP);
    OK(run(&source));
    ck_assert(record_is_complete(&record, 30, NO_TOKEN));
    ck_assert_uint_eq(atomic_load(&record.calls), 30);
    fake_destroy();
}
END_TEST

START_TEST(tokens_that_the_source_skips_are_skipped)
{
    struct trm_source source = source_of(60, (uint32_t)_i, 50);
    record.skips             = 17;
    fake_create_plain(2, TRM_FAILURE_STOP);
    OK(run(&source));
    ck_assert(record_is_complete(&record, 60, 17));
    fake_counts(59, 1, 0, 0);
    fake_destroy();
}
END_TEST

START_TEST(a_failure_of_the_source_is_reported_at_its_turn)
{
    static const int32_t modes[] = {TRM_FAILURE_STOP, TRM_FAILURE_DRAIN, TRM_FAILURE_SKIP};
    for (uint32_t m = 0; m < 3; m++) {
        struct trm_source source = source_of(60, (uint32_t)_i, 50);
        record.fails             = 17;
        fake_create_plain(2, modes[m]);
        int32_t status = run(&source);
        ck_assert_int_eq(status, modes[m] == TRM_FAILURE_SKIP ? TRM_OK : TRM_ERROR_IO);
        if (modes[m] == TRM_FAILURE_SKIP)
            ck_assert(record_is_complete(&record, 60, 17));
        else
            ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "token 17, load"));
        for (uint64_t i = 0; modes[m] == TRM_FAILURE_DRAIN && i < 17; i++)
            ck_assert_uint_eq(record.seen[i], i); /* perhaps also some that were begun after it */
        fake_destroy();
    }
}
END_TEST

static unsigned char own[128][FAKE_TOKEN_BYTES];

static int32_t fill_own(void *user, struct trm_token *token)
{
    if (token->index < 128)
        token->data[0] = own[token->index];
    ck_assert_ptr_null(token->slot == UINT32_MAX ? token->data[1] : NULL);
    return record_fill(user, token);
}

static int32_t take_own(void *user, const struct trm_token *token)
{
    ck_assert_ptr_eq(token->data[0], own[token->index]);
    return record_take(user, token);
}

START_TEST(memory_of_the_source_is_not_copied)
{
    struct trm_source source = source_of(100, (uint32_t)_i, 50);
    struct trm_sink taker    = trm_sink_function(take_own, &record);
    source.fill              = fill_own;
    fake_create_plain(2, TRM_FAILURE_STOP);
    OK(trm_pipeline_run(fake.handle, &source, &taker));
    ck_assert(record_is_complete(&record, 100, NO_TOKEN));
    ck_assert_uint_ge(ahead_report().ahead_most, 1);
    fake_destroy();
}
END_TEST

START_TEST(a_cancel_forgets_what_was_read_ahead)
{
    struct trm_token *token;
    struct trm_source source = source_of(50, (uint32_t)_i, 50);
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.all_hang = true;
    OK(trm_pipeline_start(fake.handle, &source));
    wait_for_calls(3);
    trm_pipeline_cancel(fake.handle, 0);
    fake_let_go();
    ck_assert_int_eq(trm_pipeline_next(fake.handle, TRM_FOREVER, &token), TRM_ERROR_CANCELLED);
    fake.all_hang = false;
    record_init(&record, 20);
    OK(run(&source)); /* from the first token again */
    ck_assert(record_is_complete(&record, 20, NO_TOKEN));
    fake_destroy();
}
END_TEST

START_TEST(a_source_without_workers_cannot_read_ahead)
{
    struct trm_source source = source_of(5, 0, 10);
    fake_create_plain(2, TRM_FAILURE_STOP);
    ck_assert_int_eq(run(&source), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "ahead_bytes"));
    source.ahead_bytes = 0;
    OK(run(&source));
    fake_destroy();
}
END_TEST

START_TEST(pipelines_that_drop_tokens_read_nothing_ahead)
{
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .depth = 3, .on_full = TRM_FULL_DROP_OLDEST};
    struct trm_source source = source_of(50, 1, 10);
    fake_create(&desc);
    OK(run(&source));
    ck_assert_uint_eq(ahead_report().ahead, 0);
    ck_assert_uint_eq(ahead_report().ahead_none, TRM_AHEAD_NONE_DROPS);
    fake_destroy();
}
END_TEST

/* The part of the time in which a device waited, by its starved time and the blocked time of the loaders. */
static double waits_of(uint64_t starved, uint64_t blocked)
{
    const struct pipeline_ahead_facts facts = {.limit = 1};
    struct trm_report report                = {.struct_size = sizeof(report)};
    report.stages[TRM_STAGE_LOAD] =
        (struct trm_stage_report){.busy_ns = 100 - blocked, .blocked_ns = blocked};
    report.stages[TRM_STAGE_COMPUTE] =
        (struct trm_stage_report){.busy_ns = 100 - starved, .starved_ns = starved};
    pipeline_ahead_report(&facts, &report);
    return report.ahead_waits;
}

/* A slow sink has all slots: the device is starved, though the source is far ahead. */
START_TEST(a_device_that_waits_for_the_sink_does_not_wait_for_the_source)
{
    ck_assert_double_eq_tol(waits_of(30, 0), 0.3, 1e-9);
    ck_assert_double_eq_tol(waits_of(30, 60), 0.3, 1e-9);
    ck_assert_double_eq_tol(waits_of(80, 95), 0.05, 1e-9);
    ck_assert_double_eq_tol(waits_of(80, 100), 0, 1e-9);
    ck_assert_double_eq_tol(waits_of(0, 0), 0, 1e-9);
}
END_TEST

/* The first allocation holds the places, each later one the memory of a place. */
START_TEST(without_memory_less_is_read_ahead)
{
    struct trm_source source = source_of(50, 1, 10);
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.counting.fail_from = fake.counting.allocations + 1;
    ck_assert_int_eq(run(&source), TRM_ERROR_OUT_OF_HOST_MEMORY);
    fake.counting.fail_from = fake.counting.allocations + 2;
    record_init(&record, 50);
    OK(run(&source));
    ck_assert(record_is_complete(&record, 50, NO_TOKEN));
    ck_assert_uint_eq(ahead_report().ahead_most, 0);
    fake.counting.fail_from = 0;
    fake_destroy();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("ahead");
    TCase *group = tcase_create("tokens read ahead");
    tcase_add_loop_test(group, tokens_are_read_while_no_slot_is_free, 1, WORKERS_MOST);
    tcase_add_loop_test(group, no_more_is_read_ahead_than_the_budget_has_room_for, 1, WORKERS_MOST);
    tcase_add_test(group, a_budget_below_one_token_reads_nothing_ahead);
    tcase_add_test(group, rates_are_learned_and_waits_predicted);
    tcase_add_loop_test(group, a_count_is_not_exceeded, 1, WORKERS_MOST);
    tcase_add_loop_test(group, tokens_that_the_source_skips_are_skipped, 1, WORKERS_MOST);
    tcase_add_loop_test(group, a_failure_of_the_source_is_reported_at_its_turn, 1, WORKERS_MOST);
    tcase_add_loop_test(group, memory_of_the_source_is_not_copied, 1, WORKERS_MOST);
    tcase_add_loop_test(group, a_cancel_forgets_what_was_read_ahead, 1, WORKERS_MOST);
    tcase_add_test(group, a_source_without_workers_cannot_read_ahead);
    tcase_add_test(group, pipelines_that_drop_tokens_read_nothing_ahead);
    tcase_add_test(group, without_memory_less_is_read_ahead);
    tcase_add_test(group, a_device_that_waits_for_the_sink_does_not_wait_for_the_source);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(suite)
