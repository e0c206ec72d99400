/* Control flow, loops over work-items and built-ins of shaders translated to C: compiled, called, and
 * compared.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

static struct translated kernel;

/* Each shader exists twice: optimized, and as the front end wrote it. */
static const char *const flow_files[]   = {"flow/flow.spv", "flow/flow_plain.spv"};
static const char *const keeps_files[]  = {"flow/keeps.spv", "flow/keeps_plain.spv"};
static const char *const reduce_files[] = {"flow/reduce.spv", "flow/reduce_plain.spv"};
static const char *const groups_files[] = {"flow/groups.spv", "flow/groups_plain.spv"};
static const char *const saxpy_files[]  = {"flow/saxpy.spv", "flow/saxpy_plain.spv"};
static const char *const sgemm_files[]  = {"flow/sgemm.spv", "flow/sgemm_plain.spv"};

static void open_kernel(const char *name)
{
    translated_open(&kernel, translated_path(name), 0, NULL, 0);
}

static struct trm_cpu_buffer buffer_of(void *data, size_t size)
{
    struct trm_cpu_buffer buffer = {data, size};

    return buffer;
}

/* ---- the text of the shader as C */

static int to_int(uint value)
{
    return (int)value;
}

static uint to_uint(int value)
{
    return (uint)value;
}

/* GLSL's conversions look like calls. */
#define FUNCTION static
#define int(value) to_int(value)
#define uint(value) to_uint(value)
#define true 1
#include "tests/unit/shaders/flow/flow_functions.h"
#undef int
#undef uint
#undef true

START_TEST(control_flow_does_what_it_does_in_c)
{
    enum {
        COUNT = 32 * 64
    };
    static uint32_t x[COUNT], y[COUNT];
    _Alignas(16) struct {
        struct trm_cpu_buffer x, y;
    } arguments = {buffer_of(x, sizeof(x)), buffer_of(y, sizeof(y))};

    open_kernel(flow_files[_i]);
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = i < 1000 ? i : i * 2654435761u;
        y[i] = 0xdeadbeef;
    }
    ck_assert_int_eq(translated_call(&kernel, 0, COUNT / 32, 1, 1, 3, &arguments), 0);
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_msg(y[i] == all_flow(x[i]), "x %u: %u, not %u", x[i], y[i], all_flow(x[i]));
    translated_close(&kernel);
}
END_TEST

START_TEST(rows_of_any_length_are_done_once_each)
{
    enum {
        COUNT = 1000
    };
    static float x[COUNT], y[COUNT], expected[COUNT];
    _Alignas(16) struct {
        struct trm_cpu_buffer x, y;
        float a;
        uint32_t n;
    } arguments = {buffer_of(x, sizeof(x)), buffer_of(y, sizeof(y)), 2.5f, 0};

    open_kernel(saxpy_files[_i]);
    for (arguments.n = 0; arguments.n <= 200; arguments.n += 25) {
        for (uint32_t i = 0; i < COUNT; i++) {
            x[i]        = (float)i;
            y[i]        = 7.0f;
            expected[i] = i < arguments.n ? 2.5f * (float)i + 7.0f : 7.0f;
        }
        ck_assert_int_eq(translated_call(&kernel, 0, 3, 1, 1, arguments.n % 3 + 1, &arguments), 0);
        /* Three groups of 64: work-items behind them do not run, whatever n is. */
        for (uint32_t i = 3 * 64; i < COUNT; i++)
            expected[i] = 7.0f;
        ck_assert_mem_eq(y, expected, sizeof(y));
    }
    translated_close(&kernel);
}
END_TEST

START_TEST(a_tree_of_barriers_sums_each_group)
{
    enum {
        COUNT = 64 * 9 - 13
    };
    static uint32_t x[COUNT], sums[9];
    _Alignas(16) struct {
        struct trm_cpu_buffer x, sums;
        uint32_t n;
    } arguments = {buffer_of(x, sizeof(x)), buffer_of(sums, sizeof(sums)), COUNT};

    open_kernel(reduce_files[_i]);
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = i * i + 1;
    ck_assert_int_eq(translated_call(&kernel, 0, 9, 1, 1, 2, &arguments), 0);
    for (uint32_t g = 0; g < 9; g++) {
        uint32_t expected = 0;
        for (uint32_t i = g * 64; i < g * 64 + 64 && i < COUNT; i++)
            expected += x[i];
        ck_assert_uint_eq(sums[g], expected);
    }
    translated_close(&kernel);
}
END_TEST

