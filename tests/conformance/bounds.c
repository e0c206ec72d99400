/* The settings kernel.bounds and kernel.barriers. With the former, a kernel that reaches outside of its span
 * fails its stream with the variable, the index and the size, or the log warns that it does not. The log also
 * warns where the latter does nothing.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "harness.h"
#include "kernels.h"
#include "shaders.h"

enum {
    N = 256
};

static const char overrun[] = "#version 450\n"
                              "layout(local_size_x = 64) in;\n"
                              "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                              "layout(push_constant) uniform A { uint n; };\n"
                              "void main() {\n"
                              "    if (gl_GlobalInvocationID.x == 0)\n"
                              "        data[n] = 7;\n"
                              "}\n";

/* A context with the setting, its device, a module, and a buffer of N numbers, of which kernels get the first
 * half. */
struct bounded {
    struct trm_context *context;
    struct trm_device *device, *outer;
    struct trm_module *module;
    struct trm_kernel *kernel;
    struct trm_stream *doomed, *other;
    struct trm_buffer *buffer;
    uint32_t numbers[N], found[N];
};

static bool open_checked(struct bounded *it, const struct trm_module_desc *desc, const char *name)
{
    struct trm_setting setting = {.name = name, .value = "yes"};
    *it                        = (struct bounded){.outer = the.device};
    for (uint32_t i = 0; i < N; i++)
        it->numbers[i] = i;
    ck_ok(context_with(&setting, 1, &it->context));
    it->device = open_device(it->context);
    the.device = it->device;
    it->buffer = make_buffer(it->device, TRM_MEMORY_DEVICE, sizeof(it->numbers));
    ck_ok(trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &it->doomed));
    ck_ok(trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &it->other));
    put(it->other, it->buffer, 0, it->numbers, sizeof(it->numbers));
    int32_t status = trm_module_load(it->device, desc, &it->module);
    if (status == TRM_ERROR_UNSUPPORTED)
        return false;
    ck_ok(status);
    ck_ok(trm_kernel_get(it->module, NULL, &it->kernel));
    return true;
}

static bool open_bounded(struct bounded *it, const struct trm_module_desc *desc)
{
    return open_checked(it, desc, "kernel.bounds");
}

static void close_bounded(struct bounded *it)
{
    the.device = it->outer;
    trm_kernel_destroy(it->kernel);
    trm_module_destroy(it->module);
    trm_buffer_destroy(it->buffer);
    trm_stream_destroy(it->other);
    trm_stream_destroy(it->doomed);
    trm_device_destroy(it->device);
    trm_context_destroy(it->context);
}

static int32_t launch_outside(struct bounded *it, struct trm_stream *stream)
{
    struct trm_argument arguments[] = {trm_arg_span(trm_span_of(it->buffer, 0, sizeof(it->numbers) / 2)),
                                       trm_arg_u32(N), trm_arg_u32(3), trm_arg_u32(1)};
    return launch_1d(stream, it->kernel, N, arguments, 4);
}

/* Does this backend fail such launches? If not, the log must have said so. */
static bool is_reported(int32_t status)
{
    ck_assert_msg(status == TRM_OK || status == TRM_ERROR_KERNEL, "the stream: %s", trm_status_name(status));
    ck_assert_msg(status == TRM_ERROR_KERNEL || log_has(TRM_LOG_WARNING, "kernel.bounds"),
                  "the launch succeeds, and no warning names kernel.bounds");
    return status == TRM_ERROR_KERNEL;
}

static void nothing_behind_was_written(struct bounded *it)
{
    get(it->other, it->buffer, 0, it->found, sizeof(it->found));
    for (uint32_t i = N / 2; i < N; i++)
        ck_assert_uint_eq(it->found[i], i);
}

/* What the kernel writes within its span does not matter. */
START_TEST(with_the_setting_kernel_bounds_a_kernel_harms_nothing_behind_its_span)
{
    struct bounded it;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    ck_assert(open_bounded(&it, &desc));
    ck_ok(launch_outside(&it, it.doomed));
    if (is_reported(trm_stream_sync(it.doomed))) {
        ck_sentence_has("it used index ");
        ck_sentence_has("of buffer 'data', whose size is 128");
        ck_status(launch_outside(&it, it.doomed), TRM_ERROR_KERNEL);
    }
    nothing_behind_was_written(&it);
    close_bounded(&it);
}
END_TEST

