/* Which files may name code. (The plugins' tests try it through the library.)
 * SPDX-License-Identifier: MIT
 */
#include "base/file_permissions.h"

#include "base/error.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

#define NOBODY 65534

static void is(int32_t expected, const char *path, const char *words)
{
    int32_t status = base_file_permissions_check(path);
    ck_assert_msg(status == expected, "%s: %s, %s", path, trm_status_name(status), trm_last_error().sentence);
    if (expected != TRM_OK)
        ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                      trm_last_error().sentence);
}

static void is_trusted(const char *name)
{
    is(TRM_OK, folder_path(name), "");
}

static void is_refused(const char *name, const char *words)
{
    is(TRM_ERROR_PERMISSION, folder_path(name), words);
}

static void setup(void)
{
    folder_make();
    folder_sub("in");
    folder_write("in/file", "x");
}

START_TEST(a_file_of_ones_own_is_trusted)
{
    is_trusted("in/file");
    is(TRM_OK, folder_path("in//./../in/file"), "");
}
END_TEST

START_TEST(a_relative_path_is_refused)
{
    is(TRM_ERROR_PERMISSION, "in/file", "not an absolute path");
    is(TRM_ERROR_PERMISSION, "", "not an absolute path");
    is(TRM_ERROR_PERMISSION, NULL, "not an absolute path");
}
END_TEST

START_TEST(what_does_not_exist_is_not_found)
{
    is(TRM_ERROR_NOT_FOUND, folder_path("in/none"), "does not exist");
    is(TRM_ERROR_NOT_FOUND, folder_path("in/file/none"), "does not exist");
    is(TRM_ERROR_NOT_FOUND, folder_path("none/file"), "does not exist");
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused)
{
    is(TRM_ERROR_NOT_FOUND, folder_path("in"), "not a regular file");
    ck_assert_int_eq(mkfifo(folder_path("pipe"), 0644), 0);
    is(TRM_ERROR_NOT_FOUND, folder_path("pipe"), "not a regular file");
}
END_TEST

START_TEST(what_others_may_write_is_refused)
{
    chmod(folder_path("in/file"), 0646);
    is_refused("in/file", "is writable by all users");
    chmod(folder_path("in/file"), 0664);
    is_refused("in/file", "is writable by its group");
    chmod(folder_path("in/file"), 0644);
    chmod(folder_path("in"), 0757);
    is_refused("in/file", "the folder");
    chmod(folder_path("in"), 0775);
    is_refused("in/file", "is writable by its group");
    chmod(folder_path("in"), 0755);
    is_trusted("in/file");
}
END_TEST

START_TEST(a_sticky_folder_that_all_may_write_is_no_danger)
{
    chmod(folder_path("in"), 01777);
    is_trusted("in/file");
    chmod(folder_path("in/file"), 01666);
    is_refused("in/file", "is writable by all users");
}
END_TEST

START_TEST(a_file_of_another_user_is_refused)
{
    ck_assert_int_eq(chown(folder_path("in/file"), NOBODY, NOBODY), 0);
    is_refused("in/file", "is owned by user 65534");
    ck_assert_int_eq(chown(folder_path("in/file"), 0, 0), 0);
    ck_assert_int_eq(chown(folder_path("in"), NOBODY, NOBODY), 0);
    is_refused("in/file", "is owned by user 65534");
    chmod(folder_path("in"), 01777);
    is_refused("in/file", "is owned by user 65534");
}
END_TEST

START_TEST(a_link_is_judged_by_where_it_leads)
{
    ck_assert_int_eq(symlink(folder_path("in/file"), folder_path("absolute")), 0);
    ck_assert_int_eq(symlink("in/./file", folder_path("relative")), 0);
    ck_assert_int_eq(symlink("in", folder_path("folder")), 0);
    is_trusted("absolute");
    is_trusted("relative");
    is_trusted("folder/file");
    chmod(folder_path("in"), 0777);
    is_refused("absolute", "is writable by all users");
    is_refused("relative", "is writable by all users");
    is_refused("folder/file", "is writable by all users");
}
END_TEST

START_TEST(a_link_of_another_user_is_refused)
{
    chmod(folder, 01777);
    ck_assert_int_eq(symlink("in", folder_path("theirs")), 0);
    ck_assert_int_eq(lchown(folder_path("theirs"), NOBODY, NOBODY), 0);
    is_refused("theirs/file", "is owned by user 65534");
    is_trusted("in/file");
}
END_TEST

START_TEST(a_circle_of_links_has_an_end)
{
    ck_assert_int_eq(symlink("two", folder_path("one")), 0);
    ck_assert_int_eq(symlink("one", folder_path("two")), 0);
    is(TRM_ERROR_NOT_FOUND, folder_path("one"), "too many symbolic links");
}
END_TEST

START_TEST(a_link_that_leads_nowhere_is_not_found)
{
    ck_assert_int_eq(symlink("none", folder_path("dangling")), 0);
    is(TRM_ERROR_NOT_FOUND, folder_path("dangling"), "does not exist");
}
END_TEST

START_TEST(a_path_that_is_too_long_is_refused)
{
    char path[2 * PATH_MAX];
    memset(path, '/', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    is(TRM_ERROR_NOT_FOUND, path, "too long");
    memset(path + 1, 'a', 300);
    path[300] = '\0';
    ck_assert_int_ne(base_file_permissions_check(path), TRM_OK);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite            = suite_create("file permissions");
    TCase *file_permissions = tcase_create("file permissions");
    tcase_add_checked_fixture(file_permissions, setup, folder_remove);
    tcase_add_test(file_permissions, a_file_of_ones_own_is_trusted);
    tcase_add_test(file_permissions, a_relative_path_is_refused);
    tcase_add_test(file_permissions, what_does_not_exist_is_not_found);
    tcase_add_test(file_permissions, what_is_no_regular_file_is_refused);
    tcase_add_test(file_permissions, what_others_may_write_is_refused);
    tcase_add_test(file_permissions, a_sticky_folder_that_all_may_write_is_no_danger);
    tcase_add_test(file_permissions, a_link_is_judged_by_where_it_leads);
    tcase_add_test(file_permissions, a_circle_of_links_has_an_end);
    tcase_add_test(file_permissions, a_link_that_leads_nowhere_is_not_found);
    tcase_add_test(file_permissions, a_path_that_is_too_long_is_refused);
    if (geteuid() == 0) { /* only root can give files away */
        tcase_add_test(file_permissions, a_file_of_another_user_is_refused);
        tcase_add_test(file_permissions, a_link_of_another_user_is_refused);
    }
    suite_add_tcase(suite, file_permissions);
    return suite;
}

UNIT_SUITE(make_suite)
