/* The text of `trireme run`: kernels and their options on the command line, the line of progress, and unknown
 * names.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "tests/unit/runner.h"
#include "tools/kernel/spec.h"
#include "tools/kernel/suggest.h"
#include "tools/run/report/progress.h"

static struct fault fault;

static void set_up(void)
{
    fault_init(&fault);
}

static void tear_down(void)
{
    fault_fini(&fault);
}

/* ---- kernels of the command line ---- */

START_TEST(a_kernel_has_options_and_lists)
{
    struct spec spec;

    ck_assert(spec_parse(&spec, "convolve3x3:weights=0,1,-4.5,planes=y", &fault));
    ck_assert_str_eq(spec.kernel, "convolve3x3");
    ck_assert_str_eq(spec_value(&spec, "weights"), "0,1,-4.5");
    ck_assert_str_eq(spec_value(&spec, "planes"), "y");
    ck_assert_ptr_null(spec_value(&spec, "border"));
    spec_release(&spec);
    ck_assert(spec_parse(&spec, "sobel", &fault));
    ck_assert_uint_eq(spec.option_count, 0);
    spec_release(&spec);
}
END_TEST

static const char *const bad_specs[] = {"", ":a=1", "k:", "k:a", "k:a=", "k:=1", "k:a=1,,b=2", "k:a=1,a=2"};

START_TEST(a_kernel_that_makes_no_sense_is_refused)
{
    struct spec spec;

    ck_assert_msg(!spec_parse(&spec, bad_specs[_i], &fault), "%s was accepted", bad_specs[_i]);
    ck_assert_str_ne(fault.text, "");
    spec_release(&spec);
}
END_TEST

/* ---- progress ---- */

START_TEST(progress_tells_what_is_known)
{
    struct progress progress = {.unit = "frames", .total = 200};
    char text[400];

    progress_line(text, sizeof(text), &progress, 50, 2.0, "compute", 200);
    ck_assert_ptr_nonnull(strstr(text, " 25 %"));
    ck_assert_ptr_nonnull(strstr(text, "50/200"));
    ck_assert_ptr_nonnull(strstr(text, "25 frames/s"));
    ck_assert_ptr_nonnull(strstr(text, "0:06 left"));
    ck_assert_ptr_nonnull(strstr(text, "slowest: compute"));
    progress.total = 0;
    progress_line(text, sizeof(text), &progress, 50, 2.0, NULL, 200);
    ck_assert_str_eq(text, "50 frames  25 frames/s");
    progress_line(text, sizeof(text), &progress, 50, 2.0, NULL, 11);
    ck_assert_str_eq(text, "50 frames ");
}
END_TEST

static unsigned count_columns(const char *text)
{
    unsigned columns = 0;

    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

START_TEST(progress_fits_a_terminal_of_80_columns)
{
    struct progress progress = {.unit = "batches", .total = 99999};
    char text[400];

    progress_line(text, sizeof(text), &progress, 50000, 100.0, "download", 80);
    ck_assert_uint_lt(count_columns(text), 80);
    ck_assert_ptr_nonnull(strstr(text, "▕"));
    ck_assert_ptr_nonnull(strstr(text, "50000/99999"));
    ck_assert_ptr_nonnull(strstr(text, "slowest: download"));
    progress_line(text, sizeof(text), &progress, 50000, 100.0, "download", 60);
    ck_assert_uint_lt(count_columns(text), 60);
    ck_assert_ptr_null(strstr(text, "▕")); /* no room for a bar */
}
END_TEST

/* ---- unknown names ---- */

START_TEST(the_distance_of_two_names_is_how_many_letters_differ)
{
    ck_assert_uint_eq(suggest_distance("sobel", "sobel"), 0);
    ck_assert_uint_eq(suggest_distance("sobl", "sobel"), 1);
    ck_assert_uint_eq(suggest_distance("sobell", "sobel"), 1);
    ck_assert_uint_eq(suggest_distance("sabel", "sobel"), 1);
    ck_assert_uint_eq(suggest_distance("osbel", "sobel"), 2);
    ck_assert_uint_eq(suggest_distance("", "sobel"), 5);
    ck_assert_uint_eq(suggest_distance("gray", "sobel"), 5);
    ck_assert_uint_gt(suggest_distance("a_name_that_is_much_longer_than_any_name_of_a_kernel_could_ever_be",
                                       "a_name_that_is_much_longer_than_any_name_of_a_kernel_could_ever_be"),
                      2);
}
END_TEST

#define LENGTH(array) (int)(sizeof(array) / sizeof((array)[0]))

int main(void)
{
    Suite *suite = suite_create("text of trireme run");
    TCase *tests = tcase_create("text");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_kernel_has_options_and_lists);
    tcase_add_loop_test(tests, a_kernel_that_makes_no_sense_is_refused, 0, LENGTH(bad_specs));
    tcase_add_test(tests, progress_tells_what_is_known);
    tcase_add_test(tests, progress_fits_a_terminal_of_80_columns);
    tcase_add_test(tests, the_distance_of_two_names_is_how_many_letters_differ);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
