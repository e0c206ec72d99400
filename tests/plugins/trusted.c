/* Which files may name code: those that only root and the user can write, in folders that only they can
 * write.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nest.h"

enum {
    OTHER_USER = 65534
};

static void make_template(void)
{
    nest_make();
    nest_add_module("backends/template/template");
}

/* Whether the template backend can be had through the folder; the reason must say why not. */
static void check_trust(int trusted, const char *words)
{
    struct trm_context *context           = nest_context(nest_folder(), NULL);
    const struct trm_candidate *candidate = nest_candidate(context, "template.so");
    struct trm_device *device             = NULL;

    if (trusted) {
        nest_accepted(context, "template.so");
        nest_device_works(context, "template:0");
    } else {
        ck_assert_msg(candidate == NULL || !candidate->accepted, "an untrusted plugin was accepted");
        ck_assert_int_ne(trm_device_open(context, "template:0", &device), TRM_OK);
        ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not said: %s", words,
                      trm_last_error().sentence);
    }
    trm_context_destroy(context);
}

/* The same by the path of the file. */
static void check_trust_of_path(const char *file, int trusted)
{
    struct trm_context *context = nest_context(NULL, nest_path(file));
    struct trm_device *device   = NULL;

    if (trusted) {
        nest_device_works(context, NULL);
    } else {
        ck_assert_int_ne(trm_device_open(context, NULL, &device), TRM_OK);
        nest_refused(context, file, TRM_CANDIDATE_FOUND, "");
    }
    trm_context_destroy(context);
}

/* A choice that must not lead to a plugin, however it is refused: with the context, or when a device is
 * wanted. */
static void check_no_device(const char *path, const char *backend)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;

    if (path != NULL)
        setenv("TRIREME_BACKEND_PATH", path, 1);
    setenv("TRIREME_BACKEND", backend, 1);
    if (trm_context_create(NULL, &context) == TRM_OK)
        ck_assert_int_ne(trm_device_open(context, NULL, &device), TRM_OK);
    ck_assert_ptr_null(device);
    ck_assert_int_ne(trm_last_error().status, TRM_OK);
    trm_context_destroy(context);
}

/* ---- relative names --------------------------------------------------------------------------------- */

START_TEST(a_relative_path_to_a_plugin_is_refused)
{
    ck_assert_int_eq(chdir(nest_folder()), 0);
    check_no_device(NULL, "./template.so");
    check_trust_of_path("template.so", 1);
}
END_TEST

START_TEST(a_relative_folder_is_refused)
{
    ck_assert_int_eq(chdir(nest_folder()), 0);
    check_no_device(".", "template");
    check_trust(1, "");
}
END_TEST

START_TEST(an_empty_folder_name_does_not_mean_the_current_folder)
{
    ck_assert_int_eq(chdir(nest_folder()), 0);
    check_no_device("", "template");
    check_no_device(":", "template");
}
END_TEST

/* ---- permissions ----------------------------------------------------------------------------------- */

START_TEST(a_world_writable_plugin_is_refused)
{
    ck_assert_int_eq(chmod(nest_path("template.so"), 0757), 0);
    check_trust(0, "writ");
    check_trust_of_path("template.so", 0);

    ck_assert_int_eq(chmod(nest_path("template.so"), 0755), 0);
    check_trust(1, "");
}
END_TEST

START_TEST(a_world_writable_folder_is_refused)
{
    ck_assert_int_eq(chmod(nest_folder(), 0777), 0);
    check_trust(0, "");
    check_trust_of_path("template.so", 0);

    ck_assert_int_eq(chmod(nest_folder(), 0755), 0);
    check_trust(1, "");
}
END_TEST

START_TEST(a_plugin_or_folder_that_its_group_may_write_is_refused)
{
    ck_assert_int_eq(chmod(nest_path("template.so"), 0775), 0);
    check_trust(0, "group");

    ck_assert_int_eq(chmod(nest_path("template.so"), 0755), 0);
    ck_assert_int_eq(chmod(nest_folder(), 0775), 0);
    check_trust(0, "group");
}
END_TEST

/* Like /tmp: others may add files there, and not replace those of the user. */
START_TEST(a_sticky_folder_is_no_reason_to_refuse_what_is_ones_own)
{
    ck_assert_int_eq(chmod(nest_folder(), 01777), 0);
    check_trust(1, "");
    check_trust_of_path("template.so", 1);
}
END_TEST

START_TEST(a_world_writable_parent_folder_is_refused)
{
    ck_assert_int_eq(mkdir(nest_path("above"), 0755), 0);
    ck_assert_int_eq(mkdir(nest_path("above/folder"), 0755), 0);
    nest_add_module("backends/template/template");
    ck_assert_int_eq(rename(nest_path("template.so"), nest_path("above/folder/template.so")), 0);
    check_trust_of_path("above/folder/template.so", 1);

    ck_assert_int_eq(chmod(nest_path("above"), 0777), 0);
    check_trust_of_path("above/folder/template.so", 0);
}
END_TEST

