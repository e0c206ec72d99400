/* Tests of resident tokens on Vulkan, which share submissions: how many there are, that none is left behind,
 * and what happens when one fails.
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "tests/vulkan/fixture.h"

enum {
    WORDS  = 256,
    BYTES  = 4 * WORDS,
    SLOTS  = 8,
    TOKENS = 80,
    MANY   = 40 /* slots: more than the tokens of two submissions */
};

struct line {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_kernel *kernel;
    struct trm_pipeline *pipeline;
    uint64_t submitted, taken;
};

/* ---- pipelines ---- */

static int32_t pipeline_make(struct line *line, uint32_t depth)
{
    const struct trm_port ports[]   = {trm_port_input("in", BYTES), trm_port_scratch("scratch", BYTES),
                                       trm_port_output("out", BYTES)};
    const struct trm_argument n     = trm_arg_u32(WORDS);
    const struct trm_argument in[]  = {trm_arg_port(0), trm_arg_port(1), n, trm_arg_u32(3), trm_arg_u32(5)};
    const struct trm_argument out[] = {trm_arg_port(1), trm_arg_port(2), n, trm_arg_u32(7), trm_arg_u32(2)};
    const struct trm_stage stages[] = {trm_stage_launch(line->kernel, in, 5, 0, 4),
                                       trm_stage_launch(line->kernel, out, 5, 0, 4)};
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .ports       = ports,
                                           .port_count  = 3,
                                           .stages      = stages,
                                           .stage_count = 2,
                                           .depth       = depth,
                                           .strategy    = TRM_STRATEGY_RESIDENT,
                                           .measure     = TRM_MEASURE_ALL};
    return trm_pipeline_create(line->device, &desc, &line->pipeline);
}

/* wait: of vulkan.resident.wait. The first call that fails gives the status. */
static int32_t line_make(struct line *line, const char *wait, uint32_t depth)
{
    const struct trm_setting setting = {"vulkan.resident.wait", wait};
    *line                            = (struct line){.context = NULL};
    int32_t status                   = context_make(&setting, 1, &line->context);
    if (status == TRM_OK)
        status = trm_device_open(line->context, NULL, &line->device);
    if (status == TRM_OK)
        status = spread_load(line->device, &line->kernel);
    return status == TRM_OK ? pipeline_make(line, depth) : status;
}

static void line_end(struct line *line)
{
    trm_pipeline_destroy(line->pipeline);
    trm_kernel_destroy(line->kernel);
    trm_device_destroy(line->device);
    trm_context_destroy(line->context);
}

static void line_close(struct line *line)
{
    line_end(line);
    check_nothing_left("a resident pipeline");
}

static uint32_t word(uint64_t token, uint32_t i)
{
    return (uint32_t)(token * 7919) + i;
}

static int32_t submit(struct line *line)
{
    struct trm_token *token;
    int32_t status = trm_pipeline_acquire(line->pipeline, TRM_FOREVER, &token);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)token->data[0])[i] = word(token->index, i);
    line->submitted++;
    return trm_pipeline_submit(line->pipeline, token);
}

static int32_t take(struct line *line)
{
    struct trm_token *token;
    uint32_t wrong = 0;
    int32_t status = trm_pipeline_next(line->pipeline, TRM_FOREVER, &token);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < WORDS; i++)
        wrong += ((const uint32_t *)token->data[2])[i] != (word(token->index, i) * 3 + 5) * 7 + 2;
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(token->index, line->taken++);
    return trm_pipeline_release(line->pipeline, token);
}

/* With `depth` tokens on the way all the time. */
static int32_t run(struct line *line, uint32_t depth, uint64_t tokens)
{
    int32_t status = TRM_OK;
    for (uint64_t i = 0; i < tokens + depth && status == TRM_OK; i++) {
        if (i >= depth)
            status = take(line);
        if (i < tokens && status == TRM_OK)
            status = submit(line);
    }
    return status;
}

static const char *const never = "60000000"; /* no test takes so long */

