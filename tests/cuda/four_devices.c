/* Four devices at once, with a stream each: copies from every one to every other, and work that passes
 * through all of them. On the machine's own driver these are the first four GPUs or, where there are
 * fewer, some of them opened several times.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "tests/cuda/fixture.h"

enum {
    DEVICES = 4,
    N       = 50000,
    ROUNDS  = 20
};

/* The first is that of the fixture's world. */
static struct {
    struct trm_device *device;
    struct trm_stream *stream;
    struct trm_kernel *kernel;
} each[DEVICES];

static void open_all(void)
{
    uint32_t count = 0;
    ck_ok(trm_device_count(the.context, &count));
    for (uint32_t i = 0; i < DEVICES; i++) {
        char id[16];
        snprintf(id, sizeof(id), "cuda:%u", (unsigned)(i % count));
        each[i].device = device_open(the.context, id);
        each[i].stream = stream_open(each[i].device, TRM_STREAM_ANY);
        each[i].kernel = affine_on(each[i].device);
    }
}

static void close_all(void)
{
    for (uint32_t i = 0; i < DEVICES; i++) {
        trm_kernel_destroy(each[i].kernel);
        trm_stream_destroy(each[i].stream);
        trm_device_destroy(each[i].device);
    }
}

static struct trm_buffer *numbers_on(uint32_t i)
{
    return buffer_open(each[i].device, TRM_MEMORY_DEVICE, sizeof(uint32_t[N]));
}

static void sync_all(void)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        ck_ok(trm_stream_sync(each[i].stream));
}

/* All at once, each on the stream of the source's device. */
START_TEST(every_device_copies_to_every_other)
{
    static uint32_t got[N];
    struct trm_buffer *own[DEVICES], *from[DEVICES][DEVICES];
    for (uint32_t i = 0; i < DEVICES; i++) {
        own[i] = numbers_on(i);
        for (uint32_t k = 0; k < DEVICES; k++)
            from[i][k] = numbers_on(i);
        ck_ok(trm_fill(each[i].stream, trm_span_whole(own[i]), 1000 + i, 4));
    }
    for (uint32_t to = 0; to < DEVICES; to++)
        for (uint32_t i = 0; i < DEVICES; i++)
            ck_ok(trm_copy(each[i].stream, trm_span_whole(from[to][i]), trm_span_whole(own[i])));
    sync_all();
    for (uint32_t to = 0; to < DEVICES; to++)
        for (uint32_t i = 0; i < DEVICES; i++) {
            ck_ok(trm_download(each[to].stream, got, trm_span_whole(from[to][i])));
            ck_ok(trm_stream_sync(each[to].stream));
            for (uint32_t k = 0; k < N; k++)
                ck_assert_uint_eq(got[k], 1000 + i);
            trm_buffer_destroy(from[to][i]);
        }
    for (uint32_t i = 0; i < DEVICES; i++)
        trm_buffer_destroy(own[i]);
}
END_TEST

/* Each device takes the result of the one before, does its part and passes it on; the host waits only at
 * the end. */
START_TEST(work_goes_round_all_devices_by_points)
{
    static uint32_t got[N];
    struct trm_buffer *numbers[DEVICES];
    struct trm_point before = {0};
    uint32_t wanted         = 1;
    for (uint32_t i = 0; i < DEVICES; i++)
        numbers[i] = numbers_on(i);
    ck_ok(trm_fill(each[DEVICES - 1].stream, trm_span_whole(numbers[DEVICES - 1]), wanted, 4));
    ck_ok(trm_stream_mark(each[DEVICES - 1].stream, &before));
    for (uint32_t step = 0; step < DEVICES * ROUNDS; step++) {
        uint32_t i = step % DEVICES, last = (step + DEVICES - 1) % DEVICES;
        ck_ok(trm_stream_wait(each[i].stream, before));
        ck_ok(trm_copy(each[i].stream, trm_span_whole(numbers[i]), trm_span_whole(numbers[last])));
        ck_ok(affine_launch(each[i].stream, each[i].kernel, numbers[i], N, 3, step));
        ck_ok(trm_stream_mark(each[i].stream, &before));
        wanted = wanted * 3 + step;
    }
    ck_ok(trm_download(each[DEVICES - 1].stream, got, trm_span_whole(numbers[DEVICES - 1])));
    sync_all();
    for (uint32_t k = 0; k < N; k++)
        ck_assert_uint_eq(got[k], wanted);
    for (uint32_t i = 0; i < DEVICES; i++)
        trm_buffer_destroy(numbers[i]);
}
END_TEST

