/* Streams of the cpu backend that wait for each other while one thread runs them all.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/fixture.h"

#include "backends/cpu/stream/session.h"

#include <sched.h>

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
    const int expected = 3 * (ROUNDS / 5);
    for (uint32_t count = 2; count <= STREAMS; count += 2)
        go_round(count, count_status, counts);
    while (atomic_load(&counts[0]) < expected) /* a thread may still be about to tell */
        sched_yield();
    ck_assert_int_eq(atomic_load(&counts[0]), expected);
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

/* ---- quiet sessions */

static void set_up_one_worker(void)
{
    bench = cpu_bench_open("1");
    ck_assert_ptr_nonnull(bench.device);
    module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    ck_assert_ptr_nonnull(module);
}

/* The only token, so that no worker can take a stream that the session leaves. */
static struct cpu_session quiet_session(const struct trm_backend_stream *stream)
{
    struct cpu_session session = {
        .scheduler = stream->scheduler, .limit_ns = CPU_COSTLY_NS, .is_quiet = true};
    while ((session.token = cpu_token_acquire(stream->scheduler)) == CPU_NO_TOKEN)
        sched_yield();
    return session;
}

static int32_t fill(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_memory *memory,
                    uint64_t size)
{
    const struct trm_fill_desc desc = {
        .struct_size = sizeof(desc), .pattern_size = 1, .memory = memory, .size = size};
    return bench.stream->fill(stream, value, &desc);
}

/* Stream `a` waits for the last operation of `b`, behind one of its own. With a notification of each first
 * operation, which a quiet session leaves out. The session must end with both streams left to the worker. */
static void leave_both(struct trm_backend_stream *a, uint64_t told, struct trm_backend_stream *b,
                       uint64_t told_of_b, struct trm_backend_memory *memory)
{
    static atomic_int counts[3];
    struct cpu_session session = quiet_session(a);

    atomic_store(&counts[0], 0);
    ck_assert(cpu_stream_claim(a));
    ck_assert_int_eq(fill(a, 1, memory, 8), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(a, 2, b, 2), TRM_OK);
    if (told != 0)
        ck_assert_int_eq(bench.stream->notify(a, told, count_status, counts), TRM_OK);
    if (told_of_b != 0)
        ck_assert_int_eq(bench.stream->notify(b, told_of_b, count_status, counts), TRM_OK);
    cpu_session_run(&session, a);
    ck_assert_int_eq(atomic_load(&counts[0]), 0);
    cpu_token_release(a->scheduler, session.token);
    bench.stream->open_gates(b, 2);
    ck_assert_int_eq(bench.stream->wait(a, 2, FOREVER), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(b, 2, FOREVER), TRM_OK);
    while (atomic_load(&counts[0]) < (told != 0) + (told_of_b != 0))
        sched_yield();
    bench.stream->destroy(a);
    bench.stream->destroy(b);
    bench.memory->free(memory);
}

START_TEST(a_quiet_session_leaves_a_stream_that_must_tell_before_it_waits_for_a_costly_operation)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    uint8_t *data;
    struct trm_backend_memory *memory = cpu_bench_memory(&bench, 1 << 20, &data);
    ck_assert_ptr_nonnull(memory);
    ck_assert_int_eq(fill(b, 1, memory, 8), TRM_OK);
    ck_assert_int_eq(fill(b, 2, memory, 1 << 18), TRM_OK); /* takes longer than CPU_COSTLY_NS */
    leave_both(a, 1, b, 0, memory);
}
END_TEST

START_TEST(a_quiet_session_leaves_a_stream_that_waits_for_one_that_must_tell_before_its_gate)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    uint8_t *data;
    struct trm_backend_memory *memory = cpu_bench_memory(&bench, 1 << 20, &data);
    ck_assert_ptr_nonnull(memory);
    ck_assert_int_eq(fill(b, 1, memory, 8), TRM_OK);
    ck_assert_int_eq(bench.stream->gate(b, 2), TRM_OK);
    leave_both(a, 0, b, 1, memory);
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
    Suite *suite = suite_of("cpu held streams", tests, sizeof(tests) / sizeof(*tests));
    TCase *quiet = tcase_create("cpu quiet sessions");
    tcase_add_checked_fixture(quiet, set_up_one_worker, tear_down_kernels);
    tcase_set_timeout(quiet, 120);
    tcase_add_test(quiet,
                   a_quiet_session_leaves_a_stream_that_must_tell_before_it_waits_for_a_costly_operation);
    tcase_add_test(quiet, a_quiet_session_leaves_a_stream_that_waits_for_one_that_must_tell_before_its_gate);
    suite_add_tcase(suite, quiet);
    return suite;
}

UNIT_SUITE(make_suite)
