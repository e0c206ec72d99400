/* Rows of work-items in translated C: guards that become the ends of loops, and row indices.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

static struct translated kernel;

static struct trm_cpu_buffer buffer_of(void *data, size_t size)
{
    struct trm_cpu_buffer buffer = {data, size};

    return buffer;
}

/* ---- guards */

enum {
    KINDS  = 10,
    WIDTH  = 64,
    HEIGHT = 16
};

static uint32_t hits[WIDTH * HEIGHT], expected[WIDTH * HEIGHT];

static _Alignas(16) struct {
    struct trm_cpu_buffer hits;
    uint32_t width, height;
    int32_t low, high;
} guards;

/* The element that a work-item hits (shaders/flow/guards.comp); -1: none. */
static int hit_of(int kind, uint32_t x, uint32_t y)
{
    int32_t sx = (int32_t)x, sy = (int32_t)y;

    switch (kind) {
    case 0:
    case 1:
        return x < guards.width && y < guards.height ? sx : -1;
    case 2:
        return sx >= guards.low && sx <= guards.high && sy > guards.low ? sx : -1;
    case 3:
        return guards.high >= sx && guards.low < sx && x % 2 == 0 ? sx : -1;
    case 4:
        return x == guards.width ? sx : -1;
    case 5:
        return x != guards.width ? sx : -1;
    case 6:
        return x < guards.width && y <= guards.height ? sx : -1;
    case 7:
        return x < guards.width || y < guards.height ? sx : -1;
    case 8:
        return guards.width > x ? 63 - sx : -1;
    default:
        return x * 3 + 2 < 64 && y < guards.height ? sx * 3 + 2 : -1;
    }
}

static void try_guards(int kind)
{
    memset(hits, 0, sizeof(hits));
    memset(expected, 0, sizeof(expected));
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            int at = hit_of(kind, x, y);
            if (at >= 0)
                expected[y * WIDTH + (uint32_t)at] += (uint32_t)at + 1;
        }
    guards.hits = buffer_of(hits, sizeof(hits));
    ck_assert_int_eq(translated_call(&kernel, 0, WIDTH / 8, HEIGHT / 2, 1, 1 + (guards.width & 3), &guards),
                     0);
    ck_assert_msg(memcmp(hits, expected, sizeof(hits)) == 0, "kind %d, width %u, height %u, low %d, high %d",
                  kind, guards.width, guards.height, guards.low, guards.high);
}

static void try_all_guards(const char *file, int kind)
{
    static const uint32_t widths[]  = {0, 1, 10, 33, 64, 100, UINT32_MAX},
                          heights[] = {0, 1, 7, 16, UINT32_MAX};
    static const int32_t lows[] = {INT32_MIN, -3, 0, 5, 70}, highs[] = {-1, 0, 20, 63, INT32_MAX};
    struct trm_constant constant = trm_constant_u32("kind", (uint32_t)kind);

    translated_open(&kernel, translated_path(file), 0, &constant, 1);
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++)
        for (size_t h = 0; h < sizeof(heights) / sizeof(heights[0]); h++) {
            guards.width  = widths[w];
            guards.height = heights[h];
            guards.low    = lows[(w + h) % 5];
            guards.high   = highs[h];
            try_guards(kind);
        }
    translated_close(&kernel);
}

START_TEST(a_guard_lets_the_items_through_that_its_condition_lets_through)
{
    try_all_guards("flow/guards.spv", _i);
    try_all_guards("flow/guards_plain.spv", _i);
}
END_TEST

/* ---- guards between barriers */

enum {
    GROUP_KINDS = 9,
    GROUPS      = 3,
    GROUP       = 64
};

static _Alignas(16) struct {
    struct trm_cpu_buffer hits;
    uint32_t offset, bound;
} limits;

/* Does a work-item of a group continue (shaders/flow/group_guards.comp)? */
static int passes(int kind, uint32_t group, uint32_t x, uint32_t y)
{
    uint32_t offset = limits.offset, bound = limits.bound;

    switch (kind) {
    case 0:
        return x < bound;
    case 1:
        return x + offset < bound;
    case 2:
        return offset + x <= bound;
    case 3:
        return bound > x + offset && y < offset;
    case 4:
        return x == bound;
    case 5:
        return x + offset >= bound;
    case 6:
        return (int32_t)x >= (int32_t)offset && (int32_t)x < (int32_t)bound;
    case 7:
        return group * 32 + x < bound;
    default:
        return x < offset;
    }
}

static void try_group_guards(int kind)
{
    static uint32_t found[GROUPS * GROUP];

    memset(found, 0x55, sizeof(found));
    limits.hits = buffer_of(found, sizeof(found));
    ck_assert_int_eq(translated_call(&kernel, 0, GROUPS, 1, 1, 2, &limits), 0);
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint32_t item = 0; item < GROUP; item++) {
            uint32_t next = (item + 1) % GROUP, x = item % 32;
            uint32_t more   = kind != 8 ? 0 : x < limits.bound ? 7 : x * 2;
            uint32_t wanted = (passes(kind, group, next % 32, next / 32) ? next % 32 + 1 : 0) + more;
            ck_assert_msg(found[group * GROUP + item] == wanted,
                          "kind %d, offset %u, bound %u, item %u: %u instead of %u", kind, limits.offset,
                          limits.bound, item, found[group * GROUP + item], wanted);
        }
}

