/* How many slots are in use at once, after the trial of it.
 * SPDX-License-Identifier: MIT
 */
#include "check_fixture.h"
#include "tests/unit/runner.h"

#include <unistd.h>

static struct trm_pipeline *handle;
static struct pipeline *pipeline;
static struct pipeline_slots_in_use *in_use;
static uint32_t more; /* stages like the first */

/* On the device that shares the host's memory, so that the library chooses the number. */
static void open_pipeline(uint32_t depth)
{
    stages[0].kernel = stages[1].kernel = foreign;
    desc.port_count                     = 2;
    desc.stage_count                    = 1 + more;
    desc.depth                          = depth;
    ck_assert_int_eq(trm_pipeline_create(other.device, &desc, &handle), TRM_OK);
    pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
    in_use = &pipeline->engine->slots_in_use;
    ck_assert(in_use->may_try);
}

/* So that numbers of slots are tried, whatever the caches of this machine. */
static void begin_trial(void)
{
    uint32_t rest;

    pipeline_engine_slots_in_use(pipeline, &rest);
    pipeline_depth_trial_begin(&in_use->trial, 3, 1, 1);
    ck_assert(pipeline_slots_are_tried(pipeline));
}

/* As the trial has found. */
static void choose(uint32_t way)
{
    in_use->trial.choice = in_use->trial.way = way;
    in_use->trial.trials                     = 1;
    in_use->trial.phase                      = PIPELINE_DEPTH_PAUSES;
    in_use->trial.pause                      = UINT64_MAX;
    in_use->trial.rest                       = 256;
}

static void report(struct trm_report *report)
{
    *report = (struct trm_report){.struct_size = sizeof(*report)};
    ck_assert_int_eq(trm_pipeline_report(handle, report), TRM_OK);
}

START_TEST(what_the_trial_found_is_in_use_and_in_the_report)
{
    struct trm_report said;
    uint32_t rest;

    open_pipeline(3);
    report(&said);
    ck_assert_uint_eq(said.slots_in_use, 0);
    begin_trial();
    choose(1);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline, &rest), 2);
    ck_assert_uint_eq(rest, 256);
    ck_assert(!pipeline_engine_slots_are_first(pipeline));
    report(&said);
    ck_assert_uint_eq(said.slots_in_use, 2);
    ck_assert_uint_eq(said.depth, 3);
    trm_pipeline_destroy(handle);
}
END_TEST

/* Runs become too short, so that two of three slots stay. */
static void end_trial(void)
{
    begin_trial();
    in_use->trial.choice = 1;
    uint32_t rest        = in_use->trial.rest;
    while (pipeline_slots_are_tried(pipeline)) {
        rest--; /* a token has ended */
        pipeline_engine_slots_interrupt(pipeline, &rest);
    }
    ck_assert_uint_eq(rest, 1); /* the engine is asked at once */
}

/* In place of what the trial before found. The log is told of what is new, without the lock, so that what
 * receives it may ask for a report. */
START_TEST(each_trial_says_what_it_found)
{
    open_pipeline(3);
    end_trial();
    ck_assert(in_use->has_news);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_engine_slots_tell(pipeline);
    base_biased_lock_release(&pipeline->lock);
    ck_assert(!in_use->has_news);
    end_trial();
    ck_assert(!in_use->has_news);
    const char *said = strstr(pipeline->reason, "; 2 of 3 slots at a time");
    ck_assert_ptr_nonnull(said);
    ck_assert_ptr_null(strstr(said + 1, "; 2 of 3 slots at a time"));
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(a_run_begins_the_turn_again_and_a_pause_goes_on)
{
    uint32_t rest = 7;

    open_pipeline(3);
    pipeline_engine_slots_interrupt(pipeline, &rest);
    ck_assert_uint_eq(rest, 1);
    begin_trial();
    pipeline_engine_slots_in_use(pipeline, &rest);
    ck_assert_int_eq(in_use->trial.phase, PIPELINE_DEPTH_TIMES);
    pipeline_engine_slots_interrupt(pipeline, &rest);
    ck_assert_int_eq(in_use->trial.phase, PIPELINE_DEPTH_SETTLES);
    ck_assert_uint_eq(rest, in_use->trial.rest);
    choose(1);
    rest = 99;
    pipeline_engine_slots_interrupt(pipeline, &rest);
    ck_assert_uint_eq(rest, 99);
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(a_slot_that_was_added_begins_another_trial)
{
    uint32_t rest;

    open_pipeline(0);
    ck_assert_int_eq(pipeline_engine_grow(pipeline), TRM_OK);
    pipeline_engine_slots_in_use(pipeline, &rest);
    uint32_t depth = atomic_load(&pipeline->depth);
    ck_assert_uint_eq(in_use->trial.ways[0].slots, depth);
    ck_assert_int_eq(pipeline_engine_grow(pipeline), TRM_OK);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline, &rest), 0);
    ck_assert_uint_eq(in_use->trial.ways[0].slots, depth + 1);
    trm_pipeline_destroy(handle);
}
END_TEST

