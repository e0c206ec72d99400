/* The cuda backend's failures: the statuses of CUresults, and the report of a lost device.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cuda/fake.h"

#include "backends/cuda/module/module.h"
#include "backends/cuda/stream/stream.h"
#include "tests/unit/runner.h"

static struct trm_backend_instance instance;
static struct trm_backend_device device;
static struct trm_backend_stream streams[2];
static struct cuda_physical physical;

static CUresult CUDAAPI name_of(CUresult result, const char **name)
{
    *name = result == CUDA_ERROR_ILLEGAL_ADDRESS  ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : result == CUDA_ERROR_OUT_OF_MEMORY  ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == CUDA_ERROR_LAUNCH_TIMEOUT ? "CUDA_ERROR_LAUNCH_TIMEOUT"
                                                  : NULL;
    return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult CUDAAPI text_of(CUresult result, const char **text)
{
    *text = result == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : NULL;
    return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* A test puts streams into the device's list only while it needs them: waking finds none. */
static void set_up(void)
{
    fake_setup();
    memset(&instance, 0, sizeof(instance));
    memset(&device, 0, sizeof(device));
    memset(streams, 0, sizeof(streams));
    instance.host                  = &fake.host;
    instance.cuda.cuGetErrorName   = name_of;
    instance.cuda.cuGetErrorString = text_of;
    snprintf(physical.name, sizeof(physical.name), "Fake");
    device.instance = &instance;
    device.cuda     = &instance.cuda;
    device.physical = &physical;
    device.on_loss  = cuda_streams_lose_device;
    pthread_mutex_init(&device.streams_lock, NULL);
    pthread_mutex_init(&instance.defer_lock, NULL);
}

static void tear_down(void)
{
    pthread_mutex_destroy(&instance.defer_lock);
    pthread_mutex_destroy(&device.streams_lock);
    fake_teardown();
}

static void says(const char *words)
{
    ck_assert_msg(strstr(fake.sentence, words) != NULL, "\"%s\" is not in: %s", words, fake.sentence);
}

/* ---- results */

START_TEST(every_failure_of_cuda_is_a_failure_for_the_core)
{
    ck_assert_int_eq(cuda_status(CUDA_SUCCESS), TRM_OK);
    for (int result = 1; result <= 1100; result++) {
        ck_assert_int_lt(cuda_status((CUresult)result), TRM_OK);
        ck_assert_int_ge(cuda_status((CUresult)result), TRM_ERROR_IO);
        ck_assert_int_eq(cuda_is_sticky((CUresult)result),
                         cuda_status((CUresult)result) == TRM_ERROR_DEVICE_LOST);
    }
}
END_TEST