/* The first device gathers the results. */
START_TEST(one_device_waits_for_all_the_others)
{
    static uint32_t got[DEVICES][N];
    struct trm_buffer *numbers[DEVICES], *gathered[DEVICES];
    struct trm_point points[DEVICES];
    for (uint32_t i = 0; i < DEVICES; i++) {
        numbers[i]  = numbers_on(i);
        gathered[i] = numbers_on(0);
        ck_ok(trm_fill(each[i].stream, trm_span_whole(numbers[i]), 7 * i, 4));
        for (uint32_t round = 0; round < ROUNDS; round++)
            ck_ok(affine_launch(each[i].stream, each[i].kernel, numbers[i], N, 1, i + 1));
        ck_ok(trm_stream_mark(each[i].stream, &points[i]));
    }
    for (uint32_t i = 0; i < DEVICES; i++) {
        ck_ok(trm_stream_wait(each[0].stream, points[i]));
        ck_ok(trm_copy(each[0].stream, trm_span_whole(gathered[i]), trm_span_whole(numbers[i])));
        ck_ok(trm_download(each[0].stream, got[i], trm_span_whole(gathered[i])));
    }
    ck_ok(trm_wait_all(points, DEVICES, TRM_FOREVER));
    ck_ok(trm_stream_sync(each[0].stream));
    for (uint32_t i = 0; i < DEVICES; i++) {
        for (uint32_t k = 0; k < N; k++)
            ck_assert_uint_eq(got[i][k], 7 * i + ROUNDS * (i + 1));
        trm_buffer_destroy(numbers[i]);
        trm_buffer_destroy(gathered[i]);
    }
}
END_TEST

/* ---- collectives ---- */

/* The sum of the buffers of a group's devices, in place. */
static int32_t sum(struct trm_collective *collective, struct trm_stream *const *streams,
                   struct trm_buffer *const *buffers)
{
    struct trm_span spans[DEVICES];
    for (uint32_t i = 0; i < DEVICES; i++)
        spans[i] = trm_span_whole(buffers[i]);
    return trm_all_reduce(collective, streams, spans, spans, 1, TRM_TYPE_I32, TRM_REDUCE_SUM);
}

/* With access to each other the way two-shot, without it the way host. */
START_TEST(a_lost_device_fails_a_sum_on_all_devices)
{
    struct trm_device *devices[DEVICES];
    struct trm_stream *streams[DEVICES];
    struct trm_buffer *buffers[DEVICES];
    struct trm_collective *collective;
    struct trm_group *group;
    if (standin_missing())
        return;
    ck_ok(trm_group_create(the.context, "cuda:*", &group));
    ck_ok(trm_collective_create(group, TRM_COLLECTIVE_DETERMINISTIC, &collective));
    for (uint32_t i = 0; i < DEVICES; i++) {
        ck_ok(trm_group_device(group, i, &devices[i]));
        streams[i] = stream_open(devices[i], TRM_STREAM_ANY);
        buffers[i] = buffer_open(devices[i], TRM_MEMORY_DEVICE, sizeof(uint32_t[N]));
        ck_ok(trm_fill(streams[i], trm_span_whole(buffers[i]), 1, 4));
    }
    struct trm_kernel *kernel = affine_on(devices[2]);
    ck_ok(sum(collective, streams, buffers));
    for (uint32_t i = 0; i < DEVICES; i++)
        ck_ok(trm_stream_sync(streams[i]));
    ck_assert_int_eq(standin->fail_work("kernel:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(affine_launch(streams[2], kernel, buffers[2], N, 1, 1));
    int32_t status = sum(collective, streams, buffers);
    ck_assert(status == TRM_OK || status == TRM_ERROR_DEVICE_LOST); /* it may be known already */
    for (uint32_t i = 0; i < DEVICES; i++)
        if (status == TRM_OK || i == 2)
            ck_fails(trm_stream_sync(streams[i]), TRM_ERROR_DEVICE_LOST);
    ck_fails(sum(collective, streams, buffers), TRM_ERROR_DEVICE_LOST);
    trm_collective_destroy(collective);
    trm_kernel_destroy(kernel);
    trm_group_destroy(group);
    for (uint32_t i = 0; i < DEVICES; i++) {
        trm_stream_destroy(streams[i]);
        trm_buffer_destroy(buffers[i]);
        trm_device_destroy(devices[i]);
    }
}
END_TEST

/* ---- suites ---- */

static void shape_with_access(void)
{
    standin_shape("devices=4");
}

static void shape_without_access(void)
{
    standin_shape("devices=4 peers=no");
}

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(group, world_open, world_close);
    tcase_add_checked_fixture(group, open_all, close_all);
    tcase_set_timeout(group, 120); /* compiles kernels for each device */
    tcase_add_test(group, every_device_copies_to_every_other);
    tcase_add_test(group, work_goes_round_all_devices_by_points);
    tcase_add_test(group, one_device_waits_for_all_the_others);
    tcase_add_test(group, a_lost_device_fails_a_sum_on_all_devices);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("cuda: four devices");
    add_cases(suite, "with access to each other", shape_with_access);
    add_cases(suite, "without access", shape_without_access);
    return run_suite(suite);
}
