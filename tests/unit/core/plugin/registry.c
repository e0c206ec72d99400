/* Which plugins are found, what the report says of them, and what they get.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/core/plugin/registry_fixture.h"

/* ---- what is found ---- */

START_TEST(without_a_choice_the_best_score_comes_first)
{
    add_all();
    make("");
    ck_assert_str_eq(report(), "two+ three+ one+");
    ck_assert_int_eq(trm_last_error().status, TRM_OK);
    ck_assert_str_eq(devices(), "two:0 two:1 three:0 three:1 three:2 one:0");
    resolves(NULL, "two", 0);
}
END_TEST

START_TEST(the_report_says_who_is_there)
{
    add("fake-one", "a/one.so");
    make("");
    struct trm_candidate candidate = candidate_of("one");
    ck_assert_int_eq(candidate.accepted, 1);
    ck_assert_int_eq(candidate.stage, TRM_CANDIDATE_OPENED);
    ck_assert_int_eq(candidate.score, 100);
    ck_assert_str_eq(candidate.version, "1.2.3");
    ck_assert_str_eq(candidate.reason, "");
    ck_assert_str_eq(candidate.path, folder_path("a/one.so"));
}
END_TEST

START_TEST(no_plugin_anywhere_is_said_plainly)
{
    make("");
    ck_assert_str_eq(report(), "");
    ck_assert_str_eq(devices(), "");
    does_not_resolve(NULL, "no backend");
    does_not_resolve("cuda", "");
}
END_TEST

START_TEST(only_files_that_end_in_so_are_looked_at)
{
    add("fake-one", "a/one");
    add("fake-one", "a/one.so.1");
    add("fake-one", "a/.so");
    add("fake-one", "a/.hidden.so");
    make("");
    ck_assert_str_eq(report(), "");
}
END_TEST

START_TEST(a_folder_counts_once_whatever_it_is_called)
{
    add("fake-one", "a/one.so");
    ck_assert_int_eq(symlink("a", folder_path("link")), 0);
    snprintf(search, sizeof(search), "%s:%s:%s:%s", folder_path("link"), folder_path("a"),
             folder_path("a/../a/"), folder_path("none"));
    make("");
    ck_assert_str_eq(report(), "one+");
}
END_TEST

START_TEST(a_search_has_an_end)
{
    size_t length = 0;
    add("fake-one", "a/one.so");
    add("fake-two", "b/two.so");
    for (int i = 0; i < 33; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", i);
        folder_sub(name);
        length += (size_t)snprintf(search + length, sizeof(search) - length,
                                   "%s:", folder_path(i == 0 ? "a" : name));
    }
    snprintf(search + length, sizeof(search) - length, "%s", folder_path("b"));
    make("");
    ck_assert_str_eq(report(), "one+");
    ck_assert_ptr_nonnull(strstr(logged, "the limit is"));
}
END_TEST

START_TEST(a_folder_with_too_many_plugins_is_said_so)
{
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof(name), "a/%d.so", i);
        folder_write(name, "");
    }
    make("");
    uint32_t count = 0;
    ck_assert_int_eq(trm_context_candidate_count(context, &count), TRM_OK);
    ck_assert_uint_ge(count, 256);
    ck_assert_uint_lt(count, 300);
    ck_assert_ptr_nonnull(strstr(logged, "has more than 256 backends"));
}
END_TEST

START_TEST(of_two_files_of_one_name_the_first_one_found_wins)
{
    add("fake-one", "a/one.so");
    add("fake-one", "b/one.so");
    make("");
    ck_assert_str_eq(report(), "one+ one-");
    ck_assert_str_eq(candidate_of("one").path, folder_path("a/one.so"));

    struct trm_candidate second = {.struct_size = sizeof(second)};
    ck_assert_int_eq(trm_context_candidate(context, 1, &second), TRM_OK);
    ck_assert_ptr_nonnull(strstr(second.reason, "shadowed by"));
    ck_assert_ptr_nonnull(strstr(second.reason, folder_path("a/one.so")));
    ck_assert_int_eq(second.stage, TRM_CANDIDATE_FOUND);
}
END_TEST

