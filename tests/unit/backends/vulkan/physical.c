/* Tests of which physical devices the vulkan backend uses, and what it reports about them. Devices and
 * drivers are fake.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/device/device.h"
#include "backends/vulkan/driver/instance.h"
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define LOCAL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT

/* What the fake driver reports for a device. */
struct card {
    const char *name;
    uint32_t version;
    VkPhysicalDeviceType type;
    const char *extensions[8];
    bool timelines;
    VkDriverId driver;
    VkQueueFlags flags[4]; /* of families with two queues each */
    uint64_t heaps[2];     /* bytes: device memory, host memory */
    VkMemoryPropertyFlags types[4];
    uint32_t type_heaps[4];
    uint64_t budget, usage;
};

static struct card cards[4];
static uint32_t card_count;
static char reason[VULKAN_REASON_BYTES];
static VkResult enumeration;

static const struct card *card_of(VkPhysicalDevice device)
{
    return &cards[(uintptr_t)device - 1];
}

static bool offers(const struct card *card, const char *name)
{
    for (uint32_t i = 0; card->extensions[i] != NULL; i++) {
        if (strcmp(card->extensions[i], name) == 0)
            return true;
    }
    return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL list_devices(VkInstance instance, uint32_t *count,
                                                   VkPhysicalDevice *list)
{
    (void)instance;
    *count = card_count;
    for (uint32_t i = 0; list != NULL && i < card_count; i++)
        list[i] = (VkPhysicalDevice)(uintptr_t)(i + 1);
    return enumeration;
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device,
                                                 VkPhysicalDeviceProperties *properties)
{
    const struct card *card = card_of(device);
    memset(properties, 0, sizeof(*properties));
    snprintf(properties->deviceName, sizeof(properties->deviceName), "%s", card->name);
    properties->apiVersion                                 = card->version;
    properties->driverVersion                              = VK_MAKE_API_VERSION(0, 3, 2, 1);
    properties->deviceType                                 = card->type;
    properties->limits.maxComputeSharedMemorySize          = 49152;
    properties->limits.maxComputeWorkGroupInvocations      = 1024;
    properties->limits.minStorageBufferOffsetAlignment     = 1;
    properties->limits.maxPerStageDescriptorStorageBuffers = 1000;
    properties->limits.timestampPeriod                     = 40.0f;
    for (uint32_t i = 0; i < 3; i++)
        properties->limits.maxComputeWorkGroupCount[i] = 65535 - i;
}

static VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice device,
                                                   VkPhysicalDeviceProperties2 *answer)
{
    const struct card *card = card_of(device);
    for (VkBaseOutStructure *next = answer->pNext; next != NULL; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            memset(((VkPhysicalDeviceIDProperties *)next)->deviceUUID, (int)(uintptr_t)device, VK_UUID_SIZE);
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES)
            ((VkPhysicalDeviceDriverProperties *)next)->driverID = card->driver;
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            ((VkPhysicalDeviceSubgroupProperties *)next)->subgroupSize = 32;
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
            ((VkPhysicalDeviceMaintenance3Properties *)next)->maxMemoryAllocationSize = 4 * GIB;
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV) {
            ck_assert(offers(card, "VK_NV_shader_sm_builtins"));
            ((VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *)next)->shaderSMCount = 132;
        }
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT) {
            VkPhysicalDevicePCIBusInfoPropertiesEXT *pci = (VkPhysicalDevicePCIBusInfoPropertiesEXT *)next;
            ck_assert(offers(card, "VK_EXT_pci_bus_info"));
            pci->pciDomain = 0, pci->pciBus = 0x65, pci->pciDevice = 1, pci->pciFunction = 2;
        }
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR)
            ((VkPhysicalDevicePushDescriptorPropertiesKHR *)next)->maxPushDescriptors = 32;
    }
}

static VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *answer)
{
    const struct card *card = card_of(device);
    for (VkBaseOutStructure *next = answer->pNext; next != NULL; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) {
            ck_assert(card->version >= VK_API_VERSION_1_2 || offers(card, "VK_KHR_timeline_semaphore"));
            ((VkPhysicalDeviceTimelineSemaphoreFeatures *)next)->timelineSemaphore = card->timelines;
        }
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT)
            ck_assert(offers(card, "VK_EXT_robustness2"));
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL list_extensions(VkPhysicalDevice device, const char *layer,
                                                      uint32_t *count, VkExtensionProperties *list)
{
    const struct card *card = card_of(device);
    ck_assert_ptr_null(layer);
    for (*count = 0; card->extensions[*count] != NULL; (*count)++) {
        if (list != NULL)
            snprintf(list[*count].extensionName, sizeof(list->extensionName), "%s", card->extensions[*count]);
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL list_families(VkPhysicalDevice device, uint32_t *count,
                                                VkQueueFamilyProperties *list)
{
    const struct card *card = card_of(device);
    for (*count = 0; *count < 4 && card->flags[*count] != 0; (*count)++) {
        if (list != NULL)
            list[*count] = (VkQueueFamilyProperties){.queueFlags = card->flags[*count], .queueCount = 2};
    }
}

static VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice device,
                                             VkPhysicalDeviceMemoryProperties *memory)
{
    const struct card *card = card_of(device);
    memset(memory, 0, sizeof(*memory));
    memory->memoryHeapCount      = 2;
    memory->memoryHeaps[0].size  = card->heaps[0];
    memory->memoryHeaps[0].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    memory->memoryHeaps[1].size  = card->heaps[1];
    for (uint32_t i = 0; i < 4 && card->types[i] != 0; i++)
        memory->memoryTypes[memory->memoryTypeCount++] =
            (VkMemoryType){.propertyFlags = card->types[i], .heapIndex = card->type_heaps[i]};
}

static VKAPI_ATTR void VKAPI_CALL get_memory_2(VkPhysicalDevice device,
                                               VkPhysicalDeviceMemoryProperties2 *memory)
{
    const struct card *card                           = card_of(device);
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = memory->pNext;
    budget->heapBudget[0]                             = card->budget;
    budget->heapUsage[0]                              = card->usage;
}

static struct card *add_card(const char *name)
{
    struct card *card = &cards[card_count++];
    *card             = (struct card){.name       = name,
                                      .version    = VK_API_VERSION_1_2,
                                      .type       = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                      .timelines  = true,
                                      .flags      = {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT},
                                      .heaps      = {8 * GIB, 16 * GIB},
                                      .types      = {LOCAL, COHERENT, COHERENT | CACHED},
                                      .type_heaps = {0, 1, 1}};
    return card;
}

static void set_up(void)
{
    fake_setup();
    memset(cards, 0, sizeof(cards));
    card_count                                   = 0;
    enumeration                                  = VK_SUCCESS;
    fake.instance.version                        = VK_API_VERSION_1_3;
    struct vulkan_instance_functions *vk         = &fake.instance.vk;
    vk->vkEnumeratePhysicalDevices               = list_devices;
    vk->vkGetPhysicalDeviceProperties            = get_properties;
    vk->vkGetPhysicalDeviceProperties2           = get_properties_2;
    vk->vkGetPhysicalDeviceFeatures2             = get_features;
    vk->vkEnumerateDeviceExtensionProperties     = list_extensions;
    vk->vkGetPhysicalDeviceQueueFamilyProperties = list_families;
    vk->vkGetPhysicalDeviceMemoryProperties      = get_memory;
    vk->vkGetPhysicalDeviceMemoryProperties2     = get_memory_2;
}

static void tear_down(void)
{
    vulkan_physicals_release(&fake.instance);
    fake_teardown();
}

static void find(void)
{
    int32_t status = vulkan_physicals_find(&fake.instance, reason);
    ck_assert_msg(status == TRM_OK, "%d: %s", status, reason);
}

static void finds_none(int32_t status, const char *words)
{
    ck_assert_int_eq(vulkan_physicals_find(&fake.instance, reason), status);
    ck_assert_msg(strstr(reason, words) != NULL, "\"%s\" is not in: %s", words, reason);
    ck_assert_uint_eq(fake.instance.physical_count, 0);
}

static const char *name_of(uint32_t index)
{
    ck_assert_uint_lt(index, fake.instance.physical_count);
    return fake.instance.physicals[index].properties.deviceName;
}

static uint64_t number_of(uint32_t index, uint32_t key)
{
    uint64_t number = 0, needed = 0;
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, index, key, &number, sizeof(number), &needed),
                     TRM_OK);
    ck_assert_uint_eq(needed, sizeof(number));
    return number;
}

