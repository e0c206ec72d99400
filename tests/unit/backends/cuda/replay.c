/* The cuda backend: launches by graphs of one node. The driver's launch functions are replaced by ones
 * that record their arguments.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/stream/replay.h"
#include "backends/cuda/module/module.h"
#include "tests/unit/backends/cuda/streams.h"
#include "tests/unit/runner.h"

#define MANY 40u

static struct {
    uint32_t plain, graphs, set, launched, destroyed, living;
    uint64_t last;       /* the argument of the last launch, of either way */
    uint64_t held[1024]; /* the argument of each graph, by its number */
    uint32_t wide[1024]; /* and the number of its groups */
    uint32_t groups;     /* of the last launch by a graph */
    CUresult answer;     /* for setting parameters and for creating a graph */
    CUcontext current;   /* when parameters were set */
} made;

static CUresult CUDAAPI launch_kernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz,
                                      unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                                      CUstream stream, void **parameters, void **extra)
{
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
    (void)shared, (void)stream, (void)extra;
    made.plain++;
    memcpy(&made.last, parameters[0], sizeof(made.last));
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params)
{
    (void)graph, (void)before, (void)count;
    if (made.answer != CUDA_SUCCESS)
        return made.answer;
    *node = (CUgraphNode)(uintptr_t)(made.graphs + 1);
    memcpy(&made.held[made.graphs + 1], params->kernelParams[0], sizeof(uint64_t));
    made.wide[made.graphs + 1] = params->gridDimX;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    (void)graph, (void)flags;
    *exec = (CUgraphExec)(uintptr_t)++made.graphs;
    made.living++;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI set_params(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    (void)node;
    on.cuda->cuCtxGetCurrent(&made.current);
    if (made.answer != CUDA_SUCCESS)
        return made.answer;
    made.set++;
    memcpy(&made.held[(uintptr_t)exec], params->kernelParams[0], sizeof(uint64_t));
    made.wide[(uintptr_t)exec] = params->gridDimX;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI launch_graph(CUgraphExec exec, CUstream stream)
{
    (void)stream;
    made.launched++;
    made.last   = made.held[(uintptr_t)exec];
    made.groups = made.wide[(uintptr_t)exec];
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI destroy_exec(CUgraphExec exec)
{
    (void)exec;
    made.destroyed++;
    made.living--;
    return CUDA_SUCCESS;
}

static struct {
    struct trm_backend_stream *stream;
    struct trm_backend_kernel kernels[MANY];
    uint64_t value;
    uint32_t groups;
} use;

static const uint32_t zero[1];

static struct trm_backend_stream *stream_of(int32_t priority)
{
    const struct trm_stream_desc desc = {.struct_size = sizeof(desc), .priority = priority};
    struct trm_backend_stream *stream = NULL;
    ck_ok(ops->create(on.device, &desc, &stream));
    return stream;
}

static void set_up(void)
{
    begin();
    memset(&made, 0, sizeof(made));
    memset(&use, 0, sizeof(use));
    struct cuda_functions *cuda          = &on.instance->cuda;
    cuda->cuLaunchKernel                 = launch_kernel;
    cuda->cuGraphAddKernelNode           = add_node;
    cuda->cuGraphInstantiateWithFlags    = instantiate;
    cuda->cuGraphExecKernelNodeSetParams = set_params;
    cuda->cuGraphLaunch                  = launch_graph;
    cuda->cuGraphExecDestroy             = destroy_exec;
    for (uint32_t i = 0; i < MANY; i++)
        use.kernels[i] = (struct trm_backend_kernel){
            .name            = "kernel",
            .serial          = i + 1,
            .offsets         = zero,
            .entries         = zero,
            .entry_count     = 1,
            .parameter_count = 1,
            .argument_bytes  = 8,
            .max_group_items = 1024,
        };
    use.stream = stream_of(TRM_PRIORITY_NORMAL);
    use.groups = 1;
}

static void tear_down(void)
{
    finish(use.stream, use.value);
    ck_assert_uint_eq(made.living, 0);
    end();
}

static int32_t launch_on(struct trm_backend_stream *stream, uint64_t value, uint32_t kernel,
                         uint64_t argument)
{
    struct trm_launch_argument given = {.kind = TRM_PARAMETER_SCALAR, .size = 8, .scalar = argument};
    struct trm_launch_desc desc      = {
             .struct_size    = sizeof(desc),
             .argument_count = 1,
             .kernel         = &use.kernels[kernel],
             .arguments      = &given,
             .groups         = {use.groups, 1, 1},
             .group_size     = {32, 1, 1},
    };
    return ops->launch(stream, value, &desc);
}

static void launch(uint32_t kernel, uint64_t argument)
{
    ck_ok(launch_on(use.stream, ++use.value, kernel, argument));
    ck_assert_uint_eq(made.last, argument);
}

START_TEST(a_kernel_that_comes_again_and_again_goes_by_graphs)
{
    for (uint32_t i = 0; i < 100; i++)
        launch(0, 1000 + i);
    ck_assert_uint_lt(made.plain, 10);
    ck_assert_uint_eq(made.plain + made.launched, 100);
    ck_assert_uint_eq(made.graphs, 4);
    ck_assert_uint_eq(made.set, made.launched - 4);
}
END_TEST

/* As those of a pipeline's slots, which change by turns. */
START_TEST(graphs_that_have_a_launchs_parameters_are_only_launched)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i % (uint32_t)_i);
    uint32_t set   = made.set;
    uint64_t calls = on.control->calls("cuCtxGetCurrent") + on.control->calls("cuCtxSetCurrent");
    for (uint32_t i = 0; i < 100; i++)
        launch(0, i % (uint32_t)_i);
    ck_assert_uint_eq(made.set, set);
    ck_assert_uint_eq(on.control->calls("cuCtxGetCurrent") + on.control->calls("cuCtxSetCurrent"), calls);
    ck_assert_uint_eq(made.graphs, 4);
}
END_TEST

START_TEST(another_grid_is_another_parameter)
{
    for (uint32_t i = 0; i < 100; i++) {
        use.groups = 1 + i / 7;
        launch(0, 5);
        ck_assert(made.launched == 0 || made.groups == use.groups);
    }
    ck_assert_uint_gt(made.launched, 90);
}
END_TEST

/* They are looked for among the graphs no longer then. */
START_TEST(parameters_that_come_back_after_many_others_are_found_again)
{
    for (uint32_t i = 0; i < 300; i++)
        launch(0, 1000 + i);
    ck_assert_uint_eq(made.set, made.launched - 4);
    for (uint32_t i = 0; i < 20; i++)
        launch(0, 5);
    uint32_t set = made.set;
    for (uint32_t i = 0; i < 20; i++)
        launch(0, 5);
    ck_assert_uint_eq(made.set, set);
}
END_TEST

START_TEST(many_arguments_are_set_every_time)
{
    use.kernels[0].argument_bytes = CUDA_REPLAY_BYTES + 8;
    for (uint32_t i = 0; i < 100; i++)
        launch(0, 5);
    ck_assert_uint_eq(made.set, made.launched - 4);
}
END_TEST

START_TEST(a_kernel_that_comes_seldom_goes_plainly)
{
    for (uint32_t i = 0; i < CUDA_REPLAY_AFTER - 1; i++)
        launch(0, i);
    ck_assert_uint_eq(made.graphs, 0);
    ck_assert_uint_eq(made.plain, CUDA_REPLAY_AFTER - 1);
}
END_TEST

START_TEST(kernels_that_share_a_place_do_not_disturb_each_other)
{
    for (uint32_t i = 0; i < 200; i++) {
        launch(0, i);
        if (i % 50 == 49)
            launch(16, 7000 + i);
    }
    ck_assert_uint_eq(made.graphs, 4);
    ck_assert_uint_lt(made.plain, 15);
}
END_TEST

START_TEST(a_kernel_that_is_launched_no_more_makes_room_when_it_has_ended)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    ck_ok(ops->wait(use.stream, use.value, TRM_FOREVER));
    ck_assert_uint_eq(made.destroyed, 0);
    for (uint32_t i = 0; i < 200; i++)
        launch(16, i);
    ck_assert_uint_eq(made.destroyed, 4);
    ck_assert_uint_eq(made.graphs, 8);
}
END_TEST