/* A look at the tokens that have ended since long ago. Returns whether a slot is wanted. */
static bool look(uint32_t tokens)
{
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;

    tuning->tokens       = tokens;
    tuning->look_at      = 0;
    tuning->window_begin = 1;
    tuning->is_growing   = false;
    return pipeline_engine_wants_slot(pipeline);
}

static uint32_t slots_in_use(void)
{
    uint32_t rest;

    return pipeline_engine_slots_in_use(pipeline, &rest);
}

/* There is nothing to try. */
static void end_no_trial(void)
{
    in_use->may_try = false;
    slots_in_use();
    ck_assert(!pipeline_slots_are_tried(pipeline));
}

START_TEST(a_slot_that_was_added_and_brought_nothing_at_three_looks_rests)
{
    open_pipeline(0);
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    uint32_t depth                 = atomic_load(&pipeline->depth);
    end_no_trial();
    tuning->rate = 1e9; /* of earlier tokens, in a nanosecond */
    ck_assert(!look(100) && !look(100));
    ck_assert(!tuning->is_settled);
    ck_assert_uint_eq(slots_in_use(), 0);
    ck_assert(!pipeline_engine_slots_are_first(pipeline));
    ck_assert(!look(100));
    ck_assert(tuning->is_settled);
    ck_assert_uint_eq(slots_in_use(), depth - 1);
    ck_assert(pipeline_engine_slots_are_first(pipeline));
    struct trm_report said;
    report(&said);
    ck_assert_uint_eq(said.depth, depth);
    ck_assert_uint_eq(said.slots_in_use, depth - 1);
    trm_pipeline_destroy(handle);
}
END_TEST

/* Which cost as much as half a token where the device is software. */
START_TEST(tokens_are_not_stamped_for_more_slots_while_fewer_are_tried)
{
    open_pipeline(0);
    const struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    begin_trial();
    ck_assert(!look(1));
    ck_assert(tuning->is_resting);
    choose(0);
    ck_assert(!look(0));
    ck_assert(!tuning->is_resting);
    trm_pipeline_destroy(handle);
}
END_TEST

/* Of a hundred tokens of 200 us, while the depth is tuned. */
static uint32_t count_measured(bool stamps_are_slow)
{
    uint32_t measured = 0;

    open_pipeline(0);
    end_no_trial();
    pipeline->engine->stamps_are_slow = stamps_are_slow;
    atomic_store(&pipeline->engine->token_ns, 200000);
    for (uint32_t i = 0; i < 100; i++) {
        pipeline_times_begin(pipeline->slots[0]);
        measured += pipeline_slot_is_measured(pipeline->slots[0]);
    }
    trm_pipeline_destroy(handle);
    return measured;
}

START_TEST(few_tokens_are_stamped_to_tune_the_depth_where_stamps_are_slow)
{
    ck_assert_uint_eq(count_measured(false), 100);
    ck_assert_uint_le(count_measured(true), 30);
}
END_TEST

/* Whether each of the first tokens of a run is measured: bit i for the i-th. */
static uint32_t measured_of_run(uint32_t depth, uint64_t token_ns, uint32_t run, bool stamps_are_slow)
{
    uint32_t bits = 0;

    open_pipeline(depth);
    pipeline->engine->stamps_are_slow = stamps_are_slow;
    atomic_store(&pipeline->engine->token_ns, token_ns);
    pipeline_sampling_begin(&pipeline->sampling, run);
    for (uint32_t i = 0; i < 6; i++) {
        pipeline_times_begin(pipeline->slots[0]);
        bits |= (uint32_t)pipeline_slot_is_measured(pipeline->slots[0]) << i;
    }
    trm_pipeline_destroy(handle);
    return bits;
}

/* Else a short run would take the longer the more slots there are, for their stamps alone. */
START_TEST(where_stamps_are_slow_as_few_tokens_are_stamped_with_any_number_of_slots)
{
    for (uint32_t depth = 1; depth <= 8; depth++) {
        ck_assert_uint_eq(measured_of_run(depth, 1000000, 6, true), 0x38);
        ck_assert_uint_eq(measured_of_run(depth, 1000000, 5, true), 0x3f);
    }
    ck_assert_uint_eq(measured_of_run(1, 1000000, 6, false), 0x38);
    ck_assert_uint_eq(measured_of_run(4, 1000000, 17, false), 0x3f);
    ck_assert_uint_eq(measured_of_run(4, 1000000, 18, false), 0);
}
END_TEST

