/* The coordinator: which stream gets which task and when, failed streams, cycles, and out of memory.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/coordinator/coordinator.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/stream_fixture.h"

#define LONG_NS UINT64_C(100000000000) /* also for a busy machine */

static struct trm_coordinator *coordinator;
static struct trm_buffer *buffer;
static uint8_t host[64];

static void begin_coordinator(uint32_t slots)
{
    begin(slots);
    OK(trm_coordinator_create(fake.device, NULL, &coordinator));
    OK(trm_buffer_create(fake.device, TRM_MEMORY_DEVICE, 64, &buffer));
}

static void end_coordinator(void)
{
    fake_let_run(&fake);
    trm_coordinator_destroy(coordinator);
    trm_buffer_destroy(buffer);
    end();
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static int32_t add(int32_t kind, uint64_t id, const uint64_t *after, uint32_t count)
{
    struct trm_task task = {
        .struct_size      = sizeof(task),
        .kind             = kind,
        .id               = id,
        .name             = id % 2 ? "odd" : NULL,
        .after            = after,
        .after_count      = count,
        .destination      = trm_span_of(buffer, 0, 32),
        .source           = trm_span_of(buffer, 32, 32),
        .host_source      = host,
        .host_destination = host + 32,
    };
    return trm_coordinator_add(coordinator, &task);
}

static int32_t add_after(int32_t kind, uint64_t id, uint64_t after)
{
    return add(kind, id, &after, 1);
}

/* The stream of task number `which` of that kind. */
static struct trm_stream *stream_of(int32_t role, uint32_t which)
{
    struct pipeline_coordinator *inside = pipeline_coordinator_find(coordinator);
    for (uint32_t i = 0; i < inside->lane_count; i++) {
        struct pipeline_task_lane *lane = &inside->all_lanes[i];
        if (lane->class->role == role && lane->stream != NULL && lane->users > 0 && which-- == 0)
            return lane->stream->object.handle;
    }
    ck_abort_msg("there is no such stream");
    return NULL;
}

static void wait_until_calls(enum fake_call call, uint32_t count)
{
    while (calls(call) < count)
        usleep(1000);
    ck_assert_uint_eq(calls(call), count);
}

/* ---- one stream, one task ------------------------------------------------------------------- */

START_TEST(a_stream_has_but_one_task_that_has_not_ended)
{
    begin_coordinator(FAKE_ALL);
    for (uint64_t id = 1; id <= 20; id++)
        OK(add(TRM_TASK_UPLOAD, id, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    /* one stream was asked for, which is doubled */
    ck_assert_uint_eq(calls(FAKE_CALL_COPY), 2);
    fake_run(&fake, stream_of(TRM_STREAM_UPLOAD, 0), UINT64_MAX);
    wait_until_calls(FAKE_CALL_COPY, 20); /* all the rest on that one */
    ck_assert_int_eq(trm_coordinator_wait_all(coordinator, 20 * MILLISECOND), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    OK(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_assert_uint_eq(calls(FAKE_CALL_CREATE), 2);
    end_coordinator();
}
END_TEST

START_TEST(a_task_is_enqueued_behind_the_one_that_it_waits_for_where_the_device_can_wait)
{
    begin_coordinator(_i ? FAKE_ALL : FAKE_ALL & ~(uint32_t)FAKE_WAIT_STREAM);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_COPY, 2, 1));
    OK(add_after(TRM_TASK_DOWNLOAD, 3, 2));
    OK(trm_coordinator_submit(coordinator));
    ck_assert_uint_eq(calls(FAKE_CALL_COPY), _i ? 3 : 1);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM), _i ? 2 : 0);
    ck_assert_int_eq(trm_coordinator_poll(coordinator, 1), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    OK(trm_coordinator_wait(coordinator, 3, LONG_NS));
    ck_assert_uint_eq(calls(FAKE_CALL_COPY), 3);
    end_coordinator();
}
END_TEST

START_TEST(what_is_ready_goes_before_what_would_wait_on_the_device)
{
    begin_coordinator(FAKE_ALL);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_UPLOAD, 2, 1));
    OK(add_after(TRM_TASK_UPLOAD, 3, 2));
    OK(add(TRM_TASK_UPLOAD, 4, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    ck_assert_uint_eq(calls(FAKE_CALL_COPY), 2);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM), 0);
    fake_let_run(&fake);
    OK(trm_coordinator_wait_all(coordinator, LONG_NS));
    end_coordinator();
}
END_TEST

