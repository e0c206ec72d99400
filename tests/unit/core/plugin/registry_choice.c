/* Which of the plugins that were found are chosen, and which device is the default.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/core/plugin/registry_fixture.h"

/* ---- what is chosen ---- */

START_TEST(one_name_takes_that_backend_and_probes_no_other)
{
    add_all();
    make("one");
    ck_assert_str_eq(devices(), "one:0");
    resolves(NULL, "one", 0);
    ck_assert_ptr_nonnull(strstr(logged, "one is probed"));
    ck_assert_ptr_null(strstr(logged, "two is probed"));
    reason_is("two", TRM_CANDIDATE_FOUND, "not selected by the program's setting backend=one");
    does_not_resolve("two:0", "not selected");
}
END_TEST

START_TEST(one_name_that_cannot_be_had_is_an_error_that_says_why)
{
    uint32_t count = 77;
    add_all();
    make_with("two", "two.refuse", "the test");
    ck_assert_int_eq(core_registry_status(registry()), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_device_count(context, &count), TRM_ERROR_NOT_FOUND);
    ck_assert_uint_eq(count, 77);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "told to refuse by the test"));
    does_not_resolve(NULL, "told to refuse by the test");
    reason_is("two", TRM_CANDIDATE_TABLES, "told to refuse by the test");

    make("four");
    ck_assert_int_eq(trm_device_count(context, &count), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "four.so"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, folder_path("b")));
    reason_is("four", TRM_CANDIDATE_FOUND, "there is no file four.so in");
}
END_TEST

START_TEST(a_list_falls_back_in_its_order)
{
    add_all();
    make("one,three");
    ck_assert_str_eq(report(), "one+ three+ two-");
    resolves(NULL, "one", 0);
    resolves("three:2", "three", 2);
    make_with("two,four,three", "two.refuse", "the test");
    ck_assert_str_eq(report(), "three+ two- four- one-");
    resolves(NULL, "three", 0);
    ck_assert_str_eq(devices(), "three:0 three:1 three:2");
}
END_TEST

START_TEST(a_list_of_which_nothing_can_be_had_gives_every_reason)
{
    add_all();
    make_with("two,four", "two.refuse", "the test");
    ck_assert_str_eq(devices(), "");
    does_not_resolve(NULL, "two: told to refuse by the test; four: there is no file four.so");
}
END_TEST

START_TEST(all_but_some_takes_the_best_of_the_others)
{
    add_all();
    make("^two");
    ck_assert_str_eq(report(), "three+ one+ two-");
    ck_assert_ptr_null(strstr(logged, "two is probed"));
    reason_is("two", TRM_CANDIDATE_FOUND, "excluded by the program's setting backend=^two");
    make("^two,three");
    ck_assert_str_eq(devices(), "one:0");
}
END_TEST

START_TEST(excluding_looks_at_the_plugins_own_name_too)
{
    add("fake-two", "a/innocent.so");
    make("^two");
    ck_assert_str_eq(devices(), "");
    reason_is("two", TRM_CANDIDATE_TABLES, "excluded by the program's setting backend=^two");
}
END_TEST

START_TEST(a_device_number_makes_that_device_the_default)
{
    add_all();
    make("two:1");
    resolves(NULL, "two", 1);
    resolves("two:0", "two", 0);
    ck_assert_str_eq(devices(), "two:1 two:0");
    make("three:2,two:1");
    ck_assert_str_eq(devices(), "three:2 three:0 three:1 two:1 two:0");
}
END_TEST

START_TEST(a_device_number_that_there_is_not_refuses_the_backend)
{
    add_all();
    make("two:2");
    does_not_resolve(NULL, "there is no device two:2: the backend two has 2, two:0 to two:1");
    make("two:2,one");
    resolves(NULL, "one", 0);
    ck_assert_ptr_nonnull(strstr(logged, "two is closed"));
}
END_TEST

START_TEST(a_backend_may_be_named_by_its_path)
{
    char path[PATH_MAX];
    add_all();
    add("fake-one", "elsewhere.so");
    make(folder_path("elsewhere.so"));
    ck_assert_str_eq(devices(), "one:0");
    resolves("one:0", "one", 0);
    ck_assert_ptr_null(strstr(logged, "two is probed"));

    snprintf(path, sizeof(path), "%s:1,one", folder_path("b/two.so"));
    make(path);
    ck_assert_str_eq(devices(), "two:1 two:0 one:0");
    resolves(NULL, "two", 1);
}
END_TEST