START_TEST(of_two_plugins_of_one_name_in_different_files_the_first_one_wins)
{
    add("fake-one", "a/copy.so");
    add("fake-one", "a/one.so");
    make("");
    ck_assert_str_eq(report(), "one+ one-");
    ck_assert_str_eq(candidate_of("one").path, folder_path("a/copy.so"));
}
END_TEST

START_TEST(a_refused_plugin_blocks_no_other)
{
    folder_write("a/one.so", "no plugin");
    add("fake-two", "a/two.so");
    add("fake-one", "b/one.so");
    add("fake-two", "b/two.so");
    make_with("", "two.refuse", "the test");
    ck_assert_str_eq(report(), "one+ one- two- two-");
    ck_assert_str_eq(candidate_of("one").path, folder_path("b/one.so"));
    resolves("one", "one", 0);
    reason_is("two", TRM_CANDIDATE_TABLES, "told to refuse by the test");
    make("one");
    resolves(NULL, "one", 0);
}
END_TEST

/* ---- what a plugin says and gets ---- */

START_TEST(a_plugin_reads_its_settings_and_may_ask_whom_to_trust)
{
    add_all();
    make_with("", "one.score", "999");
    resolves(NULL, "one", 0);
    make_with("", "one.score", "1001");
    reason_is("one", TRM_CANDIDATE_TABLES, "its score is 1001");
    make_with("one", "one.trust", folder_path("a/one.so"));
    resolves(NULL, "one", 0);
    make_with("one", "one.trust", "relative.so");
    reason_is("one", TRM_CANDIDATE_PROBED, "not an absolute path");
}
END_TEST

START_TEST(backends_are_closed_when_the_context_ends)
{
    add_all();
    make("");
    ck_assert_str_ne(devices(), "");
    ck_assert_ptr_null(strstr(logged, "is closed"));
    trm_context_destroy(context);
    context = NULL;
    ck_assert_ptr_nonnull(strstr(logged, "one is closed"));
    ck_assert_ptr_nonnull(strstr(logged, "two is closed"));
    ck_assert_ptr_nonnull(strstr(logged, "three is closed"));
}
END_TEST

START_TEST(two_contexts_have_instances_of_their_own)
{
    struct trm_context *first;
    add_all();
    make("one");
    resolves(NULL, "one", 0);
    first   = context;
    context = NULL;
    make("one");
    resolves(NULL, "one", 0);
    trm_context_destroy(first);
    resolves(NULL, "one", 0);
    ck_assert_str_eq(devices(), "one:0");
}
END_TEST

START_TEST(a_device_is_described)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    add_all();
    make("");
    ck_assert_int_eq(trm_device_describe(context, 1, &summary), TRM_OK);
    ck_assert_str_eq(summary.id, "two:1");
    ck_assert_str_eq(summary.backend, "two");
    ck_assert_int_eq(strncmp(summary.name, "two is the name", 15), 0);
    ck_assert_uint_eq(strlen(summary.name), sizeof(summary.name) - 1);
    ck_assert_uint_eq(summary.memory_bytes, 1001);
    ck_assert_int_eq(summary.unified, 1);
    ck_assert_int_eq(summary.kind, TRM_DEVICE_CPU);
    ck_assert_int_eq(summary.score, 300);
    ck_assert_uint_eq(summary.struct_size, sizeof(summary));
}
END_TEST

