/* Atomics and subgroup operations in translated shaders.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

enum {
    GROUPS = 8,
    ITEMS  = 64 * GROUPS
};

START_TEST(atomics_of_buffers_and_of_shared_memory_count_every_item)
{
    struct {
        uint32_t counters[16];
        int32_t least, most;
    } counters       = {.counters = {[3] = UINT32_MAX, [5] = UINT32_MAX, [13] = 41}};
    uint64_t wide[8] = {[2] = UINT64_MAX}, product = 0;
    float floats[2] = {0};
    static uint32_t seen[ITEMS];
    uint8_t was[ITEMS]             = {0};
    struct trm_cpu_buffer block[4] = {
        ops_buffer(&counters, sizeof(counters)),
        ops_buffer(wide, sizeof(wide)),
        ops_buffer(floats, sizeof(floats)),
        ops_buffer(seen, sizeof(seen)),
    };
    uint32_t sum = 0, mixed = 0, binned = 0;

    ops_run("ops_atomic", _i, GROUPS, block);
    for (uint32_t i = 0; i < ITEMS; i++) {
        sum += i;
        mixed ^= i * 2654435761u;
        product ^= i * 0x9e3779b97f4a7c15ull;
        ck_assert_uint_lt(seen[i], ITEMS);
        ck_assert_uint_eq(was[seen[i]]++, 0);
    }
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint32_t bin = 0; bin < 16; bin++) {
            uint32_t total = 4 * (64 * group + bin) + 16 * (0 + 1 + 2 + 3);
            /* The last bin is raised to the greatest 3 l on the way; its final value depends on the order. */
            binned += bin == 15 ? 0 : total;
        }
    ck_assert_uint_eq(counters.counters[0], ITEMS);
    ck_assert_uint_eq(counters.counters[1], sum);
    ck_assert_uint_eq(counters.counters[2], 0u - ITEMS);
    ck_assert_uint_eq(counters.counters[3], 0);
    ck_assert_uint_eq(counters.counters[4], ITEMS - 1);
    ck_assert_uint_eq(counters.counters[5], 0);
    ck_assert_uint_eq(counters.counters[6], UINT32_MAX);
    ck_assert_uint_eq(counters.counters[7], mixed);
    ck_assert_int_eq(counters.least, -100);
    ck_assert_int_eq(counters.most, ITEMS - 101);
    /* One thread runs the work-items in order, so each finds the value that the one before left. */
    ck_assert_uint_eq(counters.counters[8], ITEMS);
    ck_assert_uint_eq(counters.counters[9], ITEMS);
    ck_assert_uint_ge(counters.counters[10], 0x80000000u);
    ck_assert_uint_eq(counters.counters[11], GROUPS * (100 - 7));
    ck_assert_uint_eq(counters.counters[12], 42);
    ck_assert(wide[0] == ((uint64_t)ITEMS << 32) + sum);
    ck_assert(wide[1] == (uint64_t)(ITEMS - 1) << 33);
    ck_assert(wide[2] == 0);
    ck_assert(wide[3] == product);
    ck_assert(wide[4] >= binned + (uint64_t)GROUPS * 189);
    ck_assert(floats[0] == 0.5f * ITEMS);
    ck_assert(floats[1] == 0.25f * ITEMS);
}
END_TEST

START_TEST(a_subgroup_of_one_agrees_with_itself)
{
    uint32_t sums[16] = {[1] = UINT32_MAX};
    static uint32_t operands[ITEMS];
    static float results[ITEMS];
    struct trm_cpu_buffer block[3] = {
        ops_buffer(sums, sizeof(sums)),
        ops_buffer(operands, sizeof(operands)),
        ops_buffer(results, sizeof(results)),
    };
    uint32_t total = 0, least = UINT32_MAX, most = 0, odd = 0;
    uint64_t state = 2862933555777941757ull;

    for (uint32_t i = 0; i < ITEMS; i++) {
        operands[i] = (uint32_t)ops_random(&state);
        total += operands[i];
        least = operands[i] < least ? operands[i] : least;
        most  = operands[i] > most ? operands[i] : most;
        odd += operands[i] & 1;
    }
    ops_run("ops_subgroup", _i, GROUPS, block);
    ck_assert_uint_eq(sums[0], total);
    ck_assert_uint_eq(sums[1], least);
    ck_assert_uint_eq(sums[2], most);
    ck_assert_uint_eq(sums[3], ITEMS);
    ck_assert_uint_eq(sums[4], total);
    ck_assert_uint_eq(sums[5], total);
    ck_assert_uint_eq(sums[6], 2 * ITEMS);
    ck_assert_uint_eq(sums[7], odd);
    ck_assert_uint_eq(sums[8], 18 * ITEMS);
    ck_assert_uint_eq(sums[9], (1 + 0xff + 0x100) * ITEMS);
    ck_assert_uint_eq(sums[10], total);
    ck_assert_uint_eq(sums[11], ITEMS);
    ck_assert_uint_eq(sums[12], ITEMS);
    ck_assert_uint_eq(sums[13], 2 * ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        float f = (float)(operands[i] & 255);
        ck_assert(results[i] == 4 * f);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_atomic");
    TCase *tests = tcase_create("atomics");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, atomics_of_buffers_and_of_shared_memory_count_every_item, 0, ops_forms());
    tcase_add_loop_test(tests, a_subgroup_of_one_agrees_with_itself, 0, ops_forms());
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
