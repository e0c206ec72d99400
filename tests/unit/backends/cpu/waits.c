/* Waiting for streams of the cpu backend: time-outs, any of several, notifications.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/machine/clock.h"
#include "tests/unit/backends/cpu/fixture.h"

START_TEST(a_wait_of_no_time_polls_and_submits)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    int32_t status                    = TRM_ERROR_TIMEOUT;
    ck_assert_int_eq(launch(stream, 1, "count"), TRM_OK);
    while (status == TRM_ERROR_TIMEOUT) {
        status = bench.stream->wait(stream, 1, 0);
        usleep(1000);
    }
    ck_assert_int_eq(status, TRM_OK);
    bench.stream->destroy(stream);
}
END_TEST

START_TEST(a_wait_ends_in_time_although_a_kernel_does_not)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    hold_the_kernel();
    ck_assert_int_eq(launch(stream, 1, "block"), TRM_OK);
    uint64_t start = cpu_host_now();
    ck_assert_int_eq(bench.stream->wait(stream, 1, 20000000), TRM_ERROR_TIMEOUT);
    ck_assert_uint_ge(cpu_host_now() - start, 20000000);
    ck_assert_int_eq(bench.stream->wait(stream, 1, 0), TRM_ERROR_TIMEOUT);
    atomic_store(&release_kernel, 1);
    ck_assert_int_eq(bench.stream->wait(stream, 1, UINT64_MAX - 1), TRM_OK);
    bench.stream->destroy(stream);
}
END_TEST

START_TEST(wait_any_ends_in_time)
{
    struct trm_backend_stream *streams[2] = {cpu_bench_stream(&bench, 0), cpu_bench_stream(&bench, 0)};
    uint64_t values[2]                    = {1, 1};
    uint32_t which                        = 99;
    ck_assert_int_eq(bench.stream->gate(streams[0], 1), TRM_OK);
    ck_assert_int_eq(bench.stream->gate(streams[1], 1), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_any(streams, values, 2, 0, &which), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(bench.stream->wait_any(streams, values, 2, 2000000, &which), TRM_ERROR_TIMEOUT);
    ck_assert_uint_eq(which, 99);
    bench.stream->open_gates(streams[0], 1);
    bench.stream->open_gates(streams[1], 1);
    ck_assert_int_eq(bench.stream->wait_any(streams, values, 2, FOREVER, &which), TRM_OK);
    ck_assert_uint_lt(which, 2);
    ck_assert_int_eq(bench.stream->wait(streams[0], 1, FOREVER), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(streams[1], 1, FOREVER), TRM_OK);
    bench.stream->destroy(streams[0]);
    bench.stream->destroy(streams[1]);
}
END_TEST

START_TEST(wait_any_names_the_stream_that_got_there)
{
    enum {
        COUNT = 20
    };
    struct trm_backend_stream *streams[COUNT];
    uint64_t values[COUNT];
    uint32_t which = 99;
    pthread_t thread;
    for (int i = 0; i < COUNT; i++) {
        streams[i] = cpu_bench_stream(&bench, 0);
        values[i]  = 1;
        ck_assert_int_eq(bench.stream->gate(streams[i], 1), TRM_OK);
    }
    pthread_create(&thread, NULL, open_later, streams[13]);
    ck_assert_int_eq(bench.stream->wait_any(streams, values, COUNT, FOREVER, &which), TRM_OK);
    ck_assert_uint_eq(which, 13);
    pthread_join(thread, NULL);
    bench.stream->open_gates(streams[4], 1);
    ck_assert_int_eq(bench.stream->wait(streams[4], 1, FOREVER), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_any(streams, values, COUNT, FOREVER, &which), TRM_OK);
    ck_assert_uint_eq(which, 4);
    for (int i = 0; i < COUNT; i++) {
        bench.stream->open_gates(streams[i], 1);
        ck_assert_int_eq(bench.stream->wait(streams[i], 1, FOREVER), TRM_OK);
        bench.stream->destroy(streams[i]);
    }
}
END_TEST

START_TEST(wait_any_counts_a_failed_stream_as_reached)
{
    struct trm_backend_stream *streams[2] = {cpu_bench_stream(&bench, 0), cpu_bench_stream(&bench, 0)};
    uint64_t values[2]                    = {1, 1};
    uint32_t which                        = 99;
    ck_assert_int_eq(bench.stream->gate(streams[0], 1), TRM_OK);
    ck_assert_int_eq(launch(streams[1], 1, "fail"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_any(streams, values, 2, FOREVER, &which), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(which, 1);
    bench.stream->open_gates(streams[0], 1);
    ck_assert_int_eq(bench.stream->wait(streams[0], 1, FOREVER), TRM_OK);
    bench.stream->destroy(streams[0]);
    bench.stream->destroy(streams[1]);
}
END_TEST

START_TEST(every_notification_comes_exactly_once)
{
    enum {
        COUNT = 2000
    };
    static atomic_int counts[COUNT + 1][3];
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    for (uint64_t i = 1; i <= COUNT; i++) {
        ck_assert_int_eq(launch(stream, i, "count"), TRM_OK);
        ck_assert_int_eq(bench.stream->notify(stream, i, count_status, counts[i]), TRM_OK);
        if (i % 100 == 0)
            ck_assert_int_eq(bench.stream->notify(stream, i / 2, count_status, counts[0]), TRM_OK);
    }
    ck_assert_int_eq(bench.stream->wait(stream, COUNT, FOREVER), TRM_OK);
    /* Blocks until the thread that ran the stream has given up its claim, after it has sent all
     * notifications. */
    bench.stream->destroy(stream);
    for (int i = 1; i <= COUNT; i++)
        ck_assert_int_eq(atomic_load(&counts[i][0]), 1);
    ck_assert_int_eq(atomic_load(&counts[0][0]), COUNT / 100);
}
END_TEST

