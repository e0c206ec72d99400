/* The setting profile.file: which files are written, when, and what is left alone.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static struct text {
    char bytes[1 << 16];
} text;

/* ---- files ---------------------------------------------------------------------------------- */

static void make_folder(void)
{
    strcpy(folder, "/tmp/trireme-profile-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char path[400];
    struct dirent *entry;
    DIR *entries = opendir(folder);

    ck_assert_ptr_nonnull(entries);
    while ((entry = readdir(entries)) != NULL) {
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(entries);
    ck_assert_int_eq(rmdir(folder), 0);
}

static const char *read_file(const char *name)
{
    char path[400];
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    length             = fread(text.bytes, 1, sizeof(text.bytes) - 1, file);
    text.bytes[length] = '\0';
    fclose(file);
    return text.bytes;
}

/* The names of the files, in order; returns how many. */
static unsigned list_files(char names[8][256])
{
    struct dirent **entries;
    unsigned count = 0;
    int found      = scandir(folder, &entries, NULL, alphasort);

    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.' && count < 8)
            snprintf(names[count++], 256, "%s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count;
}

/* What is in the only file. */
static const char *read_only_file(void)
{
    char names[8][256];

    ck_assert_uint_eq(list_files(names), 1);
    return read_file(names[0]);
}

/* ---- programs ------------------------------------------------------------------------------- */

static void open_profiled(const char *name)
{
    static char path[400];
    struct trm_setting settings[] = {{"profile.file", path}, {"profile.interval", "1"}};

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fixture_open(ON_TIMED, settings, 2);
}

static void upload_once(void)
{
    static const unsigned char bytes[64];
    struct trm_buffer *buffer;
    struct trm_stream *stream;

    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, sizeof(bytes), &buffer));
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_upload(stream, trm_span_whole(buffer), bytes));
    ck_ok(trm_stream_sync(stream));
    trm_stream_destroy(stream);
    trm_buffer_destroy(buffer);
}

/* Runs a program that ends with exit(0), in a process of its own. */
static void run_program(void (*program)(void))
{
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        program();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* ---- tests ---------------------------------------------------------------------------------- */

START_TEST(a_summary_is_written_when_the_context_is_destroyed)
{
    make_folder();
    open_profiled("out.txt");
    upload_once();
    fixture_close();
    ck_assert_ptr_nonnull(strstr(read_only_file(), "profile of timed:0: "));
    remove_folder();
}
END_TEST

START_TEST(a_trace_has_the_numbers_too)
{
    make_folder();
    open_profiled("out.json");
    upload_once();
    fixture_close();
    const char *trace = read_only_file();
    ck_assert_ptr_nonnull(strstr(trace, "\"cat\":\"upload\""));
    ck_assert_ptr_nonnull(strstr(trace, "\"profile\":{\"device\":\"timed:0\""));
    remove_folder();
}
END_TEST

START_TEST(each_context_of_a_process_has_a_file)
{
    char names[8][256];
    make_folder();
    for (int i = 0; i < 3; i++) {
        open_profiled("out.txt");
        upload_once();
        fixture_close();
    }
    ck_assert_uint_eq(list_files(names), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(strstr(read_file(names[i]), "1 stream\n"));
    remove_folder();
}
END_TEST

static void open_for_number(void)
{
    open_profiled("%p.txt");
    fixture_close();
}

START_TEST(the_name_may_have_the_number_of_the_process)
{
    char names[8][256], expected[32];
    make_folder();
    snprintf(expected, sizeof(expected), "%d", (int)getpid());
    open_for_number();
    ck_assert_uint_eq(list_files(names), 1);
    ck_assert_int_eq(strncmp(names[0], expected, strlen(expected)), 0);
    remove_folder();
}
END_TEST

static void leave_all_open(void)
{
    open_profiled("out.txt");
    upload_once();
}

START_TEST(a_program_that_exits_without_destroying_anything_has_a_profile)
{
    make_folder();
    run_program(leave_all_open);
    ck_assert_ptr_nonnull(strstr(read_only_file(), "profile of timed:0: "));
    remove_folder();
}
END_TEST

static void sleep_for_ever(void *user, int32_t status)
{
    (void)user;
    (void)status;
    for (;;)
        pause();
}

static void leave_a_stream_held(void)
{
    struct trm_stream *stream;

    leave_all_open();
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_stream_callback(stream, sleep_for_ever, NULL));
}

START_TEST(work_that_never_ends_does_not_keep_a_program_from_exiting)
{
    make_folder();
    run_program(leave_a_stream_held);
    ck_assert_ptr_nonnull(strstr(read_only_file(), "2 streams"));
    remove_folder();
}
END_TEST

static void do_nothing(void)
{
}

/* A sanitizer looks for leaks in the child too, where the threads that it asks are gone. */
START_TEST(the_child_of_a_program_writes_nothing)
{
    if (sanitized())
        return;
    make_folder();
    open_profiled("out.txt");
    upload_once();
    run_program(do_nothing);
    ck_assert_str_eq(read_only_file(), "");
    fixture_close();
    ck_assert_str_ne(read_only_file(), "");
    remove_folder();
}
END_TEST

static void profile_once(void)
{
    char path[400];
    struct trm_setting setting   = {"profile.file", path};
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .settings = &setting, .setting_count = 1};
    struct trm_context *context  = NULL;

    snprintf(path, sizeof(path), "%s/child.txt", folder);
    ck_ok(trm_context_create(&desc, &context));
    trm_context_destroy(context);
}

