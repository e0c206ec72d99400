/* Failures of the cpu backend: of kernels, of abandoned streams, of the host's memory.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/fixture.h"

START_TEST(the_first_failure_is_what_the_stream_says_for_ever)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    uint64_t value                    = 0;
    atomic_store(&calls, 0);
    ck_assert_int_eq(bench.stream->gate(stream, 1), TRM_OK);
    ck_assert_int_eq(launch(stream, 2, "count"), TRM_OK);
    ck_assert_int_eq(launch(stream, 3, "fail"), TRM_OK);
    ck_assert_int_eq(launch(stream, 4, "count"), TRM_OK);
    bench.stream->open_gates(stream, 1);
    for (int i = 0; i < 3; i++) {
        cpu_host_sentence[0] = '\0';
        ck_assert_int_eq(bench.stream->wait(stream, 4, FOREVER), TRM_ERROR_KERNEL);
        ck_assert_str_eq(cpu_host_sentence, "Kernel 'fail' failed with code 7.");
        ck_assert_int_eq(cpu_host_code, 7);
        ck_assert_int_eq(bench.stream->query(stream, &value), TRM_ERROR_KERNEL);
        ck_assert_int_eq(bench.stream->flush(stream), TRM_ERROR_KERNEL);
        ck_assert_int_eq(launch(stream, 5, "count"), TRM_ERROR_KERNEL);
    }
    ck_assert_int_eq(atomic_load(&calls), 1);
    bench.stream->destroy(stream);
}
END_TEST

START_TEST(a_failure_spreads_to_streams_that_wait_for_it)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    ck_assert_int_eq(launch(a, 1, "fail"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(b, 1, a, 1), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(b, 1, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(cpu_host_code, 7);
    ck_assert_str_eq(cpu_host_sentence, "Kernel 'fail' failed with code 7.");
    bench.stream->destroy(a);
    ck_assert_int_eq(bench.stream->wait(b, 1, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_str_eq(cpu_host_sentence, "Kernel 'fail' failed with code 7.");
    bench.stream->destroy(b);
}
END_TEST

START_TEST(what_was_reached_before_a_failure_does_not_spread_it)
{
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    ck_assert_int_eq(launch(a, 1, "count"), TRM_OK);
    ck_assert_int_eq(launch(a, 2, "fail"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(a, 2, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(bench.stream->wait_stream(b, 1, a, 1), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(b, 1, FOREVER), TRM_OK);
    bench.stream->destroy(a);
    bench.stream->destroy(b);
}
END_TEST

START_TEST(a_notification_tells_the_failure_that_keeps_the_stream_from_getting_there)
{
    static atomic_int counts[3];
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    ck_assert_int_eq(bench.stream->gate(stream, 1), TRM_OK);
    ck_assert_int_eq(launch(stream, 2, "fail"), TRM_OK);
    ck_assert_int_eq(bench.stream->gate(stream, 3), TRM_OK);
    ck_assert_int_eq(bench.stream->notify(stream, 3, count_status, counts), TRM_OK);
    ck_assert_int_eq(bench.stream->notify(stream, 2, count_status, counts), TRM_OK);
    ck_assert_int_eq(bench.stream->notify(stream, 1, count_status, counts), TRM_OK);
    ck_assert_int_eq(atomic_load(&counts[0]) + atomic_load(&counts[1]), 0);
    bench.stream->open_gates(stream, 1);
    ck_assert_int_eq(bench.stream->wait(stream, 3, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(bench.stream->notify(stream, 2, count_status, counts), TRM_OK);
    bench.stream->destroy(stream);
    ck_assert_int_eq(atomic_load(&counts[0]), 1);
    ck_assert_int_eq(atomic_load(&counts[1]), 3);
}
END_TEST

START_TEST(a_stream_given_up_at_a_gate_fails_and_skips_its_work)
{
    static atomic_int counts[3];
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    uint64_t value = 0;
    atomic_store(&calls, 0);
    ck_assert_int_eq(bench.stream->gate(a, 1), TRM_OK);
    ck_assert_int_eq(launch(a, 2, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait_stream(b, 1, a, 2), TRM_OK);
    ck_assert_int_eq(bench.stream->notify(b, 1, count_status, counts), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(a, 1, 2000000), TRM_ERROR_TIMEOUT);
    bench.stream->abandon(a, TRM_ERROR_CANCELLED);
    /* A worker may have the stream, on its way to the gate. */
    ck_assert_int_eq(bench.stream->wait(a, 1, FOREVER), TRM_ERROR_CANCELLED);
    ck_assert_int_eq(bench.stream->query(a, &value), TRM_ERROR_CANCELLED);
    ck_assert_int_eq(bench.stream->wait(b, 1, FOREVER), TRM_ERROR_CANCELLED);
    ck_assert_int_eq(atomic_load(&calls), 0);
    bench.stream->destroy(a);
    bench.stream->destroy(b);
    ck_assert_int_eq(atomic_load(&counts[2]), 1);
}
END_TEST

