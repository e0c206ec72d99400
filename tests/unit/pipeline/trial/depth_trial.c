/* Trials of numbers of slots with made-up times: a token takes as long as the slots in use say.
 * SPDX-License-Identifier: MIT
 */
#include "depth_trial_fixture.h"
#include "tests/unit/runner.h"

/* ---- the choice ------------------------------------------------------------------------------ */

START_TEST(the_number_of_slots_that_is_fastest_stays)
{
    ck_assert_uint_eq(choose_of(3, &(struct times){1000 * US, 950 * US, 600 * US}), 1);
    ck_assert_uint_eq(choose_of(8, &(struct times){1000 * US, 700 * US, 800 * US}), 2);
    ck_assert_uint_eq(choose_of(4, &(struct times){500 * US, 700 * US, 1100 * US}), 4);
    ck_assert_uint_eq(choose_of(2, &(struct times){.two = 1000 * US, .one = 900 * US}), 1);
}
END_TEST

START_TEST(the_fewest_slots_of_those_that_are_as_fast_stay)
{
    ck_assert_uint_eq(choose_of(3, &(struct times){1000 * US, 990 * US, 985 * US}), 1);
    ck_assert_uint_eq(choose_of(3, &(struct times){1000 * US, 1019 * US, 1150 * US}), 2);
    ck_assert_uint_eq(choose_of(3, &(struct times){1000 * US, 1050 * US, 1019 * US}), 1);
}
END_TEST

START_TEST(the_best_is_at_most_two_per_cent_faster_than_what_stays)
{
    ck_assert_uint_eq(choose_of(3, &(struct times){1000 * US, 1000 * US, 979 * US}), 1);
    ck_assert_uint_eq(choose_of(3, &(struct times){979 * US, 1000 * US, 1000 * US}), 3);
}
END_TEST

/* The memory of a slot is warm as long as it was in use among the last tokens: slots that come back into use
 * take four bursts until they are. */
START_TEST(memory_that_was_not_in_use_and_is_cold_at_first_decides_nothing)
{
    const struct times steady = {450 * US, 480 * US, 520 * US};
    const uint64_t per_cent[] = {180, 160, 140, 115};
    uint32_t used[4]          = {0};

    open_three();
    while (goes_on()) {
        uint32_t bursts = used[slots]++ / slots;
        for (uint32_t i = 1; i <= 3; i++)
            used[i] = i > slots ? 0 : used[i];
        end_token(time_with(&steady, slots) * (bursts < 4 ? per_cent[bursts] : 100) / 100);
    }
    ck_assert_uint_eq(chosen(), 3);
    ck_assert_uint_gt(trial.ways[0].turns, 2);
    for (uint32_t turn = 2; turn < trial.ways[0].turns; turn++) /* the first two were short */
        ck_assert_uint_eq(trial.ways[0].ns[turn % PIPELINE_DEPTH_KEPT], steady.all + 1);
}
END_TEST

/* As many tokens as there are slots end at once, and nothing for as many times as long. */
START_TEST(slots_whose_tokens_end_in_bursts_seem_no_faster)
{
    const struct times times = {860 * US, 840 * US, 764 * US};

    for (uint32_t phase = 0; phase < 6; phase++) {
        open_three();
        for (uint32_t i = phase; goes_on(); i++)
            end_token(i % slots == 0 ? time_with(&times, slots) * slots : 0);
        ck_assert_uint_eq(chosen(), 1);
    }
}
END_TEST

/* In one turn, of each in its turn, the machine is three times as fast as otherwise, or as slow. */
START_TEST(a_turn_in_which_the_machine_is_faster_or_slower_decides_nothing_for_long)
{
    const struct times times = {900 * US, 1000 * US, 1050 * US};

    for (uint32_t disturbed = 0; disturbed < 21; disturbed++)
        for (uint32_t factor = 1; factor <= 9; factor += 8) {
            uint32_t turn = 0, before = 0;
            open_three();
            while (tokens < 40000) {
                turn += goes_on() && trial.way != before;
                before = trial.way;
                end_token(time_with(&times, slots) * (goes_on() && turn == disturbed ? factor : 3) / 3);
            }
            ck_assert_uint_eq(chosen(), 3);
        }
}
END_TEST

