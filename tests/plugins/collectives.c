/* Collectives of many spans over a backend with faults, made by the proxy: memory that cannot be had, and
 * times that cannot be read, with which a test decides which way a collective finds the fastest. Three
 * devices of the cpu backend.
 * SPDX-License-Identifier: MIT
 */
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest.h"
#include "proxy/control.h"

enum {
    DEVICES = 3,
    MANY    = 800,
    WORDS   = 4096, /* of a span: what a bucket on a cpu takes */
};

static const struct proxy_control *control;
static struct trm_context *context;
static struct trm_group *group;
static struct trm_collective *collective;
static struct trm_device *devices[DEVICES];
static struct trm_stream *streams[DEVICES];
static struct trm_buffer *inputs[DEVICES], *outputs[DEVICES];

#define ck_ok(call) ck_assert_msg((call) == TRM_OK, "%s: %s", #call, trm_last_error().sentence)

/* ---- the devices ------------------------------------------------------------------------------------ */

static void open_collective(const char *way)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    char all[80];
    uint32_t count = 0;

    nest_add_module("tests/plugins/proxy");
    nest_copy(nest_module("backends/cpu"), "target.so");
    setenv("PROXY_TARGET", nest_path("target.so"), 1);
    setenv("TRIREME_CPU_DEVICES", "3", 1);
    setenv("TRIREME_COLLECTIVE_WAY", way, 1);
    context = nest_context(NULL, nest_path("proxy.so"));
    ck_ok(trm_device_describe(context, 0, &summary));
    snprintf(all, sizeof(all), "%s:*", summary.backend);
    ck_ok(trm_group_create(context, all, &group));
    ck_ok(trm_group_size(group, &count));
    ck_assert_uint_eq(count, DEVICES);
    control = proxy_control_of(nest_path("proxy.so"));
    ck_assert_ptr_nonnull(control);
    for (uint32_t d = 0; d < DEVICES; d++) {
        ck_ok(trm_group_device(group, d, &devices[d]));
        ck_ok(trm_stream_create(devices[d], TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &streams[d]));
        ck_ok(trm_buffer_create(devices[d], TRM_MEMORY_DEVICE, (uint64_t)MANY * WORDS * 4, &inputs[d]));
        ck_ok(trm_buffer_create(devices[d], TRM_MEMORY_DEVICE, (uint64_t)MANY * WORDS * 4, &outputs[d]));
        ck_ok(trm_fill(streams[d], trm_span_whole(inputs[d]), d + 1, 4));
    }
    ck_ok(trm_collective_create(group, 0, &collective));
}

static void sync_all(void)
{
    for (uint32_t d = 0; d < DEVICES; d++)
        ck_ok(trm_stream_sync(streams[d]));
}

static void close_collective(void)
{
    char breach[160] = "";

    for (uint32_t d = 0; d < DEVICES; d++) {
        trm_stream_destroy(streams[d]);
        trm_buffer_destroy(inputs[d]);
        trm_buffer_destroy(outputs[d]);
    }
    trm_collective_destroy(collective);
    trm_group_destroy(group);
    for (uint32_t d = 0; d < DEVICES; d++)
        trm_device_destroy(devices[d]);
    trm_context_destroy(context);
    ck_assert_uint_eq(control->created("memory"), control->destroyed("memory"));
    ck_assert_msg(control->breaches(breach, sizeof(breach)) == 0, "the core broke the contract: %s", breach);
}

static struct trm_stream_stats stats_of(uint32_t device)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};

    ck_ok(trm_stream_get_stats(streams[device], &stats));
    return stats;
}

/* ---- calls ------------------------------------------------------------------------------------------ */

/* The sums of `count` spans, of which each has `words` words. */
static int32_t sum(uint32_t count, uint64_t words)
{
    struct trm_span *in  = calloc((size_t)count * DEVICES, sizeof(*in));
    struct trm_span *out = calloc((size_t)count * DEVICES, sizeof(*out));

    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < DEVICES; d++) {
            in[k * DEVICES + d]  = trm_span_of(inputs[d], k * words * 4, words * 4);
            out[k * DEVICES + d] = trm_span_of(outputs[d], k * words * 4, words * 4);
        }
    int32_t status = trm_all_reduce(collective, streams, out, in, count, TRM_TYPE_I32, TRM_REDUCE_SUM);
    free(in);
    free(out);
    return status;
}

static void clear(void)
{
    for (uint32_t d = 0; d < DEVICES; d++)
        ck_ok(trm_fill(streams[d], trm_span_whole(outputs[d]), 0, 1));
}