static void has_no(uint32_t index, uint32_t key)
{
    char value[64];
    uint64_t needed = 0;
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, index, key, value, sizeof(value), &needed),
                     TRM_ERROR_NOT_FOUND);
}

static void text_is(uint32_t index, uint32_t key, const char *expected)
{
    char text[256];
    uint64_t needed = 0;
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, index, key, text, sizeof(text), &needed), TRM_OK);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(needed, strlen(text) + 1);
}

static bool is_enabled(const char *name)
{
    const struct vulkan_physical *physical = &fake.instance.physicals[0];
    for (uint32_t i = 0; i < physical->extension_count; i++) {
        if (strcmp(physical->extensions[i], name) == 0)
            return true;
    }
    return false;
}

/* ---- usable devices -- */

START_TEST(software_devices_come_last)
{
    add_card("one")->type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    add_card("two");
    add_card("three")->type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    add_card("four")->type  = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    find();
    ck_assert_uint_eq(fake.instance.physical_count, 4);
    ck_assert_str_eq(name_of(0), "two");
    ck_assert_str_eq(name_of(1), "four");
    ck_assert_str_eq(name_of(2), "one");
    ck_assert_str_eq(name_of(3), "three");
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_KIND), TRM_DEVICE_GPU);
    ck_assert_uint_eq(number_of(1, TRM_DEVICE_KIND), TRM_DEVICE_IGPU);
    ck_assert_uint_eq(number_of(2, TRM_DEVICE_KIND), TRM_DEVICE_SOFTWARE);
}
END_TEST

START_TEST(devices_that_lack_something_are_left_out_with_the_reason)
{
    add_card("old")->version           = VK_API_VERSION_1_0;
    add_card("without")->timelines     = false;
    add_card("drawing only")->flags[0] = VK_QUEUE_TRANSFER_BIT;
    finds_none(TRM_ERROR_UNSUPPORTED,
               "no Vulkan device is usable: old: it supports only Vulkan 1.0, and 1.1 is needed; "
               "without: it has no timeline semaphores; drawing only: it has no compute queue");
    add_card("fit");
    find();
    ck_assert_uint_eq(fake.instance.physical_count, 1);
    ck_assert_str_eq(name_of(0), "fit");
}
END_TEST

START_TEST(vulkan_1_1_is_enough_with_timelines_by_extension)
{
    struct card *card = add_card("one");
    card->version     = VK_API_VERSION_1_1;
    finds_none(TRM_ERROR_UNSUPPORTED, "timeline");
    card->extensions[0] = "VK_KHR_timeline_semaphore";
    find();
    ck_assert_uint_eq(fake.instance.physicals[0].version, VK_API_VERSION_1_1);
    ck_assert(is_enabled("VK_KHR_timeline_semaphore"));
}
END_TEST

START_TEST(an_older_instance_makes_a_newer_device_older)
{
    struct card *card     = add_card("one");
    card->version         = VK_API_VERSION_1_3;
    card->extensions[0]   = "VK_KHR_timeline_semaphore";
    fake.instance.version = VK_API_VERSION_1_1;
    find();
    ck_assert_uint_eq(fake.instance.physicals[0].version, VK_API_VERSION_1_1);
    ck_assert(is_enabled("VK_KHR_timeline_semaphore"));
    vulkan_physicals_release(&fake.instance);
    fake.instance.version = VK_API_VERSION_1_3;
    find();
    ck_assert_uint_eq(fake.instance.physicals[0].version, VK_API_VERSION_1_3);
    ck_assert(!is_enabled("VK_KHR_timeline_semaphore"));
}
END_TEST

START_TEST(extensions_are_enabled_where_they_are)
{
    struct card *card   = add_card("one");
    card->extensions[0] = "VK_KHR_push_descriptor";
    card->extensions[1] = "VK_EXT_unknown";
    find();
    ck_assert(fake.instance.physicals[0].has.push_descriptor);
    ck_assert(!fake.instance.physicals[0].has.memory_budget);
    ck_assert_uint_eq(fake.instance.physicals[0].max_push_descriptors, 32);
    ck_assert(is_enabled("VK_KHR_push_descriptor"));
    ck_assert(!is_enabled("VK_EXT_unknown"));
}
END_TEST

