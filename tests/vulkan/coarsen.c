/* Tests of thread coarsening on devices: each item runs once, and the recorded commands show which kernels
 * are coarsened.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP  = 64, /* of the kernel `affine` */
    GROUPS = 21,
    N      = GROUP * GROUPS,
    REST   = 7, /* numbers behind the largest grid */
};

static const char *const discrete[] = {"VULKAN_SHIM_MEMORY", "discrete", NULL};
static const char *const plain[]    = {NULL};

static struct trm_kernel *kernel;
static struct trm_buffer *data;

static void open_with(const char *const *shape, const char *items, uint64_t numbers)
{
    const struct trm_setting setting = {"vulkan.items", items};
    shim_shape(shape);
    ck_ok(context_make(&setting, 1, &the.context));
    the.device = device_open(the.context, NULL);
    the.stream = stream_open(the.device, TRM_STREAM_ANY);
    kernel     = affine_on(the.device);
    data       = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * numbers);
}

static void close_all(void)
{
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(data);
    world_close();
}

/* How many commands a launch records, and how many pipelines it creates. */
struct commands {
    uint64_t whole, based, pipelines;
};

static struct commands commands_now(void)
{
    return (struct commands){shim->calls("vkCmdDispatch"), shim->calls("vkCmdDispatchBase"),
                             shim->calls("vkCreateComputePipelines")};
}

static struct commands commands_since(struct commands before)
{
    struct commands now = commands_now();
    return (struct commands){now.whole - before.whole, now.based - before.based,
                             now.pipelines - before.pipelines};
}

static struct commands launch(uint32_t groups, uint32_t count)
{
    const struct trm_grid grid      = {.groups = {groups, 1, 1}};
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(count), trm_arg_u32(3),
                                       trm_arg_u32(5)};
    struct commands before          = commands_now();
    ck_ok(trm_launch(the.stream, kernel, &grid, arguments, 4));
    ck_ok(trm_stream_sync(the.stream));
    return commands_since(before);
}

/* Launches `groups` groups for `count` numbers. Checks that each number in both ranges is changed once, and
 * that no other number is. */
static struct commands check_launch(uint32_t groups, uint32_t count)
{
    static uint32_t numbers[N + REST];
    uint32_t end = groups * GROUP < count ? groups * GROUP : count;
    for (uint32_t i = 0; i < N + REST; i++)
        numbers[i] = i;
    ck_ok(trm_upload(the.stream, trm_span_whole(data), numbers));
    struct commands commands = launch(groups, count);
    ck_ok(trm_download(the.stream, numbers, trm_span_whole(data)));
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < N + REST; i++)
        ck_assert_msg(numbers[i] == (i < end ? 3 * i + 5 : i), "%u groups, %u numbers: number %u is %u",
                      groups, count, i, numbers[i]);
    return commands;
}

/* ---- each item runs once ---- */

static const char *const items[] = {"1", "2", "3", "4", "7", "8"};

START_TEST(each_item_runs_once_whatever_the_remainder_of_the_grid)
{
    uint32_t factor = (uint32_t)atoi(items[_i]);
    open_with(plain, items[_i], N + REST);
    for (uint32_t groups = 1; groups <= GROUPS; groups++) {
        struct commands commands = check_launch(groups, N + REST);
        ck_assert_uint_eq(commands.pipelines, factor > 1 && groups == factor ? 2 : 0);
        ck_assert_uint_eq(commands.whole, 1);
        ck_assert_uint_eq(commands.based, factor > 1 && groups >= factor && groups % factor != 0);
    }
    close_all();
    check_nothing_left("items");
}
END_TEST

START_TEST(invocations_that_return_early_write_nothing)
{
    open_with(plain, items[_i], N + REST);
    for (uint32_t count = 0; count <= N; count += 29)
        check_launch(GROUPS, count);
    close_all();
}
END_TEST

/* ---- which kernels and grids are coarsened ---- */

static const char by_place[] = "#version 450\n"
                               "layout(local_size_x = 64) in;\n"
                               "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                               "void main() { data[gl_GlobalInvocationID.x] = gl_WorkGroupID.x; }\n";

static const char by_sum[] = "#version 450\n"
                             "layout(local_size_x = 64) in;\n"
                             "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                             "void main() { atomicAdd(data[0], gl_GlobalInvocationID.x); }\n";

/* Checks that a kernel in GLSL runs uncoarsened. Returns false where the library has no GLSL compiler. */
static bool check_uncoarsened(const char *text)
{
    const struct trm_grid grid      = {.groups = {GROUPS, 1, 1}};
    struct trm_argument arguments[] = {trm_arg_buffer(data)};
    struct trm_module_desc desc     = {.struct_size = sizeof(desc),
                                       .format      = TRM_MODULE_GLSL,
                                       .data        = text,
                                       .size        = strlen(text),
                                       .name        = "text"};
    struct trm_module *module       = NULL;
    struct trm_kernel *found        = NULL;
    int32_t status                  = trm_module_load(the.device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED)
        return false;
    ck_ok(status);
    ck_ok(trm_kernel_get(module, NULL, &found));
    struct commands before = commands_now();
    ck_ok(trm_launch(the.stream, found, &grid, arguments, 1));
    ck_ok(trm_stream_sync(the.stream));
    struct commands commands = commands_since(before);
    ck_assert_uint_eq(commands.pipelines, 0);
    ck_assert_uint_eq(commands.based, 0);
    trm_kernel_destroy(found);
    trm_module_destroy(module);
    return true;
}

