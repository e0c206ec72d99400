/* Which stream of a pool is lent next.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "pipeline/pool/pool.h"
#include "tests/unit/runner.h"

#define SLOTS 4u

static struct pipeline_stream_pool pool;
static struct core_stream streams[SLOTS];

/* A pool whose slots are all free and idle. */
static void set_up(void)
{
    memset(&pool, 0, sizeof(pool));
    memset(streams, 0, sizeof(streams));
    pool.strategy   = TRM_STREAM_LEAST_LOADED;
    pool.most       = SLOTS;
    pool.slot_count = SLOTS;
    for (uint32_t i = 0; i < SLOTS; i++) {
        pool.slots[i].state  = PIPELINE_POOL_SLOT_FREE;
        pool.slots[i].stream = &streams[i];
    }
}

/* Work that takes so many seconds. */
static void load(uint32_t index, uint64_t seconds)
{
    pool.slots[index].watches       = 1;
    pool.slots[index].predicted_end = base_now() + seconds * UINT64_C(1000000000);
}

static void load_all(void)
{
    static const uint64_t seconds[SLOTS] = {9000, 5000, 7000, 20000};
    for (uint32_t i = 0; i < SLOTS; i++)
        load(i, seconds[i]);
}

/* A stream whose loans are not watched, and whose ends no call has seen yet. */
static void presume(uint32_t index, uint64_t predicted_end)
{
    pool.slots[index].unwatched     = 5;
    pool.slots[index].seen          = 5;
    pool.slots[index].predicted_end = predicted_end;
}

/* The choice by the notes of which slots are idle, which is the same as by looking at all of them. */
static struct pipeline_pool_choice choose(const struct pipeline_pool_request *request)
{
    static struct pipeline_stream_pool unnoted;
    unnoted            = pool;
    unnoted.free_slots = unnoted.idle_slots = 0;
    struct pipeline_pool_choice slow        = pipeline_pool_choose_locked(&unnoted, request);
    for (uint32_t i = 0; i < pool.slot_count; i++)
        pipeline_pool_note_locked(&pool, &pool.slots[i]);
    struct pipeline_pool_choice choice = pipeline_pool_choose_locked(&pool, request);
    ck_assert_int_eq(choice.step, slow.step);
    ck_assert_uint_eq(choice.index, slow.index);
    ck_assert_uint_eq(choice.used, slow.used);
    ck_assert_uint_eq(pool.turn, unnoted.turn);
    return choice;
}

static void ck_choice(bool wants_idle, enum pipeline_pool_step step, uint32_t index)
{
    const struct pipeline_pool_request request = {.wants_idle = wants_idle};
    struct pipeline_pool_choice choice         = choose(&request);
    ck_assert_int_eq(choice.step, step);
    if (step != PIPELINE_POOL_WAIT)
        ck_assert_uint_eq(choice.index, index);
}

START_TEST(round_robin_takes_idle_streams_in_turn)
{
    pool.strategy = TRM_STREAM_ROUND_ROBIN;
    for (uint32_t i = 0; i < 3 * SLOTS; i++)
        ck_choice(false, PIPELINE_POOL_LEND, i % SLOTS);
}
END_TEST

START_TEST(least_loaded_takes_the_idle_stream_that_was_lent_longest_ago)
{
    for (uint32_t i = 0; i < 3 * SLOTS; i++) {
        presume(i % SLOTS, 1);
        ck_choice(false, PIPELINE_POOL_LEND, i % SLOTS);
    }
}
END_TEST

START_TEST(only_a_task_whose_stream_has_work_leaves_the_turn)
{
    static const uint32_t expected[] = {0, 2, 2, 3, 0, 2, 2, 3};
    load(1, 9000);
    for (uint32_t i = 0; i < 8; i++) {
        ck_choice(false, PIPELINE_POOL_LEND, expected[i]);
        pool.slots[expected[i]].lent = 1 + i;
    }
    pool.slots[1].watches = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_choice(false, PIPELINE_POOL_LEND, i);
}
END_TEST