START_TEST(no_device_at_all_is_reported)
{
    finds_none(TRM_ERROR_UNSUPPORTED, "the Vulkan loader found no device");
    add_card("one");
    enumeration = VK_ERROR_INITIALIZATION_FAILED;
    finds_none(TRM_ERROR_BACKEND, "VK_ERROR_INITIALIZATION_FAILED");
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    uint32_t failures              = 0;
    add_card("one")->extensions[0] = "VK_KHR_push_descriptor";
    add_card("two")->extensions[0] = "VK_KHR_push_descriptor";
    for (uint64_t at = 1;; at++) {
        fake.refuse_at = fake.calls + at;
        int32_t status = vulkan_physicals_find(&fake.instance, reason);
        if (status == TRM_OK)
            break;
        failures++;
        ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_str_ne(reason, "");
        ck_assert_int_eq(fake.bytes, 0);
    }
    ck_assert_uint_ge(failures, 4);
    ck_assert_uint_eq(fake.instance.physical_count, 2);
}
END_TEST

/* ---- reported facts ----- */

START_TEST(memory_is_one_where_the_device_and_the_host_read_it_alike)
{
    struct card *card   = add_card("discrete");
    card                = add_card("integrated");
    card->types[0]      = LOCAL | COHERENT;
    card->types[1]      = LOCAL | COHERENT | CACHED;
    card->type_heaps[1] = 0;
    card                = add_card("wide bar");
    card->types[0]      = LOCAL | COHERENT;
    find();
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_UNIFIED), 0);
    ck_assert_uint_eq(number_of(1, TRM_DEVICE_UNIFIED), 1);
    ck_assert_uint_eq(number_of(2, TRM_DEVICE_UNIFIED), 0);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MEMORY_TOTAL), 8 * GIB);
}
END_TEST

START_TEST(free_memory_is_reported_if_the_driver_knows_it)
{
    struct card *card = add_card("one");
    card->budget      = 900 * MIB;
    card->usage       = 300 * MIB;
    find();
    has_no(0, TRM_DEVICE_MEMORY_FREE);
    vulkan_physicals_release(&fake.instance);
    card->extensions[0] = "VK_EXT_memory_budget";
    find();
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MEMORY_FREE), 600 * MIB);
    card->usage = 1000 * MIB;
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MEMORY_FREE), 0);
}
END_TEST

START_TEST(limits_are_those_of_the_driver)
{
    uint64_t groups[3], needed = 0;
    add_card("one");
    find();
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MAX_SHARED_BYTES), 49152);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MAX_GROUP_ITEMS), 1024);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_BUFFER_ALIGNMENT), 4);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MAX_ARGUMENTS), VULKAN_MAX_ARGUMENTS);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_MAX_BUFFER_BYTES), 4 * GIB);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_SUBGROUP_SIZE), 32);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_SYNCHRONOUS), 0);
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, 0, TRM_DEVICE_MAX_GROUPS, groups, 24, &needed),
                     TRM_OK);
    ck_assert_uint_eq(needed, 24);
    ck_assert_uint_eq(groups[0], 65535);
    ck_assert_uint_eq(groups[2], 65533);
    has_no(0, TRM_DEVICE_CLOCK_HZ);
    has_no(0, 12345);
    has_no(1, TRM_DEVICE_NAME);
}
END_TEST

START_TEST(facts_from_extensions_are_reported)
{
    struct card *card   = add_card("one");
    card->extensions[0] = "VK_NV_shader_sm_builtins";
    card->extensions[1] = "VK_EXT_pci_bus_info";
    card->extensions[2] = "VK_EXT_calibrated_timestamps";
    add_card("two");
    find();
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_UNITS), 132);
    ck_assert_uint_eq(number_of(1, TRM_DEVICE_UNITS), 1);
    text_is(0, TRM_DEVICE_PCI, "0000:65:01.2");
    has_no(1, TRM_DEVICE_PCI);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_TIMESTAMP_HZ), 25000000);
    has_no(1, TRM_DEVICE_TIMESTAMP_HZ);
    text_is(1, TRM_DEVICE_DRIVER, "version 3.2.1, Vulkan 1.2.0");
}
END_TEST

