/* The last error, kept failures, names and texts of statuses, types, the version.
 * SPDX-License-Identifier: MIT
 */
#include "base/error.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"

#define LOWEST_STATUS TRM_ERROR_TIME_LIMIT

START_TEST(every_status_has_a_name_and_a_text_of_its_own)
{
    for (int32_t status = LOWEST_STATUS; status <= TRM_OK; status++) {
        ck_assert_str_ne(trm_status_name(status), "TRM_ERROR_UNKNOWN");
        ck_assert_str_ne(trm_status_text(status), trm_status_text(-9999));
        ck_assert_int_eq(strncmp(trm_status_name(status), "TRM_", 4), 0);
        ck_assert_ptr_null(strchr(trm_status_text(status), '\n'));
        for (int32_t other = LOWEST_STATUS; other < status; other++) {
            ck_assert_str_ne(trm_status_name(status), trm_status_name(other));
            ck_assert_str_ne(trm_status_text(status), trm_status_text(other));
        }
    }
    ck_assert_str_eq(trm_status_name(TRM_ERROR_TIMEOUT), "TRM_ERROR_TIMEOUT");
    ck_assert_str_eq(trm_status_name(TRM_OK), "TRM_OK");
}
END_TEST

START_TEST(a_number_that_is_no_status_is_unknown)
{
    static const int32_t numbers[] = {1, 77, LOWEST_STATUS - 1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        ck_assert_str_eq(trm_status_name(numbers[i]), "TRM_ERROR_UNKNOWN");
        ck_assert_ptr_nonnull(trm_status_text(numbers[i]));
    }
}
END_TEST

START_TEST(a_thread_that_has_not_failed_has_no_last_error)
{
    struct trm_error error = trm_last_error();
    ck_assert_int_eq(error.status, TRM_OK);
    ck_assert_int_eq(error.native_code, 0);
    ck_assert_str_eq(error.sentence, "");
}
END_TEST

START_TEST(a_failure_is_kept_with_its_sentence_and_native_code)
{
    ck_assert_int_eq(base_fail(TRM_ERROR_OUT_OF_RANGE, "offset %d is too far", 7), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_OUT_OF_RANGE);
    ck_assert_str_eq(trm_last_error().sentence, "offset 7 is too far");
    ck_assert_int_eq(base_last_status(), TRM_ERROR_OUT_OF_RANGE);

    ck_assert_int_eq(base_fail_native(TRM_ERROR_BACKEND, -719, "the driver says no"), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_last_error().native_code, -719);
    ck_assert_str_eq(trm_last_error().sentence, "the driver says no");

    ck_assert_int_eq(base_fail_memory("counting sheep"), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_str_eq(trm_last_error().sentence, "out of host memory while counting sheep");
    ck_assert_int_eq(trm_last_error().native_code, 0);

    ck_assert_int_eq(base_fail_static(TRM_ERROR_TIMEOUT, "not yet"), TRM_ERROR_TIMEOUT);
    ck_assert_str_eq(trm_last_error().sentence, "not yet");
}
END_TEST

START_TEST(a_failure_without_words_says_what_its_status_means)
{
    base_fail_native(TRM_ERROR_KERNEL, 3, NULL);
    ck_assert_str_eq(trm_last_error().sentence, trm_status_text(TRM_ERROR_KERNEL));
    base_fail_native(TRM_ERROR_KERNEL, 3, "");
    ck_assert_str_eq(trm_last_error().sentence, trm_status_text(TRM_ERROR_KERNEL));
    ck_assert_int_eq(trm_last_error().native_code, 3);
}
END_TEST

START_TEST(a_sentence_may_quote_the_one_before_it)
{
    base_fail(TRM_ERROR_NOT_FOUND, "no such file");
    base_fail(TRM_ERROR_BACKEND, "cannot load: %s", trm_last_error().sentence);
    ck_assert_str_eq(trm_last_error().sentence, "cannot load: no such file");
    base_fail_native(TRM_ERROR_BACKEND, 0, trm_last_error().sentence + 13);
    ck_assert_str_eq(trm_last_error().sentence, "no such file");
}
END_TEST

START_TEST(a_sentence_that_is_too_long_is_cut_with_dots)
{
    char text[5000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    base_fail(TRM_ERROR_BACKEND, "%s", text);
    const char *sentence = trm_last_error().sentence;
    ck_assert_uint_lt(strlen(sentence), 4000);
    ck_assert_str_eq(sentence + strlen(sentence) - 4, "x...");
}
END_TEST

START_TEST(the_point_of_a_number_is_a_point)
{
    static const char *const numbers[][2] = {
        {"1,5", "1.5"},
        {"-1\xd9\xab"
         "25e-07",
         "-1.25e-07"},
        {"1.5", "1.5"},
        {"12", "12"},
        {"-nan", "-nan"},
        {"inf", "inf"},
    };
    char text[16];

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        strcpy(text, numbers[i][0]);
        base_text_point(text);
        ck_assert_str_eq(text, numbers[i][1]);
    }
}
END_TEST

START_TEST(text_is_not_cut_inside_a_character)
{
    char text[9];
    base_text_copy(text, sizeof(text), "abcd\xc3\xa9\xc3\xa9\xc3\xa9");
    ck_assert_str_eq(text, "abcd...");
    base_text_copy(text, sizeof(text), "12345678");
    ck_assert_str_eq(text, "12345678");
    base_text_copy(text, sizeof(text), "123456789");
    ck_assert_str_eq(text, "12345...");
}
END_TEST

static void *fail_elsewhere(void *unused)
{
    (void)unused;
    base_fail(TRM_ERROR_BUSY, "elsewhere");
    return NULL;
}

START_TEST(the_last_error_belongs_to_its_thread)
{
    pthread_t thread;
    base_fail(TRM_ERROR_KERNEL, "here");
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    ck_assert_str_eq(trm_last_error().sentence, "here");
}
END_TEST

START_TEST(the_statuses_of_the_table_are_known_and_no_others)
{
    for (int32_t status = TRM_OK; status >= BASE_STATUS_LAST; status--) {
        ck_assert(base_status_is_known(status));
        ck_assert_str_ne(trm_status_name(status), "TRM_ERROR_UNKNOWN");
    }
    static const int32_t others[] = {1, INT32_MAX, INT32_MIN, BASE_STATUS_LAST - 1};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert(!base_status_is_known(others[i]));
        ck_assert_str_eq(trm_status_name(others[i]), "TRM_ERROR_UNKNOWN");
    }
}
END_TEST

