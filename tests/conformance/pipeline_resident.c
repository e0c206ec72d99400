/* Pipelines whose kernels stay on the device (TRM_STRATEGY_RESIDENT). The other files of pipelines have the strategy
 * among all; here is what concerns it alone: kernels that leave and come back, and what is refused.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

/* False, with a word, where the device has no such kernels. */
static bool open_resident(struct rig *rig, const char *plan, uint32_t depth)
{
    rig_make(rig, plan_named(plan), depth, TRM_STRATEGY_RESIDENT);
    if (rig_open(rig) == TRM_OK)
        return true;
    rig_close(rig);
    kernels_close();
    skip("the device has no kernels that stay on it");
    return false;
}

static void close_resident(struct rig *rig)
{
    rig_close(rig);
    kernels_close();
}

START_TEST(the_report_of_a_resident_pipeline_names_the_strategy)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct rig rig;
    if (kernels_missing() || !open_resident(&rig, "one kernel", 2))
        return;
    rig_run(&rig, 10, 0);
    ck_ok(trm_pipeline_report(rig.pipeline, &report));
    ck_assert_int_eq(report.strategy, TRM_STRATEGY_RESIDENT);
    ck_assert_str_eq(trm_strategy_name(report.strategy), "resident");
    ck_assert_uint_eq(report.tokens, 10);
    close_resident(&rig);
}
END_TEST

/* Kernels that leave as soon as they are idle are launched again for nearly every token. */
START_TEST(tokens_come_out_right_when_the_kernels_leave_between_them)
{
    static const char *const names[] = {"one kernel", "several kernels with scratch", "variable sizes"};
    struct trm_setting setting       = {.name = "cuda.resident.idle", .value = "0"};
    struct trm_device *usual         = the.device;
    struct trm_context *context      = NULL;
    struct rig rig;
    if (kernels_missing())
        return;
    ck_ok(context_with(&setting, 1, &context));
    the.device = open_device(context);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!open_resident(&rig, names[i], 3))
            break;
        rig_run(&rig, scaled(40, 200), 0);
        rig_again(&rig);
        rig_run(&rig, 5, 0);
        close_resident(&rig);
    }
    trm_device_destroy(the.device);
    trm_context_destroy(context);
    the.device = usual;
}
END_TEST

/* Drivers wait for the whole device in some of these calls. */
START_TEST(code_and_memory_come_and_go_while_kernels_stay)
{
    struct rig rig;
    if (kernels_missing() || !open_resident(&rig, "several kernels with scratch", 3))
        return;
    for (uint32_t i = 0; i < 6; i++) {
        rig_again(&rig);
        rig_run(&rig, 7, 0);
        struct trm_module *module = load_kernels(the.device);
        struct trm_buffer *pinned = make_buffer(the.device, TRM_MEMORY_PINNED, 1 << 16);
        struct trm_buffer *own    = make_buffer(the.device, TRM_MEMORY_DEVICE, 1 << 20);
        rig_again(&rig);
        rig_run(&rig, 3, 0);
        trm_buffer_destroy(pinned);
        trm_buffer_destroy(own);
        trm_module_destroy(module);
    }
    close_resident(&rig);
}
END_TEST

START_TEST(two_resident_pipelines_run_by_turns)
{
    struct rig rigs[2];
    if (kernels_missing() || !open_resident(&rigs[0], "one kernel", 3))
        return;
    rig_make(&rigs[1], plan_named("several inputs and outputs"), 2, TRM_STRATEGY_RESIDENT);
    ck_ok(rig_open(&rigs[1]));
    for (uint32_t i = 0; i < 10; i++) {
        rig_again(&rigs[i % 2]);
        rig_run(&rigs[i % 2], 4, 0);
    }
    rig_close(&rigs[1]);
    close_resident(&rigs[0]);
}
END_TEST

static void submit_some(struct rig *rig, uint32_t count)
{
    struct trm_token *token;
    for (uint32_t i = 0; i < count; i++) {
        ck_ok(trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token));
        rig_fill(rig, token);
        ck_ok(trm_pipeline_submit(rig->pipeline, token));
    }
}

START_TEST(a_resident_pipeline_is_destroyed_with_tokens_on_the_device)
{
    for (uint32_t tokens = 0; tokens <= 4; tokens++) {
        struct rig rig;
        if (kernels_missing() || !open_resident(&rig, "a chain of scratch", 4))
            return;
        submit_some(&rig, tokens);
        close_resident(&rig);
    }
}
END_TEST

START_TEST(a_resident_pipeline_that_was_cancelled_goes_on)
{
    struct rig rig;
    if (kernels_missing() || !open_resident(&rig, "several kernels with scratch", 4))
        return;
    for (uint32_t i = 0; i < 4; i++) {
        submit_some(&rig, i);
        ck_ok(trm_pipeline_cancel(rig.pipeline, TRM_FOREVER));
        ck_slots_free(rig.pipeline);
        rig_again(&rig);
        rig_run(&rig, 9, 0);
    }
    close_resident(&rig);
}
END_TEST

START_TEST(sixteen_resident_tokens_are_on_the_device_at_once)
{
    struct rig rig;
    if (kernels_missing() || !open_resident(&rig, "one kernel", 16))
        return;
    rig_run(&rig, 100, 0);
    close_resident(&rig);
}
END_TEST

START_TEST(a_resident_pipeline_with_host_stages_is_refused)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("host stages"), 2, TRM_STRATEGY_RESIDENT);
    ck_status(rig_open(&rig), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("resident");
    rig_close(&rig);
    kernels_close();
}
END_TEST

START_TEST(no_strategy_behind_the_last_is_accepted)
{
    struct trm_pipeline *pipeline = NULL;
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_RESIDENT + 1);
    ck_status(trm_pipeline_create(the.device, &rig.desc, &pipeline), TRM_ERROR_INVALID_ARGUMENT);
    rig_close(&rig);
    kernels_close();
}
END_TEST

void add_pipeline_resident(Suite *suite)
{
    TCase *group = group_make(suite, "pipelines: kernels that stay");
    CASE(group, the_report_of_a_resident_pipeline_names_the_strategy);
    CASE(group, tokens_come_out_right_when_the_kernels_leave_between_them);
    CASE(group, code_and_memory_come_and_go_while_kernels_stay);
    CASE(group, two_resident_pipelines_run_by_turns);
    CASE(group, a_resident_pipeline_is_destroyed_with_tokens_on_the_device);
    CASE(group, a_resident_pipeline_that_was_cancelled_goes_on);
    CASE(group, sixteen_resident_tokens_are_on_the_device_at_once);
    CASE(group, a_resident_pipeline_with_host_stages_is_refused);
    CASE(group, no_strategy_behind_the_last_is_accepted);
}