START_TEST(kernels_copy_if_requested_or_known_to_be_faster)
{
    add_card("nvidia")->driver = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    add_card("other")->driver  = VK_DRIVER_ID_MESA_RADV;
    cards[0].flags[1] = cards[1].flags[1] = VK_QUEUE_TRANSFER_BIT;
    find();
    ck_assert(fake.instance.physicals[0].copies_by_kernel);
    ck_assert(fake.instance.physicals[0].copies_small_by_engine);
    ck_assert(fake.instance.physicals[0].has_separate_first_queue);
    ck_assert(!fake.instance.physicals[1].copies_by_kernel);
    ck_assert(!fake.instance.physicals[1].copies_small_by_engine);
    ck_assert(!fake.instance.physicals[1].has_separate_first_queue);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_COPY_ENGINES), 1);
    vulkan_physicals_release(&fake.instance);
    fake.instance.copies = VULKAN_COPIES_ENGINE;
    find();
    ck_assert(!fake.instance.physicals[0].copies_by_kernel);
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_COPY_ENGINES), 2);
    vulkan_physicals_release(&fake.instance);
    fake.instance.copies = VULKAN_COPIES_KERNEL;
    find();
    ck_assert(fake.instance.physicals[1].copies_by_kernel);
    ck_assert(!fake.instance.physicals[0].copies_small_by_engine);
    ck_assert_uint_eq(number_of(1, TRM_DEVICE_MAPPED), 1);
}
END_TEST

START_TEST(a_value_that_does_not_fit_is_not_written)
{
    uint8_t uuid[16] = {0}, expected[16];
    uint64_t needed  = 0;
    add_card("one");
    find();
    memset(expected, 1, sizeof(expected));
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, 0, TRM_DEVICE_UUID, NULL, 0, &needed), TRM_OK);
    ck_assert_uint_eq(needed, 16);
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, 0, TRM_DEVICE_UUID, uuid, 15, &needed),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(uuid[0], 0);
    ck_assert_int_eq(vulkan_device_get_info(&fake.instance, 0, TRM_DEVICE_UUID, uuid, 16, NULL), TRM_OK);
    ck_assert_mem_eq(uuid, expected, 16);
}
END_TEST

START_TEST(copies_overlap_with_kernels_if_there_are_queues_for_both)
{
    add_card("one")->flags[1] = VK_QUEUE_TRANSFER_BIT;
    add_card("two");
    find();
    ck_assert_uint_eq(number_of(0, TRM_DEVICE_COPY_ENGINES), 2);
    ck_assert_uint_eq(number_of(1, TRM_DEVICE_COPY_ENGINES), 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("physical");
    TCase *taken = tcase_create("taken");
    tcase_add_checked_fixture(taken, set_up, tear_down);
    tcase_add_test(taken, software_devices_come_last);
    tcase_add_test(taken, devices_that_lack_something_are_left_out_with_the_reason);
    tcase_add_test(taken, vulkan_1_1_is_enough_with_timelines_by_extension);
    tcase_add_test(taken, an_older_instance_makes_a_newer_device_older);
    tcase_add_test(taken, extensions_are_enabled_where_they_are);
    tcase_add_test(taken, no_device_at_all_is_reported);
    tcase_add_test(taken, every_allocation_may_fail);
    suite_add_tcase(suite, taken);
    TCase *told = tcase_create("told");
    tcase_add_checked_fixture(told, set_up, tear_down);
    tcase_add_test(told, memory_is_one_where_the_device_and_the_host_read_it_alike);
    tcase_add_test(told, free_memory_is_reported_if_the_driver_knows_it);
    tcase_add_test(told, limits_are_those_of_the_driver);
    tcase_add_test(told, facts_from_extensions_are_reported);
    tcase_add_test(told, kernels_copy_if_requested_or_known_to_be_faster);
    tcase_add_test(told, a_value_that_does_not_fit_is_not_written);
    tcase_add_test(told, copies_overlap_with_kernels_if_there_are_queues_for_both);
    suite_add_tcase(suite, told);
    return suite;
}

UNIT_SUITE(make_suite)