START_TEST(an_access_outside_is_reported_with_its_line)
{
    struct bounded it;
    struct trm_glsl_options given = {.struct_size = sizeof(given), .file = "over.comp"};
    struct trm_module_desc desc   = {.struct_size = sizeof(desc),
                                     .format      = TRM_MODULE_GLSL,
                                     .data        = overrun,
                                     .size        = strlen(overrun),
                                     .glsl        = &given};
    if (shaders_missing())
        return;
    if (open_bounded(&it, &desc)) {
        struct trm_argument arguments[] = {trm_arg_span(trm_span_of(it.buffer, 0, sizeof(it.numbers) / 2)),
                                           trm_arg_u32(N - 1)};
        ck_ok(launch_1d(it.doomed, it.kernel, N, arguments, 2));
        if (is_reported(trm_stream_sync(it.doomed)))
            ck_sentence_has("it used index 255 of buffer 'data', whose size is 128 (over.comp:7)");
        nothing_behind_was_written(&it);
    } else {
        skip(trm_last_error().sentence);
    }
    close_bounded(&it);
}
END_TEST

START_TEST(a_stream_that_waits_for_an_access_outside_fails_too)
{
    struct bounded it;
    struct trm_point point;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    ck_assert(open_bounded(&it, &desc));
    struct trm_stream *waiting = NULL, *behind = NULL;
    ck_ok(trm_stream_create(it.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &waiting));
    ck_ok(trm_stream_create(it.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &behind));
    ck_ok(launch_outside(&it, it.doomed));
    ck_ok(trm_stream_mark(it.doomed, &point));
    ck_ok(trm_stream_wait(waiting, point));
    /* The failure may be known already. */
    int32_t status = trm_fill(waiting, trm_span_of(it.buffer, 0, 4), 0, 4);
    if (status == TRM_OK)
        status = trm_stream_mark(waiting, &point);
    if (status == TRM_OK)
        status = trm_stream_wait(behind, point);
    if (status == TRM_OK)
        status = trm_download(behind, it.found, trm_span_of(it.buffer, 0, 4));
    if (status == TRM_OK)
        status = trm_stream_sync(behind);
    if (is_reported(status)) {
        ck_sentence_has("of buffer 'data', whose size is 128");
        ck_status(trm_stream_sync(waiting), TRM_ERROR_KERNEL);
        ck_status(trm_stream_sync(it.doomed), TRM_ERROR_KERNEL);
    }
    ck_ok(trm_stream_sync(it.other));
    trm_stream_destroy(behind);
    trm_stream_destroy(waiting);
    close_bounded(&it);
}
END_TEST

START_TEST(an_access_outside_in_a_graph_fails_the_stream_that_runs_it)
{
    struct bounded it;
    struct trm_stream *recording = NULL;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    ck_assert(open_bounded(&it, &desc));
    struct trm_graph *graph = make_graph(&recording);
    ck_ok(launch_outside(&it, recording));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_graph_launch(exec, it.doomed));
    if (is_reported(trm_stream_sync(it.doomed)))
        ck_sentence_has("of buffer 'data', whose size is 128");
    ck_ok(trm_stream_sync(it.other));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    close_bounded(&it);
}
END_TEST

/* Buffer b is too small, and no other buffer lies behind it. */
START_TEST(a_pointer_chosen_at_run_time_is_checked_too)
{
    struct bounded it;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("pointers");
    if (open_bounded(&it, &desc)) {
        struct trm_buffer *memory       = make_buffer(it.device, TRM_MEMORY_DEVICE, 4096);
        struct trm_argument arguments[] = {trm_arg_span(trm_span_of(memory, 0, 512)),
                                           trm_arg_span(trm_span_of(memory, 3072, 32)),
                                           trm_arg_span(trm_span_of(memory, 2048, 256))};
        ck_ok(trm_fill(it.doomed, trm_span_whole(memory), 0, 4));
        struct trm_grid grid = trm_grid_1d(1, 32);
        ck_ok(trm_launch(it.doomed, it.kernel, &grid, arguments, 3));
        if (is_reported(trm_stream_sync(it.doomed)))
            ck_sentence_has("through a pointer, whose size is 32");
        trm_buffer_destroy(memory);
    } else {
        skip(trm_last_error().sentence);
    }
    close_bounded(&it);
}
END_TEST

START_TEST(with_the_setting_kernel_bounds_a_kernel_within_its_spans_runs)
{
    struct bounded it;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    ck_assert(open_bounded(&it, &desc));
    struct trm_argument arguments[] = {trm_arg_span(trm_span_whole(it.buffer)), trm_arg_u32(N),
                                       trm_arg_u32(3), trm_arg_u32(1)};
    for (uint32_t round = 0; round < 100; round++) /* also as the backend repeats a launch */
        ck_ok(launch_1d(it.doomed, it.kernel, N, arguments, 4));
    ck_ok(trm_stream_sync(it.doomed));
    put(it.other, it.buffer, 0, it.numbers, sizeof(it.numbers));
    ck_ok(launch_1d(it.other, it.kernel, N, arguments, 4));
    get(it.other, it.buffer, 0, it.found, sizeof(it.found));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(it.found[i], 3 * i + 1);
    close_bounded(&it);
}
END_TEST

