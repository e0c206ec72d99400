/* Which of several devices gets a token.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"
#include "tests/check.h"
#include "tests/unit/log_lines.h"
#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define DEVICES 2

/* Tokens in time until others stay on one device, and until they do again. */
#define IN_TIME 128
#define REST 256

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
    front.member_count = DEVICES;
    front.queue        = &queue;
    pipeline_members_forget_stay(&front);
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

/* The first of two devices has the only token, and the source waits for it. */
static void wait_for_the_first(void)
{
    make_devices(20);
    queue.choices                       = 1;
    queue.members[0].step               = queue.members[0].ahead;
    queue.members[0].free.first         = NULL;
    queue.slots_in[PIPELINE_SLOT_FREE]  = 1;
    queue.slots_in[PIPELINE_SLOT_ENDED] = 1;
    slots[0].place                      = PIPELINE_PLACE(PIPELINE_SLOT_ENDED, 0);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), PIPELINE_MEMBERS_MOST);
}

/* The program may keep the token for as long as it wants another one beside it. */
START_TEST(a_source_that_waits_for_a_device_is_woken_when_the_program_gets_the_last_token)
{
    wait_for_the_first();
    uint32_t wakes = queue.wakes;
    pipeline_queue_move(&slots[0], PIPELINE_SLOT_OUT);
    ck_assert_uint_gt(queue.wakes, wakes);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), 1);
}
END_TEST

START_TEST(a_source_that_waits_for_a_device_is_left_alone_while_the_sink_has_its_token)
{
    wait_for_the_first();
    uint32_t wakes = queue.wakes;
    pipeline_queue_move(&slots[0], PIPELINE_SLOT_SINK);
    ck_assert_uint_eq(queue.wakes, wakes);
    ck_assert_uint_eq(pipeline_members_choose(&front, true), PIPELINE_MEMBERS_MOST);
}
END_TEST

/* ---- staying on one device ------------------------------------------------------------------ */

/* Two devices that take so many nanoseconds for a token; each has free slots, and a token is in flight. */
static void make_pair(uint64_t first, uint64_t second)
{
    make_devices(20);
    queue.choices                           = 1;
    queue.depth                             = 6;
    queue.slots_in[PIPELINE_SLOT_FREE]      = 5;
    queue.slots_in[PIPELINE_SLOT_SUBMITTED] = 1;
    for (uint32_t i = 0; i < DEVICES; i++)
        queue.members[i].ahead = queue.members[i].step = i == 0 ? first : second;
    pipeline_member_take(&queue.members[0]);
}

/* So many tokens had ended when the thread of the run came to wait for them. */
static void end_in_time(uint32_t tokens)
{
    for (uint32_t i = 0; i < tokens; i++)
        pipeline_members_note_wait(&front, true);
}

/* A choice for a source. */
static uint32_t choose(void)
{
    return pipeline_members_choose(&front, true);
}

/* The thread had to wait for so many. */
static void end_late(uint32_t tokens)
{
    for (uint32_t i = 0; i < tokens; i++)
        pipeline_members_note_wait(&front, false);
}

/* Tokens stay on the first device. */
static void make_stay(void)
{
    make_pair(1000, 1000);
    end_in_time(IN_TIME);
    choose();
    ck_assert_uint_eq(choose(), 0);
}

START_TEST(tokens_stay_on_one_device_where_all_end_in_time)
{
    make_pair(1000, 1000);
    end_in_time(IN_TIME - 1);
    choose();
    ck_assert_uint_eq(choose(), 1);
    end_in_time(1);
    choose();
    ck_assert_uint_eq(choose(), 0);
    pipeline_member_take(&queue.members[0]);
    ck_assert_uint_eq(choose(), 0);
    queue.members[0].free.first = NULL;
    ck_assert_uint_eq(choose(), PIPELINE_MEMBERS_MOST);
}
END_TEST

START_TEST(tokens_stay_on_the_device_that_takes_the_shortest_time_for_one)
{
    make_pair(3000, 1000);
    for (uint32_t i = 0; i < 3; i++)
        pipeline_member_take(&queue.members[1]); /* the first one would end the next token sooner */
    pipeline_member_free(&queue.members[0]);
    end_in_time(IN_TIME);
    choose();
    ck_assert_uint_eq(choose(), 1);
}
END_TEST