START_TEST(a_plugin_of_another_user_is_refused)
{
    ck_assert_int_eq(chown(nest_path("template.so"), OTHER_USER, OTHER_USER), 0);
    check_trust(0, "");
    check_trust_of_path("template.so", 0);

    ck_assert_int_eq(chown(nest_path("template.so"), 0, 0), 0);
    check_trust(1, "");
}
END_TEST

START_TEST(a_folder_of_another_user_is_refused)
{
    ck_assert_int_eq(chown(nest_folder(), OTHER_USER, OTHER_USER), 0);
    check_trust(0, "");

    ck_assert_int_eq(chown(nest_folder(), 0, 0), 0);
    check_trust(1, "");
}
END_TEST

/* ---- links ------------------------------------------------------------------------------------------ */

START_TEST(a_link_is_as_good_as_the_file_it_leads_to)
{
    ck_assert_int_eq(rename(nest_path("template.so"), nest_path("elsewhere")), 0);
    ck_assert_int_eq(symlink(nest_path("elsewhere"), nest_path("template.so")), 0);
    check_trust_of_path("template.so", 1);

    ck_assert_int_eq(chmod(nest_path("elsewhere"), 0757), 0);
    check_trust_of_path("template.so", 0);
}
END_TEST

START_TEST(a_link_into_a_world_writable_folder_is_refused)
{
    ck_assert_int_eq(mkdir(nest_path("open"), 0755), 0);
    ck_assert_int_eq(rename(nest_path("template.so"), nest_path("open/template.so")), 0);
    ck_assert_int_eq(symlink(nest_path("open/template.so"), nest_path("template.so")), 0);
    check_trust_of_path("template.so", 1);

    ck_assert_int_eq(chmod(nest_path("open"), 0777), 0);
    check_trust_of_path("template.so", 0);
}
END_TEST

/* ---- trireme.conf ----------------------------------------------------------------------------------- */

/* Write a trireme.conf that says where plugins are. */
static void write_config(mode_t mode)
{
    struct trm_setting_info info;
    char line[8192] = "";

    for (uint32_t i = 0; i < trm_setting_count(); i++) {
        memset(&info, 0, sizeof(info));
        info.struct_size = sizeof(info);
        ck_assert_int_eq(trm_setting_describe(i, &info), TRM_OK);
        if (strcmp(info.variable, "TRIREME_BACKEND_PATH") == 0)
            snprintf(line, sizeof(line), "%s = %s\n", info.name, nest_folder());
    }
    ck_assert_str_ne(line, "");
    ck_assert_int_eq(mkdir(nest_path("config"), 0755), 0);
    ck_assert_int_eq(mkdir(nest_path("config/trireme"), 0755), 0);
    nest_write("config/trireme/trireme.conf", line, strlen(line));
    ck_assert_int_eq(chmod(nest_path("config/trireme/trireme.conf"), mode), 0);
    setenv("XDG_CONFIG_HOME", nest_path("config"), 1);
}

START_TEST(a_config_file_of_ones_own_may_say_where_plugins_are)
{
    struct trm_context *context;

    write_config(0644);
    context = nest_context(NULL, NULL);
    nest_device_works(context, "template:0");
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_world_writable_config_file_may_not)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;

    write_config(0666);
    unsetenv("TRIREME_BACKEND_PATH");
    unsetenv("TRIREME_BACKEND");
    if (trm_context_create(NULL, &context) == TRM_OK)
        ck_assert_int_ne(trm_device_open(context, "template:0", &device), TRM_OK);
    ck_assert_ptr_null(device);
    trm_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("trusted files");
    TCase *trust    = tcase_create("trust");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(trust, make_template, nest_remove);
    tcase_set_timeout(trust, 60);
    tcase_add_test(trust, a_relative_path_to_a_plugin_is_refused);
    tcase_add_test(trust, a_relative_folder_is_refused);
    tcase_add_test(trust, an_empty_folder_name_does_not_mean_the_current_folder);
    tcase_add_test(trust, a_world_writable_plugin_is_refused);
    tcase_add_test(trust, a_world_writable_folder_is_refused);
    tcase_add_test(trust, a_plugin_or_folder_that_its_group_may_write_is_refused);
    tcase_add_test(trust, a_sticky_folder_is_no_reason_to_refuse_what_is_ones_own);
    tcase_add_test(trust, a_world_writable_parent_folder_is_refused);
    if (geteuid() == 0) { /* only root can give files away */
        tcase_add_test(trust, a_plugin_of_another_user_is_refused);
        tcase_add_test(trust, a_folder_of_another_user_is_refused);
    }
    tcase_add_test(trust, a_link_is_as_good_as_the_file_it_leads_to);
    tcase_add_test(trust, a_link_into_a_world_writable_folder_is_refused);
    tcase_add_test(trust, a_config_file_of_ones_own_may_say_where_plugins_are);
    tcase_add_test(trust, a_world_writable_config_file_may_not);
    suite_add_tcase(suite, trust);

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