/* Noise as it was recorded with tokens of 256 KiB: a turn's first tokens wake a thread, which takes 50 us;
 * with three slots tokens take 4 or 9 us, for some hundred each; and any may be interrupted. */
static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint64_t noisy_time(uint32_t in_turn, bool *is_slow)
{
    const struct times times = {4000, 3900, 6000};

    if (draw(200) == 0)
        *is_slow = draw(3) != 0;
    uint64_t ns = time_with(&times, slots) * (90 + draw(30)) / 100;
    ns += slots > 2 && *is_slow ? 5000 : 0;
    ns += slots > 1 && in_turn < 8 ? 7000 : 0;
    return ns + (draw(300) == 0 ? 10000 + draw(100000) : 0);
}

START_TEST(the_best_is_chosen_amid_noise_and_kept_most_of_the_time)
{
    enum {
        SEEDS = 1000
    };
    uint32_t early = 0, late = 0;

    for (uint32_t i = 0; i < SEEDS; i++) {
        uint32_t in_turn = 0, before = 3;
        bool is_slow = true;
        seed         = i * 7919 + 1;
        open_three();
        for (bool is_early = true; now < 500 * MS;) {
            in_turn = slots == before ? in_turn + 1 : 0;
            before  = slots;
            end_token(noisy_time(in_turn, &is_slow));
            if (is_early && now >= 100 * MS) {
                is_early = false;
                early += chosen() == 2;
            }
        }
        late += chosen() == 2;
    }
    ck_assert_uint_ge(early, SEEDS * 80 / 100);
    ck_assert_uint_ge(late, SEEDS * 99 / 100);
}
END_TEST

/* An interrupt of 5 us comes after every 997 tokens, the clock shows whole 30 ns. */
START_TEST(short_tokens_are_compared_in_turns_that_the_clock_can_tell_apart)
{
    const struct times times = {618, 604, 572};

    for (uint32_t phase = 0; phase < 997; phase++) {
        open_on(4, 1, 1);
        tick = 30;
        for (uint32_t i = phase; goes_on(); i++)
            end_token(time_with(&times, slots) + (i % 997 == 0 ? 5 * US : 0));
        ck_assert_uint_eq(chosen(), 1);
    }
}
END_TEST

START_TEST(all_slots_and_one_less_may_be_tried_alone)
{
    for (uint64_t four = 190; four <= 210; four += 20) {
        open_on(4, 1, 3);
        while (goes_on()) {
            ck_assert(slots == 3 || slots == 4);
            end_token((slots == 4 ? four : 200) * US);
        }
        ck_assert_uint_eq(chosen(), four < 200 ? 4 : 3);
    }
    open_on(3, 1, 3);
    ck_assert(!goes_on());
}
END_TEST

/* Which thread runs which token: for the first forty after a change three slots seem as fast as four. */
START_TEST(one_slot_less_is_tried_for_long_enough_to_show_what_it_takes)
{
    uint32_t in_turn = 0, before = 4;

    open_on(4, 1, 3);
    while (now < 200 * MS) {
        in_turn = slots == before ? in_turn + 1 : 0;
        before  = slots;
        end_token((36 + (slots == 3 && in_turn >= 40 ? 4 : 0)) * US);
    }
    ck_assert_uint_eq(chosen(), 4);
}
END_TEST

/* ---- what it costs --------------------------------------------------------------------------- */

/* In tokens with the fastest number of slots: what these times cost until the first pause, and what they may
 * have cost after each of many tokens. */
