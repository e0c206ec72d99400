/* Tests of how the vulkan backend chooses for large copies: with kernels, unless the program's kernels take
 * long.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/kernel_timing.h"
#include "backends/vulkan/driver/driver.h"

#include "tests/unit/runner.h"

#define MIB (UINT64_C(1) << 20)

static struct vulkan_kernel_timing timing;

static void set_up(void)
{
    timing = (struct vulkan_kernel_timing){0};
}

/* Tokens of 16 MiB in each direction with a kernel each. Returns the last choice. */
static bool by_kernels(unsigned tokens, uint64_t kernel_ns)
{
    bool answer = true;
    for (unsigned i = 0; i < tokens; i++) {
        vulkan_kernel_timing_launch(&timing);
        vulkan_kernel_timing_note(&timing, kernel_ns);
        vulkan_kernel_timing_copy(&timing, true, 16 * MIB);
        answer = vulkan_kernel_timing_copy(&timing, false, 16 * MIB);
    }
    return answer;
}

START_TEST(kernels_copy_if_nothing_is_computed)
{
    for (unsigned i = 0; i < 1000; i++)
        ck_assert(vulkan_kernel_timing_copy(&timing, i % 2 == 0, 16 * MIB));
}
END_TEST

START_TEST(kernels_copy_beside_short_kernels)
{
    ck_assert(by_kernels(100, 8000));
    ck_assert(by_kernels(100, 100000));
}
END_TEST

START_TEST(the_engine_copies_beside_long_kernels)
{
    ck_assert(!by_kernels(100, 290000));
    set_up();
    ck_assert(!by_kernels(100, 5000000));
}
END_TEST

/* Between the two limits the choice stays. */
START_TEST(the_choice_does_not_oscillate)
{
    ck_assert(by_kernels(100, 140000));
    ck_assert(!by_kernels(100, 200000));
    ck_assert(!by_kernels(100, 140000));
    ck_assert(by_kernels(100, 90000));
}
END_TEST

START_TEST(old_measurements_lose_weight)
{
    ck_assert(!by_kernels(1000, 10000000));
    unsigned copies = 0;
    while (copies < 10000 && !vulkan_kernel_timing_copy(&timing, true, 16 * MIB))
        copies++;
    ck_assert_uint_gt(copies, 10);
    ck_assert_uint_lt(copies, 1000);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan: kernel timing");
    TCase *tests = tcase_create("pace");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, kernels_copy_if_nothing_is_computed);
    tcase_add_test(tests, kernels_copy_beside_short_kernels);
    tcase_add_test(tests, the_engine_copies_beside_long_kernels);
    tcase_add_test(tests, the_choice_does_not_oscillate);
    tcase_add_test(tests, old_measurements_lose_weight);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
