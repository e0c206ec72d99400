/* Where each operation is waited for (stream.serial), a fault is the failure of the call that enqueued it;
 * else that of a later one.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/cuda/fixture.h"
#include "tests/device/kernels.h"

#define N 1000u

static struct trm_kernel *kernel;
static struct trm_buffer *buffer;

static void open_with(const char *is_serial)
{
    const struct trm_setting setting = {"stream.serial", is_serial};
    ck_ok(context_make(&setting, 1, &the.context));
    the.device = device_open(the.context, NULL);
    the.stream = stream_open(the.device, TRM_STREAM_ANY);
    kernel     = affine_on(the.device);
    buffer     = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * N);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 1, 1));
}

static void close_all(void)
{
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    world_close();
}

static int32_t launch(void)
{
    return affine_launch(the.stream, kernel, buffer, N, 1, 1);
}

static int32_t fill(void)
{
    return trm_fill(the.stream, trm_span_whole(buffer), 1, 1);
}

static int32_t download(void)
{
    static uint32_t numbers[N];
    return trm_download(the.stream, numbers, trm_span_whole(buffer));
}

static int32_t (*const calls[])(void) = {launch, fill, download};

#define CALLS ((int)(sizeof(calls) / sizeof(calls[0])))

START_TEST(the_call_whose_work_fails_returns_the_failure)
{
    if (standin_missing())
        return;
    open_with("yes");
    ck_assert_int_eq(standin->fail_work("any:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_fails(calls[_i](), TRM_ERROR_DEVICE_LOST);
    ck_sentence_has("CUDA_ERROR_ILLEGAL_ADDRESS");
    close_all();
}
END_TEST

START_TEST(the_calls_before_it_return_no_failure)
{
    if (standin_missing())
        return;
    open_with("yes");
    ck_assert_int_eq(standin->fail_work("any:3:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(launch());
    ck_ok(fill());
    ck_fails(calls[_i](), TRM_ERROR_DEVICE_LOST);
    close_all();
}
END_TEST

START_TEST(without_the_setting_a_later_call_returns_it)
{
    if (standin_missing())
        return;
    open_with("no");
    ck_ok(trm_stream_sync(the.stream));
    standin->hold();
    ck_assert_int_eq(standin->fail_work("any:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(calls[_i]());
    standin->release();
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: serial");
    TCase *tests = tcase_create("serial");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, the_call_whose_work_fails_returns_the_failure, 0, CALLS);
    tcase_add_loop_test(tests, the_calls_before_it_return_no_failure, 0, CALLS);
    tcase_add_loop_test(tests, without_the_setting_a_later_call_returns_it, 0, CALLS - 1);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