static void check_cost(uint32_t depth, const struct times *times)
{
    uint64_t least = times->two < times->one ? times->two : times->one;
    least          = times->all < least ? times->all : least;

    open_on(depth, 1, 1);
    try_once(times);
    ck_assert_uint_le(now - 1 - tokens * least, (64 + tokens / 128) * least);
    while (tokens < 40000) {
        end_tokens(times, 100);
        ck_assert_uint_le(now - 1 - tokens * least, (64 + tokens / 128) * least);
    }
}

START_TEST(it_costs_at_most_the_time_of_64_tokens_and_of_one_in_128)
{
    for (uint64_t scale = 1; scale <= 1000; scale *= 1000)
        for (uint64_t two = 500; two <= 1200; two += 25)
            for (uint64_t one = 500; one <= 1200; one += 25) {
                check_cost(3, &(struct times){500 * scale, two * scale, one * scale});
                check_cost(3, &(struct times){two * scale, one * scale, 500 * scale});
                check_cost(4, &(struct times){two * scale, 500 * scale, one * scale});
                check_cost(32, &(struct times){two * scale, one * scale, 500 * scale});
            }
}
END_TEST

START_TEST(slow_numbers_of_slots_have_few_turns_and_near_ones_many)
{
    choose_of(3, &(struct times){1000 * US, 1010 * US, 2000 * US});
    ck_assert_uint_eq(trial.ways[0].turns, 7);
    ck_assert_uint_eq(trial.ways[1].turns, 7);
    ck_assert_uint_le(trial.ways[2].turns, 3);
}
END_TEST

/* Two slots, the fastest, are stopped for a time slice in one of their first two turns, which are short: they
 * are not charged for that. */
START_TEST(a_disturbed_first_turn_leaves_nothing_out)
{
    const struct times times = {300 * US, 200 * US, 290 * US};

    for (uint32_t disturbed = 0; disturbed < 2; disturbed++) {
        uint32_t turns = 0, before = 0;
        open_three();
        while (tokens < 2000) {
            bool is_new = goes_on() && trial.way == 1 && before != 1;
            turns += is_new;
            before = trial.way;
            end_token(time_with(&times, slots) + (slots == 2 && turns == disturbed + 1 ? 4 * MS : 0));
        }
        ck_assert_uint_eq(chosen(), 2);
    }
}
END_TEST

/* ---- later ----------------------------------------------------------------------------------- */

/* While another program has a processor, two slots gain nothing. */
START_TEST(a_choice_that_was_right_only_for_a_time_is_made_again)
{
    const struct times shared = {75 * US, 56 * US, 55 * US};
    const struct times usual  = {75 * US, 41 * US, 55 * US};

    open_three();
    while (now < 20 * MS)
        end_tokens(&shared, 1);
    ck_assert_uint_eq(chosen(), 1);
    while (now < 500 * MS)
        end_tokens(&usual, 1);
    ck_assert_uint_eq(chosen(), 2);
}
END_TEST

/* Three slots were lucky during the first rounds, and far better than two. */
START_TEST(a_number_of_slots_that_was_far_from_the_choice_gets_another_chance)
{
    const struct times lucky = {40 * US, 100 * US, 100 * US};
    const struct times usual = {75 * US, 41 * US, 55 * US};

    open_three();
    try_once(&lucky);
    ck_assert_uint_eq(chosen(), 3);
    while (now < 5000 * MS)
        end_tokens(&usual, 1);
    ck_assert_uint_eq(chosen(), 2);
}
END_TEST

START_TEST(a_machine_that_becomes_slower_for_all_changes_nothing)
{
    struct times times = {40 * US, 30 * US, 33 * US};

    open_three();
    for (uint32_t i = 0; i < 6; i++) {
        end_tokens(&times, 5000);
        ck_assert_uint_eq(chosen(), 2);
        times = (struct times){times.all * 2, times.two * 2, times.one * 2};
    }
}
END_TEST