/* A slot has no stream before its first token. */
static void open_used(struct line *line, const char *wait, uint32_t depth)
{
    ck_ok(line_make(line, wait, depth));
    ck_ok(run(line, depth, depth));
}

/* ---- how many submissions there are ---- */

START_TEST(the_first_token_goes_at_once_and_half_of_the_slots_together)
{
    static const uint64_t after[SLOTS] = {1, 1, 1, 1, 2, 2, 2, 2};
    struct line line;
    open_used(&line, never, SLOTS);
    uint64_t before = shim->calls("vkQueueSubmit");
    for (uint32_t i = 0; i < SLOTS; i++) {
        ck_ok(submit(&line));
        ck_assert_uint_eq(shim->calls("vkQueueSubmit") - before, after[i]);
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_ok(take(&line));
    ck_assert_uint_eq(shim->calls("vkQueueSubmit") - before, 3);
    line_close(&line);
}
END_TEST

START_TEST(tokens_that_come_while_others_are_on_the_device_share_submissions)
{
    struct line line;
    open_used(&line, never, SLOTS);
    uint64_t before = shim->calls("vkQueueSubmit");
    ck_ok(run(&line, SLOTS, TOKENS));
    ck_assert_uint_le(shim->calls("vkQueueSubmit") - before, TOKENS * 3 / 4);
    line_close(&line);
}
END_TEST

START_TEST(more_tokens_than_one_submission_takes_go_in_several)
{
    struct line line;
    open_used(&line, never, MANY);
    uint64_t before = shim->calls("vkQueueSubmit");
    for (uint32_t i = 0; i < MANY; i++)
        ck_ok(submit(&line));
    ck_assert_uint_eq(shim->calls("vkQueueSubmit") - before, 2);
    for (uint32_t i = 0; i < MANY; i++)
        ck_ok(take(&line));
    ck_assert_uint_eq(shim->calls("vkQueueSubmit") - before, 4);
    ck_ok(run(&line, MANY, MANY * 3));
    line_close(&line);
}
END_TEST

START_TEST(a_token_alone_is_one_submission)
{
    struct line line;
    open_used(&line, never, SLOTS);
    uint64_t before = shim->calls("vkQueueSubmit");
    ck_ok(run(&line, 1, TOKENS));
    ck_assert_uint_eq(shim->calls("vkQueueSubmit") - before, TOKENS);
    line_close(&line);
}
END_TEST

START_TEST(two_pipelines_share_submissions)
{
    struct line lines[2];
    open_used(&lines[0], never, SLOTS / 2);
    lines[1]          = lines[0];
    lines[1].pipeline = NULL;
    lines[1].taken = lines[1].submitted = 0;
    ck_ok(pipeline_make(&lines[1], SLOTS / 2));
    ck_ok(run(&lines[1], SLOTS / 2, SLOTS / 2));
    uint64_t before = shim->calls("vkQueueSubmit");
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_ok(submit(&lines[i % 2]));
    ck_assert_uint_eq(shim->calls("vkQueueSubmit") - before, 2);
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_ok(take(&lines[i % 2]));
    trm_pipeline_destroy(lines[1].pipeline);
    ck_ok(run(&lines[0], SLOTS / 2, TOKENS));
    line_close(&lines[0]);
}
END_TEST

/* Without the guard there are two, as the test above shows. */
START_TEST(tokens_that_no_thread_waits_for_are_submitted_all_the_same)
{
    struct line line;
    open_used(&line, "0", SLOTS);
    uint64_t before = shim->calls("vkQueueSubmit");
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_ok(submit(&line));
    while (shim->calls("vkQueueSubmit") - before < 3)
        sched_yield();
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_ok(take(&line));
    line_close(&line);
}
END_TEST

START_TEST(a_pipeline_is_destroyed_while_tokens_wait)
{
    for (uint32_t tokens = 0; tokens <= SLOTS; tokens++) {
        struct line line;
        ck_ok(line_make(&line, never, SLOTS));
        for (uint32_t i = 0; i < tokens; i++)
            ck_ok(submit(&line));
        line_close(&line);
    }
}
END_TEST

/* ---- reports ---- */

START_TEST(a_report_has_the_times_of_the_tokens)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct line line;
    ck_ok(line_make(&line, never, SLOTS));
    ck_ok(run(&line, SLOTS, TOKENS));
    ck_ok(trm_pipeline_report(line.pipeline, &report));
    ck_assert_int_eq(report.strategy, TRM_STRATEGY_RESIDENT);
    ck_assert_uint_eq(report.tokens, TOKENS);
    ck_assert_uint_gt(report.stages[TRM_STAGE_COMPUTE].busy_ns, 0);
    ck_assert_uint_le(report.stages[TRM_STAGE_COMPUTE].busy_ns, report.elapsed_ns);
    line_close(&line);
}
END_TEST