START_TEST(on_the_hosts_own_processors_least_loaded_takes_the_first_idle_stream)
{
    pool.is_host = true;
    for (uint32_t i = 0; i < 3; i++)
        ck_choice(false, PIPELINE_POOL_LEND, 0);
    load(0, 900);
    ck_choice(false, PIPELINE_POOL_LEND, 1);
    pool.strategy = TRM_STREAM_ROUND_ROBIN;
    ck_choice(false, PIPELINE_POOL_LEND, 2);
}
END_TEST

START_TEST(round_robin_takes_streams_with_work_in_turn)
{
    pool.strategy = TRM_STREAM_ROUND_ROBIN;
    load_all();
    for (uint32_t i = 0; i < 3 * SLOTS; i++)
        ck_choice(false, PIPELINE_POOL_LEND, i % SLOTS);
}
END_TEST

START_TEST(least_loaded_takes_the_stream_whose_work_ends_first)
{
    load_all();
    ck_choice(false, PIPELINE_POOL_LEND, 1);
    pool.slots[1].state = PIPELINE_POOL_SLOT_LENT;
    ck_choice(false, PIPELINE_POOL_LEND, 2);
    pool.slots[2].state = PIPELINE_POOL_SLOT_TRANSIT;
    ck_choice(false, PIPELINE_POOL_LEND, 0);
}
END_TEST

static void load_evenly(void)
{
    static const uint64_t seconds[SLOTS] = {5300, 5000, 5100, 5200};
    for (uint32_t i = 0; i < SLOTS; i++)
        load(i, seconds[i]);
}

START_TEST(streams_whose_work_ends_at_about_the_same_time_take_turns)
{
    load_evenly();
    for (uint32_t i = 0; i < 3 * SLOTS; i++)
        ck_choice(false, PIPELINE_POOL_LEND, i % SLOTS);
    load(0, 9000);
    for (uint32_t i = 0; i < 2 * SLOTS; i++) {
        uint32_t turn = i % SLOTS;
        ck_choice(false, PIPELINE_POOL_LEND, turn != 0 ? turn : 1);
    }
}
END_TEST

START_TEST(streams_whose_ends_differ_by_less_than_predictions_are_off_take_turns)
{
    load_all();
    ck_choice(false, PIPELINE_POOL_LEND, 1);
    for (uint32_t i = 0; i < SLOTS; i++)
        pool.slots[i].spread = UINT64_C(6000000000000);
    ck_choice(false, PIPELINE_POOL_LEND, 1);
    ck_choice(false, PIPELINE_POOL_LEND, 2);
    ck_choice(false, PIPELINE_POOL_LEND, 1); /* the last stream has far more work */
    ck_choice(false, PIPELINE_POOL_LEND, 0);
}
END_TEST

START_TEST(on_the_hosts_own_processors_the_end_that_is_predicted_first_counts_however_little_earlier)
{
    load_evenly();
    pool.is_host = true;
    for (uint32_t i = 0; i < SLOTS; i++)
        ck_choice(false, PIPELINE_POOL_LEND, 1);
}
END_TEST

START_TEST(an_idle_stream_comes_before_all_others)
{
    load_all();
    pool.slots[3].watches = 0;
    ck_choice(false, PIPELINE_POOL_LEND, 3);
    ck_choice(true, PIPELINE_POOL_LEND, 3);
}
END_TEST

START_TEST(a_pool_grows_before_it_lends_a_stream_with_work)
{
    load_all();
    pool.slots[2] = (struct pipeline_pool_slot){.state = PIPELINE_POOL_SLOT_EMPTY};
    ck_choice(false, PIPELINE_POOL_GROW, 2);
}
END_TEST

START_TEST(a_call_for_an_idle_stream_waits_when_none_is_idle)
{
    load_all();
    ck_choice(true, PIPELINE_POOL_WAIT, 0);
}
END_TEST

START_TEST(a_stream_that_failed_is_replaced_when_its_watches_are_done)
{
    load_all();
    pool.slots[3].has_failed = true;
    ck_choice(false, PIPELINE_POOL_LEND, 1);
    pool.slots[3].watches = 0;
    ck_choice(false, PIPELINE_POOL_REPLACE, 3);
}
END_TEST

