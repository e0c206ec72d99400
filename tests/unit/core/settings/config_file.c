/* Reading trireme.conf.
 * SPDX-License-Identifier: MIT
 */
#include "core/settings/config_file.h"

#include <string.h>

#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static char seen[4096];

static int32_t note(void *user, const char *key, const char *value, unsigned line)
{
    size_t length = strlen(seen);
    (void)user;
    if (strcmp(key, "stop") == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "stopped");
    snprintf(seen + length, sizeof(seen) - length, "%u:%s=<%s>;", line, key, value);
    return TRM_OK;
}

static int32_t parse_bytes(const char *text, size_t size)
{
    char copy[1024];
    memcpy(copy, text, size);
    seen[0] = '\0';
    return core_config_parse(copy, size, "the.conf", note, NULL);
}

static void gives(const char *text, const char *expected)
{
    ck_assert_msg(parse_bytes(text, strlen(text)) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_str_eq(seen, expected);
}

static void is_bad(const char *text, const char *words)
{
    ck_assert_int_eq(parse_bytes(text, strlen(text)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

START_TEST(keys_and_values_are_read_with_their_lines)
{
    gives("a = 1\n\nb.c=two words\n", "1:a=<1>;3:b.c=<two words>;");
    gives("a=1", "1:a=<1>;");
    gives("  \t a-b_c.9\t=  x  \t\n", "1:a-b_c.9=<x>;");
    gives("a = 1\r\nb = 2\r\n", "1:a=<1>;2:b=<2>;");
    gives("a =\n", "1:a=<>;");
    gives("a = b = c\n", "1:a=<b = c>;");
}
END_TEST

START_TEST(comments_and_empty_lines_are_passed_over)
{
    gives("", "");
    gives("\n\n  \n", "");
    gives("# a = 1\n   # more\n#\n", "");
    gives("a = 1 # one\nb = 2\t#two\nc = #\n", "1:a=<1>;2:b=<2>;3:c=<>;");
    gives("a = x#y\n", "1:a=<x#y>;");
}
END_TEST

START_TEST(quotes_keep_what_is_in_them)
{
    gives("a = \" x # y \"\n", "1:a=< x # y >;");
    gives("a = 'it says \"yes\"' # really\n", "1:a=<it says \"yes\">;");
    gives("a = \"\"\n", "1:a=<>;");
}
END_TEST

START_TEST(a_line_that_is_no_setting_is_refused_with_its_number)
{
    is_bad("a = 1\nnonsense\n", "the.conf:2: expected a line such as");
    is_bad("= 1\n", "the.conf:1:");
    is_bad("a b = 1\n", "the.conf:1:");
    is_bad("Log.Level = 1\n", "the.conf:1:");
    is_bad("\n\n[section]\n", "the.conf:3: sections are not supported");
    is_bad("a = 'open\n", "the.conf:1: the value's closing quote is missing");
    is_bad("a = 'x' y\n", "the.conf:1: only a comment may follow");
}
END_TEST

START_TEST(a_zero_byte_is_refused)
{
    ck_assert_int_eq(parse_bytes("a = 1\nb\0 = 2\n", 13), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "the.conf:2:"));
}
END_TEST

START_TEST(what_the_reader_refuses_ends_the_reading)
{
    is_bad("a = 1\nstop = 1\nb = 2\n", "stopped");
    ck_assert_str_eq(seen, "1:a=<1>;");
}
END_TEST

/* ---- files ---- */

static struct trm_context *handle;
static struct core_context *context;
static struct counting counting;

static void setup(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size = sizeof(desc),
                                      .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .allocator   = &allocator};
    folder_make();
    ck_assert_int_eq(trm_context_create(&desc, &handle), TRM_OK);
    context = core_context_find(handle);
    seen[0] = '\0';
}

static void teardown(void)
{
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
    folder_remove();
}

static int32_t read_it(const char *name)
{
    return core_config_read(context, folder_path(name), note, NULL);
}

START_TEST(a_file_is_read)
{
    folder_write("a.conf", "a = 1\nb = 2");
    ck_assert_int_eq(read_it("a.conf"), TRM_OK);
    ck_assert_str_eq(seen, "1:a=<1>;2:b=<2>;");
    folder_write("empty.conf", "");
    ck_assert_int_eq(read_it("empty.conf"), TRM_OK);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_not_found)
{
    ck_assert_int_eq(read_it("none.conf"), TRM_ERROR_NOT_FOUND);
    folder_write("file", "");
    ck_assert_int_eq(read_it("file/none.conf"), TRM_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused_without_waiting)
{
    ck_assert_int_eq(read_it("."), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(mkfifo(folder_path("pipe"), 0644), 0);
    ck_assert_int_eq(read_it("pipe"), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "not a regular file"));
}
END_TEST

START_TEST(a_file_that_is_far_too_long_is_refused)
{
    folder_write("long.conf", "a = 1\n");
    ck_assert_int_eq(truncate(folder_path("long.conf"), 2 << 20), 0);
    ck_assert_int_eq(read_it("long.conf"), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(without_memory_a_file_is_not_read)
{
    folder_write("a.conf", "a = 1\n");
    counting.fail_from = 1;
    ck_assert_int_eq(read_it("a.conf"), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    ck_assert_int_eq(read_it("a.conf"), TRM_OK);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("trireme.conf");
    TCase *text  = tcase_create("text");
    TCase *files = tcase_create("files");
    tcase_add_test(text, keys_and_values_are_read_with_their_lines);
    tcase_add_test(text, comments_and_empty_lines_are_passed_over);
    tcase_add_test(text, quotes_keep_what_is_in_them);
    tcase_add_test(text, a_line_that_is_no_setting_is_refused_with_its_number);
    tcase_add_test(text, a_zero_byte_is_refused);
    tcase_add_test(text, what_the_reader_refuses_ends_the_reading);
    suite_add_tcase(suite, text);
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, a_file_is_read);
    tcase_add_test(files, a_file_that_is_not_there_is_not_found);
    tcase_add_test(files, what_is_no_regular_file_is_refused_without_waiting);
    tcase_add_test(files, a_file_that_is_far_too_long_is_refused);
    tcase_add_test(files, without_memory_a_file_is_not_read);
    suite_add_tcase(suite, files);
    return suite;
}

UNIT_SUITE(make_suite)
