/* How the cuda backend opens and closes devices, and which context is current afterwards.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/device/device.h"
#include "tests/unit/backends/cuda/fake.h"
#include "tests/unit/runner.h"

static struct trm_backend_instance *instance;
static struct trm_backend_device *device;
static const struct cuda_standin_control *control;
static char reason[CUDA_REASON_BYTES];

static void open_instance(const char *shape)
{
    control = fake_shape(shape);
    ck_assert_msg(cuda_instance_create(&fake.host, &instance, reason) == TRM_OK, "%s", reason);
}

static void open_device(const char *shape)
{
    open_instance(shape);
    ck_assert_msg(cuda_device_ops.open(instance, 0, &device) == TRM_OK, "%s", fake.sentence);
}

static void nothing_is_left(void)
{
    char first[128];
    ck_assert_msg(control->living(first, sizeof(first)) == 0, "there is a %s left", first);
    ck_assert_uint_eq(control->memory(0), 0);
    ck_assert_msg(control->breaches(first, sizeof(first)) == 0, "%s", first);
}

static void tear_down(void)
{
    if (device != NULL)
        cuda_device_ops.close(device);
    device = NULL;
    if (control != NULL)
        nothing_is_left();
    if (instance != NULL)
        cuda_instance_destroy(instance);
    instance = NULL;
    fake_teardown();
}

static CUcontext current(void)
{
    CUcontext context = NULL;
    ck_assert_int_eq(instance->cuda.cuCtxGetCurrent(&context), CUDA_SUCCESS);
    return context;
}

static void make_current(CUcontext context)
{
    ck_assert_int_eq(instance->cuda.cuCtxSetCurrent(context), CUDA_SUCCESS);
}

/* ---- opening */

START_TEST(a_device_is_opened_on_the_primary_context_and_leaves_the_threads_own_alone)
{
    CUcontext primary = NULL;
    open_device("");
    ck_assert_ptr_null(current());
    ck_assert(!device->borrowed);
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRetain(&primary, device->handle), CUDA_SUCCESS);
    ck_assert_ptr_eq(primary, device->context);
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRelease(device->handle), CUDA_SUCCESS);
}
END_TEST

START_TEST(opening_and_closing_leave_another_context_current_where_it_was)
{
    CUcontext other = NULL;
    open_instance("devices=2");
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRetain(&other, instance->physicals[1].handle),
                     CUDA_SUCCESS);
    make_current(other);
    ck_assert_int_eq(cuda_device_ops.open(instance, 0, &device), TRM_OK);
    ck_assert_ptr_eq(current(), other);
    cuda_device_ops.close(device);
    device = NULL;
    ck_assert_ptr_eq(current(), other);
    make_current(NULL);
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRelease(instance->physicals[1].handle), CUDA_SUCCESS);
}
END_TEST

START_TEST(a_device_that_is_open_twice_is_one_context)
{
    struct trm_backend_device *again = NULL;
    open_device("");
    ck_assert_int_eq(cuda_device_ops.open(instance, 0, &again), TRM_OK);
    ck_assert_ptr_ne(again, device);
    ck_assert_ptr_eq(again->context, device->context);
    cuda_device_ops.close(again);
}
END_TEST

START_TEST(a_context_of_the_programs_own_is_not_given_back)
{
    CUcontext own = NULL;
    struct cuda_standin_account account;
    open_instance("");
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRetain(&own, instance->physicals[0].handle),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuda_device_create(instance, 0, own, &device), TRM_OK);
    ck_assert(device->borrowed);
    ck_assert_ptr_eq(device->context, own);
    cuda_device_ops.close(device);
    device = NULL;
    control->account(&account);
    ck_assert_uint_eq(account.contexts, 1);
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRelease(instance->physicals[0].handle), CUDA_SUCCESS);
}
END_TEST

START_TEST(a_device_that_is_not_there_cannot_be_opened)
{
    open_instance("");
    ck_assert_int_eq(cuda_device_ops.open(instance, 7, &device), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(a_context_that_cannot_be_had_is_said_with_its_cause)
{
    open_instance("");
    ck_assert_int_eq(control->arm("cuDevicePrimaryCtxRetain:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    ck_assert_int_eq(cuda_device_ops.open(instance, 0, &device), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "cannot be opened: cuDevicePrimaryCtxRetain answered "
                                                "CUDA_ERROR_OUT_OF_MEMORY"));
    ck_assert_ptr_null(device);
    instance->physicals[0].compute_mode = CU_COMPUTEMODE_PROHIBITED;
    ck_assert_int_eq(control->arm("cuDevicePrimaryCtxRetain:1:once:CUDA_ERROR_INVALID_DEVICE"), 0);
    ck_assert_int_lt(cuda_device_ops.open(instance, 0, &device), TRM_OK);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "prohibited"));
}
END_TEST

