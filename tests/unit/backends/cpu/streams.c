/* Streams of the cpu backend: order, the ring of operations, streams that wait for streams, gates. The tests
 * call the tables directly, without the core.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/fixture.h"

START_TEST(operations_run_in_order_while_the_ring_grows_and_wraps)
{
    enum {
        COUNT = 20000
    };
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    uint8_t *data;
    struct trm_backend_memory *list = cpu_bench_memory(&bench, (COUNT + 1) * 4, &data);
    uint32_t *numbers               = (uint32_t *)data;
    memset(data, 0, (COUNT + 1) * 4);
    for (uint32_t i = 1; i <= COUNT; i++) {
        ck_assert_int_eq(launch_append(stream, 3 * i, list, i), TRM_OK);
        if (i % 777 == 0)
            ck_assert_int_eq(bench.stream->wait(stream, 3 * i, FOREVER), TRM_OK);
    }
    ck_assert_int_eq(bench.stream->wait(stream, 3 * COUNT, FOREVER), TRM_OK);
    ck_assert_uint_eq(completed(stream), 3 * COUNT);
    ck_assert_uint_eq(numbers[0], COUNT);
    for (uint32_t i = 1; i <= COUNT; i++)
        ck_assert_uint_eq(numbers[i], i);
    bench.stream->destroy(stream);
    bench.memory->free(list);
}
END_TEST

START_TEST(a_stream_that_is_stuck_takes_any_number_of_operations)
{
    enum {
        COUNT = 5000
    };
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    atomic_store(&calls, 0);
    ck_assert_int_eq(bench.stream->gate(stream, 1), TRM_OK);
    for (uint64_t i = 2; i <= COUNT; i++)
        ck_assert_int_eq(launch(stream, i, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->flush(stream), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, 2, 1000000), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(atomic_load(&calls), 0);
    bench.stream->open_gates(stream, 1);
    ck_assert_int_eq(bench.stream->wait(stream, COUNT, FOREVER), TRM_OK);
    ck_assert_int_eq(atomic_load(&calls), COUNT - 1);
    bench.stream->destroy(stream);
}
END_TEST

START_TEST(ten_thousand_streams_that_worked_take_less_than_a_kibibyte_each)
{
    enum {
        COUNT = 10000
    };
    static struct trm_backend_stream *streams[COUNT];
    int64_t before = cpu_host.bytes;
    for (int i = 0; i < COUNT; i++) {
        streams[i] = cpu_bench_stream(&bench, i % 3 - 1);
        ck_assert_ptr_nonnull(streams[i]);
        ck_assert_int_eq(launch(streams[i], 1, "count"), TRM_OK);
        ck_assert_int_eq(bench.stream->wait(streams[i], 1, FOREVER), TRM_OK);
    }
    ck_assert_int_lt((cpu_host.bytes - before) / COUNT, 1024);
    for (int i = 0; i < COUNT; i++)
        bench.stream->destroy(streams[i]);
    ck_assert_int_eq(cpu_host.bytes, before);
}
END_TEST

START_TEST(flushed_work_completes_without_a_waiter)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    ck_assert_int_eq(launch(stream, 1, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->flush(stream), TRM_OK);
    while (completed(stream) < 1)
        usleep(1000);
    bench.stream->destroy(stream);
}
END_TEST

START_TEST(work_that_is_not_submitted_waits_until_it_is)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    uint8_t *data;
    struct trm_backend_memory *memory = cpu_bench_memory(&bench, 64, &data);
    struct trm_fill_desc fill         = {
                .struct_size = sizeof(fill), .pattern_size = 1, .memory = memory, .size = 64, .pattern = 9};
    data[63] = 0;
    ck_assert_int_eq(bench.stream->fill(stream, 1, &fill), TRM_OK);
    usleep(20000);
    ck_assert_uint_eq(completed(stream), 0);
    ck_assert_int_eq(bench.stream->wait(stream, 1, FOREVER), TRM_OK);
    ck_assert_uint_eq(data[63], 9);
    bench.stream->destroy(stream);
    bench.memory->free(memory);
}
END_TEST

START_TEST(a_writer_of_cheap_operations_runs_them_itself_instead_of_filling_the_memory)
{
    enum {
        COUNT = 100000
    };
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    uint8_t *data;
    struct trm_backend_memory *memory = cpu_bench_memory(&bench, 64, &data);
    struct trm_fill_desc fill         = {
                .struct_size = sizeof(fill), .pattern_size = 1, .memory = memory, .size = 64, .pattern = 9};
    int64_t before = cpu_host.bytes;
    for (uint64_t i = 1; i <= COUNT; i++)
        ck_assert_int_eq(bench.stream->fill(stream, i, &fill), TRM_OK);
    ck_assert_uint_gt(completed(stream), COUNT / 2);
    ck_assert_int_lt(cpu_host.bytes - before, 64 << 10);
    ck_assert_int_eq(bench.stream->wait(stream, COUNT, FOREVER), TRM_OK);
    bench.stream->destroy(stream);
    bench.memory->free(memory);
}
END_TEST

START_TEST(a_stream_waits_for_another_and_the_waiter_helps_both)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    uint8_t *data;
    struct trm_backend_memory *list = cpu_bench_memory(&bench, 4096, &data);
    memset(data, 0, 4096);
    uint32_t *numbers = (uint32_t *)data;
    uint64_t value    = 0;
    for (uint32_t i = 0; i < 100; i++) {
        struct trm_backend_stream *to = i % 2 ? b : a, *from = i % 2 ? a : b;
        if (i > 0)
            ck_assert_int_eq(bench.stream->wait_stream(to, value + 1, from, value), TRM_OK);
        ck_assert_int_eq(launch_append(to, value + 2, list, i), TRM_OK);
        value += 2;
    }
    ck_assert_int_eq(bench.stream->wait(b, value, FOREVER), TRM_OK);
    ck_assert_uint_eq(numbers[0], 100);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_uint_eq(numbers[i + 1], i);
    bench.stream->destroy(a);
    bench.stream->destroy(b);
    bench.memory->free(list);
}
END_TEST

START_TEST(a_chain_of_streams_of_any_length_is_followed)
{
    enum {
        COUNT = 10000
    };
    static struct trm_backend_stream *streams[COUNT];
    atomic_store(&calls, 0);
    for (int i = 0; i < COUNT; i++) {
        streams[i] = cpu_bench_stream(&bench, 0);
        if (i == 0)
            ck_assert_int_eq(bench.stream->gate(streams[i], 1), TRM_OK);
        else
            ck_assert_int_eq(bench.stream->wait_stream(streams[i], 1, streams[i - 1], 2), TRM_OK);
        ck_assert_int_eq(launch(streams[i], 2, "count"), TRM_OK);
    }
    ck_assert_int_eq(bench.stream->wait(streams[COUNT - 1], 2, 1000000), TRM_ERROR_TIMEOUT);
    bench.stream->open_gates(streams[0], 1);
    ck_assert_int_eq(bench.stream->wait(streams[COUNT - 1], 2, FOREVER), TRM_OK);
    ck_assert_int_eq(atomic_load(&calls), COUNT);
    for (int i = 0; i < COUNT; i++)
        bench.stream->destroy(streams[i]);
}
END_TEST

START_TEST(a_stream_may_end_before_one_that_waited_for_it)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    ck_assert_int_eq(launch(a, 1, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->gate(b, 1), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(b, 2, a, 1), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(a, 1, FOREVER), TRM_OK);
    bench.stream->destroy(a);
    bench.stream->open_gates(b, 1);
    ck_assert_int_eq(bench.stream->wait(b, 2, FOREVER), TRM_OK);
    bench.stream->destroy(b);
}
END_TEST

START_TEST(a_gate_that_is_open_already_lets_the_stream_pass)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    bench.stream->open_gates(stream, 5);
    ck_assert_int_eq(bench.stream->gate(stream, 3), TRM_OK);
    ck_assert_int_eq(bench.stream->gate(stream, 5), TRM_OK);
    ck_assert_int_eq(bench.stream->gate(stream, 6), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, 5, FOREVER), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, 6, 1000000), TRM_ERROR_TIMEOUT);
    bench.stream->open_gates(stream, 6);
    ck_assert_int_eq(bench.stream->wait(stream, 6, FOREVER), TRM_OK);
    bench.stream->destroy(stream);
}
END_TEST

START_TEST(a_thread_asleep_at_a_gate_is_woken_when_it_opens)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    pthread_t thread;
    ck_assert_int_eq(bench.stream->gate(stream, 1), TRM_OK);
    pthread_create(&thread, NULL, open_later, stream);
    ck_assert_int_eq(bench.stream->wait(stream, 1, FOREVER), TRM_OK);
    pthread_join(thread, NULL);
    bench.stream->destroy(stream);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *tests[] = {
        operations_run_in_order_while_the_ring_grows_and_wraps,
        a_stream_that_is_stuck_takes_any_number_of_operations,
        ten_thousand_streams_that_worked_take_less_than_a_kibibyte_each,
        flushed_work_completes_without_a_waiter,
        work_that_is_not_submitted_waits_until_it_is,
        a_writer_of_cheap_operations_runs_them_itself_instead_of_filling_the_memory,
        a_stream_waits_for_another_and_the_waiter_helps_both,
        a_chain_of_streams_of_any_length_is_followed,
        a_stream_may_end_before_one_that_waited_for_it,
        a_gate_that_is_open_already_lets_the_stream_pass,
        a_thread_asleep_at_a_gate_is_woken_when_it_opens,
    };
    return suite_of("cpu streams", tests, sizeof(tests) / sizeof(*tests));
}

UNIT_SUITE(make_suite)
