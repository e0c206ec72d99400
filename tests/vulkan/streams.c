/* Tests of many streams and many threads on devices of every shape.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/streams.h"

#include "tests/vulkan/fixture.h"

enum {
    N = 3000 /* numbers in a buffer */
};

/* Plain memory is read when the stream gets there, not when the copy is enqueued. */
START_TEST(data_downloaded_to_plain_memory_can_be_uploaded_at_once)
{
    static uint32_t numbers[N], middle[N], got[N];
    struct trm_stream *up     = stream_open(the.device, TRM_STREAM_UPLOAD);
    struct trm_kernel *kernel = affine_on(the.device);
    struct trm_buffer *a      = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(numbers)),
                      *b      = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(numbers));
    for (uint32_t round = 0; round < 20; round++) {
        struct trm_point point;
        for (uint32_t i = 0; i < N; i++)
            numbers[i] = i ^ round << 16;
        ck_ok(trm_upload(the.stream, trm_span_whole(a), numbers));
        ck_ok(affine_launch(the.stream, kernel, a, N, 1, 1));
        ck_ok(trm_download(the.stream, middle, trm_span_whole(a)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(up, point));
        ck_ok(trm_upload(up, trm_span_whole(b), middle)); /* not written yet */
        ck_ok(trm_download(up, got, trm_span_whole(b)));
        ck_ok(trm_stream_sync(up));
        for (uint32_t i = 0; i < N; i++)
            ck_assert_uint_eq(got[i], (i ^ round << 16) + 1);
    }
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_kernel_destroy(kernel);
    trm_stream_destroy(up);
}
END_TEST

/* ---- suites ---- */

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = streams_cases(name, shape);
    tcase_add_test(group, data_downloaded_to_plain_memory_can_be_uploaded_at_once);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: streams");
    add_cases(suite, "the driver's own queue", NULL);
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    add_cases(suite, "minimal", shape_as_minimal);
    return run_suite(suite);
}