/* Of one buffer: no work-item does anything. */
static void launch_overlapping(struct bounded *it, uint64_t x, uint64_t x_size, uint64_t y, uint64_t y_size)
{
    struct trm_argument arguments[] = {trm_arg_span(trm_span_of(it->buffer, x, x_size)),
                                       trm_arg_span(trm_span_of(it->buffer, y, y_size)), trm_arg_u32(0),
                                       trm_arg_u32(1), trm_arg_u32(0)};
    ck_ok(launch_1d(it->other, it->kernel, N, arguments, 5));
}

/* mirror reads `from`, and writes `to`. */
START_TEST(with_the_setting_kernel_bounds_spans_that_overlap_in_part_are_warned_of)
{
    static const char words[] =
        "argument 0 \"from\" and argument 1 \"to\" of kernel \"mirror\" overlap in 256 bytes";
    struct trm_kernel *again;
    struct bounded it;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("mirror");
    ck_assert(open_bounded(&it, &desc));
    launch_overlapping(&it, 0, 512, 512, 512); /* beside each other */
    launch_overlapping(&it, 0, 1024, 0, 1024); /* in place */
    launch_overlapping(&it, 256, 256, 256, 256);
    ck_assert(!log_has(TRM_LOG_WARNING, "overlap"));
    launch_overlapping(&it, 0, 512, 256, 512);
    ck_assert_uint_eq(log_count(TRM_LOG_WARNING, words), 1);
    ck_assert_uint_eq(log_count(TRM_LOG_WARNING, "\"to\" is written"), 1);
    launch_overlapping(&it, 0, 512, 256, 512); /* once a kernel */
    ck_assert_uint_eq(log_count(TRM_LOG_WARNING, words), 1);
    ck_ok(trm_kernel_get(it.module, NULL, &again));
    trm_kernel_destroy(it.kernel);
    it.kernel = again;
    launch_overlapping(&it, 512, 512, 0, 768); /* the other way round, and one inside the other */
    ck_assert_uint_eq(log_count(TRM_LOG_WARNING, words), 2);
    ck_ok(trm_stream_sync(it.other));
    close_bounded(&it);
}
END_TEST

/* The default. */
START_TEST(without_the_setting_kernel_bounds_spans_may_overlap)
{
    struct bounded it = {.other = the.stream};
    if (shaders_missing())
        return;
    it.buffer                   = make_buffer(the.device, TRM_MEMORY_DEVICE, N * sizeof(uint32_t));
    struct trm_module_desc desc = shader_desc("mirror");
    ck_ok(trm_module_load(the.device, &desc, &it.module));
    ck_ok(trm_kernel_get(it.module, NULL, &it.kernel));
    launch_overlapping(&it, 0, 512, 256, 512);
    ck_assert(!log_has(TRM_LOG_WARNING, "overlap"));
    ck_ok(trm_stream_sync(the.stream));
    trm_kernel_destroy(it.kernel);
    trm_module_destroy(it.module);
    trm_buffer_destroy(it.buffer);
}
END_TEST

/* What checks barriers checks indices too. An access behind the span is one within the buffer, so it harms
 * nothing where the setting does nothing. */
START_TEST(with_the_setting_kernel_barriers_a_launch_is_checked_or_a_warning_says_that_it_is_not)
{
    struct bounded it;
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    ck_assert(open_checked(&it, &desc, "kernel.barriers"));
    ck_ok(launch_outside(&it, it.doomed));
    bool is_checked = trm_stream_sync(it.doomed) == TRM_ERROR_KERNEL;
    ck_assert_int_ne(is_checked, log_has(TRM_LOG_WARNING, "kernel.barriers does nothing"));
    close_bounded(&it);
}
END_TEST

/* The default. */
START_TEST(without_the_setting_kernel_barriers_no_warning_names_it)
{
    ck_assert(!log_has(TRM_LOG_WARNING, "kernel.barriers"));
}
END_TEST

void add_bounds(Suite *suite)
{
    TCase *group = group_make(suite, "bounds of kernels");
    CASE(group, with_the_setting_kernel_bounds_a_kernel_harms_nothing_behind_its_span);
    CASE(group, an_access_outside_is_reported_with_its_line);
    CASE(group, a_stream_that_waits_for_an_access_outside_fails_too);
    CASE(group, an_access_outside_in_a_graph_fails_the_stream_that_runs_it);
    CASE(group, a_pointer_chosen_at_run_time_is_checked_too);
    CASE(group, with_the_setting_kernel_bounds_a_kernel_within_its_spans_runs);
    CASE(group, with_the_setting_kernel_bounds_spans_that_overlap_in_part_are_warned_of);
    CASE(group, without_the_setting_kernel_bounds_spans_may_overlap);
    CASE(group, with_the_setting_kernel_barriers_a_launch_is_checked_or_a_warning_says_that_it_is_not);
    CASE(group, without_the_setting_kernel_barriers_no_warning_names_it);
}
