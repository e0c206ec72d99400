/* Tests of operations that break some drivers: loading many times, and forks.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/driver_fork.h"
#include "tests/vulkan/fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOADS "6"
#define CONTEXTS 10 /* more often than the driver can be loaded */
#define FEW 2

static int32_t live(void)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    if (status == TRM_OK)
        status = trm_device_sync(device);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status;
}

/* ---- loading ---- */

START_TEST(many_contexts_load_the_driver_only_a_few_times)
{
    static const char *const shape[] = {"VULKAN_SHIM_LOADS", LOADS, NULL};
    shim_shape(shape);
    for (int i = 0; i < CONTEXTS; i++) {
        ck_ok(live());
        check_nothing_left("a context");
    }
}
END_TEST

START_TEST(contexts_that_cannot_be_opened_load_it_only_a_few_times)
{
    static const char *const shape[] = {"VULKAN_SHIM_LOADS", LOADS, NULL};
    shim_shape(shape);
    for (int i = 0; i < CONTEXTS; i++) {
        ck_assert_int_eq(shim->arm("vkEnumeratePhysicalDevices:1:on:VK_ERROR_OUT_OF_HOST_MEMORY"), 0);
        ck_assert_int_lt(live(), 0);
        ck_sentence_has("VK_ERROR_OUT_OF_HOST_MEMORY");
        check_nothing_left("a context that could not be opened");
    }
    shim->arm(NULL);
    ck_ok(live());
}
END_TEST

START_TEST(after_a_few_contexts_nothing_stays_cached)
{
    char words[64];
    shape_as_plain();
    for (int i = 0; i < FEW; i++) {
        ck_ok(live());
        ck_assert_uint_eq(shim->living(words, sizeof(words)), 0);
    }
}
END_TEST

START_TEST(a_driver_that_cannot_be_loaded_is_reported)
{
    static const char *const shape[] = {"VULKAN_SHIM_FAIL",
                                        "vkCreateInstance:1:on:VK_ERROR_INCOMPATIBLE_DRIVER", NULL};
    shim_shape(shape);
    ck_assert_int_lt(live(), 0);
    ck_sentence_has("there is no Vulkan driver (VK_ERROR_INCOMPATIBLE_DRIVER)");
}
END_TEST

START_TEST(a_driver_without_host_memory_is_reported)
{
    static const char *const shape[] = {"VULKAN_SHIM_FAIL",
                                        "vkCreateInstance:1:on:VK_ERROR_OUT_OF_HOST_MEMORY", NULL};
    shim_shape(shape);
    ck_assert_int_eq(live(), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_sentence_has("VK_ERROR_OUT_OF_HOST_MEMORY");
}
END_TEST

/* ---- forks ---- */

static bool check_live(bool (*check)(int32_t status))
{
    int32_t status = live();
    if (check(status))
        return true;
    fprintf(stderr, "in the child: %s: %s\n", trm_status_name(status), trm_last_error().sentence);
    return false;
}

/* In a forked child of a process that has used the driver: `check` judges the status, twice, since the second
 * time the outcome is remembered. */
static void check_child(bool (*check)(int32_t status))
{
    int status  = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(check_live(check) && check_live(check) ? 0 : 1);
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "signal %d ended the child", WTERMSIG(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* `check` is for drivers that work in forked children, `otherwise` for drivers that do not; NULL skips the
 * test then. `forked`: what the shim does in children. */
static void in_a_child(const char *forked, bool (*check)(int32_t status), bool (*otherwise)(int32_t status))
{
    const char *const shape[] = {"VULKAN_SHIM_FORKED", forked, NULL};
    shim_shape(shape);
    struct trm_context *context = context_open();
    struct trm_device *device   = device_open(context, NULL);
    struct driver driver        = driver_of(device);
    /* Sanitizers forbid the threads that a device starts there; what the shim does instead needs none. */
    const char *why = sanitized() ? NULL : driver_refuses_child(&driver);
    if (why)
        check = otherwise;
    if (check)
        check_child(check);
    else
        skip(why);
    ck_ok(trm_device_sync(device));
    trm_device_destroy(device);
    trm_context_destroy(context);
}

static bool works(int32_t status)
{
    return status == TRM_OK;
}

static bool has(const char *words)
{
    return strstr(trm_last_error().sentence,
                  "this process was forked from one that had used Vulkan, and here the driver") &&
           strstr(trm_last_error().sentence, words);
}

static bool is_refused(int32_t status)
{
    return status < 0 && has("refuses: VK_ERROR_INITIALIZATION_FAILED");
}

static bool has_died(int32_t status)
{
    return status < 0 && has("ends the process");
}

static bool hangs(int32_t status)
{
    return status < 0 && has("hangs");
}

static bool is_hidden(int32_t status)
{
    return status < 0 && has("lists no device");
}

/* True the first time; afterwards no device can be opened any more. */
static bool works_once(int32_t status)
{
    static bool armed;
    if (armed)
        return status < 0 && has("may not work");
    armed = true;
    return status == TRM_OK && shim->arm("vkCreateDevice:1:on:VK_ERROR_INITIALIZATION_FAILED") == 0;
}

static bool is_explained(int32_t status)
{
    return status < 0 && has("");
}

START_TEST(a_driver_is_used_after_a_fork_exactly_where_it_works_there)
{
    in_a_child("", works, is_explained);
}
END_TEST

START_TEST(a_driver_that_refuses_after_a_fork_is_a_status)
{
    in_a_child("refuse", is_refused, NULL);
}
END_TEST

START_TEST(a_driver_that_aborts_after_a_fork_is_a_status)
{
    in_a_child("abort", has_died, NULL);
}
END_TEST

START_TEST(a_driver_that_hangs_after_a_fork_is_a_status)
{
    in_a_child("hang", hangs, NULL);
}
END_TEST

START_TEST(a_driver_that_lists_no_device_after_a_fork_is_a_status)
{
    in_a_child("hide", is_hidden, NULL);
}
END_TEST

START_TEST(a_driver_that_refuses_later_is_explained_as_well)
{
    in_a_child("", works_once, NULL);
}
END_TEST

int main(void)
{
    Suite *suite  = suite_create("vulkan: drivers");
    TCase *loaded = group_make(suite, "loaded"), *forked = group_make(suite, "forked");
    tcase_add_test(loaded, many_contexts_load_the_driver_only_a_few_times);
    tcase_add_test(loaded, contexts_that_cannot_be_opened_load_it_only_a_few_times);
    tcase_add_test(loaded, after_a_few_contexts_nothing_stays_cached);
    tcase_add_test(loaded, a_driver_that_cannot_be_loaded_is_reported);
    tcase_add_test(loaded, a_driver_without_host_memory_is_reported);
    if (!sanitized())
        tcase_add_test(forked, a_driver_is_used_after_a_fork_exactly_where_it_works_there);
    tcase_add_test(forked, a_driver_that_refuses_after_a_fork_is_a_status);
    tcase_add_test(forked, a_driver_that_aborts_after_a_fork_is_a_status);
    tcase_add_test(forked, a_driver_that_hangs_after_a_fork_is_a_status);
    tcase_add_test(forked, a_driver_that_lists_no_device_after_a_fork_is_a_status);
    if (!sanitized())
        tcase_add_test(forked, a_driver_that_refuses_later_is_explained_as_well);
    return run_suite(suite);
}
