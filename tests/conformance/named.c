/* Arguments by name, blocks of bytes, and buffers that are too short: launches of portable kernels.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "shaders.h"

enum {
    N = 100
};

static const float weights[4]  = {1, 10, 100, 1000};
static const uint32_t table[4] = {5, 6, 7, 8};

static struct trm_kernel *mixed;
static struct trm_buffer *x, *result;

/* Buffers for the kernel "mixed". False where there is none; says why. */
static bool open_mixed(void)
{
    float values[N];
    if (shaders_missing())
        return false;
    mixed  = shader_kernel("mixed");
    x      = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    result = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    put(the.stream, x, 0, values, sizeof(values));
    return true;
}

static void close_mixed(void)
{
    trm_kernel_destroy(mixed);
    trm_buffer_destroy(x);
    trm_buffer_destroy(result);
}

static int32_t launch(const struct trm_argument *arguments, uint32_t count)
{
    struct trm_grid grid;
    ck_ok(trm_kernel_grid(mixed, N, 1, 1, &grid));
    return trm_launch(the.stream, mixed, &grid, arguments, count);
}

static void is_computed(const struct trm_argument *arguments, uint32_t count)
{
    float values[N];
    ck_ok(trm_fill(the.stream, trm_span_whole(result), 0, 4));
    ck_ok(launch(arguments, count));
    get(the.stream, result, 0, values, sizeof(values));
    for (int i = 0; i < N; i++)
        ck_assert_msg(values[i] == (float)i * 2 + weights[i % 4] - 4 + (float)table[i % 4],
                      "element %d is %g", i, (double)values[i]);
}

/* In the order of the parameters. */
#define IN_ORDER                                                                               \
    {                                                                                          \
        trm_arg_buffer(x), trm_arg_buffer(result), trm_arg_block(weights, 16), trm_arg_f32(2), \
            trm_arg_i32(-4), trm_arg_u32(N), trm_arg_block(table, 16)                          \
    }

/* ---- names ---- */

START_TEST(arguments_are_given_in_the_order_of_the_parameters)
{
    if (!open_mixed())
        return;
    struct trm_argument arguments[] = IN_ORDER;
    is_computed(arguments, 7);
    close_mixed();
}
END_TEST

START_TEST(arguments_with_names_come_in_any_order)
{
    static const char *const names[] = {"x", "result", "weights", "scale", "shift", "n", "table"};
    if (!open_mixed())
        return;
    struct trm_argument ordered[] = IN_ORDER, arguments[7];
    for (int turn = 0; turn < 7; turn++) {
        for (int i = 0; i < 7; i++)
            arguments[(i * 3 + turn) % 7] = trm_arg_named(names[i], ordered[i]);
        is_computed(arguments, 7);
    }
    for (int first = 0; first < 7; first++) { /* some in order, then the rest backwards */
        for (int i = 0; i < first; i++)
            arguments[i] = ordered[i];
        for (int i = first; i < 7; i++)
            arguments[i] = trm_arg_named(names[6 - (i - first)], ordered[6 - (i - first)]);
        is_computed(arguments, 7);
    }
    close_mixed();
}
END_TEST

START_TEST(an_argument_without_a_name_after_one_with_a_name_is_refused)
{
    if (!open_mixed())
        return;
    struct trm_argument arguments[] = IN_ORDER;
    arguments[2]                    = trm_arg_named("weights", arguments[2]);
    ck_status(launch(arguments, 7), TRM_ERROR_INVALID_ARGUMENT);
    close_mixed();
}
END_TEST

