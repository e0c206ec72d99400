/* Tests of devices that lack something: what the backend does instead, and what it refuses.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/scenario.h"
#include "tests/vulkan/fixture.h"

#include <stdio.h>

/* ---- devices that are good enough -- */

/* Lists of variables and values for the shim, each ended by NULL. */
static const char *const without[][9] = {
    {"VULKAN_SHIM_HIDE", "VK_KHR_push_descriptor", NULL},
    {"VULKAN_SHIM_LIMITS", "maxPushDescriptors=1", NULL},
    {"VULKAN_SHIM_HIDE", "VK_EXT_calibrated_timestamps", NULL},
    {"VULKAN_SHIM_HIDE", "VK_EXT_external_memory_host", NULL},
    {"VULKAN_SHIM_HIDE", "VK_EXT_memory_budget,VK_EXT_robustness2", NULL},
    {"VULKAN_SHIM_API", "1.1", NULL},
    {"VULKAN_SHIM_LIMITS", "maxMemoryAllocationCount=12", NULL},
    {"VULKAN_SHIM_LIMITS", "maxStorageBufferRange=1048576,maxMemoryAllocationSize=16777216", NULL},
    {"VULKAN_SHIM_FAMILIES", "compute:1:0", NULL},
    {"VULKAN_SHIM_FAMILIES", "compute:8:64", NULL},
    {"VULKAN_SHIM_FAMILIES", "graphics:1:64,transfer:1:0", "VULKAN_SHIM_MEMORY", "discrete", NULL},
    {"VULKAN_SHIM_FAMILIES", "transfer:2:36,compute:4:36,graphics:16:36", "VULKAN_SHIM_MEMORY", "bar",
     "VULKAN_SHIM_DELAY", "300", NULL},
    {"VULKAN_SHIM_FAMILIES", "graphics:16:64,transfer:2:64,compute:8:64", "VULKAN_SHIM_MEMORY", "discrete",
     "VULKAN_SHIM_DELAY", "100", "VULKAN_SHIM_DRIVER", "4", NULL},
    {"VULKAN_SHIM_FAMILIES", "graphics:1:64", "VULKAN_SHIM_MEMORY", "discrete", "VULKAN_SHIM_HIDE",
     "VK_KHR_push_descriptor,VK_EXT_calibrated_timestamps,VK_EXT_external_memory_host", NULL},
};

START_TEST(everything_works_without_optional_features)
{
    shim_shape(without[_i]);
    scenario_succeed(without[_i][1], NULL);
    check_nothing_left(without[_i][1]);
}
END_TEST

/* ---- devices that are not -- */

/* No device of the shape is usable, and the error says why. */
static void is_refused(const char *const *shape, const char *words)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    shim_shape(shape);
    int32_t status = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    ck_assert_msg(status < 0, "a device was opened that is no good");
    ck_sentence_has(words);
    ck_assert_ptr_null(device);
    trm_context_destroy(context);
    check_nothing_left(words);
}

START_TEST(a_device_of_vulkan_1_0_is_refused)
{
    static const char *const shape[] = {"VULKAN_SHIM_API", "1.0", NULL};
    is_refused(shape, "1.");
}
END_TEST

START_TEST(a_device_of_vulkan_1_1_without_timelines_is_refused)
{
    static const char *const shape[] = {"VULKAN_SHIM_API", "1.1", "VULKAN_SHIM_HIDE",
                                        "VK_KHR_timeline_semaphore", NULL};
    is_refused(shape, "timeline");
}
END_TEST

START_TEST(a_device_without_a_compute_queue_is_refused)
{
    static const char *const shape[] = {"VULKAN_SHIM_FAMILIES", "transfer:2:64", NULL};
    is_refused(shape, "compute");
}
END_TEST

