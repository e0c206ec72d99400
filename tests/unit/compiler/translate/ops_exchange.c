/* Operations of subgroups of 32 in C, beside cooperative matrices.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

enum {
    GROUPS = 3,
    WIDTH  = 72, /* the last subgroup has 8 */
    ITEMS  = WIDTH * GROUPS,
    WORDS  = 12
};

/* The operands of a subgroup, and the work-item in it. */
struct subgroup {
    const uint32_t *x;
    uint32_t lane, size;
};

static int32_t narrow(uint32_t x)
{
    return (int8_t)x;
}

static void expect_narrow(const struct subgroup *g, const uint32_t *words)
{
    int8_t sum       = 0;
    uint16_t product = 1, highest = 0;
    int32_t least = INT8_MAX, before = INT16_MIN;
    float halves = 0;

    for (uint32_t k = 0; k < g->size; k++) {
        sum     = (int8_t)(sum + narrow(g->x[k]));
        product = (uint16_t)((uint32_t)product * (uint16_t)(g->x[k] | 1));
        least   = narrow(g->x[k]) < least ? narrow(g->x[k]) : least;
        if (k <= g->lane && (uint16_t)g->x[k] > highest)
            highest = (uint16_t)g->x[k];
        if (k < g->lane && (int16_t)g->x[k] > before)
            before = (int16_t)g->x[k];
        halves += (float)(g->x[k] & 31);
    }
    ck_assert_uint_eq(words[0], (uint32_t)(int32_t)sum);
    ck_assert_uint_eq(words[1], product);
    ck_assert_uint_eq(words[2], (uint32_t)least & 255);
    ck_assert_uint_eq(words[3], highest);
    ck_assert_uint_eq(words[4], (uint32_t)halves);
    ck_assert_uint_eq(words[5], (uint32_t)before & 65535);
}

static void expect_words(const struct subgroup *g, const uint32_t *words)
{
    uint32_t ballot = 0, votes = 2 + 4, cluster = 0;

    for (uint32_t k = 0; k < g->size; k++) {
        ballot |= (g->x[k] & 1) << k;
        if ((g->x[k] & 63) == 0)
            votes |= 1;
        if ((g->x[k] & 63) == 1)
            votes &= ~2u;
        if (k / 16 == g->lane / 16)
            cluster += g->x[k];
    }
    ck_assert_uint_eq(words[6], ballot);
    ck_assert_uint_eq(words[7], g->x[5]);
    ck_assert_uint_eq(words[8], g->x[0]);
    ck_assert_uint_eq(words[9], votes);
    ck_assert_uint_eq(words[10], cluster);
    /* A work-item that is not there: the own value. */
    ck_assert_uint_eq(words[11], g->x[g->size > 9 ? 9 : g->lane]);
}

static void expect_wide(const struct subgroup *g, const uint64_t *wide, const double *doubles)
{
    uint64_t sum  = 0;
    int64_t least = INT64_MAX;
    double half   = 0;

    for (uint32_t k = 0; k < g->size; k++) {
        int64_t x = (int64_t)g->x[k] - 0x80000000ll;
        sum += g->x[k] * 0x100000001ull;
        half += g->x[k] * 0.5;
        if (k < g->lane && x < least)
            least = x;
    }
    ck_assert(wide[0] == sum);
    ck_assert(wide[1] == (uint64_t)least);
    ck_assert(doubles[0] == half);
    ck_assert(doubles[1] == g->x[g->lane ^ 3]);
}

START_TEST(a_subgroup_exchanges_values_of_all_types)
{
    static uint32_t operands[ITEMS], words[ITEMS * WORDS];
    static uint64_t wide[ITEMS * 2];
    static double doubles[ITEMS * 2];
    struct trm_cpu_buffer block[4] = {
        ops_buffer(operands, sizeof(operands)),
        ops_buffer(words, sizeof(words)),
        ops_buffer(wide, sizeof(wide)),
        ops_buffer(doubles, sizeof(doubles)),
    };
    uint64_t state = 2862933555777941757ull;

    for (uint32_t i = 0; i < ITEMS; i++)
        operands[i] = (uint32_t)ops_random(&state);
    ops_run("ops_exchange", _i, GROUPS, block);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t first    = i % WIDTH / 32 * 32;
        struct subgroup g = {.x    = operands + i / WIDTH * WIDTH + first,
                             .lane = i % WIDTH - first,
                             .size = first == 64 ? 8 : 32};
        expect_narrow(&g, words + i * WORDS);
        expect_words(&g, words + i * WORDS);
        expect_wide(&g, wide + i * 2, doubles + i * 2);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_exchange");
    TCase *tests = tcase_create("exchange");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_subgroup_exchanges_values_of_all_types, 0, ops_forms());
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