START_TEST(text_without_an_end_is_read_as_far_as_it_fits)
{
    static const char endless[4] = {'a', 'b', 'c', 'd'};
    char copy[4];
    base_text_copy(copy, sizeof(copy), endless);
    ck_assert_str_eq(copy, "...");
}
END_TEST

START_TEST(clearing_hides_nothing_from_the_program)
{
    base_fail(TRM_ERROR_KERNEL, "here");
    base_error_clear();
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "here");
}
END_TEST

START_TEST(what_a_backend_says_is_told_from_what_was_said_before)
{
    base_fail(TRM_ERROR_KERNEL, "old news");
    base_error_clear();
    ck_assert_int_eq(base_fail_backend(TRM_ERROR_KERNEL), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, trm_status_text(TRM_ERROR_KERNEL));

    base_error_clear();
    base_fail_native(TRM_ERROR_KERNEL, 5, "fresh news");
    ck_assert_int_eq(base_fail_backend(TRM_ERROR_KERNEL), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "fresh news");

    base_fail_native(TRM_ERROR_KERNEL, 5, "of another status");
    base_fail_backend(TRM_ERROR_BUSY);
    ck_assert_str_eq(trm_last_error().sentence, trm_status_text(TRM_ERROR_BUSY));
}
END_TEST

START_TEST(a_failure_of_the_program_names_its_status_unless_more_was_said)
{
    base_fail(TRM_ERROR_INTERNAL, "old news");
    base_error_clear();
    ck_assert_int_eq(base_fail_program(TRM_ERROR_INTERNAL), TRM_ERROR_INTERNAL);
    ck_assert_str_eq(trm_last_error().sentence, "the program's function returned TRM_ERROR_INTERNAL");
    ck_assert_int_eq(base_fail_program(-9999), -9999);
    ck_assert_str_eq(trm_last_error().sentence, "the program's function returned -9999, which is no status");

    base_error_clear();
    base_fail(TRM_ERROR_KERNEL, "fresh news");
    ck_assert_int_eq(base_fail_program(TRM_ERROR_KERNEL), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "fresh news");
    base_fail_program(TRM_ERROR_BUSY);
    ck_assert_str_eq(trm_last_error().sentence, "the program's function returned TRM_ERROR_BUSY");
}
END_TEST