START_TEST(a_choice_counts_the_streams_that_are_used)
{
    load(0, 100);
    pool.slots[1].state = PIPELINE_POOL_SLOT_LENT;
    pool.slots[2]       = (struct pipeline_pool_slot){.state = PIPELINE_POOL_SLOT_EMPTY};
    const struct pipeline_pool_request request = {.wants_idle = false};
    ck_assert_uint_eq(choose(&request).used, 2);
}
END_TEST

static struct pipeline_pool_choice choice_after(const struct trm_point *point)
{
    const struct trm_stream_task task          = {.after = point, .after_count = 1};
    const struct pipeline_pool_request request = {.task = &task};
    return choose(&request);
}

/* All streams have work and names; the last operation of stream i is 40 + i. */
static void load_named(void)
{
    static int names[SLOTS];
    load_all();
    for (uint32_t i = 0; i < SLOTS; i++) {
        streams[i].object.handle = (struct trm_stream *)&names[i];
        pool.slots[i].seen       = 40 + i;
    }
}

/* Operation 42 of the last stream ends in so many seconds, and operation 43 takes `least` nanoseconds. */
static void mark(uint64_t seconds, double least)
{
    struct pipeline_pool_slot *slot = &pool.slots[SLOTS - 1];
    uint64_t end                    = slot->predicted_end;
    slot->marks                     = 0;
    slot->predicted_end             = base_now() + seconds * UINT64_C(1000000000);
    pipeline_pool_mark_locked(slot, 42, 1e9);
    slot->predicted_end = end;
    pipeline_pool_mark_locked(slot, 43, least);
}

/* For a task that comes after operation 42 of the last stream and takes so many nanoseconds; 0: not known. */
static uint32_t chosen_after_42(uint64_t took)
{
    const struct trm_point earlier             = {streams[SLOTS - 1].object.handle, 42};
    const struct trm_stream_task task          = {.after = &earlier, .after_count = 1};
    const struct pipeline_task_key key         = {.what = 1, .size = (uint32_t)(took / 1000)};
    const struct pipeline_pool_request request = {.task = &task, .key = key};
    for (int i = 0; i < 2 && took != 0; i++)
        pipeline_task_model_add(&pool.models, &key, (double)took);
    return choose(&request).index;
}

START_TEST(a_task_goes_behind_what_it_comes_after)
{
    load_named();
    const struct trm_point last = {streams[3].object.handle, 43};
    ck_assert_uint_eq(choice_after(&last).index, 3);
    pool.slots[0].watches = 0;
    ck_assert_uint_eq(choice_after(&last).index, 3);
    pool.slots[3].state = PIPELINE_POOL_SLOT_LENT;
    ck_assert_uint_eq(choice_after(&last).index, 0);
}
END_TEST

START_TEST(a_chain_stays_on_its_stream_and_its_branches_leave)
{
    load_named();
    mark(4000, 30000);
    ck_assert_uint_eq(chosen_after_42(80000), 3);
    ck_assert_uint_eq(chosen_after_42(30000), 1);
    ck_assert_uint_eq(chosen_after_42(1000), 3); /* a wait takes longer */
    ck_assert_uint_eq(chosen_after_42(0), 1);
    pool.strategy = TRM_STREAM_ROUND_ROBIN;
    pool.turn     = 0;
    ck_assert_uint_eq(chosen_after_42(80000), 0);
}
END_TEST

START_TEST(a_branch_stays_where_it_begins_no_sooner_on_another_stream)
{
    load_named();
    mark(4000, 30000);
    pool.slots[3].predicted_end = pool.slots[1].predicted_end;
    ck_assert_uint_eq(chosen_after_42(30000), 3);
    pool.slots[3].predicted_end++;
    ck_assert_uint_eq(chosen_after_42(30000), 3);
    pool.slots[3].predicted_end += 20000;
    ck_assert_uint_eq(chosen_after_42(30000), 1);
}
END_TEST

