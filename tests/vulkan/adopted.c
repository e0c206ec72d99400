/* Tests on the program's own VkDevice, adopted by the library, where any call may fail.
 * SPDX-License-Identifier: MIT
 */
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include <stdio.h>
#include <trireme/interop.h>

#include "tests/vulkan/fixture.h"

#define BYTES 50000u
#define MOST_CALLS 3000u

static struct {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    uint32_t family; /* a compute family */
    VkDevice device;
} own;

#define FUNCTION(name) PFN_##name name = (PFN_##name)own.get_proc(own.instance, #name)

static void open_instance(void)
{
    VkApplicationInfo application = {.sType      = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo instance = {.sType            = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application};
    void *library                 = dlopen(shim_path(), RTLD_NOW);
    memset(&own, 0, sizeof(own));
    own.get_proc = (PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(library, "vkGetInstanceProcAddr");
    FUNCTION(vkCreateInstance);
    ck_assert_int_eq(vkCreateInstance(&instance, NULL, &own.instance), VK_SUCCESS);
    dlclose(library); /* the fixture keeps it loaded */
}

/* What the device is created with. */
static bool has_timelines(VkPhysicalDevice physical)
{
    static VkExtensionProperties extensions[1024];
    uint32_t count = 1024;
    FUNCTION(vkEnumerateDeviceExtensionProperties);
    if (vkEnumerateDeviceExtensionProperties(physical, NULL, &count, extensions) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(extensions[i].extensionName, "VK_KHR_timeline_semaphore") == 0)
            return true;
    return false;
}

static bool find_family(VkPhysicalDevice physical, uint32_t *family)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    FUNCTION(vkGetPhysicalDeviceQueueFamilyProperties);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (*family = 0; *family < count; ++*family)
        if (families[*family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return true;
    return false;
}

/* Finds the first suitable device. */
static void find_device(void)
{
    VkPhysicalDevice all[16];
    uint32_t count = 16;
    FUNCTION(vkEnumeratePhysicalDevices);
    ck_assert_int_ge(vkEnumeratePhysicalDevices(own.instance, &count, all), VK_SUCCESS);
    for (uint32_t i = 0; i < count && !own.physical_device; i++)
        if (has_timelines(all[i]) && find_family(all[i], &own.family))
            own.physical_device = all[i];
    ck_assert_msg(own.physical_device, "the library found a device, and here there is none like it");
}

static void open_own(void)
{
    static const float priority                        = 1.0f;
    static const char *const extensions[]              = {"VK_KHR_timeline_semaphore"};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType             = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE,
    };
    open_instance();
    find_device();
    VkDeviceQueueCreateInfo queue = {.sType            = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = own.family,
                                     .queueCount       = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo device     = {.sType                   = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext                   = &timeline,
                                     .queueCreateInfoCount    = 1,
                                     .pQueueCreateInfos       = &queue,
                                     .enabledExtensionCount   = 1,
                                     .ppEnabledExtensionNames = extensions};
    FUNCTION(vkCreateDevice);
    ck_assert_int_eq(vkCreateDevice(own.physical_device, &device, NULL, &own.device), VK_SUCCESS);
}

static void close_own(void)
{
    FUNCTION(vkDestroyDevice);
    FUNCTION(vkDestroyInstance);
    vkDestroyDevice(own.device, NULL);
    vkDestroyInstance(own.instance, NULL);
}

/* ---- using the device -------- */

static int32_t adopt(struct trm_context *context, struct trm_device **device)
{
    static const char *const extensions[] = {"VK_KHR_timeline_semaphore"};
    struct trm_vulkan_queues queues       = {.family = own.family, .count = 1};
    struct trm_vulkan_device given        = {
               .struct_size            = sizeof(given),
               .queue_count            = 1,
               .get_instance_proc_addr = (void *)(uintptr_t)own.get_proc,
               .instance               = own.instance,
               .physical_device        = own.physical_device,
               .device                 = own.device,
               .queues                 = &queues,
               .extensions             = extensions,
               .extension_count        = 1,
    };
    return trm_device_adopt(context, "vulkan", TRM_NATIVE_DEVICE_VULKAN, &given, device);
}

static int32_t work(struct trm_device *device, uint32_t *found)
{
    struct trm_stream *stream = NULL;
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_buffer_create(device, TRM_MEMORY_DEVICE, BYTES, &buffer);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(buffer), 77, 4);
    if (status == TRM_OK)
        status = trm_download(stream, found, trm_span_whole(buffer));
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    return status;
}

/* Whether a call failed. */
static bool run_with(struct trm_context *context, const char *rule)
{
    static uint32_t found[BYTES / 4];
    struct trm_device *device = NULL;
    char first[160]           = "";
    uint64_t living           = shim->living(NULL, 0);
    memset(found, 0, sizeof(found));
    ck_assert_int_eq(shim->arm(rule), 0);
    int32_t status = adopt(context, &device);
    if (status == TRM_OK)
        status = work(device, found);
    struct trm_error error = trm_last_error();
    trm_device_destroy(device);
    uint64_t failures = shim->failures();
    ck_assert_msg(status == TRM_OK || (failures > 0 && (status == TRM_ERROR_OUT_OF_HOST_MEMORY ||
                                                        status == TRM_ERROR_OUT_OF_DEVICE_MEMORY)),
                  "%s (%s) gave %s: %s", rule, shim->failed_function(), trm_status_name(status),
                  error.sentence);
    ck_assert_msg(status == TRM_OK || (error.status == status && error.sentence[0]), "%s was not explained",
                  rule);
    ck_assert_msg(status != TRM_OK || found[BYTES / 4 - 1] == 77, "%s: the data are wrong", rule);
    ck_assert_msg(shim->living(first, sizeof(first)) == living, "%s (%s) leaves %s", rule,
                  shim->failed_function(), first);
    ck_assert_msg(shim->breaches(first, sizeof(first)) == 0, "%s (%s): %s", rule, shim->failed_function(),
                  first);
    shim->arm(NULL);
    return failures > 0;
}

START_TEST(any_call_on_a_device_of_the_programs_own_may_fail_and_the_device_stays)
{
    struct trm_context *context = context_open();
    unsigned calls              = 1;
    uint32_t devices            = 0;
    char rule[80]               = "";
    ck_ok(trm_device_count(context, &devices)); /* opens the backend */
    open_own();
    ck_assert(!run_with(context, "any:1000000:once:VK_ERROR_OUT_OF_HOST_MEMORY"));
    do {
        ck_assert_uint_lt(calls, MOST_CALLS);
        snprintf(rule, sizeof(rule), "any:%u:once:VK_ERROR_OUT_OF_%s_MEMORY", calls++,
                 _i ? "DEVICE" : "HOST");
    } while (run_with(context, rule));
    ck_assert_uint_gt(calls, 10);
    ck_assert(!run_with(context, "any:1000000:once:VK_ERROR_OUT_OF_HOST_MEMORY"));
    trm_context_destroy(context);
    close_own();
    check_nothing_left("adopting devices");
}
END_TEST

START_TEST(a_device_of_the_programs_own_without_timelines_is_refused_by_what_it_lacks)
{
    struct trm_context *context       = context_open();
    VkPhysicalDeviceFeatures2 nothing = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    struct trm_device *device         = NULL;
    open_own();
    struct trm_vulkan_queues queues = {.family = own.family, .count = 1};
    struct trm_vulkan_device given  = {.struct_size            = sizeof(given),
                                       .queue_count            = 1,
                                       .get_instance_proc_addr = (void *)(uintptr_t)own.get_proc,
                                       .instance               = own.instance,
                                       .physical_device        = own.physical_device,
                                       .device                 = own.device,
                                       .queues                 = &queues,
                                       .features               = &nothing};
    ck_fails(trm_device_adopt(context, "vulkan", TRM_NATIVE_DEVICE_VULKAN, &given, &device),
             TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("timeline");
    trm_context_destroy(context);
    close_own();
    check_nothing_left("a device that was refused");
}
END_TEST

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = group_make(suite, name);
    tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_loop_test(group, any_call_on_a_device_of_the_programs_own_may_fail_and_the_device_stays, 0, 2);
    tcase_add_test(group, a_device_of_the_programs_own_without_timelines_is_refused_by_what_it_lacks);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: adopted devices");
    add_cases(suite, "as it is", NULL);
    add_cases(suite, "discrete", shape_as_discrete);
    add_cases(suite, "minimal", shape_as_minimal);
    return run_suite(suite);
}
