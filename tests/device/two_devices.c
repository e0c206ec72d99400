/* Two devices of one context, and several contexts at once.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/two_devices.h"

#include <pthread.h>
#include <string.h>

#include "tests/device/barrier.h"
#include "tests/device/checks.h"
#include "tests/device/kernels.h"
#include "tests/device/world.h"

enum {
    N = TWO_DEVICES_BYTES / 4
};

struct second second;

void second_open(const char *id)
{
    second.device = device_open(the.context, id);
    second.stream = stream_open(second.device, TRM_STREAM_ANY);
}

static void second_close(void)
{
    trm_stream_destroy(second.stream);
    trm_device_destroy(second.device);
}

struct trm_buffer *buffer_on(struct trm_device *device)
{
    return buffer_open(device, TRM_MEMORY_DEVICE, TWO_DEVICES_BYTES);
}

/* ---- two devices ---- */

START_TEST(memory_is_copied_between_two_devices_in_both_directions)
{
    static uint32_t numbers[N], got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second.device),
                      *back   = buffer_on(the.device);
    struct trm_kernel *kernel = affine_on(second.device);
    struct trm_point point;
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i * 2654435761u;
    ck_ok(trm_upload(the.stream, trm_span_whole(here), numbers));
    ck_ok(trm_copy(the.stream, trm_span_whole(far), trm_span_whole(here)));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(second.stream, point));
    ck_ok(affine_launch(second.stream, kernel, far, N, 3, 7));
    ck_ok(trm_stream_mark(second.stream, &point));
    ck_ok(trm_stream_wait(the.stream, point));
    ck_ok(trm_copy(the.stream, trm_span_whole(back), trm_span_whole(far)));
    ck_ok(trm_download(the.stream, got, trm_span_whole(back)));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], numbers[i] * 3 + 7);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
    trm_buffer_destroy(back);
}
END_TEST

START_TEST(a_copy_between_devices_may_be_enqueued_on_either_of_them)
{
    static uint32_t numbers[N], got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second.device);
    struct trm_stream *streams[] = {the.stream, second.stream};
    for (uint32_t round = 0; round < 8; round++) {
        struct trm_stream *by = streams[round % 2];
        for (uint32_t i = 0; i < N; i++)
            numbers[i] = i * 31 + round;
        ck_ok(trm_upload(the.stream, trm_span_whole(here), numbers));
        ck_ok(trm_stream_sync(the.stream));
        ck_ok(trm_copy(by, trm_span_of(far, 400, 4 * N - 800), trm_span_of(here, 800, 4 * N - 800)));
        ck_ok(trm_stream_sync(by));
        ck_ok(trm_download(second.stream, got, trm_span_of(far, 400, 4 * N - 800)));
        ck_ok(trm_stream_sync(second.stream));
        ck_assert_int_eq(memcmp(got, numbers + 200, 4 * N - 800), 0);
    }
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(streams_of_two_devices_wait_for_each_other_many_times)
{
    static uint32_t got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second.device);
    struct trm_buffer *shared = buffer_open(the.device, TRM_MEMORY_PINNED, 4 * N);
    struct trm_kernel *kernel = affine_on(the.device), *kernel_there = affine_on(second.device);
    uint32_t wanted = 0;
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 0, 1));
    for (uint32_t i = 0; i < 30; i++) {
        struct trm_point point;
        ck_ok(affine_launch(the.stream, kernel, here, N, 3, i));
        ck_ok(trm_copy(the.stream, trm_span_whole(shared), trm_span_whole(here)));
        ck_ok(trm_copy(the.stream, trm_span_whole(far), trm_span_whole(shared)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(second.stream, point));
        ck_ok(affine_launch(second.stream, kernel_there, far, N, 5, i));
        ck_ok(trm_copy(second.stream, trm_span_whole(here), trm_span_whole(far)));
        ck_ok(trm_stream_mark(second.stream, &point));
        ck_ok(trm_stream_wait(the.stream, point));
        wanted = (wanted * 3 + i) * 5 + i;
    }
    ck_ok(trm_download(the.stream, got, trm_span_whole(here)));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], wanted);
    trm_kernel_destroy(kernel);
    trm_kernel_destroy(kernel_there);
    trm_buffer_destroy(shared);
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(a_stream_waits_for_one_of_another_device_that_is_behind_a_gate)
{
    static uint32_t got[N];
    struct barrier barrier  = BARRIER_CLOSED;
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second.device);
    struct trm_point point;
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 9, 4));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(second.stream, point));
    ck_ok(trm_copy(second.stream, trm_span_whole(far), trm_span_whole(here)));
    ck_ok(trm_download(second.stream, got, trm_span_whole(far)));
    barrier_await(&barrier);
    ck_assert_int_eq(trm_stream_query(second.stream), TRM_ERROR_TIMEOUT);
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(second.stream));
    ck_assert_uint_eq(got[N - 1], 9);
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(any_and_all_points_of_two_devices_can_be_waited_for)
{
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second.device);
    for (uint32_t round = 0; round < 20; round++) {
        struct trm_point points[2];
        uint32_t which = 7;
        ck_ok(trm_fill(the.stream, trm_span_whole(here), round, 4));
        ck_ok(trm_stream_mark(the.stream, &points[0]));
        ck_ok(trm_fill(second.stream, trm_span_whole(far), round, 4));
        ck_ok(trm_stream_mark(second.stream, &points[1]));
        ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which));
        ck_assert_uint_lt(which, 2);
        ck_ok(trm_point_done(points[which]));
        ck_ok(trm_wait_all(points, 2, TRM_FOREVER));
    }
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