/* The outputs have so many sums, and nothing behind them. */
static void ck_sums(uint64_t words)
{
    uint64_t all    = (uint64_t)MANY * WORDS;
    uint32_t *found = malloc(all * 4);
    uint64_t behind = 0, wrong = 0;

    for (uint32_t d = 0; d < DEVICES; d++) {
        ck_ok(trm_download(streams[d], found, trm_span_whole(outputs[d])));
        ck_ok(trm_stream_sync(streams[d]));
        for (uint64_t i = 0; i < all; i++) {
            wrong += i < words && found[i] != 1 + 2 + 3;
            behind += i >= words && found[i] != 0;
        }
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(behind, 0);
    free(found);
}

/* ---- memory that cannot be had ---------------------------------------------------------------------- */

/* The way has its own memory from a call of one span. */
START_TEST(many_spans_go_as_they_are_while_there_is_no_memory_to_put_them_side_by_side)
{
    open_collective(_i == 0 ? "copies" : "host");
    ck_ok(sum(1, (uint64_t)MANY * WORDS));
    ck_ok(sum(3, 100));
    sync_all();
    clear();
    uint64_t asked = control->calls("allocate"), launches = stats_of(1).launches;
    ck_assert_int_eq(control->fault("allocate:1:forever:-5"), TRM_OK);
    ck_ok(sum(MANY, WORDS));
    ck_assert_uint_gt(control->calls("allocate"), asked);
    ck_assert_uint_eq(stats_of(1).launches, launches);
    ck_sums((uint64_t)MANY * WORDS);

    /* What fits into the memory that there is goes side by side nevertheless. */
    clear();
    ck_ok(sum(5, 100));
    ck_assert_uint_eq(stats_of(1).launches, launches + 2);
    ck_sums(500);

    control->disarm();
    clear();
    ck_ok(sum(MANY, WORDS));
    ck_assert_uint_gt(stats_of(1).launches, launches + 2);
    ck_sums((uint64_t)MANY * WORDS);
    close_collective();
}
END_TEST

static void wait_for_post(void *user, int32_t status)
{
    (void)status;
    sem_wait(user);
}

/* More calls behind a stream that is held than there is memory for tables. Each device combines two of the
 * six spans, which are too small for several parts. */
START_TEST(many_spans_have_a_launch_each_while_there_is_no_memory_for_a_table)
{
    enum {
        CALLS = 400
    };
    sem_t open;
    uint64_t most = 0;

    open_collective("two-shot");
    ck_ok(sum(2, 100));
    sync_all();
    clear();
    sync_all();
    ck_assert_int_eq(sem_init(&open, 0, 0), 0);
    ck_ok(trm_stream_callback(streams[0], wait_for_post, &open));
    uint64_t asked = control->calls("allocate");
    ck_assert_int_eq(control->fault("allocate:1:forever:-5"), TRM_OK);
    for (uint32_t i = 0; i < CALLS; i++) {
        uint64_t launches = stats_of(1).launches;
        ck_ok(sum(6, 100));
        launches = stats_of(1).launches - launches;
        most     = launches > most ? launches : most;
    }
    ck_assert_int_eq(sem_post(&open), 0);
    sync_all();
    ck_assert_uint_gt(control->calls("allocate"), asked);
    ck_assert_uint_eq(most, 2);
    ck_sums(600);
    control->disarm();
    uint64_t launches = stats_of(1).launches;
    ck_ok(sum(6, 100));
    ck_assert_uint_eq(stats_of(1).launches, launches + 1);
    close_collective();
    sem_destroy(&open);
}
END_TEST

/* ---- what a call leaves behind ---------------------------------------------------------------------- */

/* The first span of device 0 on all devices: by kernels, or by copies in each direction. */
static void send(uint32_t count)
{
    struct trm_span spans[DEVICES * 20];

    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < DEVICES; d++)
            spans[k * DEVICES + d] = trm_span_of(outputs[d], k * 400, 400);
    ck_ok(trm_broadcast(collective, streams, spans, count, 0));
}

/* Calls of so many spans until each way has been measured three times, the kernels first. The times of one
 * way cannot be read, so the other one is the fastest. A call reads those of the one before it. */
static void settle(uint32_t count, bool is_by_copies)
{
    for (uint32_t i = 0; i < 7; i++) {
        bool is_kernels = i >= 1 && i <= 3, is_copies = i >= 4;
        if (is_by_copies ? is_kernels : is_copies)
            ck_assert_int_eq(control->fault("stamp_read:1:forever:-14"), TRM_OK);
        send(count);
        control->disarm();
        sync_all();
    }
}

/* The waits of stream 1 for the others: one for a barrier, of which a call may save the first, and one for
 * each of nine streams that copy. */
static uint64_t waits_of_sending(uint32_t count)
{
    uint64_t before = stats_of(1).waits;

    send(count);
    return stats_of(1).waits - before;
}

/* A device that takes its results out of the spans side by side does so behind the call's last meeting. */
START_TEST(kernels_wait_for_all_devices_behind_spans_that_went_side_by_side)
{
    open_collective("auto");
    settle(20, true);
    settle(1, false);
    ck_assert_uint_eq(waits_of_sending(1), 1);
    ck_assert_uint_eq(waits_of_sending(20), 9);
    ck_assert_uint_eq(waits_of_sending(1), 2);
    ck_assert_uint_eq(waits_of_sending(1), 1);
    sync_all();
    close_collective();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("collectives of backends with faults");
    TCase *tests = tcase_create("many spans");

    tcase_add_checked_fixture(tests, nest_make, nest_remove);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, many_spans_go_as_they_are_while_there_is_no_memory_to_put_them_side_by_side, 0,
                        2);
    tcase_add_test(tests, many_spans_have_a_launch_each_while_there_is_no_memory_for_a_table);
    tcase_add_test(tests, kernels_wait_for_all_devices_behind_spans_that_went_side_by_side);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    const char *backends = getenv("BACKENDS");

    if (backends == NULL || strstr(backends, "backends/cpu.la") == NULL) {
        printf("the cpu backend was not built\n");
        return 77;
    }
    SRunner *runner = srunner_create(make_suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
