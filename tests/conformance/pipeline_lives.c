/* Pipelines: how they live and end, and what is refused.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

/* ---- lives ---------------------------------------------------------------------------------- */

START_TEST(a_pipeline_keeps_what_it_is_made_of)
{
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    struct trm_device *device;
    struct rig rig;
    if (kernels_missing())
        return;
    ck_ok(trm_device_get_usage(the.device, &before));
    device = the.device;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        rig_make(&rig, plan_named("a shared table"), 3, all_strategies[i]);
        if (rig_open(&rig) == TRM_OK) {
            kernels_close();
            trm_buffer_destroy(rig.shared);
            rig.shared = NULL;
            rig_run(&rig, 12, 0);
        }
        rig_close(&rig);
        kernels_close();
        ck_ok(trm_device_get_usage(device, &after));
        ck_assert_uint_eq(after.buffers, before.buffers);
        ck_assert_uint_eq(after.buffer_bytes, before.buffer_bytes);
        ck_assert_uint_eq(after.streams, before.streams);
        ck_assert_uint_eq(after.events, before.events);
        ck_assert_uint_eq(after.kernels, before.kernels);
        ck_assert_uint_eq(after.modules, before.modules);
    }
}
END_TEST

START_TEST(a_pipeline_keeps_its_device)
{
    struct trm_device *device = open_device(the.context), *fixture = the.device;
    struct rig rig;
    if (kernels_missing()) {
        trm_device_destroy(device);
        return;
    }
    the.device = device;
    rig_make(&rig, plan_named("one kernel"), 3, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    kernels_close();
    trm_device_destroy(device);
    rig_run(&rig, 12, 0);
    rig_close(&rig);
    the.device = fixture;
}
END_TEST

START_TEST(many_pipelines_live_on_one_device)
{
    enum {
        COUNT = 6
    };
    static struct rig rigs[COUNT];
    if (kernels_missing())
        return;
    for (uint32_t i = 0; i < COUNT; i++) {
        rig_make(&rigs[i], &plans[1 + i % (plan_count - 1)], 1 + i % 4, TRM_STRATEGY_AUTO);
        ck_ok(rig_open(&rigs[i]));
    }
    for (uint32_t i = 0; i < COUNT; i++)
        rig_run(&rigs[i], 12, 0);
    for (uint32_t i = 0; i < COUNT; i++)
        rig_close(&rigs[COUNT - 1 - i]);
}
END_TEST

START_TEST(destroying_nothing_is_fine_and_a_stale_handle_is_an_error)
{
    struct trm_port port          = trm_port_input("in", 100);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 1};
    struct trm_pipeline *pipeline;
    struct trm_token *token;
    uint32_t count;
    trm_pipeline_destroy(NULL);
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    trm_pipeline_destroy(pipeline);
    ck_status(trm_pipeline_slots(pipeline, NULL, 0, &count), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_pipeline_acquire(pipeline, 0, &token), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_pipeline_cancel(pipeline, 0), TRM_ERROR_INVALID_HANDLE);
    trm_pipeline_destroy(pipeline);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

/* A rig with a broken descriptor must be refused with words that name the fault. */
static void refused(struct rig *rig, const char *words)
{
    struct trm_pipeline *pipeline = NULL;
    int32_t status                = trm_pipeline_create(the.device, &rig->desc, &pipeline);
    ck_assert_msg(status == TRM_ERROR_INVALID_ARGUMENT || status == TRM_ERROR_OUT_OF_RANGE, "%s: %s",
                  trm_status_name(status), trm_last_error().sentence);
    ck_assert(status_explained(status));
    ck_assert_ptr_null(pipeline);
    if (words != NULL)
        ck_sentence_has(words);
    rig_close(rig);
    kernels_close();
}

START_TEST(ports_that_cannot_be_are_refused_by_name)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.ports[0].kind = 9;
    refused(&rig, "in");
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.ports[1].size = 0;
    refused(&rig, "out");
    rig_make(&rig, plan_named("variable sizes"), 2, TRM_STRATEGY_AUTO);
    rig.ports[2].follows = 1 + 1; /* scratch is not an input */
    refused(&rig, "out");
    rig_make(&rig, plan_named("variable sizes"), 2, TRM_STRATEGY_AUTO);
    rig.ports[2].follows = 1 + 17;
    refused(&rig, "out");
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.ports[0].flags = 1u << 31;
    refused(&rig, "in");
    rig_make(&rig, plan_named("a shared table"), 2, TRM_STRATEGY_AUTO);
    rig.ports[2].buffer = NULL;
    ck_refused(trm_pipeline_create(the.device, &rig.desc, &rig.pipeline));
    ck_sentence_has("table");
    rig_close(&rig);
}
END_TEST