START_TEST(failures_that_mean_something_to_the_core_have_its_status)
{
    ck_assert_int_eq(cuda_status(CUDA_ERROR_OUT_OF_MEMORY), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(cuda_status(CUDA_ERROR_NOT_SUPPORTED), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(cuda_status(CUDA_ERROR_NOT_PERMITTED), TRM_ERROR_PERMISSION);
    ck_assert_int_eq(cuda_status(CUDA_ERROR_NOT_FOUND), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(cuda_status(CUDA_ERROR_INVALID_VALUE), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuda_status((CUresult)12345), TRM_ERROR_BACKEND);
}
END_TEST

START_TEST(what_the_context_does_not_survive_is_sticky_and_nothing_else)
{
    static const CUresult sticky[] = {CUDA_ERROR_ECC_UNCORRECTABLE,    CUDA_ERROR_NVLINK_UNCORRECTABLE,
                                      CUDA_ERROR_ILLEGAL_ADDRESS,      CUDA_ERROR_LAUNCH_TIMEOUT,
                                      CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
                                      CUDA_ERROR_ILLEGAL_INSTRUCTION,  CUDA_ERROR_MISALIGNED_ADDRESS,
                                      CUDA_ERROR_LAUNCH_FAILED,        CUDA_ERROR_UNKNOWN};
    static const CUresult others[] = {CUDA_SUCCESS,
                                      CUDA_ERROR_OUT_OF_MEMORY,
                                      CUDA_ERROR_INVALID_VALUE,
                                      CUDA_ERROR_NOT_READY,
                                      CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                                      CUDA_ERROR_INVALID_CONTEXT,
                                      CUDA_ERROR_NOT_SUPPORTED};
    for (size_t i = 0; i < sizeof(sticky) / sizeof(sticky[0]); i++)
        ck_assert_msg(cuda_is_sticky(sticky[i]), "%d", (int)sticky[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        ck_assert_msg(!cuda_is_sticky(others[i]), "%d", (int)others[i]);
}
END_TEST

START_TEST(a_result_without_a_name_has_words)
{
    ck_assert_str_eq(cuda_result_name(&instance, CUDA_ERROR_OUT_OF_MEMORY), "CUDA_ERROR_OUT_OF_MEMORY");
    ck_assert_str_eq(cuda_result_name(&instance, (CUresult)12345),
                     "an error that the driver has no name for");
    instance.cuda.cuGetErrorName = NULL;
    ck_assert_str_eq(cuda_result_name(&instance, CUDA_ERROR_OUT_OF_MEMORY),
                     "an error that the driver has no name for");
}
END_TEST

START_TEST(no_host_memory_is_said_with_what_it_was_for)
{
    ck_assert_int_eq(trm_util_fail_host_memory(&fake.host, "a stream"), TRM_ERROR_OUT_OF_HOST_MEMORY);
    says("There is no host memory for a stream.");
}
END_TEST

START_TEST(a_failure_before_there_is_a_device_names_the_call_and_the_error)
{
    ck_assert_int_eq(cuda_instance_fail(&instance, CUDA_ERROR_OUT_OF_MEMORY, "cuDeviceGet"),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    says("cuDeviceGet failed: CUDA_ERROR_OUT_OF_MEMORY.");
    ck_assert_int_eq(fake.native, CUDA_ERROR_OUT_OF_MEMORY);
}
END_TEST

/* ---- lost devices */

START_TEST(a_failure_that_passes_does_not_lose_the_device)
{
    ck_assert_int_eq(cuda_device_fail(&device, CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc"),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    says("cuMemAlloc of the device Fake failed: CUDA_ERROR_OUT_OF_MEMORY.");
    ck_assert_int_eq(fake.native, CUDA_ERROR_OUT_OF_MEMORY);
    ck_assert(!cuda_device_is_lost(&device));
    ck_assert_int_eq(cuda_device_check(&device), TRM_OK);
}
END_TEST

START_TEST(the_first_cause_of_a_loss_is_told_for_ever)
{
    ck_assert_int_eq(cuda_device_fail(&device, CUDA_ERROR_ILLEGAL_ADDRESS, "cuEventQuery"),
                     TRM_ERROR_DEVICE_LOST);
    says("The device Fake was lost: cuEventQuery answered CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
         "memory "
         "access was encountered).");
    ck_assert(cuda_device_is_lost(&device));
    ck_assert_int_eq(cuda_device_fail(&device, CUDA_ERROR_LAUNCH_TIMEOUT, "cuMemAlloc"),
                     TRM_ERROR_DEVICE_LOST);
    says("cuEventQuery answered CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_int_eq(cuda_device_fail(&device, CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc"),
                     TRM_ERROR_DEVICE_LOST);
    fake.sentence[0] = '\0';
    ck_assert_int_eq(cuda_device_check(&device), TRM_ERROR_DEVICE_LOST);
    says("cuEventQuery answered CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_int_eq(fake.native, CUDA_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

/* Make the report of the streams. Tests with real streams cover waking them. */
static void lose_with_streams(void)
{
    device.lost     = TRM_OK;
    device.streams  = &streams[0];
    streams[0].next = &streams[1];
    for (size_t i = 0; i < 2; i++) {
        streams[i].device  = &device;
        streams[i].failure = TRM_ERROR_CANCELLED; /* no thread waits for them any more */
        pthread_mutex_init(&streams[i].lock, NULL);
    }
    cuda_device_fail(&device, CUDA_ERROR_LAUNCH_TIMEOUT, "cuStreamQuery");
}

START_TEST(what_was_running_is_in_the_report_of_a_loss)
{
    streams[0].completed = 3;
    streams[0].submitted = 9;
    streams[0].running   = "blur";
    streams[1].completed = 5;
    streams[1].submitted = 6;
    lose_with_streams();
    says("in flight were the kernel \"blur\" (operations 4 to 9 of a stream), operations 6 to 6 of a "
         "stream, "
         "without kernels.");
}
END_TEST

START_TEST(streams_that_are_done_are_not_in_the_report)
{
    streams[0].completed = 9;
    streams[0].submitted = 9;
    streams[0].running   = "blur";
    lose_with_streams();
    says("CUDA_ERROR_LAUNCH_TIMEOUT.");
}
END_TEST

START_TEST(kernels_that_are_gone_are_not_named)
{
    static const char blur[] = "blur", sum[] = "sum";
    const struct trm_backend_kernel kernel = {.name = blur};
    streams[0].submitted = streams[1].submitted = 1;
    streams[0].running                          = blur;
    streams[1].running                          = sum;
    device.streams                              = &streams[0];
    streams[0].next                             = &streams[1];
    cuda_streams_forget_kernel(&device, &kernel);
    lose_with_streams();
    says("operations 1 to 1 of a stream, without kernels, the kernel \"sum\"");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("failure");
    TCase *tests = tcase_create("failure");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_failure_of_cuda_is_a_failure_for_the_core);
    tcase_add_test(tests, failures_that_mean_something_to_the_core_have_its_status);
    tcase_add_test(tests, what_the_context_does_not_survive_is_sticky_and_nothing_else);
    tcase_add_test(tests, a_result_without_a_name_has_words);
    tcase_add_test(tests, no_host_memory_is_said_with_what_it_was_for);
    tcase_add_test(tests, a_failure_before_there_is_a_device_names_the_call_and_the_error);
    tcase_add_test(tests, a_failure_that_passes_does_not_lose_the_device);
    tcase_add_test(tests, the_first_cause_of_a_loss_is_told_for_ever);
    tcase_add_test(tests, what_was_running_is_in_the_report_of_a_loss);
    tcase_add_test(tests, streams_that_are_done_are_not_in_the_report);
    tcase_add_test(tests, kernels_that_are_gone_are_not_named);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