START_TEST(a_branch_gets_an_idle_stream_only_while_the_device_has_room)
{
    load_named();
    mark(19000, 30000);
    pool.slots[2].watches = 0;
    pool.at_once          = 4;
    ck_assert_uint_eq(chosen_after_42(30000), 2);
    ck_assert_uint_eq(chosen_after_42(80000), 3);
    pool.at_once = 3;
    ck_assert_uint_eq(chosen_after_42(30000), 1);
    load(0, 30000);
    load(1, 30000);
    ck_assert_uint_eq(chosen_after_42(30000), 3);
}
END_TEST

START_TEST(what_comes_after_work_that_has_ended_goes_to_any_stream)
{
    load_named();
    mark(4000, 30000);
    atomic_store(&streams[3].completed, 42);
    ck_assert_uint_eq(chosen_after_42(80000), 1);
}
END_TEST

START_TEST(auto_follows_also_while_it_takes_turns)
{
    load_named();
    const struct trm_point last = {streams[3].object.handle, 43};
    pool.strategy               = TRM_STREAM_AUTO;
    pool.trial.candidate        = 1;
    ck_assert_uint_eq(choice_after(&last).index, 3);
}
END_TEST

static void ck_task_of(int32_t priority, enum pipeline_pool_step step, uint32_t index)
{
    const struct trm_stream_task task          = {.priority = priority};
    const struct pipeline_pool_request request = {.priority = priority, .task = &task};
    struct pipeline_pool_choice choice         = choose(&request);
    ck_assert_int_eq(choice.step, step);
    if (step != PIPELINE_POOL_WAIT)
        ck_assert_uint_eq(choice.index, index);
}

/* One stream for each priority, and a fourth slot that is not in use. */
static void set_up_priorities(void)
{
    pool.strategy   = TRM_STREAM_PRIORITY;
    pool.most       = 1;
    pool.slot_count = 3;
}

START_TEST(a_task_goes_behind_a_workload_that_hinders_its_own)
{
    const struct trm_stream_task task          = {.workload = TRM_STREAM_WORKLOAD_MEMORY};
    const struct pipeline_pool_request request = {.task = &task};
    const struct pipeline_task_harm *harm =
        &pool.workloads.harm[TRM_STREAM_WORKLOAD_MEMORY][TRM_STREAM_WORKLOAD_MEMORY];
    pool.strategy = TRM_STREAM_WORKLOAD;
    load_all();
    pool.slots[1].watches  = 0;
    pool.slots[2].workload = TRM_STREAM_WORKLOAD_MEMORY;
    pool.slots[3].workload = TRM_STREAM_WORKLOAD_MEMORY;
    ck_assert_uint_eq(choose(&request).index, 1);
    pool.workloads.hindering[TRM_STREAM_WORKLOAD_MEMORY] = 1u << TRM_STREAM_WORKLOAD_MEMORY;
    ck_assert_uint_eq(choose(&request).index, 2);
    ck_assert_uint_eq(harm->heeded, 1);
    pool.slots[2].workload = TRM_STREAM_WORKLOAD_COMPUTE;
    ck_assert_uint_eq(choose(&request).index, 3);
    pool.strategy = TRM_STREAM_LEAST_LOADED;
    ck_assert_uint_eq(choose(&request).index, 1);
}
END_TEST

START_TEST(each_priority_has_slots_of_its_own)
{
    set_up_priorities();
    load_all();
    ck_task_of(TRM_PRIORITY_LOW, PIPELINE_POOL_LEND, 0);
    ck_task_of(TRM_PRIORITY_NORMAL, PIPELINE_POOL_LEND, 1);
    ck_task_of(TRM_PRIORITY_HIGH, PIPELINE_POOL_LEND, 2);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(pipeline_pool_priority(&pool, i), (int32_t)i - 1);
}
END_TEST

