/* Tests of which copies use the engine and which use kernels, by the commands that are recorded.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

enum {
    SMALL = 1 << 20,
    LARGE = 8 << 20
};

/* A GPU with one copy engine behind all queues, named like NVIDIA's driver. */
static const char *const nvidia[] = {"VULKAN_SHIM_FAMILIES",
                                     "graphics:4:64,transfer:2:64,compute:8:64",
                                     "VULKAN_SHIM_MEMORY",
                                     "discrete",
                                     "VULKAN_SHIM_DELAY",
                                     "100",
                                     "VULKAN_SHIM_DRIVER",
                                     "4",
                                     NULL};

static struct trm_buffer *pinned, *device_memory;

static void open_with(const char *const *shape, const char *how)
{
    const struct trm_setting setting = {"vulkan.copies", how};
    shim_shape(shape);
    ck_ok(context_make(&setting, 1, &the.context));
    the.device    = device_open(the.context, NULL);
    the.stream    = NULL;
    pinned        = buffer_open(the.device, TRM_MEMORY_PINNED, LARGE);
    device_memory = buffer_open(the.device, TRM_MEMORY_DEVICE, LARGE);
}

static void close_all(void)
{
    trm_buffer_destroy(pinned);
    trm_buffer_destroy(device_memory);
    world_close();
}

/* Whether a kernel does a copy on the stream, to or from device memory. Checks that only one way is used. */
static bool by_kernel(struct trm_stream *stream, bool up, uint64_t bytes)
{
    struct trm_span host = trm_span_of(pinned, 0, bytes), device = trm_span_of(device_memory, 0, bytes);
    uint64_t copies = shim->calls("vkCmdCopyBuffer"), kernels = shim->calls("vkCmdDispatch");
    ck_ok(up ? trm_copy(stream, device, host) : trm_copy(stream, host, device));
    ck_ok(trm_stream_sync(stream));
    copies  = shim->calls("vkCmdCopyBuffer") - copies;
    kernels = shim->calls("vkCmdDispatch") - kernels;
    ck_assert_uint_eq(copies + kernels, 1);
    return kernels == 1;
}

/* Downloaded data equals uploaded data, although the streams change queues. */
static void check_data(struct trm_stream *up, struct trm_stream *down)
{
    static const uint64_t sizes[] = {SMALL, LARGE, SMALL};
    uint8_t *bytes                = NULL;
    ck_ok(trm_buffer_host_pointer(pinned, (void **)&bytes));
    for (unsigned round = 0; round < 3; round++) {
        struct trm_span host   = trm_span_of(pinned, 0, sizes[round]),
                        device = trm_span_of(device_memory, 0, sizes[round]);
        struct trm_point point;
        memset(bytes, (int)round + 1, LARGE);
        ck_ok(trm_copy(up, device, host));
        ck_ok(trm_stream_sync(up));
        memset(bytes, 0, LARGE);
        ck_ok(trm_stream_mark(up, &point));
        ck_ok(trm_stream_wait(down, point));
        ck_ok(trm_copy(down, host, device));
        ck_ok(trm_stream_sync(down));
        ck_assert_uint_eq(bytes[0], round + 1);
        ck_assert_uint_eq(bytes[sizes[round] - 1], round + 1);
    }
}

START_TEST(streams_for_copies_use_the_engine_until_there_is_a_large_one)
{
    open_with(nvidia, "auto");
    struct trm_stream *up   = stream_open(the.device, TRM_STREAM_UPLOAD),
                      *down = stream_open(the.device, TRM_STREAM_DOWNLOAD);
    for (int i = 0; i < 3; i++) {
        ck_assert(!by_kernel(up, true, SMALL));
        ck_assert(!by_kernel(down, false, SMALL));
    }
    ck_assert(by_kernel(up, true, LARGE));
    ck_assert(!by_kernel(down, false, SMALL));
    ck_assert(by_kernel(down, false, LARGE));
    for (int i = 0; i < 3; i++) {
        ck_assert(by_kernel(up, true, SMALL));
        ck_assert(by_kernel(down, false, SMALL));
    }
    trm_stream_destroy(up);
    trm_stream_destroy(down);
    close_all();
    check_nothing_left("copies");
}
END_TEST

START_TEST(what_is_copied_arrives_while_a_stream_changes_its_queue)
{
    open_with(nvidia, "auto");
    struct trm_stream *up   = stream_open(the.device, TRM_STREAM_UPLOAD),
                      *down = stream_open(the.device, TRM_STREAM_DOWNLOAD);
    check_data(up, down);
    trm_stream_destroy(up);
    trm_stream_destroy(down);
    close_all();
    check_nothing_left("copies");
}
END_TEST

