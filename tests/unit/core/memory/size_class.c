/* The size classes of the pool.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/size_class.h"

#include "tests/check.h"

#include "tests/unit/runner.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

START_TEST(sizes_are_rounded_as_the_table_says)
{
    static const struct {
        uint64_t size, rounded;
    } table[] = {
        {1, 256},
        {256, 256},
        {257, 512},
        {512, 512},
        {513, 768},
        {1000, 1024},
        {1024, 1024},
        {1025, 1280},
        {1281, 1536},
        {1793, 2048},
        {2048, 2048},
        {2049, 2560},
        {64 * KIB, 64 * KIB},
        {64 * KIB + 1, 80 * KIB},
        {900 * KIB, MIB},
        {MIB, MIB},
        {MIB + 1, MIB + 128 * KIB},
        {3 * MIB, 3 * MIB},
        {100 * MIB, 104 * MIB},
        {GIB, GIB},
        {GIB + 1, GIB + 128 * MIB},
        {CORE_CLASS_LARGEST, CORE_CLASS_LARGEST},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        ck_assert_uint_eq(core_class_size(core_class_of(table[i].size, 1)), table[i].rounded);
}
END_TEST

START_TEST(classes_grow_and_each_holds_its_own_size_and_one_byte_more_than_the_one_before)
{
    uint64_t before = 0;

    for (uint32_t i = 0; i < CORE_CLASS_COUNT; i++) {
        uint64_t size = core_class_size(i);
        ck_assert_uint_gt(size, before);
        ck_assert_uint_eq(size % CORE_CLASS_GRAIN, 0);
        ck_assert_uint_eq(core_class_of(size, 1), i);
        ck_assert_uint_eq(core_class_of(before + 1, 1), i);
        before = size;
    }
    ck_assert_uint_eq(before, CORE_CLASS_LARGEST);
}
END_TEST

START_TEST(no_class_wastes_more_than_a_quarter_above_1_kib_and_an_eighth_above_1_mib)
{
    for (uint64_t size = KIB; size < 512 * GIB; size += size / 7 + 1) {
        uint64_t rounded = core_class_size(core_class_of(size, 1));
        ck_assert_uint_ge(rounded, size);
        ck_assert_uint_le(rounded - size, size <= MIB ? size / 4 + 1 : size / 8 + 1);
    }
}
END_TEST

START_TEST(classes_for_an_alignment_are_multiples_of_it)
{
    for (uint64_t alignment = 1; alignment <= CORE_ALIGNMENT_LARGEST; alignment *= 2)
        for (uint64_t size = 1; size < 64 * MIB; size = size * 5 / 3 + 1) {
            uint32_t index = core_class_of(size, alignment);
            ck_assert_uint_ge(core_class_size(index), size);
            ck_assert_uint_eq(core_class_size(index) % alignment, 0);
        }
}
END_TEST

START_TEST(sizes_beyond_the_largest_class_have_none)
{
    ck_assert_uint_eq(core_class_of(CORE_CLASS_LARGEST + 1, 1), CORE_CLASS_NONE);
    ck_assert_uint_eq(core_class_of(UINT64_MAX, 1), CORE_CLASS_NONE);
    ck_assert_uint_eq(core_class_of(UINT64_MAX, CORE_ALIGNMENT_LARGEST), CORE_CLASS_NONE);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("size classes");
    TCase *tests = tcase_create("size classes");

    tcase_add_test(tests, sizes_are_rounded_as_the_table_says);
    tcase_add_test(tests, classes_grow_and_each_holds_its_own_size_and_one_byte_more_than_the_one_before);
    tcase_add_test(tests, no_class_wastes_more_than_a_quarter_above_1_kib_and_an_eighth_above_1_mib);
    tcase_add_test(tests, classes_for_an_alignment_are_multiples_of_it);
    tcase_add_test(tests, sizes_beyond_the_largest_class_have_none);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