START_TEST(tokens_no_longer_stay_where_several_are_waited_for)
{
    make_stay();
    end_late(3);
    ck_assert_uint_eq(choose(), 0);
    end_late(1);
    ck_assert_uint_eq(choose(), 1);
}
END_TEST

START_TEST(tokens_stay_where_few_are_waited_for)
{
    make_stay();
    for (uint32_t i = 0; i < 100; i++) {
        end_late(1);
        end_in_time(40);
    }
    ck_assert_uint_eq(choose(), 0);
}
END_TEST

START_TEST(one_of_several_devices_that_does_not_keep_up_is_not_asked_again_soon)
{
    make_stay();
    for (uint32_t rest = REST; rest <= 4 * REST; rest *= 2) { /* twice as late each time */
        end_late(4);
        end_in_time(rest - 1);
        choose();
        ck_assert_uint_eq(choose(), 1);
        end_in_time(1);
        choose();
        ck_assert_uint_eq(choose(), 0);
    }
    end_in_time(10 * REST); /* it kept up for long */
    end_late(4);
    end_in_time(REST);
    choose();
    ck_assert_uint_eq(choose(), 0);
}
END_TEST

START_TEST(each_run_learns_anew_whether_tokens_may_stay)
{
    make_stay();
    end_late(4);
    pipeline_members_forget_stay(&front);
    ck_assert_uint_eq(choose(), 1);
    end_in_time(IN_TIME);
    choose();
    ck_assert_uint_eq(choose(), 0);
}
END_TEST

START_TEST(tokens_that_a_program_acquires_stay_on_no_device)
{
    make_stay();
    ck_assert_uint_eq(pipeline_members_choose(&front, false), 1);
}
END_TEST

START_TEST(tokens_do_not_stay_on_a_device_that_is_lost)
{
    make_stay();
    queue.members[0].is_lost = true;
    ck_assert_uint_eq(choose(), 1);
}
END_TEST

START_TEST(tokens_do_not_stay_before_all_devices_are_known)
{
    make_pair(1000, 1000);
    queue.members[1].is_known = false;
    queue.members[1].in_use   = 1;
    end_in_time(IN_TIME);
    choose();
    queue.members[1].is_known = true;
    ck_assert_uint_eq(choose(), 1);
}
END_TEST

START_TEST(tokens_do_not_stay_while_a_device_that_is_not_known_has_no_free_slot)
{
    make_pair(1000, 1000);
    struct pipeline_slot *free  = queue.members[1].free.first;
    queue.members[1].is_known   = false;
    queue.members[1].free.first = NULL;
    end_in_time(IN_TIME);
    choose();
    queue.members[1].is_known   = true;
    queue.members[1].free.first = free;
    ck_assert_uint_eq(choose(), 1);
}
END_TEST

/* ---- what the log is told ------------------------------------------------------------------- */

static struct core_device devices[DEVICES];

static const char *id_of(const struct core_object *object)
{
    return ((const struct core_device *)object)->id;
}

static const struct core_object_ops device_ops = {.type = CORE_DEVICE, .name = "device", .device_id = id_of};

/* Two devices of a context whose log is a file. */
static struct trm_context *make_logging(void)
{
    const struct trm_context_desc desc = {.struct_size = sizeof(desc),
                                          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG};
    struct trm_context *logging;
    ck_assert_int_eq(trm_context_create(&desc, &logging), TRM_OK);
    for (uint32_t i = 0; i < DEVICES; i++) {
        devices[i].object.ops     = &device_ops;
        devices[i].object.context = core_context_find(logging);
        snprintf(devices[i].id, sizeof(devices[i].id), "fake:%u", i);
        engines[i].device = &devices[i];
    }
    snprintf(front.name, sizeof(front.name), "p");
    base_biased_lock_init(&front.lock);
    log_lines_begin(core_context_find(logging));
    return logging;
}

