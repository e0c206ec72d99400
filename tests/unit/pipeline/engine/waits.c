/* How long tokens are where nothing is measured.
 * SPDX-License-Identifier: MIT
 */
#include "check_fixture.h"
#include "tests/unit/runner.h"

START_TEST(a_short_wait_is_little_proof_that_tokens_are_short)
{
    ck_assert_uint_eq(pipeline_length_of_waits(0, 500), 500);
    ck_assert_uint_eq(pipeline_length_of_waits(500, 90000), 90000);
    ck_assert_uint_eq(pipeline_length_of_waits(8000, 10), 1000);
}
END_TEST

/* Passes a token through a pipeline on the device that shares the host's memory. Returns how long it knows
 * its tokens to be then; 0: it does not know. */
static uint64_t length_after_a_token(void)
{
    struct trm_pipeline *handle;
    struct trm_token *token;

    stages[0].kernel = foreign;
    desc.port_count  = 2;
    desc.stage_count = 1;
    desc.measure     = TRM_MEASURE_NONE;
    ck_assert_int_eq(trm_pipeline_create(other.device, &desc, &handle), TRM_OK);
    const struct pipeline *pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
    ck_assert_uint_eq(atomic_load(&pipeline->engine->token_ns), 0);
    ck_assert_int_eq(trm_pipeline_acquire(handle, TRM_FOREVER, &token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_submit(handle, token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_next(handle, TRM_FOREVER, &token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_release(handle, token), TRM_OK);
    uint64_t length = atomic_load(&pipeline->engine->token_ns);
    trm_pipeline_destroy(handle);
    return length;
}

START_TEST(the_length_of_tokens_is_known_where_nothing_is_measured)
{
    ck_assert_uint_gt(length_after_a_token(), 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: waits");
    TCase *tests = tcase_create("waits");

    tcase_add_checked_fixture(tests, open_stores, close_stores);
    tcase_add_test(tests, a_short_wait_is_little_proof_that_tokens_are_short);
    tcase_add_test(tests, the_length_of_tokens_is_known_where_nothing_is_measured);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
