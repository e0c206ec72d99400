/* Tests of when the tokens of resident streams are submitted, and which of them together. The fake driver
 * runs submitted work when a test says so.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/resident/line.h"

#include <sched.h>

#include "tests/unit/backends/vulkan/driver.h"
#include "tests/unit/runner.h"

#define STREAMS 40u
#define COMMAND ((VkCommandBuffer)(uintptr_t)2)

static struct {
    struct vulkan_resident streams[STREAMS];
    uint32_t count;   /* of streams that have joined */
    const char *wait; /* the setting */
} the;

/* ---- the device ------------------------------------------------------------------------------------ */

static int32_t get_setting(void *context, const char *name, char *buffer, uint64_t capacity, uint64_t *needed)
{
    (void)context;
    ck_assert_str_eq(name, "vulkan.resident.wait");
    *needed = (uint64_t)snprintf(buffer, capacity, "%s", the.wait);
    return TRM_OK;
}

static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer command, VkPipelineStageFlags before,
                                          VkPipelineStageFlags behind, VkDependencyFlags flags,
                                          uint32_t memory_count, const VkMemoryBarrier *memory,
                                          uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                          uint32_t image_count, const VkImageMemoryBarrier *images)
{
    (void)command, (void)before, (void)behind, (void)flags, (void)memory, (void)buffers, (void)images;
    ck_assert_uint_eq(memory_count + buffer_count + image_count, 1);
}

static void setup(void)
{
    driver_setup();
    driver.host.get_setting               = get_setting;
    driver.physical.unified               = true;
    driver.device.vk.vkCmdPipelineBarrier = barrier;
    pthread_mutex_init(&driver.device.lazy_lock, NULL);
    memset(&the, 0, sizeof(the));
    the.wait = "60000000"; /* no test takes so long */
}

static void join(uint32_t count)
{
    for (; the.count < count; the.count++)
        ck_assert_int_eq(vulkan_line_join(&driver.device, &the.streams[the.count]), TRM_OK);
}

static void run_everything(void)
{
    while (driver_run(0, DRIVER_BATCHES) != 0)
        ;
}

static void teardown(void)
{
    run_everything();
    while (the.count != 0)
        vulkan_line_leave(&the.streams[--the.count]);
    ck_assert_ptr_null(driver.device.line);
    driver_teardown();
}

static int32_t submit(uint32_t stream, uint64_t token)
{
    return vulkan_line_submit(&the.streams[stream], token, NULL, COMMAND, true);
}

static uint64_t completed(uint32_t stream)
{
    uint64_t value = 0;
    ck_assert_int_eq(vulkan_line_query(&the.streams[stream], &value), TRM_OK);
    return value;
}

static uint32_t commands_of(uint32_t turn)
{
    return driver.queues[0].batches[turn - 1].commands;
}

/* Submits tokens of streams from `first` on; as many turns are on the device afterwards. */
static void submit_some(uint32_t first, uint32_t count, uint32_t turns)
{
    for (uint32_t i = first; i < first + count; i++)
        ck_assert_int_eq(submit(i, 1), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), turns);
}

/* ---- when ------------------------------------------------------------------------------------------ */

START_TEST(a_token_goes_at_once_while_nothing_is_on_the_device)
{
    join(8);
    submit_some(0, 1, 1);
    ck_assert_uint_eq(completed(0), 0);
    run_everything();
    ck_assert_uint_eq(completed(0), 1);
    submit_some(1, 1, 2);
}
END_TEST

START_TEST(tokens_wait_behind_a_turn_until_they_are_half_of_the_streams)
{
    join(8);
    submit_some(0, 1, 1);
    submit_some(1, 3, 1);
    submit_some(4, 1, 2);
    ck_assert_uint_eq(commands_of(1), 1);
    ck_assert_uint_eq(commands_of(2), 4);
}
END_TEST

START_TEST(tokens_of_one_or_two_streams_wait_for_no_other)
{
    join(2);
    submit_some(0, 1, 1);
    submit_some(1, 1, 2);
}
END_TEST

START_TEST(a_look_at_a_token_submits_what_waits)
{
    join(8);
    submit_some(0, 3, 1);
    ck_assert_uint_eq(completed(0), 0);
    ck_assert_uint_eq(driver_submitted(0), 2);
    ck_assert_uint_eq(commands_of(2), 2);
}
END_TEST

