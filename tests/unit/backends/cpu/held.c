/* Streams of the cpu backend that wait for each other while one thread runs them all.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/fixture.h"

enum {
    STREAMS = 6, /* more than a session holds */
    ROUNDS  = 3000
};

static struct trm_backend_memory *make_list(uint32_t room, uint32_t **numbers)
{
    uint8_t *data;
    struct trm_backend_memory *list = cpu_bench_memory(&bench, (room + 1) * 4, &data);
    ck_assert_ptr_nonnull(list);
    memset(data, 0, (room + 1) * 4);
    *numbers = (uint32_t *)data;
    return list;
}

/* Each stream waits for the one before it, over and over, so that all their kernels have one order. Some
 * streams tell of each step. */
static void go_round(uint32_t count, void (*tell)(void *, int32_t), void *user)
{
    struct trm_backend_stream *streams[STREAMS];
    uint64_t values[STREAMS] = {0};
    uint32_t *numbers;
    struct trm_backend_memory *list = make_list(ROUNDS, &numbers);

    for (uint32_t i = 0; i < count; i++)
        streams[i] = cpu_bench_stream(&bench, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t at = i % count, before = (i + count - 1) % count;
        if (i > 0)
            ck_assert_int_eq(
                bench.stream->wait_stream(streams[at], ++values[at], streams[before], values[before]),
                TRM_OK);
        ck_assert_int_eq(launch_append(streams[at], ++values[at], list, i + 1), TRM_OK);
        if (tell != NULL && i % 5 == 0)
            ck_assert_int_eq(bench.stream->notify(streams[at], values[at], tell, user), TRM_OK);
    }
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(bench.stream->wait(streams[i], values[i], FOREVER), TRM_OK);
    ck_assert_uint_eq(numbers[0], ROUNDS);
    for (uint32_t i = 1; i <= ROUNDS; i++)
        ck_assert_uint_eq(numbers[i], i);
    for (uint32_t i = 0; i < count; i++)
        bench.stream->destroy(streams[i]);
    bench.memory->free(list);
}

START_TEST(streams_that_wait_for_each_other_in_turn_keep_one_order)
{
    for (uint32_t count = 2; count <= STREAMS; count++)
        go_round(count, NULL, NULL);
}
END_TEST

START_TEST(streams_that_go_back_and_forth_tell_of_each_step)
{
    static atomic_int counts[3];
    for (uint32_t count = 2; count <= STREAMS; count += 2)
        go_round(count, count_status, counts);
    ck_assert_int_eq(atomic_load(&counts[0]), 3 * (ROUNDS / 5));
}
END_TEST

static void *wait_for_first(void *stream)
{
    return bench.stream->wait(stream, 1, FOREVER) == TRM_OK ? NULL : stream;
}

/* A thread that holds `a` parks it before a kernel that may take long, because a stream that is held cannot
 * be given up. */
START_TEST(a_stream_can_be_given_up_while_a_long_kernel_runs_that_it_waits_for)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    pthread_t helper;
    void *failed;

    hold_the_kernel();
    ck_assert_int_eq(launch(b, 1, "count"), TRM_OK);
    ck_assert_int_eq(launch(b, 2, "block"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(a, 1, b, 2), TRM_OK);
    ck_assert_int_eq(pthread_create(&helper, NULL, wait_for_first, a), 0);
    wait_for_the_kernel();
    bench.stream->abandon(a, TRM_ERROR_CANCELLED);
    ck_assert_int_eq(bench.stream->wait(a, 1, FOREVER), TRM_ERROR_CANCELLED);
    atomic_store(&release_kernel, 1);
    pthread_join(helper, &failed);
    ck_assert_ptr_eq(failed, a);
    ck_assert_int_eq(bench.stream->wait(b, 2, FOREVER), TRM_OK);
    bench.stream->destroy(a);
    bench.stream->destroy(b);
}
END_TEST

/* What `a` waits for is found to have failed when the thread comes back to `a`. */
START_TEST(a_stream_that_is_held_fails_with_the_one_that_runs_meanwhile)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    atomic_store(&calls, 0);
    ck_assert_int_eq(bench.stream->gate(a, 1), TRM_OK);
    ck_assert_int_eq(launch(a, 2, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(b, 1, a, 2), TRM_OK);
    ck_assert_int_eq(launch(b, 2, "fail"), TRM_OK);
    ck_assert_int_eq(launch(b, 3, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(a, 3, b, 3), TRM_OK);
    ck_assert_int_eq(launch(a, 4, "count"), TRM_OK);
    bench.stream->open_gates(a, 1);
    ck_assert_int_eq(bench.stream->wait(a, 4, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(bench.stream->wait(b, 3, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(atomic_load(&calls), 1);
    bench.stream->destroy(a);
    bench.stream->destroy(b);
}
END_TEST

/* A stream keeps a few of those that it waited for, not all. */
START_TEST(streams_that_ended_after_others_waited_for_them_take_no_memory)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    uint64_t value = 0, enough = 200;
    int64_t before = 0;
    for (uint32_t i = 0; i < 400; i++) {
        struct trm_backend_stream *other = cpu_bench_stream(&bench, 0);
        ck_assert_int_eq(launch(other, 1, "count"), TRM_OK);
        for (uint32_t k = 0; k < i % 5; k++)
            ck_assert_int_eq(bench.stream->wait_stream(stream, ++value, other, 1), TRM_OK);
        ck_assert_int_eq(bench.stream->wait(stream, value, FOREVER), TRM_OK);
        ck_assert_int_eq(bench.stream->wait(other, 1, FOREVER), TRM_OK);
        bench.stream->destroy(other);
        if (i == enough)
            before = atomic_load(&cpu_host.bytes);
    }
    ck_assert_int_le(atomic_load(&cpu_host.bytes), before + 4096);
    bench.stream->destroy(stream);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *tests[] = {
        streams_that_wait_for_each_other_in_turn_keep_one_order,
        streams_that_go_back_and_forth_tell_of_each_step,
        a_stream_can_be_given_up_while_a_long_kernel_runs_that_it_waits_for,
        a_stream_that_is_held_fails_with_the_one_that_runs_meanwhile,
        streams_that_ended_after_others_waited_for_them_take_no_memory,
    };
    return suite_of("cpu held streams", tests, sizeof(tests) / sizeof(*tests));
}

UNIT_SUITE(make_suite)
