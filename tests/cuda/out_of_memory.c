/* Calls of CUDA's driver that fail, each in turn: for lack of memory, and with every other error.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/fixture.h"
#include "tests/device/scenario.h"

#include <stdio.h>
#include <string.h>

#include "backends/cuda/driver/functions.h"

/* More calls than this mean that the scenario does something else. */
#define MOST_CALLS 20000u

#define NAME(name, version) #name,
static const char *const functions[] = {CUDA_FUNCTIONS(NAME) CUDA_OPTIONAL_FUNCTIONS(NAME)};
#undef NAME
#define FUNCTION_COUNT ((int)(sizeof(functions) / sizeof(functions[0])))

/* The driver lacks a function: fewer rounds suffice, since most is as before. */
static bool is_lacking;

static void check_explained(const struct scenario_end *end, const char *rule)
{
    ck_assert_msg(end->error.status == end->status && end->sentence[0],
                  "%s (%s): %s gave %s and did not say why", rule, standin->failed_function(), end->step,
                  trm_status_name(end->status));
}

/* A failing call decides whether there is a backend at all and what is known of a device: any status is
 * right there. */
static bool while_opening(const struct scenario_end *end)
{
    return strcmp(end->step, "make_context") == 0 || strcmp(end->step, "open_device") == 0 ||
           strcmp(end->step, "ask_device") == 0;
}

/* A call that destroys an object and fails leaves it. */
static bool leaves_objects(const char *rule)
{
    static const char *const words[] = {"Destroy",    "Free",  "Release",      "Unload",
                                        "Unregister", "Unmap", "CtxSetCurrent"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(rule, words[i]))
            return true;
    return false;
}

/* Nor does its result matter where the failing call needs no memory. */
static bool asks_for_none(const char *function)
{
    return strncmp(function, "cuCtx", 5) == 0 || strncmp(function, "cuDevice", 8) == 0;
}

static void check_is_memory(const struct scenario_end *end, const char *rule)
{
    if (asks_for_none(standin->failed_function()))
        return;
    ck_assert_msg(end->status == TRM_OK || while_opening(end) ||
                      end->status == TRM_ERROR_OUT_OF_HOST_MEMORY ||
                      end->status == TRM_ERROR_OUT_OF_DEVICE_MEMORY,
                  "%s (%s): %s gave %s: %s: the status is not that of memory that ran out", rule,
                  standin->failed_function(), end->step, trm_status_name(end->status), end->sentence);
}

/* Whether a call failed. */
static bool run_with(const char *rule, bool is_memory)
{
    struct scenario_end end;
    ck_assert_msg(standin->arm(rule) == 0, "the stand-in does not understand: %s", rule);
    scenario_run(&end, NULL);
    uint64_t failures = standin->failures();
    if (end.status != TRM_OK)
        check_explained(&end, rule);
    if (is_memory)
        check_is_memory(&end, rule);
    ck_assert_msg(failures > 0 || end.status == TRM_OK, "%s: %s gave %s though nothing failed: %s", rule,
                  end.step, trm_status_name(end.status), end.sentence);
    standin->arm(NULL);
    if (leaves_objects(rule))
        check_memory_left(rule);
    else
        check_nothing_left(rule);
    return failures > 0;
}

/* Let the n-th call fail, for n = 1, 1 + stride, …, until none did; the stride grows by `growth`. Returns
 * how often one failed. */
