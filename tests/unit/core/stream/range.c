/* Ranges around tasks, whatever the tasks push and pop.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream.h"
#include "tests/unit/stream_fixture.h"

static struct trm_stream *handle;
static struct core_stream *stream;

static void set_up(void)
{
    begin(FAKE_ALL);
    handle = make_stream();
    stream = core_stream_find(handle);
}

static void tear_down(void)
{
    trm_stream_destroy(handle);
    end();
}

static void in_no_range(void)
{
    ck_assert_int_eq(trm_range_pop(handle), TRM_ERROR_INVALID_ARGUMENT);
}

START_TEST(a_task_that_pops_a_range_too_many_leaves_the_stream_in_none)
{
    uint32_t depth = core_range_push_task(stream, "task");
    OK(trm_range_pop(handle));
    core_range_pop_task(stream, depth);
    in_no_range();
    OK(trm_range_push(handle, "later"));
    OK(trm_range_pop(handle));
    in_no_range();
}
END_TEST

START_TEST(a_task_that_leaves_a_range_open_leaves_the_stream_in_none)
{
    uint32_t depth = core_range_push_task(stream, "task");
    OK(trm_range_push(handle, "left open"));
    core_range_pop_task(stream, depth);
    in_no_range();
}
END_TEST

START_TEST(a_task_leaves_the_ranges_around_it)
{
    OK(trm_range_push(handle, "around"));
    core_range_pop_task(stream, core_range_push_task(stream, "task"));
    OK(trm_range_pop(handle));
    in_no_range();
}
END_TEST

START_TEST(all_open_ranges_can_be_ended)
{
    OK(trm_range_push(handle, "outer"));
    OK(trm_range_push(handle, "inner"));
    core_range_pop_all(stream);
    in_no_range();
    core_range_pop_all(stream);
    in_no_range();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("range");
    TCase *all   = tcase_create("depth");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_task_that_pops_a_range_too_many_leaves_the_stream_in_none);
    tcase_add_test(all, a_task_that_leaves_a_range_open_leaves_the_stream_in_none);
    tcase_add_test(all, a_task_leaves_the_ranges_around_it);
    tcase_add_test(all, all_open_ranges_can_be_ended);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