START_TEST(a_stream_is_not_used_again_while_another_one_waits_for_what_was_on_it)
{
    begin_coordinator(FAKE_ALL);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_DOWNLOAD, 2, 1));
    OK(trm_coordinator_submit(coordinator));
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM), 1);
    struct trm_stream *up = stream_of(TRM_STREAM_UPLOAD, 0), *down = stream_of(TRM_STREAM_DOWNLOAD, 0);
    fake_run(&fake, up, UINT64_MAX);
    OK(trm_coordinator_wait(coordinator, 1, LONG_NS));
    OK(add(TRM_TASK_UPLOAD, 3, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    wait_until_calls(FAKE_CALL_CREATE, 3);
    /* On the first stream it would have run by now. */
    ck_assert_int_eq(trm_coordinator_wait(coordinator, 3, 5 * MILLISECOND), TRM_ERROR_TIMEOUT);
    fake_run(&fake, down, UINT64_MAX);
    OK(trm_coordinator_wait(coordinator, 2, LONG_NS));
    end_coordinator();
}
END_TEST

START_TEST(priorities_and_kinds_have_streams_of_their_own)
{
    struct trm_task task = {.struct_size = sizeof(task), .kind = TRM_TASK_COPY};
    begin_coordinator(FAKE_ALL);
    task.destination = trm_span_of(buffer, 0, 8);
    task.source      = trm_span_of(buffer, 8, 8);
    for (uint64_t id = 1; id <= 60; id++) {
        task.id       = id;
        task.priority = (int32_t)(id % 3) - 1;
        OK(trm_coordinator_add(coordinator, &task));
    }
    OK(trm_coordinator_submit(coordinator));
    ck_assert_uint_eq(calls(FAKE_CALL_CREATE), 3 * 8);
    fake_let_run(&fake);
    OK(trm_coordinator_wait_all(coordinator, LONG_NS));
    end_coordinator();
}
END_TEST

/* ---- failures ------------------------------------------------------------------------------- */

START_TEST(a_stream_that_failed_is_replaced_and_takes_down_only_what_comes_after)
{
    begin_coordinator(FAKE_ALL);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_COPY, 2, 1));
    OK(add_after(TRM_TASK_DOWNLOAD, 4, 2));
    for (uint64_t id = 10; id < 20; id++)
        OK(add(TRM_TASK_UPLOAD, id, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    fake_fail(&fake, stream_of(TRM_STREAM_UPLOAD, 0), TRM_ERROR_KERNEL, 44, "it fell over");
    ck_assert_int_eq(trm_coordinator_wait(coordinator, 1, LONG_NS), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "task 1 \"odd\": it fell over");
    ck_assert_int_eq(trm_last_error().native_code, 44);
    fake_let_run(&fake);
    ck_assert_int_eq(trm_coordinator_wait(coordinator, 4, LONG_NS), TRM_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "task 4 did not run"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "task 1 \"odd\": it fell over"));
    ck_assert_int_eq(trm_last_error().native_code, 44);
    for (uint64_t id = 10; id < 20; id++)
        OK(trm_coordinator_wait(coordinator, id, LONG_NS));
    ck_assert_int_eq(trm_coordinator_wait_all(coordinator, LONG_NS), TRM_ERROR_KERNEL);
    end_coordinator();
}
END_TEST