START_TEST(work_below_a_higher_priority_is_held_back_where_the_device_has_none)
{
    set_up_priorities();
    load(2, 100);
    ck_task_of(TRM_PRIORITY_LOW, PIPELINE_POOL_LEND, 0);
    pool.holds_back = true;
    ck_task_of(TRM_PRIORITY_LOW, PIPELINE_POOL_WAIT, 0);
    ck_task_of(TRM_PRIORITY_NORMAL, PIPELINE_POOL_WAIT, 0);
    ck_task_of(TRM_PRIORITY_HIGH, PIPELINE_POOL_LEND, 2);
    pool.slots[2].watches = 0;
    ck_task_of(TRM_PRIORITY_LOW, PIPELINE_POOL_LEND, 0);
    load(1, 100);
    ck_task_of(TRM_PRIORITY_LOW, PIPELINE_POOL_WAIT, 0);
    ck_task_of(TRM_PRIORITY_NORMAL, PIPELINE_POOL_LEND, 1);
    pool.slots[1].watches = 2;
    ck_task_of(TRM_PRIORITY_NORMAL, PIPELINE_POOL_WAIT, 0);
}
END_TEST

START_TEST(auto_uses_the_strategy_of_its_trial)
{
    pool.strategy = TRM_STREAM_AUTO;
    load_all();
    ck_choice(false, PIPELINE_POOL_LEND, 1);
    pool.trial.candidate = 1;
    pool.turn            = 3;
    ck_choice(false, PIPELINE_POOL_LEND, 3);
}
END_TEST

START_TEST(a_stream_whose_work_is_presumed_to_have_ended_counts_as_idle)
{
    load_all();
    pool.slots[2].watches = 0;
    presume(2, 1);
    ck_choice(false, PIPELINE_POOL_LEND, 2);
}
END_TEST

START_TEST(a_stream_whose_work_is_presumed_to_last_has_work)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        presume(i, UINT64_MAX - i);
    ck_choice(false, PIPELINE_POOL_LEND, SLOTS - 1);
    atomic_store(&streams[1].completed, 5);
    ck_choice(false, PIPELINE_POOL_LEND, 1);
}
END_TEST

START_TEST(a_call_for_an_idle_stream_gets_none_whose_work_is_presumed_to_have_ended)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        presume(i, 1);
    ck_choice(true, PIPELINE_POOL_WAIT, 0);
    atomic_store(&streams[3].completed, 5);
    ck_choice(true, PIPELINE_POOL_LEND, 3);
}
END_TEST

START_TEST(a_task_goes_behind_what_it_comes_after_though_that_is_presumed_to_have_ended)
{
    const struct trm_point after               = {(struct trm_stream *)&streams[2], 5};
    const struct trm_stream_task task          = {.after = &after, .after_count = 1};
    const struct pipeline_pool_request request = {.task = &task};
    pool.slots[2].stream->object.handle        = &streams[2];
    presume(2, 1);
    ck_assert_uint_eq(choose(&request).index, 2);
    pool.slots[2].unwatched = 0;
    ck_assert_uint_eq(choose(&request).index, 1);
}
END_TEST

/* ---- any state ------------------------------------------------------------------------------ */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

static void disturb(struct pipeline_pool_slot *slot, struct core_stream *stream, uint32_t *seed)
{
    static const enum pipeline_pool_slot_state states[] = {
        PIPELINE_POOL_SLOT_FREE,    PIPELINE_POOL_SLOT_FREE,  PIPELINE_POOL_SLOT_FREE,
        PIPELINE_POOL_SLOT_TRANSIT, PIPELINE_POOL_SLOT_DRAWN, PIPELINE_POOL_SLOT_LENT,
        PIPELINE_POOL_SLOT_EMPTY};
    *slot = (struct pipeline_pool_slot){.state = states[next_random(seed) % 7], .stream = stream};
    if (slot->state == PIPELINE_POOL_SLOT_EMPTY)
        slot->stream = NULL;
    slot->watches       = next_random(seed) % 3 == 0;
    slot->unwatched     = next_random(seed) % 3 == 0 && !pool.is_host ? 5 : 0;
    slot->predicted_end = next_random(seed) % 2 == 0 ? 1 : UINT64_MAX - next_random(seed) % 4;
    slot->has_failed    = next_random(seed) % 8 == 0;
    slot->lent          = next_random(seed) % 8;
    atomic_store(&stream->completed, next_random(seed) % 4 == 0 ? 5 : 0);
}

