/* Which of several devices gets a token.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"
#include "tests/check.h"
#include "tests/unit/runner.h"

#define DEVICES 2

static struct pipeline front, engines[DEVICES];
static struct pipeline_queue queue;
static struct pipeline_slot slots[DEVICES];

/* Two devices with a free slot each; the second one takes a thousand times as long. Times are parts of the
 * time since the machine was started, so that none of them passes during a test. */
static void make_devices(uint64_t samples)
{
    memset(&front, 0, sizeof(front));
    memset(&queue, 0, sizeof(queue));
    memset(engines, 0, sizeof(engines));
    front.member_count                 = DEVICES;
    front.queue                        = &queue;
    queue.depth                        = DEVICES;
    queue.slots_in[PIPELINE_SLOT_FREE] = DEVICES;
    for (uint32_t i = 0; i < DEVICES; i++) {
        queue.members[i].free.first       = &slots[i];
        queue.members[i].is_known         = true;
        queue.members[i].ahead            = i == 0 ? base_now() / 1000000 : base_now() / 1000;
        queue.members[i].estimate.samples = samples;
        queue.members[i].estimate.latency = (double)queue.members[i].ahead;
        engines[i].front                  = &front;
        engines[i].member                 = i;
        front.members[i]                  = &engines[i];
        slots[i].front                    = &front;
        slots[i].pipeline                 = &engines[i];
    }
}

/* How long the second device has had no token, by the time that it takes for one. */
static uint32_t choose_after(uint64_t tokens)
{
    queue.choices               = 0;
    queue.members[0].idle_since = base_now();
    queue.members[1].idle_since = base_now() - tokens * queue.members[1].ahead;
    return pipeline_members_choose(&front, false);
}

START_TEST(a_slow_device_gets_a_token_after_the_time_of_a_hundred)
{
    make_devices(20);
    ck_assert_uint_eq(choose_after(30), 0);
    ck_assert_uint_eq(choose_after(110), 1);
}
END_TEST

START_TEST(a_device_of_which_little_is_known_gets_one_sooner)
{
    make_devices(2);
    ck_assert_uint_eq(choose_after(5), 0);
    ck_assert_uint_eq(choose_after(30), 1);
}
END_TEST

START_TEST(where_no_slot_is_free_no_device_is_chosen)
{
    make_devices(20);
    queue.slots_in[PIPELINE_SLOT_FREE] = 0;
    ck_assert_uint_eq(choose_after(110), PIPELINE_MEMBERS_MOST);
}
END_TEST

START_TEST(a_source_waits_where_as_many_slots_of_all_devices_are_in_use_as_may_be)
{
    make_devices(20);
    queue.slots_in[PIPELINE_SLOT_FREE]      = 1;
    queue.slots_in[PIPELINE_SLOT_SUBMITTED] = 1;
    queue.slots_in_use                      = 1;
    ck_assert_uint_eq(pipeline_members_choose(&front, true), PIPELINE_MEMBERS_MOST);
    ck_assert_uint_eq(choose_after(30), 0); /* a program does not */
    queue.slots_in_use = 2;
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 0);
}
END_TEST

/* ---- what tokens teach ---------------------------------------------------------------------- */

/* The number of the device's next token. */
static uint64_t given[DEVICES];

static struct trm_context *context;

static void end_measures(void)
{
    for (uint32_t i = 0; i < DEVICES; i++)
        pipeline_measure_destroy(engines[i].measure);
    trm_context_destroy(context);
}

static void begin_measures(void)
{
    const struct trm_context_desc desc         = {.struct_size = sizeof(desc),
                                                  .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG};
    const struct pipeline_measure_desc measure = {.depth = PIPELINE_DEPTH_MOST};
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    for (uint32_t i = 0; i < DEVICES; i++)
        ck_assert_int_eq(pipeline_measure_create(core_context_find(context), &measure, &engines[i].measure),
                         TRM_OK);
}

/* The device ends a token that it had alone. */
static void learn(uint32_t device, uint64_t took)
{
    uint64_t end                      = 1000000 * (given[device] + 1);
    struct pipeline_token_times times = {.status = TRM_OK, .device = device};
    times.begin[TRM_STAGE_COMPUTE]    = end - took;
    times.end[TRM_STAGE_COMPUTE]      = end;
    slots[device].submitted_at        = end - took;
    queue.entries[0].number           = given[device]++;
    pipeline_members_learn(&slots[device], &times);
}

/* Both devices have had as many tokens as it takes to know them, and the first one has one now. */
static void make_known(uint64_t first, uint64_t second)
{
    make_devices(0);
    begin_measures();
    memset(given, 0, sizeof(given));
    for (uint32_t i = 0; i < 20; i++) {
        learn(0, first);
        learn(1, second);
    }
    queue.choices                           = 1;
    queue.slots_in[PIPELINE_SLOT_FREE]      = 1;
    queue.slots_in[PIPELINE_SLOT_SUBMITTED] = 1;
    queue.members[0].free.first             = NULL;
    pipeline_member_take(&queue.members[0]);
}

/* The second device has just been asked with another token. */
static void ask_again(uint64_t took)
{
    queue.choices               = 0;
    queue.members[1].idle_since = 1;
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 1);
    ck_assert_uint_eq(engines[1].anew, 1); /* is measured */
    pipeline_member_take(&queue.members[1]);
    pipeline_member_free(&queue.members[1]);
    learn(1, took);
    queue.choices = 1;
}

/* Its memory is cold after so long, so the token takes more than twice as long as one in a row does. */
START_TEST(a_device_that_was_disturbed_comes_back_although_its_next_token_finds_cold_memory)
{
    make_known(1700, 9000);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), PIPELINE_MEMBERS_MOST);
    ask_again(3900);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 1);
    learn(1, 2500);
    learn(1, 1700);
    for (uint32_t i = 0; i < 8; i++)
        learn(1, 1700);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 1);
    end_measures();
}
END_TEST

START_TEST(a_device_that_stays_slow_gets_one_token_now_and_then)
{
    make_known(1700, 9000);
    ask_again(9000);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), PIPELINE_MEMBERS_MOST);
    end_measures();
}
END_TEST

START_TEST(a_device_whose_first_tokens_took_long_gets_a_few_more)
{
    make_known(1700, 1700);
    queue.members[1].estimate = (struct pipeline_estimate){.samples = 0};
    learn(1, 9000);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 1);
    learn(1, 4000);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 1);
    for (uint32_t i = 0; i < 8; i++)
        learn(1, 4000);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), PIPELINE_MEMBERS_MOST);
    end_measures();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("members");
    TCase *group = tcase_create("the choice of a device");
    tcase_add_test(group, a_slow_device_gets_a_token_after_the_time_of_a_hundred);
    tcase_add_test(group, a_device_of_which_little_is_known_gets_one_sooner);
    tcase_add_test(group, where_no_slot_is_free_no_device_is_chosen);
    tcase_add_test(group, a_source_waits_where_as_many_slots_of_all_devices_are_in_use_as_may_be);
    TCase *times = tcase_create("what tokens teach");
    tcase_add_test(times, a_device_that_was_disturbed_comes_back_although_its_next_token_finds_cold_memory);
    tcase_add_test(times, a_device_that_stays_slow_gets_one_token_now_and_then);
    tcase_add_test(times, a_device_whose_first_tokens_took_long_gets_a_few_more);
    suite_add_tcase(suite, group);
    suite_add_tcase(suite, times);
    return suite;
}

UNIT_SUITE(suite)
