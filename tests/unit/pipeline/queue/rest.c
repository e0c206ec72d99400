/* Which slots tokens use where fewer may be in use than there are.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

enum {
    TOKENS  = 200,
    SLOTS   = 5,
    LIMIT   = 4,
    SETTLED = 2 * SLOTS /* tokens that may have begun before the limit was known */
};

static struct record record;
static uint32_t slot_of[TOKENS]; /* by token */

/* Loaders call it at once, for different tokens. */
static int32_t fill(void *user, struct trm_token *token)
{
    if (token->index < TOKENS)
        slot_of[token->index] = token->slot;
    return record_fill(user, token);
}

static struct trm_source begin(bool are_first)
{
    fake_create_plain(SLOTS, TRM_FAILURE_STOP);
    fake.slots_in_use    = LIMIT;
    fake.slots_are_first = are_first;
    record_init(&record, TOKENS);
    return trm_source_function(fill, &record);
}

static uint32_t count_tokens_in(uint32_t slot)
{
    uint32_t count = 0;

    for (uint32_t i = SETTLED; i < TOKENS; i++)
        count += slot_of[i] == slot;
    return count;
}

static void run(bool are_first, uint32_t workers)
{
    struct trm_source source = begin(are_first);
    struct trm_sink sink     = trm_sink_function(record_take, &record);

    source.workers = workers;
    OK(trm_pipeline_run(fake.handle, &source, &sink));
    ck_assert(record_is_complete(&record, TOKENS, NO_TOKEN));
    fake_destroy();
}

/* With loaders too, which would use the fifth one while the sink has one of the others. */
START_TEST(the_last_slot_rests_where_the_first_ones_are_in_use)
{
    run(true, (uint32_t)_i);
    ck_assert_uint_eq(count_tokens_in(SLOTS - 1), 0);
}
END_TEST

/* As in a pipeline of so many slots. */
START_TEST(the_first_slots_take_tokens_by_turns)
{
    run(true, 0);
    for (uint32_t i = SETTLED; i < TOKENS; i++)
        ck_assert_uint_eq(slot_of[i], slot_of[i - LIMIT]);
    for (uint32_t i = 0; i < LIMIT; i++)
        ck_assert_uint_ge(count_tokens_in(i), (TOKENS - SETTLED) / LIMIT);
}
END_TEST

/* Its memory is in the caches, whichever it is. */
START_TEST(any_slot_may_rest_where_only_their_number_is_limited)
{
    run(false, 0);
    uint32_t resting = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        resting += count_tokens_in(i) == 0;
    ck_assert_uint_eq(resting, 1);
    ck_assert_uint_ne(count_tokens_in(SLOTS - 1), 0);
}
END_TEST

/* Else it could wait for what it has itself. */
START_TEST(a_program_may_have_results_in_more_than_the_first_slots)
{
    struct trm_source source           = begin(true);
    struct trm_token *taken[SLOTS - 1] = {NULL};
    struct trm_token *token;

    source.workers = (uint32_t)_i;
    OK(trm_pipeline_start(fake.handle, &source));
    for (uint64_t i = 0; i < TOKENS / 2; i++) {
        OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
        OK(trm_pipeline_release(fake.handle, token));
    }
    for (uint32_t i = 0; i < LIMIT; i++)
        OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &taken[i]));
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    ck_assert_uint_eq(token->slot, SLOTS - 1);
    OK(trm_pipeline_release(fake.handle, token));
    for (uint32_t i = 0; i < LIMIT; i++)
        OK(trm_pipeline_release(fake.handle, taken[i]));
    OK(trm_pipeline_cancel(fake.handle, TRM_FOREVER));
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("queues: slots that rest");
    TCase *tests = tcase_create("rest");

    tcase_add_loop_test(tests, the_last_slot_rests_where_the_first_ones_are_in_use, 0, 3);
    tcase_add_test(tests, the_first_slots_take_tokens_by_turns);
    tcase_add_test(tests, any_slot_may_rest_where_only_their_number_is_limited);
    tcase_add_loop_test(tests, a_program_may_have_results_in_more_than_the_first_slots, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
