/* Shared by the tests of the vulkan backend on devices.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#define SHAPE_VARIABLES_MOST 16

/* Some drivers take most of a second to open a device. */
#define TEST_SECONDS 300

const struct vulkan_shim_control *shim;

static const char *const plain[]    = {"VULKAN_SHIM_FAMILIES", "graphics:1:64", NULL};
static const char *const discrete[] = {"VULKAN_SHIM_FAMILIES",
                                       "graphics:4:64,transfer:2:0,compute:4:64",
                                       "VULKAN_SHIM_MEMORY",
                                       "discrete",
                                       "VULKAN_SHIM_DELAY",
                                       "100",
                                       NULL};
static const char *const apart[]    = {"VULKAN_SHIM_FAMILIES", "graphics:1:64", "VULKAN_SHIM_MEMORY", "apart",
                                       NULL};
static const char *const minimal[]  = {
     "VULKAN_SHIM_FAMILIES",
     "graphics:1:64",
     "VULKAN_SHIM_API",
     "1.1",
     "VULKAN_SHIM_HIDE",
     "VK_KHR_push_descriptor,VK_EXT_calibrated_timestamps,VK_EXT_memory_budget,VK_EXT_external_memory_host,"
      "VK_KHR_external_memory_fd,VK_KHR_external_semaphore_fd,VK_EXT_robustness2,VK_EXT_host_query_reset",
     NULL};

static pthread_mutex_t complaint_mutex = PTHREAD_MUTEX_INITIALIZER;
static char complaint[1024];

/* ---- the shim ---- */

/* VULKAN_SHIM names a shim other than the build tree's. */
const char *shim_path(void)
{
    const char *path = getenv("VULKAN_SHIM");
    return path ? path : VULKAN_SHIM_PATH;
}

void shim_shape(const char *const *variables)
{
    static const char *set[SHAPE_VARIABLES_MOST];
    static size_t set_count;
    while (set_count > 0)
        unsetenv(set[--set_count]);
    for (; *variables; variables += 2) {
        setenv(variables[0], variables[1], 1);
        set[set_count++] = variables[0];
    }
}

void shape_as_plain(void)
{
    shim_shape(plain);
}

void shape_as_discrete(void)
{
    shim_shape(discrete);
}

void shape_as_apart(void)
{
    shim_shape(apart);
}

void shape_as_minimal(void)
{
    shim_shape(minimal);
}

/* ---- contexts ---- */

static void keep_complaint(void *user, int32_t level, const char *message)
{
    (void)user;
    if (level > TRM_LOG_WARNING || strncmp(message, "vulkan validation:", 18) != 0)
        return;
    pthread_mutex_lock(&complaint_mutex);
    if (!complaint[0])
        snprintf(complaint, sizeof(complaint), "%s", message);
    pthread_mutex_unlock(&complaint_mutex);
}

/* VULKAN_TEST_BACKEND names a plugin other than the build tree's; VULKAN_TEST_VALIDATION=yes turns the layer
 * on. */
static const char *given(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context)
{
    struct trm_setting settings[16] = {
        {"backend", given("VULKAN_TEST_BACKEND", "vulkan")},
        {"vulkan.loader", shim_path()},
        {"vulkan.validation", given("VULKAN_TEST_VALIDATION", "no")},
        {"vulkan.spin", "0"}, /* waits poll once, and only as often as they must */
    };
    struct trm_context_desc desc = {
        .struct_size   = sizeof(desc),
        .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
        .log           = keep_complaint,
        .allocator     = &counting_allocator,
        .settings      = settings,
        .setting_count = 4 + count,
    };
    for (uint32_t i = 0; i < count; i++)
        settings[4 + i] = more[i];
    return trm_context_create(&desc, context);
}

void driver_let_go(void)
{
    shim->arm(NULL);
}

void check_nothing_left(const char *after)
{
    char words[256];
    check_memory_left(after);
    uint64_t living = shim->living(words, sizeof(words));
    /* After many instances one stays cached: see drivers.c. */
    bool kept = living == 1 && strcmp(words, "VkInstance") == 0;
    ck_assert_msg(living == 0 || kept, "after %s %u objects live, the first a %s", after, (unsigned)living,
                  words);
    uint64_t breaches = shim->breaches(words, sizeof(words));
    ck_assert_msg(breaches == 0, "%s: %s", after, words);
    ck_assert_msg(!complaint[0], "%s: %s", after, complaint);
}

/* ---- running ---- */

#define RUNS_NS UINT64_C(3000000000)

uint64_t choose_stride(uint64_t count, uint64_t run_ns, uint64_t least)
{
    return is_asked_for("TEST_THOROUGH") ? least : stride_within(RUNS_NS, count, run_ns, least);
}

void driver_stays_loaded(void)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    void *library                   = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    PFN_vkCreateInstance create_one = NULL;
    if (library != NULL)
        *(void **)&create_one = dlsym(library, "vkCreateInstance");
    if (create_one != NULL)
        (void)create_one(&info, NULL, &instance);
}

TCase *group_make(Suite *suite, const char *name)
{
    TCase *group      = tcase_create(name);
    const char *given = getenv("CK_DEFAULT_TIMEOUT");
    if (!given || !given[0])
        tcase_set_timeout(group, TEST_SECONDS);
    suite_add_tcase(suite, group);
    return group;
}

void skip(const char *reason)
{
    printf("SKIP %s: %s\n", tcase_name(), reason);
    fflush(stdout);
}

int run_suite(Suite *suite)
{
    shim = vulkan_shim_control_of(shim_path());
    if (!shim)
        fprintf(stderr, "%s\n", dlerror());
    return shim ? run_on_device(suite, 77) : EXIT_FAILURE;
}
