/* Calls of Vulkan that fail for want of memory, each in its turn.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/scenario.h"
#include "tests/vulkan/fixture.h"

#include <stdio.h>
#include <string.h>

/* More than this and the scenario is not what it is meant to be. */
#define MOST_CALLS 5000u

static const char *expected(int32_t status, const char *step)
{
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY || status == TRM_ERROR_OUT_OF_DEVICE_MEMORY)
        return NULL;
    /* Whether there is a backend at all is found out by what may fail. */
    if (strcmp(step, "make_context") == 0 || strcmp(step, "open_device") == 0)
        return NULL;
    return "the status is not that of memory that ran out";
}

static void check_end(const struct scenario_end *end, const char *rule)
{
    if (end->status == TRM_OK)
        return;
    const char *wrong = expected(end->status, end->step);
    ck_assert_msg(!wrong, "%s (%s): %s gave %s: %s: %s", rule, shim->failed_function(), end->step,
                  trm_status_name(end->status), end->sentence, wrong);
    ck_assert_msg(end->error.status == end->status && end->sentence[0],
                  "%s (%s): %s gave %s and did not say why", rule, shim->failed_function(), end->step,
                  trm_status_name(end->status));
}

/* Whether a call failed. */
static bool run_with(const char *rule)
{
    struct scenario_end end;
    ck_assert_int_eq(shim->arm(rule), 0);
    scenario_run(&end, NULL);
    uint64_t failures = shim->failures();
    check_end(&end, rule);
    check_nothing_left(rule);
    shim->arm(NULL);
    ck_assert_msg(failures > 0 || end.status == TRM_OK, "%s gave %s though nothing failed: %s", end.step,
                  trm_status_name(end.status), end.sentence);
    return failures > 0;
}

static void check_usable(void)
{
    scenario_succeed("with nothing that fails", NULL);
    check_nothing_left("a scenario in which nothing failed");
}

/* The n-th call fails, for n = first, first + stride …, until none did. */
static void fail_each(const char *function, const char *how, const char *result, unsigned stride)
{
    char rule[128];
    unsigned n = 1, runs = 0;
    do {
        ck_assert_uint_lt(n, MOST_CALLS);
        snprintf(rule, sizeof(rule), "%s:%u:%s:%s", function, n, how, result);
        n += stride;
        runs++;
    } while (run_with(rule));
    ck_assert_msg(runs > 1, "%s is never called", function);
    check_usable();
}

/* ---- the tests ---- */

START_TEST(the_scenario_comes_through_when_nothing_fails)
{
    uint64_t calls = shim->fallible_calls();
    check_usable();
    ck_assert_uint_gt(shim->fallible_calls(), calls + 100);
    ck_assert_uint_eq(shim->strangers(NULL, 0), 0);
}
END_TEST

START_TEST(every_call_may_fail_once_for_want_of_host_memory)
{
    fail_each("any", "once", "VK_ERROR_OUT_OF_HOST_MEMORY", 1);
}
END_TEST

START_TEST(every_call_may_fail_for_good_for_want_of_host_memory)
{
    fail_each("any", "on", "VK_ERROR_OUT_OF_HOST_MEMORY", 7);
}
END_TEST

static const char *const wanting_device_memory[] = {
    "vkAllocateMemory",   "vkQueueSubmit",
    "vkCreateBuffer",     "vkCreateSemaphore",
    "vkMapMemory",        "vkBeginCommandBuffer",
    "vkEndCommandBuffer", "vkAllocateCommandBuffers",
    "vkCreateDevice",     "vkCreateComputePipelines",
};

START_TEST(calls_may_fail_once_for_want_of_device_memory)
{
    fail_each(wanting_device_memory[_i], "once", "VK_ERROR_OUT_OF_DEVICE_MEMORY", 3);
}
END_TEST

START_TEST(calls_may_fail_for_good_for_want_of_device_memory)
{
    fail_each(wanting_device_memory[_i], "on", "VK_ERROR_OUT_OF_DEVICE_MEMORY", 5);
}
END_TEST

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    int functions = sizeof(wanting_device_memory) / sizeof(wanting_device_memory[0]);
    TCase *group  = tcase_create(name);
    tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_test(group, the_scenario_comes_through_when_nothing_fails);
    tcase_add_test(group, every_call_may_fail_once_for_want_of_host_memory);
    tcase_add_test(group, every_call_may_fail_for_good_for_want_of_host_memory);
    tcase_add_loop_test(group, calls_may_fail_once_for_want_of_device_memory, 0, functions);
    tcase_add_loop_test(group, calls_may_fail_for_good_for_want_of_device_memory, 0, functions);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: out of memory");
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    add_cases(suite, "minimal", shape_as_minimal);
    return run_suite(suite);
}