START_TEST(a_path_that_is_relative_or_leads_nowhere_is_refused)
{
    ck_assert_int_eq(chdir(folder), 0);
    add("fake-one", "a/one.so");
    make("./a/one.so");
    does_not_resolve(NULL, "not absolute");
    reason_is("one", TRM_CANDIDATE_FOUND, "not absolute");
    make("/nowhere/one.so");
    does_not_resolve(NULL, "does not exist");
    make("/nowhere/a_plugin_with_a_name_that_is_longer_than_any_name_of_a_backend_may_be");
    does_not_resolve(NULL, "does not exist");
}
END_TEST

START_TEST(the_setting_device_is_the_default_device)
{
    add_all();
    make_with("", "device", "three:1");
    resolves(NULL, "three", 1);
    resolves("one", "one", 0);
    make_with("", "device", "four");
    does_not_resolve(NULL, "there is no backend for the device \"four\"");
    make_with("", "device", "one:3");
    does_not_resolve(NULL, "there is no device one:3: the backend one has 1");
}
END_TEST

START_TEST(a_device_is_found_by_its_uuid)
{
    add_all();
    make("");
    resolves("three:uuid=fa6e0000-0000-0000-0000-000000000001", "three", 1);
    resolves("two:uuid=FA6E0000000000000000000000000000", "two", 0);
    make_with("", "device", "two:uuid=fa6e0000000000000000000000000001");
    resolves(NULL, "two", 1);
}
END_TEST

START_TEST(a_uuid_that_no_device_has_gives_those_that_there_are)
{
    add_all();
    make("");
    does_not_resolve("three:uuid=ff6e0000000000000000000000000001",
                     "there is no device three:uuid=ff6e0000000000000000000000000001: three:0 is "
                     "fa6e0000-0000-0000-0000-000000000000, three:1 is fa6e0000-0000-0000-0000-000000000001, "
                     "three:2 is without a UUID");
    does_not_resolve("four:uuid=fa6e0000000000000000000000000001", "one: available");
}
END_TEST

START_TEST(a_device_is_found_by_a_pattern_of_its_name)
{
    add_all();
    make("three:2,two");
    resolves("three:name=three is the name*", "three", 0);
    resolves("three:name=THREE*; 1", "three", 1);
    resolves("three:name=*[12]", "three", 1);
    resolves("two:name=*1", "two", 1);
    make_with("", "device", "three:name=*2");
    resolves(NULL, "three", 2);
}
END_TEST

START_TEST(a_pattern_that_no_name_fits_gives_the_names_that_there_are)
{
    add_all();
    make("");
    does_not_resolve("two:name=two", "two:0 is two is the name of a device");
    does_not_resolve("two:name=*2", ", two:1 is two is the name of a device");
}
END_TEST

START_TEST(a_device_that_does_not_tell_its_name_is_a_failure)
{
    struct core_backend *backend = NULL;
    uint32_t index               = 99;
    add_all();
    make_with("", "two.silent", "yes");
    ck_assert_int_eq(core_registry_resolve(registry(), "two:name=*", &backend, &index), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_BACKEND);
    ck_assert_ptr_null(backend);
}
END_TEST

START_TEST(what_is_no_device_is_not_found)
{
    add_all();
    make("");
    does_not_resolve("", "empty");
    does_not_resolve("one:", "is not the name of a device");
    does_not_resolve("one:0:0", "is not the name of a device");
    does_not_resolve("One", "is not the name of a device");
    does_not_resolve("four:0", "one: available");
    does_not_resolve("two:2", "there is no device two:2");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("choice");
    TCase *tests = tcase_create("choice");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, one_name_takes_that_backend_and_probes_no_other);
    tcase_add_test(tests, one_name_that_cannot_be_had_is_an_error_that_says_why);
    tcase_add_test(tests, a_list_falls_back_in_its_order);
    tcase_add_test(tests, a_list_of_which_nothing_can_be_had_gives_every_reason);
    tcase_add_test(tests, all_but_some_takes_the_best_of_the_others);
    tcase_add_test(tests, excluding_looks_at_the_plugins_own_name_too);
    tcase_add_test(tests, a_device_number_makes_that_device_the_default);
    tcase_add_test(tests, a_device_number_that_there_is_not_refuses_the_backend);
    tcase_add_test(tests, a_backend_may_be_named_by_its_path);
    tcase_add_test(tests, a_path_that_is_relative_or_leads_nowhere_is_refused);
    tcase_add_test(tests, the_setting_device_is_the_default_device);
    tcase_add_test(tests, a_device_is_found_by_its_uuid);
    tcase_add_test(tests, a_uuid_that_no_device_has_gives_those_that_there_are);
    tcase_add_test(tests, a_device_is_found_by_a_pattern_of_its_name);
    tcase_add_test(tests, a_pattern_that_no_name_fits_gives_the_names_that_there_are);
    tcase_add_test(tests, a_device_that_does_not_tell_its_name_is_a_failure);
    tcase_add_test(tests, what_is_no_device_is_not_found);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
