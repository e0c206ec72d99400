/* The models of a pool's tasks.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "pipeline/model/learn.h"
#include "tests/unit/runner.h"

static struct pipeline_task_models models;

static void set_up(void)
{
    memset(&models, 0, sizeof(models));
}

static struct pipeline_task_key key_of_launch(uintptr_t kernel, uint32_t groups)
{
    const struct trm_stream_task task = {.kernel = (struct trm_kernel *)kernel,
                                         .grid   = trm_grid_1d(groups, 64)};
    return pipeline_task_key_of(&task);
}

static int32_t do_nothing(void *user, struct trm_stream *stream)
{
    (void)user;
    (void)stream;
    return TRM_OK;
}

static struct pipeline_task_key key_of_bytes(uint64_t bytes)
{
    const struct trm_stream_task task = {.enqueue = do_nothing, .bytes = bytes};
    return pipeline_task_key_of(&task);
}

START_TEST(kernels_and_sizes_have_models_of_their_own)
{
    const struct pipeline_task_key small = key_of_launch(8, 16), large = key_of_launch(8, 64),
                                   other = key_of_launch(9, 16);
    pipeline_task_model_add(&models, &small, 100);
    ck_assert_ptr_null(pipeline_task_model_find(&models, &large));
    ck_assert_ptr_null(pipeline_task_model_find(&models, &other));
    pipeline_task_model_add(&models, &large, 400);
    ck_assert_double_eq(pipeline_task_model_find(&models, &small)->time.mean, 100);
    ck_assert_double_eq(pipeline_task_model_find(&models, &large)->time.mean, 400);
}
END_TEST

START_TEST(launches_of_about_as_many_groups_have_one_model)
{
    const struct pipeline_task_key key = key_of_launch(8, 16), near_key = key_of_launch(8, 31);
    pipeline_task_model_add(&models, &key, 100);
    ck_assert_ptr_nonnull(pipeline_task_model_find(&models, &near_key));
}
END_TEST

START_TEST(functions_have_models_by_their_bytes)
{
    const struct pipeline_task_key key = key_of_bytes(4096), near_key = key_of_bytes(5000),
                                   far_key = key_of_bytes(65536), unknown = key_of_bytes(0);
    pipeline_task_model_add(&models, &key, 100);
    ck_assert_ptr_nonnull(pipeline_task_model_find(&models, &near_key));
    ck_assert_ptr_null(pipeline_task_model_find(&models, &far_key));
    ck_assert_ptr_null(pipeline_task_model_find(&models, &unknown));
}
END_TEST

START_TEST(a_full_table_forgets_what_was_used_longest_ago)
{
    const struct pipeline_task_key kept = key_of_launch(8, 1);
    pipeline_task_model_add(&models, &kept, 100);
    for (uintptr_t i = 0; i < 20u * PIPELINE_TASK_MODELS; i++) {
        const struct pipeline_task_key key = key_of_launch(1000 + i, 1);
        pipeline_task_model_add(&models, &key, 200);
        ck_assert_double_eq(pipeline_task_model_find(&models, &key)->time.mean, 200);
        ck_assert_ptr_nonnull(pipeline_task_model_find(&models, &kept));
    }
    const struct pipeline_task_key first = key_of_launch(1000, 1);
    ck_assert_ptr_null(pipeline_task_model_find(&models, &first));
}
END_TEST

START_TEST(the_least_time_is_known_after_two_samples_and_follows_a_lasting_change)
{
    const struct pipeline_task_key key = key_of_launch(8, 1);
    ck_assert_double_eq(pipeline_task_model_add(&models, &key, 5)->least, 0);
    ck_assert_double_eq(pipeline_task_model_add(&models, &key, 100)->least, 100);
    for (uint32_t i = 0; i < 5; i++)
        pipeline_task_model_add(&models, &key, 100);
    for (uint32_t i = 0; i < 20; i++)
        pipeline_task_model_add(&models, &key, 900);
    ck_assert_double_eq(pipeline_task_model_find(&models, &key)->least, 100 + (900 - 100) / 4.0);
    ck_assert_double_ge(pipeline_task_model_find(&models, &key)->time.mean, 800);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool models");
    TCase *tests = tcase_create("learn");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, kernels_and_sizes_have_models_of_their_own);
    tcase_add_test(tests, launches_of_about_as_many_groups_have_one_model);
    tcase_add_test(tests, functions_have_models_by_their_bytes);
    tcase_add_test(tests, a_full_table_forgets_what_was_used_longest_ago);
    tcase_add_test(tests, the_least_time_is_known_after_two_samples_and_follows_a_lasting_change);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
