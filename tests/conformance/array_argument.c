/* Arrays of buffers as arguments of portable kernels.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "shaders.h"

enum {
    N     = 256,
    PARTS = 3,
};

/* The kernel "parts", its buffers and an argument for each of its parameters. */
static struct parts {
    struct trm_kernel *kernel;
    struct trm_buffer *from[PARTS], *to[2];
    struct trm_argument elements[PARTS], targets[2];
    struct trm_argument arguments[4]; /* parts, to, n, which */
} parts;

/* Buffer k has the numbers 1000 k + i. */
static struct trm_buffer *numbers(uint32_t k)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, N * sizeof(uint32_t));
    uint32_t values[N];
    for (uint32_t i = 0; i < N; i++)
        values[i] = 1000 * k + i;
    put(the.stream, buffer, 0, values, sizeof(values));
    return buffer;
}

/* False where the device takes no such kernels. */
static bool parts_make(void)
{
    if (shaders_missing())
        return false;
    parts.kernel = shader_kernel("parts");
    for (uint32_t i = 0; i < PARTS; i++) {
        parts.from[i]     = numbers(i);
        parts.elements[i] = trm_arg_buffer(parts.from[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        parts.to[i]      = numbers(9);
        parts.targets[i] = trm_arg_buffer(parts.to[i]);
    }
    parts.arguments[0] = trm_arg_array(parts.elements, PARTS);
    parts.arguments[1] = trm_arg_array(parts.targets, 2);
    parts.arguments[2] = trm_arg_u32(N);
    parts.arguments[3] = trm_arg_u32(1);
    return true;
}

static void parts_end(void)
{
    for (uint32_t i = 0; i < PARTS; i++)
        trm_buffer_destroy(parts.from[i]);
    for (uint32_t i = 0; i < 2; i++)
        trm_buffer_destroy(parts.to[i]);
    trm_kernel_destroy(parts.kernel);
}

/* The buffer has the sums of numbers k of three buffers, each times its place. */
static void is_sum(struct trm_buffer *buffer, uint32_t first, uint32_t second, uint32_t third)
{
    uint32_t found[N];
    get(the.stream, buffer, 0, found, sizeof(found));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(found[i], 1000 * (first + 2 * second + 3 * third) + 6 * i);
}

static int32_t launch(void)
{
    return shader_launch(parts.kernel, N, parts.arguments, 4);
}

START_TEST(each_element_of_an_array_is_a_buffer_of_its_own)
{
    if (!parts_make())
        return;
    ck_ok(launch());
    is_sum(parts.to[1], 0, 1, 2);
    parts.elements[0]  = trm_arg_buffer(parts.from[2]);
    parts.arguments[3] = trm_arg_u32(0);
    ck_ok(launch());
    is_sum(parts.to[0], 2, 1, 2);
    parts_end();
}
END_TEST

START_TEST(a_parameter_shows_that_it_is_an_array_and_how_long)
{
    if (!parts_make())
        return;
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    ck_ok(trm_kernel_describe(parts.kernel, &info));
    ck_assert_uint_eq(info.parameter_count, 4);
    ck_assert_str_eq(info.parameters[0].name, "parts");
    ck_assert(trm_parameter_is_array(&info.parameters[0]));
    ck_assert_int_eq(trm_parameter_element(&info.parameters[0]), TRM_PARAMETER_BUFFER);
    ck_assert_uint_eq(trm_parameter_count(&info.parameters[0]), PARTS);
    ck_assert_int_eq(info.parameters[0].type, TRM_TYPE_U32);
    ck_assert_uint_eq(trm_parameter_count(&info.parameters[1]), 2);
    ck_assert(!trm_parameter_is_array(&info.parameters[2]));
    ck_assert_uint_eq(trm_parameter_count(&info.parameters[2]), 1);
    parts_end();
}
END_TEST

START_TEST(an_array_can_be_given_by_its_name)
{
    if (!parts_make())
        return;
    struct trm_argument named[] = {
        trm_arg_named("which", parts.arguments[3]), trm_arg_named("to", parts.arguments[1]),
        trm_arg_named("n", parts.arguments[2]), trm_arg_named("parts", parts.arguments[0])};
    ck_ok(shader_launch(parts.kernel, N, named, 4));
    is_sum(parts.to[1], 0, 1, 2);
    parts_end();
}
END_TEST

START_TEST(an_array_of_another_length_is_refused)
{
    if (!parts_make())
        return;
    parts.arguments[0] = trm_arg_array(parts.elements, 2);
    ck_status(launch(), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("\"parts\" of kernel \"parts\" is an array of 3 elements, but 2 were given");
    parts.arguments[0] = trm_arg_array(parts.elements, UINT32_MAX);
    ck_status(launch(), TRM_ERROR_INVALID_ARGUMENT);
    parts.arguments[0] = trm_arg_array(parts.elements, 0);
    ck_status(launch(), TRM_ERROR_INVALID_ARGUMENT);
    parts.arguments[0] = trm_arg_array(NULL, PARTS);
    ck_status(launch(), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("the elements of the array are NULL");
    parts_end();
}
END_TEST

START_TEST(an_argument_that_is_no_array_is_refused_for_one_and_the_other_way)
{
    if (!parts_make())
        return;
    parts.arguments[0] = trm_arg_buffer(parts.from[0]);
    ck_status(launch(), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("is an array of 3 elements, each a buffer of u32, but a buffer was given");
    parts.arguments[0] = trm_arg_array(parts.elements, PARTS);
    parts.arguments[2] = trm_arg_array(parts.elements, 1);
    ck_status(launch(), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("but an array of 1 element was given");
    parts.arguments[2] = trm_arg_u32(N);
    ck_status(shader_launch(parts.kernel, N, parts.arguments, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(shader_launch(parts.kernel, N, NULL, 4), TRM_ERROR_INVALID_ARGUMENT);
    parts_end();
}
END_TEST

START_TEST(an_element_is_checked_as_a_single_argument_is)
{
    if (!parts_make())
        return;
    struct trm_buffer *gone = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    trm_buffer_destroy(gone);
    parts.elements[1] = trm_arg_buffer(NULL);
    ck_refused(launch());
    ck_sentence_has("element 1 of argument 0 \"parts\" of kernel \"parts\"");
    parts.elements[1] = trm_arg_buffer(gone);
    ck_status(launch(), TRM_ERROR_INVALID_HANDLE);
    ck_sentence_has("element 1 of argument 0");
    parts.elements[1] = trm_arg_span(trm_span_of(parts.from[1], 0, UINT64_C(1) << 40));
    ck_status(launch(), TRM_ERROR_OUT_OF_RANGE);
    parts.elements[1] = trm_arg_u32(7);
    ck_status(launch(), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("element 1 of argument 0 \"parts\"");
    parts.elements[1] = trm_arg_array(parts.targets, 2);
    ck_status(launch(), TRM_ERROR_TYPE_MISMATCH);
    parts.elements[1] = trm_arg_named("x", trm_arg_buffer(parts.from[1]));
    ck_status(launch(), TRM_ERROR_INVALID_ARGUMENT);
    parts.elements[1] = trm_arg_buffer(parts.from[1]);
    parts.targets[1]  = trm_arg_buffer(gone);
    ck_status(launch(), TRM_ERROR_INVALID_HANDLE);
    ck_sentence_has("element 1 of argument 1");
    parts_end();
}
END_TEST

START_TEST(a_launch_keeps_the_elements_of_its_arrays)
{
    if (!parts_make())
        return;
    ck_ok(launch());
    for (uint32_t i = 0; i < PARTS; i++) {
        trm_buffer_destroy(parts.from[i]);
        parts.from[i] = NULL;
    }
    is_sum(parts.to[1], 0, 1, 2);
    parts_end();
}
END_TEST

START_TEST(a_graph_keeps_its_arrays_and_takes_others)
{
    if (!parts_make())
        return;
    struct trm_stream *recording = NULL;
    struct trm_graph *graph      = make_graph(&recording);
    struct trm_grid grid;
    ck_ok(trm_kernel_grid(parts.kernel, N, 1, 1, &grid));
    ck_ok(trm_launch(recording, parts.kernel, &grid, parts.arguments, 4));
    struct trm_graph_exec *exec = instantiate(graph);
    trm_buffer_destroy(parts.from[0]);
    parts.from[0] = NULL;
    run_graph(exec, the.stream);
    is_sum(parts.to[1], 0, 1, 2);
    parts.elements[0] = trm_arg_buffer(parts.from[1]);
    parts.elements[2] = trm_arg_buffer(parts.from[1]);
    ck_ok(trm_graph_update_launch(exec, 0, &grid, parts.arguments, 4));
    run_graph(exec, the.stream);
    is_sum(parts.to[1], 1, 1, 1);
    parts.arguments[0] = trm_arg_array(parts.elements, 1);
    ck_status(trm_graph_update_launch(exec, 0, &grid, parts.arguments, 4), TRM_ERROR_INVALID_ARGUMENT);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    parts_end();
}
END_TEST

START_TEST(a_pipeline_keeps_the_arrays_of_its_stages)
{
    if (!parts_make())
        return;
    uint32_t input[4 * 4]         = {0};
    struct trm_pipeline *pipeline = NULL;
    struct trm_port port          = trm_port_input("in", 16);
    struct trm_stage stage        = trm_stage_launch(parts.kernel, parts.arguments, 4, 0, 0);
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = &port,
                                     .port_count  = 1,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = 2};
    ck_ok(trm_kernel_grid(parts.kernel, N, 1, 1, &stage.grid));
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    parts.arguments[1] = trm_arg_array(parts.targets, 1);
    ck_status(trm_pipeline_create(the.device, &desc, &(struct trm_pipeline *){NULL}),
              TRM_ERROR_INVALID_ARGUMENT);
    memset(parts.elements, 0, sizeof(parts.elements));
    trm_buffer_destroy(parts.from[2]);
    parts.from[2]            = NULL;
    struct trm_source source = trm_source_memory(input, sizeof(input));
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    is_sum(parts.to[1], 0, 1, 2);
    trm_pipeline_destroy(pipeline);
    parts_end();
}
END_TEST

/* ---- bounds ---- */

/* Launches a shader with an index behind the end of an array; a device that checks says which. */
static void reach_behind(const char *name, const struct trm_argument *arguments, uint32_t count,
                         const char *sentence)
{
    struct trm_setting setting  = {.name = "kernel.bounds", .value = "yes"};
    struct trm_module_desc desc = shader_desc(name);
    struct trm_context *context = NULL;
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    struct trm_stream *stream   = NULL;
    struct trm_grid grid;
    ck_ok(context_with(&setting, 1, &context));
    struct trm_device *device = open_device(context);
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, N * sizeof(uint32_t));
    struct trm_argument elements[PARTS], own[4];
    for (uint32_t i = 0; i < PARTS; i++)
        elements[i] = trm_arg_buffer(buffer);
    for (uint32_t i = 0; i < count; i++) {
        own[i] = arguments[i];
        if (own[i].kind == TRM_ARGUMENT_ARRAY)
            own[i].value.array.elements = elements;
        else if (own[i].kind == TRM_PARAMETER_BUFFER)
            own[i] = trm_arg_buffer(buffer);
    }
    ck_ok(trm_module_load(device, &desc, &module));
    ck_ok(trm_kernel_get(module, NULL, &kernel));
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_kernel_grid(kernel, N, 1, 1, &grid));
    ck_ok(trm_launch(stream, kernel, &grid, own, count));
    int32_t status = trm_stream_sync(stream);
    ck_assert_msg(status == TRM_OK || status == TRM_ERROR_KERNEL, "the stream: %s", trm_status_name(status));
    if (status == TRM_ERROR_KERNEL)
        ck_sentence_has(sentence);
    trm_stream_destroy(stream);
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
    trm_buffer_destroy(buffer);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

START_TEST(with_the_setting_kernel_bounds_an_index_behind_an_array_is_named)
{
    if (strcmp(backend_under_test(), "vulkan") == 0) {
        skip("Vulkan does not say what happens then");
        return;
    }
    if (!parts_make())
        return;
    parts.arguments[3] = trm_arg_u32(5);
    reach_behind("parts", parts.arguments, 4, "index 5 of buffer 'to', whose size is 2 (parts.comp:12)");
    struct trm_argument open[]  = {trm_arg_array(parts.elements, 2), trm_arg_buffer(parts.to[0]),
                                   trm_arg_u32(64)};
    struct trm_module_desc desc = shader_desc("open");
    if (shader_load(&desc) == TRM_OK)
        reach_behind("open", open, 3, "of buffer 'from', whose size is 2 (open.comp:10)");
    parts_end();
}
END_TEST

/* ---- arrays whose number of elements the launch gives ---- */

/* The kernel "open", or NULL where the device lacks such arrays. */
static struct trm_kernel *open_kernel(void)
{
    struct trm_module_desc desc = shader_desc("open");
    if (shaders_missing())
        return NULL;
    if (shader_load(&desc) == TRM_ERROR_UNSUPPORTED) {
        ck_sentence_has("RuntimeDescriptorArray");
        skip(trm_last_error().sentence);
        return NULL;
    }
    return shader_kernel("open");
}

START_TEST(a_launch_gives_as_many_elements_as_it_likes)
{
    struct trm_kernel *kernel = open_kernel();
    if (kernel == NULL)
        return;
    struct trm_buffer *from[TRM_ARRAY_MOST], *to = numbers(0);
    struct trm_argument elements[TRM_ARRAY_MOST];
    struct trm_argument arguments[] = {trm_arg_array(elements, 1), trm_arg_buffer(to), trm_arg_u32(1)};
    static const uint32_t counts[]  = {1, 2, 7, TRM_ARRAY_MOST};
    uint32_t found[N];
    for (uint32_t i = 0; i < TRM_ARRAY_MOST; i++) {
        from[i]     = numbers(i);
        elements[i] = trm_arg_buffer(from[i]);
    }
    for (uint32_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        arguments[0] = trm_arg_array(elements, counts[c]);
        arguments[2] = trm_arg_u32(counts[c]);
        ck_ok(shader_launch(kernel, N, arguments, 3));
        get(the.stream, to, 0, found, sizeof(found));
        for (uint32_t i = 0; i < N; i++)
            ck_assert_uint_eq(found[i], 1000 * (i % counts[c]) + i);
    }
    for (uint32_t i = 0; i < TRM_ARRAY_MOST; i++)
        trm_buffer_destroy(from[i]);
    trm_buffer_destroy(to);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(no_elements_and_too_many_are_refused)
{
    struct trm_kernel *kernel = open_kernel();
    if (kernel == NULL)
        return;
    struct trm_buffer *to           = numbers(0);
    struct trm_kernel_info info     = {.struct_size = sizeof(info)};
    struct trm_argument element     = trm_arg_buffer(to);
    struct trm_argument arguments[] = {trm_arg_array(&element, 0), trm_arg_buffer(to), trm_arg_u32(1)};
    ck_ok(trm_kernel_describe(kernel, &info));
    ck_assert(trm_parameter_is_array(&info.parameters[0]));
    ck_assert_uint_eq(trm_parameter_count(&info.parameters[0]), 0);
    ck_status(shader_launch(kernel, N, arguments, 3), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("an array of 1 to 64 elements, but 0 were given");
    arguments[0] = trm_arg_array(&element, TRM_ARRAY_MOST + 1);
    ck_status(shader_launch(kernel, N, arguments, 3), TRM_ERROR_OUT_OF_RANGE);
    trm_buffer_destroy(to);
    trm_kernel_destroy(kernel);
}
END_TEST

void add_array_argument(Suite *suite)
{
    TCase *group = group_make(suite, "arrays of buffers");
    CASE(group, each_element_of_an_array_is_a_buffer_of_its_own);
    CASE(group, a_parameter_shows_that_it_is_an_array_and_how_long);
    CASE(group, an_array_can_be_given_by_its_name);
    CASE(group, an_array_of_another_length_is_refused);
    CASE(group, an_argument_that_is_no_array_is_refused_for_one_and_the_other_way);
    CASE(group, an_element_is_checked_as_a_single_argument_is);
    CASE(group, a_launch_keeps_the_elements_of_its_arrays);
    CASE(group, a_graph_keeps_its_arrays_and_takes_others);
    CASE(group, a_pipeline_keeps_the_arrays_of_its_stages);
    CASE(group, with_the_setting_kernel_bounds_an_index_behind_an_array_is_named);
    CASE(group, a_launch_gives_as_many_elements_as_it_likes);
    CASE(group, no_elements_and_too_many_are_refused);
}
