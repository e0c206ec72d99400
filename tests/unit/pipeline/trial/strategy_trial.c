/* Trials of strategies with made-up times.
 * SPDX-License-Identifier: MIT
 */
#include "strategy_trial_fixture.h"
#include "tests/scale.h"
#include "tests/unit/runner.h"

/* ---- the winner ----------------------------------------------------------------------------- */

START_TEST(the_fastest_stays)
{
    for (uint32_t fastest = 0; fastest < 4; fastest++)
        for (uint32_t depth = 1; depth <= SLOTS_MOST; depth++)
            for (uint64_t unit = 100; unit <= 1000000; unit *= 10) {
                struct machine machine = {
                    .cost = {120 * unit, 120 * unit, 120 * unit, 120 * unit}, .ways = 4, .depth = depth};
                machine.cost[fastest] = 100 * unit;
                ck_assert_uint_eq(run(&machine), fastest);
                ck_assert_uint_eq(pipeline_trial_result(&machine.trial, fastest), 100 * unit + 1);
            }
}
END_TEST

START_TEST(of_those_that_are_as_fast_the_first_stays)
{
    struct machine machine = {.cost = {500 * US, 498 * US, 496 * US}, .ways = 3, .depth = 3};
    ck_assert_uint_eq(run(&machine), 0);
    machine = (struct machine){.cost = {520 * US, 504 * US, 500 * US}, .ways = 3, .depth = 3};
    ck_assert_uint_eq(run(&machine), 1);
}
END_TEST

/* Seen on a GPU: 9.7 and 12.4 µs by turns, against 9.4 throughout. */
START_TEST(of_two_that_are_as_fast_the_one_stays_that_always_is)
{
    for (uint32_t depth = 2; depth <= SLOTS_MOST; depth++) {
        struct machine machine = {.cost = {9480, 9400}, .ways = 2, .depth = depth, .moody = 1};
        ck_assert_msg(run(&machine) == 1, "depth %u", depth);
        machine = (struct machine){.cost = {9480, 9400}, .ways = 2, .depth = depth};
        ck_assert_msg(run(&machine) == 0, "depth %u, where both always are", depth);
    }
}
END_TEST

/* Also seen on a GPU: fast in a trial, slow afterwards. */
START_TEST(who_is_fast_only_for_a_while_does_not_stay)
{
    for (uint32_t depth = 2; depth <= SLOTS_MOST; depth++) {
        struct machine machine = {.cost = {9 * US, 10 * US, 11 * US}, .ways = 3, .depth = depth, .tires = 1};
        ck_assert_msg(run(&machine) == 1, "depth %u", depth);
        machine = (struct machine){.cost = {9 * US, 10 * US, 11 * US}, .ways = 3, .depth = depth, .tires = 3};
        ck_assert_msg(run(&machine) == 2, "depth %u, where two tire", depth);
        machine = (struct machine){.cost = {9 * US, 10 * US, 11 * US}, .ways = 3, .depth = depth, .tires = 7};
        ck_assert_msg(run(&machine) == 0, "depth %u, where all do", depth);
    }
}
END_TEST

START_TEST(the_only_one_stays_without_a_trial)
{
    struct pipeline_trial trial;
    pipeline_trial_begin(&trial, 1, false);
    ck_assert_uint_eq(trial.is_over, 1);
    ck_assert_uint_eq(pipeline_trial_next(&trial, 3, true, 17), 0);
    ck_assert_int_eq(pipeline_trial_timing(&trial, 3), 0);
}
END_TEST

/* ---- fewer slots ---------------------------------------------------------------------------- */

static void check_pair(struct machine machine, uint32_t candidate, uint32_t fewer)
{
    run(&machine);
    const struct pipeline_trial_way *stays = &machine.trial.ways[machine.trial.current];
    ck_assert_uint_eq(stays->candidate, candidate);
    ck_assert_uint_eq(stays->fewer, fewer);
}

