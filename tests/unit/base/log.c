/* The log: levels, the line's parts, the file.
 * SPDX-License-Identifier: MIT
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "core/object/object.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static char text[1 << 14];

static const char *read_back(const char *path)
{
    FILE *file  = fopen(path, "r");
    size_t size = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[size] = '\0';
    return text;
}

START_TEST(levels_go_by_name_or_number)
{
    ck_assert_int_eq(base_log_level("none"), 0);
    ck_assert_int_eq(base_log_level("error"), TRM_LOG_ERROR);
    ck_assert_int_eq(base_log_level("Warning"), TRM_LOG_WARNING);
    ck_assert_int_eq(base_log_level("info"), TRM_LOG_INFO);
    ck_assert_int_eq(base_log_level("debug"), TRM_LOG_DEBUG);
    ck_assert_int_eq(base_log_level("4"), TRM_LOG_DEBUG);
    ck_assert_int_eq(base_log_level("5"), -1);
    ck_assert_int_eq(base_log_level("22"), -1);
    ck_assert_int_eq(base_log_level("loud"), -1);
}
END_TEST

START_TEST(a_line_has_time_level_thread_room_and_message)
{
    int hour, minute, second, microsecond;
    long thread;
    char level[16], room[16], rest[64];
    struct base_log log = {.fd = -1, .level = TRM_LOG_INFO};

    ck_assert_int_eq(base_log_open(&log, folder_path("log")), 0);
    errno = EXDEV;
    base_log_write(&log, TRM_LOG_INFO, "../some/core/stream/event.c", "%d of %s", 7, "nine\nten");
    ck_assert_int_eq(errno, EXDEV);
    base_log_close(&log);
    ck_assert_int_eq(log.fd, -1);
    ck_assert_int_eq(sscanf(read_back(folder_path("log")), "%d:%d:%d.%d %15s [%ld] %15[^:]: %63[^\n]", &hour,
                            &minute, &second, &microsecond, level, &thread, room, rest),
                     8);
    ck_assert_str_eq(level, "info");
    ck_assert_int_eq(thread, getpid());
    ck_assert_str_eq(room, "stream");
    /* A line stays one line. */
    ck_assert_str_eq(rest, "7 of nine ten");
}
END_TEST

START_TEST(a_message_that_is_too_long_is_cut_and_still_ends_its_line)
{
    static char longer[4096];
    struct base_log log = {.fd = -1, .level = TRM_LOG_INFO};

    memset(longer, 'x', sizeof(longer) - 1);
    ck_assert_int_eq(base_log_open(&log, folder_path("log")), 0);
    base_log_write(&log, TRM_LOG_ERROR, "a/b.c", "%s", longer);
    base_log_close(&log);
    size_t length = strlen(read_back(folder_path("log")));
    ck_assert_uint_gt(length, 1000);
    ck_assert_uint_lt(length, 1200);
    ck_assert_int_eq(text[length - 1], '\n');
}
END_TEST

START_TEST(the_file_is_for_its_user_alone_and_is_appended_to)
{
    struct stat stat;
    struct base_log log = {.fd = -1, .level = TRM_LOG_INFO};

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(base_log_open(&log, folder_path("log")), 0);
        base_log_write(&log, TRM_LOG_ERROR, "a/b.c", "line %d", i);
        base_log_close(&log);
    }
    read_back(folder_path("log"));
    ck_assert_ptr_nonnull(strstr(text, "line 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "line 1\n"));
    ck_assert_int_eq(lstat(folder_path("log"), &stat), 0);
    ck_assert_uint_eq(stat.st_mode & 0777, 0600);
}
END_TEST

START_TEST(links_and_what_is_no_file_are_refused)
{
    struct base_log log = {.fd = -1};
    char target[256];

    snprintf(target, sizeof(target), "%s", folder_path("target"));
    ck_assert_int_eq(symlink(target, folder_path("link")), 0);
    ck_assert_int_eq(base_log_open(&log, folder_path("link")), ELOOP);
    ck_assert_int_eq(mkfifo(folder_path("fifo"), 0600), 0);
    ck_assert_int_ne(base_log_open(&log, folder_path("fifo")), 0);
    ck_assert_int_ne(base_log_open(&log, folder_path(".")), 0);
    ck_assert_int_eq(base_log_open(&log, "/dev/null"), EPERM);
    ck_assert_int_eq(log.fd, -1);
    ck_assert(!log.owns_fd);
}
END_TEST

/* ---- contexts ---- */

static uint32_t lines;

static void count(void *user, int32_t level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
    lines++;
}

/* What a program that makes a context and ends it writes to standard error. */
static const char *standard_error_of(const struct trm_context_desc *desc)
{
    struct trm_context *context;
    char path[256];

    snprintf(path, sizeof(path), "%s", folder_path("stderr"));
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || trm_context_create(desc, &context) != TRM_OK)
            _exit(1);
        trm_context_destroy(context);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return read_back(path);
}

