/* Tests of Vulkan calls that fail for lack of memory, each in its turn.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/scenario.h"
#include "tests/vulkan/fixture.h"

#include <stdio.h>
#include <string.h>

static const char *expected(int32_t status, const char *step)
{
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY || status == TRM_ERROR_OUT_OF_DEVICE_MEMORY)
        return NULL;
    /* Calls that find out whether there is a backend may fail. */
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
static bool run_with(const char *function, uint64_t number, const char *how, const char *result)
{
    struct scenario_end end;
    char rule[128];
    snprintf(rule, sizeof(rule), "%s:%u:%s:%s", function, (unsigned)number, how, result);
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

/* ---- one call after the other ---- */

static const char *const any[]                   = {"any"};
static const char *const wanting_device_memory[] = {
    "vkAllocateMemory",   "vkQueueSubmit",
    "vkCreateBuffer",     "vkCreateSemaphore",
    "vkMapMemory",        "vkBeginCommandBuffer",
    "vkEndCommandBuffer", "vkAllocateCommandBuffers",
    "vkCreateDevice",     "vkCreateComputePipelines",
};

enum {
    FUNCTIONS_MOST = sizeof(wanting_device_memory) / sizeof(wanting_device_memory[0])
};

/* Functions whose calls fail, every `step`-th, and how many calls there are when nothing fails. */
struct failing {
    const char *const *functions;
    unsigned count;
    uint64_t step;
    uint64_t cases[FUNCTIONS_MOST], all;
    uint64_t run_ns;
};

static uint64_t calls_of(const char *function)
{
    return function == any[0] ? shim->fallible_calls() : shim->calls(function);
}

static void count_cases(struct failing *failing)
{
    uint64_t before[FUNCTIONS_MOST], begin = rounds_now_ns();
    for (unsigned i = 0; i < failing->count; i++)
        before[i] = calls_of(failing->functions[i]);
    check_usable();
    failing->run_ns = rounds_now_ns() - begin;
    for (unsigned i = 0; i < failing->count; i++) {
        uint64_t calls = calls_of(failing->functions[i]) - before[i];
        ck_assert_msg(calls != 0, "%s is never called", failing->functions[i]);
        failing->cases[i] = (calls + failing->step - 1) / failing->step;
        failing->all += failing->cases[i];
    }
}

/* One run for each case, or for some of them, evenly spread, if there are too many. */
static void fail_each(struct failing failing, const char *how, const char *result)
{
    driver_stays_loaded();
    check_usable(); /* the first takes longer */
    count_cases(&failing);
    uint64_t stride = choose_stride(failing.all, failing.run_ns, 1), next = stride / 2, number = 0;
    for (unsigned i = 0; i < failing.count; i++) {
        for (uint64_t k = 0; k < failing.cases[i]; k++, number++) {
            if (number != next)
                continue;
            bool failed = run_with(failing.functions[i], 1 + k * failing.step, how, result);
            ck_assert_msg(failed || k != 0, "%s: nothing failed", failing.functions[i]);
            next += stride;
        }
    }
    check_usable();
}

/* ---- the tests ---- */

START_TEST(the_scenario_succeeds_when_nothing_fails)
{
    uint64_t calls = shim->fallible_calls();
    check_usable();
    ck_assert_uint_gt(shim->fallible_calls(), calls + 100);
    ck_assert_uint_eq(shim->strangers(NULL, 0), 0);
}
END_TEST

START_TEST(every_call_may_fail_once_without_host_memory)
{
    fail_each((struct failing){.functions = any, .count = 1, .step = 1}, "once",
              "VK_ERROR_OUT_OF_HOST_MEMORY");
}
END_TEST

START_TEST(every_call_may_fail_permanently_without_host_memory)
{
    fail_each((struct failing){.functions = any, .count = 1, .step = 7}, "on", "VK_ERROR_OUT_OF_HOST_MEMORY");
}
END_TEST

START_TEST(calls_may_fail_once_without_device_memory)
{
    fail_each((struct failing){.functions = wanting_device_memory, .count = FUNCTIONS_MOST, .step = 3},
              "once", "VK_ERROR_OUT_OF_DEVICE_MEMORY");
}
END_TEST

START_TEST(calls_may_fail_permanently_without_device_memory)
{
    fail_each((struct failing){.functions = wanting_device_memory, .count = FUNCTIONS_MOST, .step = 5}, "on",
              "VK_ERROR_OUT_OF_DEVICE_MEMORY");
}
END_TEST

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = group_make(suite, name);
    tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_test(group, the_scenario_succeeds_when_nothing_fails);
    tcase_add_test(group, every_call_may_fail_once_without_host_memory);
    tcase_add_test(group, every_call_may_fail_permanently_without_host_memory);
    tcase_add_test(group, calls_may_fail_once_without_device_memory);
    tcase_add_test(group, calls_may_fail_permanently_without_device_memory);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: out of memory");
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    add_cases(suite, "minimal", shape_as_minimal);
    return run_suite(suite);
}