START_TEST(the_best_two_are_compared_with_one_slot_less)
{
    for (uint64_t unit = 100; unit <= 1000000; unit *= 10)
        for (uint32_t depth = 3; depth <= SLOTS_MOST; depth++) {
            struct machine machine = {.cost     = {110 * unit, 100 * unit, 120 * unit},
                                      .fewer    = {120 * unit, 95 * unit, 20 * unit},
                                      .ways     = 3,
                                      .depth    = depth,
                                      .may_rest = true};
            check_pair(machine, 1, 1);
            machine.fewer[0] = 90 * unit;
            check_pair(machine, 0, 1);
            machine.fewer[0] = machine.fewer[1] = 105 * unit;
            check_pair(machine, 1, 0);
            machine.fewer[1] = 100 * unit; /* as fast */
            check_pair(machine, 1, 0);
            machine.fewer[1] = 95 * unit;
            machine.may_rest = false;
            check_pair(machine, 1, 0);
        }
}
END_TEST

/* All but one are eliminated after the first rounds. */
START_TEST(the_only_one_that_is_left_is_compared_with_one_slot_less)
{
    check_pair((struct machine){.cost     = {200 * US, 100 * US},
                                .fewer    = {200 * US, 90 * US},
                                .ways     = 2,
                                .depth    = 4,
                                .may_rest = true},
               1, 1);
}
END_TEST

START_TEST(of_two_slots_none_rests)
{
    check_pair((struct machine){.cost     = {100 * US, 110 * US},
                                .fewer    = {50 * US, 60 * US},
                                .ways     = 2,
                                .depth    = 2,
                                .may_rest = true},
               0, 0);
}
END_TEST

static bool has_fewer(const struct machine *machine)
{
    for (uint32_t i = 0; i < machine->trial.count; i++)
        if (machine->trial.ways[i].fewer != 0)
            return true;
    return false;
}

/* A program that submits tokens itself has all slots whichever way it is. */
START_TEST(while_slots_do_not_rest_none_less_is_tried)
{
    struct machine machine = {.cost         = {110 * US, 100 * US},
                              .fewer        = {90 * US, 80 * US},
                              .ways         = 2,
                              .depth        = 4,
                              .may_rest     = true,
                              .serves_until = TOKENS_MOST};
    run(&machine);
    ck_assert(!has_fewer(&machine));
    ck_assert_uint_eq(machine.trial.current, 1);
}
END_TEST

/* From any token of the trial on: those with a slot less do not win, whichever has its turn or proves
 * itself. */
START_TEST(a_trial_that_goes_on_without_slots_that_rest_drops_those_with_fewer)
{
    struct machine runs = {
        .cost = {11 * US, 10 * US}, .fewer = {9 * US, 8 * US}, .ways = 2, .depth = 4, .may_rest = true};
    struct machine whole = runs;
    uint32_t with_few    = 0;

    run(&whole);
    ck_assert_uint_eq(whole.trial.ways[whole.trial.current].fewer, 1);
    for (uint32_t from = 1; from < whole.tokens; from++) {
        struct machine machine = runs;
        machine.serves_from    = from;
        run(&machine);
        with_few += has_fewer(&machine);
        ck_assert_uint_eq(machine.trial.current, 1);
    }
    ck_assert_uint_gt(with_few, 0);
}
END_TEST

START_TEST(a_trial_that_began_without_slots_that_rest_tries_fewer_later)
{
    check_pair((struct machine){.cost         = {110 * US, 100 * US},
                                .fewer        = {90 * US, 80 * US},
                                .ways         = 2,
                                .depth        = 4,
                                .may_rest     = true,
                                .serves_until = 20},
               1, 1);
}
END_TEST

/* ---- disturbances --------------------------------------------------------------------------- */

START_TEST(runs_that_begin_with_empty_slots_favour_no_strategy)
{
    for (uint32_t depth = 1; depth <= SLOTS_MOST; depth++)
        for (uint32_t length = 4 * depth + 9; length < 200; length += 3) {
            struct machine machine = {.cost  = {2608 * US, 2600 * US, 2100 * US},
                                      .ways  = 3,
                                      .depth = depth,
                                      .run   = length,
                                      .pause = 100 * US};
            ck_assert_msg(run(&machine) == 2, "depth %u, runs of %u tokens", depth, length);
        }
}
END_TEST

START_TEST(a_device_that_is_cold_at_first_favours_no_strategy)
{
    for (uint64_t cost = 1 * US; cost <= 1 * MS; cost *= 10) {
        struct machine machine = {
            .cost = {cost, cost * 5 / 4, cost * 6 / 4}, .ways = 3, .depth = 3, .cold_ns = 10 * MS};
        ck_assert_uint_eq(run(&machine), 0);
    }
}
END_TEST

