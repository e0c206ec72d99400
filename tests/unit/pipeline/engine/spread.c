/* What a slot keeps of a token on which all devices work, and until when.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/spread.h"

#include "check_fixture.h"
#include "core/memory/memory.h"
#include "tests/unit/runner.h"

static struct trm_pipeline *handle;
static struct trm_stream *stream; /* of another device's part */
static struct pipeline_slot *slot;

/* Its only slot has a token that was spread, whose second part has ended. */
static void open_spread(void)
{
    open_stores();
    stages[1]        = stages[0];
    stages[0].kernel = stages[1].kernel = foreign;
    desc.port_count                     = 2;
    desc.depth                          = 1;
    ck_assert_int_eq(trm_pipeline_create(other.device, &desc, &handle), TRM_OK);
    ck_assert_int_eq(trm_stream_create(other.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream), TRM_OK);
    const struct pipeline *pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
    slot = pipeline->slots[0];
    ck_assert_uint_eq(slot->pipeline->engine->lane_count, 1);
    slot->device->is_spread = true;
    ck_assert_int_eq(pipeline_finish_point(&slot->device->lane_ends[2], stream, TRM_OK), TRM_OK);
}

static void close_spread(void)
{
    trm_pipeline_destroy(handle);
    trm_stream_destroy(stream);
    close_stores();
}

static struct trm_token *acquired(void)
{
    struct trm_token *token;

    ck_assert_int_eq(trm_pipeline_acquire(handle, TRM_FOREVER, &token), TRM_OK);
    token->size[X] = token->size[Y] = BYTES;
    return token;
}

/* Submits a token, which is not spread. */
static void pass(struct trm_token *token)
{
    ck_assert_int_eq(trm_pipeline_submit(handle, token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_next(handle, TRM_FOREVER, &token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_release(handle, token), TRM_OK);
}

static bool has_ends(void)
{
    for (uint32_t i = 0; i < PIPELINE_LANES_MOST; i++)
        if (pipeline_slot_point(&slot->device->lane_ends[i]).stream != NULL)
            return true;
    return false;
}

/* A thread may still read the times of a token when its slot is acquired for the next one. */
START_TEST(a_token_is_spread_until_the_next_one_in_its_slot_is_enqueued)
{
    ck_assert(pipeline_slot_is_spread(slot));
    struct trm_token *token = acquired();
    ck_assert(pipeline_slot_is_spread(slot));
    pass(token);
    ck_assert(!pipeline_slot_is_spread(slot));
}
END_TEST

START_TEST(the_ends_of_parts_go_before_the_next_token_in_the_slot)
{
    ck_assert(has_ends());
    struct trm_token *token = acquired();
    ck_assert(!has_ends());
    pass(token);
    ck_assert(!has_ends());
}
END_TEST

/* The streams of helpers end with them, and what enqueues the next token must not ask for their ends. */
START_TEST(helpers_and_the_ends_of_their_parts_go_with_the_order_of_stages)
{
    const uint32_t order[] = {0, 1}; /* all is made anew for the same order, too */

    slot->device->spread = core_allocate(slot->pipeline->object.context, sizeof(*slot->device->spread));
    ck_assert_ptr_nonnull(slot->device->spread);
    struct pipeline_slot **helper = &slot->device->spread->helpers[1];
    ck_assert_int_eq(pipeline_slot_create_bare(slot->pipeline, 0, helper), TRM_OK);
    trm_stream_destroy(stream);
    stream = NULL;
    ck_assert_int_eq(trm_pipeline_set_stage_order(handle, order, 2), TRM_OK);
    ck_assert_ptr_null(*helper);
    pass(acquired());
    ck_assert(!has_ends());
    ck_assert(!pipeline_slot_is_spread(slot));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: spread tokens");
    TCase *tests = tcase_create("slots");

    tcase_add_checked_fixture(tests, open_spread, close_spread);
    tcase_add_test(tests, a_token_is_spread_until_the_next_one_in_its_slot_is_enqueued);
    tcase_add_test(tests, the_ends_of_parts_go_before_the_next_token_in_the_slot);
    tcase_add_test(tests, helpers_and_the_ends_of_their_parts_go_with_the_order_of_stages);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
