/* Tests of the vulkan backend's loader: opening it, filling the tables, and the reasons for a failure.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/vulkan/driver/instance.h"
#include "backends/vulkan/driver/instance_cache.h"
#include "backends/vulkan/driver/loader.h"
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

static struct vulkan_loader loader;
static char reason[VULKAN_REASON_BYTES];
static const char *setting;  /* vulkan.loader; NULL: the host does not know it */
static int32_t trusted;      /* the host's answer for paths */
static const char *absent;   /* a function that the driver lacks */
static const char *extended; /* a function that it has only as an extension */

static int32_t get_setting(void *context, const char *name, char *value, uint64_t capacity, uint64_t *needed)
{
    (void)context;
    if (setting == NULL || strcmp(name, "vulkan.loader") != 0)
        return TRM_ERROR_NOT_FOUND;
    *needed = strlen(setting) + 1;
    snprintf(value, capacity, "%s", setting);
    return TRM_OK;
}

static int32_t trust_file(void *context, const char *path)
{
    (void)context;
    ck_assert_str_eq(path, setting);
    return trusted == TRM_OK ? TRM_OK : fake_fail(NULL, trusted, 0, "not to be trusted");
}

static VKAPI_ATTR void VKAPI_CALL some_function(void)
{
}

static PFN_vkVoidFunction find(const char *name)
{
    size_t length = extended != NULL ? strlen(extended) : 0;
    if (absent != NULL && strncmp(name, absent, strlen(absent)) == 0)
        return NULL;
    if (extended != NULL && strncmp(name, extended, length) == 0)
        return strcmp(name + length, "KHR") == 0 ? some_function : NULL;
    return some_function;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_of_instance(VkInstance instance, const char *name)
{
    (void)instance;
    return find(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_of_device(VkDevice device, const char *name)
{
    (void)device;
    return find(name);
}

static void set_up(void)
{
    fake_setup();
    fake.host.get_setting = get_setting;
    fake.host.trust_file  = trust_file;
    memset(&loader, 0, sizeof(loader));
    reason[0] = '\0';
    setting   = NULL;
    trusted   = TRM_OK;
    absent = extended = NULL;
}

static void is_refused(int32_t status, const char *words)
{
    ck_assert_int_eq(vulkan_loader_open(&fake.host, &loader, reason, sizeof(reason)), status);
    ck_assert_msg(strstr(reason, words) != NULL, "\"%s\" is not in: %s", words, reason);
    ck_assert_ptr_null(loader.library);
    ck_assert_ptr_null(loader.get_proc);
}

START_TEST(a_missing_library_is_named)
{
    setting = "libvulkan-that-does-not-exist.so.1";
    is_refused(TRM_ERROR_UNSUPPORTED, "libvulkan-that-does-not-exist.so.1 cannot be opened: ");
    ck_assert_ptr_null(strstr(strstr(reason, "opened"), "does-not-exist")); /* the name appears once */
}
END_TEST

START_TEST(a_library_that_is_not_a_loader_is_reported)
{
    setting = "libm.so.6";
    is_refused(TRM_ERROR_UNSUPPORTED, "libm.so.6 is not a Vulkan loader: it has no vkGetInstanceProcAddr");
}
END_TEST

START_TEST(a_path_that_others_may_write_is_refused_in_the_hosts_words)
{
    setting = "/some/where/libvulkan.so";
    trusted = TRM_ERROR_PERMISSION;
    is_refused(TRM_ERROR_PERMISSION, "");
    ck_assert_str_eq(reason, "");
    ck_assert_str_eq(fake.sentence, "not to be trusted");
    trusted = TRM_OK;
    is_refused(TRM_ERROR_UNSUPPORTED, "/some/where/libvulkan.so cannot be opened");
}
END_TEST

START_TEST(without_a_loader_there_is_no_instance)
{
    struct trm_backend_instance *instance = NULL;
    setting                               = "libvulkan-that-does-not-exist.so.1";
    ck_assert_int_eq(vulkan_instance_create(&fake.host, &instance, reason), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(instance);
    ck_assert_ptr_nonnull(strstr(reason, "libvulkan-that-does-not-exist.so.1"));
    fake.refuse_at = fake.calls + 1;
    ck_assert_int_eq(vulkan_instance_create(&fake.host, &instance, reason), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_str_ne(reason, "");
}
END_TEST

START_TEST(the_first_missing_function_is_named)
{
    struct vulkan_instance_functions instance = {.vkGetDeviceProcAddr = find_of_device};
    struct vulkan_device_functions device;
    absent = "vkCreateDevice";
    ck_assert_str_eq(vulkan_load_instance(find_of_instance, NULL, &instance), "vkCreateDevice");
    instance.vkGetDeviceProcAddr = find_of_device;
    absent                       = "vkQueueSubmit";
    ck_assert_str_eq(vulkan_load_device(&instance, NULL, &device), "vkQueueSubmit");
    ck_assert_ptr_nonnull((void *)device.vkDestroyDevice);
}
END_TEST

START_TEST(optional_functions_may_be_missing)
{
    struct vulkan_instance_functions instance = {.vkGetDeviceProcAddr = find_of_device};
    struct vulkan_device_functions device;
    absent = "vkCmdPushDescriptorSet";
    ck_assert_ptr_null(vulkan_load_device(&instance, NULL, &device));
    ck_assert_ptr_null((void *)device.vkCmdPushDescriptorSetKHR);
    ck_assert_ptr_nonnull((void *)device.get_device_fault_info);
    absent = "vkCreateDebugUtilsMessenger";
    ck_assert_ptr_null(vulkan_load_instance(find_of_instance, NULL, &instance));
    ck_assert_ptr_null((void *)instance.vkCreateDebugUtilsMessengerEXT);
}
END_TEST

START_TEST(promoted_functions_are_found_by_their_extension_name)
{
    struct vulkan_instance_functions instance = {.vkGetDeviceProcAddr = find_of_device};
    struct vulkan_device_functions device;
    extended = "vkGetSemaphoreCounterValue";
    ck_assert_ptr_null(vulkan_load_device(&instance, NULL, &device));
    ck_assert_ptr_nonnull((void *)device.vkGetSemaphoreCounterValue);
}
END_TEST

/* ---- the instance cache ---- */

static uint32_t destroyed;

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance,
                                                   const VkAllocationCallbacks *callbacks)
{
    (void)callbacks;
    ck_assert_ptr_eq(instance, (VkInstance)(uintptr_t)7);
    destroyed++;
}

static struct vulkan_cached_instance an_instance(void)
{
    struct vulkan_cached_instance cached = {.loader  = {.library = dlopen("libm.so.6", RTLD_NOW)},
                                            .handle  = (VkInstance)(uintptr_t)7,
                                            .version = VK_API_VERSION_1_2,
                                            .destroy = destroy_instance};
    ck_assert_ptr_nonnull(cached.loader.library);
    return cached;
}

START_TEST(a_cached_instance_is_taken_once_by_a_user_of_the_same_loader)
{
    struct vulkan_cached_instance cached = an_instance(), taken;
    struct vulkan_loader another         = {.library = &another};
    ck_assert(!vulkan_instance_cache_take(&cached.loader, &taken));
    ck_assert(vulkan_instance_cache_put(&cached));
    ck_assert(!vulkan_instance_cache_put(&cached));
    ck_assert(!vulkan_instance_cache_take(&another, &taken));
    ck_assert(vulkan_instance_cache_take(&cached.loader, &taken));
    ck_assert_ptr_eq(taken.handle, cached.handle);
    ck_assert_uint_eq(taken.version, VK_API_VERSION_1_2);
    ck_assert(!vulkan_instance_cache_take(&cached.loader, &taken));
    vulkan_loader_close(&taken.loader);
    ck_assert_uint_eq(destroyed, 0);
}
END_TEST

START_TEST(a_dropped_instance_is_destroyed)
{
    struct vulkan_cached_instance cached = an_instance();
    ck_assert(vulkan_instance_cache_put(&cached));
    vulkan_instance_cache_drop();
    ck_assert_uint_eq(destroyed, 1);
    vulkan_instance_cache_drop();
    ck_assert_uint_eq(destroyed, 1);
}
END_TEST

START_TEST(a_forked_child_does_not_use_its_parents_instance)
{
    struct vulkan_cached_instance cached = an_instance(), taken;
    uint32_t before                      = destroyed;
    int status                           = 0;
    ck_assert(vulkan_instance_cache_put(&cached));
    pid_t child = fork();
    if (child == 0) {
        vulkan_instance_cache_drop();
        _exit(destroyed == before && !vulkan_instance_cache_take(&cached.loader, &taken) &&
                      vulkan_instance_cache_put(&cached)
                  ? 0
                  : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(vulkan_instance_cache_take(&cached.loader, &taken));
    vulkan_loader_close(&taken.loader);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("loader");
    TCase *tests = tcase_create("loader");
    tcase_add_checked_fixture(tests, set_up, fake_teardown);
    tcase_add_test(tests, a_missing_library_is_named);
    tcase_add_test(tests, a_library_that_is_not_a_loader_is_reported);
    tcase_add_test(tests, a_path_that_others_may_write_is_refused_in_the_hosts_words);
    tcase_add_test(tests, without_a_loader_there_is_no_instance);
    tcase_add_test(tests, the_first_missing_function_is_named);
    tcase_add_test(tests, optional_functions_may_be_missing);
    tcase_add_test(tests, promoted_functions_are_found_by_their_extension_name);
    tcase_add_test(tests, a_cached_instance_is_taken_once_by_a_user_of_the_same_loader);
    tcase_add_test(tests, a_dropped_instance_is_destroyed);
    tcase_add_test(tests, a_forked_child_does_not_use_its_parents_instance);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
