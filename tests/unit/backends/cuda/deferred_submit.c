/* The cuda backend's streams: when operations go to the driver, gates, waits for other streams, and
 * failures that pass from stream to stream.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cuda/streams.h"
#include "tests/unit/runner.h"

/* ---- directly ---------------------------------------------------------------------------------------- */

START_TEST(what_is_enqueued_is_the_drivers_at_once)
{
    struct trm_backend_stream *stream = on_stream();
    on.control->hold();
    ck_ok(put(stream, 1, 7));
    ck_assert_uint_eq(on.control->pending(), 1);
    ck_assert_uint_eq(completed(stream), 0);
    finish(stream, 1);
    ck_assert_uint_eq(with.host[0], 7);
}
END_TEST

START_TEST(an_operation_that_the_driver_refuses_is_no_failure_of_the_stream)
{
    struct trm_backend_stream *stream = on_stream();
    on_fault("cuMemsetD8Async", "CUDA_ERROR_INVALID_VALUE");
    ck_status(put(stream, 1, 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("CUDA_ERROR_INVALID_VALUE");
    ck_ok(put(stream, 1, 2));
    on_fault("cuMemcpyHtoDAsync", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_status(move(stream, 2, 0, 0), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_ok(move(stream, 2, 0, 0));
    on_fault("cuEventCreate", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_status(ops->mark(stream, 2), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    on_fault("cuEventRecord", "CUDA_ERROR_INVALID_VALUE");
    ck_status(ops->mark(stream, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(ops->mark(stream, 2));
    finish(stream, 2);
    ck_assert_uint_eq(with.host[0], 2);
}
END_TEST

/* ---- gates ------------------------------------------------------------------------------------------- */

START_TEST(a_closed_gate_holds_back_what_is_behind_it)
{
    struct trm_backend_stream *stream = on_stream();
    ck_ok(put(stream, 1, 1));
    ck_ok(ops->gate(stream, 2));
    ck_ok(put(stream, 3, 3));
    ck_ok(ops->mark(stream, 3));
    ck_ok(ops->wait(stream, 1, TRM_FOREVER));
    ck_assert_uint_eq(with.host[0], 1);
    ck_assert_uint_eq(completed(stream), 1);
    ops->open_gates(stream, 2);
    finish(stream, 3);
    ck_assert_uint_eq(with.host[0], 3);
}
END_TEST

START_TEST(a_gate_that_is_open_holds_nothing_back)
{
    struct trm_backend_stream *stream = on_stream();
    ops->open_gates(stream, 5);
    ck_ok(ops->gate(stream, 4));
    on.control->hold();
    ck_ok(put(stream, 5, 1));
    ck_assert_uint_eq(on.control->pending(), 1);
    ck_ok(ops->gate(stream, 6));
    ck_ok(put(stream, 7, 2));
    ck_assert_uint_eq(on.control->pending(), 1);
    ops->open_gates(stream, 6);
    ck_assert_uint_eq(on.control->pending(), 2);
    finish(stream, 7);
}
END_TEST

START_TEST(opening_a_gate_opens_those_before_it_and_none_behind)
{
    struct trm_backend_stream *stream = on_stream();
    for (uint64_t i = 0; i < 3; i++) {
        ck_ok(ops->gate(stream, 2 * i + 1));
        ck_ok(put(stream, 2 * i + 2, (uint8_t)(i + 1)));
    }
    ops->open_gates(stream, 3);
    ck_ok(ops->wait(stream, 4, TRM_FOREVER));
    ck_assert_uint_eq(with.host[0], 2);
    ck_assert_uint_eq(completed(stream), 4);
    ops->open_gates(stream, 5);
    finish(stream, 6);
    ck_assert_uint_eq(with.host[0], 3);
}
END_TEST

START_TEST(what_was_held_keeps_its_order_and_its_contents)
{
    enum {
        COUNT = 1000
    };
    struct trm_backend_stream *stream = on_stream();
    struct trm_fill_desc desc         = {
                .struct_size  = sizeof(desc),
                .pattern_size = 4,
                .memory       = with.pinned,
                .size         = 4,
    };
    ck_ok(ops->gate(stream, 1));
    for (uint32_t i = 0; i < COUNT; i++) {
        desc.pattern = i;
        desc.offset  = i % 16 * 4;
        ck_ok(ops->fill(stream, i + 2, &desc));
    }
    desc.memory = NULL;
    ops->open_gates(stream, 1);
    finish(stream, COUNT + 1);
    for (uint32_t i = COUNT - 16; i < COUNT; i++)
        ck_assert_uint_eq(((uint32_t *)(void *)with.host)[i % 16], i);
}
END_TEST

START_TEST(gates_that_come_again_and_again_take_no_new_memory)
{
    struct trm_backend_stream *stream = on_stream();
    uint64_t value = 0, calls = 0;
    on.device->spin_ns = UINT64_C(1) << 62; /* it never sleeps */
    for (int i = 0; i < 100; i++) {
        ck_ok(ops->gate(stream, ++value));
        ck_ok(put(stream, ++value, 1));
        ck_ok(ops->mark(stream, value));
        ops->open_gates(stream, value - 1);
        ck_ok(ops->wait(stream, value, TRM_FOREVER));
        if (i == 10)
            calls = fake.calls;
    }
    ck_assert_uint_eq(fake.calls, calls);
    finish(stream, value);
}
END_TEST

START_TEST(an_operation_that_is_refused_when_its_turn_comes_fails_the_stream)
{
    struct trm_backend_stream *stream = on_stream();
    ck_ok(ops->gate(stream, 1));
    ck_ok(put(stream, 2, 1));
    ck_ok(move(stream, 3, 0, 0));
    ck_ok(put(stream, 4, 2));
    on_fault("cuMemcpyHtoDAsync", "CUDA_ERROR_INVALID_VALUE");
    ops->open_gates(stream, 1);
    ck_status(ops->wait(stream, 4, TRM_FOREVER), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("A copy");
    ck_says("CUDA_ERROR_INVALID_VALUE");
    ck_assert_int_eq(fake.native, CUDA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(with.host[0], 1);
    ck_status(put(stream, 5, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("A copy");
    ops->destroy(stream);
}
END_TEST

/* ---- waits for others -------------------------------------------------------------------------------- */

START_TEST(what_is_submitted_is_waited_for_on_the_device)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    on.control->hold();
    ck_ok(mark_after(first, 1, 1));
    uint64_t waits = on.control->calls("cuStreamWaitEvent");
    ck_ok(ops->wait_stream(second, 1, first, 1));
    ck_assert_uint_eq(on.control->calls("cuStreamWaitEvent"), waits + 1);
    ck_ok(put(second, 2, 2));
    ck_assert(!cuda_stream_is_deferring(second));
    finish(second, 2);
    ck_assert_uint_eq(with.host[0], 2);
    finish(first, 1);
}
END_TEST

START_TEST(what_is_complete_is_not_waited_for)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    ck_ok(mark_after(first, 1, 1));
    ck_ok(ops->wait(first, 1, TRM_FOREVER));
    uint64_t waits = on.control->calls("cuStreamWaitEvent");
    ck_ok(ops->wait_stream(second, 1, first, 1));
    ck_assert_uint_eq(on.control->calls("cuStreamWaitEvent"), waits);
    finish(second, 1);
    finish(first, 1);
}
END_TEST

START_TEST(what_is_held_is_waited_for_on_the_host_along_a_chain)
{
    struct trm_backend_stream *streams[4];
    for (int i = 0; i < 4; i++)
        streams[i] = on_stream();
    ck_ok(ops->gate(streams[0], 1));
    ck_ok(mark_after(streams[0], 2, 1));
    for (int i = 1; i < 4; i++) {
        ck_ok(ops->wait_stream(streams[i], 1, streams[i - 1], 2));
        ck_ok(mark_after(streams[i], 2, (uint8_t)(i + 1)));
        ck_assert(cuda_stream_is_deferring(streams[i]));
    }
    ck_assert_uint_eq(on.control->pending(), 0);
    on.control->hold();
    ops->open_gates(streams[0], 1);
    for (int i = 0; i < 4; i++)
        ck_assert(!cuda_stream_is_deferring(streams[i]));
    on.control->release();
    ck_ok(ops->wait(streams[3], 2, TRM_FOREVER));
    ck_assert_uint_eq(with.host[0], 4);
    for (int i = 0; i < 4; i++)
        finish(streams[i], 2);
}
END_TEST

START_TEST(a_stream_may_be_gone_before_one_comes_to_its_wait_for_it)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    ck_ok(ops->gate(second, 1));
    ck_ok(mark_after(first, 1, 1));
    ck_ok(ops->wait_stream(second, 2, first, 1));
    ck_ok(put(second, 3, 3));
    finish(first, 1);
    ops->open_gates(second, 1);
    finish(second, 3);
    ck_assert_uint_eq(with.host[0], 3);
}
END_TEST

START_TEST(a_wait_that_the_driver_refuses_is_no_failure_of_the_stream)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    on.control->hold();
    ck_ok(mark_after(first, 1, 1));
    on_fault("cuStreamWaitEvent", "CUDA_ERROR_INVALID_VALUE");
    ck_status(ops->wait_stream(second, 1, first, 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(ops->wait_stream(second, 1, first, 1));
    finish(second, 1);
    finish(first, 1);
}
END_TEST

/* ---- failures ---------------------------------------------------------------------------------------- */

START_TEST(a_stream_fails_with_the_one_that_it_waits_for)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream(), *third = on_stream();
    ck_ok(ops->gate(first, 1));
    ck_ok(mark_after(second, 1, 5));
    ck_ok(ops->wait_stream(second, 2, first, 1));
    ck_ok(put(second, 3, 6));
    ck_ok(ops->wait_stream(third, 1, second, 3));
    ops->abandon(first, TRM_ERROR_KERNEL);
    ck_status(ops->wait(third, 1, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_status(ops->wait(second, 3, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_status(ops->wait(first, 1, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_says("abandoned");
    ck_assert_uint_eq(with.host[0], 5);
    ops->destroy(first);
    ops->destroy(second);
    ops->destroy(third);
}
END_TEST

START_TEST(a_stream_does_not_fail_with_one_whose_place_was_reached)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    on.control->hold();
    ck_ok(mark_after(first, 1, 1));
    ck_ok(ops->gate(first, 2));
    ck_ok(ops->gate(second, 1));
    ck_ok(ops->wait_stream(second, 2, first, 1));
    ck_ok(put(second, 3, 3));
    ops->abandon(first, TRM_ERROR_KERNEL);
    ops->open_gates(second, 1);
    finish(second, 3);
    ck_assert_uint_eq(with.host[0], 3);
    ops->destroy(first);
}
END_TEST

START_TEST(a_failure_is_told_when_what_was_submitted_has_ended)
{
    struct trm_backend_stream *stream = on_stream();
    uint64_t value                    = 0;
    on.control->hold();
    ck_ok(mark_after(stream, 1, 1));
    ck_ok(ops->gate(stream, 2));
    ck_ok(put(stream, 3, 2));
    ops->abandon(stream, TRM_ERROR_KERNEL);
    ck_ok(ops->query(stream, &value));
    ck_assert_uint_eq(value, 0);
    ck_status(ops->wait(stream, 3, 1000), TRM_ERROR_TIMEOUT);
    ck_status(put(stream, 4, 3), TRM_ERROR_KERNEL);
    on.control->release();
    ck_status(ops->wait(stream, 3, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_status(ops->query(stream, &value), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(value, 1);
    ck_assert_uint_eq(with.host[0], 1);
    ops->open_gates(stream, 2);
    ops->destroy(stream);
}
END_TEST

START_TEST(the_first_failure_stays)
{
    struct trm_backend_stream *stream = on_stream();
    ops->abandon(stream, TRM_ERROR_KERNEL);
    ops->abandon(stream, TRM_ERROR_CANCELLED);
    ck_status(ops->wait(stream, 1, TRM_FOREVER), TRM_ERROR_KERNEL);
    ops->destroy(stream);
}
END_TEST

/* ---- host memory --------------------------------------------------------------------------------------- */

START_TEST(where_there_is_no_host_memory_a_call_fails_and_can_be_repeated)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    fake.refuse_at = fake.calls + 1;
    ck_status(ops->gate(first, 1), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_ok(ops->gate(first, 1));
    fake.refuse_at = fake.calls + 1;
    ck_status(put(first, 2, 1), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_ok(put(first, 2, 1));
    fake.refuse_at = fake.calls + 1;
    ck_status(ops->wait_stream(second, 1, first, 2), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_ok(ops->wait_stream(second, 1, first, 2));
    ops->open_gates(first, 1);
    finish(second, 1);
    for (int i = 1; i <= 2; i++) {
        struct trm_backend_stream *third = on_stream();
        ck_ok(put(third, 1, 1));
        fake.refuse_at = fake.calls + (uint64_t)i;
        ck_status(ops->mark(third, 1), TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_ok(ops->mark(third, 1));
        finish(third, 1);
    }
    finish(first, 2);
}
END_TEST

START_TEST(what_has_been_accepted_does_not_fail_for_want_of_host_memory)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    uint64_t refused = (uint64_t)_i + 1;
    ck_ok(ops->gate(first, 1));
    ck_ok(put(first, 2, 1));
    ck_ok(ops->mark(first, 2));
    ck_ok(ops->wait_stream(second, 1, first, 2));
    ck_ok(move(second, 2, 0, 0));
    ck_ok(ops->mark(second, 2));
    uint64_t calls = fake.calls;
    fake.refuse_at = calls + refused;
    ops->open_gates(first, 1);
    ck_assert_uint_ge(fake.calls, calls + refused);
    finish(second, 2);
    finish(first, 2);
}
END_TEST

START_TEST(a_place_that_has_no_mark_for_want_of_host_memory_is_waited_for)
{
    struct trm_backend_stream *first = on_stream(), *second = on_stream();
    ck_ok(put(first, 1, 1));
    ck_ok(ops->gate(second, 1));
    ck_ok(ops->wait_stream(second, 2, first, 1));
    ck_ok(move(second, 3, 0, 0));
    fake.refuse_at = fake.calls + 1;
    ops->open_gates(second, 1);
    finish(second, 3);
    finish(first, 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cuda: deferred submission");
    TCase *group = tcase_create("deferred operations");
    tcase_add_checked_fixture(group, begin, end);
    tcase_add_test(group, what_is_enqueued_is_the_drivers_at_once);
    tcase_add_test(group, an_operation_that_the_driver_refuses_is_no_failure_of_the_stream);
    tcase_add_test(group, a_closed_gate_holds_back_what_is_behind_it);
    tcase_add_test(group, a_gate_that_is_open_holds_nothing_back);
    tcase_add_test(group, opening_a_gate_opens_those_before_it_and_none_behind);
    tcase_add_test(group, what_was_held_keeps_its_order_and_its_contents);
    tcase_add_test(group, gates_that_come_again_and_again_take_no_new_memory);
    tcase_add_test(group, an_operation_that_is_refused_when_its_turn_comes_fails_the_stream);
    tcase_add_test(group, what_is_submitted_is_waited_for_on_the_device);
    tcase_add_test(group, what_is_complete_is_not_waited_for);
    tcase_add_test(group, what_is_held_is_waited_for_on_the_host_along_a_chain);
    tcase_add_test(group, a_stream_may_be_gone_before_one_comes_to_its_wait_for_it);
    tcase_add_test(group, a_wait_that_the_driver_refuses_is_no_failure_of_the_stream);
    tcase_add_test(group, a_stream_fails_with_the_one_that_it_waits_for);
    tcase_add_test(group, a_stream_does_not_fail_with_one_whose_place_was_reached);
    tcase_add_test(group, a_failure_is_told_when_what_was_submitted_has_ended);
    tcase_add_test(group, the_first_failure_stays);
    tcase_add_test(group, where_there_is_no_host_memory_a_call_fails_and_can_be_repeated);
    tcase_add_loop_test(group, what_has_been_accepted_does_not_fail_for_want_of_host_memory, 0, 2);
    tcase_add_test(group, a_place_that_has_no_mark_for_want_of_host_memory_is_waited_for);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
