/* Tests of the vulkan backend's queues: the plan for a device's families, and which stream gets which queue.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

#define GRAPHICS (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)
#define COMPUTE (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)
#define TRANSFER (VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT)
#define VIDEO (VK_QUEUE_TRANSFER_BIT | 0x20u) /* decoding */

static struct vulkan_queue_plan plan;
static VkResult answer; /* result of vkQueueSubmit */
static uint32_t submitted, locked, unlocked;

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
    (void)device;
    *queue = (VkQueue)(uintptr_t)(family * 100 + index + 1);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                             VkFence fence)
{
    (void)queue, (void)infos, (void)fence;
    submitted += count;
    return answer;
}

static void lock_outside(void *user, uint32_t family, uint32_t index)
{
    ck_assert_ptr_eq(user, &locked);
    ck_assert_uint_eq(family * 100 + index, 0);
    locked++;
}

static void unlock_outside(void *user, uint32_t family, uint32_t index)
{
    ck_assert_ptr_eq(user, &locked);
    ck_assert_uint_eq(family * 100 + index, 0);
    unlocked++;
}

static void set_up(void)
{
    fake_setup();
    memset(&plan, 0, sizeof(plan));
    answer    = VK_SUCCESS;
    submitted = locked = unlocked   = 0;
    fake.device.vk.vkGetDeviceQueue = get_queue;
    fake.device.vk.vkQueueSubmit    = submit;
    pthread_mutex_init(&fake.device.streams_lock, NULL);
}

static void tear_down(void)
{
    vulkan_queues_fini(&fake.device);
    pthread_mutex_destroy(&fake.device.streams_lock);
    fake_teardown();
}

static void family(VkQueueFlags flags, uint32_t count)
{
    fake.physical.families[fake.physical.family_count++] =
        (VkQueueFamilyProperties){.queueFlags = flags, .queueCount = count, .timestampValidBits = 64};
}

static void make_plan(void)
{
    vulkan_queues_plan(&fake.physical, &plan);
}

static void make_queues(void)
{
    make_plan();
    ck_assert_int_eq(vulkan_queues_init(&fake.device, &plan), TRM_OK);
}

static void planned(uint32_t place, uint32_t expected_family, uint32_t expected_count)
{
    ck_assert_uint_lt(place, plan.info_count);
    ck_assert_uint_eq(plan.infos[place].queueFamilyIndex, expected_family);
    ck_assert_uint_eq(plan.infos[place].queueCount, expected_count);
    for (uint32_t i = 0; i < expected_count; i++) {
        ck_assert(plan.infos[place].pQueuePriorities[i] >= 0.0f);
        ck_assert(plan.infos[place].pQueuePriorities[i] <= 1.0f);
    }
}

static struct vulkan_queue *take(int32_t role, int32_t priority)
{
    bool computes = fake.device.copies_by_kernel && !fake.device.copies_small_by_engine;
    return vulkan_queue_retain(vulkan_queue_choose(&fake.device, role, priority, computes));
}

/* ---- the plan */

START_TEST(one_family_with_one_queue_does_everything)
{
    family(GRAPHICS, 1);
    make_queues();
    ck_assert_uint_eq(plan.info_count, 1);
    planned(0, 0, 1);
    ck_assert_uint_eq(fake.device.queues.family_count, 1);
    struct vulkan_queue *queue = take(TRM_STREAM_UPLOAD, TRM_PRIORITY_HIGH);
    ck_assert_ptr_eq(take(TRM_STREAM_COMPUTE, TRM_PRIORITY_LOW), queue);
    ck_assert_ptr_eq(take(TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL), queue);
    ck_assert(queue->can_compute);
    ck_assert_int_eq(queue->priority, TRM_PRIORITY_NORMAL);
    ck_assert_uint_eq(queue->timestamp_bits, 64);
}
END_TEST

START_TEST(compute_without_graphics_and_copy_engines_are_preferred)
{
    family(GRAPHICS | VK_QUEUE_SPARSE_BINDING_BIT, 16);
    family(TRANSFER, 2);
    family(COMPUTE, 8);
    family(VIDEO, 1);
    make_queues();
    ck_assert_uint_eq(plan.info_count, 2);
    planned(0, 2, 8);
    planned(1, 1, 2);
    ck_assert_uint_eq(fake.device.queues.compute_count, 8);
    ck_assert_uint_eq(fake.device.queues.transfer_count, 2);
    ck_assert_uint_eq(fake.device.queues.family_count, 2);
    ck_assert_ptr_eq(fake.device.queues.transfer[1].handle, (VkQueue)(uintptr_t)102);
}
END_TEST

