/* The states of slots as observers see them.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static struct trm_token *acquire(void)
{
    struct trm_token *token;
    OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
    return token;
}

static struct trm_token *filled(void)
{
    struct trm_token *token = acquire();
    memset(token->data[0], (int)(token->index & 0x7f), token->size[0]);
    return token;
}

static int32_t next(struct trm_token **token)
{
    return trm_pipeline_next(fake.handle, TRM_FOREVER, token);
}

static void state_is(uint32_t slot, int32_t state, uint64_t token)
{
    struct trm_slot slots[3];
    uint32_t count = 0;
    OK(trm_pipeline_slots(fake.handle, slots, 3, &count));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(trm_slot_state_name(slots[slot].state), trm_slot_state_name(state));
    ck_assert_uint_eq(slots[slot].token, token);
}

START_TEST(the_states_of_slots_can_be_read_on_the_way)
{
    struct trm_token *token;
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.fates[1] = FATE_HANGS;
    OK(trm_pipeline_discard(fake.handle, filled()));
    state_is(0, TRM_SLOT_FREE, 0);
    token = filled();
    state_is(1, TRM_SLOT_LOADING, 1);
    OK(trm_pipeline_submit(fake.handle, token));
    state_is(1, TRM_SLOT_PROCESSING, 1);
    fake_let_go();
    OK(next(&token));
    state_is(1, TRM_SLOT_DONE, 1);
    OK(trm_pipeline_release(fake.handle, token));
    state_is(1, TRM_SLOT_FREE, 1);
    ck_assert_str_eq(trm_slot_state_name(99), "unknown");
    ck_assert_str_eq(trm_strategy_name(TRM_STRATEGY_SLOT_GRAPHS), "slot graphs");
    ck_assert_str_eq(trm_strategy_name(-1), "unknown");
    fake_destroy();
}
END_TEST

/* ---- slots that move while they are looked at ------------------------------------------------------- */

/* The slot goes on to its next token each time that the observer has asked for the stage of one. */
#define MOVES 40

static int moves;

static int32_t move_on(const struct pipeline_slot *slot)
{
    struct trm_token *token;
    if (moves == MOVES)
        return TRM_SLOT_UPLOADING;
    moves++;
    ck_assert_uint_eq(slot->index, 0);
    OK(next(&token));
    OK(trm_pipeline_release(fake.handle, token));
    OK(trm_pipeline_submit(fake.handle, filled()));
    return TRM_SLOT_DOWNLOADING;
}

START_TEST(the_stage_of_one_token_is_never_told_of_another)
{
    struct trm_token *token;
    struct trm_slot slot;
    uint32_t count;
    fake_create_plain(1, TRM_FAILURE_STOP);
    OK(trm_pipeline_submit(fake.handle, filled()));
    moves      = 0;
    fake.stage = move_on;
    OK(trm_pipeline_slots(fake.handle, &slot, 1, &count));
    fake.stage = NULL;
    ck_assert_int_eq(moves, MOVES);
    ck_assert_uint_eq(slot.token, MOVES);
    ck_assert_str_eq(trm_slot_state_name(slot.state), trm_slot_state_name(TRM_SLOT_UPLOADING));
    OK(next(&token));
    OK(trm_pipeline_release(fake.handle, token));
    fake_destroy();
}
END_TEST

static struct {
    _Atomic uint64_t freed; /* the last token that the program began to discard */
    _Atomic bool ends;
    uint64_t wrong;
} watched;

static void *watch(void *unused)
{
    struct trm_slot slot;
    uint32_t count;
    (void)unused;
    while (!atomic_load(&watched.ends)) {
        trm_pipeline_slots(fake.handle, &slot, 1, &count);
        watched.wrong += slot.state == TRM_SLOT_FREE && slot.token > atomic_load(&watched.freed);
    }
    return NULL;
}

START_TEST(a_free_slot_tells_its_last_token_and_never_the_next)
{
    pthread_t thread;
    fake_create_plain(1, TRM_FAILURE_STOP);
    ck_assert_int_eq(pthread_create(&thread, NULL, watch, NULL), 0);
    for (int i = 0; i < 200000; i++) {
        struct trm_token *token = acquire();
        atomic_store(&watched.freed, token->index);
        OK(trm_pipeline_discard(fake.handle, token));
    }
    atomic_store(&watched.ends, true);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(watched.wrong, 0);
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("states of slots");
    TCase *states = tcase_create("states");
    tcase_add_test(states, the_states_of_slots_can_be_read_on_the_way);
    tcase_add_test(states, the_stage_of_one_token_is_never_told_of_another);
    tcase_add_test(states, a_free_slot_tells_its_last_token_and_never_the_next);
    suite_add_tcase(suite, states);
    return suite;
}

UNIT_SUITE(make_suite)