START_TEST(stages_that_cannot_be_are_refused_by_name)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.stages[0].argument_count = 4;
    refused(&rig, "spread");
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.arguments[0][1] = trm_arg_port(7);
    refused(&rig, "spread");
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.stages[0].items_port = 5;
    refused(&rig, "stage 0");
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.arguments[0][2] = trm_arg_port_elements(0, 0);
    refused(&rig, "spread");
    rig_make(&rig, plan_named("host stages"), 2, TRM_STRATEGY_AUTO);
    rig.stages[1].name       = "mixing";
    rig.stages[1].host_reads = UINT64_C(1) << 40;
    refused(&rig, "mixing");
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.stages[0].name   = "nothing at all";
    rig.stages[0].kernel = NULL;
    ck_refused(trm_pipeline_create(the.device, &rig.desc, &rig.pipeline));
    ck_sentence_has("nothing at all");
    rig_close(&rig);
    kernels_close();
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.arguments[0][3] = trm_arg_f32(1);
    ck_status(trm_pipeline_create(the.device, &rig.desc, &rig.pipeline), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("factor");
    rig_close(&rig);
}
END_TEST

START_TEST(what_is_declared_read_only_is_believed)
{
    struct rig rig;
    struct trm_pipeline *pipeline = NULL;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("a shared state"), 2, TRM_STRATEGY_AUTO);
    rig.ports[2].flags = TRM_PORT_READ_ONLY;
    ck_ok(trm_pipeline_create(the.device, &rig.desc, &pipeline));
    trm_pipeline_destroy(pipeline);
    rig_close(&rig);
}
END_TEST

START_TEST(descriptors_that_cannot_be_are_refused)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 65, TRM_STRATEGY_AUTO);
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, 17);
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.on_failure = 9;
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.measure = 9;
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.flags = 1u << 30;
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.struct_size = 8;
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.ports = NULL;
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.stages = NULL;
    refused(&rig, NULL);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.desc.port_count = 65;
    refused(&rig, NULL);
    ck_status(trm_pipeline_create(the.device, NULL, &rig.pipeline), TRM_ERROR_INVALID_ARGUMENT);
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    ck_status(trm_pipeline_create(the.device, &rig.desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    rig_close(&rig);
}
END_TEST

START_TEST(a_divisible_pipeline_needs_grains_and_has_no_host_stages)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("divisible"), 2, TRM_STRATEGY_AUTO);
    rig.ports[1].grain = 0;
    refused(&rig, "scratch");
    rig_make(&rig, plan_named("divisible"), 2, TRM_STRATEGY_AUTO);
    rig_host(&rig, (trm_host_stage_fn)rig_sink, 1, 0);
    rig.stages[2].name = "peeping";
    refused(&rig, "peeping");
}
END_TEST