START_TEST(a_missing_loader_is_named)
{
    struct trm_setting setting  = {"vulkan.loader", "libvulkan-that-does-not-exist.so.1"};
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(&setting, 1, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    ck_assert_int_lt(status, 0);
    ck_sentence_has("libvulkan-that-does-not-exist.so.1");
    trm_context_destroy(context);
    check_nothing_left("the test");
}
END_TEST

/* ---- limits ---- */

static int32_t fill_and_read(struct trm_buffer *buffer, uint64_t size)
{
    uint8_t last   = 0;
    int32_t status = trm_fill(the.stream, trm_span_whole(buffer), 0x5a, 1);
    if (status == TRM_OK)
        status = trm_download(the.stream, &last, trm_span_of(buffer, size - 1, 1));
    if (status == TRM_OK)
        status = trm_stream_sync(the.stream);
    ck_assert(status != TRM_OK || last == 0x5a);
    return status;
}

START_TEST(memory_beyond_the_devices_is_refused_and_can_be_freed)
{
    static const char *const shape[] = {"VULKAN_SHIM_MEMORY", "discrete", "VULKAN_SHIM_LIMITS",
                                        "heap=100000000", NULL};
    enum {
        PIECE = 8 << 20,
        MOST  = 32
    };
    struct trm_buffer *buffers[MOST];
    unsigned count = 0;
    int32_t status = TRM_OK;
    shim_shape(shape);
    world_open();
    while (status == TRM_OK && count < MOST) {
        status = trm_buffer_create(the.device, TRM_MEMORY_DEVICE, PIECE, &buffers[count]);
        count += status == TRM_OK;
    }
    ck_assert_int_eq(status, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert(trm_last_error().sentence[0]);
    ck_assert_uint_ge(count, 6); /* most of the memory can be allocated */
    ck_ok(fill_and_read(buffers[count - 1], PIECE));
    while (count > 0)
        trm_buffer_destroy(buffers[--count]);
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 5 * PIECE, &buffers[0])); /* in one buffer */
    ck_ok(fill_and_read(buffers[0], 5 * PIECE));
    trm_buffer_destroy(buffers[0]);
    world_close();
}
END_TEST

START_TEST(many_buffers_need_few_allocations)
{
    static const char *const shape[] = {"VULKAN_SHIM_LIMITS", "maxMemoryAllocationCount=16", NULL};
    struct trm_buffer *buffers[500];
    shim_shape(shape);
    world_open();
    for (int i = 0; i < 500; i++)
        ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 10000, &buffers[i]));
    for (int i = 0; i < 500; i += 50)
        ck_ok(fill_and_read(buffers[i], 10000));
    for (int i = 0; i < 500; i++)
        trm_buffer_destroy(buffers[i]);
    world_close();
}
END_TEST

/* ---- steady state ---- */

static uint64_t calls_of(const char *const *functions)
{
    uint64_t sum = 0;
    for (; *functions; functions++)
        sum += shim->calls(*functions);
    return sum;
}

static const char *const making[] = {"vkAllocateMemory",
                                     "vkCreateBuffer",
                                     "vkCreateSemaphore",
                                     "vkCreateCommandPool",
                                     "vkMapMemory",
                                     "vkAllocateDescriptorSets",
                                     "vkCreateDescriptorPool",
                                     "vkCreateComputePipelines",
                                     NULL};

static void work_once(struct trm_kernel *kernel, struct trm_buffer *buffer)
{
    static uint32_t numbers[1000];
    ck_ok(trm_upload(the.stream, trm_span_whole(buffer), numbers));
    for (int k = 0; k < 5; k++)
        ck_ok(affine_launch(the.stream, kernel, buffer, 1000, 3, 1));
    ck_ok(trm_download(the.stream, numbers, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(the.stream));
}

static void (*const steady_shapes[])(void) = {shape_as_plain, shape_as_discrete};

START_TEST(in_the_steady_state_nothing_is_created)
{
    struct trm_buffer *buffer = NULL;
    steady_shapes[_i]();
    world_open();
    struct trm_kernel *kernel = affine_on(the.device);
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 4000, &buffer));
    for (int i = 0; i < 20; i++)
        work_once(kernel, buffer);
    uint64_t made = calls_of(making);
    long bytes    = bytes_taken();
    for (int i = 0; i < 100; i++)
        work_once(kernel, buffer);
    ck_assert_uint_eq(calls_of(making), made);
    ck_assert_int_eq(bytes_taken(), bytes);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    world_close();
}
END_TEST

