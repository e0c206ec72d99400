/* Sums across devices: what the driver is called for. The time of a small sum is that of these calls.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/fixture.h"

enum {
    MOST_DEVICES = 4,
    MOST_SPANS   = 100,
    SPAN_BYTES   = 1024,
    SMALL        = 4096,
    LARGE        = 1 << 20,
    CALLS        = 50,
};

static struct {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_collective *collective;
    uint32_t count;
    struct trm_device *devices[MOST_DEVICES];
    struct trm_stream *streams[MOST_DEVICES];
    struct trm_buffer *in[MOST_DEVICES], *out[MOST_DEVICES];
} team;

static void team_open(const char *way)
{
    const struct trm_setting setting = {"collective.way", way};
    ck_ok(context_make(&setting, 1, &team.context));
    ck_ok(trm_group_create(team.context, "cuda:*", &team.group));
    ck_ok(trm_group_size(team.group, &team.count));
    ck_assert_uint_le(team.count, MOST_DEVICES);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_ok(trm_group_device(team.group, d, &team.devices[d]));
        team.streams[d] = stream_open(team.devices[d], TRM_STREAM_ANY);
        team.in[d]      = buffer_open(team.devices[d], TRM_MEMORY_DEVICE, LARGE);
        team.out[d]     = buffer_open(team.devices[d], TRM_MEMORY_DEVICE, LARGE);
        ck_ok(trm_fill(team.streams[d], trm_span_whole(team.in[d]), d + 1, 4));
    }
    ck_ok(trm_collective_create(team.group, 0, &team.collective));
}

static void team_close(void)
{
    for (uint32_t d = 0; d < team.count; d++) {
        trm_stream_destroy(team.streams[d]);
        trm_buffer_destroy(team.in[d]);
        trm_buffer_destroy(team.out[d]);
    }
    trm_collective_destroy(team.collective);
    trm_group_destroy(team.group);
    for (uint32_t d = 0; d < team.count; d++)
        trm_device_destroy(team.devices[d]);
    trm_context_destroy(team.context);
    check_nothing_left("the sums");
}

static void team_sync(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_stream_sync(team.streams[d]));
}

/* Of `count` spans of so many bytes, side by side. */
static void sum(uint32_t count, uint64_t bytes)
{
    struct trm_span in[MOST_SPANS * MOST_DEVICES], out[MOST_SPANS * MOST_DEVICES];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < team.count; d++) {
            in[k * team.count + d]  = trm_span_of(team.in[d], k * bytes, bytes);
            out[k * team.count + d] = trm_span_of(team.out[d], k * bytes, bytes);
        }
    ck_ok(trm_all_reduce(team.collective, team.streams, out, in, count, TRM_TYPE_I32, TRM_REDUCE_SUM));
}

static void ck_sums(uint64_t bytes)
{
    static uint32_t found[LARGE / 4];
    for (uint32_t d = 0; d < team.count; d++) {
        ck_ok(trm_download(team.streams[d], found, trm_span_of(team.out[d], 0, bytes)));
        ck_ok(trm_stream_sync(team.streams[d]));
        for (uint64_t i = 0; i < bytes / 4; i++)
            ck_assert_uint_eq(found[i], team.count * (team.count + 1) / 2);
    }
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
    sum(count, bytes); /* loads kernels */
    team_sync();
    standin->hold();
    sum(count, bytes);
    struct tally before = tally_now();
    for (uint32_t i = 0; i < calls; i++)
        sum(count, bytes);
    struct tally after = tally_now();
    standin->release();
    ck_sums(count * bytes);
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
    team_open("auto");
    struct tally found = calls_of_sums(1, SMALL, CALLS);
    ck_tally(found, CALLS, CALLS, CALLS * (team.count - 1), 0);
    team_close();
}
END_TEST

START_TEST(a_sum_of_many_small_spans_has_one_table_and_one_launch)
{
    team_open("auto");
    struct tally found = calls_of_sums(MOST_SPANS, SPAN_BYTES, 3); /* the collective has four tables */
    ck_tally(found, 3, 3, 3 * (team.count - 1), 3);
    team_close();
}
END_TEST

/* On all devices, between two meetings of which one is the next call's. */
START_TEST(a_sum_in_one_shot_is_a_launch_on_each_device_and_one_meeting)
{
    team_open("one-shot");
    struct tally found = calls_of_sums(1, SMALL, CALLS);
    ck_tally(found, CALLS * team.count, CALLS * team.count, CALLS * 2 * (team.count - 1), 0);
    team_close();
}
END_TEST

/* What another operation of a stream has changed is waited for. */
START_TEST(a_small_sum_waits_for_what_came_between)
{
    team_open("auto");
    sum(1, SMALL);
    for (uint32_t round = 1; round < 10; round++) {
        uint32_t found[SMALL / 4], last = team.count - 1;
        standin->hold();
        ck_ok(trm_fill(team.streams[last], trm_span_whole(team.in[last]), 100 * round, 4));
        uint64_t waits = standin->calls("cuStreamWaitEvent");
        sum(1, SMALL);
        ck_assert_uint_eq(standin->calls("cuStreamWaitEvent") - waits, 2 * last);
        standin->release();
        ck_ok(trm_download(team.streams[0], found, trm_span_of(team.out[0], 0, SMALL)));
        ck_ok(trm_stream_sync(team.streams[0]));
        for (uint32_t i = 0; i < SMALL / 4; i++)
            ck_assert_uint_eq(found[i], last * (last + 1) / 2 + 100 * round);
    }
    team_close();
}
END_TEST

/* Beyond the size to which the host is the limit the ways are measured, and root is not among them. */
START_TEST(a_large_sum_does_not_have_all_its_work_on_one_device)
{
    team_open("auto");
    for (uint32_t i = 0; i < 20; i++) {
        sum(1, LARGE);
        team_sync();
    }
    struct tally before = tally_now();
    sum(1, LARGE);
    ck_assert_uint_ge(tally_now().launches - before.launches, team.count);
    ck_sums(LARGE);
    team_close();
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