START_TEST(a_rising_clock_favours_no_strategy)
{
    for (uint32_t fastest = 0; fastest < 3; fastest++)
        for (uint64_t ramp = 20 * MS; ramp <= 500 * MS; ramp += 20 * MS) {
            struct machine machine = {
                .cost = {600 * US, 600 * US, 600 * US}, .ways = 3, .depth = 3, .ramp_ns = ramp};
            machine.cost[fastest] = 500 * US;
            ck_assert_msg(run(&machine) == fastest, "a ramp of %u ms", (unsigned)(ramp / MS));
        }
}
END_TEST

START_TEST(noise_hardly_ever_hides_the_fastest)
{
    unsigned wrong = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t fastest       = seed % 4;
        struct machine machine = {.cost  = {12 * US, 12 * US, 12 * US, 12 * US},
                                  .ways  = 4,
                                  .depth = 3 + seed % 3,
                                  .noise = 20,
                                  .seed  = seed * 2654435761u};
        machine.cost[fastest]  = 9 * US;
        wrong += run(&machine) != fastest;
    }
    ck_assert_uint_lt(wrong, 8);
}
END_TEST

START_TEST(a_moment_of_standstill_favours_no_strategy)
{
    for (uint64_t at = 10 * MS; at <= 30 * MS; at += scaled(170, 1700) * US)
        for (uint32_t fastest = 0; fastest < 3; fastest++) {
            struct machine machine = {
                .cost = {11 * US, 11 * US, 11 * US}, .ways = 3, .depth = 3, .stall_at = at};
            machine.cost[fastest] = 9 * US;
            ck_assert_msg(run(&machine) == fastest, "at %u us", (unsigned)(at / US));
        }
}
END_TEST

START_TEST(tokens_that_end_in_bunches_favour_no_strategy)
{
    for (uint32_t depth = 2; depth <= SLOTS_MOST; depth++)
        for (uint32_t bunch = 2; bunch <= depth; bunch++)
            for (uint32_t fastest = 0; fastest < 3; fastest++) {
                struct machine machine = {
                    .cost = {700 * US, 700 * US, 700 * US}, .ways = 3, .depth = depth, .bunch = bunch};
                machine.cost[fastest] = 600 * US;
                ck_assert_msg(run(&machine) == fastest, "depth %u, bunches of %u", depth, bunch);
            }
}
END_TEST

/* Tokens of one candidate end in bunches at odd times; few bunches are large, as where several copies share
 * a bus. */
START_TEST(tokens_that_end_at_odd_times_seem_hardly_ever_faster)
{
    uint32_t wrong = 0;

    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct machine machine = {.cost  = {1400 * US, 1650 * US, 1650 * US},
                                  .ways  = 3,
                                  .depth = 3 + seed % 2,
                                  .run   = 40,
                                  .odd   = true,
                                  .seed  = seed * 2654435761u};
        wrong += run(&machine) != 0;
    }
    ck_assert_uint_le(wrong, 1);
}
END_TEST

/* ---- cost ----------------------------------------------------------------------------------- */

START_TEST(long_tokens_are_tried_few_times)
{
    for (uint32_t depth = 1; depth <= 4; depth++) {
        struct machine machine = {.cost = {100 * MS, 101 * MS, 102 * MS}, .ways = 3, .depth = depth};
        run(&machine);
        ck_assert_uint_le(machine.tokens - machine.went[0], 2 * 2 * (6 * depth + 1));
        ck_assert_uint_le(machine.tokens, 38 * depth + 10);
    }
}
END_TEST

/* The search for the number of slots waits for it. Stretches have four times four tokens; another such turn
 * begins before the proof. */