static void shape_without_resets(void)
{
    static const char *const shape[] = {"VULKAN_SHIM_API", "1.1", "VULKAN_SHIM_HIDE",
                                        "VK_EXT_host_query_reset", NULL};
    shim_shape(shape);
}

START_TEST(time_stamps_that_the_host_cannot_reset_are_reset_by_commands)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct line line;
    uint64_t before = shim->calls("vkCmdResetQueryPool");
    ck_ok(line_make(&line, never, SLOTS));
    for (uint64_t busy = 0, i = 0; i < 3; i++) {
        ck_ok(run(&line, SLOTS, TOKENS));
        ck_ok(trm_pipeline_report(line.pipeline, &report));
        ck_assert_uint_gt(report.stages[TRM_STAGE_COMPUTE].busy_ns, busy);
        busy = report.stages[TRM_STAGE_COMPUTE].busy_ns;
    }
    ck_assert_uint_gt(shim->calls("vkCmdResetQueryPool"), before);
    line_close(&line);
}
END_TEST

START_TEST(measured_tokens_of_a_device_without_time_stamps_have_none)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct line line;
    ck_ok(line_make(&line, never, SLOTS));
    ck_ok(run(&line, SLOTS, TOKENS));
    ck_ok(trm_pipeline_report(line.pipeline, &report));
    ck_assert_uint_eq(report.tokens, TOKENS);
    ck_assert_uint_eq(report.stages[TRM_STAGE_COMPUTE].busy_ns, 0);
    line_close(&line);
}
END_TEST

/* ---- failures ---- */

