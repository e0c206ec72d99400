/* Variable pointers, and shared blocks with explicit layout, in C. Their shaders are those of the
 * differential tests, which a Vulkan driver without the features leaves out.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

#define SHADERS "../../differential/shaders/"

START_TEST(shared_blocks_share_their_bytes)
{
    uint32_t a[128], o[64], words[64], sums[32], own[32];
    struct translated kernel;
    struct {
        struct trm_cpu_buffer a, o;
    } block = {{a, sizeof(a)}, {o, sizeof(o)}};

    for (uint32_t i = 0; i < 128; i++)
        a[i] = i * 2654435761u;
    translated_open(&kernel, translated_path(SHADERS "shared_layout.spv"), _i == 0 ? 0 : TRM_TRANSLATE_BOUNDS,
                    NULL, 0);
    ck_assert_uint_eq(kernel.table->kernels[0].shared_bytes, 256);
    ck_assert_int_eq(translated_call(&kernel, 0, 2, 1, 1, 1, &block), 0);
    translated_close(&kernel);
    for (uint32_t group = 0; group < 2; group++) {
        for (uint32_t l = 0; l < 32; l++) {
            words[l]      = a[2 * (32 * group + l)];
            words[l + 32] = a[2 * (32 * group + l) + 1];
        }
        for (uint32_t l = 0; l < 32; l++) {
            const uint32_t *one = words + 4 + 4 * (l % 15);
            sums[l]             = one[0] + 3 * one[1] + 5 * one[2] + 7 * one[3] + words[l + 1] * 11;
        }
        memcpy(words + 1, sums, sizeof(sums));
        for (uint32_t l = 0; l < 32; l++)
            own[l] = words[l + 1];
        for (uint32_t l = 0; l < 15; l++)
            words[4 + 4 * l + 2] = 9;
        for (uint32_t l = 0; l < 32; l++)
            ck_assert_uint_eq(o[32 * group + l], own[l] + words[l] + words[32 + l] + words[1 + 39 - (l & 7)]);
    }
}
END_TEST

/* What tests/differential/shaders/pointers.spvasm computes for one work-item. */
static float expected(const float *a, const float *b, uint32_t i)
{
    uint32_t m     = i & 31;
    bool odd       = (i & 1) != 0;
    const float *p = odd ? a + m : b + m, *r = odd ? a + i + 64 : p + 2;
    float s = p[0] + p[1] + p[2] + p[3];

    return s + *r + (*p + (odd ? *p : *r)) + s * 2;
}

START_TEST(pointers_are_chosen_at_run_time)
{
    float a[128], b[128], before[128], o[64];
    struct translated kernel;
    struct {
        struct trm_cpu_buffer a, b, o;
    } block = {{a, sizeof(a)}, {b, sizeof(b)}, {o, sizeof(o)}};

    for (uint32_t i = 0; i < 128; i++) {
        a[i] = (float)(i % 13);
        b[i] = (float)(i % 7) * 16;
    }
    memcpy(before, b, sizeof(b));
    translated_open(&kernel, translated_path(SHADERS "pointers.spv"), _i == 0 ? 0 : TRM_TRANSLATE_BOUNDS,
                    NULL, 0);
    ck_assert_int_eq(translated_call(&kernel, 0, 2, 1, 1, 2, &block), 0);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_msg(o[i] == expected(a, before, i), "work-item %u: %g", i, (double)o[i]);
    translated_close(&kernel);
}
END_TEST

START_TEST(a_pointer_outside_of_all_buffers_fails_the_launch_with_bounds)
{
    static float a[128], b[128], o[64];
    struct translated kernel;
    struct {
        struct trm_cpu_buffer a, b, o;
    } block = {{a, sizeof(a)}, {b, 8 * sizeof(float)}, {o, sizeof(o)}};

    translated_open(&kernel, translated_path(SHADERS "pointers.spv"), TRM_TRANSLATE_BOUNDS, NULL, 0);
    ck_assert_int_eq(translated_call(&kernel, 0, 2, 1, 1, 1, &block), 1);
    trm_cpu_fault_fn last = (trm_cpu_fault_fn)dlsym(kernel.object, "trm_cpu_fault_v1");
    ck_assert_ptr_nonnull(last);
    ck_assert_msg(strstr(last()->what, "through a pointer") != NULL, "%s", last()->what);
    translated_close(&kernel);
}
END_TEST

START_TEST(a_known_pointer_stays_a_path)
{
    struct translated kernel;

    ck_assert_int_eq(
        translated_text(&kernel, translated_path(SHADERS "pointers.spv"), TRM_LANGUAGE_CUDA, 0, NULL, 0),
        TRM_OK);
    ck_assert_ptr_null(strstr(kernel.text.text, "__restrict__"));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "s_b[")); /* now = *b1 */
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated pointers");
    TCase *tests = tcase_create("pointers");

    if (!translated_can_compile())
        return NULL;
    tcase_add_loop_test(tests, shared_blocks_share_their_bytes, 0, 2);
    tcase_add_loop_test(tests, pointers_are_chosen_at_run_time, 0, 2);
    tcase_add_test(tests, a_pointer_outside_of_all_buffers_fails_the_launch_with_bounds);
    tcase_add_test(tests, a_known_pointer_stays_a_path);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
