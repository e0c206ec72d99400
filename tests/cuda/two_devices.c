/* Two devices, with and without access to each other's memory, or one that is opened twice. On the
 * machine's own driver with two GPUs, or with one that is opened twice.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/two_devices.h"

#include "tests/cuda/fixture.h"

/* Another device than the first, where there is one. */
static void open_second(void)
{
    uint32_t count = 0;
    ck_ok(trm_device_count(the.context, &count));
    second_open(count > 1 ? "cuda:1" : NULL);
}

START_TEST(a_stream_waits_for_one_of_another_device_that_fails_and_fails_too)
{
    struct trm_buffer *far = buffer_on(second.device), *here = buffer_on(the.device);
    struct trm_stream *doomed = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    struct barrier barrier = BARRIER_CLOSED;
    if (standin_missing())
        goto destroy;
    ck_ok(barrier_enqueue(doomed,
                          /* so that the fill is submitted later and its failure is the stream's */
                          &barrier));
    ck_ok(trm_fill(doomed, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_mark(doomed, &point));
    ck_ok(trm_stream_wait(second.stream, point));
    ck_ok(trm_fill(second.stream, trm_span_whole(far), 1, 1));
    barrier_await(&barrier);
    ck_assert_int_eq(standin->arm("cuMemsetD8Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    ck_assert_int_eq(standin->arm("cuMemsetD32Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    barrier_open(&barrier);
    ck_fails(trm_stream_sync(second.stream), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
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
    struct trm_buffer *far = buffer_on(second.device), *here = buffer_on(the.device);
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
    TCase *group = two_devices_cases(name, shape, open_second);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_fails_and_fails_too);
    if (with_access)
        tcase_add_test(group, devices_that_reach_each_other_copy_without_the_host);
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
