/* What is in flight.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/in_flight.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "core/stream/stream_object.h"
#include "tests/unit/counting.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define MANY 40

static struct fake fake;
static struct counting counting;
static struct trm_stream *streams[MANY];
static struct core_in_flight in_flight;

static void begin(uint64_t synchronous)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
    };
    memset(&counting, 0, sizeof(counting));
    memset(&in_flight, 0, sizeof(in_flight));
    fake_init(&fake, FAKE_ALL, &desc);
    fake.synchronous = synchronous;
    fake_open(&fake);
    for (int i = 0; i < MANY; i++)
        OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &streams[i]));
}

static void end(void)
{
    core_in_flight_fini(fake.backend.context, &in_flight);
    for (int i = 0; i < MANY; i++)
        trm_stream_destroy(streams[i]);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}

static struct core_stream *inside(int index)
{
    return core_stream_find(streams[index]);
}

/* Enqueues an operation that uses the object. */
static void use(int index)
{
    OK(fake_enqueue(streams[index]));
    core_in_flight_add(&in_flight, inside(index), core_stream_next(inside(index)) - 1);
}

START_TEST(an_unused_object_is_finished)
{
    begin(0);
    ck_assert(core_in_flight_is_done(&in_flight));
    OK(core_in_flight_wait(&in_flight, 0));
    end();
}
END_TEST