START_TEST(a_task_that_cannot_be_enqueued_fails_alone)
{
    static const enum fake_call what[] = {FAKE_CALL_COPY, FAKE_CALL_MARK, FAKE_CALL_CREATE};
    begin_coordinator(FAKE_ALL);
    fake_let_run(&fake);
    fail_next(what[_i], TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_DOWNLOAD, 2, 1));
    OK(add(TRM_TASK_UPLOAD, 3, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    ck_assert_int_eq(trm_coordinator_wait(coordinator, 1, LONG_NS), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(trm_coordinator_wait(coordinator, 2, LONG_NS), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    OK(trm_coordinator_wait(coordinator, 3, LONG_NS));
    end_coordinator();
}
END_TEST

START_TEST(a_task_whose_wait_cannot_be_enqueued_fails_alone)
{
    begin_coordinator(FAKE_ALL);
    fail_next(FAKE_CALL_WAIT_STREAM, TRM_ERROR_OUT_OF_HOST_MEMORY);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_DOWNLOAD, 2, 1));
    OK(trm_coordinator_submit(coordinator));
    /* It would end without the device if it had failed before task 1 was decided. */
    ck_assert_int_eq(trm_coordinator_poll(coordinator, 2), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    OK(trm_coordinator_wait(coordinator, 1, LONG_NS));
    ck_assert_int_eq(trm_coordinator_wait(coordinator, 2, LONG_NS), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "task 2: "));
    end_coordinator();
}
END_TEST

START_TEST(a_task_ends_though_the_backend_cannot_tell_so_just_then)
{
    begin_coordinator(FAKE_ALL);
    fake_let_run(&fake);
    fail_next(FAKE_CALL_NOTIFY, TRM_ERROR_OUT_OF_HOST_MEMORY);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(add_after(TRM_TASK_DOWNLOAD, 2, 1));
    OK(trm_coordinator_submit(coordinator));
    OK(trm_coordinator_wait_all(coordinator, LONG_NS));
    end_coordinator();
}
END_TEST

START_TEST(when_the_device_is_lost_all_tasks_fail_and_no_more_are_taken)
{
    begin_coordinator(FAKE_ALL);
    for (uint64_t id = 1; id <= 20; id++)
        OK(add(TRM_TASK_UPLOAD, id, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    fake_fail(&fake, stream_of(TRM_STREAM_UPLOAD, 1), TRM_ERROR_DEVICE_LOST, 3, "it fell off the bus");
    fake_fail(&fake, stream_of(TRM_STREAM_UPLOAD, 0), TRM_ERROR_DEVICE_LOST, 3, "it fell off the bus");
    ck_assert_int_eq(trm_coordinator_wait_all(coordinator, LONG_NS), TRM_ERROR_DEVICE_LOST);
    for (uint64_t id = 1; id <= 20; id++)
        ck_assert_int_eq(trm_coordinator_poll(coordinator, id), TRM_ERROR_DEVICE_LOST);
    OK(add(TRM_TASK_UPLOAD, 30, NULL, 0));
    ck_assert_int_eq(trm_coordinator_submit(coordinator), TRM_ERROR_DEVICE_LOST);
    struct trm_coordinator *other;
    ck_assert_int_eq(trm_coordinator_create(fake.device, NULL, &other), TRM_ERROR_DEVICE_LOST);
    end_coordinator();
}
END_TEST

/* ---- cycles --------------------------------------------------------------------------------- */

/* Adds tasks that each come after the next; the last one comes after task `end`, 0: none. */
static void add_row(uint64_t from, uint64_t to, uint64_t end)
{
    for (uint64_t id = from; id < to; id++)
        OK(add_after(TRM_TASK_NOTHING, id, id + 1));
    OK(add(TRM_TASK_NOTHING, to, &end, end != 0));
}

START_TEST(rows_of_any_length_are_no_cycle)
{
    begin_coordinator(FAKE_ALL);
    add_row(1, 100000, 0);
    OK(trm_coordinator_submit(coordinator));
    OK(trm_coordinator_wait_all(coordinator, LONG_NS));
    OK(trm_coordinator_poll(coordinator, 1));
    end_coordinator();
}
END_TEST

START_TEST(the_cycle_itself_is_spelled_out_and_not_what_leads_to_it)
{
    begin_coordinator(FAKE_ALL);
    add_row(100, 120, 2);
    add_row(2, 5, 2);
    add_row(200, 230, 0);
    ck_assert_int_eq(trm_coordinator_submit(coordinator), TRM_ERROR_DEADLOCK);
    const char *sentence = trm_last_error().sentence;
    ck_assert_ptr_nonnull(strstr(sentence, "2 -> 3 \"odd\""));
    ck_assert_ptr_nonnull(strstr(sentence, "4 -> 5 \"odd\""));
    ck_assert_ptr_null(strstr(sentence, "1"));
    ck_assert_ptr_null(strstr(sentence, "more"));
    end_coordinator();
}
END_TEST

START_TEST(of_a_long_cycle_the_middle_is_left_out)
{
    begin_coordinator(FAKE_ALL);
    add_row(1001, 2000, 1001);
    ck_assert_int_eq(trm_coordinator_submit(coordinator), TRM_ERROR_DEADLOCK);
    const char *sentence = trm_last_error().sentence, *colon = strchr(sentence, ':');
    ck_assert_ptr_nonnull(strstr(sentence, "(984 more)"));
    ck_assert_ptr_nonnull(colon);
    /* The cycle ends where it began. */
    uint64_t first = strtoull(colon + 2, NULL, 10);
    char last[64];
    snprintf(last, sizeof(last), first % 2 ? "-> %" PRIu64 " \"odd\"" : "-> %" PRIu64, first);
    ck_assert_str_eq(sentence + strlen(sentence) - strlen(last), last);
    end_coordinator();
}
END_TEST

START_TEST(a_cycle_beside_tasks_of_an_earlier_submit_is_found)
{
    begin_coordinator(FAKE_ALL);
    OK(add(TRM_TASK_UPLOAD, 1, NULL, 0));
    OK(trm_coordinator_submit(coordinator));
    OK(add(TRM_TASK_NOTHING, 2, (const uint64_t[]){1, 3}, 2));
    OK(add(TRM_TASK_NOTHING, 3, (const uint64_t[]){1, 2, 2}, 3));
    ck_assert_int_eq(trm_coordinator_submit(coordinator), TRM_ERROR_DEADLOCK);
    fake_let_run(&fake);
    OK(trm_coordinator_wait_all(coordinator, LONG_NS));
    end_coordinator();
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------- */

static void count_up(void *user, int32_t status)
{
    (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

START_TEST(what_is_done_keeps_little_and_what_is_forgotten_nothing)
{
    struct trm_task task = {.struct_size = sizeof(task), .kind = TRM_TASK_NOTHING, .name = "a name"};
    static char name[10001];
    uint64_t earlier[50];
    atomic_int told = 0;
    memset(name, 'x', 10000);
    begin_coordinator(FAKE_ALL);
    fake_let_run(&fake);
    task.done  = count_up;
    task.user  = &told;
    task.name  = name;
    task.after = earlier;
    for (uint64_t round = 0; round < 2; round++) {
        int64_t before = atomic_load(&counting.bytes);
        for (uint64_t id = 1; id <= 50; id++) {
            task.id          = id;
            task.after_count = (uint32_t)(id - 1);
            OK(trm_coordinator_add(coordinator, &task));
            earlier[id - 1] = id;
        }
        ck_assert_int_gt(atomic_load(&counting.bytes), before + 50 * 1000);
        OK(trm_coordinator_submit(coordinator));
        OK(trm_coordinator_wait_all(coordinator, LONG_NS));
        const int64_t ids = 50 * 49 / 2 * (int64_t)sizeof(earlier[0]); /* that tasks came after */
        while (round == 1 && atomic_load(&counting.bytes) > before + 50 * 200 + ids)
            usleep(1000); /* the last one is freed just after it is reported */
        OK(trm_coordinator_forget(coordinator));
        while (round == 1 && atomic_load(&counting.bytes) > before)
            usleep(1000); /* and so was the last one of the first round, which `before` may contain */
    }
    ck_assert_int_eq(atomic_load(&told), 100);
    end_coordinator();
}
END_TEST

/* A failure must be out of memory. */
static void ck_memory(int32_t status)
{
    ck_assert_msg(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY, "%s",
                  trm_last_error().sentence);
}

/* All of it once, with one failing allocation. Returns the number of tasks whose end was reported. */
static int work_through(int32_t fails)
{
    atomic_int told      = 0;
    struct trm_task task = {.struct_size = sizeof(task), .kind = TRM_TASK_UPLOAD, .name = "up"};
    int expected         = 0;
    int32_t status       = trm_coordinator_create(fake.device, NULL, &coordinator);
    ck_memory(status);
    if (status != TRM_OK)
        return 0;
    task.done = count_up;
    task.user = &told;
    for (uint64_t id = 1; id <= 100; id++) {
        uint64_t after   = id - 1;
        task.id          = id;
        task.kind        = id % 3 == 0 ? TRM_TASK_UPLOAD : id % 3 == 1 ? TRM_TASK_DOWNLOAD : TRM_TASK_HOST;
        task.destination = trm_span_of(buffer, 0, 8);
        task.source      = trm_span_of(buffer, 8, 8);
        task.host_source = host;
        task.host_destination = host + 32;
        task.host             = count_up;
        task.after            = &after;
        task.after_count      = id % 4 != 0 && trm_coordinator_poll(coordinator, after) == TRM_ERROR_TIMEOUT;
        status                = trm_coordinator_add(coordinator, &task);
        ck_memory(status);
        expected += status == TRM_OK;
    }
    status = trm_coordinator_submit(coordinator);
    ck_memory(status);
    if (status != TRM_OK)
        expected = 0;
    status = trm_coordinator_wait_all(coordinator, LONG_NS);
    ck_memory(status);
    ck_assert(fails || status == TRM_OK);
    OK(trm_coordinator_forget(coordinator));
    trm_coordinator_destroy(coordinator);
    ck_assert_int_ge(atomic_load(&told), expected);
    return expected;
}

START_TEST(where_memory_runs_out_tasks_fail_and_nothing_is_lost)
{
    int64_t number = 1, before = 0;
    do {
        begin(FAKE_ALL);
        fake_let_run(&fake);
        OK(trm_buffer_create(fake.device, TRM_MEMORY_DEVICE, 64, &buffer));
        before = counting.allocations;
        if (_i)
            counting.fail_at = before + number;
        else
            counting.fail_from = before + number;
        work_through(1);
        int64_t reached    = counting.allocations;
        counting.fail_at   = 0;
        counting.fail_from = 0;
        trm_buffer_destroy(buffer);
        end();
        if (reached < before + number)
            break;
    } while (number++ < 10000);
    ck_assert_int_gt(number, 200);
    begin(FAKE_ALL);
    fake_let_run(&fake);
    OK(trm_buffer_create(fake.device, TRM_MEMORY_DEVICE, 64, &buffer));
    ck_assert_int_eq(work_through(0), 100);
    trm_buffer_destroy(buffer);
    end();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_stream_has_but_one_task_that_has_not_ended);
    tcase_add_loop_test(tests, a_task_is_enqueued_behind_the_one_that_it_waits_for_where_the_device_can_wait,
                        0, 2);
    tcase_add_test(tests, what_is_ready_goes_before_what_would_wait_on_the_device);
    tcase_add_test(tests, a_stream_is_not_used_again_while_another_one_waits_for_what_was_on_it);
    tcase_add_test(tests, priorities_and_kinds_have_streams_of_their_own);
    tcase_add_test(tests, a_stream_that_failed_is_replaced_and_takes_down_only_what_comes_after);
    tcase_add_loop_test(tests, a_task_that_cannot_be_enqueued_fails_alone, 0, 3);
    tcase_add_test(tests, a_task_whose_wait_cannot_be_enqueued_fails_alone);
    tcase_add_test(tests, a_task_ends_though_the_backend_cannot_tell_so_just_then);
    tcase_add_test(tests, when_the_device_is_lost_all_tasks_fail_and_no_more_are_taken);
    tcase_add_test(tests, rows_of_any_length_are_no_cycle);
    tcase_add_test(tests, the_cycle_itself_is_spelled_out_and_not_what_leads_to_it);
    tcase_add_test(tests, of_a_long_cycle_the_middle_is_left_out);
    tcase_add_test(tests, a_cycle_beside_tasks_of_an_earlier_submit_is_found);
    tcase_add_test(tests, what_is_done_keeps_little_and_what_is_forgotten_nothing);
    tcase_add_loop_test(tests, where_memory_runs_out_tasks_fail_and_nothing_is_lost, 0, 2);
}

static Suite *suite(void)
{
    Suite *suite = suite_create("coordinator");
    TCase *tests = tcase_create("coordinator");
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(suite)
