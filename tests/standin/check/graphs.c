/* Graphs: the order of their nodes, and other parameters.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/check/fixture.h"

#define BYTES (COUNT * sizeof(uint32_t))

static const struct cuda_standin_control *const control = &cuda_standin_control;

static CUDA_MEMSET_NODE_PARAMS fill_of(CUdeviceptr to, uint32_t value)
{
    return (CUDA_MEMSET_NODE_PARAMS){
        .dst = to, .value = value, .elementSize = sizeof(value), .width = COUNT, .height = 1};
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .srcDevice     = from,
                           .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .dstDevice     = to,
                           .WidthInBytes  = BYTES,
                           .Height        = 1,
                           .Depth         = 1};
}

/* A fill and a copy of what is filled; the copy depends on the fill or not. */
static CUDA_KERNEL_NODE_PARAMS node_of(CUfunction function, unsigned int items, void **parameters)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func         = function,
                                     .gridDimX     = 1,
                                     .gridDimY     = 1,
                                     .gridDimZ     = 1,
                                     .blockDimX    = items,
                                     .blockDimY    = 1,
                                     .blockDimZ    = 1,
                                     .kernelParams = parameters};
}

static uint32_t copied(bool depends)
{
    CUcontext context = begin("");
    CUdeviceptr from = make_words(), to = make_words();
    CUstream stream              = make_stream();
    CUDA_MEMSET_NODE_PARAMS fill = fill_of(from, 6);
    CUDA_MEMCPY3D copy           = copy_of(to, from);
    CUgraph graph;
    CUgraphNode first, second;
    CUgraphExec executable;
    must(cuGraphCreate(&graph, 0));
    must(cuGraphAddMemsetNode(&first, graph, NULL, 0, &fill, context));
    must(cuGraphAddMemcpyNode(&second, graph, &first, depends, &copy, context));
    must(cuGraphInstantiateWithFlags(&executable, graph, 0));
    must(cuGraphDestroy(graph));
    must(cuGraphLaunch(executable, stream));
    must(cuStreamSynchronize(stream));
    uint32_t value = read_word(to);
    must(cuGraphExecDestroy(executable));
    must(cuStreamDestroy(stream));
    must(cuMemFree(from));
    must(cuMemFree(to));
    end();
    return value;
}

START_TEST(a_node_comes_behind_what_it_depends_on)
{
    ck_assert_uint_eq(copied(true), 6);
}
END_TEST

START_TEST(a_dependency_that_is_missing_shows)
{
    ck_assert_uint_ne(copied(false), 6);
}
END_TEST

static const char adds[] =
    "extern \"C\" __global__ void k(unsigned *out, unsigned value) { atomicAdd(out, value); }";

