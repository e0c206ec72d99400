/* The control group of `trireme check`: the least limit counts, of the group and of those above it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

#include "tests/unit/folder.h"
#include "tests/unit/runner.h"
#include "tools/check/machine_group.h"

static struct group_limits limits;

START_TEST(a_group_is_found_behind_those_of_version_1)
{
    char text[4096], *group;
    size_t length;

    length = (size_t)snprintf(text, sizeof(text), "4:memory:/one\n1:name=systemd:/%0*d\n0::/", 1000, 0);
    memset(text + length, 'g', 300);
    strcpy(text + length + 300, "/job\n");
    folder_write("cgroup", text);
    group = group_find(folder_path("cgroup"));
    ck_assert_ptr_nonnull(group);
    ck_assert_uint_eq(strlen(group), 1 + 300 + strlen("/job"));
    ck_assert_str_eq(group + 301, "/job");
    free(group);
}
END_TEST

START_TEST(no_group_is_found_where_there_is_none)
{
    folder_write("cgroup", "4:memory:/one\n");
    ck_assert_ptr_null(group_find(folder_path("cgroup")));
    ck_assert_ptr_null(group_find(folder_path("missing")));
}
END_TEST

START_TEST(the_least_limit_of_the_groups_above_counts)
{
    folder_sub("slice");
    folder_sub("slice/service");
    folder_sub("slice/service/job");
    folder_write("cpu.max", "800000 100000\n");
    folder_write("slice/cpu.max", "150000 100000\n");
    folder_write("slice/service/cpu.max", "max 100000\n");
    folder_write("slice/service/job/cpu.max", "400000 100000\n");
    folder_write("slice/memory.max", "1000000\n");
    folder_write("slice/service/memory.max", "300000\n");
    folder_write("slice/service/job/memory.max", "max\n");
    group_read(folder, "/slice/service/job", &limits);
    ck_assert_double_eq(limits.processors, 1.5);
    ck_assert_uint_eq(limits.memory, 300000);
    group_read(folder, "/slice", &limits);
    ck_assert_double_eq(limits.processors, 1.5);
    ck_assert_uint_eq(limits.memory, 1000000);
    group_read(folder, "/", &limits);
    ck_assert_double_eq(limits.processors, 8);
    ck_assert_uint_eq(limits.memory, UINT64_MAX);
}
END_TEST

START_TEST(a_group_without_files_has_no_limits)
{
    group_read(folder, "/gone", &limits);
    ck_assert_double_eq(limits.processors, 0);
    ck_assert_uint_eq(limits.memory, UINT64_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("control group of trireme check");
    TCase *tests = tcase_create("group");

    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, a_group_is_found_behind_those_of_version_1);
    tcase_add_test(tests, no_group_is_found_where_there_is_none);
    tcase_add_test(tests, the_least_limit_of_the_groups_above_counts);
    tcase_add_test(tests, a_group_without_files_has_no_limits);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