/* Whatever call fails: the device opens, or there is an error and nothing is left. */
START_TEST(opening_bears_the_failure_of_every_call)
{
    uint64_t fallible = 0, number = 0;
    open_instance("");
    uint64_t before = control->fallible_calls();
    ck_assert_int_eq(cuda_device_ops.open(instance, 0, &device), TRM_OK);
    fallible = control->fallible_calls() - before;
    cuda_device_ops.close(device);
    device = NULL;
    ck_assert_uint_gt(fallible, 3);
    for (number = 1; number <= fallible; number++) {
        char rule[96];
        snprintf(rule, sizeof(rule), "any:%llu:once:CUDA_ERROR_OUT_OF_MEMORY", (unsigned long long)number);
        ck_assert_int_eq(control->arm(NULL), 0);
        ck_assert_int_eq(control->arm(rule), 0);
        fake.sentence[0] = '\0';
        int32_t status   = cuda_device_ops.open(instance, 0, &device);
        ck_assert_msg((status == TRM_OK) == (device != NULL), "%s", control->failed_function());
        ck_assert_msg(status == TRM_OK || fake.sentence[0] != '\0', "%s is not explained",
                      control->failed_function());
        ck_assert_int_eq(control->arm(NULL), 0);
        if (device != NULL)
            cuda_device_ops.close(device);
        device = NULL;
        ck_assert_ptr_null(current());
        nothing_is_left();
    }
}
END_TEST

START_TEST(opening_bears_that_there_is_no_host_memory)
{
    int32_t status    = TRM_OK;
    uint64_t refused  = 0;
    int64_t had_bytes = 0;
    open_instance("");
    had_bytes = fake.bytes;
    do {
        fake.calls     = 0;
        fake.refuse_at = ++refused;
        status         = cuda_device_ops.open(instance, 0, &device);
        ck_assert_int_eq(status == TRM_OK, device != NULL);
        ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert(status == TRM_OK || fake.bytes == had_bytes);
    } while (status != TRM_OK && refused < 100);
    ck_assert_int_eq(status, TRM_OK);
    fake.refuse_at = 0;
}
END_TEST

/* ---- the current context */

START_TEST(a_driver_that_takes_the_context_from_the_stream_is_left_to_do_so)
{
    CUcontext previous = NULL;
    open_device("needs_context=no");
    ck_assert(!device->needs_context);
    ck_assert_int_eq(cuda_enter_stream(device, &previous), TRM_OK);
    ck_assert_ptr_eq(previous, CUDA_NOT_ENTERED);
    ck_assert_ptr_null(current());
    cuda_leave(device, previous);
    ck_assert_ptr_null(current());
}
END_TEST

START_TEST(a_driver_that_wants_the_context_to_be_current_gets_it_so)
{
    CUcontext previous = NULL;
    open_device("needs_context=yes");
    ck_assert(device->needs_context);
    ck_assert_int_eq(cuda_enter_stream(device, &previous), TRM_OK);
    ck_assert_ptr_eq(current(), device->context);
    cuda_leave(device, previous);
    ck_assert_ptr_null(current());
}
END_TEST

START_TEST(a_thread_that_has_the_context_keeps_it)
{
    CUcontext previous = NULL;
    open_device("");
    make_current(device->context);
    uint64_t before = control->calls("cuCtxSetCurrent");
    ck_assert_int_eq(cuda_enter(device, &previous), TRM_OK);
    ck_assert_ptr_eq(current(), device->context);
    cuda_leave(device, previous);
    ck_assert_ptr_eq(current(), device->context);
    ck_assert_uint_eq(control->calls("cuCtxSetCurrent"), before);
    make_current(NULL);
}
END_TEST

START_TEST(entering_within_entering_puts_back_what_was)
{
    CUcontext outer = NULL, internal_stream = NULL;
    open_device("");
    ck_assert_int_eq(cuda_enter(device, &outer), TRM_OK);
    ck_assert_int_eq(cuda_enter(device, &internal_stream), TRM_OK);
    cuda_leave(device, internal_stream);
    ck_assert_ptr_eq(current(), device->context);
    cuda_leave(device, outer);
    ck_assert_ptr_null(current());
}
END_TEST

START_TEST(a_context_that_cannot_be_made_current_is_said)
{
    CUcontext previous = NULL;
    open_device("");
    ck_assert_int_eq(control->arm("cuCtxGetCurrent:1:once:CUDA_ERROR_DEINITIALIZED"), 0);
    ck_assert_int_eq(cuda_enter(device, &previous), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "cuCtxGetCurrent"));
    cuda_leave(device, previous); /* nothing to do */
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = tcase_create("device");
    tcase_add_checked_fixture(tests, fake_setup, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_device_is_opened_on_the_primary_context_and_leaves_the_threads_own_alone);
    tcase_add_test(tests, opening_and_closing_leave_another_context_current_where_it_was);
    tcase_add_test(tests, a_device_that_is_open_twice_is_one_context);
    tcase_add_test(tests, a_context_of_the_programs_own_is_not_given_back);
    tcase_add_test(tests, a_device_that_is_not_there_cannot_be_opened);
    tcase_add_test(tests, a_context_that_cannot_be_had_is_said_with_its_cause);
    tcase_add_test(tests, opening_bears_the_failure_of_every_call);
    tcase_add_test(tests, opening_bears_that_there_is_no_host_memory);
    tcase_add_test(tests, a_driver_that_takes_the_context_from_the_stream_is_left_to_do_so);
    tcase_add_test(tests, a_driver_that_wants_the_context_to_be_current_gets_it_so);
    tcase_add_test(tests, a_thread_that_has_the_context_keeps_it);
    tcase_add_test(tests, entering_within_entering_puts_back_what_was);
    tcase_add_test(tests, a_context_that_cannot_be_made_current_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