START_TEST(compute_shares_with_graphics_where_there_is_no_other)
{
    family(TRANSFER, 1);
    family(GRAPHICS, 2);
    make_plan();
    planned(0, 1, 2);
    planned(1, 0, 1);
}
END_TEST

START_TEST(queues_for_video_are_not_used_for_copies)
{
    family(GRAPHICS, 1);
    family(VIDEO, 4);
    make_plan();
    ck_assert_uint_eq(plan.info_count, 1);
    planned(0, 0, 1);
}
END_TEST

START_TEST(families_without_queues_are_left_out)
{
    family(COMPUTE, 0);
    family(TRANSFER, 0);
    family(GRAPHICS, 3);
    make_plan();
    ck_assert_uint_eq(plan.info_count, 1);
    planned(0, 2, 3);
}
END_TEST

START_TEST(only_a_few_of_many_queues_are_used)
{
    family(COMPUTE, 64);
    family(TRANSFER, 64);
    make_queues();
    planned(0, 0, 8);
    planned(1, 1, 2);
}
END_TEST

START_TEST(several_queues_have_different_priorities)
{
    family(COMPUTE, 4);
    make_queues();
    ck_assert(plan.priorities[0][3] > plan.priorities[0][1]);
    ck_assert(plan.priorities[0][0] == plan.priorities[0][1]);
    ck_assert(plan.priorities[0][1] > plan.priorities[0][2]);
    ck_assert_int_eq(take(TRM_STREAM_ANY, TRM_PRIORITY_HIGH)->priority, TRM_PRIORITY_HIGH);
    ck_assert_int_eq(take(TRM_STREAM_ANY, TRM_PRIORITY_NORMAL)->priority, TRM_PRIORITY_NORMAL);
    ck_assert_int_eq(take(TRM_STREAM_ANY, TRM_PRIORITY_LOW)->priority, TRM_PRIORITY_LOW);
}
END_TEST

START_TEST(a_priority_that_no_queue_has_is_rounded)
{
    family(COMPUTE, 2);
    make_queues();
    ck_assert_int_eq(take(TRM_STREAM_ANY, TRM_PRIORITY_HIGH)->priority, TRM_PRIORITY_HIGH);
    ck_assert_int_eq(take(TRM_STREAM_ANY, TRM_PRIORITY_LOW)->priority, TRM_PRIORITY_NORMAL);
}
END_TEST

/* ---- choosing a queue -- */

START_TEST(each_direction_of_copies_has_a_queue_of_its_own)
{
    family(COMPUTE, 1);
    family(TRANSFER, 4);
    make_queues();
    for (int i = 0; i < 8; i++) {
        struct vulkan_queue *up   = take(TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL);
        struct vulkan_queue *down = take(TRM_STREAM_DOWNLOAD, TRM_PRIORITY_HIGH);
        ck_assert(!up->can_compute && !down->can_compute);
        ck_assert_uint_eq(up->index % 2, 0);
        ck_assert_uint_eq(down->index % 2, 1);
    }
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_uint_eq(fake.device.queues.transfer[i].streams, 8);
}
END_TEST

START_TEST(both_directions_share_a_single_copy_engine)
{
    family(COMPUTE, 1);
    family(TRANSFER, 1);
    make_queues();
    ck_assert_ptr_eq(take(TRM_STREAM_UPLOAD, 0), take(TRM_STREAM_DOWNLOAD, 0));
    ck_assert(take(TRM_STREAM_COMPUTE, 0)->can_compute);
    ck_assert(take(TRM_STREAM_ANY, 0)->can_compute);
}
END_TEST

START_TEST(a_stream_gets_the_least_used_queue)
{
    family(COMPUTE, 4);
    make_queues();
    struct vulkan_queue *first  = take(TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL);
    struct vulkan_queue *second = take(TRM_STREAM_ANY, TRM_PRIORITY_NORMAL);
    ck_assert_ptr_ne(first, second);
    ck_assert_ptr_eq(take(TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL), first);
    ck_assert_ptr_eq(take(TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL), second);
    vulkan_queue_release(second);
    ck_assert_ptr_eq(take(TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL), second);
}
END_TEST