START_TEST(the_proof_of_long_tokens_is_short_or_left_out)
{
    struct machine near = {.cost = {3800 * US, 3600 * US, 3750 * US}, .ways = 3, .depth = 4};
    ck_assert_uint_eq(run(&near), 1);
    ck_assert(!near.trial.ways[1].is_proven);
    struct machine clear = {.cost = {1665 * US, 1395 * US, 2218 * US}, .ways = 3, .depth = 4};
    ck_assert_uint_eq(run(&clear), 1);
    ck_assert(clear.trial.ways[1].is_proven);
    ck_assert_uint_le(clear.went[1], 2 * (8 + 16) + 8 + 96 + 16);
    struct machine slow = {.cost = {120 * MS, 100 * MS, 130 * MS}, .ways = 3, .depth = 4};
    ck_assert_uint_eq(run(&slow), 1);
    ck_assert(slow.trial.ways[1].is_proven);
    ck_assert_uint_le(slow.went[1], 2 * (8 + 16) + 8 + 48 + 16);
}
END_TEST

/* Fast in a part of its turns, it seems as fast as another on an average: that is no reason to trust it. */
START_TEST(what_varies_from_turn_to_turn_is_confirmed)
{
    struct machine machine = {.cost          = {2000 * US, 2400 * US, 2600 * US},
                              .ways          = 3,
                              .depth         = 4,
                              .new_candidate = 1,
                              .new_cost      = 1600 * US,
                              .new_most      = 60};
    uint32_t chosen        = 0;

    for (uint32_t seed = 1; seed <= 1000; seed++) {
        struct machine varied = machine;
        varied.seed           = seed * 2654435761u;
        chosen += run(&varied) == 1;
    }
    ck_assert_uint_le(chosen, 3);
}
END_TEST

/* A look takes at most four times as many tokens as there are slots, and eight; a turn of those near the best
 * has three stretches that are longer. */
START_TEST(short_tokens_that_are_far_behind_have_two_looks)
{
    for (uint32_t depth = 1; depth <= SLOTS_MOST; depth++) {
        struct machine machine = {.cost = {20 * US, 30 * US, 22 * US}, .ways = 3, .depth = depth};
        run(&machine);
        ck_assert_uint_ge(machine.went[1], 2 * depth + 8);
        ck_assert_uint_le(machine.went[1], 2 * (5 * depth + 8));
        ck_assert_uint_ge(machine.went[2], 2 * machine.went[1]);
    }
}
END_TEST

/* All are near enough for more rounds: beside the first ones there is one where they cost a fifth, and two
 * where they cost nothing. */
START_TEST(no_round_follows_when_the_trial_has_cost_much)
{
    struct machine machine = {.cost = {80 * US, 97 * US, 97 * US, 97 * US, 97 * US}, .ways = 5, .depth = 4};
    ck_assert_uint_eq(run(&machine), 0);
    uint32_t dear = machine.tokens;
    machine = (struct machine){.cost = {80 * US, 81 * US, 81 * US, 81 * US, 81 * US}, .ways = 5, .depth = 4};
    run(&machine);
    ck_assert_uint_ge(machine.tokens, dear + 5 * 3 * 12);
}
END_TEST

START_TEST(who_is_far_behind_has_no_second_turn)
{
    struct machine machine = {.cost = {5 * MS, 20 * MS, 5 * MS}, .ways = 3, .depth = 3};
    run(&machine);
    ck_assert_uint_le(machine.went[1], 2 * 3 + 4 * 3 + 1);
    ck_assert_uint_gt(machine.went[0], machine.went[1]);
    ck_assert_uint_gt(machine.went[2], machine.went[1]);
}
END_TEST

START_TEST(runs_that_are_too_short_end_the_trial)
{
    struct machine machine = {.cost = {9 * MS, 1 * MS, 5 * MS}, .ways = 3, .depth = 3, .run = 5};
    ck_assert_uint_eq(run(&machine), 0);
    ck_assert_uint_eq(pipeline_trial_result(&machine.trial, 0), 0);
    ck_assert_uint_lt(machine.tokens, 500);
}
END_TEST

START_TEST(what_counts_is_known_before)
{
    struct machine machine = {.cost = {20 * US, 10 * US}, .ways = 2, .depth = 3};
    pipeline_trial_begin(&machine.trial, 2, false);
    ck_assert_int_eq(pipeline_trial_timing(&machine.trial, 3), 0);
    uint32_t before = run(&machine);
    ck_assert_uint_eq(before, 1);
    ck_assert_int_eq(pipeline_trial_timing(&machine.trial, 3), 0);
    pipeline_trial_begin(&machine.trial, 2, false);
    machine.tokens = 0;
    for (int i = 0; i < 12; i++) {
        ck_assert_int_eq(pipeline_trial_timing(&machine.trial, 3), i >= 3);
        put_token(&machine);
    }
}
END_TEST