START_TEST(kernels_that_could_observe_it_stay_uncoarsened)
{
    open_with(plain, "4", N);
    if (!check_uncoarsened(by_place) || !check_uncoarsened(by_sum))
        skip(trm_last_error().sentence);
    close_all();
    check_nothing_left("other kernels");
}
END_TEST

/* The creation of one of the two pipelines fails. */
static const char *const refusals[] = {"vkCreateComputePipelines:1:on:VK_ERROR_INITIALIZATION_FAILED",
                                       "vkCreateComputePipelines:2:on:VK_ERROR_INITIALIZATION_FAILED"};

START_TEST(kernels_that_the_driver_rejects_run_uncoarsened)
{
    open_with(plain, "4", N + REST);
    check_launch(1, N); /* afterwards the backend's own kernels exist, such as the one for uploads */
    ck_assert_int_eq(shim->arm(refusals[_i]), 0);
    struct commands commands = check_launch(GROUPS, N);
    ck_assert_uint_eq(shim->failures(), 1);
    shim->arm(NULL);
    ck_assert_uint_eq(commands.based, 0);
    commands = check_launch(GROUPS, N);
    ck_assert_uint_eq(commands.pipelines, 0); /* the backend does not try again */
    ck_assert_uint_eq(commands.based, 0);
    close_all();
    check_nothing_left("pipelines that were refused");
}
END_TEST

START_TEST(a_gpu_coarsens_large_grids)
{
    const uint32_t large = (2u << 20) / GROUP + 1;
    open_with(discrete, "0", (uint64_t)large * GROUP);
    ck_assert_uint_eq(launch(large - 2, 0).pipelines, 0);
    ck_assert_uint_eq(launch(large - 1, 0).pipelines, 2);
    ck_assert_uint_eq(launch(large - 1, 0).based, 0); /* 4 divides it */
    ck_assert_uint_eq(launch(large, 0).based, 1);
    close_all();
}
END_TEST

START_TEST(a_software_device_does_not_coarsen)
{
    uint64_t kind = 0;
    open_with(plain, "0", N);
    ck_ok(trm_device_get_u64(the.device, TRM_DEVICE_KIND, &kind));
    if (kind == TRM_DEVICE_SOFTWARE)
        ck_assert_uint_eq(launch(GROUPS, 0).pipelines, 0);
    else
        skip("the device is a GPU");
    close_all();
}
END_TEST

START_TEST(graphs_use_coarsened_kernels)
{
    open_with(plain, "4", N + REST);
    struct trm_graph *graph         = NULL;
    struct trm_graph_exec *exec     = NULL;
    struct trm_stream *recording    = NULL;
    uint32_t numbers[2]             = {7, 7};
    const struct trm_grid grid      = {.groups = {GROUPS, 1, 1}};
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(N), trm_arg_u32(1), trm_arg_u32(1)};
    uint64_t based                  = shim->calls("vkCmdDispatchBase");
    ck_ok(trm_fill(the.stream, trm_span_whole(data), 0, 4));
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(trm_launch(recording, kernel, &grid, arguments, 4));
    ck_ok(trm_graph_instantiate(graph, &exec));
    for (int i = 0; i < 3; i++)
        ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_download(the.stream, numbers, trm_span_of(data, UINT64_C(4) * (N - 1), 8)));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(numbers[0], 3);
    ck_assert_uint_eq(numbers[1], 0);
    ck_assert_uint_ge(shim->calls("vkCmdDispatchBase") - based, 1);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    close_all();
    check_nothing_left("graphs");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vulkan: coarsening");
    TCase *once = group_make(suite, "once"), *choice = group_make(suite, "choice");
    const int count = (int)(sizeof(items) / sizeof(items[0]));
    tcase_add_loop_test(once, each_item_runs_once_whatever_the_remainder_of_the_grid, 0, count);
    tcase_add_loop_test(once, invocations_that_return_early_write_nothing, 0, count);
    tcase_add_test(choice, kernels_that_could_observe_it_stay_uncoarsened);
    tcase_add_loop_test(choice, kernels_that_the_driver_rejects_run_uncoarsened, 0, 2);
    tcase_add_test(choice, a_gpu_coarsens_large_grids);
    tcase_add_test(choice, a_software_device_does_not_coarsen);
    tcase_add_test(choice, graphs_use_coarsened_kernels);
    return run_suite(suite);
}