START_TEST(a_look_at_a_token_that_is_known_to_have_ended_submits_nothing)
{
    join(8);
    submit_some(0, 1, 1);
    run_everything();
    ck_assert_uint_eq(completed(0), 1);
    submit_some(1, 2, 2);
    ck_assert_uint_eq(completed(0), 1);
    ck_assert_uint_eq(driver_submitted(0), 2);
}
END_TEST

START_TEST(two_turns_are_on_the_device_and_no_more)
{
    join(8);
    submit_some(0, 5, 2);
    submit_some(5, 3, 2);
    ck_assert_uint_eq(completed(7), 0);
    ck_assert_uint_eq(driver_submitted(0), 2);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_uint_eq(completed(7), 0);
    ck_assert_uint_eq(driver_submitted(0), 3);
    run_everything();
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_uint_eq(completed(i), 1);
}
END_TEST

START_TEST(a_turn_takes_sixteen_tokens)
{
    join(STREAMS);
    submit_some(0, 1, 1);
    submit_some(1, VULKAN_TURN_MOST, 2);
    submit_some(17, STREAMS - 17, 2);
    run_everything();
    ck_assert_uint_eq(completed(0), 1);
    ck_assert_uint_eq(driver_submitted(0), 4);
    ck_assert_uint_eq(commands_of(2), VULKAN_TURN_MOST);
    ck_assert_uint_eq(commands_of(3), VULKAN_TURN_MOST);
    ck_assert_uint_eq(commands_of(4), STREAMS - 17 - VULKAN_TURN_MOST);
}
END_TEST

START_TEST(a_turn_begins_with_a_barrier)
{
    join(8);
    ck_assert_int_eq(vulkan_line_submit(&the.streams[0], 1, NULL, COMMAND, false), TRM_OK);
    submit_some(1, 4, 2);
    ck_assert_uint_eq(commands_of(1), 2);
    ck_assert_uint_eq(commands_of(2), 4);
}
END_TEST

START_TEST(two_tokens_of_a_stream_go_in_two_turns)
{
    join(8);
    ck_assert_int_eq(submit(0, 1), TRM_OK);
    ck_assert_int_eq(submit(0, 2), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 1);
    ck_assert_int_eq(submit(0, 3), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 2);
    ck_assert_uint_eq(completed(0), 0);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_uint_eq(completed(0), 1);
    ck_assert_uint_eq(driver_submitted(0), 3);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_uint_eq(completed(0), 2);
    run_everything();
    ck_assert_uint_eq(completed(0), 3);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------------- */

static void *wait_for_first(void *data)
{
    *(int32_t *)data = vulkan_line_wait(&the.streams[0], 1, TRM_FOREVER);
    return NULL;
}

static void until_a_thread_sleeps(void)
{
    struct vulkan_line *line = driver.device.line;
    uint32_t sleepers        = 0;
    while (sleepers == 0) {
        trm_util_lock_acquire(&line->lock);
        sleepers = line->sleepers;
        trm_util_lock_release(&line->lock);
        sched_yield();
    }
}

START_TEST(a_token_goes_at_once_while_a_thread_sleeps_for_another_one)
{
    int32_t status = TRM_ERROR_INTERNAL;
    pthread_t thread;
    join(8);
    submit_some(0, 1, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_first, &status), 0);
    until_a_thread_sleeps();
    submit_some(1, 1, 2);
    run_everything();
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(status, TRM_OK);
}
END_TEST

START_TEST(a_thread_that_wakes_submits_what_waits)
{
    int32_t status = TRM_ERROR_INTERNAL;
    pthread_t thread;
    join(8);
    submit_some(0, 5, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_first, &status), 0);
    until_a_thread_sleeps();
    submit_some(5, 2, 2);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(status, TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 3);
}
END_TEST

START_TEST(the_guard_submits_what_no_thread_waits_for)
{
    the.wait = "0";
    join(8);
    submit_some(0, 1, 1);
    ck_assert_int_eq(submit(1, 1), TRM_OK);
    while (driver_submitted(0) < 2)
        sched_yield();
    ck_assert_int_eq(submit(2, 1), TRM_OK);
    until_a_thread_sleeps(); /* the guard, for room on the device */
    ck_assert_uint_eq(driver_run(0, 1), 1);
    while (driver_submitted(0) < 3)
        sched_yield();
}
END_TEST

START_TEST(a_wait_ends_at_its_deadline)
{
    join(8);
    submit_some(0, 1, 1);
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 1, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 1, 1000), TRM_ERROR_TIMEOUT);
    run_everything();
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 1, 0), TRM_OK);
}
END_TEST