static unsigned fail_each(const char *function, const char *how, const char *result, unsigned stride,
                          unsigned growth)
{
    char rule[128];
    unsigned n = 1, failed = 0;
    bool one_failed;
    do {
        ck_assert_uint_lt(n, MOST_CALLS);
        snprintf(rule, sizeof(rule), "%s:%u:%s:%s", function, n, how, result);
        one_failed = run_with(rule, strcmp(result, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
        failed += one_failed;
        n += stride;
        stride += growth;
    } while (one_failed);
    if (failed > 0)
        scenario_succeed("afterwards", NULL);
    return failed;
}

/* ---- the tests ---- */

START_TEST(the_scenario_comes_through_when_nothing_fails)
{
    uint64_t calls = standin->fallible_calls();
    scenario_succeed("with nothing that fails", NULL);
    check_nothing_left("a scenario in which nothing failed");
    ck_assert_uint_gt(standin->fallible_calls(), calls + 100);
}
END_TEST

START_TEST(every_call_may_fail_once_for_want_of_memory)
{
    ck_assert_uint_gt(
        fail_each("any", "once", "CUDA_ERROR_OUT_OF_MEMORY", 1, is_lacking ? 4 : thorough(0, 2)), 15);
}
END_TEST

START_TEST(every_call_may_fail_for_good_for_want_of_memory)
{
    ck_assert_uint_gt(fail_each("any", "on", "CUDA_ERROR_OUT_OF_MEMORY", 5, thorough(0, 2)), 5);
}
END_TEST

START_TEST(every_function_may_fail_for_want_of_memory)
{
    fail_each(functions[_i], "once", "CUDA_ERROR_OUT_OF_MEMORY", thorough(1, 3), thorough(3, 20));
}
END_TEST

/* Errors that functions do not usually answer. None of them is sticky in the stand-in. */
static const char *const strange[] = {"CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NOT_SUPPORTED",
                                      "CUDA_ERROR_UNKNOWN"};

START_TEST(every_function_may_fail_with_an_unexpected_code)
{
    size_t count = sizeof(strange) / sizeof(strange[0]), calls = 0;
    for (size_t i = 0; i < thorough((unsigned)count, 1); i++) {
        const char *result = strange[(i + (unsigned)_i) % count];
        char rule[128];
        snprintf(rule, sizeof(rule), "%s:%u:once:%s", functions[_i], 1 + (unsigned)i, result);
        if (!run_with(rule, false))
            break; /* the scenario has no such call, also not of those that follow */
        snprintf(rule, sizeof(rule), "%s:%u:on:%s", functions[_i], 1 + (unsigned)i, result);
        run_with(rule, false);
        calls++;
    }
    if (calls > 0)
        scenario_succeed("afterwards", NULL);
}
END_TEST

/* ---- too little memory ----------------------------------------------------------------------- */

START_TEST(memory_that_the_device_has_not_is_refused_and_comes_back)
{
    enum {
        PIECE = 8 << 20,
        MOST  = 32
    };
    struct trm_buffer *buffers[MOST];
    uint8_t last   = 0;
    unsigned count = 0;
    int32_t status = TRM_OK;
    standin_shape("memory=100M");
    world_open();
    while (status == TRM_OK && count < MOST) {
        status = trm_buffer_create(the.device, TRM_MEMORY_DEVICE, PIECE, &buffers[count]);
        count += status == TRM_OK;
    }
    ck_assert_int_eq(status, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_sentence_has("memory");
    ck_assert_uint_ge(count, 6); /* most of the memory can be allocated */
    ck_ok(trm_fill(the.stream, trm_span_whole(buffers[count - 1]), 0x5a, 1));
    ck_ok(trm_download(the.stream, &last, trm_span_of(buffers[count - 1], PIECE - 1, 1)));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(last, 0x5a);
    while (count > 0)
        trm_buffer_destroy(buffers[--count]);
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 5 * PIECE, &buffers[0])); /* in one piece */
    trm_buffer_destroy(buffers[0]);
    world_close();
}
END_TEST

START_TEST(memory_that_was_kept_for_reuse_is_given_back_when_another_size_is_asked_for)
{
    struct trm_buffer *small[6], *large = NULL;
    standin_shape("memory=100M");
    world_open();
    for (int i = 0; i < 6; i++)
        small[i] = buffer_open(the.device, TRM_MEMORY_DEVICE, 12 << 20);
    for (int i = 0; i < 6; i++)
        trm_buffer_destroy(small[i]); /* kept: below the threshold of the pool */
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 80 << 20, &large));
    trm_buffer_destroy(large);
    world_close();
}
END_TEST

static void shape_without_pools(void)
{
    is_lacking = true;
    standin_shape("pools=no managed=no");
}

static void shape_of_an_old_driver(void)
{
    is_lacking = true;
    standin_shape("driver=11040");
}

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = tcase_create(name);
    if (shape)
        tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_test(group, the_scenario_comes_through_when_nothing_fails);
    tcase_add_test(group, every_call_may_fail_once_for_want_of_memory);
    tcase_add_test(group, every_call_may_fail_for_good_for_want_of_memory);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("cuda: out of memory");
    TCase *each = tcase_create("function by function"), *memory = tcase_create("memory");
    add_cases(suite, "as it is", NULL);
    add_cases(suite, "without pools", shape_without_pools);
    add_cases(suite, "an old driver", shape_of_an_old_driver);
    tcase_add_loop_test(each, every_function_may_fail_for_want_of_memory, 0, FUNCTION_COUNT);
    tcase_add_loop_test(each, every_function_may_fail_with_an_unexpected_code, 0, FUNCTION_COUNT);
    suite_add_tcase(suite, each);
    tcase_add_test(memory, memory_that_the_device_has_not_is_refused_and_comes_back);
    tcase_add_test(memory, memory_that_was_kept_for_reuse_is_given_back_when_another_size_is_asked_for);
    suite_add_tcase(suite, memory);
    return run_on_standin(suite);
}
