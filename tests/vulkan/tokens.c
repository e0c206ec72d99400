/* Tests of what a token of a pipeline costs in driver calls, in the steady state.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

enum {
    BYTES  = 1 << 20,
    TOKENS = 32,
    FEW    = TOKENS / 4 /* for the run itself, which sometimes compares the clocks again */
};

static const char *const copies[] = {"engine", "kernel"};

static int32_t do_nothing(void *user, struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static int32_t look_away(void *user, const struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static void run(struct trm_pipeline *pipeline, uint64_t tokens)
{
    struct trm_source source = trm_source_function(do_nothing, NULL);
    struct trm_sink sink     = trm_sink_function(look_away, NULL);
    source.count             = tokens;
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
}

/* Uploads, computes and downloads a mebibyte for each token. */
static struct trm_pipeline *pipeline_open(struct trm_device *device, struct trm_kernel *kernel,
                                          int32_t strategy, int32_t measure)
{
    struct trm_port ports[2]        = {trm_port_input("in", BYTES), trm_port_output("out", BYTES)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 4),
                                       trm_arg_u32(3), trm_arg_u32(5)};
    struct trm_stage stage          = trm_stage_launch(kernel, arguments, 5, 0, 4);
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = ports,
                                       .port_count  = 2,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = 3,
                                       .strategy    = strategy,
                                       .measure     = measure};
    struct trm_pipeline *pipeline   = NULL;
    ck_ok(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

struct cost {
    uint64_t submissions, recordings; /* driver calls: those of a run's tokens, and some of the run itself */
};

static struct cost cost_of(struct trm_pipeline *pipeline, uint64_t tokens)
{
    uint64_t submissions = shim->calls("vkQueueSubmit"), recordings = shim->calls("vkBeginCommandBuffer");
    run(pipeline, tokens);
    return (struct cost){shim->calls("vkQueueSubmit") - submissions,
                         shim->calls("vkBeginCommandBuffer") - recordings};
}

/* A token costs at most so many submissions, with the copy engine or with kernels, measured or not. */
static void check_submissions(int32_t strategy, uint64_t each, const char *how, int32_t measure)
{
    const struct trm_setting setting = {"vulkan.copies", how};
    struct trm_context *context      = NULL;
    struct trm_kernel *kernel        = NULL;
    shape_as_discrete();
    ck_ok(context_make(&setting, 1, &context));
    struct trm_device *device = device_open(context, NULL);
    ck_ok(spread_load(device, &kernel));
    struct trm_pipeline *pipeline = pipeline_open(device, kernel, strategy, measure);
    run(pipeline, TOKENS); /* creates what is created once */
    struct cost few = cost_of(pipeline, TOKENS), many = cost_of(pipeline, 3 * TOKENS);
    ck_assert_uint_le(many.submissions, few.submissions + 2 * TOKENS * each + FEW);
    ck_assert_uint_le(many.recordings, few.recordings + 2 * TOKENS * each + FEW);
    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    check_nothing_left("a pipeline");
}

START_TEST(a_token_on_the_stream_of_its_slot_is_one_submission)
{
    check_submissions(TRM_STRATEGY_SLOT_STREAMS, 1, copies[_i], TRM_MEASURE_NONE);
    check_submissions(TRM_STRATEGY_SLOT_STREAMS, 1, copies[_i], TRM_MEASURE_ALL);
}
END_TEST

START_TEST(a_token_that_is_a_graph_is_one_submission)
{
    check_submissions(TRM_STRATEGY_SLOT_GRAPHS, 1, copies[_i], TRM_MEASURE_NONE);
    check_submissions(TRM_STRATEGY_SLOT_GRAPHS, 1, copies[_i], TRM_MEASURE_ALL);
}
END_TEST

/* A command that resets a timestamp stops a GPU. */
START_TEST(a_measured_graph_resets_its_stamps_on_the_host)
{
    struct trm_kernel *kernel = NULL;
    shape_as_discrete();
    world_open();
    ck_ok(spread_load(the.device, &kernel));
    struct trm_pipeline *pipeline =
        pipeline_open(the.device, kernel, TRM_STRATEGY_SLOT_GRAPHS, TRM_MEASURE_ALL);
    run(pipeline, TOKENS);
    uint64_t commands = shim->calls("vkCmdResetQueryPool"), taken = shim->calls("vkGetQueryPoolResults");
    run(pipeline, TOKENS);
    ck_assert_uint_eq(shim->calls("vkCmdResetQueryPool"), commands);
    ck_assert_uint_ge(shim->calls("vkGetQueryPoolResults"), taken + TOKENS);
    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
    world_close();
}
END_TEST

/* lavapipe answers only when the device is idle, which holds up the thread that asks. */
START_TEST(stamps_of_a_software_device_are_read_without_its_driver)
{
    struct trm_report report  = {.struct_size = sizeof(report)};
    struct trm_kernel *kernel = NULL;
    uint64_t kind             = 0;
    world_open();
    ck_ok(trm_device_get_u64(the.device, TRM_DEVICE_KIND, &kind));
    ck_ok(spread_load(the.device, &kernel));
    struct trm_pipeline *pipeline =
        pipeline_open(the.device, kernel, TRM_STRATEGY_SLOT_STREAMS, TRM_MEASURE_ALL);
    uint64_t before = shim->calls("vkGetQueryPoolResults");
    run(pipeline, TOKENS);
    if (kind == TRM_DEVICE_SOFTWARE)
        ck_assert_uint_eq(shim->calls("vkGetQueryPoolResults"), before);
    ck_ok(trm_pipeline_report(pipeline, &report));
    ck_assert_uint_eq(report.measured, TOKENS);
    ck_assert_uint_gt(report.stages[TRM_STAGE_COMPUTE].busy_ns, 0);
    ck_assert_uint_lt(report.stages[TRM_STAGE_COMPUTE].busy_ns, report.elapsed_ns);
    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
    world_close();
}
END_TEST

START_TEST(a_token_on_streams_of_roles_is_a_submission_for_each)
{
    check_submissions(TRM_STRATEGY_ROLE_STREAMS, 3, copies[_i], TRM_MEASURE_NONE);
    check_submissions(TRM_STRATEGY_ROLE_STREAMS, 3, copies[_i], TRM_MEASURE_ALL);
}
END_TEST

/* ---- chains of launches ---- */

enum {
    CHAIN = 20
};

struct recorded {
    uint64_t launches, barriers, binds, descriptors, constants;
};

static struct recorded recorded_now(void)
{
    return (struct recorded){shim->calls("vkCmdDispatch"), shim->calls("vkCmdPipelineBarrier"),
                             shim->calls("vkCmdBindPipeline"), shim->calls("vkCmdPushDescriptorSetKHR"),
                             shim->calls("vkCmdPushConstants")};
}

/* One chain, or two that do not depend on each other. The one barrier more makes the end visible to the
 * host. */
static void check_chain(uint32_t chains)
{
    shape_as_discrete();
    world_open();
    struct trm_kernel *kernel     = affine_on(the.device);
    struct trm_buffer *buffers[2] = {buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES),
                                     buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES)};
    ck_ok(trm_stream_sync(the.stream));
    struct recorded before = recorded_now();
    for (uint32_t i = 0; i < CHAIN; i++)
        for (uint32_t k = 0; k < chains; k++)
            ck_ok(affine_launch(the.stream, kernel, buffers[k], 64, 3, 1));
    ck_ok(trm_stream_sync(the.stream));
    struct recorded now = recorded_now();
    ck_assert_uint_eq(now.launches - before.launches, CHAIN * chains);
    ck_assert_uint_ge(now.barriers - before.barriers, CHAIN - 1);
    ck_assert_uint_le(now.barriers - before.barriers, CHAIN);
    ck_assert_uint_eq(now.binds - before.binds, 1);
    ck_assert_uint_eq(now.constants - before.constants, 1);
    if (chains == 1)
        ck_assert_uint_le(now.descriptors - before.descriptors, 1);
    trm_buffer_destroy(buffers[0]);
    trm_buffer_destroy(buffers[1]);
    trm_kernel_destroy(kernel);
    world_close();
}

START_TEST(launches_that_depend_on_each_other_have_one_barrier_between_two_and_bind_once)
{
    check_chain(1);
}
END_TEST

START_TEST(launches_on_other_buffers_run_beside_them)
{
    check_chain(2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vulkan: tokens");
    TCase *group = group_make(suite, "tokens");
    tcase_add_loop_test(group, a_token_on_the_stream_of_its_slot_is_one_submission, 0, 2);
    tcase_add_loop_test(group, a_token_that_is_a_graph_is_one_submission, 0, 2);
    tcase_add_test(group, a_measured_graph_resets_its_stamps_on_the_host);
    tcase_add_test(group, stamps_of_a_software_device_are_read_without_its_driver);
    tcase_add_loop_test(group, a_token_on_streams_of_roles_is_a_submission_for_each, 0, 2);
    tcase_add_test(group, launches_that_depend_on_each_other_have_one_barrier_between_two_and_bind_once);
    tcase_add_test(group, launches_on_other_buffers_run_beside_them);
    return run_suite(suite);
}