/* Launches again while the last launch, on this or another stream, is in flight: a query that is reset must
 * not be in use. */
static void check_timed_graph(void)
{
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *recording, *other = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_event *begin = NULL, *end = NULL;
    struct trm_kernel *kernel = affine_on(the.device);
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, 4000);
    int64_t ns                = 0;
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &begin));
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &end));
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(trm_event_record(begin, recording));
    ck_ok(affine_launch(recording, kernel, buffer, 1000, 1, 1));
    ck_ok(trm_event_record(end, recording));
    ck_ok(trm_graph_instantiate(graph, &exec));
    for (int i = 0; i < 12; i++) {
        ck_ok(trm_graph_launch(exec, i / 2 % 2 ? other : the.stream));
        if (i % 5 == 4)
            ck_ok(trm_device_sync(the.device));
    }
    ck_ok(trm_device_sync(the.device));
    ck_ok(trm_event_elapsed(begin, end, &ns));
    ck_assert_int_ge(ns, 0);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_event_destroy(begin);
    trm_event_destroy(end);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    trm_stream_destroy(other);
}

static void (*const timed_shapes[])(void) = {shape_as_plain, shape_as_discrete, shape_as_minimal};

START_TEST(a_timed_graph_may_be_launched_while_it_runs)
{
    timed_shapes[_i]();
    world_open();
    uint64_t commands = shim->calls("vkCmdResetQueryPool");
    check_timed_graph();
    if (_i == 1)
        ck_assert_uint_gt(shim->calls("vkCmdResetQueryPool"), commands);
    world_close();
    check_nothing_left("a graph");
}
END_TEST

START_TEST(launches_of_one_stream_are_submitted_together)
{
    struct trm_buffer *buffer = NULL;
    shape_as_plain();
    world_open();
    struct trm_kernel *kernel = affine_on(the.device);
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 4000, &buffer));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
    ck_ok(trm_stream_sync(the.stream));
    uint64_t submits = shim->calls("vkQueueSubmit");
    for (int i = 0; i < 50; i++)
        ck_ok(affine_launch(the.stream, kernel, buffer, 1000, 1, 1));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_le(shim->calls("vkQueueSubmit") - submits, 10);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
    world_close();
}
END_TEST

int main(void)
{
    Suite *suite   = suite_create("vulkan: choices");
    TCase *lacking = tcase_create("lacking"), *refused = tcase_create("refused"),
          *limits = tcase_create("limits"), *steady = tcase_create("steady state");
    tcase_add_loop_test(lacking, everything_works_without_optional_features, 0,
                        sizeof(without) / sizeof(without[0]));
    suite_add_tcase(suite, lacking);
    tcase_add_test(refused, a_device_of_vulkan_1_0_is_refused);
    tcase_add_test(refused, a_device_of_vulkan_1_1_without_timelines_is_refused);
    tcase_add_test(refused, a_device_without_a_compute_queue_is_refused);
    tcase_add_test(refused, a_missing_loader_is_named);
    suite_add_tcase(suite, refused);
    tcase_add_test(limits, memory_beyond_the_devices_is_refused_and_can_be_freed);
    tcase_add_test(limits, many_buffers_need_few_allocations);
    suite_add_tcase(suite, limits);
    tcase_add_loop_test(steady, in_the_steady_state_nothing_is_created, 0, 2);
    tcase_add_loop_test(steady, a_timed_graph_may_be_launched_while_it_runs, 0, 3);
    tcase_add_test(steady, launches_of_one_stream_are_submitted_together);
    suite_add_tcase(suite, steady);
    return run_suite(suite);
}