static int64_t processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

START_TEST(an_idle_device_takes_no_processor_time)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    int64_t least                     = INT64_MAX;
    for (uint64_t i = 1; i <= 1000; i++)
        ck_assert_int_eq(launch(stream, i, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, 1000, FOREVER), TRM_OK);
    /* On a busy machine it takes a while until the workers sleep. */
    for (int i = 0; i < 20 && least >= 5000000; i++) {
        usleep(50000);
        int64_t before = processor_time();
        usleep(200000);
        int64_t taken = processor_time() - before;
        least         = taken < least ? taken : least;
    }
    ck_assert_int_lt(least, 5000000);
    bench.stream->destroy(stream);
}
END_TEST

/* ---- the processor's counter ---------------------------------------------------------------- */

#define FAR (UINT64_C(1) << 40) /* ticks: minutes at least */

START_TEST(ticks_have_passed_where_the_counter_is_behind)
{
    ck_assert(!cpu_have_passed(FAR, cpu_ticks()));
    ck_assert(cpu_have_passed(0, cpu_ticks()));
    ck_assert(cpu_have_passed(FAR, cpu_ticks() - FAR));
    ck_assert(cpu_have_passed(FAR, cpu_ticks() + FAR));
}
END_TEST

START_TEST(a_deadline_stays_where_the_counter_is_behind)
{
    struct cpu_clock clock = {.ticks_per_us = 1001};
    uint64_t begin = cpu_ticks() / 2, passed = begin * 1000 / 1001; /* half of the time since it is counted */
    ck_assert_uint_eq(cpu_clock_deadline(&clock, UINT64_MAX / 2, cpu_ticks() + FAR), UINT64_MAX / 2);
    ck_assert_uint_le(cpu_clock_deadline(&clock, UINT64_MAX / 2, begin), UINT64_MAX / 2 - passed);
    ck_assert_uint_eq(cpu_clock_deadline(&clock, passed / 2, begin), 0); /* it is over */
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *tests[] = {
        a_wait_of_no_time_polls_and_submits,
        a_wait_ends_in_time_although_a_kernel_does_not,
        wait_any_ends_in_time,
        wait_any_names_the_stream_that_got_there,
        wait_any_counts_a_failed_stream_as_reached,
        every_notification_comes_exactly_once,
        an_idle_device_takes_no_processor_time,
        ticks_have_passed_where_the_counter_is_behind,
        a_deadline_stays_where_the_counter_is_behind,
    };
    return suite_of("cpu waits", tests, sizeof(tests) / sizeof(*tests));
}

UNIT_SUITE(make_suite)
