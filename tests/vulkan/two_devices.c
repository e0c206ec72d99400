/* The same device opened twice, and two contexts at once.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

#include <pthread.h>

enum {
    N = 5000
};

static struct trm_device *second;
static struct trm_stream *there;

static void open_all(void)
{
    world_open();
    second = device_open(the.context, NULL);
    there  = stream_open(second, TRM_STREAM_ANY);
}

static void close_all(void)
{
    trm_stream_destroy(there);
    trm_device_destroy(second);
    world_close();
}

static struct trm_buffer *buffer_on(struct trm_device *device)
{
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_buffer_create(device, TRM_MEMORY_DEVICE, 4 * N, &buffer));
    return buffer;
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

START_TEST(streams_of_two_devices_wait_for_each_other_many_times)
{
    static uint32_t shared[N], got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second);
    struct trm_kernel *kernel = affine_on(the.device), *kernel_there = affine_on(second);
    uint32_t wanted = 0;
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 0, 1));
    for (uint32_t i = 0; i < 30; i++) {
        struct trm_point point;
        ck_ok(affine_launch(the.stream, kernel, here, N, 3, i));
        ck_ok(trm_download(the.stream, shared, trm_span_whole(here)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(there, point));
        ck_ok(trm_upload(there, trm_span_whole(far), shared));
        ck_ok(affine_launch(there, kernel_there, far, N, 5, i));
        ck_ok(trm_download(there, shared, trm_span_whole(far)));
        ck_ok(trm_stream_mark(there, &point));
        ck_ok(trm_stream_wait(the.stream, point));
        ck_ok(trm_upload(the.stream, trm_span_whole(here), shared));
        wanted = (wanted * 3 + i) * 5 + i;
    }
    ck_ok(trm_download(the.stream, got, trm_span_whole(here)));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], wanted);
    trm_kernel_destroy(kernel);
    trm_kernel_destroy(kernel_there);
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
}
END_TEST

START_TEST(a_stream_waits_for_one_of_another_device_that_fails_and_fails_too)
{
    struct trm_buffer *far    = buffer_on(second);
    struct trm_buffer *here   = buffer_on(the.device);
    struct trm_stream *doomed = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    ck_assert_int_eq(shim->arm("vkQueueSubmit:1:once:VK_ERROR_OUT_OF_HOST_MEMORY"), 0);
    ck_ok(trm_fill(doomed, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_mark(doomed, &point));
    ck_ok(trm_stream_wait(there, point));
    (void)trm_fill(there, trm_span_whole(far), 1, 1); /* may know of it already */
    ck_fails(trm_stream_sync(there), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_sync(the.stream));
    trm_stream_destroy(doomed);
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

static void shape_as_plain(void)
{
    shim_shape(shape_plain);
}

static void shape_as_discrete(void)
{
    shim_shape(shape_discrete);
}

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(group, open_all, close_all);
    tcase_add_test(group, memory_is_copied_between_two_devices_in_both_directions);
    tcase_add_test(group, streams_of_two_devices_wait_for_each_other_many_times);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_fails_and_fails_too);
    tcase_add_test(group, contexts_come_and_go_on_several_threads_at_once);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: two devices");
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    return run_suite(suite);
}
