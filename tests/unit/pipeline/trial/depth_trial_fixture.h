/* A pipeline for trials of numbers of slots: its tokens take as long as the slots in use say, and end one
 * after the other.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_TRIAL_DEPTH_TRIAL_FIXTURE_H
#define TESTS_UNIT_PIPELINE_TRIAL_DEPTH_TRIAL_FIXTURE_H

#include "pipeline/trial/depth_trial.h"
#include "tests/check.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

struct times {
    uint64_t all, two, one;
};

static uint64_t time_with(const struct times *times, uint32_t slots)
{
    return slots == 1 ? times->one : slots == 2 ? times->two : times->all;
}

static struct pipeline_depth_trial trial;
static uint64_t now;
static uint64_t tokens;
static uint32_t left; /* until the trial wants to be told */
static uint32_t slots;
static uint64_t tick; /* of the clock, in nanoseconds */

static void open_on(uint32_t depth, uint32_t devices, uint32_t fewest)
{
    pipeline_depth_trial_begin(&trial, depth, devices, fewest);
    now    = 1;
    tokens = 0;
    left   = trial.rest;
    slots  = depth;
    tick   = 1;
}

static void open_three(void)
{
    open_on(3, 1, 1);
}

static void end_token(uint64_t ns)
{
    now += ns;
    tokens++;
    if (--left > 0)
        return;
    slots = pipeline_depth_trial_next(&trial, now / tick * tick);
    left  = trial.rest;
    ck_assert_uint_gt(left, 0);
}

static bool goes_on(void)
{
    return pipeline_depth_trial_goes_on(&trial);
}

static void begin_run(void)
{
    bool was_going_on = goes_on();

    pipeline_depth_trial_interrupt(&trial, left);
    if (was_going_on)
        left = trial.rest;
}

static uint32_t chosen(void)
{
    return trial.ways[trial.choice].slots;
}

static void end_tokens(const struct times *times, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        end_token(time_with(times, slots));
}

/* Until the first pause, in runs of so many tokens. */
static void try_in_runs(const struct times *times, uint32_t run)
{
    for (uint32_t in_run = 0; goes_on(); in_run++) {
        if (in_run == run) {
            in_run = 0;
            begin_run();
        }
        end_token(time_with(times, slots));
    }
}

static void try_once(const struct times *times)
{
    try_in_runs(times, UINT32_MAX);
}

static uint32_t choose_of(uint32_t depth, const struct times *times)
{
    open_on(depth, 1, 1);
    try_once(times);
    return chosen();
}

#endif