/* A long token is always stamped. */
START_TEST(where_stamps_are_slow_only_tokens_are_long_that_are_so_beside_all_of_their_stamps)
{
    ck_assert_uint_eq(measured_of_run(4, 5000001, 1000, false), 0x3f);
    ck_assert_uint_eq(measured_of_run(4, 12000000, 1000, true), 0x38);
    ck_assert_uint_eq(measured_of_run(4, 12000001, 1000, true), 0x3f);
    stages[1] = stages[0];
    more      = 1;
    ck_assert_uint_eq(measured_of_run(4, 18000000, 1000, true), 0x38);
    ck_assert_uint_eq(measured_of_run(4, 18000001, 1000, true), 0x3f);
    more = 0;
}
END_TEST

START_TEST(a_slot_that_has_brought_something_is_not_judged_again)
{
    open_pipeline(0);
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    end_no_trial();
    tuning->rate = 1e-30;
    look(100);
    ck_assert(tuning->rate == 0);
    for (int i = 0; i < 10; i++)
        look(1); /* much slower */
    ck_assert(!tuning->is_settled);
    ck_assert_uint_eq(slots_in_use(), 0);
    trm_pipeline_destroy(handle);
}
END_TEST

/* Where no stage waits: on a device with memory of its own alone, and once. */
START_TEST(a_small_slot_is_added_once_without_a_stage_that_waits)
{
    stages[0].kernel = saxpy;
    desc.port_count  = 2;
    desc.stage_count = 1;
    desc.depth       = 0;
    desc.strategy    = TRM_STRATEGY_SLOT_STREAMS;
    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, &handle), TRM_OK);
    pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
    in_use = &pipeline->engine->slots_in_use;
    end_no_trial();
    ck_assert(look(100));
    pipeline->engine->tuning.rate = 1e-30; /* it has brought much */
    ck_assert(!look(100) && !look(100));
    pipeline->engine->tuning.has_probed = false;
    pipeline->engine->slot_bytes        = UINT64_C(64) << 20;
    ck_assert(!look(100));
    trm_pipeline_destroy(handle);
    desc.strategy = TRM_STRATEGY_AUTO;
    open_pipeline(0);
    end_no_trial();
    ck_assert(!look(100));
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(all_slots_are_in_use_where_none_was_added)
{
    open_pipeline(0);
    end_no_trial();
    look(100);
    ck_assert_uint_eq(slots_in_use(), 0);
    trm_pipeline_destroy(handle);
}
END_TEST

/* On the device that has memory of its own, where strategies are tried. */
static struct pipeline_choice *open_trial(void)
{
    stages[0].kernel = saxpy;
    desc.port_count  = 2;
    desc.stage_count = 1;
    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, &handle), TRM_OK);
    pipeline = core_object_find(handle, CORE_PIPELINE);
    in_use   = &pipeline->engine->slots_in_use;
    ck_assert(pipeline_is_choosing(pipeline));
    return &pipeline->engine->choice;
}

/* The second candidate with one slot less, in 7 us; with all it took 8. */
static void try_fewer(struct pipeline_choice *choice)
{
    struct pipeline_trial *trial = &choice->trial;

    trial->depth   = 4;
    trial->ways[1] = (struct pipeline_trial_way){.candidate = 1, .ns = {7999}, .count = 1};
    trial->ways[trial->count] =
        (struct pipeline_trial_way){.candidate = 1, .fewer = 1, .ns = {6999}, .count = 1};
    trial->current = trial->count++;
}