START_TEST(other_parameters_are_those_of_the_launches_that_follow)
{
    CUmodule module;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;
    uint32_t value = 1;

    begin("");
    CUfunction function = make_kernel(&module, adds, "k");
    CUstream stream     = make_stream();
    CUdeviceptr out     = make_words();
    must(cuMemsetD32Async(out, 0, COUNT, stream));
    must(cuStreamSynchronize(stream));
    void *parameters[]                  = {&out, &value};
    CUDA_KERNEL_NODE_PARAMS node_params = node_of(function, 10, parameters);
    must(cuGraphCreate(&graph, 0));
    must(cuGraphAddKernelNode(&node, graph, NULL, 0, &node_params));
    must(cuGraphInstantiateWithFlags(&executable, graph, 0));
    must(cuGraphUpload(executable, stream));
    control->hold();
    must(cuGraphLaunch(executable, stream));
    value = 100;
    must(cuGraphExecKernelNodeSetParams(executable, node, &node_params));
    must(cuGraphLaunch(executable, stream));
    control->release();
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(out), 1010);
    must(cuGraphExecDestroy(executable));
    must(cuGraphDestroy(graph));
    must(cuModuleUnload(module));
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_graph_whose_kernel_was_unloaded_is_not_launched)
{
    CUmodule module;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;
    uint32_t value = 1;

    begin("");
    CUfunction function                       = make_kernel(&module, adds, "k");
    CUstream stream                           = make_stream();
    CUdeviceptr out                           = make_words();
    void *parameters[]                        = {&out, &value};
    const CUDA_KERNEL_NODE_PARAMS node_params = node_of(function, 1, parameters);
    must(cuGraphCreate(&graph, 0));
    must(cuGraphAddKernelNode(&node, graph, NULL, 0, &node_params));
    must(cuGraphInstantiateWithFlags(&executable, graph, 0));
    must(cuGraphLaunch(executable, stream));
    must(cuStreamSynchronize(stream));
    must(cuModuleUnload(module));
    ck_assert_int_eq(cuGraphLaunch(executable, stream), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(control->breaches(NULL, 0), 1);
    control->forget_breaches();
    must(cuGraphExecDestroy(executable));
    must(cuGraphDestroy(graph));
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(a_copy_may_be_told_another_place_of_the_same_kind_of_memory_only)
{
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;

    CUcontext context = begin("");
    CUstream stream   = make_stream();
    CUdeviceptr from = make_words(), to = make_words(), other = make_words();
    uint32_t *pinned   = make_pinned(4);
    CUDA_MEMCPY3D copy = copy_of(to, from);
    must(cuMemsetD32Async(from, 2, COUNT, stream));
    must(cuGraphCreate(&graph, 0));
    must(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    must(cuGraphInstantiateWithFlags(&executable, graph, 0));
    copy = copy_of(other, from);
    must(cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context));
    must(cuGraphLaunch(executable, stream));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(other), 2);
    copy = copy_of(other, (CUdeviceptr)(uintptr_t)pinned);
    ck_assert_int_eq(cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context),
                     CUDA_ERROR_INVALID_VALUE);
    copy              = copy_of(other, from);
    copy.WidthInBytes = 4;
    copy.Height       = 2;
    copy.srcPitch = copy.dstPitch = 8;
    ck_assert_int_eq(cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context),
                     CUDA_ERROR_INVALID_VALUE);
    must(cuGraphExecDestroy(executable));
    must(cuGraphDestroy(graph));
    must(cuMemFreeHost(pinned));
    must(cuMemFree(from));
    must(cuMemFree(to));
    must(cuMemFree(other));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(setting_something_without_a_current_context_is_a_breach)
{
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;

    CUcontext context            = begin("");
    CUdeviceptr words            = make_words();
    CUDA_MEMSET_NODE_PARAMS fill = fill_of(words, 1);
    must(cuGraphCreate(&graph, 0));
    must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, context));
    must(cuGraphInstantiateWithFlags(&executable, graph, 0));
    must(cuGraphExecMemsetNodeSetParams(executable, node, &fill, context));
    ck_assert_uint_eq(control->breaches(NULL, 0), 0);
    must(cuCtxSetCurrent(NULL));
    ck_assert_int_eq(cuGraphExecMemsetNodeSetParams(executable, node, &fill, context),
                     CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_uint_eq(control->breaches(NULL, 0), 1);
    control->forget_breaches();
    must(cuCtxSetCurrent(context));
    must(cuGraphExecDestroy(executable));
    must(cuGraphDestroy(graph));
    must(cuMemFree(words));
    end();
}
END_TEST

START_TEST(a_graph_records_the_event_that_it_was_told)
{
    CUgraph graph;
    CUgraphNode fill_node, node;
    CUgraphExec executable;

    CUcontext context = begin("");
    CUstream stream   = make_stream();
    CUevent first = make_event(), second = make_event();
    CUdeviceptr words            = make_words();
    CUDA_MEMSET_NODE_PARAMS fill = fill_of(words, 1);
    must(cuGraphCreate(&graph, 0));
    must(cuGraphAddMemsetNode(&fill_node, graph, NULL, 0, &fill, context));
    must(cuGraphAddEventRecordNode(&node, graph, &fill_node, 1, first));
    must(cuGraphInstantiateWithFlags(&executable, graph, 0));
    must(cuGraphExecEventRecordNodeSetEvent(executable, node, second));
    control->hold();
    must(cuGraphLaunch(executable, stream));
    must(cuEventQuery(first));
    ck_assert_int_eq(cuEventQuery(second), CUDA_ERROR_NOT_READY);
    control->release();
    must(cuEventSynchronize(second));
    ck_assert_uint_eq(read_word(words), 1);
    must(cuEventDestroy(first));
    must(cuEventDestroy(second));
    must(cuGraphExecDestroy(executable));
    must(cuGraphDestroy(graph));
    must(cuMemFree(words));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("graphs");

    tcase_add_test(tests, a_node_comes_behind_what_it_depends_on);
    tcase_add_test(tests, a_dependency_that_is_missing_shows);
    tcase_add_test(tests, other_parameters_are_those_of_the_launches_that_follow);
    tcase_add_test(tests, a_graph_whose_kernel_was_unloaded_is_not_launched);
    tcase_add_test(tests, a_copy_may_be_told_another_place_of_the_same_kind_of_memory_only);
    tcase_add_test(tests, setting_something_without_a_current_context_is_a_breach);
    tcase_add_test(tests, a_graph_records_the_event_that_it_was_told);
    return run_tests(tests, "graphs");
}