START_TEST(a_guard_between_barriers_lets_the_items_through_that_its_condition_lets_through)
{
    static const uint32_t values[] = {
        0, 1, 2, 17, 31, 32, 33, 64, INT32_MAX, UINT32_MAX - 31, UINT32_MAX - 7, UINT32_MAX};
    static const char *const files[] = {"flow/group_guards.spv", "flow/group_guards_plain.spv"};
    struct trm_constant constant     = trm_constant_u32("kind", (uint32_t)_i);
    const size_t count               = sizeof(values) / sizeof(values[0]);

    for (size_t f = 0; f < 2; f++) {
        translated_open(&kernel, translated_path(files[f]), 0, &constant, 1);
        for (size_t i = 0; i < count * count; i++) {
            limits.offset = values[i / count];
            limits.bound  = values[i % count];
            try_group_guards(_i);
        }
        translated_close(&kernel);
    }
}
END_TEST

static bool has_loop_to(int kind, const char *end)
{
    struct trm_constant constant = trm_constant_u32("kind", (uint32_t)kind);

    ck_assert_int_eq(
        translated_text(&kernel, translated_path("flow/group_guards.spv"), TRM_LANGUAGE_C, 0, &constant, 1),
        TRM_OK);
    int found = strstr(kernel.text.text, "local_x = first; local_x < last") != NULL &&
                strstr(kernel.text.text, end) != NULL;
    translated_close(&kernel);
    return found;
}

START_TEST(a_guard_between_barriers_becomes_the_end_of_its_loop)
{
    ck_assert_int_eq(has_loop_to(0, "last = trm_lesser(last, "), 1);
    ck_assert_int_eq(has_loop_to(1, "last = trm_row_end(last, "), 1);
}
END_TEST

START_TEST(a_guard_after_which_a_value_is_kept_stays)
{
    ck_assert_int_eq(has_loop_to(8, "last = "), 0);
}
END_TEST

/* ---- indices */

static void blur_expected(const float *source, float *target, uint32_t width, uint32_t height)
{
    for (uint32_t y = 1; y + 1 < height; y++)
        for (uint32_t x = 1; x + 1 < width; x++) {
            const float *p        = source + (size_t)y * width + x;
            float up              = p[-(int)width - 1] + p[-(int)width] + p[-(int)width + 1];
            float middle          = p[-1] + p[0] + p[1];
            float down            = p[width - 1] + p[width] + p[width + 1];
            target[y * width + x] = up + middle + down;
        }
}

START_TEST(indices_that_pass_zero_before_the_guard_read_what_they_should)
{
    enum {
        W = 61,
        H = 23
    };
    static float source[W * H], target[W * H], wanted[W * H];
    static _Alignas(16) struct {
        struct trm_cpu_buffer source, target;
        uint32_t width, height;
    } arguments;

    translated_open(&kernel, translated_path(_i == 0 ? "flow/blur.spv" : "flow/blur_plain.spv"), 0, NULL, 0);
    for (int i = 0; i < W * H; i++)
        source[i] = (float)(i * 31 % 64);
    memset(target, 0, sizeof(target));
    blur_expected(source, wanted, W, H);
    arguments.source = buffer_of(source, sizeof(source));
    arguments.target = buffer_of(target, sizeof(target));
    arguments.width  = W;
    arguments.height = H;
    ck_assert_int_eq(translated_call(&kernel, 0, (W + 15) / 16, (H + 3) / 4, 1, 3, &arguments), 0);
    ck_assert_mem_eq(target, wanted, sizeof(target));
    translated_close(&kernel);
}
END_TEST

enum {
    SELECTS_WIDTH  = 37,
    SELECTS_HEIGHT = 11
};

static float select_expected(const float *source, int x, int y)
{
    const int last = SELECTS_HEIGHT - 1;
    int around = y == 0 ? last : y - 1, above = y == 0 ? 0 : y - 1, below = y == last ? last : y + 1;
    int within = y * 2 - 9 < 0 ? 0 : y * 2 - 9 > last ? last : y * 2 - 9;
    int apart  = (y < 3 ? 3 : y > 5 ? 5 : y) + (y < 4 ? y : 4) + (y < 2 ? 2 : y);

    return source[around * SELECTS_WIDTH + x] + 2 * source[above * SELECTS_WIDTH + x] +
           4 * source[below * SELECTS_WIDTH + x] + 8 * source[within * SELECTS_WIDTH + x] +
           16 * source[apart * SELECTS_WIDTH + x];
}