START_TEST(a_name_that_no_parameter_has_is_refused_with_those_that_there_are)
{
    if (!open_mixed())
        return;
    struct trm_argument arguments[] = IN_ORDER;
    arguments[6]                    = trm_arg_named("tables", arguments[6]);
    ck_status(launch(arguments, 7), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("\"tables\"");
    ck_sentence_has("x, result, weights, scale, shift, n, table");
    close_mixed();
}
END_TEST

START_TEST(an_argument_that_is_given_twice_or_not_at_all_is_named)
{
    if (!open_mixed())
        return;
    struct trm_argument arguments[] = IN_ORDER;
    arguments[6]                    = trm_arg_named("scale", arguments[3]);
    ck_status(launch(arguments, 7), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("\"scale\"");
    ck_sentence_has("twice");
    arguments[5] = trm_arg_named("table", trm_arg_block(table, 16));
    ck_status(launch(arguments, 6), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("\"n\"");
    ck_sentence_has("missing");
    ck_sentence_has("u32");
    close_mixed();
}
END_TEST

START_TEST(an_argument_of_another_type_is_refused_by_name_with_both_types)
{
    if (!open_mixed())
        return;
    struct trm_argument arguments[] = IN_ORDER;
    arguments[3]                    = trm_arg_i32(2);
    ck_status(launch(arguments, 7), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("\"scale\"");
    ck_sentence_has("f32");
    ck_sentence_has("i32");
    arguments[3] = trm_arg_f32(2);
    arguments[6] = trm_arg_named("table", trm_arg_buffer(x));
    ck_status(launch(arguments, 7), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("\"table\"");
    ck_sentence_has("block of 16 bytes");
    ck_sentence_has("buffer");
    close_mixed();
}
END_TEST

START_TEST(more_arguments_than_a_few_may_have_names)
{
    if (shaders_missing())
        return;
    uint32_t values[20];
    char names[20][4];
    struct trm_argument arguments[21];
    struct trm_grid grid      = trm_grid_1d(1, 0);
    struct trm_kernel *kernel = shader_kernel("many");
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    for (uint32_t i = 0; i < 20; i++) {
        snprintf(names[i], sizeof(names[i]), "a%u", i);
        arguments[19 - i] = trm_arg_named(names[i], trm_arg_u32(i * i));
    }
    arguments[20] = trm_arg_named("result", trm_arg_buffer(buffer));
    ck_ok(trm_launch(the.stream, kernel, &grid, arguments, 21));
    get(the.stream, buffer, 0, values, sizeof(values));
    for (uint32_t i = 0; i < 20; i++)
        ck_assert_uint_eq(values[i], i * i);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- blocks ---- */

START_TEST(a_block_is_copied_by_the_launch)
{
    if (!open_mixed())
        return;
    float mine[4];
    memcpy(mine, weights, sizeof(mine));
    struct trm_argument arguments[] = IN_ORDER;
    float values[N];
    arguments[2] = trm_arg_block(mine, 16);
    ck_ok(launch(arguments, 7));
    memset(mine, 0xFF, sizeof(mine));
    get(the.stream, result, 0, values, sizeof(values));
    for (int i = 0; i < N; i++)
        ck_assert_msg(values[i] == (float)i * 2 + weights[i % 4] - 4 + (float)table[i % 4],
                      "element %d is %g", i, (double)values[i]);
    close_mixed();
}
END_TEST

START_TEST(a_block_of_another_size_or_of_nothing_is_refused)
{
    if (!open_mixed())
        return;
    struct trm_argument arguments[] = IN_ORDER;
    arguments[2]                    = trm_arg_block(weights, 12);
    ck_status(launch(arguments, 7), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("\"weights\"");
    ck_sentence_has("16 bytes");
    ck_sentence_has("12 bytes");
    arguments[2] = trm_arg_block(NULL, 16);
    ck_status(launch(arguments, 7), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("NULL");
    close_mixed();
}
END_TEST

/* ---- buffers ---- */

static int32_t launch_header(struct trm_kernel *kernel, struct trm_span span)
{
    struct trm_argument argument = trm_arg_span(span);
    struct trm_grid grid         = trm_grid_1d(1, 0);
    return trm_launch(the.stream, kernel, &grid, &argument, 1);
}

START_TEST(a_buffer_that_is_shorter_than_its_beginning_is_out_of_range)
{
    if (shaders_missing())
        return;
    uint32_t values[6]        = {4, 0, 1, 2, 3, 4};
    struct trm_kernel *kernel = shader_kernel("header");
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    put(the.stream, buffer, 0, values, sizeof(values));
    ck_status(launch_header(kernel, trm_span_of(buffer, 0, 7)), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("\"samples\"");
    ck_sentence_has("8");
    ck_status(launch_header(kernel, trm_span_of(buffer, 0, 0)), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(launch_header(kernel, trm_span_whole(buffer)));
    get(the.stream, buffer, 0, values, sizeof(values));
    ck_assert_uint_eq(values[1], 10);
    values[0] = 0;
    put(the.stream, buffer, 0, values, sizeof(values));
    ck_ok(launch_header(kernel, trm_span_of(buffer, 0, 8)));
    ck_ok(trm_stream_sync(the.stream));
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_named(Suite *suite)
{
    TCase *group = group_make(suite, "arguments by name");
    CASE(group, arguments_are_given_in_the_order_of_the_parameters);
    CASE(group, arguments_with_names_come_in_any_order);
    CASE(group, an_argument_without_a_name_after_one_with_a_name_is_refused);
    CASE(group, a_name_that_no_parameter_has_is_refused_with_those_that_there_are);
    CASE(group, an_argument_that_is_given_twice_or_not_at_all_is_named);
    CASE(group, an_argument_of_another_type_is_refused_by_name_with_both_types);
    CASE(group, more_arguments_than_a_few_may_have_names);
    CASE(group, a_block_is_copied_by_the_launch);
    CASE(group, a_block_of_another_size_or_of_nothing_is_refused);
    CASE(group, a_buffer_that_is_shorter_than_its_beginning_is_out_of_range);
}
