/* Tests of how waits for streams end: notifications, failures, loss of the device. The fake driver runs
 * submitted work when a test says so.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/vulkan/stream_fixture.h"

#include "tests/unit/runner.h"

/* ---- notifications --------------------------------------------------------------------------------- */

START_TEST(notifications_come_when_their_numbers_do)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct told told[3]               = {{0}, {0}, {0}};
    for (uint64_t i = 1; i <= 3; i++) {
        ck_assert_int_eq(enqueue(stream, i), TRM_OK);
        ck_assert_int_eq(ops->mark(stream, i), TRM_OK);
    }
    ck_assert_int_eq(ops->notify(stream, 3, tell, &told[2]), TRM_OK);
    ck_assert_int_eq(ops->notify(stream, 1, tell, &told[0]), TRM_OK);
    ck_assert_int_eq(ops->notify(stream, 2, tell, &told[1]), TRM_OK);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(atomic_load(&told[i].count), 0);
        ck_assert_uint_eq(driver_run(0, 1), 1);
        ck_assert_int_eq(wait_until_told(&told[i]), TRM_OK);
    }
    ck_assert_int_eq(ops->notify(stream, 2, tell, &told[1]), TRM_OK);
    ck_assert_uint_eq(atomic_load(&told[1].count), 2);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(notifications_of_an_abandoned_stream_come_when_its_work_has_ended)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct told in_flight = {0}, deferred = {0};
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    ck_assert_int_eq(ops->mark(stream, 1), TRM_OK);
    ck_assert_int_eq(ops->gate(stream, 2), TRM_OK);
    ck_assert_int_eq(ops->notify(stream, 2, tell, &deferred), TRM_OK);
    ck_assert_int_eq(ops->notify(stream, 1, tell, &in_flight), TRM_OK);
    ops->abandon(stream, TRM_ERROR_CANCELLED);
    ck_assert_uint_eq(atomic_load(&deferred.count) + atomic_load(&in_flight.count), 0);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_int_eq(wait_until_told(&in_flight), TRM_OK);
    ck_assert_int_eq(wait_until_told(&deferred), TRM_ERROR_CANCELLED);
    ops->open_gates(stream, 2);
    ops->destroy(stream);
    ck_assert_uint_eq(driver_submitted(0), 1);
}
END_TEST

static void *open_later(void *argument)
{
    ops->open_gates(argument, 1);
    while (driver_run(0, DRIVER_BATCHES) == 0)
        sched_yield();
    return NULL;
}

START_TEST(waiting_for_any_finds_the_stream_that_is_complete)
{
    struct trm_backend_stream *streams[2] = {make_stream(TRM_STREAM_COMPUTE),
                                             make_stream(TRM_STREAM_COMPUTE)};
    const uint64_t values[2]              = {1, 2};
    uint32_t which                        = 7;
    pthread_t thread;
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_int_eq(ops->gate(streams[i], 1), TRM_OK);
        ck_assert_int_eq(enqueue(streams[i], 2), TRM_OK);
    }
    ck_assert_int_eq(ops->wait_any(streams, values, 2, 1000, &which), TRM_ERROR_TIMEOUT);
    ck_assert_uint_eq(which, 7);
    ck_assert_int_eq(pthread_create(&thread, NULL, open_later, streams[1]), 0);
    ck_assert_int_eq(ops->wait_any(streams, values, 2, UINT64_MAX, &which), TRM_OK);
    ck_assert_uint_eq(which, 1);
    pthread_join(thread, NULL);
    ops->open_gates(streams[0], 1);
    for (uint32_t i = 0; i < 2; i++)
        finish_and_destroy(streams[i]);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------------- */

