/* Two devices, with and without access to each other's memory; the same device opened twice; and two contexts at once. On the
 * machine's own driver with two GPUs, or with one opened twice.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>

#include "tests/cuda/fixture.h"

enum {
    N = 5000
};

static struct trm_device *second;
static struct trm_stream *there;
static bool is_other; /* the second device is another one than the first */

static void open_all(void)
{
    uint32_t count = 0;
    world_open();
    ck_ok(trm_device_count(the.context, &count));
    is_other = count > 1;
    second   = device_open(the.context, is_other ? "cuda:1" : NULL);
    there    = stream_open(second, TRM_STREAM_ANY);
}

static void close_all(void)
{
    trm_stream_destroy(there);
    trm_device_destroy(second);
    world_close();
}

static struct trm_buffer *buffer_on(struct trm_device *device)
{
    return buffer_open(device, TRM_MEMORY_DEVICE, 4 * N);
}

START_TEST(memory_is_copied_between_two_devices_in_both_directions)
{
    static uint32_t numbers[N], got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second), *back = buffer_on(the.device);
    struct trm_kernel *kernel = affine_on(second);
    struct trm_point point;
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i * 2654435761u;
    ck_ok(trm_upload(the.stream, trm_span_whole(here), numbers));
    ck_ok(trm_copy(the.stream, trm_span_whole(far), trm_span_whole(here)));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(there, point));
    ck_ok(affine_launch(there, kernel, far, N, 3, 7));
    ck_ok(trm_stream_mark(there, &point));
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
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second);
    struct trm_stream *streams[] = {the.stream, there};
    for (uint32_t round = 0; round < 8; round++) {
        struct trm_stream *by = streams[round % 2];
        for (uint32_t i = 0; i < N; i++)
            numbers[i] = i * 31 + round;
        ck_ok(trm_upload(the.stream, trm_span_whole(here), numbers));
        ck_ok(trm_stream_sync(the.stream));
        ck_ok(trm_copy(by, trm_span_of(far, 400, 4 * N - 800), trm_span_of(here, 800, 4 * N - 800)));
        ck_ok(trm_stream_sync(by));
        ck_ok(trm_download(there, got, trm_span_of(far, 400, 4 * N - 800)));
        ck_ok(trm_stream_sync(there));
        ck_assert_int_eq(memcmp(got, numbers + 200, 4 * N - 800), 0);
    }
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(streams_of_two_devices_wait_for_each_other_many_times)
{
    static uint32_t got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second);
    struct trm_buffer *shared = buffer_open(the.device, TRM_MEMORY_PINNED, 4 * N);
    struct trm_kernel *kernel = affine_on(the.device), *kernel_there = affine_on(second);
    uint32_t wanted = 0;
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 0, 1));
    for (uint32_t i = 0; i < 30; i++) {
        struct trm_point point;
        ck_ok(affine_launch(the.stream, kernel, here, N, 3, i));
        ck_ok(trm_copy(the.stream, trm_span_whole(shared), trm_span_whole(here)));
        ck_ok(trm_copy(the.stream, trm_span_whole(far), trm_span_whole(shared)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(there, point));
        ck_ok(affine_launch(there, kernel_there, far, N, 5, i));
        ck_ok(trm_copy(there, trm_span_whole(here), trm_span_whole(far)));
        ck_ok(trm_stream_mark(there, &point));
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
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second);
    struct trm_point point;
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 9, 4));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(there, point));
    ck_ok(trm_copy(there, trm_span_whole(far), trm_span_whole(here)));
    ck_ok(trm_download(there, got, trm_span_whole(far)));
    barrier_await(&barrier);
    ck_assert_int_eq(trm_stream_query(there), TRM_ERROR_TIMEOUT);
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(there));
    ck_assert_uint_eq(got[N - 1], 9);
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(any_and_all_points_of_two_devices_can_be_waited_for)
{
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second);
    for (uint32_t round = 0; round < 20; round++) {
        struct trm_point points[2];
        uint32_t which = 7;
        ck_ok(trm_fill(the.stream, trm_span_whole(here), round, 4));
        ck_ok(trm_stream_mark(the.stream, &points[0]));
        ck_ok(trm_fill(there, trm_span_whole(far), round, 4));
        ck_ok(trm_stream_mark(there, &points[1]));
        ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which));
        ck_assert_uint_lt(which, 2);
        ck_ok(trm_point_done(points[which]));
        ck_ok(trm_wait_all(points, 2, TRM_FOREVER));
    }
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(a_stream_waits_for_one_of_another_device_that_fails_and_fails_too)
{
    struct trm_buffer *far = buffer_on(second), *here = buffer_on(the.device);
    struct trm_stream *doomed = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    struct barrier barrier = BARRIER_CLOSED;
    if (standin_missing())
        goto destroy;
    ck_ok(barrier_enqueue(doomed,
                          &barrier)); /* so that the fill is submitted later, and its failure the stream's */
    ck_ok(trm_fill(doomed, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_mark(doomed, &point));
    ck_ok(trm_stream_wait(there, point));
    ck_ok(trm_fill(there, trm_span_whole(far), 1, 1));
    barrier_await(&barrier);
    ck_assert_int_eq(standin->arm("cuMemsetD8Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    ck_assert_int_eq(standin->arm("cuMemsetD32Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    barrier_open(&barrier);
    ck_fails(trm_stream_sync(there), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_fails(trm_stream_sync(doomed), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_sentence_has("CUDA_ERROR_OUT_OF_MEMORY");
    standin->arm(NULL);
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_sync(the.stream));
destroy:
    trm_stream_destroy(doomed);
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
}
END_TEST

/* ---- access ---- */

START_TEST(devices_that_reach_each_other_copy_without_the_host)
{
    struct trm_buffer *far = buffer_on(second), *here = buffer_on(the.device);
    if (standin_missing())
        goto destroy;
    uint64_t before = standin->calls("cuMemcpyPeerAsync") + standin->calls("cuMemcpyAsync") +
                      standin->calls("cuMemcpyDtoDAsync");
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 1, 4));
    ck_ok(trm_copy(the.stream, trm_span_whole(far), trm_span_whole(here)));
    ck_ok(trm_stream_sync(the.stream));
    uint64_t after = standin->calls("cuMemcpyPeerAsync") + standin->calls("cuMemcpyAsync") +
                     standin->calls("cuMemcpyDtoDAsync");
    ck_assert_uint_eq(after - before, 1);
destroy:
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
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

/* ---- suites ---- */

static void shape_with_access(void)
{
    standin_shape("devices=2");
}

static void shape_without_access(void)
{
    standin_shape("devices=2 peers=no");
}

static void shape_without_pools(void)
{
    standin_shape("devices=2 pools=no");
}

static void shape_of_an_old_driver(void)
{
    standin_shape("devices=2 driver=11040");
}

static void add_cases(Suite *suite, const char *name, SFun shape, bool with_access)
{
    TCase *group = tcase_create(name);
    if (shape)
        tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(group, open_all, close_all);
    tcase_add_test(group, memory_is_copied_between_two_devices_in_both_directions);
    tcase_add_test(group, a_copy_between_devices_may_be_enqueued_on_either_of_them);
    tcase_add_test(group, streams_of_two_devices_wait_for_each_other_many_times);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_is_behind_a_gate);
    tcase_add_test(group, any_and_all_points_of_two_devices_can_be_waited_for);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_fails_and_fails_too);
    if (with_access)
        tcase_add_test(group, devices_that_reach_each_other_copy_without_the_host);
    tcase_add_test(group, contexts_come_and_go_on_several_threads_at_once);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("cuda: two devices");
    add_cases(suite, "with access to each other", shape_with_access, true);
    add_cases(suite, "without access", shape_without_access, false);
    add_cases(suite, "without pools", shape_without_pools, true);
    add_cases(suite, "an old driver", shape_of_an_old_driver, true);
    add_cases(suite, "one device opened twice", NULL, false);
    return run_suite(suite);
}
