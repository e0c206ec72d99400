/* Mixes of tasks on a made-up device, whose streams a pool chooses with predictions that are right or wrong:
 * how fast a strategy is beside round-robin.
 *
 * A choice reads the clock of the machine. So a nanosecond of the device is as long as SLOW of the machine,
 * and what the test itself takes is nothing.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "pipeline/pool/pool.h"
#include "tests/unit/runner.h"

#define STREAMS 8u
#define SLOW 1000000u
#define BURSTS 40u

/* Nanoseconds of the device: what the host takes for a submit, and the driver until a task begins. */
#define SUBMIT 1500u
#define LATENCY 4000u

static struct pipeline_stream_pool pool;
static struct core_stream streams[STREAMS];
static uint64_t ends[STREAMS];      /* when the work of the streams ends */
static uint64_t predicted[STREAMS]; /* and when it is presumed to */
static uint64_t now;                /* of the device */
static uint64_t spread;             /* of the times that are predicted */
static uint32_t tasks, in_turn;     /* that were submitted; on the stream that had the same task before */

/* A mix: so many tasks that are waited for together, and how long each one takes. */
struct mix {
    uint32_t tasks;
    uint64_t (*took)(uint32_t task);
};

/* Kernels that are bound by the latency of their arithmetic, whatever their size. */
static uint64_t took_alike(uint32_t task)
{
    (void)task;
    return 10000;
}

static uint64_t took_long_and_short(uint32_t task)
{
    return task % 8 == 0 ? 30000 : 8000;
}

static uint64_t took_two_kinds(uint32_t task)
{
    return task % 2 == 0 ? 20000 : 12000;
}

static const struct mix mixes[] = {{24, took_alike},
                                   {64, took_alike},
                                   {64, took_long_and_short},
                                   {24, took_long_and_short},
                                   {48, took_two_kinds}};

#define MIXES (sizeof(mixes) / sizeof(mixes[0]))

static void set_up(int32_t strategy)
{
    memset(&pool, 0, sizeof(pool));
    memset(streams, 0, sizeof(streams));
    memset(ends, 0, sizeof(ends));
    memset(predicted, 0, sizeof(predicted));
    tasks = in_turn = 0;
    pool.strategy   = strategy;
    pool.most       = STREAMS;
    pool.slot_count = STREAMS;
    for (uint32_t i = 0; i < STREAMS; i++) {
        pool.slots[i].state  = PIPELINE_POOL_SLOT_FREE;
        pool.slots[i].stream = &streams[i];
    }
}

static uint32_t choose(void)
{
    const struct pipeline_pool_request request = {.wants_idle = false};
    uint64_t machine                           = base_now();
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct pipeline_pool_slot *slot = &pool.slots[i];
        slot->unwatched                 = predicted[i] != 0;
        slot->predicted_end             = predicted[i] == 0    ? 0
                                          : predicted[i] < now ? machine - (now - predicted[i]) * SLOW
                                                               : machine + (predicted[i] - now) * SLOW;
        slot->spread                    = spread * SLOW;
        pipeline_pool_note_locked(&pool, slot);
    }
    struct pipeline_pool_choice choice = pipeline_pool_choose_locked(&pool, &request);
    ck_assert_int_eq(choice.step, PIPELINE_POOL_LEND);
    return choice.index;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* `part`: of the real times, those that are predicted. */
static void submit(uint64_t took, double part)
{
    uint32_t index = choose();
    in_turn += index == tasks++ % STREAMS;
    pool.slots[index].lent = tasks;
    now += SUBMIT;
    ends[index]      = later(ends[index], now + LATENCY) + took;
    predicted[index] = later(predicted[index], now) + (uint64_t)(part * (double)(LATENCY + took));
}

/* All streams are known to be idle after that. */
static void wait_for_all(void)
{
    for (uint32_t i = 0; i < STREAMS; i++)
        now = later(now, ends[i]);
    memset(predicted, 0, sizeof(predicted));
}

static uint64_t run(const struct mix *mix, int32_t strategy, double part)
{
    set_up(strategy);
    uint64_t begin = now = 1000000000;
    for (uint32_t burst = 0; burst < BURSTS; burst++) {
        for (uint32_t i = 0; i < mix->tasks; i++)
            submit(mix->took(i), part);
        wait_for_all();
    }
    return now - begin;
}

static double speed(const struct mix *mix, double part)
{
    double other = (double)run(mix, TRM_STREAM_ROUND_ROBIN, part);
    return other / (double)run(mix, TRM_STREAM_LEAST_LOADED, part);
}

/* TRM_STREAM_AUTO begins by least-loaded. A model whose samples are of tasks behind others lacks the latency
 * of a task on an idle stream; one of tasks in company is too long for a task alone. */
START_TEST(least_loaded_is_as_fast_as_round_robin_also_with_wrong_predictions)
{
    static const double parts[] = {0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3};
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        ck_assert_double_ge(speed(&mixes[_i], parts[i]), 0.98);
}
END_TEST

START_TEST(least_loaded_is_faster_where_tasks_differ_and_predictions_are_about_right)
{
    ck_assert_double_ge(speed(&mixes[2], 1), 1.5);
    ck_assert_double_ge(speed(&mixes[2], 0.8), 1.5);
    ck_assert_double_ge(speed(&mixes[4], 1), 1.1);
}
END_TEST

/* Bursts of a multiple of the number of streams. A driver that finds what a stream had before takes less time
 * for it. */
START_TEST(least_loaded_mostly_gives_streams_what_they_had_before_where_ends_are_not_known_exactly)
{
    static const double parts[] = {0.8, 1, 1.2};
    spread                      = 20000;
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        ck_assert_double_ge(speed(&mixes[_i], parts[i]), 0.98);
        run(&mixes[_i], TRM_STREAM_LEAST_LOADED, parts[i]);
        ck_assert_uint_ge(in_turn, tasks * 3 / 4);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool replay");
    TCase *tests = tcase_create("replay");

    tcase_add_loop_test(tests, least_loaded_is_as_fast_as_round_robin_also_with_wrong_predictions, 0,
                        (int)MIXES);
    tcase_add_loop_test(
        tests, least_loaded_mostly_gives_streams_what_they_had_before_where_ends_are_not_known_exactly, 0,
        (int)MIXES);
    tcase_add_test(tests, least_loaded_is_faster_where_tasks_differ_and_predictions_are_about_right);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