START_TEST(a_submission_that_fails_fails_its_tokens_and_no_other)
{
    struct line line;
    open_used(&line, never, SLOTS);
    ck_assert_int_eq(shim->arm("vkQueueSubmit:2:once:VK_ERROR_OUT_OF_DEVICE_MEMORY"), 0);
    for (uint32_t i = 0; i < 4; i++)
        ck_ok(submit(&line));
    ck_assert_uint_eq(shim->failures(), 0);
    (void)submit(&line);
    ck_assert_uint_eq(shim->failures(), 1);
    ck_ok(take(&line));
    ck_fails(take(&line), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_sentence_has("vkQueueSubmit failed: VK_ERROR_OUT_OF_DEVICE_MEMORY");
    trm_pipeline_destroy(line.pipeline);
    line.taken = line.submitted = 0;
    ck_ok(pipeline_make(&line, SLOTS));
    ck_ok(run(&line, SLOTS, TOKENS));
    line_close(&line);
}
END_TEST

START_TEST(a_resident_pipeline_ends_when_its_device_is_lost)
{
    char rule[64];
    struct line line;
    ck_ok(line_make(&line, never, SLOTS));
    snprintf(rule, sizeof(rule), "vkQueueSubmit:%d:once:VK_ERROR_DEVICE_LOST", 1 + _i);
    ck_assert_int_eq(shim->arm(rule), 0);
    ck_assert_int_eq(run(&line, SLOTS, TOKENS), TRM_ERROR_DEVICE_LOST);
    ck_sentence_has("lost");
    ck_assert_uint_eq(shim->failures(), 1);
    line_close(&line);
    shim->arm(NULL);
    ck_ok(line_make(&line, never, SLOTS));
    ck_ok(run(&line, SLOTS, TOKENS));
    line_close(&line);
}
END_TEST

/* Opens everything, runs, and closes. */
static int32_t run_all(void)
{
    struct line line;
    int32_t status = line_make(&line, "0", SLOTS);
    if (status == TRM_OK)
        status = run(&line, SLOTS, 2 * SLOTS);
    line_end(&line);
    return status;
}

/* expected: TRM_OK for any. */
static void fail_each(const char *result, int32_t expected)
{
    char rule[64];
    uint64_t calls = shim->fallible_calls(), begin = rounds_now_ns();
    ck_ok(run_all());
    calls           = shim->fallible_calls() - calls;
    uint64_t stride = choose_stride(calls, rounds_now_ns() - begin, sanitized() ? 23 : 1);
    ck_assert_uint_gt(calls, 10);
    for (uint64_t n = 1 + stride / 2; n <= calls; n += stride) {
        snprintf(rule, sizeof(rule), "any:%u:once:%s", (unsigned)n, result);
        ck_assert_int_eq(shim->arm(rule), 0);
        int32_t status   = run_all();
        bool is_expected = expected == TRM_OK || status == expected;
        ck_assert_msg(status == TRM_OK || (shim->failures() > 0 && is_expected), "%s (%s): %s: %s", rule,
                      shim->failed_function(), trm_status_name(status), trm_last_error().sentence);
        shim->arm(NULL);
        check_nothing_left(rule);
    }
}

START_TEST(a_loss_in_any_call_of_a_resident_pipeline_is_a_status_and_leaks_nothing)
{
    driver_stays_loaded();
    ck_ok(run_all()); /* the first takes longer */
    fail_each("VK_ERROR_DEVICE_LOST", TRM_ERROR_DEVICE_LOST);
}
END_TEST

START_TEST(a_lack_of_memory_in_any_call_of_a_resident_pipeline_is_a_status_and_leaks_nothing)
{
    driver_stays_loaded();
    ck_ok(run_all());
    fail_each("VK_ERROR_OUT_OF_DEVICE_MEMORY", TRM_OK);
}
END_TEST

/* ---- suites ---- */

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = group_make(suite, name), *calls = group_make(suite, "every call");
    tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(calls, shape, NULL);
    tcase_add_test(group, the_first_token_goes_at_once_and_half_of_the_slots_together);
    tcase_add_test(group, tokens_that_come_while_others_are_on_the_device_share_submissions);
    tcase_add_test(group, more_tokens_than_one_submission_takes_go_in_several);
    tcase_add_test(group, a_token_alone_is_one_submission);
    tcase_add_test(group, two_pipelines_share_submissions);
    tcase_add_test(group, tokens_that_no_thread_waits_for_are_submitted_all_the_same);
    tcase_add_test(group, a_pipeline_is_destroyed_while_tokens_wait);
    tcase_add_test(group, a_report_has_the_times_of_the_tokens);
    tcase_add_test(group, a_submission_that_fails_fails_its_tokens_and_no_other);
    tcase_add_loop_test(group, a_resident_pipeline_ends_when_its_device_is_lost, 0, 3);
    tcase_add_test(calls, a_loss_in_any_call_of_a_resident_pipeline_is_a_status_and_leaks_nothing);
    tcase_add_test(calls, a_lack_of_memory_in_any_call_of_a_resident_pipeline_is_a_status_and_leaks_nothing);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: resident");
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    TCase *stamps = group_make(suite, "time stamps"), *none = group_make(suite, "no time stamps");
    tcase_add_checked_fixture(stamps, shape_without_resets, NULL);
    tcase_add_test(stamps, time_stamps_that_the_host_cannot_reset_are_reset_by_commands);
    tcase_add_checked_fixture(none, shape_as_minimal, NULL);
    tcase_add_test(none, measured_tokens_of_a_device_without_time_stamps_have_none);
    return run_suite(suite);
}