START_TEST(a_failed_submission_breaks_the_stream_after_what_was_submitted)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    uint64_t value                    = 0;
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_int_eq(enqueue(stream, 2), TRM_OK);
    driver_arm("vkQueueSubmit", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(ops->flush(stream), TRM_OK); /* the first one is still running */
    ck_assert_int_eq(enqueue(stream, 3), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(ops->query(stream, &value), TRM_OK);
    run_everything();
    ck_assert_int_eq(ops->wait(stream, 2, UINT64_MAX), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_nonnull(strstr(driver.sentence, "VK_ERROR_OUT_OF_DEVICE_MEMORY"));
    ck_assert_int_eq(driver.native, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(ops->query(stream, &value), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_uint_eq(value, 1);
    /* Other devices may wait for it. */
    ck_assert_uint_eq(driver_semaphore(stream->timeline->semaphore)->counter, 2);
    ops->destroy(stream);
}
END_TEST

START_TEST(recording_that_fails_leaves_the_stream_as_it_was)
{
    static const char *const functions[] = {"vkCreateCommandPool", "vkAllocateCommandBuffers",
                                            "vkBeginCommandBuffer"};
    struct trm_backend_stream *stream    = make_stream(TRM_STREAM_COMPUTE);
    driver_arm(functions[_i], 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(enqueue(stream, 1), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    run_everything();
    ck_assert_int_eq(ops->wait(stream, 1, UINT64_MAX), TRM_OK);
    finish_and_destroy(stream);
}
END_TEST

START_TEST(commands_that_cannot_be_ended_break_the_stream)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    driver_arm("vkEndCommandBuffer", 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(ops->flush(stream), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(ops->wait(stream, 1, UINT64_MAX), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ops->destroy(stream);
    ck_assert_uint_eq(driver_submitted(0), 0);
}
END_TEST

START_TEST(a_wait_that_lacks_memory_is_repeated)
{
    static const char *const functions[] = {"vkWaitSemaphores", "vkGetSemaphoreCounterValue"};
    struct trm_backend_stream *stream    = make_stream(TRM_STREAM_COMPUTE);
    ck_assert_int_eq(enqueue(stream, 1), TRM_OK);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    driver_arm(functions[_i], 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(ops->wait(stream, 1, 3000000), TRM_ERROR_TIMEOUT);
    run_everything();
    ck_assert_int_eq(ops->wait(stream, 1, UINT64_MAX), TRM_OK);
    finish_and_destroy(stream);
}
END_TEST

static void *wait_for_first(void *argument)
{
    return (void *)(intptr_t)ops->wait(argument, 1, UINT64_MAX);
}

/* One thread sleeps for a gate, one notification is pending, one stream waits for another. */
START_TEST(the_loss_of_the_device_wakes_all_sleeping_threads)
{
    struct trm_backend_stream *gated = make_stream(TRM_STREAM_COMPUTE),
                              *other = make_stream(TRM_STREAM_COMPUTE),
                              *third = make_stream(TRM_STREAM_COMPUTE);
    struct told told                 = {0};
    void *statuses[2];
    pthread_t threads[2];
    ck_assert_int_eq(ops->gate(gated, 1), TRM_OK);
    ck_assert_int_eq(ops->wait_stream(other, 1, gated, 1), TRM_OK);
    ck_assert_int_eq(ops->notify(other, 1, tell, &told), TRM_OK);
    ck_assert_int_eq(pthread_create(&threads[0], NULL, wait_for_first, gated), 0);
    ck_assert_int_eq(pthread_create(&threads[1], NULL, wait_for_first, other), 0);
    ck_assert_int_eq(enqueue(third, 1), TRM_OK);
    driver_arm("vkQueueSubmit", 1, VK_ERROR_DEVICE_LOST);
    ck_assert_int_eq(ops->flush(third), TRM_ERROR_DEVICE_LOST);
    for (uint32_t i = 0; i < 2; i++) {
        pthread_join(threads[i], &statuses[i]);
        ck_assert_int_eq((intptr_t)statuses[i], TRM_ERROR_DEVICE_LOST);
    }
    ck_assert_int_eq(wait_until_told(&told), TRM_ERROR_DEVICE_LOST);
    ops->destroy(gated);
    ops->destroy(other);
    ops->destroy(third);
}
END_TEST

/* ---- external semaphores --------------------------------------------------------------------------- */

static struct vulkan_timeline *make_outside(void)
{
    struct vulkan_timeline *timeline = NULL;
    ck_assert_int_eq(vulkan_timeline_create(&driver.device, &timeline), TRM_OK);
    timeline->is_external = true;
    return timeline;
}

static void wait_outside(struct trm_backend_stream *stream, struct vulkan_timeline *timeline)
{
    vulkan_stream_lock(stream);
    ck_assert_int_eq(vulkan_stream_add_wait(stream, 1, timeline, 4), TRM_OK);
    vulkan_stream_unlock(stream);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_submitted(0), 0);
}

START_TEST(external_semaphores_are_waited_for_on_the_host)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct vulkan_timeline *timeline  = make_outside();
    VkSemaphoreSignalInfo info        = {.semaphore = timeline->semaphore, .value = 4};
    wait_outside(stream, timeline);
    driver_signal(VK_NULL_HANDLE, &info);
    while (driver_submitted(0) == 0)
        sched_yield();
    finish_and_destroy(stream);
    vulkan_timeline_release(timeline);
}
END_TEST

START_TEST(an_abandoned_stream_stops_waiting_for_an_external_semaphore)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct vulkan_timeline *timeline  = make_outside();
    wait_outside(stream, timeline);
    ops->abandon(stream, TRM_ERROR_CANCELLED);
    ck_assert_int_eq(ops->wait(stream, 1, UINT64_MAX), TRM_ERROR_CANCELLED);
    ops->destroy(stream);
    vulkan_timeline_release(timeline);
}
END_TEST

START_TEST(an_external_semaphore_is_signalled_before_the_streams_number)
{
    struct trm_backend_stream *stream = make_stream(TRM_STREAM_COMPUTE);
    struct vulkan_timeline *timeline  = make_outside();
    uint64_t completed                = 0;
    vulkan_stream_lock(stream);
    ck_assert_int_eq(vulkan_stream_add_signal(stream, 1, timeline, 4), TRM_OK);
    vulkan_stream_unlock(stream);
    ck_assert_int_eq(ops->flush(stream), TRM_OK);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_uint_eq(driver_semaphore(timeline->semaphore)->counter, 4);
    ck_assert_int_eq(ops->query(stream, &completed), TRM_OK);
    ck_assert_uint_eq(completed, 0);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    ck_assert_int_eq(ops->query(stream, &completed), TRM_OK);
    ck_assert_uint_eq(completed, 1);
    finish_and_destroy(stream);
    vulkan_timeline_release(timeline);
}
END_TEST

/* ---- the end of semaphores ------------------------------------------------------------------------- */

static void release_new_timelines(uint32_t count)
{
    struct vulkan_timeline *timeline;
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(vulkan_timeline_create(&driver.device, &timeline), TRM_OK);
        vulkan_timeline_release(timeline);
    }
}

/* A thread of the driver may use them until the queue has run what was submitted later. */
START_TEST(semaphores_are_destroyed_when_all_queues_have_passed_a_mark)
{
    release_new_timelines(VULKAN_RETIRED_MOST);
    ck_assert_uint_eq(driver.objects, VULKAN_RETIRED_MOST);
    release_new_timelines(1);
    ck_assert_uint_eq(driver_submitted(0), 1);
    ck_assert_uint_eq(driver_submitted(1), 1);
    ck_assert_uint_eq(driver_run(0, 1), 1);
    release_new_timelines(VULKAN_RETIRED_MOST);
    ck_assert_uint_eq(driver.objects, 2 * VULKAN_RETIRED_MOST + 1 + DRIVER_QUEUES);
    ck_assert_uint_eq(driver_run(1, 1), 1);
    release_new_timelines(1);
    ck_assert_uint_eq(driver.objects, VULKAN_RETIRED_MOST + 2 + DRIVER_QUEUES);
}
END_TEST

START_TEST(semaphores_stay_when_no_mark_can_be_submitted)
{
    release_new_timelines(VULKAN_RETIRED_MOST);
    driver_arm("vkQueueSubmit", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    release_new_timelines(1);
    ck_assert_uint_eq(driver_submitted(0), 0);
    ck_assert_uint_eq(driver.objects, VULKAN_RETIRED_MOST + 1 + 1);
    release_new_timelines(1);
    ck_assert_uint_eq(driver_submitted(0), 1);
    ck_assert_uint_eq(driver.objects, VULKAN_RETIRED_MOST + 2 + DRIVER_QUEUES);
}
END_TEST

static Suite *ends_suite(void)
{
    Suite *suite = suite_create("ends of streams of the vulkan backend");
    TCase *tests = tcase_create("streams");
    tcase_add_checked_fixture(tests, driver_setup, driver_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, notifications_come_when_their_numbers_do);
    tcase_add_test(tests, notifications_of_an_abandoned_stream_come_when_its_work_has_ended);
    tcase_add_test(tests, waiting_for_any_finds_the_stream_that_is_complete);
    tcase_add_test(tests, a_failed_submission_breaks_the_stream_after_what_was_submitted);
    tcase_add_loop_test(tests, recording_that_fails_leaves_the_stream_as_it_was, 0, 3);
    tcase_add_test(tests, commands_that_cannot_be_ended_break_the_stream);
    tcase_add_loop_test(tests, a_wait_that_lacks_memory_is_repeated, 0, 2);
    tcase_add_test(tests, the_loss_of_the_device_wakes_all_sleeping_threads);
    tcase_add_test(tests, external_semaphores_are_waited_for_on_the_host);
    tcase_add_test(tests, an_abandoned_stream_stops_waiting_for_an_external_semaphore);
    tcase_add_test(tests, an_external_semaphore_is_signalled_before_the_streams_number);
    tcase_add_test(tests, semaphores_are_destroyed_when_all_queues_have_passed_a_mark);
    tcase_add_test(tests, semaphores_stay_when_no_mark_can_be_submitted);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(ends_suite)