START_TEST(what_runs_still_is_not_ousted)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    for (uint32_t i = 0; i < 200; i++)
        launch(16, i);
    ck_assert_uint_eq(made.destroyed, 0);
}
END_TEST

START_TEST(a_kernel_that_goes_takes_its_graphs_along)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(i % 2, i);
    ck_assert_uint_eq(made.living, 6);
    cuda_replays_forget(on.device, use.kernels[0].serial);
    ck_assert_uint_eq(made.living, 3);
    launch(1, 5);
    cuda_replays_forget(on.device, use.kernels[0].serial);
    cuda_replays_forget(on.device, use.kernels[17].serial);
    ck_assert_uint_eq(made.living, 4);
}
END_TEST

START_TEST(streams_of_high_priority_and_old_drivers_do_without)
{
    struct trm_backend_stream *high = stream_of(TRM_PRIORITY_HIGH);
    for (uint64_t i = 1; i <= 50; i++)
        ck_ok(launch_on(high, i, 0, i));
    ck_assert_uint_eq(made.plain, 50);
    finish(high, 50);
    on.instance->cuda.cuGraphExecKernelNodeSetParams = NULL;
    for (uint32_t i = 0; i < 50; i++)
        launch(0, i);
    ck_assert_uint_eq(made.plain, 100);
}
END_TEST