START_TEST(a_strategy_that_is_tried_with_one_slot_less_has_one_less_in_use)
{
    uint32_t rest = 256;

    desc.depth                     = 0;
    struct pipeline_choice *choice = open_trial();
    ck_assert(choice->trial.may_rest);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline, &rest), 0);
    try_fewer(choice);
    pipeline_choose_interrupt(pipeline);
    ck_assert(pipeline_is_choosing(pipeline));
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline, &rest), 3);
    ck_assert_uint_eq(rest, 1); /* the next turn may be of all */
    ck_assert(pipeline_engine_slots_are_first(pipeline));
    choice->trial.current = 0;
    pipeline_choose_interrupt(pipeline);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline, &rest), 0);
    ck_assert(!pipeline_engine_slots_are_first(pipeline));
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(a_strategy_that_is_the_fastest_with_one_slot_less_keeps_one_less_in_use)
{
    struct trm_report said;

    desc.depth                     = 0;
    struct pipeline_choice *choice = open_trial();
    try_fewer(choice);
    choice->trial.is_over = true;
    ck_assert_ptr_eq(pipeline_choose(pipeline), choice->candidates[1]);
    ck_assert(!pipeline_is_choosing(pipeline));
    ck_assert(pipeline->engine->tuning.is_settled);
    ck_assert_uint_eq(slots_in_use(), 3);
    ck_assert(pipeline_engine_slots_are_first(pipeline));
    report(&said);
    ck_assert_uint_eq(said.slots_in_use, 3);
    ck_assert_uint_eq(said.depth, 4);
    ck_assert_ptr_nonnull(strstr(said.reason, " with 3 slots: 7.0 µs each"));
    trm_pipeline_destroy(handle);
}
END_TEST