/* As of kernels that read large tokens over a bus many times. */
START_TEST(a_candidate_that_takes_a_hundred_times_as_long_costs_a_few_tokens)
{
    struct machine machine = {.ways = 4, .depth = 3, .cost = {343 * US, 360 * US, 35 * MS, 340 * US}};

    ck_assert_uint_eq(run(&machine), 0); /* 1 per cent more than the best is as good */
    ck_assert_uint_le(machine.went[2], machine.depth + 2);
    ck_assert(machine.trial.ways[2].is_eliminated);
    ck_assert_uint_gt(pipeline_trial_result(&machine.trial, 2), pipeline_trial_result(&machine.trial, 3));
}
END_TEST

START_TEST(what_reaches_memory_as_a_candidate_that_was_given_up_is_not_tried)
{
    for (uint32_t joined = 0; joined < 2; joined++) {
        struct machine machine = {.ways  = 4,
                                  .depth = 4,
                                  .joins = joined != 0 ? 3 : 0,
                                  .cost  = {350 * US, 340 * US, 35 * MS, 36 * MS}};
        ck_assert_uint_eq(run(&machine), 1);
        ck_assert_int_eq(machine.went[3] == 0, joined != 0);
        ck_assert_uint_eq(machine.trial.ways[3].is_given_up, true);
    }
    struct machine machine = {
        .ways = 4, .depth = 4, .joins = 3, .cost = {350 * US, 340 * US, 300 * US, 290 * US}};
    ck_assert_uint_eq(run(&machine), 3);
}
END_TEST

/* The same where tokens end in bunches, so that most of its time is in few of the intervals. */
START_TEST(one_far_behind_whose_tokens_end_in_bunches_is_given_up)
{
    for (uint32_t depth = 1; depth <= SLOTS_MOST; depth++) {
        struct machine machine = {
            .ways = 3, .depth = depth, .bunch = depth, .cost = {350 * US, 35 * MS, 300 * US}};
        ck_assert_uint_eq(run(&machine), 2);
        ck_assert_uint_le(machine.went[1], 4 * depth);
        ck_assert(machine.trial.ways[1].is_given_up);
    }
}
END_TEST

START_TEST(one_that_takes_long_to_begin_is_not_given_up)
{
    struct machine machine = {
        .ways = 2, .depth = 3, .cost = {20 * US, 10 * US}, .stall_at = 12 * MS + 300 * US};

    ck_assert_uint_eq(run(&machine), 1);
}
END_TEST

/* The device stops once, at any time from the first turn of the first candidate on. */
START_TEST(one_that_stands_still_in_its_first_turn_is_not_given_up)
{
    for (uint32_t depth = 1; depth <= SLOTS_MOST; depth++)
        for (uint32_t fastest = 0; fastest < 3; fastest++)
            for (uint64_t at = 10 * MS; at <= 20 * MS; at += scaled(90, 900) * US) {
                struct machine machine = {.ways     = 3,
                                          .depth    = depth,
                                          .cost     = {11 * US, 11 * US, 11 * US},
                                          .stall_at = at,
                                          .stall    = 50 * MS};
                machine.cost[fastest]  = 9 * US;
                ck_assert_msg(run(&machine) == fastest, "depth %u, %u is the fastest, at %u us", depth,
                              fastest, (unsigned)(at / US));
            }
}
END_TEST

/* As of a program that serves requests: nothing tells the trial where one ends. */
START_TEST(requests_with_pauses_between_them_give_up_no_candidate)
{
    for (uint32_t depth = 1; depth <= SLOTS_MOST; depth++)
        for (uint32_t first = 1; first <= 32; first++) {
            struct machine machine = {.ways        = 3,
                                      .depth       = depth,
                                      .cost        = {50 * US, 50 * US, 50 * US},
                                      .burst       = 32,
                                      .burst_first = 200 + first, /* the first candidate has warmed up */
                                      .gap         = 50 * MS};
            run(&machine);
            for (uint32_t i = 0; i < machine.ways; i++)
                ck_assert_msg(!machine.trial.ways[i].is_given_up, "depth %u, first %u: %u", depth, first, i);
        }
}
END_TEST

