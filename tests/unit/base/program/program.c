/* Programs that the library runs: how they end, what they get, and what is left of them.
 *
 * A program that must have ended holds a FIFO open for writing. The test reads the FIFO, and its read()
 * returns the end of file only when no process of the program is left. So no test waits for a time.
 * SPDX-License-Identifier: MIT
 */
#include "base/program/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/base.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static char supervisor[PATH_MAX], place[PATH_MAX];
static struct base_arena arena;
static struct base_program program;
static struct base_program_rules rules;

static void setup(void)
{
    const char *builddir = getenv("top_builddir");
    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(supervisor, sizeof(supervisor), "%s/base/program/supervise", builddir);
    folder_make();
    folder_sub("place");
    snprintf(place, sizeof(place), "%s", folder_path("place"));
    base_arena_init(&arena, &base_system_allocator);
    rules = (struct base_program_rules){.supervisor = supervisor, .first_place = place};
}

static void teardown(void)
{
    base_arena_fini(&arena);
    folder_remove();
}

static int32_t open_script(const char *script)
{
    const char *arguments[] = {"/bin/sh", "-c", script, NULL};
    return base_program_open(&program, &arena, &rules, arguments);
}

/* Runs a script of the shell. The caller closes the program where the result is TRM_OK. */
static int32_t run(const char *script)
{
    int32_t status = open_script(script);
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    status = base_program_run(&program, "kernel 'test'");
    if (status != TRM_OK)
        base_program_close(&program);
    return status;
}

static void runs(const char *script)
{
    ck_assert_msg(run(script) == TRM_OK, "%s", trm_last_error().sentence);
}

