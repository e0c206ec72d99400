/* Descriptors of tokens that leave the queues before their work has ended, or after.
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static bool is_readable(int32_t descriptor)
{
    struct pollfd asked = {.fd = descriptor, .events = POLLIN};
    return poll(&asked, 1, 0) == 1;
}

static int32_t descriptor_of(uint64_t token)
{
    int32_t descriptor = -1;
    OK(trm_pipeline_token_fd(fake.handle, token, &descriptor));
    return descriptor;
}

static void submit(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct trm_token *token;
        OK(trm_pipeline_acquire(fake.handle, TRM_FOREVER, &token));
        OK(trm_pipeline_submit(fake.handle, token));
    }
}

static void create_latest(void)
{
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc), .depth = 2, .on_full = TRM_FULL_LATEST};
    fake_create(&desc);
}

START_TEST(a_token_that_is_done_has_a_readable_descriptor)
{
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.duration = 0;
    submit(1);
    int32_t descriptor = descriptor_of(0);
    ck_assert(is_readable(descriptor));
    OK(close(descriptor));
    fake_destroy();
}
END_TEST

START_TEST(a_token_waits_for_those_before_it)
{
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.duration = 0;
    fake.fates[0] = FATE_HANGS;
    submit(2);
    int32_t descriptor = descriptor_of(1);
    ck_assert(!is_readable(descriptor));
    OK(close(descriptor));
    fake_destroy();
}
END_TEST

START_TEST(where_the_latest_is_wanted_a_token_waits_for_itself_alone)
{
    create_latest();
    fake.duration = 0;
    fake.fates[0] = FATE_HANGS;
    submit(2);
    int32_t descriptor = descriptor_of(1);
    ck_assert(is_readable(descriptor));
    OK(close(descriptor));
    fake_destroy();
}
END_TEST

START_TEST(a_token_that_is_dropped_has_a_readable_descriptor)
{
    struct trm_token *token;
    create_latest();
    fake.duration = 0;
    fake.fates[0] = FATE_HANGS;
    submit(2);
    int32_t descriptor = descriptor_of(0);
    ck_assert(!is_readable(descriptor));
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    ck_assert_uint_eq(token->index, 1);
    ck_assert(is_readable(descriptor));
    OK(close(descriptor));
    OK(trm_pipeline_release(fake.handle, token));
    fake_destroy();
}
END_TEST

START_TEST(cancelled_tokens_have_readable_descriptors)
{
    int32_t descriptors[3];
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.fates[0] = FATE_HANGS;
    submit(3);
    for (uint32_t i = 0; i < 3; i++) {
        descriptors[i] = descriptor_of(i);
        ck_assert(!is_readable(descriptors[i]));
    }
    ck_assert_int_eq(trm_pipeline_cancel(fake.handle, 0), TRM_ERROR_TIMEOUT);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert(is_readable(descriptors[i]));
        OK(close(descriptors[i]));
    }
    fake_destroy();
}
END_TEST

/* Each of several descriptors of one token. */
START_TEST(a_token_that_comes_out_makes_all_its_descriptors_readable)
{
    struct trm_token *token;
    int32_t descriptors[2];
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.duration = MILLISECOND;
    submit(1);
    for (uint32_t i = 0; i < 2; i++)
        descriptors[i] = descriptor_of(0);
    OK(trm_pipeline_next(fake.handle, TRM_FOREVER, &token));
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert(is_readable(descriptors[i]));
        OK(close(descriptors[i]));
    }
    OK(trm_pipeline_release(fake.handle, token));
    int32_t late = descriptor_of(0);
    ck_assert(is_readable(late));
    OK(close(late));
    fake_destroy();
}
END_TEST

START_TEST(a_descriptor_outlives_its_pipeline)
{
    fake_create_plain(2, TRM_FAILURE_STOP);
    fake.fates[0] = FATE_HANGS;
    submit(1);
    int32_t descriptor = descriptor_of(0);
    fake_destroy();
    ck_assert(is_readable(descriptor));
    OK(close(descriptor));
}
END_TEST

START_TEST(without_memory_a_token_has_no_descriptor)
{
    int32_t descriptor = -2;
    fake_create_plain(2, TRM_FAILURE_STOP);
    submit(1);
    fake.counting.fail_from = fake.counting.allocations + 1;
    ck_assert_int_eq(trm_pipeline_token_fd(fake.handle, 0, &descriptor), TRM_ERROR_OUT_OF_HOST_MEMORY);
    fake.counting.fail_from = 0;
    ck_assert_int_eq(descriptor, -2);
    fake_destroy();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("token_fd");
    TCase *group = tcase_create("descriptors of tokens");
    tcase_add_test(group, a_token_that_is_done_has_a_readable_descriptor);
    tcase_add_test(group, a_token_waits_for_those_before_it);
    tcase_add_test(group, where_the_latest_is_wanted_a_token_waits_for_itself_alone);
    tcase_add_test(group, a_token_that_is_dropped_has_a_readable_descriptor);
    tcase_add_test(group, cancelled_tokens_have_readable_descriptors);
    tcase_add_test(group, a_token_that_comes_out_makes_all_its_descriptors_readable);
    tcase_add_test(group, a_descriptor_outlives_its_pipeline);
    tcase_add_test(group, without_memory_a_token_has_no_descriptor);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(suite)