/* The reason and the number of the report are of runs. */
START_TEST(a_program_has_all_slots_where_runs_have_one_less_in_use)
{
    struct trm_token *token;
    struct trm_report said;
    size_t needed;
    char text[8192];

    desc.depth                     = 0;
    struct pipeline_choice *choice = open_trial();
    try_fewer(choice);
    choice->trial.is_over = true;
    (void)pipeline_choose(pipeline);
    ck_assert_uint_eq(slots_in_use(), 3); /* in a run */
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(trm_pipeline_acquire(handle, 0, &token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_acquire(handle, 0, &token), TRM_ERROR_TIMEOUT);
    report(&said);
    ck_assert_int_eq(trm_report_format(&said, TRM_REPORT_TEXT, text, sizeof(text), &needed), TRM_OK);
    for (char *end = strchr(text, '\n'); end != NULL; end = strchr(end, '\n'))
        *end = ' ';
    ck_assert_msg(strstr(text, ", 4 slots, now at most 3 at a time in runs ") != NULL, "%s", text);
    ck_assert_ptr_nonnull(strstr(said.reason, " with 3 slots: 7.0 µs each"));
    trm_pipeline_destroy(handle);
}
END_TEST

/* With a slot less only where the number of slots limits the tokens. */
START_TEST(a_slot_less_is_tried_in_runs_and_not_while_the_program_submits)
{
    const struct trm_source source = {.count = 0};
    const struct trm_sink sink     = {.user = NULL};

    desc.depth                     = 0;
    struct pipeline_choice *choice = open_trial();
    try_fewer(choice);
    pipeline_engine_begin(pipeline, &source, &sink);
    (void)pipeline_choose(pipeline);
    ck_assert_uint_eq(choice->trial.ways[choice->trial.current].fewer, 1);
    ck_assert_uint_eq(choice->slots, 3);
    pipeline_engine_end(pipeline);
    (void)pipeline_choose(pipeline);
    ck_assert(pipeline_is_choosing(pipeline));
    ck_assert_uint_eq(choice->trial.ways[choice->trial.current].fewer, 0);
    ck_assert_uint_eq(choice->slots, 0);
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(all_slots_stay_in_use_where_the_program_submitted_all_tokens_of_the_trial)
{
    struct trm_report said;
    struct trm_token *token;

    desc.depth                     = 0;
    struct pipeline_choice *choice = open_trial();
    ck_assert(choice->trial.may_rest);
    while (pipeline_is_choosing(pipeline)) {
        ck_assert_int_eq(trm_pipeline_acquire(handle, TRM_FOREVER, &token), TRM_OK);
        token->size[X] = token->size[Y] = BYTES;
        ck_assert_int_eq(trm_pipeline_submit(handle, token), TRM_OK);
        ck_assert_int_eq(trm_pipeline_next(handle, TRM_FOREVER, &token), TRM_OK);
        ck_assert_int_eq(trm_pipeline_release(handle, token), TRM_OK);
    }
    for (uint32_t i = 0; i < choice->trial.count; i++)
        ck_assert_uint_eq(choice->trial.ways[i].fewer, 0);
    report(&said);
    ck_assert_uint_eq(said.slots_in_use, 0);
    ck_assert_ptr_null(strstr(said.reason, " slots"));
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(slots_that_the_program_asks_for_do_not_rest_where_strategies_are_tried)
{
    desc.depth = 4;
    ck_assert(!open_trial()->trial.may_rest);
    trm_pipeline_destroy(handle);
    desc.depth   = 0;
    desc.on_full = TRM_FULL_DROP_OLDEST;
    ck_assert(!open_trial()->trial.may_rest);
    trm_pipeline_destroy(handle);
}
END_TEST

/* Some strategies are the fastest with four and slower than others with three. */
START_TEST(the_library_begins_with_four_slots_on_a_device_that_has_memory_of_its_own)
{
    desc.depth = 0;
    open_trial();
    ck_assert_uint_eq(pipeline->depth, 4);
    uint64_t each = pipeline->engine->slot_bytes;
    trm_pipeline_destroy(handle);
    desc.memory_budget = 4 * each - 1;
    open_trial();
    ck_assert_uint_eq(pipeline->depth, 3);
    trm_pipeline_destroy(handle);
}
END_TEST

/* The depth that the library begins with for tokens of so many bytes up and down, and scratch. */
static uint32_t first_depth_of(uint64_t token, uint64_t scratch)
{
    ports[X].size = ports[Y].size = token / 2;
    ports[W]                      = trm_port_scratch("scratch", scratch);
    stages[0].kernel              = foreign;
    desc.port_count               = scratch != 0 ? 3 : 2;
    desc.stage_count              = 1;
    desc.depth                    = 0;
    ck_assert_int_eq(trm_pipeline_create(other.device, &desc, &handle), TRM_OK);
    pipeline       = core_object_find(handle, CORE_PIPELINE);
    uint32_t depth = pipeline->depth;
    trm_pipeline_destroy(handle);
    return depth;
}

START_TEST(the_library_begins_with_four_slots_where_they_fit_into_a_processors_cache)
{
    long known      = sysconf(_SC_LEVEL2_CACHE_SIZE);
    uint64_t fourth = (known > 0 ? (uint64_t)known : UINT64_C(1) << 20) / 4;

    ck_assert_uint_eq(first_depth_of(fourth, 0), 4);
    ck_assert_uint_eq(first_depth_of(fourth + 1024, 0), 3);
    ck_assert_uint_eq(first_depth_of(fourth / 2, fourth / 2), 4);
    ck_assert_uint_eq(first_depth_of(fourth / 2, fourth / 2 + 1024), 3);
    desc.strategy = TRM_STRATEGY_SLOT_STREAMS; /* which has memory for both sides */
    ck_assert_uint_eq(first_depth_of(fourth / 2, 0), 4);
    ck_assert_uint_eq(first_depth_of(fourth / 2 + 1024, 0), 3);
    desc.strategy = TRM_STRATEGY_AUTO;
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: slots in use");
    TCase *tests = tcase_create("slots");

    tcase_add_checked_fixture(tests, open_stores, close_stores);
    tcase_add_test(tests, what_the_trial_found_is_in_use_and_in_the_report);
    tcase_add_test(tests, each_trial_says_what_it_found);
    tcase_add_test(tests, a_run_begins_the_turn_again_and_a_pause_goes_on);
    tcase_add_test(tests, a_slot_that_was_added_begins_another_trial);
    tcase_add_test(tests, a_slot_that_was_added_and_brought_nothing_at_three_looks_rests);
    tcase_add_test(tests, tokens_are_not_stamped_for_more_slots_while_fewer_are_tried);
    tcase_add_test(tests, few_tokens_are_stamped_to_tune_the_depth_where_stamps_are_slow);
    tcase_add_test(tests, where_stamps_are_slow_as_few_tokens_are_stamped_with_any_number_of_slots);
    tcase_add_test(tests, where_stamps_are_slow_only_tokens_are_long_that_are_so_beside_all_of_their_stamps);
    tcase_add_test(tests, a_slot_that_has_brought_something_is_not_judged_again);
    tcase_add_test(tests, a_small_slot_is_added_once_without_a_stage_that_waits);
    tcase_add_test(tests, all_slots_are_in_use_where_none_was_added);
    tcase_add_test(tests, a_strategy_that_is_tried_with_one_slot_less_has_one_less_in_use);
    tcase_add_test(tests, a_strategy_that_is_the_fastest_with_one_slot_less_keeps_one_less_in_use);
    tcase_add_test(tests, a_program_has_all_slots_where_runs_have_one_less_in_use);
    tcase_add_test(tests, a_slot_less_is_tried_in_runs_and_not_while_the_program_submits);
    tcase_add_test(tests, all_slots_stay_in_use_where_the_program_submitted_all_tokens_of_the_trial);
    tcase_add_test(tests, slots_that_the_program_asks_for_do_not_rest_where_strategies_are_tried);
    tcase_add_test(tests, the_library_begins_with_four_slots_on_a_device_that_has_memory_of_its_own);
    tcase_add_test(tests, the_library_begins_with_four_slots_where_they_fit_into_a_processors_cache);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