/* ---- ends ------------------------------------------------------------------------------------------ */

START_TEST(a_turn_that_cannot_be_submitted_fails_its_streams_and_no_other)
{
    join(8);
    ck_assert_int_eq(submit(0, 1), TRM_OK);
    ck_assert_int_eq(submit(1, 1), TRM_OK);
    driver_arm("vkQueueSubmit", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_uint_eq(completed(0), 0);
    ck_assert_int_eq(vulkan_line_wait(&the.streams[1], 1, TRM_FOREVER), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_nonnull(strstr(driver.sentence, "vkQueueSubmit failed: VK_ERROR_OUT_OF_DEVICE_MEMORY"));
    ck_assert_int_eq(submit(1, 2), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    run_everything();
    ck_assert_uint_eq(completed(0), 1);
    ck_assert_int_eq(submit(0, 2), TRM_OK);
}
END_TEST

START_TEST(tokens_on_the_device_end_before_a_failure_shows)
{
    join(8);
    ck_assert_int_eq(submit(0, 1), TRM_OK);
    ck_assert_int_eq(submit(0, 2), TRM_OK);
    driver_arm("vkQueueSubmit", 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_uint_eq(completed(0), 0);
    run_everything();
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 1, TRM_FOREVER), TRM_OK);
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 2, TRM_FOREVER), TRM_ERROR_OUT_OF_HOST_MEMORY);
}
END_TEST

START_TEST(a_stream_that_leaves_takes_its_token_along)
{
    join(8);
    submit_some(0, 1, 1);
    submit_some(6, 2, 1);
    vulkan_line_leave(&the.streams[7]);
    the.count = 7;
    ck_assert_uint_eq(completed(6), 0);
    ck_assert_uint_eq(driver_submitted(0), 2);
    ck_assert_uint_eq(commands_of(2), 1);
}
END_TEST

START_TEST(a_lost_device_is_reported_to_all)
{
    join(8);
    submit_some(0, 1, 1);
    driver_arm("vkGetSemaphoreCounterValue", 1, VK_ERROR_DEVICE_LOST);
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(submit(1, 1), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(vulkan_line_wait(&the.streams[0], 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
}
END_TEST

START_TEST(the_line_is_gone_where_one_of_its_parts_cannot_be_made)
{
    static const char *const functions[] = {"vkCreateSemaphore", "vkCreateCommandPool",
                                            "vkAllocateCommandBuffers", "vkBeginCommandBuffer",
                                            "vkEndCommandBuffer"};
    driver_arm(functions[_i], 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(vulkan_line_join(&driver.device, &the.streams[0]), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_null(driver.device.line);
    join(1);
    submit_some(0, 1, 1);
}
END_TEST

static Suite *resident_line_suite(void)
{
    Suite *suite = suite_create("resident streams of the vulkan backend");
    TCase *tests = tcase_create("the line");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_token_goes_at_once_while_nothing_is_on_the_device);
    tcase_add_test(tests, tokens_wait_behind_a_turn_until_they_are_half_of_the_streams);
    tcase_add_test(tests, tokens_of_one_or_two_streams_wait_for_no_other);
    tcase_add_test(tests, a_look_at_a_token_submits_what_waits);
    tcase_add_test(tests, a_look_at_a_token_that_is_known_to_have_ended_submits_nothing);
    tcase_add_test(tests, two_turns_are_on_the_device_and_no_more);
    tcase_add_test(tests, a_turn_takes_sixteen_tokens);
    tcase_add_test(tests, a_turn_begins_with_a_barrier);
    tcase_add_test(tests, two_tokens_of_a_stream_go_in_two_turns);
    tcase_add_test(tests, a_token_goes_at_once_while_a_thread_sleeps_for_another_one);
    tcase_add_test(tests, a_thread_that_wakes_submits_what_waits);
    tcase_add_test(tests, the_guard_submits_what_no_thread_waits_for);
    tcase_add_test(tests, a_wait_ends_at_its_deadline);
    tcase_add_test(tests, a_turn_that_cannot_be_submitted_fails_its_streams_and_no_other);
    tcase_add_test(tests, tokens_on_the_device_end_before_a_failure_shows);
    tcase_add_test(tests, a_stream_that_leaves_takes_its_token_along);
    tcase_add_test(tests, a_lost_device_is_reported_to_all);
    tcase_add_loop_test(tests, the_line_is_gone_where_one_of_its_parts_cannot_be_made, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(resident_line_suite)