START_TEST(numbers_of_slots_that_take_turns_at_being_a_little_faster_do_not_take_turns_in_use)
{
    const struct times times[] = {{1000, 1000, 1015}, {1000, 1000, 985}};
    uint32_t changes           = 0, before;

    open_three();
    try_once(&times[0]);
    before = chosen();
    for (uint32_t i = 0; i < 100; i++) {
        end_tokens(&times[i % 2], 5000);
        changes += chosen() != before;
        before = chosen();
    }
    ck_assert_uint_eq(changes, 0);
}
END_TEST

/* The first pause takes 10 ms, each other twice as long, up to 128 times. */
START_TEST(pauses_become_longer_as_long_as_the_choice_stays)
{
    const struct times times = {40 * US, 30 * US, 33 * US};
    uint64_t longest = 0, began = 0;
    uint32_t trials = 0;

    open_three();
    while (now < 20000 * MS) {
        bool was_going_on = goes_on();
        end_tokens(&times, 1);
        if (was_going_on && !goes_on()) {
            began = now;
            trials++;
        } else if (!was_going_on && goes_on()) {
            ck_assert_uint_ge(now - began, longest / 2); /* counted in parts of 256 tokens */
            longest = now - began > longest ? now - began : longest;
        }
    }
    ck_assert_uint_ge(longest, 1200 * MS);
    ck_assert_uint_le(longest, 1300 * MS);
    ck_assert_uint_le(trials, 40);
}
END_TEST

