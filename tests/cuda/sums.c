/* Sums across devices: what the driver is called for. The time of a small sum is that of these calls.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/fixture.h"
#include "tests/cuda/sum_team.h"

enum {
    SMALL = 4096,
    LARGE = SUM_TEAM_BYTES,
    CALLS = 50,
};

static void sum_of(uint32_t count, uint64_t bytes)
{
    ck_ok(sum_team_call(count, bytes));
}

/* ---- counting -------------------------------------------------------------------------------- */

struct tally {
    uint64_t launches, records, waits, copies;
};

/* Launches that are repeated run as graphs. */
static struct tally tally_now(void)
{
    return (struct tally){.launches = standin->calls("cuLaunchKernel") + standin->calls("cuGraphLaunch"),
                          .records  = standin->calls("cuEventRecord"),
                          .waits    = standin->calls("cuStreamWaitEvent"),
                          .copies   = standin->calls("cuMemcpyAsync") + standin->calls("cuMemcpyHtoDAsync")};
}

/* What so many calls in a row have, of which the first finds that the streams have met. Work is held back, so
 * that no wait is left out because its event is complete. */
static struct tally calls_of_sums(uint32_t count, uint64_t bytes, uint32_t calls)
{
    sum_of(count, bytes); /* loads kernels */
    sum_team_sync();
    standin->hold();
    sum_of(count, bytes);
    struct tally before = tally_now();
    for (uint32_t i = 0; i < calls; i++)
        sum_of(count, bytes);
    struct tally after = tally_now();
    standin->release();
    sum_team_check(count * bytes);
    return (struct tally){.launches = after.launches - before.launches,
                          .records  = after.records - before.records,
                          .waits    = after.waits - before.waits,
                          .copies   = after.copies - before.copies};
}

static void ck_tally(struct tally found, uint64_t launches, uint64_t records, uint64_t waits, uint64_t copies)
{
    ck_assert_uint_eq(found.launches, launches);
    ck_assert_uint_eq(found.records, records);
    ck_assert_uint_eq(found.waits, waits);
    ck_assert_uint_eq(found.copies, copies);
}

/* ---- cases ----------------------------------------------------------------------------------- */

START_TEST(a_small_sum_is_one_launch_one_record_and_a_wait_for_each_other_device)
{
    sum_team_open("auto");
    struct tally found = calls_of_sums(1, SMALL, CALLS);
    ck_tally(found, CALLS, CALLS, CALLS * (sum_team.count - 1), 0);
    sum_team_close();
}
END_TEST

/* The others' memory is in the table, so the first device waits for them again, which tells of their loss. */
START_TEST(a_sum_of_many_small_spans_has_one_table_and_one_launch)
{
    sum_team_open("auto");
    struct tally found = calls_of_sums(SUM_TEAM_SPANS, SUM_TEAM_SPAN, 3); /* the collective has four tables */
    ck_tally(found, 3, 3 * sum_team.count, 3 * 2 * (sum_team.count - 1), 3);
    sum_team_close();
}
END_TEST

/* On all devices, between two meetings of which one is the next call's. */
START_TEST(a_sum_in_one_shot_is_a_launch_on_each_device_and_one_meeting)
{
    sum_team_open("one-shot");
    struct tally found = calls_of_sums(1, SMALL, CALLS);
    ck_tally(found, CALLS * sum_team.count, CALLS * sum_team.count, CALLS * 2 * (sum_team.count - 1), 0);
    sum_team_close();
}
END_TEST

/* What another operation of a stream has changed is waited for. */
START_TEST(a_small_sum_waits_for_what_came_between)
{
    sum_team_open("auto");
    sum_of(1, SMALL);
    for (uint32_t round = 1; round < 10; round++) {
        uint32_t found[SMALL / 4], last = sum_team.count - 1;
        standin->hold();
        ck_ok(trm_fill(sum_team.streams[last], trm_span_whole(sum_team.in[last]), 100 * round, 4));
        uint64_t waits = standin->calls("cuStreamWaitEvent");
        sum_of(1, SMALL);
        ck_assert_uint_eq(standin->calls("cuStreamWaitEvent") - waits, 2 * last);
        standin->release();
        ck_ok(trm_download(sum_team.streams[0], found, trm_span_of(sum_team.out[0], 0, SMALL)));
        ck_ok(trm_stream_sync(sum_team.streams[0]));
        for (uint32_t i = 0; i < SMALL / 4; i++)
            ck_assert_uint_eq(found[i], last * (last + 1) / 2 + 100 * round);
    }
    sum_team_close();
}
END_TEST

/* A device that only waits for the first one has nothing to mark: its stream is asked once, and the first
 * device whether it is lost. */
START_TEST(waiting_for_a_sum_on_a_device_that_has_no_part_in_it_is_one_query_of_its_stream)
{
    sum_team_open("auto");
    sum_of(1, SMALL);
    sum_team_sync();
    for (uint32_t d = 1; d < sum_team.count; d++) {
        sum_of(1, SMALL);
        ck_ok(trm_stream_sync(sum_team.streams[0]));
        standin->settle();
        uint64_t records = standin->calls("cuEventRecord"), queries = standin->calls("cuEventQuery");
        uint64_t of_streams = standin->calls("cuStreamQuery");
        ck_ok(trm_stream_sync(sum_team.streams[d]));
        ck_assert_uint_eq(standin->calls("cuEventRecord"), records);
        ck_assert_uint_eq(standin->calls("cuEventQuery"), queries);
        ck_assert_uint_le(standin->calls("cuStreamQuery") - of_streams, sum_team.count);
        sum_team_sync();
    }
    sum_team_check(SMALL);
    sum_team_close();
}
END_TEST

/* Beyond the size to which the host is the limit the ways are measured, and root is not among them. */
START_TEST(a_large_sum_does_not_have_all_its_work_on_one_device)
{
    sum_team_open("auto");
    for (uint32_t i = 0; i < 20; i++) {
        sum_of(1, LARGE);
        sum_team_sync();
    }
    struct tally before = tally_now();
    sum_of(1, LARGE);
    ck_assert_uint_ge(tally_now().launches - before.launches, sum_team.count);
    sum_team_check(LARGE);
    sum_team_close();
}
END_TEST

static void shape_of_two(void)
{
    standin_shape("devices=2");
}

static void shape_of_four(void)
{
    standin_shape("devices=4");
}

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *sums = tcase_create(name);
    tcase_add_checked_fixture(sums, shape, NULL);
    tcase_set_timeout(sums, 120); /* compiles kernels for each device */
    tcase_add_test(sums, a_small_sum_is_one_launch_one_record_and_a_wait_for_each_other_device);
    tcase_add_test(sums, a_sum_of_many_small_spans_has_one_table_and_one_launch);
    tcase_add_test(sums, a_sum_in_one_shot_is_a_launch_on_each_device_and_one_meeting);
    tcase_add_test(sums, a_small_sum_waits_for_what_came_between);
    tcase_add_test(sums, waiting_for_a_sum_on_a_device_that_has_no_part_in_it_is_one_query_of_its_stream);
    tcase_add_test(sums, a_large_sum_does_not_have_all_its_work_on_one_device);
    suite_add_tcase(suite, sums);
}

int main(void)
{
    Suite *suite = suite_create("cuda: sums");
    add_cases(suite, "two devices", shape_of_two);
    add_cases(suite, "four devices", shape_of_four);
    return run_on_standin(suite);
}