START_TEST(slots_share_two_queues_if_the_driver_handles_the_first_separately)
{
    struct vulkan_queue *taken[4];
    fake.physical.has_separate_first_queue = true;
    family(COMPUTE, 8);
    make_queues();
    for (uint32_t i = 0; i < 4; i++)
        taken[i] = take(TRM_STREAM_SLOT, TRM_PRIORITY_NORMAL);
    ck_assert_ptr_eq(taken[0], &fake.device.queues.compute[1]);
    ck_assert_ptr_eq(taken[1], &fake.device.queues.compute[0]);
    ck_assert_ptr_eq(taken[2], taken[0]);
    ck_assert_ptr_eq(taken[3], taken[1]);
    ck_assert_int_eq(take(TRM_STREAM_SLOT, TRM_PRIORITY_HIGH)->priority, TRM_PRIORITY_HIGH);
    struct vulkan_queue *other = take(TRM_STREAM_ANY, TRM_PRIORITY_NORMAL);
    ck_assert(other != taken[0] && other != taken[1]);
}
END_TEST

/* Five slots of one have three and two, so the other begins where there are two. */
START_TEST(slots_of_two_pipelines_share_the_queues_evenly)
{
    fake.physical.has_separate_first_queue = true;
    family(COMPUTE, 8);
    make_queues();
    struct vulkan_queue *queues = fake.device.queues.compute, *taken[5];
    for (uint32_t i = 0; i < 5; i++)
        taken[i] = take(TRM_STREAM_SLOT, TRM_PRIORITY_NORMAL);
    ck_assert_uint_eq(atomic_load(&queues[0].streams), 2);
    ck_assert_uint_eq(atomic_load(&queues[1].streams), 3);
    ck_assert_ptr_eq(take(TRM_STREAM_SLOT, TRM_PRIORITY_NORMAL), &queues[0]);
    for (uint32_t i = 0; i < 4; i++)
        take(TRM_STREAM_SLOT, TRM_PRIORITY_NORMAL);
    ck_assert_uint_eq(atomic_load(&queues[0].streams), 5);
    ck_assert_uint_eq(atomic_load(&queues[1].streams), 5);
    for (uint32_t i = 0; i < 5; i++)
        vulkan_queue_release(taken[i]);
    ck_assert_ptr_eq(take(TRM_STREAM_SLOT, TRM_PRIORITY_NORMAL), &queues[1]);
}
END_TEST

START_TEST(slots_have_queues_of_their_own_with_other_drivers)
{
    family(COMPUTE, 8);
    make_queues();
    struct vulkan_queue *first = take(TRM_STREAM_SLOT, 0), *second = take(TRM_STREAM_SLOT, 0);
    struct vulkan_queue *third = take(TRM_STREAM_SLOT, 0);
    ck_assert(first != second && second != third && first != third);
}
END_TEST

START_TEST(copies_with_kernels_need_no_transfer_queues)
{
    static const int32_t roles[] = {TRM_STREAM_UPLOAD, TRM_STREAM_COMPUTE, TRM_STREAM_DOWNLOAD};
    struct vulkan_queue *taken[3];
    fake.physical.copies_by_kernel = true;
    fake.device.copies_by_kernel   = true;
    family(TRANSFER, 2);
    family(COMPUTE, 8);
    make_queues();
    ck_assert_uint_eq(plan.info_count, 1);
    planned(0, 1, 8);
    for (uint32_t i = 0; i < 3; i++) {
        taken[i] = take(roles[i], TRM_PRIORITY_NORMAL);
        ck_assert(taken[i]->can_compute);
        ck_assert_int_eq(taken[i]->priority, TRM_PRIORITY_NORMAL);
    }
    ck_assert(taken[0] != taken[1] && taken[1] != taken[2] && taken[0] != taken[2]);
    ck_assert_int_eq(take(TRM_STREAM_UPLOAD, TRM_PRIORITY_HIGH)->priority, TRM_PRIORITY_HIGH);
}
END_TEST

START_TEST(upload_and_download_streams_keep_their_direction_when_they_change_queues)
{
    struct vulkan_queue *taken[2];
    fake.physical.copies_by_kernel = fake.physical.copies_small_by_engine = true;
    fake.device.copies_by_kernel = fake.device.copies_small_by_engine = true;
    family(TRANSFER, 2);
    family(COMPUTE, 8);
    make_queues();
    planned(0, 1, 8);
    planned(1, 0, 2);
    ck_assert(!take(TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL)->can_compute);
    ck_assert(!take(TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL)->can_compute);
    ck_assert(take(TRM_STREAM_ANY, TRM_PRIORITY_NORMAL)->can_compute);
    taken[0] = vulkan_queue_choose(&fake.device, TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL, true);
    taken[1] = vulkan_queue_choose(&fake.device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL, true);
    ck_assert(taken[0]->can_compute && taken[1]->can_compute);
    ck_assert_ptr_ne(taken[0], taken[1]);
}
END_TEST