/* Tells what is new, and counts the lines of that device with these words. */
static uint32_t tell(uint32_t device, const char *words)
{
    char object[48];
    snprintf(object, sizeof(object), "device fake:%u: pipeline \"p\": ", device);
    base_biased_lock_acquire(&front.lock);
    pipeline_members_tell(&front);
    base_biased_lock_release(&front.lock);
    return log_lines_count("info", "queue", object, words);
}

START_TEST(the_log_tells_when_the_other_devices_are_left_out_and_when_they_are_not_any_more)
{
    make_stay();
    struct trm_context *logging = make_logging();
    ck_assert_uint_eq(tell(0, "the others are left out"), 1);
    ck_assert_uint_eq(tell(0, "the others are left out"), 1); /* once */
    end_late(3);
    ck_assert_uint_eq(tell(0, "tokens go to the other devices too"), 0);
    end_late(1);
    ck_assert_uint_eq(tell(0, "tokens go to the other devices too"), 1);
    trm_context_destroy(logging);
}
END_TEST

START_TEST(the_log_tells_that_a_device_was_left_out_when_it_is_measured_again)
{
    make_devices(20);
    struct trm_context *logging = make_logging();
    ck_assert_uint_eq(choose_after(30), 0);
    ck_assert_uint_eq(tell(1, "the device was left out"), 0);
    ck_assert_uint_eq(choose_after(110), 1);
    ck_assert_uint_eq(tell(1, "the device was left out"), 1);
    trm_context_destroy(logging);
}
END_TEST

static struct record record;

/* So nothing is to be learned of its tokens: the thread only waits for them. */
START_TEST(a_run_on_one_device_does_not_ask_whether_a_token_has_ended)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.duration = MILLISECOND / 10;
    record_init(&record, 100);
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_function(record_take, &record);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_OK);
    ck_assert(record_is_complete(&record, 100, NO_TOKEN));
    ck_assert_uint_le(fake.polls, 10); /* unless a wait ended for another reason */
    ck_assert_uint_eq(fake.pipeline->queue->stay.lasted, 0);
    fake_destroy();
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
    tcase_add_test(group, a_source_that_waits_for_a_device_is_woken_when_the_program_gets_the_last_token);
    tcase_add_test(group, a_source_that_waits_for_a_device_is_left_alone_while_the_sink_has_its_token);
    TCase *times = tcase_create("what tokens teach");
    tcase_add_test(times, a_device_that_was_disturbed_comes_back_although_its_next_token_finds_cold_memory);
    tcase_add_test(times, a_device_that_stays_slow_gets_one_token_now_and_then);
    tcase_add_test(times, a_device_whose_first_tokens_took_long_gets_a_few_more);
    TCase *staying = tcase_create("staying on one device");
    tcase_add_test(staying, tokens_stay_on_one_device_where_all_end_in_time);
    tcase_add_test(staying, tokens_stay_on_the_device_that_takes_the_shortest_time_for_one);
    tcase_add_test(staying, tokens_no_longer_stay_where_several_are_waited_for);
    tcase_add_test(staying, tokens_stay_where_few_are_waited_for);
    tcase_add_test(staying, one_of_several_devices_that_does_not_keep_up_is_not_asked_again_soon);
    tcase_add_test(staying, each_run_learns_anew_whether_tokens_may_stay);
    tcase_add_test(staying, tokens_that_a_program_acquires_stay_on_no_device);
    tcase_add_test(staying, tokens_do_not_stay_on_a_device_that_is_lost);
    tcase_add_test(staying, tokens_do_not_stay_before_all_devices_are_known);
    tcase_add_test(staying, tokens_do_not_stay_while_a_device_that_is_not_known_has_no_free_slot);
    tcase_add_test(staying, the_log_tells_when_the_other_devices_are_left_out_and_when_they_are_not_any_more);
    tcase_add_test(staying, the_log_tells_that_a_device_was_left_out_when_it_is_measured_again);
    tcase_add_test(staying, a_run_on_one_device_does_not_ask_whether_a_token_has_ended);
    suite_add_tcase(suite, group);
    suite_add_tcase(suite, staying);
    suite_add_tcase(suite, times);
    return suite;
}

UNIT_SUITE(suite)