START_TEST(the_variable_makes_a_program_without_a_log_write_to_standard_error)
{
    setenv("TRIREME_LOG", "debug", 1);
    const char *said = standard_error_of(NULL);
    ck_assert_msg(strstr(said, "debug") != NULL && strstr(said, "context: context 0: created\n") != NULL,
                  "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "context: context 0: destroyed\n"));
}
END_TEST

START_TEST(nothing_is_printed_where_the_variable_is_not_set)
{
    struct trm_setting level     = {"log.level", "debug"};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .settings = &level, .setting_count = 1};

    unsetenv("TRIREME_LOG");
    ck_assert_str_eq(standard_error_of(NULL), "");
    ck_assert_str_eq(standard_error_of(&desc), "");
    setenv("TRIREME_LOG", "none", 1);
    ck_assert_str_eq(standard_error_of(NULL), "");
    setenv("TRIREME_LOG", "debug", 1);
    desc.flags = TRM_CONTEXT_NO_ENVIRONMENT;
    ck_assert_str_eq(standard_error_of(&desc), "");
}
END_TEST

START_TEST(a_program_with_a_log_gets_the_lines_itself)
{
    struct trm_context *context;
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .log = count};

    setenv("TRIREME_LOG", "debug", 1);
    ck_assert_str_eq(standard_error_of(&desc), "");
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    trm_context_destroy(context);
    ck_assert_uint_eq(lines, 2);
}
END_TEST

START_TEST(log_file_gets_the_lines_beside_the_programs_log)
{
    struct trm_context *context;
    struct trm_setting settings[] = {{"log.file", folder_path("log")}, {"log.level", "debug"}};
    struct trm_context_desc desc  = {
         .struct_size = sizeof(desc), .log = count, .settings = settings, .setting_count = 2};

    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    trm_context_destroy(context);
    ck_assert_uint_eq(lines, 2);
    ck_assert_ptr_nonnull(strstr(read_back(folder_path("log")), "context 0: destroyed\n"));
}
END_TEST

START_TEST(a_log_file_that_cannot_be_opened_is_an_error_that_names_it)
{
    struct trm_context *context;
    struct trm_setting file      = {"log.file", "/nowhere/at/all"};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .settings = &file, .setting_count = 1};

    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "log.file is \"/nowhere/at/all\""));
}
END_TEST

START_TEST(arguments_of_a_line_that_is_off_are_not_evaluated)
{
    struct trm_context *handle;
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .log = count};
    int evaluated                = 0;

    ck_assert_int_eq(trm_context_create(&desc, &handle), TRM_OK);
    struct core_context *context = core_context_find(handle);
    core_log(context, TRM_LOG_DEBUG, "%d", ++evaluated);
    core_object_log(&context->object, TRM_LOG_DEBUG, "%d", ++evaluated);
    ck_assert_int_eq(evaluated, 0);
    core_log(context, TRM_LOG_WARNING, "%d", ++evaluated);
    ck_assert_int_eq(evaluated, 1);
    trm_context_destroy(handle);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *log   = tcase_create("log");
    tcase_add_checked_fixture(log, folder_make, folder_remove);
    tcase_add_test(log, levels_go_by_name_or_number);
    tcase_add_test(log, a_line_has_time_level_thread_room_and_message);
    tcase_add_test(log, a_message_that_is_too_long_is_cut_and_still_ends_its_line);
    tcase_add_test(log, the_file_is_for_its_user_alone_and_is_appended_to);
    tcase_add_test(log, links_and_what_is_no_file_are_refused);
    tcase_add_test(log, the_variable_makes_a_program_without_a_log_write_to_standard_error);
    tcase_add_test(log, nothing_is_printed_where_the_variable_is_not_set);
    tcase_add_test(log, a_program_with_a_log_gets_the_lines_itself);
    tcase_add_test(log, log_file_gets_the_lines_beside_the_programs_log);
    tcase_add_test(log, a_log_file_that_cannot_be_opened_is_an_error_that_names_it);
    tcase_add_test(log, arguments_of_a_line_that_is_off_are_not_evaluated);
    suite_add_tcase(suite, log);
    return suite;
}

UNIT_SUITE(make_suite)
