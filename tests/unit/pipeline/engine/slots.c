/* How many slots of several devices are in use at once.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "pipeline/engine/engine_internal.h"
#include "tests/check.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define DEVICES 2
#define DEPTH 3
#define TOKENS_MOST 100000

static struct store store;
static struct trm_context *context;
static struct pipeline front, members[DEVICES];
static struct pipeline_device engines[DEVICES];
static struct trm_port ports[1];

static void make_front(uint64_t token_bytes)
{
    store_prepare(&store, "store");
    context = store_context(NULL);
    store_open(&store, context);
    memset(&front, 0, sizeof(front));
    memset(members, 0, sizeof(members));
    memset(engines, 0, sizeof(engines));
    ports[0].size      = token_bytes;
    front.front        = &front;
    front.member_count = DEVICES;
    front.depth        = DEVICES * DEPTH;
    for (uint32_t i = 0; i < DEVICES; i++) {
        members[i].front           = &front;
        members[i].device          = store.core;
        members[i].depth           = DEPTH;
        members[i].desc.port_count = 1;
        members[i].ports           = ports;
        members[i].engine          = &engines[i];
        engines[i].unified         = true;
        engines[i].input_ports     = 1;
        engines[i].slot_bytes      = token_bytes;
        front.members[i]           = &members[i];
        pipeline_slots_allow_fewer(&members[i]);
    }
}

static void remove_front(void)
{
    store_close(&store);
    trm_context_destroy(context);
}

static uint32_t slots_in_use(void)
{
    uint32_t rest;

    return pipeline_engine_slots_in_use(&front, &rest);
}

/* The first device may get too few tokens to end its trial: then the question costs little. */
START_TEST(while_one_of_several_devices_tries_strategies_all_slots_are_in_use)
{
    uint32_t rest = 0;

    make_front(UINT64_C(4) << 20);
    engines[0].choice.is_trying = true;
    ck_assert_uint_eq(pipeline_engine_slots_in_use(&front, &rest), 0);
    ck_assert_uint_ge(rest, 64);
    ck_assert(!engines[0].slots_in_use.has_begun);
    engines[0].choice.is_trying = false;
    (void)pipeline_engine_slots_in_use(&front, &rest);
    ck_assert(engines[0].slots_in_use.has_begun);
    remove_front();
}
END_TEST

/* Tokens end until the number of slots stays; returns it. */
static uint32_t run_trial(void)
{
    uint32_t slots = slots_in_use();
    for (uint32_t i = 0; i < TOKENS_MOST && pipeline_slots_are_tried(&front); i++)
        slots = slots_in_use();
    ck_assert(!pipeline_slots_are_tried(&front));
    return slots;
}

/* The reason, the report and what is in use agree, of the slots of all devices. */
static void check_reason(uint32_t slots)
{
    char said[64];

    snprintf(said, sizeof(said), "; %u of %u slots at a time", slots, DEVICES * DEPTH);
    ck_assert_uint_eq(pipeline_slots_chosen(&members[0]), slots);
    ck_assert_int_eq(strstr(members[0].reason, said) != NULL, slots != 0);
    ck_assert_int_eq(strstr(members[0].reason, " slots") != NULL, slots != 0);
}

START_TEST(fewer_slots_of_all_devices_together_are_tried_where_tokens_are_large)
{
    make_front(UINT64_C(1) << 40);
    ck_assert_uint_eq(slots_in_use(), 0); /* all, at first */
    ck_assert(pipeline_slots_are_tried(&front));
    ck_assert(pipeline_slots_are_tried(&members[1])); /* so it gets no more slots meanwhile */
    ck_assert_uint_eq(engines[0].slots_in_use.trial.ways[0].slots, DEVICES * DEPTH);
    uint32_t slots = run_trial();
    ck_assert(slots == 0 || slots == 1 || slots == DEVICES || slots == 2 * DEVICES);
    for (uint32_t i = 0; i < DEVICES; i++)
        ck_assert_int_eq(engines[i].tuning.is_settled, slots != 0);
    check_reason(slots);
    remove_front();
}
END_TEST

START_TEST(the_trial_of_several_devices_is_confirmed_and_begins_again_without_one_that_is_lost)
{
    make_front(UINT64_C(1) << 40);
    run_trial();
    for (uint32_t i = 0; i < TOKENS_MOST && !pipeline_slots_are_tried(&front); i++)
        slots_in_use();
    ck_assert(pipeline_slots_are_tried(&front));
    ck_assert_uint_ge(engines[0].slots_in_use.trial.trials, 1);
    struct core_device lost = *members[0].device;
    lost.is_lost            = true;
    members[0].device       = &lost;
    ck_assert_uint_eq(slots_in_use(), 0);
    const struct pipeline_depth_trial *trial = &engines[0].slots_in_use.trial;
    ck_assert_uint_eq(trial->trials, 0);
    ck_assert_uint_eq(trial->devices, 1);
    ck_assert_uint_eq(trial->ways[0].slots, DEPTH);
    ck_assert_uint_eq(trial->ways[trial->count - 1].slots, 1);
    members[0].device = store.core;
    remove_front();
}
END_TEST