static void says(const char *words)
{
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

static int count_entries(const char *path)
{
    const struct dirent *entry;
    int count   = 0;
    DIR *opened = opendir(path);
    ck_assert_ptr_nonnull(opened);
    while ((entry = readdir(opened)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(opened);
    return count;
}

/* ---- what a program does ---- */

START_TEST(a_program_works_in_a_folder_that_is_removed)
{
    char text[8] = "";
    ck_assert_int_eq(open_script("cat given >made; mkdir -p deep/er; touch deep/er/file; pwd"), TRM_OK);
    ck_assert_int_eq(strncmp(program.folder, place, strlen(place)), 0);
    ck_assert_int_eq(base_program_write(&program, "given", "some", 4), TRM_OK);
    ck_assert_int_eq(base_program_run(&program, "test"), TRM_OK);
    ck_assert_int_eq(strncmp(program.messages, program.folder, strlen(program.folder)), 0);
    int made = open(base_program_file(&program, "made"), O_RDONLY);
    ck_assert_int_eq(read(made, text, sizeof(text)), 4);
    ck_assert_str_eq(text, "some");
    close(made);
    base_program_close(&program);
    ck_assert_int_eq(count_entries(place), 0);
}
END_TEST

START_TEST(both_outputs_are_kept_and_the_end_of_long_ones_is_cut)
{
    runs("echo one; echo two >&2");
    ck_assert_str_eq(program.messages, "one\ntwo\n");
    base_program_close(&program);
    runs("head -c 100000 /dev/zero | tr '\\0' x");
    ck_assert_uint_eq(strlen(program.messages), 65536);
    base_program_close(&program);
}
END_TEST

START_TEST(an_exit_status_differs_from_a_signal)
{
    runs("exit 3");
    ck_assert_int_eq(program.exit_status, 3);
    ck_assert_int_eq(program.signal, 0);
    base_program_close(&program);
    runs("kill -SEGV $$");
    ck_assert_int_eq(program.exit_status, 0);
    ck_assert_int_eq(program.signal, SIGSEGV);
    base_program_close(&program);
}
END_TEST

START_TEST(a_program_that_cannot_be_executed_is_named)
{
    const char *arguments[] = {"/nonexistent/program", NULL};
    ck_assert_int_eq(base_program_open(&program, &arena, &rules, arguments), TRM_OK);
    ck_assert_int_eq(base_program_run(&program, "test"), TRM_ERROR_UNSUPPORTED);
    says("/nonexistent/program cannot be run");
    base_program_close(&program);
}
END_TEST

START_TEST(without_the_supervisor_the_sentence_says_what_is_missing)
{
    rules.supervisor = folder_path("nothing");
    ck_assert_int_eq(open_script("true"), TRM_ERROR_UNSUPPORTED);
    says(rules.supervisor);
    folder_write("nothing", "#!/bin/sh\n");
    ck_assert_int_eq(chmod(rules.supervisor, 0777), 0);
    ck_assert_int_eq(open_script("true"), TRM_ERROR_PERMISSION);
    ck_assert_int_eq(chmod(rules.supervisor, 0755), 0);
    ck_assert_int_eq(open_script("true"), TRM_ERROR_BACKEND); /* it is no supervisor */
    says("has ended unexpectedly");
}
END_TEST

START_TEST(a_place_where_others_could_replace_the_folder_is_not_used)
{
    ck_assert_int_eq(chmod(place, 0777), 0);
    ck_assert_int_eq(open_script("true"), TRM_OK);
    ck_assert_int_ne(strncmp(program.folder, place, strlen(place)), 0);
    base_program_close(&program);
    ck_assert_int_eq(chmod(place, 01777), 0);
    ck_assert_int_eq(open_script("true"), TRM_OK);
    ck_assert_int_eq(strncmp(program.folder, place, strlen(place)), 0);
    base_program_close(&program);
}
END_TEST

/* ---- what a program gets ---- */

START_TEST(a_program_gets_an_environment_of_its_own_no_input_and_no_open_files)
{
    int file = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(dup2(file, 77), 77); /* stays open in a child */
    ck_assert_int_eq(setenv("TRIREME_SECRET", "1", 1), 0);
    runs(
        "echo $TRIREME_SECRET$LC_ALL; test \"$TMPDIR\" = \"$(pwd)\" && echo here; read line || echo nothing; "
        "for n in 3 4 5 6 7 8 9 77; do test ! -e /proc/$$/fd/$n || echo open: $n; done");
    ck_assert_str_eq(program.messages, "C\nhere\nnothing\n");
    base_program_close(&program);
    close(77);
    close(file);
}
END_TEST

/* The C library keeps the signals above 31 for itself. */
START_TEST(signals_that_are_ignored_or_blocked_here_are_not_there)
{
    sigset_t all;
    sigfillset(&all);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &all, NULL), 0);
    runs("sed -n 's/^SigBlk:.//p; s/^SigIgn:.//p' /proc/self/status");
    char *rest;
    unsigned long long blocked = strtoull(program.messages, &rest, 16), ignored = strtoull(rest, &rest, 16);
    ck_assert_str_eq(rest, "\n");
    ck_assert_uint_eq(blocked & 0x7fffffff, 0);
    ck_assert_uint_eq(ignored & 0x7fffffff, 0);
    base_program_close(&program);
}
END_TEST

static void reap_all(int number)
{
    int before = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    errno = before;
}

START_TEST(the_status_is_known_in_a_process_that_ignores_or_reaps_its_children)
{
    signal(SIGCHLD, SIG_IGN);
    runs("exit 3");
    ck_assert_int_eq(program.exit_status, 3);
    base_program_close(&program);
    signal(SIGCHLD, reap_all);
    runs("exit 4");
    ck_assert_int_eq(program.exit_status, 4);
    base_program_close(&program);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

START_TEST(a_process_without_standard_files_runs_programs)
{
    int status;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        for (int file = 0; file < 3; file++)
            close(file);
        bool is_well = run("echo word; exit 5") == TRM_OK && program.exit_status == 5 &&
                       strcmp(program.messages, "word\n") == 0;
        base_program_close(&program);
        _exit(is_well && fcntl(0, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0 ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- limits ---- */

/* Makes a FIFO and starts to read it. The script opens it for writing. */
static int open_alive(void)
{
    ck_assert_int_eq(mkfifo(folder_path("alive"), 0600), 0);
    int reader = open(folder_path("alive"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ck_assert_int_ge(reader, 0);
    ck_assert_int_eq(fcntl(reader, F_SETFL, 0), 0);
    return reader;
}

/* A shell that says that it runs, and one that it starts; neither ends. The child ignores hang-ups. */
static const char *endless(void)
{
    static char script[2 * PATH_MAX];
    snprintf(script, sizeof(script),
             "exec 9>'%s'; (trap '' HUP INT TERM; echo child >&9; while :; do sleep 1000; done) & wait",
             folder_path("alive"));
    return script;
}

/* Waits for the end of all processes that hold the FIFO. */
static void wait_until_ended(int reader)
{
    char part[64];
    ssize_t count;
    while ((count = read(reader, part, sizeof(part))) != 0)
        ck_assert(count > 0 || errno == EINTR);
    close(reader);
}

START_TEST(a_program_that_does_not_end_in_time_is_ended_with_its_children)
{
    int reader    = open_alive();
    rules.seconds = 1;
    ck_assert_int_eq(run(endless()), TRM_ERROR_TIMEOUT);
    says("/bin/sh did not finish kernel 'test' within 1 seconds");
    says("compiler.time");
    wait_until_ended(reader);
    ck_assert_int_eq(count_entries(place), 0);
}
END_TEST

START_TEST(what_a_program_leaves_running_ends_with_it)
{
    int reader = open_alive();
    char script[2 * PATH_MAX];
    snprintf(script, sizeof(script), "sleep 1000 9>'%s' & exit 0", folder_path("alive"));
    runs(script);
    wait_until_ended(reader);
    base_program_close(&program);
}
END_TEST

START_TEST(a_program_that_needs_more_memory_than_it_may_fails_with_the_setting)
{
    rules.memory = 128u << 20;
    ck_assert_int_eq(run("exec dd if=/dev/zero of=/dev/null bs=512M count=1"), TRM_ERROR_BACKEND);
    says("134217728 bytes of memory");
    says("compiler.memory");
    rules.memory = 0;
    runs("exec dd if=/dev/zero of=/dev/null bs=512M count=1");
    ck_assert_int_eq(program.exit_status, 0);
    base_program_close(&program);
}
END_TEST

START_TEST(a_program_that_writes_more_than_it_may_fails_with_the_setting)
{
    rules.output = 100000;
    ck_assert_int_eq(run("cat /dev/zero >file"), TRM_ERROR_BACKEND);
    says("100000 bytes");
    says("compiler.output");
    ck_assert_int_eq(run("exec cat /dev/zero"), TRM_ERROR_BACKEND);
    says("compiler.output");
    runs("head -c 100000 /dev/zero >file");
    ck_assert_int_eq(program.exit_status, 0);
    base_program_close(&program);
}
END_TEST

/* ---- the end of the program that uses the library ---- */

static const int deadly[] = {SIGINT, SIGTERM, SIGKILL, SIGHUP, SIGSEGV};

/* The supervisor of a process that has ended becomes a child of the test. An emulator may refuse that
 * (qemu-user). */
static bool can_wait_for_orphans(void)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
        return true;
    ck_assert_int_eq(errno, EINVAL);
    puts("SKIP: the kernel or its emulator has no PR_SET_CHILD_SUBREAPER");
    return false;
}

/* A process that runs the endless script, in a process group of its own. Returns when the script's child
 * runs. `holds` makes it fork another one that has the socket too, until `release` is closed. */
static pid_t start_user(bool holds, int release[2], int *reader)
{
    char first[8];
    ck_assert_int_eq(pipe(release), 0);
    ck_assert_int_eq(mkfifo(folder_path("alive"), 0600), 0);
    pid_t user = fork();
    ck_assert_int_ge(user, 0);
    if (user == 0) {
        for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
            signal(deadly[i], SIG_DFL); /* Check has handlers */
        if (setpgid(0, 0) != 0 || open_script(endless()) != TRM_OK)
            _exit(1);
        if (holds && fork() == 0) {
            close(release[1]);
            _exit((int)read(release[0], first, 1));
        }
        (void)base_program_run(&program, "test");
        _exit(1);
    }
    *reader = open(folder_path("alive"), O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(read(*reader, first, sizeof(first)), 6); /* "child\n" */
    return user;
}

/* Waits for all processes that the test has started, the supervisor too. */
static void wait_for_all(void)
{
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
}

START_TEST(a_program_and_its_folder_end_with_the_process_that_runs_it)
{
    int release[2], reader;
    if (!can_wait_for_orphans())
        return;
    pid_t user = start_user(false, release, &reader);
    ck_assert_int_eq(count_entries(place), 1);
    ck_assert_int_eq(kill(user, deadly[_i]), 0);
    wait_until_ended(reader);
    wait_for_all();
    ck_assert_int_eq(count_entries(place), 0);
}
END_TEST

START_TEST(they_end_also_where_a_forked_process_has_the_socket)
{
    int release[2], reader;
    if (!can_wait_for_orphans())
        return;
    pid_t user = start_user(true, release, &reader);
    ck_assert_int_eq(kill(user, SIGKILL), 0);
    wait_until_ended(reader);
    close(release[1]);
    wait_for_all();
    ck_assert_int_eq(count_entries(place), 0);
}
END_TEST

/* An interrupt of the terminal goes to all processes of its process group. */
START_TEST(an_interrupt_of_the_whole_group_leaves_nothing)
{
    int release[2], reader;
    if (!can_wait_for_orphans())
        return;
    pid_t user = start_user(false, release, &reader);
    ck_assert_int_eq(kill(-user, SIGINT), 0);
    wait_until_ended(reader);
    wait_for_all();
    ck_assert_int_eq(count_entries(place), 0);
}
END_TEST

/* ---- the end of the supervisor ---- */

/* A supervisor whose socket another process holds, as one does that another thread of this process forks
 * while the supervisor is started. `then` is what it does afterwards. The process ends when a FIFO is
 * opened. */
static void hold_socket(const char *then)
{
    char script[2 * PATH_MAX];
    ck_assert_int_eq(mkfifo(folder_path("release"), 0600), 0);
    snprintf(script, sizeof(script), "#!/bin/sh\n(read line <'%s') &\n%s\n", folder_path("release"), then);
    folder_write("holder", script);
    rules.supervisor = folder_path("holder");
    ck_assert_int_eq(chmod(rules.supervisor, 0755), 0);
}

static void release_socket(void)
{
    int writer = open(folder_path("release"), O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(writer, 0);
    close(writer);
}

START_TEST(the_end_of_the_supervisor_is_seen_where_another_process_has_its_socket)
{
    char then[PATH_MAX + 32];
    snprintf(then, sizeof(then), "exec '%s' \"$@\"", supervisor);
    hold_socket(then);
    ck_assert_int_eq(run("kill -KILL $PPID"), TRM_ERROR_BACKEND);
    says("has ended unexpectedly");
    release_socket();
}
END_TEST

START_TEST(so_is_its_end_before_it_has_made_a_folder)
{
    hold_socket("kill -KILL $$");
    ck_assert_int_eq(open_script("true"), TRM_ERROR_BACKEND);
    says("has ended unexpectedly");
    release_socket();
}
END_TEST

/* A child of this process with a number that is free. -1 where that is not permitted. */
static pid_t fork_with_number(pid_t number)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&number, .set_tid_size = 1};
    return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

/* The child does not end before the program is closed. */
START_TEST(a_child_that_has_the_number_of_the_ended_supervisor_is_not_waited_for)
{
    char script[2 * PATH_MAX], text[16] = "", byte;
    int release[2];
    snprintf(script, sizeof(script), "echo $PPID >'%s'; kill -KILL $PPID", folder_path("number"));
    ck_assert_int_eq(pipe2(release, O_CLOEXEC), 0);
    ck_assert_int_eq(open_script(script), TRM_OK);
    ck_assert_int_eq(base_program_run(&program, "test"), TRM_ERROR_BACKEND);
    int file = open(folder_path("number"), O_RDONLY | O_CLOEXEC);
    ck_assert_int_gt(read(file, text, sizeof(text) - 1), 0);
    close(file);
    pid_t number = atoi(text);
    ck_assert_int_eq(waitpid(number, NULL, 0), number); /* as a thread of the program may */
    pid_t child = fork_with_number(number);
    if (child == 0) {
        close(release[1]);
        _exit((int)read(release[0], &byte, 1));
    }
    base_program_close(&program);
    close(release[1]);
    close(release[0]);
    if (child > 0)
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

START_TEST(a_program_that_never_ran_leaves_nothing)
{
    ck_assert_int_eq(open_script("true"), TRM_OK);
    ck_assert_int_eq(base_program_write(&program, "given", "some", 4), TRM_OK);
    ck_assert_int_eq(count_entries(place), 1);
    base_program_close(&program);
    ck_assert_int_eq(count_entries(place), 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("programs");
    TCase *cases = tcase_create("program");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_program_works_in_a_folder_that_is_removed);
    tcase_add_test(cases, both_outputs_are_kept_and_the_end_of_long_ones_is_cut);
    tcase_add_test(cases, an_exit_status_differs_from_a_signal);
    tcase_add_test(cases, a_program_that_cannot_be_executed_is_named);
    tcase_add_test(cases, without_the_supervisor_the_sentence_says_what_is_missing);
    tcase_add_test(cases, a_place_where_others_could_replace_the_folder_is_not_used);
    tcase_add_test(cases, a_program_gets_an_environment_of_its_own_no_input_and_no_open_files);
    tcase_add_test(cases, signals_that_are_ignored_or_blocked_here_are_not_there);
    tcase_add_test(cases, the_status_is_known_in_a_process_that_ignores_or_reaps_its_children);
    tcase_add_test(cases, a_process_without_standard_files_runs_programs);
    tcase_add_test(cases, a_program_that_does_not_end_in_time_is_ended_with_its_children);
    tcase_add_test(cases, what_a_program_leaves_running_ends_with_it);
    tcase_add_test(cases, a_program_that_needs_more_memory_than_it_may_fails_with_the_setting);
    tcase_add_test(cases, a_program_that_writes_more_than_it_may_fails_with_the_setting);
    tcase_add_loop_test(cases, a_program_and_its_folder_end_with_the_process_that_runs_it, 0,
                        (int)(sizeof(deadly) / sizeof(deadly[0])));
    tcase_add_test(cases, they_end_also_where_a_forked_process_has_the_socket);
    tcase_add_test(cases, an_interrupt_of_the_whole_group_leaves_nothing);
    tcase_add_test(cases, the_end_of_the_supervisor_is_seen_where_another_process_has_its_socket);
    tcase_add_test(cases, so_is_its_end_before_it_has_made_a_folder);
    tcase_add_test(cases, a_child_that_has_the_number_of_the_ended_supervisor_is_not_waited_for);
    tcase_add_test(cases, a_program_that_never_ran_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