START_TEST(what_is_noted_of_slots_leads_to_the_same_choices_as_looking_at_all)
{
    static const int32_t strategies[] = {TRM_STREAM_ROUND_ROBIN, TRM_STREAM_LEAST_LOADED, TRM_STREAM_WORKLOAD,
                                         TRM_STREAM_PRIORITY};
    uint32_t seed                     = 7;
    for (uint32_t i = 0; i < 3000; i++) {
        const struct trm_stream_task task          = {.priority = (int32_t)(next_random(&seed) % 3) - 1};
        const struct pipeline_pool_request request = {.priority   = task.priority,
                                                      .wants_idle = next_random(&seed) % 4 == 0,
                                                      .task = next_random(&seed) % 2 == 0 ? &task : NULL};
        pool.is_host                               = next_random(&seed) % 2 == 0;
        pool.strategy                              = strategies[next_random(&seed) % 4];
        pool.most       = pool.strategy == TRM_STREAM_PRIORITY ? 1 : 1 + next_random(&seed) % SLOTS;
        pool.slot_count = pool.strategy == TRM_STREAM_PRIORITY ? 3 : pool.most;
        pool.turn       = next_random(&seed) % pool.most;
        pool.used_slots = pool.used = 0;
        for (uint32_t k = 0; k < pool.slot_count; k++)
            disturb(&pool.slots[k], &streams[k], &seed);
        choose(&request);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool");
    TCase *tests = tcase_create("choose");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, round_robin_takes_idle_streams_in_turn);
    tcase_add_test(tests, least_loaded_takes_the_idle_stream_that_was_lent_longest_ago);
    tcase_add_test(tests, only_a_task_whose_stream_has_work_leaves_the_turn);
    tcase_add_test(tests, on_the_hosts_own_processors_least_loaded_takes_the_first_idle_stream);
    tcase_add_test(tests, round_robin_takes_streams_with_work_in_turn);
    tcase_add_test(tests, least_loaded_takes_the_stream_whose_work_ends_first);
    tcase_add_test(tests, streams_whose_work_ends_at_about_the_same_time_take_turns);
    tcase_add_test(tests, streams_whose_ends_differ_by_less_than_predictions_are_off_take_turns);
    tcase_add_test(tests,
                   on_the_hosts_own_processors_the_end_that_is_predicted_first_counts_however_little_earlier);
    tcase_add_test(tests, an_idle_stream_comes_before_all_others);
    tcase_add_test(tests, a_pool_grows_before_it_lends_a_stream_with_work);
    tcase_add_test(tests, a_call_for_an_idle_stream_waits_when_none_is_idle);
    tcase_add_test(tests, a_stream_that_failed_is_replaced_when_its_watches_are_done);
    tcase_add_test(tests, a_choice_counts_the_streams_that_are_used);
    tcase_add_test(tests, a_task_goes_behind_what_it_comes_after);
    tcase_add_test(tests, a_chain_stays_on_its_stream_and_its_branches_leave);
    tcase_add_test(tests, a_branch_stays_where_it_begins_no_sooner_on_another_stream);
    tcase_add_test(tests, a_branch_gets_an_idle_stream_only_while_the_device_has_room);
    tcase_add_test(tests, what_comes_after_work_that_has_ended_goes_to_any_stream);
    tcase_add_test(tests, auto_follows_also_while_it_takes_turns);
    tcase_add_test(tests, a_task_goes_behind_a_workload_that_hinders_its_own);
    tcase_add_test(tests, each_priority_has_slots_of_its_own);
    tcase_add_test(tests, work_below_a_higher_priority_is_held_back_where_the_device_has_none);
    tcase_add_test(tests, auto_uses_the_strategy_of_its_trial);
    tcase_add_test(tests, a_stream_whose_work_is_presumed_to_have_ended_counts_as_idle);
    tcase_add_test(tests, a_stream_whose_work_is_presumed_to_last_has_work);
    tcase_add_test(tests, a_call_for_an_idle_stream_gets_none_whose_work_is_presumed_to_have_ended);
    tcase_add_test(tests, a_task_goes_behind_what_it_comes_after_though_that_is_presumed_to_have_ended);
    tcase_add_test(tests, what_is_noted_of_slots_leads_to_the_same_choices_as_looking_at_all);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