START_TEST(all_slots_are_in_use_where_tokens_are_small_or_a_device_has_memory_of_its_own)
{
    for (uint32_t i = 0; i < 2; i++) {
        make_front(i == 0 ? 64 : UINT64_C(1) << 40);
        engines[1].slots_in_use.may_try = i == 0;
        ck_assert_uint_eq(slots_in_use(), 0);
        ck_assert(!pipeline_slots_are_tried(&front));
        remove_front();
    }
}
END_TEST

/* Tokens of the members can be spread. */
static void make_plain(void)
{
    for (uint32_t i = 0; i < DEVICES; i++) {
        members[i].desc.flags       = TRM_PIPELINE_DIVISIBLE;
        members[i].desc.stage_count = 1;
        engines[i].is_host          = true;
        engines[i].strategy         = &pipeline_strategy_zero_copy;
        engines[i].pieces.count     = 1;
        engines[i].lane_count       = 1;
    }
}

/* Of all turns of a trial, the turns in which tokens were spread. */
static uint32_t turns_spread(void)
{
    uint32_t turns = 0;

    for (uint32_t i = 0; i < TOKENS_MOST; i++) {
        uint32_t slots = slots_in_use();
        ck_assert_int_eq(front.is_spreading, engines[0].slots_in_use.trial.is_spread && slots == 1);
        turns += front.is_spreading;
        if (!pipeline_slots_are_tried(&front))
            return turns;
    }
    ck_abort_msg("the trial does not end");
}

START_TEST(tokens_are_spread_in_the_turns_of_one_slot)
{
    make_front(UINT64_C(1) << 40);
    make_plain();
    ck_assert_uint_gt(turns_spread(), 0);
    remove_front();
}
END_TEST

START_TEST(no_token_is_spread_where_one_member_cannot)
{
    for (uint32_t i = 0; i < 7; i++) {
        make_front(UINT64_C(1) << 40);
        make_plain();
        members[1].desc.flags       = i == 0 ? 0 : TRM_PIPELINE_DIVISIBLE;
        members[1].desc.stage_count = i == 1 ? 0 : 1;
        engines[1].is_host          = i != 2;
        engines[1].strategy         = i == 3 ? &pipeline_strategy_slot_streams : &pipeline_strategy_zero_copy;
        engines[1].pieces.count     = i == 4 ? 2 : 1;
        engines[1].lane_count       = i == 5 ? 2 : 1;
        engines[1].in_order         = i == 6;
        ck_assert_uint_eq(turns_spread(), 0);
        remove_front();
    }
}
END_TEST

/* A loss begins the trial anew, of the devices that are left. */
START_TEST(no_token_is_spread_where_one_device_is_left)
{
    make_front(UINT64_C(1) << 40);
    make_plain();
    struct core_device lost = *members[1].device;
    lost.is_lost            = true;
    while (slots_in_use() != 1)
        ;
    ck_assert(front.is_spreading);
    members[1].device = &lost;
    ck_assert_uint_eq(turns_spread(), 0);
    members[1].device = store.core;
    remove_front();
}
END_TEST

/* A run that begins within a turn begins the turn again. */
START_TEST(a_run_that_begins_spreads_tokens_as_the_turn_says)
{
    uint32_t rest = 1;

    make_front(UINT64_C(1) << 40);
    make_plain();
    while (slots_in_use() != 1)
        ;
    front.is_spreading = false; /* the run before has ended */
    pipeline_engine_slots_interrupt(&front, &rest);
    const struct pipeline_depth_trial *trial = &engines[0].slots_in_use.trial;
    ck_assert_int_eq(front.is_spreading, trial->ways[trial->way].slots == 1);
    while (slots_in_use() == 1)
        ;
    front.is_spreading = true;
    pipeline_engine_slots_interrupt(&front, &rest);
    ck_assert_int_eq(front.is_spreading, trial->ways[trial->way].slots == 1);
    remove_front();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("slots in use");
    TCase *group = tcase_create("of several devices");
    tcase_add_test(group, fewer_slots_of_all_devices_together_are_tried_where_tokens_are_large);
    tcase_add_test(group,
                   the_trial_of_several_devices_is_confirmed_and_begins_again_without_one_that_is_lost);
    tcase_add_test(group, all_slots_are_in_use_where_tokens_are_small_or_a_device_has_memory_of_its_own);
    tcase_add_test(group, while_one_of_several_devices_tries_strategies_all_slots_are_in_use);
    tcase_add_test(group, tokens_are_spread_in_the_turns_of_one_slot);
    tcase_add_test(group, no_token_is_spread_where_one_member_cannot);
    tcase_add_test(group, no_token_is_spread_where_one_device_is_left);
    tcase_add_test(group, a_run_that_begins_spreads_tokens_as_the_turn_says);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(suite)
