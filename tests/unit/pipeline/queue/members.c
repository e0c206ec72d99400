/* Which of several devices gets a token.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"
#include "tests/check.h"
#include "tests/unit/runner.h"

#define DEVICES 2

static struct pipeline front;
static struct pipeline_queue queue;
static struct pipeline_slot slots[DEVICES];

/* Two devices with a free slot each; the second one takes a thousand times as long. Times are parts of the
 * time since the machine was started, so that none of them passes during a test. */
static void make_devices(uint64_t samples)
{
    memset(&front, 0, sizeof(front));
    memset(&queue, 0, sizeof(queue));
    front.member_count                 = DEVICES;
    front.queue                        = &queue;
    queue.depth                        = DEVICES;
    queue.slots_in[PIPELINE_SLOT_FREE] = DEVICES;
    for (uint32_t i = 0; i < DEVICES; i++) {
        queue.members[i].free.first       = &slots[i];
        queue.members[i].is_known         = true;
        queue.members[i].ahead            = i == 0 ? base_now() / 1000000 : base_now() / 1000;
        queue.members[i].estimate.samples = samples;
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

static Suite *suite(void)
{
    Suite *suite = suite_create("members");
    TCase *group = tcase_create("the choice of a device");
    tcase_add_test(group, a_slow_device_gets_a_token_after_the_time_of_a_hundred);
    tcase_add_test(group, a_device_of_which_little_is_known_gets_one_sooner);
    tcase_add_test(group, where_no_slot_is_free_no_device_is_chosen);
    tcase_add_test(group, a_source_waits_where_as_many_slots_of_all_devices_are_in_use_as_may_be);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(suite)