/* The child has files of its own, and leaves that of its parent alone. */
START_TEST(the_child_of_a_program_may_make_a_context)
{
    char own[400];
    if (sanitized())
        return;
    make_folder();
    open_profiled("out.%p.txt");
    upload_once();
    snprintf(own, sizeof(own), "%s/out.%d.txt", folder, (int)getpid());
    run_program(profile_once);
    fixture_close();
    FILE *file = fopen(own, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fgetc(file), 'p'); /* "profile of …", and no hole before it */
    fclose(file);
    remove_folder();
}
END_TEST

/* As a program does that becomes a daemon: afterwards the descriptors are those of other files. */
START_TEST(a_program_may_close_all_descriptors)
{
    char path[400];
    struct stat profile, other;
    make_folder();
    open_profiled("out.txt");
    upload_once();
    snprintf(path, sizeof(path), "%s/out.txt", folder);
    int mine = open(folder, O_TMPFILE | O_RDWR, 0600);
    if (stat(path, &profile) != 0) /* an earlier test of this process has the name */
        mine = -1;
    for (int fd = 3; mine >= 0 && fd < 200; fd++)
        if (fd != mine && fstat(fd, &other) == 0 && other.st_ino == profile.st_ino)
            ck_assert_int_eq(dup2(mine, fd), fd);
    fixture_close();
    if (mine >= 0) {
        ck_assert_int_eq(fstat(mine, &other), 0);
        ck_assert_int_eq(other.st_size, 0);
        close(mine);
    }
    remove_folder();
}
END_TEST

START_TEST(what_is_no_file_of_the_user_is_refused)
{
    char path[400];
    struct trm_setting setting   = {"profile.file", path};
    struct trm_context_desc desc = {
        .struct_size   = sizeof(desc),
        .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
        .settings      = &setting,
        .setting_count = 1,
    };
    struct trm_context *context = NULL;
    make_folder();
    snprintf(path, sizeof(path), "%s/nowhere/out.txt", folder);
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("profile.file is \"");
    ck_sentence_has("its folder does not exist");
    ck_assert_int_eq(setenv("TRIREME_PROFILE", path, 1), 0);
    ck_assert_int_eq(trm_context_create(NULL, &context), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("TRIREME_PROFILE is \""); /* what the user typed */
    ck_assert_int_eq(unsetenv("TRIREME_PROFILE"), 0);
    for (int i = 0; i < 20; i++) { /* whichever number it has */
        snprintf(path, sizeof(path), i == 0 ? "%s/link.txt" : "%s/link.%d.txt", folder, i + 1);
        ck_assert_int_eq(symlink("/dev/null", path), 0);
    }
    snprintf(path, sizeof(path), "%s/link.txt", folder);
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_ERROR_PERMISSION);
    ck_sentence_has("/link");
    ck_sentence_has("cannot be opened: it is a symbolic link");
    snprintf(path, sizeof(path), "%s/out.csv", folder);
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(context);
    remove_folder();
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("profiles of programs");
    TCase *all      = tcase_create("files");
    SRunner *runner = srunner_create(suite);
    int failed;

    if (!backend_there(ON_TIMED))
        return 77;
    tcase_set_timeout(all, 300);
    tcase_add_test(all, a_summary_is_written_when_the_context_is_destroyed);
    tcase_add_test(all, a_trace_has_the_numbers_too);
    tcase_add_test(all, each_context_of_a_process_has_a_file);
    tcase_add_test(all, the_name_may_have_the_number_of_the_process);
    tcase_add_test(all, a_program_that_exits_without_destroying_anything_has_a_profile);
    tcase_add_test(all, work_that_never_ends_does_not_keep_a_program_from_exiting);
    tcase_add_test(all, the_child_of_a_program_writes_nothing);
    tcase_add_test(all, the_child_of_a_program_may_make_a_context);
    tcase_add_test(all, a_program_may_close_all_descriptors);
    tcase_add_test(all, what_is_no_file_of_the_user_is_refused);
    suite_add_tcase(suite, all);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