/* More slots are created while the candidate has its first turn, and then the device stops. */
START_TEST(time_before_a_change_of_the_depth_gives_up_no_candidate)
{
    struct machine machine = {.ways = 2, .depth = 3, .cost = {20 * US, 10 * US}, .now = 1000, .seed = 1};

    pipeline_trial_begin(&machine.trial, machine.ways, false);
    begin_run(&machine);
    while (machine.went[1] < machine.depth + 2)
        put_token(&machine);
    machine.depth = 4;
    machine.now   = last_end(&machine) + 50 * MS;
    for (uint32_t i = 0; i < machine.depth + 2; i++)
        put_token(&machine);
    machine.now = last_end(&machine) + 50 * MS;
    while (!machine.trial.is_over)
        put_token(&machine);
    ck_assert(!machine.trial.ways[1].is_given_up);
    ck_assert_uint_eq(machine.trial.current, 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("trials of strategies");
    TCase *stays = tcase_create("which one stays");
    tcase_add_test(stays, the_fastest_stays);
    tcase_add_test(stays, of_those_that_are_as_fast_the_first_stays);
    tcase_add_test(stays, of_two_that_are_as_fast_the_one_stays_that_always_is);
    tcase_add_test(stays, who_is_fast_only_for_a_while_does_not_stay);
    tcase_add_test(stays, the_only_one_stays_without_a_trial);
    tcase_add_test(stays, a_candidate_that_takes_a_hundred_times_as_long_costs_a_few_tokens);
    tcase_add_test(stays, what_reaches_memory_as_a_candidate_that_was_given_up_is_not_tried);
    tcase_add_test(stays, one_far_behind_whose_tokens_end_in_bunches_is_given_up);
    tcase_add_test(stays, one_that_takes_long_to_begin_is_not_given_up);
    tcase_add_test(stays, one_that_stands_still_in_its_first_turn_is_not_given_up);
    tcase_add_test(stays, requests_with_pauses_between_them_give_up_no_candidate);
    tcase_add_test(stays, time_before_a_change_of_the_depth_gives_up_no_candidate);
    suite_add_tcase(suite, stays);
    TCase *fewer = tcase_create("with how many slots");
    tcase_add_test(fewer, the_best_two_are_compared_with_one_slot_less);
    tcase_add_test(fewer, the_only_one_that_is_left_is_compared_with_one_slot_less);
    tcase_add_test(fewer, of_two_slots_none_rests);
    tcase_add_test(fewer, while_slots_do_not_rest_none_less_is_tried);
    tcase_add_test(fewer, a_trial_that_goes_on_without_slots_that_rest_drops_those_with_fewer);
    tcase_add_test(fewer, a_trial_that_began_without_slots_that_rest_tries_fewer_later);
    suite_add_tcase(suite, fewer);
    TCase *misleads = tcase_create("what must not mislead it");
    tcase_add_test(misleads, runs_that_begin_with_empty_slots_favour_no_strategy);
    tcase_add_test(misleads, a_device_that_is_cold_at_first_favours_no_strategy);
    tcase_add_test(misleads, a_rising_clock_favours_no_strategy);
    tcase_add_test(misleads, noise_hardly_ever_hides_the_fastest);
    tcase_add_test(misleads, a_moment_of_standstill_favours_no_strategy);
    tcase_add_test(misleads, tokens_that_end_in_bunches_favour_no_strategy);
    tcase_add_test(misleads, tokens_that_end_at_odd_times_seem_hardly_ever_faster);
    suite_add_tcase(suite, misleads);
    TCase *costs = tcase_create("what it costs");
    tcase_add_test(costs, long_tokens_are_tried_few_times);
    tcase_add_test(costs, the_proof_of_long_tokens_is_short_or_left_out);
    tcase_add_test(costs, what_varies_from_turn_to_turn_is_confirmed);
    tcase_add_test(costs, short_tokens_that_are_far_behind_have_two_looks);
    tcase_add_test(costs, no_round_follows_when_the_trial_has_cost_much);
    tcase_add_test(costs, who_is_far_behind_has_no_second_turn);
    tcase_add_test(costs, runs_that_are_too_short_end_the_trial);
    tcase_add_test(costs, what_counts_is_known_before);
    suite_add_tcase(suite, costs);
    return suite;
}

UNIT_SUITE(make_suite)
