/* What the cuda backend reports about devices.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/device/device.h"
#include "tests/unit/backends/cuda/fake.h"
#include "tests/unit/runner.h"

static struct trm_backend_instance *instance;
static const struct cuda_standin_control *control;
static char reason[CUDA_REASON_BYTES];

static void tear_down(void)
{
    if (instance != NULL)
        cuda_instance_destroy(instance);
    instance = NULL;
    fake_teardown();
}

static void open_instance(const char *shape)
{
    control = fake_shape(shape);
    ck_assert_msg(cuda_instance_create(&fake.host, &instance, reason) == TRM_OK, "%s", reason);
}

static uint64_t number(uint32_t key)
{
    uint64_t value = 0, needed = 0;
    int32_t status = cuda_device_ops.get_info(instance, 0, key, &value, sizeof(value), &needed);
    ck_assert_msg(status == TRM_OK, "%s", fake.sentence);
    ck_assert_uint_eq(needed, sizeof(value));
    return value;
}

static const char *text(uint32_t index, uint32_t key)
{
    static char value[512];
    uint64_t needed = 0;
    ck_assert_int_eq(cuda_device_ops.get_info(instance, index, key, value, sizeof(value), &needed), TRM_OK);
    ck_assert_uint_eq(needed, strlen(value) + 1);
    return value;
}

START_TEST(all_facts_that_are_required_are_told)
{
    static const uint32_t numbers[] = {TRM_DEVICE_KIND,
                                       TRM_DEVICE_MEMORY_TOTAL,
                                       TRM_DEVICE_UNIFIED,
                                       TRM_DEVICE_UNITS,
                                       TRM_DEVICE_MAX_GROUP_ITEMS,
                                       TRM_DEVICE_MAX_SHARED_BYTES,
                                       TRM_DEVICE_MAX_BUFFER_BYTES,
                                       TRM_DEVICE_MAX_ARGUMENTS,
                                       TRM_DEVICE_BUFFER_ALIGNMENT};
    uint64_t three[3], needed = 0;
    open_instance("memory=2G name=Stand-in");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        number(numbers[i]);
    ck_assert_uint_eq(number(TRM_DEVICE_MEMORY_TOTAL), UINT64_C(2) << 30);
    ck_assert_uint_eq(number(TRM_DEVICE_KIND), TRM_DEVICE_GPU);
    ck_assert_uint_eq(number(TRM_DEVICE_UNIFIED), 0);
    ck_assert_uint_eq(number(TRM_DEVICE_MAPPED), 1);
    ck_assert_uint_eq(number(TRM_DEVICE_SYNCHRONOUS), 0);
    ck_assert_uint_ge(number(TRM_DEVICE_MAX_ARGUMENTS), 16);
    ck_assert_int_eq(
        cuda_device_ops.get_info(instance, 0, TRM_DEVICE_MAX_GROUPS, three, sizeof(three), &needed), TRM_OK);
    ck_assert(three[0] != 0 && three[1] != 0 && three[2] != 0);
    ck_assert_int_eq(
        cuda_device_ops.get_info(instance, 0, TRM_DEVICE_MAX_GROUP_SIZE, three, sizeof(three), &needed),
        TRM_OK);
    ck_assert_uint_eq(needed, sizeof(three));
    ck_assert_ptr_nonnull(strstr(text(0, TRM_DEVICE_NAME), "Stand-in"));
}
END_TEST

START_TEST(the_driver_is_told_with_its_version_of_cuda)
{
    open_instance("driver=12060 capability=8.6");
    ck_assert_str_eq(text(0, TRM_DEVICE_DRIVER), "CUDA 12.6, compute capability 8.6");
    snprintf(instance->loader.release, sizeof(instance->loader.release), "580.95.05");
    ck_assert_str_eq(text(0, TRM_DEVICE_DRIVER), "CUDA 12.6 (driver 580.95.05), compute capability 8.6");
}
END_TEST

START_TEST(each_device_has_an_address_and_a_uuid_of_its_own)
{
    uint8_t uuid[2][16];
    char address[64];
    uint64_t needed = 0;
    open_instance("devices=2");
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq(
            cuda_device_ops.get_info(instance, i, TRM_DEVICE_UUID, uuid[i], sizeof(uuid[i]), &needed),
            TRM_OK);
    ck_assert_int_ne(memcmp(uuid[0], uuid[1], sizeof(uuid[0])), 0);
    snprintf(address, sizeof(address), "%s", text(0, TRM_DEVICE_PCI));
    ck_assert_str_ne(address, text(1, TRM_DEVICE_PCI));
    ck_assert_uint_eq(strspn(address, "0123456789abcdef:."), strlen(address));
}
END_TEST

START_TEST(a_driver_that_knows_no_uuid_tells_none)
{
    uint8_t uuid[16];
    uint64_t needed = 0;
    open_instance("missing=cuDeviceGetUuid");
    ck_assert_int_eq(cuda_device_ops.get_info(instance, 0, TRM_DEVICE_UUID, uuid, sizeof(uuid), &needed),
                     TRM_ERROR_NOT_FOUND);
    ck_assert_str_ne(fake.sentence, "");
}
END_TEST

/* Only a context can tell, and the backend creates none to find out. */
START_TEST(free_memory_is_known_where_a_context_is)
{
    uint64_t value = 0, needed = 0;
    CUcontext context;
    char first[64];
    open_instance("memory=1G");
    ck_assert_int_eq(
        cuda_device_ops.get_info(instance, 0, TRM_DEVICE_MEMORY_FREE, &value, sizeof(value), &needed),
        TRM_ERROR_NOT_FOUND);
    ck_assert_uint_eq(control->living(first, sizeof(first)), 0);
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRetain(&context, instance->physicals[0].handle),
                     CUDA_SUCCESS);
    ck_assert_uint_eq(number(TRM_DEVICE_MEMORY_FREE), UINT64_C(1) << 30);
    CUcontext current = context;
    ck_assert_int_eq(instance->cuda.cuCtxGetCurrent(&current), CUDA_SUCCESS);
    ck_assert_ptr_null(current); /* as it was */
    ck_assert_int_eq(instance->cuda.cuDevicePrimaryCtxRelease(instance->physicals[0].handle), CUDA_SUCCESS);
    ck_assert_uint_eq(control->living(first, sizeof(first)), 0);
}
END_TEST