START_TEST(what_the_driver_does_not_take_as_a_graph_is_launched_plainly)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    made.answer    = CUDA_ERROR_INVALID_VALUE;
    uint32_t plain = made.plain;
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    ck_assert_uint_eq(made.plain, plain + 20);
    for (uint32_t i = 0; i < 20; i++)
        launch(1, i);
    ck_assert_uint_eq(made.plain, plain + 40);
}
END_TEST

START_TEST(a_failure_that_stays_is_told)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    made.answer = CUDA_ERROR_ILLEGAL_ADDRESS;
    ck_status(launch_on(use.stream, use.value + 1, 0, 1), TRM_ERROR_DEVICE_LOST);
    ck_says("CUDA_ERROR_ILLEGAL_ADDRESS");
    ops->destroy(use.stream);
    ck_assert_uint_eq(made.living, 0);
    end();
}
END_TEST

/* The driver crashes without one. */
START_TEST(parameters_are_set_with_the_context_and_the_callers_is_put_back)
{
    CUcontext now = NULL;
    ck_assert_int_eq(on.cuda->cuCtxSetCurrent(NULL), CUDA_SUCCESS);
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    ck_assert_ptr_eq(made.current, on.device->context);
    ck_assert_int_eq(on.cuda->cuCtxGetCurrent(&now), CUDA_SUCCESS);
    ck_assert_ptr_null(now);
}
END_TEST

START_TEST(a_launch_that_was_held_goes_by_a_graph_too)
{
    for (uint32_t i = 0; i < 20; i++)
        launch(0, i);
    ck_ok(ops->gate(use.stream, ++use.value));
    uint64_t gate = use.value;
    uint32_t set  = made.set;
    ck_ok(launch_on(use.stream, ++use.value, 0, 77));
    ck_assert_uint_eq(made.set, set);
    ops->open_gates(use.stream, gate);
    ck_assert_uint_eq(made.set, set + 1);
    ck_assert_uint_eq(made.last, 77);
}
END_TEST

/* 4 graphs a kernel, 16 kernels a stream. */
START_TEST(a_device_has_no_more_graphs_than_it_may)
{
    enum {
        STREAMS  = 10,
        LAUNCHES = 16 * 20
    };
    struct trm_backend_stream *streams[STREAMS];
    for (uint32_t n = 0; n < STREAMS; n++) {
        streams[n] = stream_of(TRM_PRIORITY_NORMAL);
        for (uint64_t i = 0; i < LAUNCHES; i++)
            ck_ok(launch_on(streams[n], i + 1, (uint32_t)(i % 16), i));
    }
    ck_assert_uint_eq(made.living, 512);
    ck_assert_uint_eq(atomic_load(&on.device->replays), 512);
    for (uint32_t n = 0; n < STREAMS; n++)
        finish(streams[n], LAUNCHES);
    ck_assert_uint_eq(atomic_load(&on.device->replays), 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("cuda replay");
    TCase *group  = tcase_create("graphs of one node");
    TCase *failed = tcase_create("failures");
    tcase_add_checked_fixture(group, set_up, tear_down);
    tcase_add_test(group, a_kernel_that_comes_again_and_again_goes_by_graphs);
    tcase_add_loop_test(group, graphs_that_have_a_launchs_parameters_are_only_launched, 1, 5);
    tcase_add_test(group, another_grid_is_another_parameter);
    tcase_add_test(group, parameters_that_come_back_after_many_others_are_found_again);
    tcase_add_test(group, many_arguments_are_set_every_time);
    tcase_add_test(group, a_kernel_that_comes_seldom_goes_plainly);
    tcase_add_test(group, kernels_that_share_a_place_do_not_disturb_each_other);
    tcase_add_test(group, a_kernel_that_is_launched_no_more_makes_room_when_it_has_ended);
    tcase_add_test(group, what_runs_still_is_not_ousted);
    tcase_add_test(group, a_kernel_that_goes_takes_its_graphs_along);
    tcase_add_test(group, streams_of_high_priority_and_old_drivers_do_without);
    tcase_add_test(group, what_the_driver_does_not_take_as_a_graph_is_launched_plainly);
    tcase_add_test(group, parameters_are_set_with_the_context_and_the_callers_is_put_back);
    tcase_add_test(group, a_launch_that_was_held_goes_by_a_graph_too);
    tcase_add_test(group, a_device_has_no_more_graphs_than_it_may);
    suite_add_tcase(suite, group);
    tcase_add_checked_fixture(failed, set_up, NULL);
    tcase_add_test(failed, a_failure_that_stays_is_told);
    suite_add_tcase(suite, failed);
    return suite;
}

UNIT_SUITE(make_suite)
