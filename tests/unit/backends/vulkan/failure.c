/* Tests of the vulkan backend's failures: the translation of VkResults, and the report of a lost device.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/fault.h"
#include "backends/vulkan/stream/stream_object.h"
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

static struct trm_backend_stream stream;
static struct vulkan_timeline timeline;
static struct vulkan_batch batches[2];
static struct trm_kernel_info info;
static struct trm_backend_kernel kernel;
static uint32_t fault_calls;

static void set_up(void)
{
    pthread_mutexattr_t recursive;
    fake_setup();
    memset(&stream, 0, sizeof(stream));
    memset(batches, 0, sizeof(batches));
    memset(&timeline, 0, sizeof(timeline));
    stream.timeline = &timeline;
    info            = (struct trm_kernel_info){.name = "blur"};
    kernel          = (struct trm_backend_kernel){.info = &info};
    fault_calls     = 0;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&stream.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    pthread_mutex_init(&fake.device.streams_lock, NULL);
    fake.device.streams    = &stream;
    fake.device.loss_hooks = &vulkan_stream_loss_hooks;
}

static void tear_down(void)
{
    pthread_mutex_destroy(&fake.device.streams_lock);
    pthread_mutex_destroy(&stream.lock);
    fake_teardown();
}

static VKAPI_ATTR VkResult VKAPI_CALL tell_fault(VkDevice device, VkDeviceFaultCountsEXT *counts,
                                                 VkDeviceFaultInfoEXT *told)
{
    (void)device;
    fault_calls++;
    ck_assert_uint_ge(counts->addressInfoCount, 1);
    ck_assert_uint_ge(counts->vendorInfoCount, 1);
    ck_assert_uint_eq(counts->vendorBinarySize, 0);
    counts->addressInfoCount               = 1;
    counts->vendorInfoCount                = 1;
    told->pAddressInfos[0].addressType     = VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT;
    told->pAddressInfos[0].reportedAddress = 0xdead0000;
    told->pVendorInfos[0].vendorFaultCode  = 31;
    snprintf(told->description, sizeof(told->description), "MMU fault");
    snprintf(told->pVendorInfos[0].description, sizeof(told->pVendorInfos[0].description), "engine 4");
    return VK_INCOMPLETE;
}

static void says(const char *words)
{
    ck_assert_msg(strstr(fake.sentence, words) != NULL, "\"%s\" is not in: %s", words, fake.sentence);
}

static void says_not(const char *words)
{
    ck_assert_msg(strstr(fake.sentence, words) == NULL, "\"%s\" is in: %s", words, fake.sentence);
}

/* ---- results */

START_TEST(every_failure_of_vulkan_is_a_failure_for_the_core)
{
    static const VkResult failures[] = {VK_ERROR_OUT_OF_HOST_MEMORY,
                                        VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                        VK_ERROR_INITIALIZATION_FAILED,
                                        VK_ERROR_DEVICE_LOST,
                                        VK_ERROR_MEMORY_MAP_FAILED,
                                        VK_ERROR_LAYER_NOT_PRESENT,
                                        VK_ERROR_EXTENSION_NOT_PRESENT,
                                        VK_ERROR_FEATURE_NOT_PRESENT,
                                        VK_ERROR_INCOMPATIBLE_DRIVER,
                                        VK_ERROR_TOO_MANY_OBJECTS,
                                        VK_ERROR_FORMAT_NOT_SUPPORTED,
                                        VK_ERROR_FRAGMENTED_POOL,
                                        VK_ERROR_UNKNOWN,
                                        VK_ERROR_OUT_OF_POOL_MEMORY,
                                        VK_ERROR_INVALID_EXTERNAL_HANDLE,
                                        VK_ERROR_FRAGMENTATION,
                                        VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
                                        VK_ERROR_INVALID_SHADER_NV,
                                        VK_ERROR_NOT_PERMITTED_KHR,
                                        (VkResult)-123456};
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        ck_assert_int_lt(vulkan_status(failures[i]), 0);
        ck_assert_str_ne(vulkan_result_name(failures[i]), "");
    }
}
END_TEST

