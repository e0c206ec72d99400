/* Trials of numbers of slots with made-up times: a token takes as long as the slots in use say.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/depth_trial.h"
#include "tests/unit/runner.h"

#define US UINT64_C(1000)

struct times {
    uint64_t all, two, one;
};

static uint64_t time_with(const struct times *times, uint32_t slots)
{
    return slots == 1 ? times->one : slots == 2 ? times->two : times->all;
}

/* Runs of `run` tokens until the trial is over; returns how many tokens it took. */
static uint32_t pass_on(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices,
                        const struct times *times, uint32_t run)
{
    uint64_t now    = 1;
    uint32_t tokens = 0, slots = depth;

    pipeline_depth_trial_begin(trial, depth, devices, 1);
    for (; !trial->is_over; tokens++) {
        if (tokens % run == 0)
            pipeline_depth_trial_interrupt(trial);
        now += time_with(times, slots);
        slots = pipeline_depth_trial_next(trial, now);
    }
    return tokens;
}

static uint32_t pass(struct pipeline_depth_trial *trial, uint32_t depth, const struct times *times,
                     uint32_t run)
{
    return pass_on(trial, depth, 1, times, run);
}

START_TEST(the_number_of_slots_that_is_fastest_stays)
{
    struct pipeline_depth_trial trial;

    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 950 * US, .one = 600 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    pass(&trial, 8, &(struct times){.all = 1000 * US, .two = 700 * US, .one = 800 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 2);
    pass(&trial, 2, &(struct times){.two = 1000 * US, .one = 900 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
}
END_TEST

START_TEST(the_fewest_slots_of_those_that_are_as_fast_stay)
{
    struct pipeline_depth_trial trial;

    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 990 * US, .one = 985 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 1020 * US, .one = 1150 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 2);
    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 1050 * US, .one = 1020 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    pass(&trial, 4, &(struct times){.all = 500 * US, .two = 700 * US, .one = 1100 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 4);
}
END_TEST

/* The memory of a slot is warm as long as it was in use among the last tokens: slots that come back into use
 * take four bursts until they are. */
START_TEST(memory_that_was_not_in_use_and_is_cold_at_first_decides_nothing)
{
    const struct times steady = {.all = 450 * US, .two = 480 * US, .one = 520 * US};
    const uint64_t per_cent[] = {180, 160, 140, 115};
    uint32_t used[4]          = {0};
    uint64_t now              = 1;
    struct pipeline_depth_trial trial;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    for (uint32_t token = 0, slots = 3; !trial.is_over; token++) {
        uint32_t bursts = used[slots]++ / slots;
        for (uint32_t i = 1; i <= 3; i++)
            used[i] = i > slots ? 0 : used[i];
        now += time_with(&steady, slots) * (bursts < 4 ? per_cent[bursts] : 100) / 100;
        slots = pipeline_depth_trial_next(&trial, now);
    }
    ck_assert_uint_eq(trial.slots[trial.way], 3);
    for (uint32_t round = 2; round < PIPELINE_DEPTH_ROUNDS; round++)
        for (uint32_t way = 0; way < 3; way++)
            if (!trial.is_left_out[way])
                ck_assert_uint_eq(trial.took[way][round], time_with(&steady, trial.slots[way]) + 1);
}
END_TEST

/* As many tokens as there are slots end at once, and nothing for as many times as long. */
START_TEST(slots_whose_tokens_end_in_bursts_seem_no_faster)
{
    const struct times times = {.all = 860 * US, .two = 840 * US, .one = 764 * US};

    for (uint32_t phase = 0; phase < 6; phase++) {
        struct pipeline_depth_trial trial;
        uint64_t now   = 1;
        uint32_t slots = 3;

        pipeline_depth_trial_begin(&trial, 3, 1, 1);
        for (uint32_t i = phase; !trial.is_over; i++) {
            now += i % slots == 0 ? time_with(&times, slots) * slots : 0;
            slots = pipeline_depth_trial_next(&trial, now);
        }
        ck_assert_uint_eq(trial.slots[trial.way], 1);
    }
}
END_TEST

/* In one turn, of each in its turn, the machine is three times as fast as otherwise, or as slow. */
START_TEST(a_turn_in_which_the_machine_is_faster_or_slower_decides_nothing)
{
    const struct times times = {.all = 900 * US, .two = 1000 * US, .one = 1050 * US};

    for (uint32_t turn = 0; turn < 3 * PIPELINE_DEPTH_ROUNDS; turn++)
        for (uint32_t factor = 1; factor <= 9; factor += 8) {
            struct pipeline_depth_trial trial;
            uint64_t now   = 1;
            uint32_t slots = 3;

            pipeline_depth_trial_begin(&trial, 3, 1, 1);
            while (!trial.is_over) {
                now += time_with(&times, slots) * (trial.round * 3 + trial.turns == turn ? factor : 3) / 3;
                slots = pipeline_depth_trial_next(&trial, now);
            }
            ck_assert_uint_eq(trial.slots[trial.way], 3);
        }
}
END_TEST

START_TEST(the_best_is_at_most_two_per_cent_faster_than_what_stays)
{
    struct pipeline_depth_trial trial;

    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 1000 * US, .one = 979 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    pass(&trial, 3, &(struct times){.all = 979 * US, .two = 1000 * US, .one = 1000 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 3);
}
END_TEST

/* Nanoseconds by which the trial takes longer than its tokens in the best way. */
static uint64_t cost_of(const struct times *times, uint32_t depth)
{
    struct pipeline_depth_trial trial;
    uint64_t now = 1, least = UINT64_MAX, tokens = 0;

    pipeline_depth_trial_begin(&trial, depth, 1, 1);
    for (uint32_t i = 0; i < trial.ways; i++)
        if (time_with(times, trial.slots[i]) < least)
            least = time_with(times, trial.slots[i]);
    for (uint32_t slots = depth; !trial.is_over; tokens++) {
        now += time_with(times, slots);
        slots = pipeline_depth_trial_next(&trial, now);
    }
    return now - 1 - tokens * least;
}

START_TEST(the_trial_costs_at_most_the_time_of_64_tokens)
{
    for (uint64_t two = 4; two <= 10; two++) {
        for (uint64_t one = 4; one <= 10; one++) {
            ck_assert_uint_le(cost_of(&(struct times){4 * US, two * US, one * US}, 3), 64 * 4 * US);
            ck_assert_uint_le(cost_of(&(struct times){two * US, one * US, 4 * US}, 32), 64 * 4 * US);
        }
    }
    /* Tokens of half a microsecond, up to 2.4 times as long, in steps of a fiftieth. */
    for (uint64_t two = 500; two <= 1200; two += 10) {
        for (uint64_t one = 500; one <= 1200; one += 10) {
            ck_assert_uint_le(cost_of(&(struct times){500, two, one}, 4), UINT64_C(64) * 500);
            ck_assert_uint_le(cost_of(&(struct times){two, one, 500}, 4), UINT64_C(64) * 500);
        }
    }
}
END_TEST

/* An interrupt of 5 us comes after every 997 tokens, the clock shows whole 30 ns. */
START_TEST(short_tokens_are_compared_in_stretches_that_the_clock_can_tell_apart)
{
    const struct times times = {.all = 618, .two = 604, .one = 572};

    for (uint32_t phase = 0; phase < 997; phase++) {
        struct pipeline_depth_trial trial;
        uint64_t now   = 1;
        uint32_t slots = 4;

        pipeline_depth_trial_begin(&trial, 4, 1, 1);
        for (uint32_t i = phase; !trial.is_over; i++) {
            now += time_with(&times, slots) + (i % 997 == 0 ? 5 * US : 0);
            slots = pipeline_depth_trial_next(&trial, now / 30 * 30);
        }
        ck_assert_uint_eq(trial.slots[trial.way], 1);
    }
}
END_TEST

/* ---- after the trial ------------------------------------------------------------------------ */

/* What the trial is told of tokens that take `ns` each: so many of them, or until it is doubted. */
static uint64_t serve(struct pipeline_depth_trial *trial, uint64_t *now, uint64_t ns, uint64_t count)
{
    uint64_t tokens = 0;

    for (; tokens < count && !trial->is_due; tokens++) {
        *now += ns;
        if (pipeline_depth_trial_counts(trial))
            pipeline_depth_trial_next(trial, *now);
    }
    return tokens;
}

/* A trial of three slots with these times from `now` on. */
static void pass_from(struct pipeline_depth_trial *trial, const struct times *times, uint64_t *now)
{
    for (uint32_t slots = trial->slots[trial->way]; !trial->is_over;) {
        *now += time_with(times, slots);
        slots = pipeline_depth_trial_next(trial, *now);
    }
}

/* The trial and those that confirm it, until no other is due. Returns their number. */
static uint32_t pass_trials(struct pipeline_depth_trial *trial, const struct times *times, uint64_t *now)
{
    uint32_t trials = 1;

    pass_from(trial, times, now);
    for (; serve(trial, now, time_with(times, trial->slots[trial->way]), 100000) < 100000; trials++) {
        pipeline_depth_trial_again(trial, trial->slots[0]);
        pass_from(trial, times, now);
    }
    return trials;
}

START_TEST(a_choice_whose_tokens_go_on_to_take_longer_is_doubted_and_made_again)
{
    const struct times lucky = {.all = 36 * US, .two = 41 * US, .one = 60 * US};
    const struct times usual = {.all = 70 * US, .two = 41 * US, .one = 60 * US};
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    pass_trials(&trial, &lucky, &now);
    ck_assert_uint_eq(trial.slots[trial.way], 3);
    ck_assert_uint_le(serve(&trial, &now, usual.all, 100000) * usual.all, 110000 * US);
    ck_assert(trial.is_due && trial.is_far);
    pipeline_depth_trial_again(&trial, 3);
    ck_assert(!trial.is_over && !trial.is_due);
    pass_trials(&trial, &usual, &now);
    ck_assert_uint_eq(trial.slots[trial.way], 2);
}
END_TEST

/* While another program has a processor, two slots gain nothing. */
START_TEST(a_choice_that_was_right_only_for_a_time_is_made_again)
{
    const struct times shared = {.all = 75 * US, .two = 56 * US, .one = 55 * US};
    const struct times usual  = {.all = 75 * US, .two = 41 * US, .one = 55 * US};
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    pass_from(&trial, &shared, &now);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    ck_assert_uint_ge(serve(&trial, &now, usual.one, 100000) * usual.one, 100000 * US);
    ck_assert(trial.is_due && !trial.is_far);
    pipeline_depth_trial_again(&trial, 3);
    ck_assert(trial.is_left_out[0]); /* it was far */
    pass_trials(&trial, &usual, &now);
    ck_assert_uint_eq(trial.slots[trial.way], 2);
}
END_TEST

START_TEST(a_trial_is_confirmed_once_unless_all_others_were_far)
{
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    ck_assert_uint_eq(
        pass_trials(&trial, &(struct times){.all = 40 * US, .two = 43 * US, .one = 60 * US}, &now), 2);
    ck_assert_uint_eq(trial.slots[trial.way], 3);
    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    ck_assert_uint_eq(
        pass_trials(&trial, &(struct times){.all = 40 * US, .two = 60 * US, .one = 60 * US}, &now), 1);
    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    ck_assert_uint_eq(
        pass_trials(&trial, &(struct times){.all = 60 * US, .two = 60 * US, .one = 40 * US}, &now), 1);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
}
END_TEST

/* Nanoseconds by which these times make the trials longer than their tokens in the best way. */
static uint64_t cost_of_all(const struct times *times, uint64_t least)
{
    struct pipeline_depth_trial trial;
    uint64_t cost = 0, now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    do {
        uint64_t began = now, tokens = 0;
        for (uint32_t slots = trial.slots[trial.way]; !trial.is_over; tokens++) {
            now += time_with(times, slots);
            slots = pipeline_depth_trial_next(&trial, now);
        }
        cost += now - began - tokens * least;
        serve(&trial, &now, time_with(times, trial.slots[trial.way]), 100000);
        if (trial.is_due)
            pipeline_depth_trial_again(&trial, 3);
    } while (!trial.is_over);
    return cost;
}

START_TEST(the_trial_and_its_confirmation_cost_at_most_the_time_of_64_tokens)
{
    for (uint64_t scale = 1; scale <= 100; scale *= 100)
        for (uint64_t two = 500; two <= 1200; two += 10)
            for (uint64_t one = 500; one <= 1200; one += 10) {
                ck_assert_uint_le(
                    cost_of_all(&(struct times){500 * scale, two * scale, one * scale}, 500 * scale),
                    64 * 500 * scale);
                ck_assert_uint_le(
                    cost_of_all(&(struct times){two * scale, one * scale, 500 * scale}, 500 * scale),
                    64 * 500 * scale);
            }
}
END_TEST

START_TEST(tokens_that_take_somewhat_longer_or_longer_now_and_then_raise_no_doubt)
{
    const struct times times = {.all = 40 * US, .two = 50 * US, .one = 60 * US};
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    pass_trials(&trial, &times, &now);
    ck_assert_uint_eq(serve(&trial, &now, 48 * US, 100000), 100000);
    for (uint32_t i = 0; i < 1000; i++) { /* for 80 ms */
        ck_assert_uint_eq(serve(&trial, &now, 80 * US, 1000), 1000);
        ck_assert_uint_eq(serve(&trial, &now, 40 * US, 70), 70);
    }
}
END_TEST

/* The times between runs are none of tokens. */
START_TEST(the_time_between_two_runs_raises_no_doubt)
{
    const struct times times = {.all = 40 * US, .two = 50 * US, .one = 60 * US};
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    pass_trials(&trial, &times, &now);
    for (uint32_t i = 0; i < 100; i++) {
        now += 1000000 * US;
        pipeline_depth_trial_interrupt(&trial);
        ck_assert_uint_eq(serve(&trial, &now, 40 * US, 30), 30); /* less than a window */
    }
}
END_TEST

/* A machine that becomes slower and slower: every trial is proved wrong. */
START_TEST(doubts_become_rare_where_another_trial_does_not_help)
{
    struct times times = {.all = 40 * US, .two = 41 * US, .one = 42 * US};
    struct pipeline_depth_trial trial;
    uint64_t now = 1, tokens = 0;
    uint32_t trials = 0;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    while (tokens < 1000000) {
        pass_from(&trial, &times, &now);
        times = (struct times){times.all * 2, times.two * 2, times.one * 2};
        tokens += serve(&trial, &now, time_with(&times, trial.slots[trial.way]), 1000000);
        pipeline_depth_trial_again(&trial, 3);
        trials++;
    }
    ck_assert_uint_ge(trials, 2);
    ck_assert_uint_le(trials, 8);
}
END_TEST

START_TEST(a_trial_that_knows_no_times_is_not_watched)
{
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 1, 1, 1);
    ck_assert(!pipeline_depth_trial_counts(&trial));
    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    while (!trial.is_over)
        pipeline_depth_trial_interrupt(&trial);
    ck_assert(!pipeline_depth_trial_counts(&trial));
    ck_assert_uint_eq(serve(&trial, &now, 40 * US, 100000), 100000);
}
END_TEST

START_TEST(far_numbers_of_slots_are_left_out_after_the_short_rounds_and_each_long_one)
{
    struct pipeline_depth_trial trial;

    ck_assert_uint_eq(pass(&trial, 3, &(struct times){1000 * US, 1000 * US, 600 * US}, UINT32_MAX), 52);
    ck_assert_uint_eq(pass(&trial, 3, &(struct times){1000 * US, 800 * US, 600 * US}, UINT32_MAX), 86);
    ck_assert_uint_eq(pass(&trial, 3, &(struct times){900 * US, 800 * US, 600 * US}, UINT32_MAX), 110);
    ck_assert_uint_eq(pass(&trial, 3, &(struct times){1000 * US, 650 * US, 600 * US}, UINT32_MAX), 154);
    ck_assert_uint_eq(pass(&trial, 3, &(struct times){650 * US, 640 * US, 600 * US}, UINT32_MAX), 260);
    ck_assert_uint_eq(pass(&trial, 3, &(struct times){630 * US, 615 * US, 600 * US}, UINT32_MAX), 342);
}
END_TEST

/* Other work on the machine makes the time of a turn longer, never shorter. */
START_TEST(a_number_of_slots_that_was_disturbed_once_gets_another_chance)
{
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    pipeline_depth_trial_begin(&trial, 3, 1, 1);
    for (uint32_t slots = 3; !trial.is_over;) {
        bool is_disturbed = slots == 1 && trial.round < 2;
        now += (slots == 1 ? 900 : 1000) * US + (is_disturbed ? 150 * US : 0);
        slots = pipeline_depth_trial_next(&trial, now);
    }
    ck_assert_uint_eq(trial.slots[trial.way], 1);
}
END_TEST

START_TEST(all_slots_and_one_less_may_be_tried_alone)
{
    struct pipeline_depth_trial trial;
    uint64_t now = 1;

    for (uint64_t four = 190; four <= 210; four += 20) {
        pipeline_depth_trial_begin(&trial, 4, 1, 3);
        for (uint32_t slots = 4; !trial.is_over;) {
            ck_assert(slots == 3 || slots == 4);
            now += (slots == 4 ? four : 200) * US;
            slots = pipeline_depth_trial_next(&trial, now);
        }
        ck_assert_uint_eq(trial.slots[trial.way], four < 200 ? 4 : 3);
    }
    pipeline_depth_trial_begin(&trial, 3, 1, 3);
    ck_assert(trial.is_over);
}
END_TEST

/* Which thread runs which token: for the first forty after a change three slots seem as fast as four. */
START_TEST(one_slot_less_is_tried_for_long_enough_to_show_what_it_takes)
{
    struct pipeline_depth_trial trial;
    uint32_t in_turn = 0, before = 4;
    uint64_t now = 1, cost = 0;

    pipeline_depth_trial_begin(&trial, 4, 1, 3);
    for (uint32_t slots = 4; !trial.is_over;) {
        in_turn         = slots == before ? in_turn + 1 : 0;
        before          = slots;
        uint64_t longer = slots == 3 && in_turn >= 40 ? 4 : 0;
        now += (36 + longer) * US;
        cost += longer * US;
        slots = pipeline_depth_trial_next(&trial, now);
    }
    ck_assert_uint_eq(trial.slots[trial.way], 4);
    ck_assert_uint_le(cost, UINT64_C(64) * 36 * US);
}
END_TEST

/* Six slots on two devices: six, four, two or one in use. */
START_TEST(one_slot_for_several_devices_stays_only_where_it_is_much_faster)
{
    struct pipeline_depth_trial trial;

    pass_on(&trial, 6, 2, &(struct times){.all = 1000 * US, .two = 1000 * US, .one = 900 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 2);
    pass_on(&trial, 6, 2, &(struct times){.all = 1000 * US, .two = 990 * US, .one = 700 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    pass_on(&trial, 6, 2, &(struct times){.all = 1000 * US, .two = 990 * US, .one = 300 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1); /* all others are left out at once */
    pass_on(&trial, 6, 2, &(struct times){.all = 1000 * US, .two = 990 * US, .one = 1900 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 2);
    pass_on(&trial, 6, 2, &(struct times){.all = 1000 * US, .two = 1100 * US, .one = 900 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 4);
}
END_TEST

START_TEST(what_was_found_stays_where_runs_become_too_short_to_confirm_it)
{
    struct pipeline_depth_trial trial;

    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 900 * US, .one = 500 * US}, UINT32_MAX);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    uint64_t ns = trial.ns[trial.way];
    for (int is_far = 0; is_far < 2; is_far++) {
        trial.is_far = is_far;
        pipeline_depth_trial_again(&trial, 3);
        ck_assert(!trial.is_over);
        for (uint32_t runs = 0; !trial.is_over; runs++) {
            ck_assert_uint_lt(runs, 1000);
            pipeline_depth_trial_interrupt(&trial);
            pipeline_depth_trial_next(&trial, 1 + runs);
        }
        ck_assert_uint_eq(trial.slots[trial.way], 1);
        ck_assert_uint_eq(trial.ns[trial.way], ns);
        ck_assert_uint_eq(trial.last, 1);
    }
}
END_TEST

START_TEST(several_devices_have_as_many_slots_each)
{
    static const struct {
        uint32_t depth, devices, ways, slots[PIPELINE_DEPTH_WAYS];
    } cases[] = {{6, 2, 4, {6, 4, 2, 1}}, {4, 2, 3, {4, 2, 1}}, {2, 2, 2, {2, 1}}, {12, 4, 4, {12, 8, 4, 1}}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pipeline_depth_trial trial;
        pipeline_depth_trial_begin(&trial, cases[i].depth, cases[i].devices, 1);
        ck_assert_uint_eq(trial.ways, cases[i].ways);
        for (uint32_t way = 0; way < trial.ways; way++)
            ck_assert_uint_eq(trial.slots[way], cases[i].slots[way]);
        ck_assert_int_eq(trial.is_over, cases[i].ways == 1);
    }
}
END_TEST

START_TEST(one_slot_is_no_trial)
{
    struct pipeline_depth_trial trial;

    pipeline_depth_trial_begin(&trial, 1, 1, 1);
    ck_assert(trial.is_over);
    ck_assert_uint_eq(pipeline_depth_trial_next(&trial, 5), 1);
}
END_TEST

START_TEST(runs_of_a_short_turn_are_enough_and_shorter_ones_end_the_trial)
{
    struct pipeline_depth_trial trial;

    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 950 * US, .one = 600 * US}, 9);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    pass(&trial, 3, &(struct times){.all = 1000 * US, .two = 950 * US, .one = 600 * US}, 8);
    ck_assert_uint_eq(trial.slots[trial.way], 3);
}
END_TEST

START_TEST(after_four_runs_too_short_for_a_long_turn_the_short_ones_decide)
{
    const struct times times = {.all = 1000 * US, .two = 900 * US, .one = 800 * US};
    struct pipeline_depth_trial trial;

    /* Six runs of a short turn each, and four until the first long turn is given up; the next one notices. */
    ck_assert_uint_eq(pass(&trial, 3, &times, 9), (6 + 4) * 9 + 1);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    /* Runs of the longest turn: none is too short. */
    pass(&trial, 3, &(struct times){.all = 820 * US, .two = 810 * US, .one = 800 * US}, 24);
    ck_assert_uint_eq(trial.slots[trial.way], 1);
    ck_assert_uint_eq(trial.round, PIPELINE_DEPTH_ROUNDS);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("trials of numbers of slots");
    TCase *trials = tcase_create("slots");
    tcase_add_test(trials, the_number_of_slots_that_is_fastest_stays);
    tcase_add_test(trials, the_fewest_slots_of_those_that_are_as_fast_stay);
    tcase_add_test(trials, memory_that_was_not_in_use_and_is_cold_at_first_decides_nothing);
    tcase_add_test(trials, slots_whose_tokens_end_in_bursts_seem_no_faster);
    tcase_add_test(trials, a_turn_in_which_the_machine_is_faster_or_slower_decides_nothing);
    tcase_add_test(trials, the_best_is_at_most_two_per_cent_faster_than_what_stays);
    tcase_add_test(trials, the_trial_costs_at_most_the_time_of_64_tokens);
    tcase_add_test(trials, far_numbers_of_slots_are_left_out_after_the_short_rounds_and_each_long_one);
    tcase_add_test(trials, a_number_of_slots_that_was_disturbed_once_gets_another_chance);
    tcase_add_test(trials, short_tokens_are_compared_in_stretches_that_the_clock_can_tell_apart);
    tcase_add_test(trials, a_choice_whose_tokens_go_on_to_take_longer_is_doubted_and_made_again);
    tcase_add_test(trials, a_choice_that_was_right_only_for_a_time_is_made_again);
    tcase_add_test(trials, a_trial_is_confirmed_once_unless_all_others_were_far);
    tcase_add_test(trials, the_trial_and_its_confirmation_cost_at_most_the_time_of_64_tokens);
    tcase_add_test(trials, tokens_that_take_somewhat_longer_or_longer_now_and_then_raise_no_doubt);
    tcase_add_test(trials, the_time_between_two_runs_raises_no_doubt);
    tcase_add_test(trials, doubts_become_rare_where_another_trial_does_not_help);
    tcase_add_test(trials, a_trial_that_knows_no_times_is_not_watched);
    tcase_add_test(trials, all_slots_and_one_less_may_be_tried_alone);
    tcase_add_test(trials, one_slot_less_is_tried_for_long_enough_to_show_what_it_takes);
    tcase_add_test(trials, one_slot_is_no_trial);
    tcase_add_test(trials, one_slot_for_several_devices_stays_only_where_it_is_much_faster);
    tcase_add_test(trials, what_was_found_stays_where_runs_become_too_short_to_confirm_it);
    tcase_add_test(trials, several_devices_have_as_many_slots_each);
    tcase_add_test(trials, runs_of_a_short_turn_are_enough_and_shorter_ones_end_the_trial);
    tcase_add_test(trials, after_four_runs_too_short_for_a_long_turn_the_short_ones_decide);
    suite_add_tcase(suite, trials);
    return suite;
}

UNIT_SUITE(make_suite)