START_TEST(tiles_in_shared_memory_multiply_matrices_of_any_size)
{
    enum {
        ROWS    = 37,
        COLUMNS = 50,
        DEPTH   = 41
    };
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS];
    _Alignas(16) struct {
        struct trm_cpu_buffer a, b, c;
        uint32_t rows, columns, depth;
    } arguments = {
        buffer_of(a, sizeof(a)), buffer_of(b, sizeof(b)), buffer_of(c, sizeof(c)), ROWS, COLUMNS, DEPTH};

    open_kernel(sgemm_files[_i]);
    for (int i = 0; i < ROWS * DEPTH; i++)
        a[i] = (float)(i % 11 - 5);
    for (int i = 0; i < DEPTH * COLUMNS; i++)
        b[i] = (float)(i % 7 - 3);
    ck_assert_int_eq(translated_call(&kernel, 0, (COLUMNS + 15) / 16, (ROWS + 15) / 16, 1, 5, &arguments), 0);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            float sum = 0;
            for (int k = 0; k < DEPTH; k++)
                sum += a[y * DEPTH + k] * b[k * COLUMNS + x];
            ck_assert_float_eq(c[y * COLUMNS + x], sum);
        }
    translated_close(&kernel);
}
END_TEST

/* Computes the result of shaders/flow/keeps.comp, one group at a time. */
static void keeps_expected(uint32_t *data)
{
    uint32_t mine[24][3], turn[24], total = 0, next[24];
    uint8_t gone[24] = {0};

    for (uint32_t l = 0; l < 24; l++) {
        mine[l][0] = l % 4 + data[l];
        mine[l][1] = l / 4 % 3 * 10 + data[l];
        mine[l][2] = l / 12 * 100 + data[l];
        turn[l]    = mine[l][1];
    }
    for (uint32_t l = 0; l < 24; l++) {
        gone[l] = data[l] % 5 == 4 && l != 0;
        total += gone[l] ? 0 : turn[(l + 5) % 24];
    }
    for (uint32_t l = 0; l < 24; l++) {
        uint32_t history[3] = {mine[l][0], turn[(l + 5) % 24], mine[l][2]};
        next[l]             = total;
        for (uint32_t i = 0; i < 3; i++)
            next[l] += history[(i + l) % 3] * (i + 1);
    }
    for (uint32_t l = 0; l < 24; l++)
        data[l] = gone[l] ? data[l] : next[l];
}

START_TEST(values_live_across_barriers_and_items_that_left_do_nothing_more)
{
    enum {
        GROUPS = 40
    };
    static uint32_t data[24 * GROUPS], expected[24 * GROUPS];
    _Alignas(16) struct {
        struct trm_cpu_buffer data;
    } arguments = {buffer_of(data, sizeof(data))};

    open_kernel(keeps_files[_i]);
    for (uint32_t i = 0; i < 24 * GROUPS; i++)
        data[i] = expected[i] = i * 37 % 101;
    for (uint32_t g = 0; g < GROUPS; g++)
        keeps_expected(expected + (size_t)24 * g);
    ck_assert_int_eq(translated_call(&kernel, 0, GROUPS, 1, 1, 7, &arguments), 0);
    ck_assert_mem_eq(data, expected, sizeof(data));
    translated_close(&kernel);
}
END_TEST

START_TEST(every_item_knows_where_it_is)
{
    enum {
        X     = 3,
        Y     = 4,
        Z     = 2,
        ITEMS = X * Y * Z * 30
    };
    static uint32_t place[ITEMS * 4];
    _Alignas(16) struct {
        struct trm_cpu_buffer place;
    } arguments = {buffer_of(place, sizeof(place))};

    open_kernel(groups_files[_i]);
    memset(place, 0xff, sizeof(place));
    ck_assert_int_eq(translated_call(&kernel, 0, X, Y, Z, 5, &arguments), 0);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t x = i % (X * 5), y = i / (X * 5) % (Y * 2), z = i / (X * 5) / (Y * 2);
        ck_assert_uint_eq(place[i * 4], x % 5 + 5 * (y % 2) + 10 * (z % 3));
        ck_assert_uint_eq(place[i * 4 + 1], x + 1000 * y + 1000000 * z);
        ck_assert_uint_eq(place[i * 4 + 2], x / 5 + 1000 * (y / 2) + 1000000 * (z / 3));
        ck_assert_uint_eq(place[i * 4 + 3], X + 1000 * Y + 1000000 * Z);
    }
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated flow");
    TCase *tests = tcase_create("flow");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, control_flow_does_what_it_does_in_c, 0, 2);
    tcase_add_loop_test(tests, rows_of_any_length_are_done_once_each, 0, 2);
    tcase_add_loop_test(tests, a_tree_of_barriers_sums_each_group, 0, 2);
    tcase_add_loop_test(tests, tiles_in_shared_memory_multiply_matrices_of_any_size, 0, 2);
    tcase_add_loop_test(tests, values_live_across_barriers_and_items_that_left_do_nothing_more, 0, 2);
    tcase_add_loop_test(tests, every_item_knows_where_it_is, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
