/* Matrices of work-groups (compiler/lower/group.h) in C: known results, and addresses that are checked.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <math.h>

#include "compiler/spirv/half.h"
#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

#define ROWS 24
#define DEPTH 20
#define COLUMNS 40
#define BLOCKS 80
#define BLOCK_BYTES 18

static const uint32_t flags[] = {0, TRM_TRANSLATE_BOUNDS};

/* 1.5 + (1 + 1/2 + 1/4) * A * B, and then plus a factor for each column times that. */
START_TEST(products_of_halves_are_added_up_as_floats)
{
    static uint16_t a[ROWS * DEPTH], b[DEPTH * COLUMNS];
    static float c[1040], s[COLUMNS];
    struct trm_cpu_buffer block[] = {ops_buffer(a, sizeof(a)), ops_buffer(b, sizeof(b)),
                                     ops_buffer(c, sizeof(c)), ops_buffer(s, sizeof(s))};
    struct translated translated;
    uint64_t state = 1;

    for (uint32_t i = 0; i < ROWS * DEPTH; i++)
        a[i] = spirv_half_bits(ops_uniform(&state) - 0.5);
    for (uint32_t i = 0; i < DEPTH * COLUMNS; i++)
        b[i] = spirv_half_bits(ops_uniform(&state) - 0.5);
    for (uint32_t i = 0; i < COLUMNS; i++)
        s[i] = (float)ops_uniform(&state);
    ops_open(&translated, "../../differential/shaders/coop_nv2_product.spv", flags[_i], NULL, 0);
    ck_assert_int_eq(translated_call(&translated, 0, 1, 1, 1, 1, block), 0);
    translated_close(&translated);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++) {
            double sum = 1.5, got = c[80 + row * COLUMNS + column];
            for (uint32_t k = 0; k < DEPTH; k++)
                sum += 1.75 * spirv_half_value(a[row * DEPTH + k]) * spirv_half_value(b[column * DEPTH + k]);
            sum += s[column] * sum;
            ck_assert_msg(fabs(got - sum) < 1e-5, "row %u, column %u: %g instead of %g", row, column, got,
                          sum);
        }
}
END_TEST

static int32_t decode(uint64_t bytes, struct trm_cpu_fault *fault)
{
    static uint8_t a[BLOCKS * BLOCK_BYTES];
    static uint16_t b[512];
    static float c[640];
    struct trm_cpu_buffer block[] = {ops_buffer(a, bytes), ops_buffer(b, sizeof(b)),
                                     ops_buffer(c, sizeof(c))};
    struct translated translated;

    for (uint32_t i = 0; i < sizeof(a); i++)
        a[i] = (uint8_t)(i * 7 + i / 50);
    memset(c, 0xff, sizeof(c));
    ops_open(&translated, "../../differential/shaders/coop_nv2_decode.spv", TRM_TRANSLATE_BOUNDS, NULL, 0);
    int32_t code                = translated_call(&translated, 0, 1, 1, 1, 1, block);
    trm_cpu_fault_fn last_fault = (trm_cpu_fault_fn)dlsym(translated.object, "trm_cpu_fault_v1");
    ck_assert_ptr_nonnull(last_fault);
    *fault = code == 1 ? *last_fault() : (struct trm_cpu_fault){0};
    if (code == 1)
        ck_assert_msg(strstr(fault->what, "through the address") != NULL, "%s", fault->what);
    /* the second matrix: rows 16 to 47 of the blocks of lines 3 to 12 */
    for (uint32_t i = 0; code == 0 && i < 320; i++) {
        uint32_t row = 3 + i % 10, column = 16 + i / 10;
        const uint8_t *at = a + (row * 2 + column / 32) * BLOCK_BYTES;
        uint32_t digit    = (uint32_t)at[2 + column % 16] >> (column % 32 < 16 ? 0 : 4) & 15u;
        double want       = ((double)digit - 8) * spirv_half_value(spirv_half_bits(at[0] / 512.0));
        ck_assert_msg(fabs(c[320 + i] - want) <= fabs(want) * 0x1p-10, "element %u: %g instead of %g", i,
                      (double)c[320 + i], want);
    }
    translated_close(&translated);
    return code;
}

START_TEST(decoded_blocks_are_reached_by_the_address_of_their_buffer)
{
    struct trm_cpu_fault fault;

    ck_assert_int_eq(decode((uint64_t)BLOCKS * BLOCK_BYTES, &fault), 0);
}
END_TEST

/* The last block that is decoded is one of line 37: the lines behind it are outside of the tensor. */
START_TEST(blocks_outside_of_all_buffers_fail)
{
    struct trm_cpu_fault fault;

    ck_assert_int_eq(decode((uint64_t)80 * BLOCK_BYTES, &fault), 0);
    ck_assert_int_eq(decode((uint64_t)79 * BLOCK_BYTES, &fault), 1);
    ck_assert_int_eq(decode((uint64_t)40 * BLOCK_BYTES, &fault), 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("ops_group");
    TCase *all   = tcase_create("ops_group");

    tcase_add_loop_test(all, products_of_halves_are_added_up_as_floats, 0, 2);
    tcase_add_test(all, decoded_blocks_are_reached_by_the_address_of_their_buffer);
    tcase_add_test(all, blocks_outside_of_all_buffers_fail);
    tcase_set_timeout(all, 240);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
