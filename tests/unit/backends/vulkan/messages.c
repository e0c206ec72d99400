/* Tests of what happens to messages of the validation layer.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/validation.h"
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

static PFN_vkDebugUtilsMessengerCallbackEXT receive;
static void *receiver;
static int32_t level;
static uint32_t lines, destroyed;
static VkResult answer;
static const char *setting;
static const char *layer;

static void note_line(void *context, int32_t how, const char *message)
{
    (void)context;
    level = how;
    lines++;
    snprintf(fake.log, sizeof(fake.log), "%s", message);
}

static int32_t get_setting(void *context, const char *name, char *value, uint64_t capacity, uint64_t *needed)
{
    (void)context;
    ck_assert_str_eq(name, "vulkan.validation");
    if (setting == NULL)
        return TRM_ERROR_NOT_FOUND;
    *needed = strlen(setting) + 1;
    snprintf(value, capacity, "%s", setting);
    return TRM_OK;
}

static VKAPI_ATTR VkResult VKAPI_CALL create(VkInstance instance,
                                             const VkDebugUtilsMessengerCreateInfoEXT *info,
                                             const VkAllocationCallbacks *callbacks,
                                             VkDebugUtilsMessengerEXT *messenger)
{
    (void)instance, (void)callbacks;
    receive  = info->pfnUserCallback;
    receiver = info->pUserData;
    if (answer == VK_SUCCESS)
        *messenger = (VkDebugUtilsMessengerEXT)(uintptr_t)1;
    return answer;
}

static VKAPI_ATTR void VKAPI_CALL destroy(VkInstance instance, VkDebugUtilsMessengerEXT messenger,
                                          const VkAllocationCallbacks *callbacks)
{
    (void)instance, (void)messenger, (void)callbacks;
    destroyed++;
}

static VKAPI_ATTR VkResult VKAPI_CALL list_layers(uint32_t *count, VkLayerProperties *list)
{
    if (list != NULL && layer != NULL)
        snprintf(list[0].layerName, sizeof(list[0].layerName), "%s", layer);
    *count = layer != NULL ? 1 : 0;
    return answer;
}

static void set_up(void)
{
    fake_setup();
    fake.host.log         = note_line;
    fake.host.get_setting = get_setting;
    answer                = VK_SUCCESS;
    setting = layer = NULL;
    lines = destroyed                                          = 0;
    fake.instance.vk.vkCreateDebugUtilsMessengerEXT            = create;
    fake.instance.vk.vkDestroyDebugUtilsMessengerEXT           = destroy;
    fake.instance.loader.vk.vkEnumerateInstanceLayerProperties = list_layers;
}

static void say(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const char *id, const char *text)
{
    VkDebugUtilsMessengerCallbackDataEXT data = {.pMessageIdName = id, .pMessage = text};
    ck_assert_uint_eq(receive(severity, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data, receiver),
                      VK_FALSE);
}

START_TEST(a_message_is_one_line_of_the_log)
{
    ck_assert_int_eq(vulkan_messenger_create(&fake.instance), TRM_OK);
    say(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, "SYNC-HAZARD-WRITE-AFTER-WRITE", "two\nlines");
    ck_assert_str_eq(fake.log, "vulkan validation: two lines");
    ck_assert_int_eq(level, TRM_LOG_ERROR);
    say(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, NULL, "beware");
    ck_assert_str_eq(fake.log, "vulkan validation: beware");
    ck_assert_int_eq(level, TRM_LOG_WARNING);
    ck_assert_uint_eq(lines, 2);
    vulkan_messenger_destroy(&fake.instance);
    ck_assert_uint_eq(destroyed, 1);
    vulkan_messenger_destroy(&fake.instance);
    ck_assert_uint_eq(destroyed, 1);
}
END_TEST

START_TEST(expected_messages_are_left_out)
{
    static const char id[] = "UNASSIGNED-BestPractices-vkCreateInstance-specialuse-extension-debugging";
    ck_assert(vulkan_message_is_known(id, "any"));
    ck_assert(!vulkan_message_is_known("UNASSIGNED-BestPractices-vkCreateInstance-specialuse", "any"));
    ck_assert(!vulkan_message_is_known("", ""));
    ck_assert_int_eq(vulkan_messenger_create(&fake.instance), TRM_OK);
    say(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, id, "any");
    ck_assert_uint_eq(lines, 0);
    vulkan_messenger_destroy(&fake.instance);
}
END_TEST

START_TEST(a_messenger_that_cannot_be_made_is_a_failure)
{
    answer = VK_ERROR_OUT_OF_HOST_MEMORY;
    ck_assert_int_eq(vulkan_messenger_create(&fake.instance), TRM_ERROR_OUT_OF_HOST_MEMORY);
    vulkan_messenger_destroy(&fake.instance);
    ck_assert_uint_eq(destroyed, 0);
}
END_TEST

START_TEST(validation_is_on_if_requested_and_installed)
{
    layer = VULKAN_VALIDATION_LAYER;
    ck_assert(!vulkan_validation_is_wanted(&fake.host, &fake.instance.loader));
    setting = "no";
    ck_assert(!vulkan_validation_is_wanted(&fake.host, &fake.instance.loader));
    setting = "Yes";
    ck_assert(vulkan_validation_is_wanted(&fake.host, &fake.instance.loader));
    ck_assert_uint_eq(lines, 0);
}
END_TEST

START_TEST(a_missing_layer_is_a_warning)
{
    setting = "on";
    ck_assert(!vulkan_validation_is_wanted(&fake.host, &fake.instance.loader));
    ck_assert_uint_eq(lines, 1);
    ck_assert_int_eq(level, TRM_LOG_WARNING);
    ck_assert_ptr_nonnull(strstr(fake.log, VULKAN_VALIDATION_LAYER));
    layer = "VK_LAYER_foreign";
    ck_assert(!vulkan_validation_is_wanted(&fake.host, &fake.instance.loader));
    ck_assert_uint_eq(lines, 2);
    layer          = VULKAN_VALIDATION_LAYER;
    fake.refuse_at = fake.calls + 1; /* no memory for the query */
    ck_assert(!vulkan_validation_is_wanted(&fake.host, &fake.instance.loader));
    ck_assert_uint_eq(lines, 3);
}
END_TEST

START_TEST(the_layer_is_asked_for_hazards_and_best_practices)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    struct vulkan_validation validation;
    const char *extensions[2];
    vulkan_validation_add(&fake.host, &validation, &info, extensions);
    ck_assert_uint_eq(info.enabledLayerCount, 1);
    ck_assert_str_eq(info.ppEnabledLayerNames[0], VULKAN_VALIDATION_LAYER);
    ck_assert_uint_eq(info.enabledExtensionCount, 2);
    ck_assert_ptr_eq(info.pNext, &validation.features);
    ck_assert_uint_eq(validation.features.enabledValidationFeatureCount, 2);
    ck_assert_ptr_eq(validation.features.pNext, &validation.messenger);
    ck_assert_ptr_null(validation.messenger.pNext);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("messages");
    TCase *tests = tcase_create("messages");
    tcase_add_checked_fixture(tests, set_up, fake_teardown);
    tcase_add_test(tests, a_message_is_one_line_of_the_log);
    tcase_add_test(tests, expected_messages_are_left_out);
    tcase_add_test(tests, a_messenger_that_cannot_be_made_is_a_failure);
    tcase_add_test(tests, validation_is_on_if_requested_and_installed);
    tcase_add_test(tests, a_missing_layer_is_a_warning);
    tcase_add_test(tests, the_layer_is_asked_for_hazards_and_best_practices);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
