/* The cuda backend's streams: queries, waits, notifications, loss of the device, and copies that would
 * block the caller.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>

#include "tests/unit/backends/cuda/streams.h"
#include "tests/unit/runner.h"

#define MILLISECOND UINT64_C(1000000)

/* ---- asking and waiting -------------------------------------------------------------------------------- */

START_TEST(a_place_without_a_mark_is_waited_for_all_the_same)
{
    struct trm_backend_stream *stream = on_stream();
    ck_ok(put(stream, 1, 1));
    ck_ok(put(stream, 2, 2));
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    ck_assert_uint_eq(with.host[0], 2); /* later than it need be */
    ck_ok(put(stream, 3, 3));
    ck_ok(ops->wait(stream, 3, UINT64_C(60000) * MILLISECOND));
    finish(stream, 3);
}
END_TEST

START_TEST(where_there_can_be_no_mark_all_of_the_stream_is_waited_for)
{
    struct trm_backend_stream *stream = on_stream();
    ck_ok(put(stream, 1, 1));
    on_fault("cuEventCreate", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    ck_assert_uint_eq(with.host[0], 1);
    ck_assert_uint_eq(on.control->failures(), 1);
    finish(stream, 1);
}
END_TEST

/* ---- asking ------------------------------------------------------------------------------------------ */

START_TEST(what_is_known_to_be_complete_is_not_asked_again)
{
    struct trm_backend_stream *stream = on_stream();
    ck_ok(mark_after(stream, 1, 1));
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    uint64_t asked = on.control->calls("cuEventQuery"), waited = on.control->calls("cuEventSynchronize");
    ck_assert_uint_eq(completed(stream), 1);
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    ck_assert_uint_eq(on.control->calls("cuEventQuery"), asked);
    ck_assert_uint_eq(on.control->calls("cuEventSynchronize"), waited);
    finish(stream, 1);
}
END_TEST

START_TEST(one_question_tells_that_all_is_complete)
{
    struct trm_backend_stream *stream = on_stream();
    for (uint64_t i = 1; i <= 6; i++)
        ck_ok(mark_after(stream, i, 1));
    on.control->settle();
    uint64_t asked = on.control->calls("cuEventQuery");
    ck_assert_uint_eq(completed(stream), 6);
    ck_assert_uint_eq(on.control->calls("cuEventQuery"), asked + 1);
    finish(stream, 6);
}
END_TEST

START_TEST(asking_finds_how_far_a_stream_without_marks_is)
{
    struct trm_backend_stream *stream = on_stream();
    ck_ok(put(stream, 1, 1));
    on.control->settle();
    ck_assert_uint_eq(completed(stream), 1);
    on.control->hold();
    ck_ok(put(stream, 2, 1));
    ck_assert_uint_eq(completed(stream), 1);
    ck_ok(put(stream, 3, 1));
    on.control->step(2); /* the fill, and the mark that the query has recorded */
    on.control->settle();
    ck_assert_uint_eq(completed(stream), 2);
    finish(stream, 3);
}
END_TEST

START_TEST(a_driver_that_cannot_say_how_far_a_stream_is_fails_it_when_all_has_ended)
{
    struct trm_backend_stream *stream = on_stream();
    uint64_t value                    = 0;
    ck_ok(mark_after(stream, 1, 1));
    on_fault("cuEventQuery", "CUDA_ERROR_INVALID_VALUE");
    ck_status(ops->query(stream, &value), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("cuEventQuery");
    ck_assert_uint_eq(with.host[0], 1);
    ck_assert_uint_eq(value, 1);
    ck_status(put(stream, 2, 1), TRM_ERROR_INVALID_ARGUMENT);
    ops->destroy(stream);
}
END_TEST

/* ---- waiting ----------------------------------------------------------------------------------------- */

START_TEST(a_wait_ends_when_its_time_is_over)
{
    struct trm_backend_stream *stream = on_stream();
    on.device->spin_ns                = _i == 0 ? 0 : MILLISECOND;
    on.control->hold();
    ck_ok(mark_after(stream, 1, 1));
    ck_status(ops->wait(stream, 1, 0), TRM_ERROR_TIMEOUT);
    ck_status(ops->wait(stream, 1, MILLISECOND), TRM_ERROR_TIMEOUT);
    ck_ok(ops->gate(stream, 2));
    ck_status(ops->wait(stream, 2, MILLISECOND), TRM_ERROR_TIMEOUT);
    on.control->release();
    ck_ok(ops->wait(stream, 1, UINT64_C(60000) * MILLISECOND));
    ops->open_gates(stream, 2);
    ck_ok(ops->wait(stream, 2, UINT64_C(60000) * MILLISECOND));
    finish(stream, 2);
}
END_TEST

struct waiter {
    pthread_t thread;
    struct trm_backend_stream *stream;
    uint64_t value, timeout;
    int32_t status;
};

static void *wait_in_thread(void *user)
{
    struct waiter *waiter = user;
    waiter->status        = ops->wait(waiter->stream, waiter->value, waiter->timeout);
    return NULL;
}

static void start(struct waiter *waiter, struct trm_backend_stream *stream, uint64_t value, uint64_t timeout)
{
    waiter->stream  = stream;
    waiter->value   = value;
    waiter->timeout = timeout;
    ck_assert_int_eq(pthread_create(&waiter->thread, NULL, wait_in_thread, waiter), 0);
}

static int32_t end_of(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    return waiter->status;
}

/* Wait until the number of calls has grown. */
static void until_called(const char *function, uint64_t before)
{
    while (on.control->calls(function) == before)
        sched_yield();
}

START_TEST(who_waits_long_sleeps_in_the_driver_and_asks_no_more)
{
    struct trm_backend_stream *stream = on_stream();
    struct waiter waiter;
    on.device->spin_ns = 0;
    on.control->hold();
    ck_ok(mark_after(stream, 1, 1));
    uint64_t slept = on.control->calls("cuEventSynchronize");
    start(&waiter, stream, 1, TRM_FOREVER);
    until_called("cuEventSynchronize", slept);
    ck_assert_uint_le(on.control->calls("cuEventQuery"), 2);
    on.control->release();
    ck_ok(end_of(&waiter));
    finish(stream, 1);
}
END_TEST

START_TEST(many_threads_wait_for_places_of_one_stream)
{
    enum {
        COUNT = 8
    };
    struct trm_backend_stream *stream = on_stream();
    struct waiter waiters[COUNT];
    on.control->hold();
    for (uint64_t i = 1; i <= COUNT; i++)
        ck_ok(i % 2 != 0 ? mark_after(stream, i, 1) : ops->gate(stream, i));
    for (uint64_t i = 0; i < COUNT; i++)
        start(&waiters[i], stream, i + 1, i % 3 == 0 ? UINT64_C(60000) * MILLISECOND : TRM_FOREVER);
    on.control->release();
    for (uint64_t i = 2; i <= COUNT; i += 2)
        ops->open_gates(stream, i);
    for (uint64_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(end_of(&waiters[i]), TRM_OK);
    finish(stream, COUNT);
}
END_TEST

START_TEST(who_waits_for_what_is_held_is_woken_when_the_stream_is_given_up)
{
    struct trm_backend_stream *stream = on_stream();
    struct waiter waiters[2];
    ck_ok(ops->gate(stream, 1));
    start(&waiters[0], stream, 1, TRM_FOREVER);
    start(&waiters[1], stream, 1, UINT64_C(60000) * MILLISECOND);
    ops->abandon(stream, TRM_ERROR_KERNEL);
    ck_status(end_of(&waiters[0]), TRM_ERROR_KERNEL);
    ck_status(end_of(&waiters[1]), TRM_ERROR_KERNEL);
    ops->destroy(stream);
}
END_TEST

START_TEST(waiting_until_it_is_submitted_is_no_waiting_until_it_is_done)
{
    struct trm_backend_stream *stream = on_stream();
    on.control->hold();
    ck_ok(put(stream, 1, 1));
    ck_ok(cuda_stream_wait_submitted(stream, 1));
    ck_ok(ops->gate(stream, 2));
    ops->abandon(stream, TRM_ERROR_KERNEL);
    ck_status(cuda_stream_wait_submitted(stream, 2), TRM_ERROR_KERNEL);
    on.control->release();
    ops->destroy(stream);
}
END_TEST

/* ---- notifications ----------------------------------------------------------------------------------- */

START_TEST(what_is_complete_is_told_at_once)
{
    struct trm_backend_stream *stream = on_stream();
    struct told told;
    struct ear ear = {&told, 1};
    told_init(&told);
    ck_ok(mark_after(stream, 1, 1));
    on.control->settle();
    ck_ok(ops->notify(stream, 1, hear, &ear));
    ck_assert_uint_eq(told_count(&told), 1);
    ck_assert_int_eq(told.statuses[0], TRM_OK);
    finish(stream, 1);
}
END_TEST

START_TEST(notifications_of_a_stream_come_in_their_order)
{
    enum {
        COUNT = 50
    };
    struct trm_backend_stream *stream = on_stream();
    struct told told;
    struct ear ears[COUNT];
    told_init(&told);
    ck_ok(mark_after(stream, 1, 1));
    ck_ok(ops->gate(stream, 2));
    for (uint64_t i = 2; i <= COUNT; i++)
        ck_ok(mark_after(stream, i + 1, 1));
    for (int i = 0; i < COUNT; i++) {
        int number   = i * 7 % COUNT;
        ears[number] = (struct ear){&told, number};
        ck_ok(ops->notify(stream, number == 0 ? 1 : (uint64_t)number + 2, hear, &ears[number]));
    }
    wait_told(&told, 1);
    on.control->settle();
    ck_assert_uint_eq(told_count(&told), 1);
    ops->open_gates(stream, 2);
    wait_told(&told, COUNT);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(told.order[i], i);
    finish(stream, COUNT + 1);
}
END_TEST

START_TEST(a_hundred_streams_tell_of_what_was_held)
{
    enum {
        COUNT = 100
    };
    struct trm_backend_stream *streams[COUNT];
    struct told told;
    struct ear ear = {&told, 0};
    told_init(&told);
    for (int i = 0; i < COUNT; i++) {
        streams[i] = on_stream();
        ck_ok(ops->gate(streams[i], 1));
        ck_ok(fill_at(streams[i], 2, (uint64_t)i, 1, 1));
        ck_ok(ops->mark(streams[i], 2));
        ck_ok(ops->notify(streams[i], 2, hear, &ear));
    }
    ck_assert_uint_eq(told_count(&told), 0);
    for (int i = 0; i < COUNT; i++)
        ops->open_gates(streams[i], 1);
    wait_told(&told, COUNT);
    for (int i = 0; i < COUNT; i++)
        finish(streams[i], 2);
}
END_TEST

START_TEST(who_is_to_be_told_is_told_of_the_failure)
{
    struct trm_backend_stream *stream = on_stream();
    struct told told;
    struct ear ears[2] = {{&told, 0}, {&told, 1}};
    told_init(&told);
    on.control->hold();
    ck_ok(mark_after(stream, 1, 1));
    ck_ok(ops->gate(stream, 2));
    ck_ok(ops->notify(stream, 1, hear, &ears[0]));
    ck_ok(ops->notify(stream, 2, hear, &ears[1]));
    ops->abandon(stream, TRM_ERROR_KERNEL);
    on.control->release();
    wait_told(&told, 2);
    ck_assert_int_eq(told.statuses[0], TRM_OK);
    ck_assert_int_eq(told.order[0], 0);
    ck_assert_int_eq(told.statuses[1], TRM_ERROR_KERNEL);
    ops->destroy(stream);
}
END_TEST

/* ---- loss -------------------------------------------------------------------------------------------- */

START_TEST(a_lost_device_wakes_everybody_and_answers_at_once)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    struct told told;
    struct ear ear = {&told, 0};
    struct waiter waiters[2];
    uint64_t value = 0;
    told_init(&told);
    ck_ok(ops->gate(second, 1));
    ck_ok(put(second, 2, 1));
    ck_ok(ops->notify(second, 2, hear, &ear));
    start(&waiters[0], second, 2, TRM_FOREVER);
    start(&waiters[1], second, 2, UINT64_C(60000) * MILLISECOND);
    ck_assert_int_eq(on.control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(put(first, 1, 1));
    ck_status(ops->wait(first, 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_says("CUDA_ERROR_ILLEGAL_ADDRESS");
    wait_told(&told, 1);
    ck_assert_int_eq(told.statuses[0], TRM_ERROR_DEVICE_LOST);
    ck_status(end_of(&waiters[0]), TRM_ERROR_DEVICE_LOST);
    ck_status(end_of(&waiters[1]), TRM_ERROR_DEVICE_LOST);
    ck_status(put(first, 2, 1), TRM_ERROR_DEVICE_LOST);
    ck_says("CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_status(ops->gate(first, 2), TRM_ERROR_DEVICE_LOST);
    ck_status(ops->wait_stream(second, 3, first, 1), TRM_ERROR_DEVICE_LOST);
    ck_status(ops->query(second, &value), TRM_ERROR_DEVICE_LOST);
    ops->open_gates(second, 1);
    ops->destroy(first);
    ops->destroy(second);
}
END_TEST

/* ---- memory of the program --------------------------------------------------------------------------- */

static int32_t download(struct trm_backend_stream *stream, uint64_t number, void *to)
{
    const struct trm_copy_desc desc = {
        .struct_size = sizeof(desc),
        .destination = {.host = to},
        .source      = {.memory = with.device},
        .size        = 1,
    };
    return ops->copy(stream, number, &desc);
}

START_TEST(a_download_to_memory_of_the_program_does_not_make_the_caller_wait)
{
    struct trm_backend_stream *stream = on_stream();
    static unsigned char byte;
    with.host[0] = 42;
    ck_ok(move(stream, 1, 0, 0));
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    on.control->hold();
    ck_ok(download(stream, 2, &byte));
    ck_ok(mark_after(stream, 3, 43));
    ck_assert_uint_eq(on.control->calls("cuMemcpyDtoHAsync"), 0);
    on.control->release();
    ck_ok(ops->wait(stream, 2, TRM_FOREVER));
    ck_assert_uint_eq(byte, 42);
    finish(stream, 3);
}
END_TEST

START_TEST(a_flush_completes_a_download_without_a_waiter)
{
    struct trm_backend_stream *stream = on_stream(), *other = on_stream();
    static unsigned char bytes[2];
    with.host[0] = 42;
    ck_ok(move(stream, 1, 0, 0));
    ck_ok(download(stream, 2, &bytes[0]));
    ck_ok(ops->flush(stream));
    while (cuda_stream_submitted(stream) != 2)
        sched_yield();
    ck_assert_uint_eq(bytes[0], 42);
    ck_ok(download(stream, 3, &bytes[1]));
    ck_ok(ops->mark(stream, 3));
    ck_ok(ops->wait_stream(other, 1, stream, 3));
    while (cuda_stream_submitted(other) != 1)
        sched_yield();
    ck_assert_uint_eq(bytes[1], 42);
    finish(stream, 3);
    finish(other, 1);
}
END_TEST

START_TEST(memory_of_the_program_that_is_pinned_is_copied_to_at_once)
{
    struct trm_backend_stream *stream = on_stream();
    on.control->hold();
    ck_ok(download(stream, 1, with.host));
    ck_assert_uint_eq(on.control->pending(), 1);
    finish(stream, 1);
}
END_TEST

START_TEST(short_uploads_of_the_programs_memory_go_at_once_and_long_ones_when_they_are_wanted)
{
    static unsigned char bytes[BYTES * 512];
    struct trm_backend_memory *large  = on_memory(TRM_MEMORY_DEVICE, sizeof(bytes));
    struct trm_backend_stream *stream = on_stream();
    struct trm_copy_desc desc         = {
                .struct_size = sizeof(desc),
                .destination = {.memory = large},
                .source      = {.host = bytes},
                .size        = BYTES,
    };
    ck_ok(ops->copy(stream, 1, &desc));
    ck_assert_uint_eq(on.control->calls("cuMemcpyHtoDAsync"), 1);
    desc.size = sizeof(bytes);
    ck_ok(ops->copy(stream, 2, &desc));
    ck_assert_uint_eq(on.control->calls("cuMemcpyHtoDAsync"), 1);
    ck_ok(ops->wait(stream, 2, TRM_FOREVER));
    ck_assert_uint_eq(on.control->calls("cuMemcpyHtoDAsync"), 2);
    finish(stream, 2);
    cuda_memory_ops.free(large);
}
END_TEST

/* ---- fills ------------------------------------------------------------------------------------------- */

START_TEST(fills_of_eight_bytes_are_right_at_every_length)
{
    enum {
        WORDS = 40000
    };
    struct trm_backend_stream *stream = on_stream();
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_PINNED, WORDS * 8);
    uint64_t *words = on_host(memory), value = 0;
    static const uint64_t lengths[]  = {1, 2, 3, 8191, 8192, 8193, 16385, WORDS - 2};
    static const uint64_t patterns[] = {0x1122334455667788, 0x1234567812345678, 0};
    for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++)
        for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
            struct trm_fill_desc desc = {
                .struct_size  = sizeof(desc),
                .pattern_size = 8,
                .memory       = memory,
                .offset       = 8,
                .size         = lengths[n] * 8,
                .pattern      = patterns[p],
            };
            for (size_t i = 0; i < WORDS; i++)
                words[i] = 5;
            ck_ok(ops->fill(stream, ++value, &desc));
            ck_ok(ops->wait(stream, value, TRM_FOREVER));
            for (size_t i = 0; i < WORDS; i++)
                ck_assert_uint_eq(words[i], i >= 1 && i <= lengths[n] ? patterns[p] : 5);
        }
    finish(stream, value);
    cuda_memory_ops.free(memory);
}
END_TEST

/* The driver takes it as two operations, and the first has been submitted. */
START_TEST(of_a_fill_that_is_refused_in_part_nothing_goes_on)
{
    struct trm_backend_stream *stream = on_stream();
    struct trm_fill_desc desc         = {.struct_size  = sizeof(desc),
                                         .pattern_size = 8,
                                         .memory       = with.device,
                                         .size         = BYTES,
                                         .pattern      = 0x1122334455667788};
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(on.control->arm("cuMemsetD2D32Async:2:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
        ck_status(ops->fill(stream, 1, &desc), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
        ck_assert_uint_eq(on.control->pending(), 0);
        ck_assert_int_eq(on.control->arm(NULL), 0);
    }
    ck_ok(ops->fill(stream, 1, &desc));
    finish(stream, 1);
}
END_TEST

START_TEST(a_fill_of_pinned_memory_does_not_make_the_caller_wait)
{
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_PINNED, 200000);
    struct trm_backend_stream *stream = on_stream();
    const uint64_t *words             = on_host(memory);
    struct trm_fill_desc desc         = {.struct_size  = sizeof(desc),
                                         .pattern_size = 8,
                                         .memory       = memory,
                                         .size         = 200000,
                                         .pattern      = 0x1122334455667788};
    on.control->hold();
    ck_ok(ops->fill(stream, 1, &desc));
    on.control->release();
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    ck_assert_uint_eq(words[200000 / 8 - 1], desc.pattern);
    finish(stream, 1);
    cuda_memory_ops.free(memory);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cuda waiting");
    TCase *group = tcase_create("waiting");
    tcase_add_checked_fixture(group, begin, end);
    tcase_add_test(group, a_place_without_a_mark_is_waited_for_all_the_same);
    tcase_add_test(group, where_there_can_be_no_mark_all_of_the_stream_is_waited_for);
    tcase_add_test(group, what_is_known_to_be_complete_is_not_asked_again);
    tcase_add_test(group, one_question_tells_that_all_is_complete);
    tcase_add_test(group, asking_finds_how_far_a_stream_without_marks_is);
    tcase_add_test(group, a_driver_that_cannot_say_how_far_a_stream_is_fails_it_when_all_has_ended);
    tcase_add_loop_test(group, a_wait_ends_when_its_time_is_over, 0, 2);
    tcase_add_test(group, who_waits_long_sleeps_in_the_driver_and_asks_no_more);
    tcase_add_test(group, many_threads_wait_for_places_of_one_stream);
    tcase_add_test(group, who_waits_for_what_is_held_is_woken_when_the_stream_is_given_up);
    tcase_add_test(group, waiting_until_it_is_submitted_is_no_waiting_until_it_is_done);
    tcase_add_test(group, what_is_complete_is_told_at_once);
    tcase_add_test(group, notifications_of_a_stream_come_in_their_order);
    tcase_add_test(group, a_hundred_streams_tell_of_what_was_held);
    tcase_add_test(group, who_is_to_be_told_is_told_of_the_failure);
    tcase_add_test(group, a_lost_device_wakes_everybody_and_answers_at_once);
    tcase_add_test(group, a_download_to_memory_of_the_program_does_not_make_the_caller_wait);
    tcase_add_test(group, a_flush_completes_a_download_without_a_waiter);
    tcase_add_test(group, memory_of_the_program_that_is_pinned_is_copied_to_at_once);
    tcase_add_test(group, short_uploads_of_the_programs_memory_go_at_once_and_long_ones_when_they_are_wanted);
    tcase_add_test(group, fills_of_eight_bytes_are_right_at_every_length);
    tcase_add_test(group, of_a_fill_that_is_refused_in_part_nothing_goes_on);
    tcase_add_test(group, a_fill_of_pinned_memory_does_not_make_the_caller_wait);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
