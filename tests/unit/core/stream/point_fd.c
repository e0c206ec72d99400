/* Descriptors of points.
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/counting.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static struct fake fake;
static struct counting counting;
static struct trm_stream *stream;
static struct trm_point point;

/* With the backend's notifications, and by a thread that waits. */
static const uint32_t ways[] = {FAKE_ALL, 0};
#define WAYS 2

static void begin(int way)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
    };
    memset(&counting, 0, sizeof(counting));
    fake_init(&fake, ways[way], &desc);
    fake_open(&fake);
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &stream));
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &point));
}

static void end(void)
{
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}

static bool is_readable(int32_t descriptor, int timeout_ms)
{
    struct pollfd asked = {.fd = descriptor, .events = POLLIN};
    return poll(&asked, 1, timeout_ms) == 1;
}

/* How many descriptors the process has. */
static uint32_t count_descriptors(void)
{
    uint32_t count = 0;
    for (int i = 0; i < 256; i++)
        count += dup2(i, i) == i;
    return count;
}

START_TEST(a_descriptor_waits_for_its_point)
{
    int32_t descriptor = -1;
    begin(_i);
    uint32_t before = count_descriptors();
    OK(trm_point_fd(point, &descriptor));
    ck_assert(!is_readable(descriptor, 0));
    fake_run(&fake, stream, 1);
    ck_assert(is_readable(descriptor, -1));
    OK(trm_point_done(point));
    ck_assert_int_eq(close(descriptor), 0);
    end();
    ck_assert_uint_eq(count_descriptors(), before);
}
END_TEST

START_TEST(a_descriptor_becomes_readable_when_its_stream_fails)
{
    int32_t descriptor = -1;
    begin(_i);
    OK(trm_point_fd(point, &descriptor));
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 3, "the kernel fell over");
    ck_assert(is_readable(descriptor, -1));
    ck_assert_int_eq(trm_point_done(point), TRM_ERROR_KERNEL);
    ck_assert_int_eq(close(descriptor), 0);
    OK(trm_point_fd(point, &descriptor));
    ck_assert(is_readable(descriptor, 0));
    ck_assert_int_eq(close(descriptor), 0);
    end();
}
END_TEST

START_TEST(a_descriptor_outlives_its_stream)
{
    int32_t descriptor = -1;
    begin(_i);
    OK(trm_point_fd(point, &descriptor));
    end();
    ck_assert(is_readable(descriptor, 0));
    ck_assert_int_eq(close(descriptor), 0);
}
END_TEST

START_TEST(without_memory_there_is_no_descriptor)
{
    int32_t descriptor = -2;
    begin(_i);
    uint32_t before    = count_descriptors();
    counting.fail_from = counting.allocations + 1;
    ck_assert_int_eq(trm_point_fd(point, &descriptor), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    ck_assert_int_eq(descriptor, -2);
    ck_assert_uint_eq(count_descriptors(), before);
    end();
}
END_TEST

START_TEST(a_process_without_descriptors_left_is_told)
{
    int32_t descriptor = -2;
    struct rlimit limit, none;
    begin(_i);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int lowest = dup(0);
    ck_assert_int_eq(close(lowest), 0);
    for (int more = 0; more < 2; more++) {
        none          = limit;
        none.rlim_cur = (rlim_t)lowest + (rlim_t)more;
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
        ck_assert_int_eq(trm_point_fd(point, &descriptor), TRM_ERROR_BACKEND);
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    ck_assert_int_eq(descriptor, -2);
    end();
}
END_TEST

/* The library then needs no second one. */
START_TEST(the_descriptor_of_a_reached_point_is_the_only_one)
{
    int32_t descriptor = -2;
    struct rlimit limit, one;
    begin(_i);
    fake_run(&fake, stream, 1);
    OK(trm_point_wait(point, TRM_FOREVER));
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int lowest = dup(0);
    ck_assert_int_eq(close(lowest), 0);
    one          = limit;
    one.rlim_cur = (rlim_t)lowest + 1;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &one), 0);
    int32_t status = trm_point_fd(point, &descriptor);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(status, TRM_OK);
    ck_assert_int_eq(descriptor, lowest);
    ck_assert(is_readable(descriptor, 0));
    ck_assert_int_eq(close(descriptor), 0);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("point_fd");
    TCase *group = tcase_create("descriptors of points");
    tcase_add_loop_test(group, a_descriptor_waits_for_its_point, 0, WAYS);
    tcase_add_loop_test(group, a_descriptor_becomes_readable_when_its_stream_fails, 0, WAYS);
    tcase_add_loop_test(group, a_descriptor_outlives_its_stream, 0, WAYS);
    tcase_add_loop_test(group, without_memory_there_is_no_descriptor, 0, WAYS);
    tcase_add_loop_test(group, a_process_without_descriptors_left_is_told, 0, WAYS);
    tcase_add_loop_test(group, the_descriptor_of_a_reached_point_is_the_only_one, 0, WAYS);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(suite)
