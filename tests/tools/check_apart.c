/* Jobs of `trireme check` in processes of their own: whatever they do, the process that started them goes on
 * and says what happened.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "tests/unit/runner.h"
#include "tools/check/apart.h"

/* The linker sends apart.c here: a process that outlives SIGKILL, as in a call of a broken driver. */
static bool kill_is_ignored;
static pid_t killed;

int __real_kill(pid_t process, int number);
int __wrap_kill(pid_t process, int number);

int __wrap_kill(pid_t process, int number)
{
    killed = process;
    return kill_is_ignored ? 0 : __real_kill(process, number);
}

static struct findings findings;
static struct apart apart;

static void begin(void)
{
    memset(&findings, 0, sizeof(findings));
    apart           = (struct apart){.findings = &findings, .seconds = 1};
    kill_is_ignored = false;
    killed          = 0;
}

static void end(void)
{
    findings_release(&findings);
}

/* Runs a job, which ends well or has a last finding with this text. */
static void run(apart_job_fn job, const char *text)
{
    bool has_ended = apart_run(&apart, "Section", "subject", job, NULL);

    ck_assert(has_ended == (text == NULL));
    if (!text)
        return;
    ck_assert_uint_gt(findings.count, 0);
    ck_assert_int_eq(findings.list[findings.count - 1].state, FINDING_FAILED);
    ck_assert_msg(strstr(findings.list[findings.count - 1].text, text) != NULL, "%s",
                  findings.list[findings.count - 1].text);
}

static void report_something(struct report *report, void *user)
{
    (void)user;
    report_begin(report, "working");
    report_add(report, FINDING_OK, "topic", NULL, "fine");
}

START_TEST(what_a_job_reports_is_found)
{
    run(report_something, NULL);
    ck_assert_uint_eq(findings.count, 1);
    ck_assert_str_eq(findings.list[0].text, "fine");
    ck_assert_str_eq(findings.list[0].section, "Section");
}
END_TEST

static void sleep_for_ever(struct report *report, void *user)
{
    (void)user;
    report_begin(report, "sleeping");
    for (;;)
        pause();
}

START_TEST(a_job_that_says_nothing_is_ended)
{
    run(sleep_for_ever, "did not end within 1 s: sleeping");
    ck_assert_int_ne(killed, 0);
    ck_assert_int_eq(waitpid(killed, NULL, WNOHANG), -1); /* it is gone */
}
END_TEST

START_TEST(a_process_that_outlives_its_end_is_left_behind)
{
    kill_is_ignored = true;
    run(sleep_for_ever, "cannot be ended: sleeping");
    ck_assert_int_eq(waitpid(killed, NULL, WNOHANG), 0);
    ck_assert_int_eq(__real_kill(killed, SIGKILL), 0);
    ck_assert_int_eq(waitpid(killed, NULL, 0), killed);
}
END_TEST

static void close_and_sleep(struct report *report, void *user)
{
    report_begin(report, "closing");
    close(report->descriptor);
    sleep_for_ever(report, user);
}

START_TEST(a_job_that_closes_its_pipe_is_ended_too)
{
    run(close_and_sleep, "did not end within 1 s: closing");
}
END_TEST

static pid_t *left;

/* Its child holds the pipe open. */
static void leave_a_child(struct report *report, void *user)
{
    (void)user;
    report_begin(report, "leaving a child");
    pid_t child = fork();
    while (child == 0)
        pause();
    *left = child;
}

START_TEST(processes_that_a_job_leaves_behind_do_not_hold_it_up)
{
    left          = apart_share(sizeof(*left));
    apart.seconds = 80000; /* the limit of the test would come first */
    run(leave_a_child, NULL);
    ck_assert_int_eq(__real_kill(*left, SIGKILL), 0);
    apart_unshare(left, sizeof(*left));
}
END_TEST

static void report_for_ever(struct report *report, void *user)
{
    (void)user;
    for (unsigned i = 0;; i++)
        report_begin(report, "turn %u", i);
}

START_TEST(a_job_that_reports_without_end_is_ended)
{
    apart.seconds = 80000;
    run(report_for_ever, "reported 10000 times and went on: turn 9999");
}
END_TEST

static void write_nonsense(struct report *report, void *user)
{
    static const char bytes[65536] = {'0', 'a', 0, 'b', 'c', 0, 0, 0, 'x', 127, 0, 1};
    char line[40000];

    (void)user;
    memset(line, 'x', sizeof(line));
    ck_assert_int_gt(write(report->descriptor, bytes, sizeof(bytes)), 0);
    ck_assert_int_gt(write(report->descriptor, line, sizeof(line)), 0);
}

START_TEST(bytes_that_are_no_reports_do_no_harm)
{
    apart.seconds = 80000;
    (void)apart_run(&apart, "Section", "subject", write_nonsense, NULL);
    ck_assert_uint_gt(findings.count, 0);
}
END_TEST

static void exit_early(struct report *report, void *user)
{
    (void)user;
    report_begin(report, "exiting");
    exit(0);
}

static void end_by_signal(struct report *report, void *user)
{
    (void)user;
    report_begin(report, "aborting");
    (void)signal(SIGABRT, SIG_DFL);
    abort();
}

START_TEST(an_early_end_is_no_good_end)
{
    run(exit_early, "exited before the end of its work: exiting");
    run(end_by_signal, "ended by signal 6");
}
END_TEST

static void write_to(struct report *report, void *user)
{
    report_begin(report, "writing");
    *(volatile int *)user = 1;
}

START_TEST(frozen_memory_is_read_only_for_jobs)
{
    int *memory = apart_share(sizeof(*memory));

    ck_assert(apart_run(&apart, "Section", "subject", write_to, memory));
    ck_assert_int_eq(*memory, 1);
    *memory = 2;
    apart_freeze(memory, sizeof(*memory));
    ck_assert(!apart_run(&apart, "Section", "subject", write_to, memory));
    ck_assert_int_eq(*memory, 2);
    apart_unshare(memory, sizeof(*memory));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs of trireme check");
    TCase *tests = tcase_create("apart");

    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, what_a_job_reports_is_found);
    tcase_add_test(tests, a_job_that_says_nothing_is_ended);
    tcase_add_test(tests, a_process_that_outlives_its_end_is_left_behind);
    tcase_add_test(tests, a_job_that_closes_its_pipe_is_ended_too);
    tcase_add_test(tests, processes_that_a_job_leaves_behind_do_not_hold_it_up);
    tcase_add_test(tests, a_job_that_reports_without_end_is_ended);
    tcase_add_test(tests, bytes_that_are_no_reports_do_no_harm);
    tcase_add_test(tests, an_early_end_is_no_good_end);
    tcase_add_test(tests, frozen_memory_is_read_only_for_jobs);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
