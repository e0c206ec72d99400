/* cpu backend: running a program to its end.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/runner.h"

static struct cpu_spawn spawn;
static char only[]                  = "ONLY=this";
static char *const no_environment[] = {only, NULL};

static int run(const char *script, uint32_t timeout_ms)
{
    char *arguments[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
    spawn.arguments   = arguments;
    spawn.environment = no_environment;
    spawn.timeout_ms  = timeout_ms;
    return cpu_spawn_run(&spawn);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

START_TEST(what_a_program_says_on_both_ways_is_heard)
{
    ck_assert_int_eq(run("echo one; echo two >&2; exit 3", 10000), 0);
    ck_assert_str_eq(spawn.output, "one\ntwo\n");
    ck_assert(spawn.has_status);
    ck_assert_int_eq(WEXITSTATUS(spawn.status), 3);
    ck_assert(!spawn.has_timed_out);
    ck_assert_int_eq(run("true", 10000), 0);
    ck_assert_str_eq(spawn.output, "");
    ck_assert_int_eq(spawn.status, 0);
}
END_TEST

START_TEST(a_program_that_says_more_than_is_kept_still_ends)
{
    ck_assert_int_eq(
        run("i=0; while test $i -lt 3000; do echo 'a line of thirty letters or so'; i=$((i+1)); done", 20000),
        0);
    ck_assert_uint_eq(strlen(spawn.output), CPU_SPAWN_OUTPUT - 1);
    ck_assert_int_eq(spawn.status, 0);
}
END_TEST

START_TEST(a_program_that_is_not_there_does_not_start)
{
    char *arguments[] = {(char *)"/nonexistent/program", NULL};
    spawn = (struct cpu_spawn){.arguments = arguments, .environment = no_environment, .timeout_ms = 1000};
    ck_assert_int_eq(cpu_spawn_run(&spawn), ENOENT);
}
END_TEST

START_TEST(a_program_that_does_not_end_is_killed_with_what_it_has_started)
{
    char line[64];
    double begin = now();
    ck_assert_int_eq(run("sleep 300 & echo $!; wait", 300), 0);
    ck_assert(spawn.has_timed_out);
    ck_assert(now() - begin < 60);
    long child = strtol(spawn.output, NULL, 10);
    ck_assert_int_gt(child, 1);
    snprintf(line, sizeof(line), "/proc/%ld/exe", child);
    for (int i = 0; i < 500 && access(line, F_OK) == 0; i++)
        usleep(10000);
    ck_assert_int_ne(access(line, F_OK), 0);
}
END_TEST

START_TEST(a_program_gets_the_environment_that_it_is_given_and_no_open_files)
{
    int open_file = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(dup2(open_file, 77), 77); /* not closed on exec */
    ck_assert_int_eq(setenv("TRIREME_SECRET", "1", 1), 0);
    ck_assert_int_eq(
        run("echo ${ONLY}${TRIREME_SECRET}; test -e /proc/$$/fd/77 && echo open; read line || echo nothing",
            10000),
        0);
    ck_assert_str_eq(spawn.output, "this\nnothing\n");
    close(77);
    close(open_file);
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
    ck_assert_int_eq(run("sed -n 's/^SigBlk:.//p; s/^SigIgn:.//p' /proc/self/status", 10000), 0);
    char *rest;
    unsigned long long blocked = strtoull(spawn.output, &rest, 16), ignored = strtoull(rest, &rest, 16);
    ck_assert_str_eq(rest, "\n");
    ck_assert_uint_eq(blocked & 0x7fffffff, 0);
    ck_assert_uint_eq(ignored & 0x7fffffff, 0);
}
END_TEST

START_TEST(a_process_that_ignores_its_children_does_not_hang)
{
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(run("echo done", 10000), 0);
    ck_assert_str_eq(spawn.output, "done\n");
    ck_assert(!spawn.has_status);
    ck_assert(!spawn.has_timed_out);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cpu: running a program");
    TCase *cases = tcase_create("spawn");

    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, what_a_program_says_on_both_ways_is_heard);
    tcase_add_test(cases, a_program_that_says_more_than_is_kept_still_ends);
    tcase_add_test(cases, a_program_that_is_not_there_does_not_start);
    tcase_add_test(cases, a_program_that_does_not_end_is_killed_with_what_it_has_started);
    tcase_add_test(cases, a_program_gets_the_environment_that_it_is_given_and_no_open_files);
    tcase_add_test(cases, signals_that_are_ignored_or_blocked_here_are_not_there);
    tcase_add_test(cases, a_process_that_ignores_its_children_does_not_hang);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