START_TEST(between_its_turns_it_is_told_of_one_token_in_256)
{
    open_three();
    try_once(&(struct times){40 * US, 30 * US, 33 * US});
    ck_assert_uint_eq(left, 256);
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------ */

START_TEST(runs_of_a_short_turn_are_enough_and_shorter_ones_end_the_trial)
{
    const struct times times = {1000 * US, 950 * US, 600 * US};

    open_three();
    try_in_runs(&times, 9);
    ck_assert_uint_eq(chosen(), 1);
    ck_assert_uint_gt(trial.trials, 0);
    open_three();
    try_in_runs(&times, 8);
    ck_assert_uint_eq(chosen(), 3);
    ck_assert_uint_le(tokens, 100);
    end_tokens(&times, 1000);
    ck_assert_uint_eq(slots, 3);
}
END_TEST

START_TEST(turns_become_shorter_where_runs_are_too_short_for_them)
{
    const struct times times = {1000 * US, 1010 * US, 990 * US};

    for (uint32_t run = 9; run <= 60; run++) {
        open_three();
        for (uint32_t i = 0; i < 3000 / run; i++) {
            begin_run();
            end_tokens(&times, run);
        }
        ck_assert_int_ne(trial.phase, PIPELINE_DEPTH_IS_OVER);
        ck_assert_uint_eq(trial.ways[2].turns > 4, true);
    }
}
END_TEST

/* Also of turns that did not end. */
START_TEST(short_runs_cost_no_more_than_long_ones)
{
    const struct times times = {500 * US, 700 * US, 1000 * US};

    for (uint32_t run = 16; run <= 100; run += 4) {
        open_three();
        while (tokens < 8000) {
            begin_run();
            end_tokens(&times, run);
            ck_assert_uint_le(now - 1 - tokens * times.all, (64 + tokens / 128 + run) * times.all);
        }
        ck_assert_uint_eq(chosen(), 3);
    }
}
END_TEST

START_TEST(turns_become_longer_again_where_runs_do)
{
    const struct times times = {1000 * US, 1010 * US, 990 * US};

    open_three();
    for (uint32_t i = 0; i < 20; i++) {
        begin_run();
        end_tokens(&times, 20);
    }
    ck_assert_uint_lt(trial.length_most, 48);
    begin_run();
    end_tokens(&times, 20000);
    ck_assert_uint_ge(trial.length_most, 192);
    ck_assert(!trial.is_short);
}
END_TEST

/* Such as those that warm a program up; or none of whose tokens came. */
START_TEST(tiny_and_empty_runs_change_nothing_for_long_ones)
{
    const struct times times = {1000 * US, 1010 * US, 600 * US};

    for (uint32_t runs = 1; runs <= 10; runs += 3) {
        open_three();
        for (uint32_t i = 0; i < runs; i++) {
            end_tokens(&times, 3);
            begin_run();
        }
        end_tokens(&times, 20000);
        ck_assert(!trial.is_short);
        ck_assert_int_ne(trial.phase, PIPELINE_DEPTH_IS_OVER);
        ck_assert_uint_ge(trial.length_most, 192);
        ck_assert_uint_eq(chosen(), 1);
    }
    open_three();
    for (uint32_t i = 0; i < 10; i++)
        begin_run();
    ck_assert(goes_on() && !trial.is_short);
    ck_assert_uint_eq(trial.misses, 0);
    ck_assert_uint_eq(trial.length_most, 192);
}
END_TEST

/* The time between two runs is none of tokens. */
START_TEST(the_time_between_two_runs_decides_nothing)
{
    const struct times times = {40 * US, 50 * US, 60 * US};

    open_three();
    for (uint32_t i = 0; i < 500; i++) {
        now += 1000 * MS;
        begin_run();
        end_tokens(&times, 30);
    }
    ck_assert_uint_eq(chosen(), 3);
    ck_assert_uint_le(pipeline_depth_trial_ns(&trial, 0), 41 * US);
}
END_TEST

START_TEST(what_was_found_stays_where_runs_become_too_short)
{
    const struct times times = {1000 * US, 900 * US, 500 * US};

    ck_assert_uint_eq(choose_of(3, &times), 1);
    while (!goes_on())
        end_tokens(&times, 1);
    for (uint32_t i = 0; i < 100; i++) {
        begin_run();
        end_tokens(&times, 2);
    }
    ck_assert_int_eq(trial.phase, PIPELINE_DEPTH_IS_OVER);
    ck_assert_uint_eq(chosen(), 1);
    ck_assert_uint_eq(slots, 1);
}
END_TEST

/* ---- several devices ------------------------------------------------------------------------- */

static uint32_t choose_on_two(const struct times *times)
{
    open_on(6, 2, 1);
    try_once(times);
    return chosen();
}

/* Six slots on two devices: six, four, two or one in use. */
START_TEST(one_slot_for_several_devices_stays_only_where_it_is_much_faster)
{
    ck_assert_uint_eq(choose_on_two(&(struct times){1000 * US, 1000 * US, 900 * US}), 2);
    ck_assert_uint_eq(choose_on_two(&(struct times){1000 * US, 990 * US, 700 * US}), 1);
    ck_assert_uint_eq(choose_on_two(&(struct times){1000 * US, 990 * US, 300 * US}), 1);
    ck_assert_uint_eq(choose_on_two(&(struct times){1000 * US, 990 * US, 1900 * US}), 2);
    ck_assert_uint_eq(choose_on_two(&(struct times){1000 * US, 1100 * US, 900 * US}), 4);
}
END_TEST

START_TEST(one_slot_whose_token_all_devices_share_stays_where_it_is_as_fast)
{
    static const struct {
        struct times times;
        uint32_t chosen;
    } cases[] = {{{1000 * US, 1000 * US, 900 * US}, 1},
                 {{1000 * US, 990 * US, 1000 * US}, 1},
                 {{1000 * US, 990 * US, 1100 * US}, 2}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_on(6, 2, 1);
        trial.is_spread = true;
        try_once(&cases[i].times);
        ck_assert_uint_eq(chosen(), cases[i].chosen);
    }
}
END_TEST

START_TEST(several_devices_have_as_many_slots_each)
{
    static const struct {
        uint32_t depth, devices, count, slots[PIPELINE_DEPTH_WAYS];
    } cases[] = {{6, 2, 4, {6, 4, 2, 1}}, {4, 2, 3, {4, 2, 1}}, {2, 2, 2, {2, 1}}, {12, 4, 4, {12, 8, 4, 1}}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_on(cases[i].depth, cases[i].devices, 1);
        ck_assert_uint_eq(trial.count, cases[i].count);
        for (uint32_t way = 0; way < trial.count; way++)
            ck_assert_uint_eq(trial.ways[way].slots, cases[i].slots[way]);
        ck_assert_int_eq(goes_on(), cases[i].count > 1);
    }
}
END_TEST

START_TEST(one_slot_is_no_trial)
{
    open_on(1, 1, 1);
    ck_assert(!goes_on());
    ck_assert_uint_eq(pipeline_depth_trial_next(&trial, 5), 1);
    ck_assert_uint_eq(trial.rest, 256);
    ck_assert_uint_eq(pipeline_depth_trial_ns(&trial, 0), 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("trials of numbers of slots");
    TCase *trials = tcase_create("slots");
    tcase_add_test(trials, the_number_of_slots_that_is_fastest_stays);
    tcase_add_test(trials, the_fewest_slots_of_those_that_are_as_fast_stay);
    tcase_add_test(trials, the_best_is_at_most_two_per_cent_faster_than_what_stays);
    tcase_add_test(trials, memory_that_was_not_in_use_and_is_cold_at_first_decides_nothing);
    tcase_add_test(trials, slots_whose_tokens_end_in_bursts_seem_no_faster);
    tcase_add_test(trials, a_turn_in_which_the_machine_is_faster_or_slower_decides_nothing_for_long);
    tcase_add_test(trials, the_best_is_chosen_amid_noise_and_kept_most_of_the_time);
    tcase_add_test(trials, short_tokens_are_compared_in_turns_that_the_clock_can_tell_apart);
    tcase_add_test(trials, all_slots_and_one_less_may_be_tried_alone);
    tcase_add_test(trials, one_slot_less_is_tried_for_long_enough_to_show_what_it_takes);
    tcase_add_test(trials, it_costs_at_most_the_time_of_64_tokens_and_of_one_in_128);
    tcase_add_test(trials, slow_numbers_of_slots_have_few_turns_and_near_ones_many);
    tcase_add_test(trials, a_disturbed_first_turn_leaves_nothing_out);
    tcase_add_test(trials, a_choice_that_was_right_only_for_a_time_is_made_again);
    tcase_add_test(trials, a_number_of_slots_that_was_far_from_the_choice_gets_another_chance);
    tcase_add_test(trials, a_machine_that_becomes_slower_for_all_changes_nothing);
    tcase_add_test(trials,
                   numbers_of_slots_that_take_turns_at_being_a_little_faster_do_not_take_turns_in_use);
    tcase_add_test(trials, pauses_become_longer_as_long_as_the_choice_stays);
    tcase_add_test(trials, between_its_turns_it_is_told_of_one_token_in_256);
    tcase_add_test(trials, runs_of_a_short_turn_are_enough_and_shorter_ones_end_the_trial);
    tcase_add_test(trials, turns_become_shorter_where_runs_are_too_short_for_them);
    tcase_add_test(trials, short_runs_cost_no_more_than_long_ones);
    tcase_add_test(trials, turns_become_longer_again_where_runs_do);
    tcase_add_test(trials, tiny_and_empty_runs_change_nothing_for_long_ones);
    tcase_add_test(trials, the_time_between_two_runs_decides_nothing);
    tcase_add_test(trials, what_was_found_stays_where_runs_become_too_short);
    tcase_add_test(trials, one_slot_for_several_devices_stays_only_where_it_is_much_faster);
    tcase_add_test(trials, one_slot_whose_token_all_devices_share_stays_where_it_is_as_fast);
    tcase_add_test(trials, several_devices_have_as_many_slots_each);
    tcase_add_test(trials, one_slot_is_no_trial);
    suite_add_tcase(suite, trials);
    return suite;
}

UNIT_SUITE(make_suite)