/* ---- two contexts ---- */

static void *live_a_life(void *user)
{
    int32_t *status             = user;
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    struct trm_stream *stream   = NULL;
    struct trm_buffer *buffer   = NULL;
    struct trm_kernel *kernel   = NULL;
    uint32_t number             = 0;
    *status                     = context_make(NULL, 0, &context);
    if (*status == TRM_OK)
        *status = trm_device_open(context, NULL, &device);
    if (*status == TRM_OK)
        *status = trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (*status == TRM_OK)
        *status = trm_buffer_create(device, TRM_MEMORY_DEVICE, 4 * N, &buffer);
    if (*status == TRM_OK)
        *status = affine_load(device, &kernel);
    if (*status == TRM_OK)
        *status = trm_fill(stream, trm_span_whole(buffer), 5, 4);
    for (int i = 0; i < 10 && *status == TRM_OK; i++)
        *status = affine_launch(stream, kernel, buffer, N, 1, 2);
    if (*status == TRM_OK)
        *status = trm_download(stream, &number, trm_span_of(buffer, 4 * (N - 1), 4));
    if (*status == TRM_OK)
        *status = trm_stream_sync(stream);
    if (*status == TRM_OK && number != 25)
        *status = TRM_ERROR_BACKEND;
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return NULL;
}

START_TEST(contexts_come_and_go_on_several_threads_at_once)
{
    pthread_t threads[4];
    int32_t statuses[4] = {TRM_ERROR_BACKEND, TRM_ERROR_BACKEND, TRM_ERROR_BACKEND, TRM_ERROR_BACKEND};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, live_a_life, &statuses[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(statuses[i], TRM_OK);
}
END_TEST

/* ---- the group ---- */

TCase *two_devices_cases(const char *name, SFun shape, SFun open_second)
{
    TCase *group = tcase_create(name);
    if (shape)
        tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(group, world_open, world_close);
    tcase_add_checked_fixture(group, open_second, second_close);
    tcase_add_test(group, memory_is_copied_between_two_devices_in_both_directions);
    tcase_add_test(group, a_copy_between_devices_may_be_enqueued_on_either_of_them);
    tcase_add_test(group, streams_of_two_devices_wait_for_each_other_many_times);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_is_behind_a_gate);
    tcase_add_test(group, any_and_all_points_of_two_devices_can_be_waited_for);
    tcase_add_test(group, contexts_come_and_go_on_several_threads_at_once);
    return group;
}
