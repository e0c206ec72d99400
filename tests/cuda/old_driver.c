/* Drivers that are older, or lack some functions: nothing fails that need not, and what cannot work is
 * refused in words. (tests/tools/run-cuda.sh tests that `trireme info -v` lists what is missing.)
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "backends/cuda/driver/functions.h"
#include "tests/cuda/fixture.h"
#include "tests/device/scenario.h"

#define NAME(name, version) #name,
static const char *const required[] = {CUDA_FUNCTIONS(NAME)};
static const char *const optional[] = {CUDA_OPTIONAL_FUNCTIONS(NAME)};
#undef NAME
#define REQUIRED_COUNT ((int)(sizeof(required) / sizeof(required[0])))
#define OPTIONAL_COUNT ((int)(sizeof(optional) / sizeof(optional[0])))

static void comes_through(const char *shape)
{
    standin_shape(shape);
    scenario_succeed(shape, NULL);
    check_nothing_left(shape);
}

/* ---- what is optional ---- */

START_TEST(everything_works_without_a_function_that_is_optional)
{
    char shape[80];
    snprintf(shape, sizeof(shape), "missing=%s", optional[_i]);
    comes_through(shape);
}
END_TEST

START_TEST(everything_works_without_all_that_is_optional)
{
    char shape[2048] = "missing=";
    for (int i = 0; i < OPTIONAL_COUNT; i++) {
        size_t length = strlen(shape);
        snprintf(shape + length, sizeof(shape) - length, "%s%s", i == 0 ? "" : ",", optional[i]);
    }
    comes_through(shape);
}
END_TEST

static const char *const versions[] = {"driver=11040", "driver=11060", "driver=11080",
                                       "driver=12000", "driver=12020", "driver=12040"};

START_TEST(everything_works_on_an_older_driver)
{
    comes_through(versions[_i]);
}
END_TEST

static const char *const lacking[] = {"pools=no", "managed=no", "pools=no managed=no driver=11040",
                                      "capability=7.5", "capability=12.0"};

START_TEST(everything_works_on_a_device_that_lacks_what_is_optional)
{
    comes_through(lacking[_i]);
}
END_TEST

/* ---- what is not ---- */

/* No device of this configuration can be used, and the reason is given. */
static void is_refused(const char *shape, const char *words)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    standin_shape(shape);
    int32_t status = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    ck_assert_msg(status < 0, "%s: a device was opened that is no good", shape);
    ck_sentence_has(words);
    ck_assert_ptr_null(device);
    trm_context_destroy(context);
    check_nothing_left(shape);
}

START_TEST(a_driver_without_a_function_that_is_needed_is_refused_by_its_name)
{
    char shape[80];
    snprintf(shape, sizeof(shape), "missing=%s", required[_i]);
    is_refused(shape, required[_i]);
}
END_TEST

START_TEST(a_driver_that_is_too_old_is_refused_by_its_version)
{
    is_refused("driver=11020", "11.2");
}
END_TEST

START_TEST(a_driver_without_a_device_is_refused)
{
    is_refused("devices=0", "device");
}
END_TEST

START_TEST(a_driver_that_does_not_start_is_refused_with_its_own_words)
{
    is_refused("fault=cuInit:1:on:CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
}
END_TEST

START_TEST(a_driver_that_is_not_there_is_said_by_its_name)
{
    struct trm_setting setting  = {"cuda.driver", "libcuda-that-does-not-exist.so.1"};
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(&setting, 1, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    ck_assert_int_lt(status, 0);
    ck_sentence_has("libcuda-that-does-not-exist.so.1");
    trm_context_destroy(context);
    check_nothing_left("the test");
}
END_TEST

/* ---- no compiler ---- */

/* The cache has nothing that another test has compiled. */
static const struct trm_setting no_cache = {"kernel.cache", "none"};

START_TEST(without_nvrtc_portable_kernels_are_refused_with_what_was_tried_and_the_rest_works)
{
    struct trm_setting settings[] = {{"cuda.nvrtc", "libnvrtc-that-does-not-exist.so.13"}, no_cache};
    struct trm_context *context   = NULL;
    struct trm_kernel *kernel     = NULL;
    uint32_t number               = 0;
    ck_ok(context_make(settings, 2, &context));
    struct trm_device *device = device_open(context, NULL);
    struct trm_stream *stream = stream_open(device, TRM_STREAM_ANY);
    struct trm_buffer *buffer = buffer_open(device, TRM_MEMORY_DEVICE, 4096);
    ck_fails(affine_load(device, &kernel), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("libnvrtc-that-does-not-exist.so.13");
    ck_ok(trm_fill(stream, trm_span_whole(buffer), 77, 4));
    ck_ok(trm_download(stream, &number, trm_span_of(buffer, 4092, 4)));
    ck_ok(trm_stream_sync(stream));
    ck_assert_uint_eq(number, 77);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    check_nothing_left("the test");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: old drivers");
    TCase *lacks = tcase_create("lacking"), *refused = tcase_create("refused");
    tcase_add_loop_test(lacks, everything_works_without_a_function_that_is_optional, 0, OPTIONAL_COUNT);
    tcase_add_test(lacks, everything_works_without_all_that_is_optional);
    tcase_add_loop_test(lacks, everything_works_on_an_older_driver, 0,
                        sizeof(versions) / sizeof(versions[0]));
    tcase_add_loop_test(lacks, everything_works_on_a_device_that_lacks_what_is_optional, 0,
                        sizeof(lacking) / sizeof(lacking[0]));
    tcase_add_test(lacks, without_nvrtc_portable_kernels_are_refused_with_what_was_tried_and_the_rest_works);
    suite_add_tcase(suite, lacks);
    tcase_add_loop_test(refused, a_driver_without_a_function_that_is_needed_is_refused_by_its_name, 0,
                        REQUIRED_COUNT);
    tcase_add_test(refused, a_driver_that_is_too_old_is_refused_by_its_version);
    tcase_add_test(refused, a_driver_without_a_device_is_refused);
    tcase_add_test(refused, a_driver_that_does_not_start_is_refused_with_its_own_words);
    tcase_add_test(refused, a_driver_that_is_not_there_is_said_by_its_name);
    suite_add_tcase(suite, refused);
    return run_on_standin(suite);
}