START_TEST(copies_with_kernels_share_if_there_are_few_queues)
{
    fake.physical.copies_by_kernel = true;
    fake.device.copies_by_kernel   = true;
    family(GRAPHICS, 2);
    make_queues();
    ck_assert_ptr_ne(take(TRM_STREAM_UPLOAD, 0), take(TRM_STREAM_DOWNLOAD, 0));
    ck_assert_int_eq(take(TRM_STREAM_COMPUTE, TRM_PRIORITY_HIGH)->priority, TRM_PRIORITY_NORMAL);
}
END_TEST

/* ---- submitting */

START_TEST(what_is_submitted_reaches_the_queue)
{
    VkSubmitInfo infos[2] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
                             {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO}};
    family(GRAPHICS, 1);
    make_queues();
    struct vulkan_queue *queue = take(TRM_STREAM_ANY, 0);
    ck_assert_int_eq(vulkan_queue_submit(&fake.device, queue, 2, infos), TRM_OK);
    ck_assert_uint_eq(submitted, 2);
    ck_assert_int_eq(pthread_mutex_trylock(&queue->lock), 0);
    pthread_mutex_unlock(&queue->lock);
}
END_TEST

START_TEST(a_submission_that_fails_says_so)
{
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    family(GRAPHICS, 1);
    make_queues();
    answer = VK_ERROR_OUT_OF_HOST_MEMORY;
    ck_assert_int_eq(vulkan_queue_submit(&fake.device, take(0, 0), 1, &info), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "vkQueueSubmit"));
    ck_assert(!vulkan_device_is_lost(&fake.device));
    answer = VK_ERROR_DEVICE_LOST;
    ck_assert_int_eq(vulkan_queue_submit(&fake.device, take(0, 0), 1, &info), TRM_ERROR_DEVICE_LOST);
    ck_assert(vulkan_device_is_lost(&fake.device));
}
END_TEST

START_TEST(a_queue_of_the_application_is_locked_by_the_application)
{
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    family(GRAPHICS, 2);
    make_queues();
    fake.device.queues.external_lock   = lock_outside;
    fake.device.queues.external_unlock = unlock_outside;
    fake.device.queues.external_user   = &locked;
    ck_assert_int_eq(vulkan_queue_submit(&fake.device, take(0, 0), 1, &info), TRM_OK);
    ck_assert_uint_eq(locked, 1);
    ck_assert_uint_eq(unlocked, 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("queues");
    TCase *tests = tcase_create("queues");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, one_family_with_one_queue_does_everything);
    tcase_add_test(tests, compute_without_graphics_and_copy_engines_are_preferred);
    tcase_add_test(tests, compute_shares_with_graphics_where_there_is_no_other);
    tcase_add_test(tests, queues_for_video_are_not_used_for_copies);
    tcase_add_test(tests, families_without_queues_are_left_out);
    tcase_add_test(tests, only_a_few_of_many_queues_are_used);
    tcase_add_test(tests, several_queues_have_different_priorities);
    tcase_add_test(tests, a_priority_that_no_queue_has_is_rounded);
    tcase_add_test(tests, each_direction_of_copies_has_a_queue_of_its_own);
    tcase_add_test(tests, both_directions_share_a_single_copy_engine);
    tcase_add_test(tests, a_stream_gets_the_least_used_queue);
    tcase_add_test(tests, slots_share_two_queues_if_the_driver_handles_the_first_separately);
    tcase_add_test(tests, slots_of_two_pipelines_share_the_queues_evenly);
    tcase_add_test(tests, slots_have_queues_of_their_own_with_other_drivers);
    tcase_add_test(tests, copies_with_kernels_need_no_transfer_queues);
    tcase_add_test(tests, upload_and_download_streams_keep_their_direction_when_they_change_queues);
    tcase_add_test(tests, copies_with_kernels_share_if_there_are_few_queues);
    tcase_add_test(tests, what_is_submitted_reaches_the_queue);
    tcase_add_test(tests, a_submission_that_fails_says_so);
    tcase_add_test(tests, a_queue_of_the_application_is_locked_by_the_application);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