START_TEST(results_keep_their_meaning)
{
    ck_assert_int_eq(vulkan_status(VK_SUCCESS), TRM_OK);
    ck_assert_int_eq(vulkan_status(VK_INCOMPLETE), TRM_OK);
    ck_assert_int_eq(vulkan_status(VK_TIMEOUT), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(vulkan_status((VkResult)123456), TRM_OK);
    ck_assert_int_eq(vulkan_status(VK_ERROR_OUT_OF_HOST_MEMORY), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(vulkan_status(VK_ERROR_OUT_OF_DEVICE_MEMORY), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(vulkan_status(VK_ERROR_TOO_MANY_OBJECTS), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(vulkan_status(VK_ERROR_DEVICE_LOST), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(vulkan_status(VK_ERROR_FEATURE_NOT_PRESENT), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(vulkan_status(VK_ERROR_UNKNOWN), TRM_ERROR_BACKEND);
    ck_assert_int_eq(vulkan_status((VkResult)-123456), TRM_ERROR_BACKEND);
    ck_assert_str_eq(vulkan_result_name(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
}
END_TEST

START_TEST(a_failure_names_the_call_the_device_and_the_result)
{
    ck_assert_int_eq(vulkan_device_fail(&fake.device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory"),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    says("vkAllocateMemory");
    says("Fake");
    says("VK_ERROR_OUT_OF_DEVICE_MEMORY");
    ck_assert(!vulkan_device_is_lost(&fake.device));
    ck_assert_int_eq(vulkan_device_check(&fake.device), TRM_OK);
}
END_TEST

/* ---- loss of the device -- */

START_TEST(a_lost_device_stays_lost_with_the_first_cause)
{
    ck_assert_int_eq(vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkWaitSemaphores"),
                     TRM_ERROR_DEVICE_LOST);
    says("The device Fake was lost");
    says("vkWaitSemaphores");
    says_not("running");
    ck_assert_int_eq(vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit"),
                     TRM_ERROR_DEVICE_LOST);
    says("vkWaitSemaphores");
    says_not("vkQueueSubmit");
    ck_assert_int_eq(vulkan_device_check(&fake.device), TRM_ERROR_DEVICE_LOST);
    says("vkWaitSemaphores");
}
END_TEST

START_TEST(the_report_of_a_loss_names_what_was_in_flight)
{
    batches[0]            = (struct vulkan_batch){.next = &batches[1], .first = 5, .value = 7};
    batches[1]            = (struct vulkan_batch){.first = 8, .value = 9, .last_kernel = &kernel};
    stream.in_flight      = &batches[0];
    stream.last_in_flight = &batches[1];
    pthread_mutex_lock(&stream.lock); /* like a thread that submits */
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    pthread_mutex_unlock(&stream.lock);
    says("in flight were the kernel \"blur\" (operations 5 to 9 of a stream)");
}
END_TEST

START_TEST(ended_work_is_not_reported)
{
    batches[0] = (struct vulkan_batch){.next = &batches[1], .first = 5, .value = 7, .last_kernel = &kernel};
    batches[1] = (struct vulkan_batch){.first = 8, .value = 9};
    stream.in_flight      = &batches[0];
    stream.last_in_flight = &batches[1];
    atomic_store(&timeline.completed, 7);
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    says("in flight were operations 8 to 9 of a stream");
    says_not("blur");
}
END_TEST

START_TEST(copies_are_reported_without_a_kernel)
{
    batches[0]       = (struct vulkan_batch){.first = 1, .value = 2};
    stream.in_flight = stream.last_in_flight = &batches[0];
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    says("operations 1 to 2 of a stream, without kernels");
}
END_TEST

static void *hold(void *user)
{
    pthread_mutex_lock(&stream.lock);
    pthread_barrier_wait(user);
    pthread_barrier_wait(user);
    pthread_mutex_unlock(&stream.lock);
    return NULL;
}

START_TEST(the_report_skips_streams_that_other_threads_have_locked)
{
    pthread_barrier_t barrier;
    pthread_t thread;
    batches[0]       = (struct vulkan_batch){.first = 1, .value = 2};
    stream.in_flight = stream.last_in_flight = &batches[0];
    pthread_barrier_init(&barrier, NULL, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, hold, &barrier), 0);
    pthread_barrier_wait(&barrier);
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    says("was lost");
    says_not("running");
}
END_TEST

START_TEST(the_drivers_fault_report_is_queried_once)
{
    fake.device.vk.get_device_fault_info = (PFN_vkVoidFunction)tell_fault;
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    ck_assert_uint_eq(fault_calls, 1);
    says("the driver reports: MMU fault");
    says("a write to 0xdead0000");
    says("engine 4 (code 31)");
}
END_TEST

START_TEST(a_long_report_is_truncated)
{
    char name[2000];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    info.name              = name;
    batches[0]             = (struct vulkan_batch){.first = 1, .value = 2, .last_kernel = &kernel};
    stream.in_flight = stream.last_in_flight = &batches[0];
    fake.device.vk.get_device_fault_info     = (PFN_vkVoidFunction)tell_fault;
    vulkan_device_fail(&fake.device, VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
    ck_assert_uint_eq(strlen(fake.device.lost_sentence), sizeof(fake.device.lost_sentence) - 1);
    ck_assert(vulkan_device_is_lost(&fake.device));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("failure");
    TCase *tests = tcase_create("failure");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_failure_of_vulkan_is_a_failure_for_the_core);
    tcase_add_test(tests, results_keep_their_meaning);
    tcase_add_test(tests, a_failure_names_the_call_the_device_and_the_result);
    tcase_add_test(tests, a_lost_device_stays_lost_with_the_first_cause);
    tcase_add_test(tests, the_report_of_a_loss_names_what_was_in_flight);
    tcase_add_test(tests, ended_work_is_not_reported);
    tcase_add_test(tests, copies_are_reported_without_a_kernel);
    tcase_add_test(tests, the_report_skips_streams_that_other_threads_have_locked);
    tcase_add_test(tests, the_drivers_fault_report_is_queried_once);
    tcase_add_test(tests, a_long_report_is_truncated);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
