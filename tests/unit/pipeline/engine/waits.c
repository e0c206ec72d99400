/* How long tokens are where nothing is measured.
 * SPDX-License-Identifier: MIT
 */
#include "check_fixture.h"
#include "tests/unit/runner.h"

START_TEST(a_single_wait_is_little_proof_of_how_long_tokens_are)
{
    ck_assert_uint_eq(pipeline_length_of_waits(0, 500), 500);
    ck_assert_uint_eq(pipeline_length_of_waits(500, 600), 600);
    ck_assert_uint_eq(pipeline_length_of_waits(500, 90000), 1000);
    ck_assert_uint_eq(pipeline_length_of_waits(8000, 10), 1000);
}
END_TEST

/* The thread that waits runs such a token itself, so it is not flushed before. */
START_TEST(of_some_tokens_the_wait_is_timed_where_nothing_is_measured)
{
    struct pipeline_device engine = {.unified = true, .is_host = true};
    struct pipeline pipeline      = {.engine = &engine, .desc = {.measure = TRM_MEASURE_NONE}};
    struct pipeline_slot slot     = {.pipeline = &pipeline};
    uint32_t timed                = 0;

    for (slot.token.index = 0; slot.token.index < 256; slot.token.index++)
        timed += pipeline_slot_times_wait(&slot);
    ck_assert_uint_gt(timed, 0);
    ck_assert_uint_le(timed, 256 / 8);
    slot.token.index = 0;
    ck_assert(pipeline_slot_times_wait(&slot));
    pipeline.desc.measure = TRM_MEASURE_SAMPLED;
    ck_assert(!pipeline_slot_times_wait(&slot));
    pipeline.desc.measure = TRM_MEASURE_NONE;
    engine.is_host        = false; /* a driver's own threads run the tokens */
    ck_assert(!pipeline_slot_times_wait(&slot));
}
END_TEST

static uint32_t timed_of(struct pipeline_device *engine, uint64_t length)
{
    struct pipeline pipeline  = {.engine = engine, .desc = {.measure = TRM_MEASURE_NONE}};
    struct pipeline_slot slot = {.pipeline = &pipeline};
    uint32_t timed            = 0;

    atomic_store(&engine->token_ns, length);
    for (slot.token.index = 0; slot.token.index < 1024; slot.token.index++)
        timed += pipeline_slot_times_wait(&slot);
    return timed;
}

START_TEST(the_wait_is_rarely_timed_for_tokens_that_are_long)
{
    struct pipeline_device engine = {.unified = true, .is_host = true};

    ck_assert_uint_eq(timed_of(&engine, 0), timed_of(&engine, 900));
    ck_assert_uint_eq(timed_of(&engine, 3000), timed_of(&engine, 900));
    ck_assert_uint_gt(timed_of(&engine, 100000), 0); /* they may become short */
    ck_assert_uint_le(timed_of(&engine, 100000), timed_of(&engine, 900) / 8);
}
END_TEST

START_TEST(tokens_are_short_that_end_before_another_thread_has_their_data)
{
    struct pipeline_device engine = {.unified = true};
    struct pipeline pipeline      = {.engine = &engine};
    struct pipeline_slot slot     = {.pipeline = &pipeline};

    ck_assert(!pipeline_slot_is_short(&slot)); /* it is not known how long they are */
    atomic_store(&engine.token_ns, 900);
    ck_assert(pipeline_slot_is_short(&slot));
    engine.unified = false;
    ck_assert(!pipeline_slot_is_short(&slot));
    engine.unified = true;
    atomic_store(&engine.token_ns, 4000);
    ck_assert(!pipeline_slot_is_short(&slot));
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
    pipeline->engine->is_host = true;
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
    tcase_add_test(tests, a_single_wait_is_little_proof_of_how_long_tokens_are);
    tcase_add_test(tests, tokens_are_short_that_end_before_another_thread_has_their_data);
    tcase_add_test(tests, of_some_tokens_the_wait_is_timed_where_nothing_is_measured);
    tcase_add_test(tests, the_wait_is_rarely_timed_for_tokens_that_are_long);
    tcase_add_test(tests, the_length_of_tokens_is_known_where_nothing_is_measured);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
