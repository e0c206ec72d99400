/* Which operations are cached from one token of a slot to the next.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/cached_operations.h"
#include "check_fixture.h"
#include "tests/unit/runner.h"

static struct trm_pipeline *handle;
static struct pipeline *pipeline;

/* One slot, one launch, on the device with memory of its own. */
static void open_pipeline(int32_t strategy)
{
    desc.port_count  = 2;
    desc.stage_count = 1;
    desc.depth       = 1;
    desc.measure     = TRM_MEASURE_NONE;
    desc.strategy    = strategy;
    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, &handle), TRM_OK);
    pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
}

static void pass(uint64_t bytes)
{
    struct trm_token *token;

    ck_assert_int_eq(trm_pipeline_acquire(handle, TRM_FOREVER, &token), TRM_OK);
    token->size[X] = bytes;
    ck_assert_int_eq(trm_pipeline_submit(handle, token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_next(handle, TRM_FOREVER, &token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_release(handle, token), TRM_OK);
}

static bool is_cached(void)
{
    return pipeline_cached_is_ready(pipeline->slots[0], pipeline->engine->strategy);
}

START_TEST(the_operations_of_full_tokens_are_cached_until_one_differs)
{
    open_pipeline(TRM_STRATEGY_SLOT_STREAMS);
    ck_assert(!is_cached());
    pass(BYTES);
    ck_assert(is_cached());
    pass(BYTES);
    ck_assert(is_cached());
    ck_assert_uint_eq(pipeline->slots[0]->device->bytes_up, BYTES);
    ck_assert_uint_eq(pipeline->slots[0]->device->bytes_down, BYTES);
    pass(BYTES / 2);
    ck_assert(!is_cached());
    ck_assert_uint_eq(pipeline->slots[0]->device->bytes_up, BYTES / 2);
    pass(BYTES);
    ck_assert(is_cached());
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(a_token_whose_launch_is_cached_is_noted_like_any_other)
{
    struct pipeline_slot_device *own;
    uint64_t before[4];

    open_pipeline(TRM_STRATEGY_SLOT_STREAMS);
    own = pipeline->slots[0]->device;
    pass(BYTES);
    before[0] = pipeline_slot_point(&own->uploaded).value;
    before[1] = own->launched[0];
    before[2] = pipeline_slot_point(&own->processed).value;
    before[3] = pipeline_slot_point(&own->finished).value;
    ck_assert(is_cached());
    pass(BYTES);
    /* Three operations a token. */
    ck_assert_uint_eq(pipeline_slot_point(&own->uploaded).value, before[0] + 3);
    ck_assert_uint_eq(own->launched[0], before[1] + 3);
    ck_assert_uint_eq(pipeline_slot_point(&own->processed).value, before[2] + 3);
    ck_assert_uint_eq(pipeline_slot_point(&own->finished).value, before[3] + 3);
    ck_assert_ptr_eq(pipeline_slot_point(&own->processed).stream, own->stream);
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(the_operations_of_what_may_change_are_not_kept)
{
    open_pipeline(TRM_STRATEGY_SLOT_STREAMS);
    pass(BYTES);
    pipeline->slots[0]->device->samples = 1; /* it gets time stamps */
    ck_assert(!is_cached());
    trm_pipeline_destroy(handle);
    open_pipeline(TRM_STRATEGY_ROLE_STREAMS);
    pass(BYTES);
    ck_assert(!is_cached());
    trm_pipeline_destroy(handle);
    stages[0].shape = shape;
    open_pipeline(TRM_STRATEGY_SLOT_STREAMS);
    pass(BYTES);
    ck_assert(!is_cached());
    trm_pipeline_destroy(handle);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: cached operations");
    TCase *tests = tcase_create("kept");

    tcase_add_checked_fixture(tests, open_stores, close_stores);
    tcase_add_test(tests, the_operations_of_full_tokens_are_cached_until_one_differs);
    tcase_add_test(tests, a_token_whose_launch_is_cached_is_noted_like_any_other);
    tcase_add_test(tests, the_operations_of_what_may_change_are_not_kept);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