START_TEST(a_kept_failure_is_raised_again_as_it_was)
{
    struct base_failure failure;
    base_fail_native(TRM_ERROR_DEVICE_LOST, 4711, "the cable is gone");
    base_failure_save(&failure, TRM_ERROR_DEVICE_LOST);
    base_fail(TRM_ERROR_TIMEOUT, "something else");
    ck_assert_int_eq(base_failure_raise(&failure), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(trm_last_error().native_code, 4711);
    ck_assert_str_eq(trm_last_error().sentence, "the cable is gone");
}
END_TEST

START_TEST(a_kept_failure_of_which_nothing_was_said_says_what_it_means)
{
    struct base_failure failure;
    base_error_clear();
    base_failure_save(&failure, TRM_ERROR_DEVICE_LOST);
    ck_assert_str_eq(failure.sentence, trm_status_text(TRM_ERROR_DEVICE_LOST));
    ck_assert_int_eq(failure.status, TRM_ERROR_DEVICE_LOST);
}
END_TEST

START_TEST(a_saved_error_comes_back)
{
    struct base_saved_error saved;
    base_fail_native(TRM_ERROR_KERNEL, 12, "before");
    base_error_save(&saved);
    base_fail(TRM_ERROR_BUSY, "between");
    base_error_restore(&saved);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 12);
    ck_assert_str_eq(trm_last_error().sentence, "before");
}
END_TEST

START_TEST(every_type_has_a_size_and_a_name)
{
    static const uint32_t sizes[] = {0, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8};
    for (int32_t type = TRM_TYPE_NONE; type <= TRM_TYPE_F64; type++)
        ck_assert_uint_eq(trm_type_size(type), sizes[type]);
    ck_assert_str_eq(trm_type_name(TRM_TYPE_F32), "f32");
    ck_assert_str_eq(trm_type_name(TRM_TYPE_I64), "i64");
}
END_TEST

START_TEST(a_number_that_is_no_type_is_none)
{
    ck_assert_uint_eq(trm_type_size(-1), 0);
    ck_assert_uint_eq(trm_type_size(TRM_TYPE_BF16 + 1), 0);
    ck_assert_str_eq(trm_type_name(-1), "none");
    ck_assert_str_eq(trm_type_name(INT32_MAX), "none");
}
END_TEST

START_TEST(the_version_is_that_of_the_headers)
{
    char version[32];
    snprintf(version, sizeof(version), "%d.%d.%d", TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH);
    ck_assert_str_eq(trm_version(), version);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("errors");
    TCase *errors = tcase_create("errors");
    tcase_add_test(errors, every_status_has_a_name_and_a_text_of_its_own);
    tcase_add_test(errors, a_number_that_is_no_status_is_unknown);
    tcase_add_test(errors, a_thread_that_has_not_failed_has_no_last_error);
    tcase_add_test(errors, a_failure_is_kept_with_its_sentence_and_native_code);
    tcase_add_test(errors, a_failure_without_words_says_what_its_status_means);
    tcase_add_test(errors, a_sentence_may_quote_the_one_before_it);
    tcase_add_test(errors, a_sentence_that_is_too_long_is_cut_with_dots);
    tcase_add_test(errors, text_is_not_cut_inside_a_character);
    tcase_add_test(errors, the_point_of_a_number_is_a_point);
    tcase_add_test(errors, the_last_error_belongs_to_its_thread);
    tcase_add_test(errors, clearing_hides_nothing_from_the_program);
    tcase_add_test(errors, what_a_backend_says_is_told_from_what_was_said_before);
    tcase_add_test(errors, a_failure_of_the_program_names_its_status_unless_more_was_said);
    tcase_add_test(errors, a_kept_failure_is_raised_again_as_it_was);
    tcase_add_test(errors, a_kept_failure_of_which_nothing_was_said_says_what_it_means);
    tcase_add_test(errors, a_saved_error_comes_back);
    tcase_add_test(errors, the_statuses_of_the_table_are_known_and_no_others);
    tcase_add_test(errors, text_without_an_end_is_read_as_far_as_it_fits);
    tcase_add_test(errors, every_type_has_a_size_and_a_name);
    tcase_add_test(errors, a_number_that_is_no_type_is_none);
    tcase_add_test(errors, the_version_is_that_of_the_headers);
    suite_add_tcase(suite, errors);
    return suite;
}

UNIT_SUITE(make_suite)