START_TEST(describing_and_counting_check_their_arguments)
{
    uint32_t count                    = 0;
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    struct trm_candidate candidate    = {.struct_size = sizeof(candidate)};
    add_all();
    make("");
    ck_assert_int_eq(trm_device_count(context, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_count(NULL, &count), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_device_describe(context, 6, &summary), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_device_describe(context, UINT32_MAX, &summary), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_device_describe(context, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_device_describe(NULL, 0, &summary), TRM_ERROR_INVALID_HANDLE);
    summary.struct_size = 100;
    ck_assert_int_eq(trm_device_describe(context, 0, &summary), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_candidate_count(context, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_candidate_count(NULL, &count), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_context_candidate(context, 999, &candidate), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_context_candidate(context, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_context_candidate(NULL, 0, &candidate), TRM_ERROR_INVALID_HANDLE);
    candidate.struct_size = 4;
    ck_assert_int_eq(trm_context_candidate(context, 0, &candidate), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_device_that_says_nothing_of_itself_is_an_error)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    add_all();
    make_with("one", "one.silent", "yes");
    ck_assert_int_eq(trm_device_describe(context, 0, &summary), TRM_ERROR_BACKEND);
    ck_assert_str_eq(trm_last_error().sentence, trm_status_text(TRM_ERROR_BACKEND));
}
END_TEST

/* ---- memory and threads ---- */

START_TEST(without_memory_for_the_report_the_call_fails_and_a_later_one_works)
{
    int failures   = 0;
    uint32_t count = 0;
    add_all();
    folder_write("a/text.so", "no plugin");
    make("two,one,four,text");
    for (int n = 1; n < 200; n++) {
        counting.fail_from = counting.allocations + n;
        int32_t status     = trm_context_candidate_count(context, &count);
        counting.fail_from = 0;
        if (status == TRM_OK)
            break;
        ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 5);
    ck_assert_str_eq(report(), "two+ one+ four- text- three-");
}
END_TEST

START_TEST(a_backend_that_had_no_memory_is_asked_again)
{
    int starved    = 0;
    uint32_t count = 0;
    add_all();
    for (int n = 1; n < 200; n++) {
        make("");
        counting.fail_at = counting.allocations + n;
        int32_t status   = trm_device_count(context, &count);
        int64_t reached  = counting.allocations;
        if (reached < counting.fail_at)
            break;
        counting.fail_at = 0;
        ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        starved += strstr(trm_last_error().sentence, "no memory for a fake") != NULL;
        ck_assert_str_eq(report(), "two+ three+ one+");
    }
    counting.fail_at = 0;
    ck_assert_int_eq(starved, 3);
}
END_TEST

static void *count_them(void *unused)
{
    uint32_t count = 0;
    (void)unused;
    ck_assert_int_eq(trm_device_count(context, &count), TRM_OK);
    ck_assert_uint_eq(count, 6);
    return NULL;
}

START_TEST(many_threads_that_ask_first_load_the_plugins_once)
{
    pthread_t threads[8];
    add_all();
    make("");
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, count_them, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    char *first = strstr(logged, "one is probed");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "one is probed"));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("registry");
    TCase *tests = tcase_create("registry");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, without_a_choice_the_best_score_comes_first);
    tcase_add_test(tests, the_report_says_who_is_there);
    tcase_add_test(tests, no_plugin_anywhere_is_said_plainly);
    tcase_add_test(tests, only_files_that_end_in_so_are_looked_at);
    tcase_add_test(tests, a_folder_counts_once_whatever_it_is_called);
    tcase_add_test(tests, a_search_has_an_end);
    tcase_add_test(tests, a_folder_with_too_many_plugins_is_said_so);
    tcase_add_test(tests, of_two_files_of_one_name_the_first_one_found_wins);
    tcase_add_test(tests, of_two_plugins_of_one_name_in_different_files_the_first_one_wins);
    tcase_add_test(tests, a_refused_plugin_blocks_no_other);
    tcase_add_test(tests, a_plugin_reads_its_settings_and_may_ask_whom_to_trust);
    tcase_add_test(tests, backends_are_closed_when_the_context_ends);
    tcase_add_test(tests, two_contexts_have_instances_of_their_own);
    tcase_add_test(tests, a_device_is_described);
    tcase_add_test(tests, describing_and_counting_check_their_arguments);
    tcase_add_test(tests, a_device_that_says_nothing_of_itself_is_an_error);
    tcase_add_test(tests, without_memory_for_the_report_the_call_fails_and_a_later_one_works);
    tcase_add_test(tests, a_backend_that_had_no_memory_is_asked_again);
    tcase_add_test(tests, many_threads_that_ask_first_load_the_plugins_once);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