START_TEST(streams_that_run_kernels_copy_by_kernels)
{
    open_with(nvidia, "auto");
    struct trm_stream *any     = stream_open(the.device, TRM_STREAM_ANY),
                      *compute = stream_open(the.device, TRM_STREAM_COMPUTE);
    ck_assert(by_kernel(any, true, SMALL));
    ck_assert(by_kernel(any, false, LARGE));
    ck_assert(by_kernel(compute, true, SMALL));
    trm_stream_destroy(any);
    trm_stream_destroy(compute);
    close_all();
    check_nothing_left("copies");
}
END_TEST

/* Computes for more than 20 ms, and waits. */
static void compute_for_long(struct trm_stream *stream, struct trm_kernel *slow)
{
    struct trm_argument argument = trm_arg_u32(20000);
    struct trm_grid grid         = trm_grid_1d(1, 0);
    ck_ok(trm_launch(stream, slow, &grid, &argument, 1));
    ck_ok(trm_stream_sync(stream));
}

/* So long for each 8 MiB, and then not at all. */
START_TEST(large_copies_use_the_engine_while_kernels_are_long)
{
    struct trm_kernel *slow = NULL;
    unsigned round          = 0;
    open_with(nvidia, "auto");
    struct trm_stream *up   = stream_open(the.device, TRM_STREAM_UPLOAD),
                      *work = stream_open(the.device, TRM_STREAM_COMPUTE);
    ck_ok(dawdle_load(the.device, &slow));
    ck_assert(by_kernel(up, true, LARGE));
    for (; round < 30 && by_kernel(up, true, LARGE); round++)
        compute_for_long(work, slow);
    ck_assert_uint_lt(round, 30);
    ck_assert(!by_kernel(up, true, SMALL));
    for (round = 0; round < 3000 && !by_kernel(up, true, LARGE); round++)
        ;
    ck_assert_uint_lt(round, 3000);
    trm_kernel_destroy(slow);
    trm_stream_destroy(up);
    trm_stream_destroy(work);
    close_all();
    check_nothing_left("copies");
}
END_TEST

START_TEST(a_stream_for_copies_that_runs_kernels_stays_on_a_queue_for_them)
{
    struct trm_kernel *slow = NULL;
    open_with(nvidia, "auto");
    struct trm_stream *up = stream_open(the.device, TRM_STREAM_UPLOAD);
    ck_ok(dawdle_load(the.device, &slow));
    for (unsigned round = 0; round < 10; round++) {
        compute_for_long(up, slow);
        ck_assert(by_kernel(up, true, LARGE));
    }
    trm_kernel_destroy(slow);
    trm_stream_destroy(up);
    close_all();
    check_nothing_left("copies");
}
END_TEST

static void all_go(const char *how, bool kernels)
{
    static const int32_t roles[] = {TRM_STREAM_UPLOAD, TRM_STREAM_DOWNLOAD, TRM_STREAM_ANY};
    open_with(nvidia, how);
    for (int i = 0; i < 3; i++) {
        struct trm_stream *stream = stream_open(the.device, roles[i]);
        ck_assert_int_eq(by_kernel(stream, true, SMALL), kernels);
        ck_assert_int_eq(by_kernel(stream, false, LARGE), kernels);
        trm_stream_destroy(stream);
    }
    close_all();
    check_nothing_left("copies");
}

START_TEST(the_engine_does_all_copies_if_requested)
{
    all_go("engine", false);
}
END_TEST

START_TEST(kernels_do_all_copies_if_requested)
{
    all_go("kernel", true);
}
END_TEST

START_TEST(on_other_drivers_the_engine_does_all_copies)
{
    static const char *const radv[] = {"VULKAN_SHIM_FAMILIES",
                                       "graphics:1:64,transfer:2:64,compute:4:64",
                                       "VULKAN_SHIM_MEMORY",
                                       "discrete",
                                       "VULKAN_SHIM_DRIVER",
                                       "3",
                                       NULL};
    open_with(radv, "auto");
    struct trm_stream *up = stream_open(the.device, TRM_STREAM_UPLOAD);
    ck_assert(!by_kernel(up, true, LARGE));
    trm_stream_destroy(up);
    close_all();
    check_nothing_left("copies");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vulkan: copies");
    TCase *group = group_make(suite, "copies");
    tcase_add_test(group, streams_for_copies_use_the_engine_until_there_is_a_large_one);
    tcase_add_test(group, what_is_copied_arrives_while_a_stream_changes_its_queue);
    tcase_add_test(group, streams_that_run_kernels_copy_by_kernels);
    tcase_add_test(group, large_copies_use_the_engine_while_kernels_are_long);
    tcase_add_test(group, a_stream_for_copies_that_runs_kernels_stays_on_a_queue_for_them);
    tcase_add_test(group, the_engine_does_all_copies_if_requested);
    tcase_add_test(group, kernels_do_all_copies_if_requested);
    tcase_add_test(group, on_other_drivers_the_engine_does_all_copies);
    return run_suite(suite);
}