START_TEST(a_stream_given_up_in_a_kernel_fails_when_the_kernel_ends)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, 0);
    uint64_t value                    = 0;
    hold_the_kernel();
    atomic_store(&calls, 0);
    ck_assert_int_eq(launch(stream, 1, "block"), TRM_OK);
    ck_assert_int_eq(launch(stream, 2, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, 1, 5000000), TRM_ERROR_TIMEOUT);
    wait_for_the_kernel();
    bench.stream->abandon(stream, TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(bench.stream->query(stream, &value), TRM_OK); /* its memory is still in use */
    atomic_store(&release_kernel, 1);
    ck_assert_int_eq(bench.stream->wait(stream, 2, FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(atomic_load(&calls), 0);
    bench.stream->destroy(stream);
}
END_TEST

/* Call every function once. A refused call has no effect; an operation that was enqueued finishes or
 * fails. */
static void do_everything(void)
{
    static atomic_int counts[3];
    struct trm_backend_stream *a = cpu_bench_stream(&bench, 0), *b = cpu_bench_stream(&bench, 0);
    uint8_t *data                     = NULL;
    struct trm_backend_memory *memory = cpu_bench_memory(&bench, 4096, &data);
    struct trm_backend_module *own    = cpu_bench_module(&bench, kernels, sizeof(kernels));
    uint64_t value = 0, wanted = 0;
    int told = atomic_load(&counts[0]) + atomic_load(&counts[1]) + atomic_load(&counts[2]);
    if (a && b && memory && own) {
        struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, own, "count"), 3);
        struct trm_fill_desc fill   = {
              .struct_size = sizeof(fill), .pattern_size = 1, .memory = memory, .size = 4096};
        desc.shared_bytes = 1000;
        for (int i = 0; i < 50; i++) {
            value += bench.stream->launch(a, value + 1, &desc) == TRM_OK ? 1 : 0;
            value += bench.stream->fill(a, value + 1, &fill) == TRM_OK ? 1 : 0;
        }
        if (value > 0 && bench.stream->notify(a, value, count_status, counts) == TRM_OK)
            wanted = 1;
        if (value > 0 && bench.stream->wait_stream(b, 1, a, value) == TRM_OK)
            bench.stream->wait(b, 1, FOREVER);
        if (value > 0)
            bench.stream->wait(a, value, FOREVER);
    }
    if (a)
        bench.stream->destroy(a);
    if (b)
        bench.stream->destroy(b);
    if (memory)
        bench.memory->free(memory);
    if (own)
        bench.module->unload(own);
    told = atomic_load(&counts[0]) + atomic_load(&counts[1]) + atomic_load(&counts[2]) - told;
    ck_assert_int_eq(told, wanted);
}

START_TEST(every_allocation_may_fail)
{
    for (int64_t i = 1; i < 40; i++) {
        int64_t before = cpu_host.bytes;
        atomic_store(&cpu_host.refuse_at, cpu_host.allocations + i);
        do_everything();
        atomic_store(&cpu_host.refuse_at, 0);
        ck_assert_int_le(cpu_host.bytes, before + 2 * 1024); /* scratch stays */
    }
    do_everything();
}
END_TEST

START_TEST(opening_without_memory_fails_and_leaves_nothing)
{
    struct trm_backend_instance *instance = NULL;
    for (int64_t i = 1; i <= 4; i++) {
        int64_t before = cpu_host.bytes;
        atomic_store(&cpu_host.refuse_at, cpu_host.allocations + i);
        ck_assert_int_eq(bench.backend->open(&cpu_host_table, &instance), TRM_ERROR_OUT_OF_HOST_MEMORY);
        atomic_store(&cpu_host.refuse_at, 0);
        ck_assert_int_eq(cpu_host.bytes, before);
    }
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *tests[] = {
        the_first_failure_is_what_the_stream_says_for_ever,
        a_failure_spreads_to_streams_that_wait_for_it,
        what_was_reached_before_a_failure_does_not_spread_it,
        a_notification_tells_the_failure_that_keeps_the_stream_from_getting_there,
        a_stream_given_up_at_a_gate_fails_and_skips_its_work,
        a_stream_given_up_in_a_kernel_fails_when_the_kernel_ends,
        every_allocation_may_fail,
        opening_without_memory_fails_and_leaves_nothing,
    };
    return suite_of("cpu failures", tests, sizeof(tests) / sizeof(*tests));
}

UNIT_SUITE(make_suite)
