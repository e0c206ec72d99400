/* Tests of the same device opened twice, and of several contexts at once.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/two_devices.h"

#include "tests/vulkan/fixture.h"

enum {
    N = TWO_DEVICES_BYTES / 4
};

static void open_second(void)
{
    second_open(NULL);
}

/* The memory is read when the stream gets there, not when the copy is enqueued. */
START_TEST(streams_of_two_devices_pass_plain_memory_to_each_other_many_times)
{
    static uint32_t shared[N], got[N];
    struct trm_buffer *here = buffer_on(the.device), *far = buffer_on(second.device);
    struct trm_kernel *kernel = affine_on(the.device), *kernel_there = affine_on(second.device);
    uint32_t wanted = 0;
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 0, 1));
    for (uint32_t i = 0; i < 30; i++) {
        struct trm_point point;
        ck_ok(affine_launch(the.stream, kernel, here, N, 3, i));
        ck_ok(trm_download(the.stream, shared, trm_span_whole(here)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(second.stream, point));
        ck_ok(trm_upload(second.stream, trm_span_whole(far), shared));
        ck_ok(affine_launch(second.stream, kernel_there, far, N, 5, i));
        ck_ok(trm_download(second.stream, shared, trm_span_whole(far)));
        ck_ok(trm_stream_mark(second.stream, &point));
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
    struct trm_buffer *far    = buffer_on(second.device);
    struct trm_buffer *here   = buffer_on(the.device);
    struct trm_stream *doomed = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    ck_assert_int_eq(shim->arm("vkQueueSubmit:1:once:VK_ERROR_OUT_OF_HOST_MEMORY"), 0);
    ck_ok(trm_fill(doomed, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_mark(doomed, &point));
    ck_ok(trm_stream_wait(second.stream, point));
    /* May already report the failure
     * . */
    (void)trm_fill(second.stream, trm_span_whole(far), 1, 1);
    ck_fails(trm_stream_sync(second.stream), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_sync(the.stream));
    trm_stream_destroy(doomed);
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
}
END_TEST

/* ---- suites ---- */

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = two_devices_cases(name, shape, open_second);
    tcase_add_test(group, streams_of_two_devices_pass_plain_memory_to_each_other_many_times);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_fails_and_fails_too);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: two devices");
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    return run_suite(suite);
}