START_TEST(what_lacks_its_functions_is_no_ability)
{
    open_instance("missing=cuMemFreeAsync,cuMemMap");
    ck_assert(!instance->physicals[0].pools);
    ck_assert(!instance->physicals[0].shares_memory);
}
END_TEST

START_TEST(what_has_its_functions_is_an_ability)
{
    open_instance("");
    ck_assert(instance->physicals[0].pools);
    ck_assert(instance->physicals[0].shares_memory);
    ck_assert(instance->physicals[0].managed);
}
END_TEST

START_TEST(an_answer_for_which_there_is_no_room_is_refused_and_its_size_told)
{
    char little[2];
    uint64_t needed = 0;
    open_instance("");
    ck_assert_int_eq(cuda_device_ops.get_info(instance, 0, TRM_DEVICE_NAME, NULL, 0, &needed), TRM_OK);
    ck_assert_uint_gt(needed, sizeof(little));
    ck_assert_int_eq(cuda_device_ops.get_info(instance, 0, TRM_DEVICE_NAME, little, sizeof(little), &needed),
                     TRM_ERROR_OUT_OF_RANGE);
}
END_TEST

START_TEST(devices_and_keys_that_there_are_none_of_are_not_found)
{
    uint64_t value = 0, needed = 0;
    uint32_t count = 0;
    open_instance("devices=3");
    ck_assert_int_eq(cuda_device_ops.count(instance, &count), TRM_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(cuda_device_ops.get_info(instance, 3, TRM_DEVICE_KIND, &value, sizeof(value), &needed),
                     TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(cuda_device_ops.get_info(instance, 0, 12345, &value, sizeof(value), &needed),
                     TRM_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(a_driver_without_devices_is_refused)
{
    fake_shape("devices=0");
    ck_assert_int_eq(cuda_instance_create(&fake.host, &instance, reason), TRM_ERROR_UNSUPPORTED);
    ck_assert_msg(strstr(reason, "no CUDA device") != NULL, "%s", reason);
    instance = NULL;
}
END_TEST

START_TEST(a_device_that_cannot_be_asked_is_said_with_the_call)
{
    fake_shape("fault=cuDeviceTotalMem:1:once:CUDA_ERROR_INVALID_DEVICE");
    ck_assert_int_eq(cuda_instance_create(&fake.host, &instance, reason), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(reason, "cuDeviceTotalMem answered CUDA_ERROR_INVALID_DEVICE"));
    instance = NULL;
}
END_TEST

/* Whichever attribute fails, the device is refused or works without it. */
START_TEST(an_attribute_that_cannot_be_asked_refuses_the_device_or_is_not_needed)
{
    static const char *const errors[] = {"CUDA_ERROR_INVALID_DEVICE", "CUDA_ERROR_INVALID_VALUE"};
    control                           = fake_shape("");
    uint64_t count = 0, refused[2] = {0, 0};
    ck_assert_int_eq(cuda_instance_create(&fake.host, &instance, reason), TRM_OK);
    cuda_instance_destroy(instance);
    instance = NULL;
    count    = control->calls("cuDeviceGetAttribute");
    ck_assert_uint_gt(count, 10);
    for (uint64_t i = 0; i < 2 * count; i++) {
        char rule[96];
        snprintf(rule, sizeof(rule), "cuDeviceGetAttribute:%llu:once:%s", (unsigned long long)(i / 2 + 1),
                 errors[i % 2]);
        ck_assert_int_eq(control->arm(NULL), 0);
        ck_assert_int_eq(control->arm(rule), 0);
        if (cuda_instance_create(&fake.host, &instance, reason) == TRM_OK) {
            ck_assert_uint_gt(number(TRM_DEVICE_MAX_GROUP_ITEMS), 0);
            ck_assert_uint_gt(number(TRM_DEVICE_MAX_SHARED_BYTES), 0);
            cuda_instance_destroy(instance);
        } else {
            ck_assert_ptr_nonnull(strstr(reason, "cuDeviceGetAttribute"));
            refused[i % 2]++;
        }
        instance = NULL;
    }
    ck_assert_uint_eq(refused[0], count);
    ck_assert_uint_gt(refused[1], 8);
    ck_assert_uint_lt(refused[1], count);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("physical");
    TCase *tests = tcase_create("physical");
    tcase_add_checked_fixture(tests, fake_setup, tear_down);
    tcase_add_test(tests, all_facts_that_are_required_are_told);
    tcase_add_test(tests, the_driver_is_told_with_its_version_of_cuda);
    tcase_add_test(tests, each_device_has_an_address_and_a_uuid_of_its_own);
    tcase_add_test(tests, a_driver_that_knows_no_uuid_tells_none);
    tcase_add_test(tests, free_memory_is_known_where_a_context_is);
    tcase_add_test(tests, what_lacks_its_functions_is_no_ability);
    tcase_add_test(tests, what_has_its_functions_is_an_ability);
    tcase_add_test(tests, an_answer_for_which_there_is_no_room_is_refused_and_its_size_told);
    tcase_add_test(tests, devices_and_keys_that_there_are_none_of_are_not_found);
    tcase_add_test(tests, a_driver_without_devices_is_refused);
    tcase_add_test(tests, a_device_that_cannot_be_asked_is_said_with_the_call);
    tcase_add_test(tests, an_attribute_that_cannot_be_asked_refuses_the_device_or_is_not_needed);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