START_TEST(rows_that_are_chosen_for_all_items_alike_are_read_in_order)
{
    static float source[SELECTS_WIDTH * 20], target[SELECTS_WIDTH * SELECTS_HEIGHT];
    static _Alignas(16) struct {
        struct trm_cpu_buffer source, target;
        uint32_t width, height;
    } arguments;

    translated_open(&kernel, translated_path(_i == 0 ? "flow/selects.spv" : "flow/selects_plain.spv"), 0,
                    NULL, 0);
    for (int i = 0; i < SELECTS_WIDTH * 20; i++)
        source[i] = (float)(i * 31 % 64);
    arguments.source = buffer_of(source, sizeof(source));
    arguments.target = buffer_of(target, sizeof(target));
    arguments.width  = SELECTS_WIDTH;
    arguments.height = SELECTS_HEIGHT;
    ck_assert_int_eq(
        translated_call(&kernel, 0, (SELECTS_WIDTH + 15) / 16, (SELECTS_HEIGHT + 3) / 4, 1, 2, &arguments),
        0);
    for (int y = 0; y < SELECTS_HEIGHT; y++)
        for (int x = 0; x < SELECTS_WIDTH; x++)
            ck_assert_float_eq(target[y * SELECTS_WIDTH + x], select_expected(source, x, y));
    ck_assert_ptr_null(strstr(kernel.text.text, "source[(int64_t)"));
    translated_close(&kernel);
}
END_TEST

START_TEST(a_row_of_saxpy_runs_through_groups_and_its_guard_is_gone)
{
    ck_assert_int_eq(translated_text(&kernel, translated_path("flow/saxpy.spv"), TRM_LANGUAGE_C, 0, NULL, 0),
                     TRM_OK);
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "item_x < last"));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "last = trm_lesser(last, "));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "s_x[item_x]"));
    ck_assert_ptr_null(strstr(kernel.text.text, "local_x"));
    translated_close(&kernel);
}
END_TEST

START_TEST(a_row_of_a_kernel_with_barriers_is_one_groups)
{
    ck_assert_int_eq(translated_text(&kernel, translated_path("flow/reduce.spv"), TRM_LANGUAGE_C, 0, NULL, 0),
                     TRM_OK);
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "local_x < 64"));
    ck_assert_ptr_null(strstr(kernel.text.text, "item_x"));
    translated_close(&kernel);
}
END_TEST

/* ---- bounds */

START_TEST(with_bounds_an_access_outside_fails_the_launch_and_touches_nothing)
{
    static uint32_t x[16], y[24];
    static _Alignas(16) struct {
        struct trm_cpu_buffer x, y;
        uint32_t from, to;
    } arguments;

    translated_open(&kernel, translated_path(_i == 0 ? "flow/bounds.spv" : "flow/bounds_plain.spv"),
                    TRM_TRANSLATE_BOUNDS, NULL, 0);
    arguments.x = buffer_of(x, sizeof(x));
    arguments.y = buffer_of(y, 16 * sizeof(y[0]));
    for (uint32_t i = 0; i < 16; i++)
        x[i] = i;
    ck_assert_int_eq(translated_call(&kernel, 0, 2, 1, 1, 1, &arguments), 0);
    for (uint32_t i = 0; i < 16; i++)
        ck_assert_uint_eq(y[i], i + 1);
    arguments.from = 1;
    ck_assert_int_ne(translated_call(&kernel, 0, 2, 1, 1, 1, &arguments), 0);
    arguments.from = 0;
    arguments.to   = 1;
    memset(y, 0x55, sizeof(y));
    ck_assert_int_ne(translated_call(&kernel, 0, 2, 1, 1, 1, &arguments), 0);
    ck_assert_uint_eq(y[15], 15);
    ck_assert_uint_eq(y[16], 0x55555555);
    arguments.to = UINT32_MAX - 3;
    memset(y, 0x55, sizeof(y));
    ck_assert_int_ne(translated_call(&kernel, 0, 2, 1, 1, 1, &arguments), 0);
    ck_assert_uint_eq(y[0], 5);
    ck_assert_uint_eq(y[12], 0x55555555);
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated rows");
    TCase *tests = tcase_create("rows");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_guard_lets_the_items_through_that_its_condition_lets_through, 0, KINDS);
    tcase_add_loop_test(tests, indices_that_pass_zero_before_the_guard_read_what_they_should, 0, 2);
    tcase_add_loop_test(tests,
                        a_guard_between_barriers_lets_the_items_through_that_its_condition_lets_through, 0,
                        GROUP_KINDS);
    tcase_add_test(tests, a_guard_between_barriers_becomes_the_end_of_its_loop);
    tcase_add_test(tests, a_guard_after_which_a_value_is_kept_stays);
    tcase_add_loop_test(tests, rows_that_are_chosen_for_all_items_alike_are_read_in_order, 0, 2);
    tcase_add_test(tests, a_row_of_saxpy_runs_through_groups_and_its_guard_is_gone);
    tcase_add_test(tests, a_row_of_a_kernel_with_barriers_is_one_groups);
    tcase_add_loop_test(tests, with_bounds_an_access_outside_fails_the_launch_and_touches_nothing, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
