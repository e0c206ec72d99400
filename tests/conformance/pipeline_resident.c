/* Pipelines whose kernels stay on the device (TRM_STRATEGY_RESIDENT). The other files of pipelines have the
 * strategy among all; here is what concerns it alone: kernels that leave and come back, and what is refused.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>

#include "groups.h"
#include "kernels.h"
#include "plans.h"
#include "shaders.h"

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
        rig_run(&rig, scaled(200, 40), 0);
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

/* ---- several groups ---- */

#define WIDE_WORDS 16384u
#define WIDE_BYTES (WIDE_WORDS * sizeof(uint32_t))

/* A pipeline of two slots with a stage in the shared memory `sum`, sum = sum × 3 + 1, and, but where that is
 * all, two stages of which the second reads what other groups have written: a token that is done twice shows,
 * and so do groups that do not wait for each other. */
struct wide {
    struct trm_context *context;
    struct trm_kernel *affine, *mirror;
    struct trm_buffer *sum;
    struct trm_pipeline *pipeline;
    uint64_t tokens;
};

static int32_t wide_create(struct wide *wide, uint32_t stage_count)
{
    const struct trm_port ports[]     = {trm_port_input("in", WIDE_BYTES), trm_port_shared("sum", wide->sum),
                                         trm_port_output("out", WIDE_BYTES),
                                         trm_port_scratch("scratch", WIDE_BYTES)};
    const struct trm_argument n       = trm_arg_u32(WIDE_WORDS);
    const struct trm_argument add[]   = {trm_arg_port(1), n, trm_arg_u32(3), trm_arg_u32(1)};
    const struct trm_argument there[] = {trm_arg_port(0), trm_arg_port(3), n, trm_arg_u32(5), trm_arg_u32(2)};
    const struct trm_argument back[]  = {trm_arg_port(3), trm_arg_port(2), n, trm_arg_u32(7), trm_arg_u32(4)};
    const struct trm_stage stages[]   = {trm_stage_launch(wide->affine, add, 4, 0, 4),
                                         trm_stage_launch(wide->mirror, there, 5, 0, 4),
                                         trm_stage_launch(wide->mirror, back, 5, 0, 4)};
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .ports       = ports,
                                           .port_count  = stage_count > 1 ? 4 : 2,
                                           .stages      = stages,
                                           .stage_count = stage_count,
                                           .depth       = 2,
                                           .strategy    = TRM_STRATEGY_RESIDENT};
    return trm_pipeline_create(the.device, &desc, &wide->pipeline);
}

static uint32_t wide_word(uint64_t token, uint32_t i)
{
    return (uint32_t)(token * 7919) + i;
}

static void wide_submit(struct wide *wide)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(wide->pipeline, TRM_FOREVER, &token));
    for (uint32_t i = 0; i < WIDE_WORDS; i++)
        ((uint32_t *)token->data[0])[i] = wide_word(token->index, i);
    ck_ok(trm_pipeline_submit(wide->pipeline, token));
    wide->tokens++;
}

static void wide_next(struct wide *wide, bool has_output)
{
    struct trm_token *token;
    uint32_t wrong = 0;
    ck_ok(trm_pipeline_next(wide->pipeline, TRM_FOREVER, &token));
    const uint32_t *out = has_output ? token->data[2] : NULL;
    for (uint32_t i = 0; i < WIDE_WORDS && has_output; i++)
        wrong += out[i] != (wide_word(token->index, i) * 5 + 2) * 7 + 4;
    ck_assert_uint_eq(wrong, 0);
    ck_ok(trm_pipeline_release(wide->pipeline, token));
}

/* Loading code stops the kernels that stay, between any two tokens. */
static void *load_and_unload(void *data)
{
    atomic_bool *is_ending = data;
    while (!atomic_load(is_ending))
        trm_module_destroy(load_kernels(the.device));
    return NULL;
}

static void wide_check_sum(const struct wide *wide)
{
    static uint32_t words[WIDE_WORDS];
    uint32_t expected = 0, wrong = 0;
    for (uint64_t i = 0; i < wide->tokens; i++)
        expected = expected * 3 + 1;
    get(the.stream, wide->sum, 0, words, WIDE_BYTES);
    for (uint32_t i = 0; i < WIDE_WORDS; i++)
        wrong += words[i] != expected;
    ck_assert_uint_eq(wrong, 0);
}

static void wide_run(struct wide *wide, uint32_t tokens, bool has_output)
{
    atomic_bool is_ending = false;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, load_and_unload, &is_ending), 0);
    wide_submit(wide);
    for (uint32_t i = 1; i < tokens; i++) {
        wide_submit(wide);
        wide_next(wide, has_output);
    }
    wide_next(wide, has_output);
    atomic_store(&is_ending, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    wide_check_sum(wide);
}

/* On a device of its own, whose kernels that stay have three groups. */
static void run_wide(uint32_t stage_count, uint32_t tokens)
{
    const struct trm_setting groups   = {.name = "cuda.resident.groups", .value = "3"};
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = WIDE_BYTES, .flags = TRM_BUFFER_ZEROED};
    const struct world usual = the;
    struct wide wide         = {.tokens = 0};
    ck_ok(context_with(&groups, 1, &wide.context));
    the.device  = open_device(wide.context);
    the.stream  = make_stream(the.device);
    wide.affine = shader_kernel("affine");
    wide.mirror = shader_kernel("mirror");
    ck_ok(trm_buffer_create_from(the.device, &desc, &wide.sum));
    int32_t status = wide_create(&wide, stage_count);
    if (status == TRM_OK)
        wide_run(&wide, tokens, stage_count > 1);
    trm_pipeline_destroy(wide.pipeline);
    trm_buffer_destroy(wide.sum);
    trm_kernel_destroy(wide.affine);
    trm_kernel_destroy(wide.mirror);
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    trm_context_destroy(wide.context);
    the = usual;
    if (status != TRM_OK) {
        ck_assert_int_eq(status, TRM_ERROR_UNSUPPORTED);
        skip("the device has no kernels that stay on it");
    }
}

START_TEST(groups_of_a_resident_kernel_wait_for_each_other_between_stages)
{
    if (!kernels_missing() && !shaders_missing())
        run_wide(3, scaled(200, 20));
}
END_TEST

/* There is no wait within such a token, so it is done twice if a group learns of the kernel's end before
 * it. */
START_TEST(groups_of_a_resident_kernel_do_a_token_of_one_stage_once)
{
    if (!kernels_missing() && !shaders_missing())
        run_wide(1, scaled(600, 60));
}
END_TEST

/* ---- what is refused ---- */

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

START_TEST(a_device_without_kernels_that_stay_refuses_the_strategy_with_a_reason)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_RESIDENT);
    int32_t status = rig_open(&rig);
    if (status != TRM_OK) {
        ck_status(status, TRM_ERROR_UNSUPPORTED);
        ck_sentence_has("the strategy resident needs");
    }
    rig_close(&rig);
    kernels_close();
    if (status == TRM_OK)
        skip("the device has kernels that stay on it");
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
    CASE(group, groups_of_a_resident_kernel_wait_for_each_other_between_stages);
    CASE(group, groups_of_a_resident_kernel_do_a_token_of_one_stage_once);
    CASE(group, a_resident_pipeline_with_host_stages_is_refused);
    CASE(group, a_device_without_kernels_that_stay_refuses_the_strategy_with_a_reason);
    CASE(group, no_strategy_behind_the_last_is_accepted);
}