START_TEST(a_pipeline_that_is_too_large_is_a_status)
{
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 64 + 1, UINT64_C(1) << 60};
    struct trm_port ports[]       = {trm_port_input("in", 4096), trm_port_scratch("scratch", 0)};
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 2, .depth = 64};
    struct trm_pipeline *pipeline  = NULL;
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    ck_ok(trm_device_get_usage(the.device, &before));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ports[1].size = sizes[i];
        ck_refused(trm_pipeline_create(the.device, &desc, &pipeline));
        ck_assert_ptr_null(pipeline);
        ck_ok(trm_device_get_usage(the.device, &after));
        ck_assert_uint_eq(after.buffers, before.buffers);
        ck_assert_uint_eq(after.streams, before.streams);
    }
}
END_TEST

START_TEST(objects_of_another_device_are_refused)
{
    struct trm_device *other      = second_device();
    struct trm_buffer *buffer     = make_buffer(other, TRM_MEMORY_DEVICE, 400);
    struct trm_port port          = trm_port_shared("table", buffer);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 1};
    struct trm_pipeline *pipeline = NULL;
    ck_status(trm_pipeline_create(the.device, &desc, &pipeline), TRM_ERROR_WRONG_DEVICE);
    ck_sentence_has("table");
    trm_buffer_destroy(buffer);
    if (!kernels_there())
        return;
    struct rig rig;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_AUTO);
    rig.stages[0].kernel = kernel_on(other, "spread");
    ck_status(trm_pipeline_create(the.device, &rig.desc, &pipeline), TRM_ERROR_WRONG_DEVICE);
    ck_sentence_has("spread");
    rig_close(&rig);
}
END_TEST

START_TEST(zero_copy_is_refused_exactly_where_kernels_do_not_reach_the_hosts_memory)
{
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 2, TRM_STRATEGY_ZERO_COPY);
    ck_assert_int_eq(rig_open(&rig), device_number(the.device, TRM_DEVICE_UNIFIED) ||
                                             device_number(the.device, TRM_DEVICE_MAPPED)
                                         ? TRM_OK
                                         : TRM_ERROR_UNSUPPORTED);
    rig_close(&rig);
}
END_TEST

/* ---- names ---------------------------------------------------------------------------------- */

START_TEST(states_and_strategies_have_names)
{
    for (int32_t i = 0; i <= TRM_SLOT_DONE; i++)
        ck_assert_str_ne(trm_slot_state_name(i), "unknown");
    for (int32_t i = 0; i <= TRM_STRATEGY_ZERO_COPY; i++)
        ck_assert_str_ne(trm_strategy_name(i), "unknown");
    ck_assert_str_eq(trm_slot_state_name(TRM_SLOT_UPLOADING), "uploading");
    ck_assert_str_eq(trm_strategy_name(TRM_STRATEGY_SLOT_STREAMS), "slot streams");
    ck_assert_str_eq(trm_slot_state_name(77), "unknown");
    ck_assert_str_eq(trm_slot_state_name(-1), "unknown");
    ck_assert_str_eq(trm_strategy_name(77), "unknown");
}
END_TEST

void add_pipeline_lives(Suite *suite)
{
    TCase *lives = group_make(suite, "pipelines: lives");
    CASE(lives, a_pipeline_keeps_what_it_is_made_of);
    CASE(lives, a_pipeline_keeps_its_device);
    CASE(lives, many_pipelines_live_on_one_device);
    CASE(lives, destroying_nothing_is_fine_and_a_stale_handle_is_an_error);

    TCase *refusals = group_make(suite, "pipelines: what is refused");
    CASE(refusals, ports_that_cannot_be_are_refused_by_name);
    CASE(refusals, stages_that_cannot_be_are_refused_by_name);
    CASE(refusals, what_is_declared_read_only_is_believed);
    CASE(refusals, descriptors_that_cannot_be_are_refused);
    CASE(refusals, a_divisible_pipeline_needs_grains_and_has_no_host_stages);
    CASE(refusals, a_pipeline_that_is_too_large_is_a_status);
    CASE(refusals, objects_of_another_device_are_refused);
    CASE(refusals, zero_copy_is_refused_exactly_where_kernels_do_not_reach_the_hosts_memory);
    CASE(refusals, states_and_strategies_have_names);
}