START_TEST(an_object_is_finished_when_the_last_use_of_each_stream_is)
{
    begin(0);
    use(0);
    use(0);
    use(1);
    ck_assert(!core_in_flight_is_done(&in_flight));
    fake_run(&fake, streams[0], 1);
    ck_assert(!core_in_flight_is_done(&in_flight));
    fake_run(&fake, streams[0], 2);
    ck_assert(!core_in_flight_is_done(&in_flight));
    ck_assert_int_eq(core_in_flight_wait(&in_flight, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(core_in_flight_wait(&in_flight, 1000000), TRM_ERROR_TIMEOUT);
    fake_run(&fake, streams[1], 1);
    ck_assert(core_in_flight_is_done(&in_flight));
    OK(core_in_flight_wait(&in_flight, 0));
    fake_let_run(&fake);
    end();
}
END_TEST

START_TEST(an_earlier_use_does_not_take_the_place_of_a_later_one)
{
    begin(0);
    use(0);
    use(0);
    core_in_flight_add(&in_flight, inside(0), 1);
    fake_run(&fake, streams[0], 1);
    ck_assert(!core_in_flight_is_done(&in_flight));
    fake_let_run(&fake);
    ck_assert(core_in_flight_is_done(&in_flight));
    end();
}
END_TEST

START_TEST(any_number_of_streams_may_use_an_object)
{
    begin(0);
    for (int i = 0; i < MANY; i++)
        use(i);
    for (int i = 0; i < MANY; i++) {
        ck_assert(!core_in_flight_is_done(&in_flight));
        fake_run(&fake, streams[i], 1);
    }
    ck_assert(core_in_flight_is_done(&in_flight));
    end();
}
END_TEST

START_TEST(the_slot_of_a_use_that_is_done_is_used_again)
{
    begin(0);
    fake_let_run(&fake);
    use(0);
    int64_t before = atomic_load(&counting.allocations);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < MANY; i++)
            use(i);
    ck_assert_int_eq(atomic_load(&counting.allocations), before);
    end();
}
END_TEST

START_TEST(nothing_is_recorded_on_a_synchronous_device)
{
    begin(1);
    use(0);
    ck_assert(core_in_flight_is_done(&in_flight));
    fake_let_run(&fake);
    end();
}
END_TEST

static void *run_once_waited_for(void *unused)
{
    while (atomic_load(&fake.calls[FAKE_CALL_WAIT]) == 0)
        usleep(1000);
    fake_let_run(&fake);
    return unused;
}

START_TEST(without_memory_for_a_slot_the_operation_is_waited_for)
{
    pthread_t thread;
    begin(0);
    for (int i = 0; i < CORE_IN_FLIGHT_INLINE; i++)
        use(i);
    OK(fake_enqueue(streams[CORE_IN_FLIGHT_INLINE]));
    pthread_create(&thread, NULL, run_once_waited_for, NULL);
    counting.fail_from = 1;
    core_in_flight_add(&in_flight, inside(CORE_IN_FLIGHT_INLINE), 1);
    counting.fail_from = 0;
    OK(trm_stream_query(streams[CORE_IN_FLIGHT_INLINE]));
    pthread_join(thread, NULL);
    end();
}
END_TEST

START_TEST(waiting_for_a_use_gives_the_failure_of_its_stream)
{
    begin(0);
    use(0);
    use(1);
    fake_fail(&fake, streams[0], TRM_ERROR_KERNEL, 7, "the kernel fell over");
    fake_run(&fake, streams[1], 1);
    ck_assert_int_eq(core_in_flight_wait(&in_flight, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "the kernel fell over");
    ck_assert_int_eq(trm_last_error().native_code, 7);
    /* The failure is reported once: failed work does not use the object any more. */
    OK(core_in_flight_wait(&in_flight, TRM_FOREVER));
    end();
}
END_TEST

START_TEST(asking_whether_an_object_is_finished_leaves_the_last_error_alone)
{
    begin(0);
    use(0);
    trm_stream_query(NULL);
    char before[256];
    strncpy(before, trm_last_error().sentence, sizeof(before) - 1);
    before[sizeof(before) - 1] = '\0';
    fake_fail(&fake, streams[0], TRM_ERROR_KERNEL, 5, "the kernel fell over");
    ck_assert(core_in_flight_is_done(&in_flight));
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    ck_assert_str_eq(trm_last_error().sentence, before);
    ck_assert_int_eq(trm_stream_query(streams[0]), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "the kernel fell over");
    end();
}
END_TEST

START_TEST(a_use_is_finished_when_its_stream_has_been_destroyed)
{
    begin(0);
    use(0);
    fake_run(&fake, streams[0], UINT64_MAX);
    trm_stream_destroy(streams[0]);
    ck_assert(core_in_flight_is_done(&in_flight));
    OK(core_in_flight_wait(&in_flight, TRM_FOREVER));
    end();
}
END_TEST

static void *enqueue_and_use(void *argument)
{
    int index = *(int *)argument;
    for (int i = 0; i < 2000; i++) {
        use(index);
        if (i % 16 == 0)
            core_in_flight_is_done(&in_flight);
    }
    return NULL;
}

static void *ask(void *argument)
{
    atomic_bool *ends = argument;
    while (!atomic_load(ends))
        core_in_flight_is_done(&in_flight);
    return NULL;
}

/* A query frees the slot of finished work while another thread records the next operation in it. */
START_TEST(a_recorded_operation_is_not_lost_to_a_query_at_the_same_time)
{
    atomic_bool ends = false;
    pthread_t thread;
    begin(0);
    pthread_create(&thread, NULL, ask, &ends);
    for (int i = 0; i < 5000; i++) {
        use(0);
        ck_assert(!core_in_flight_is_done(&in_flight));
        fake_run(&fake, streams[0], core_stream_next(inside(0)) - 1);
    }
    atomic_store(&ends, true);
    pthread_join(thread, NULL);
    ck_assert(core_in_flight_is_done(&in_flight));
    end();
}
END_TEST

START_TEST(threads_may_record_uses_at_once)
{
    pthread_t threads[8];
    int indices[8];
    begin(0);
    fake_let_run(&fake);
    for (int i = 0; i < 8; i++) {
        indices[i] = i;
        pthread_create(&threads[i], NULL, enqueue_and_use, &indices[i]);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    OK(core_in_flight_wait(&in_flight, TRM_FOREVER));
    ck_assert(core_in_flight_is_done(&in_flight));
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite  = suite_create("in_flight");
    TCase *record = tcase_create("record");
    tcase_add_test(record, an_unused_object_is_finished);
    tcase_add_test(record, an_object_is_finished_when_the_last_use_of_each_stream_is);
    tcase_add_test(record, an_earlier_use_does_not_take_the_place_of_a_later_one);
    tcase_add_test(record, any_number_of_streams_may_use_an_object);
    tcase_add_test(record, the_slot_of_a_use_that_is_done_is_used_again);
    tcase_add_test(record, nothing_is_recorded_on_a_synchronous_device);
    tcase_add_test(record, without_memory_for_a_slot_the_operation_is_waited_for);
    tcase_add_test(record, waiting_for_a_use_gives_the_failure_of_its_stream);
    tcase_add_test(record, asking_whether_an_object_is_finished_leaves_the_last_error_alone);
    tcase_add_test(record, a_use_is_finished_when_its_stream_has_been_destroyed);
    tcase_add_test(record, a_recorded_operation_is_not_lost_to_a_query_at_the_same_time);
    tcase_add_test(record, threads_may_record_uses_at_once);
    suite_add_tcase(suite, record);
    return suite;
}

UNIT_SUITE(suite)
