/* limited SECONDS FILE THREADS COMMAND…: runs the command and exits as a shell would: with its status, or
 * with 128 more than the number of the signal that ended it. After SECONDS the script THREADS writes into
 * FILE where the command hangs, and the command is killed. Otherwise FILE is not made.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Starts it with the signals of this process, as they were. Returns 0 where there is no such program. */
static pid_t start(char **command, const sigset_t *mask, const char *output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    if (output != NULL)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int error = posix_spawnp(&child, command[0], &actions, &attributes, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error == 0)
        return child;
    fprintf(stderr, "limited: %s: %s\n", command[0], strerror(error));
    return 0;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether the child ends within so many seconds. It is left for wait_for(). */
static bool ends_within(pid_t child, long seconds, const sigset_t *mask)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (time_t end = now.tv_sec + seconds; now.tv_sec < end; clock_gettime(CLOCK_MONOTONIC, &now)) {
        siginfo_t info           = {0};
        struct timespec duration = {.tv_sec = end - now.tv_sec};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child)
            return true;
        sigtimedwait(mask, NULL, &duration);
    }
    return false;
}

int main(int argc, char **argv)
{
    sigset_t child_ended, before;
    if (argc < 5) {
        fprintf(stderr, "usage: limited SECONDS FILE THREADS COMMAND...\n");
        return 127;
    }
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &child_ended, &before);

    pid_t command = start(argv + 4, &before, NULL);
    if (command == 0)
        return 127;
    if (!ends_within(command, strtol(argv[1], NULL, 10), &child_ended)) {
        char shell[] = "sh", number[24];
        snprintf(number, sizeof(number), "%ld", (long)command);
        char *threads[] = {shell, argv[3], number, NULL};
        pid_t teller    = start(threads, &before, argv[2]);
        if (teller != 0)
            wait_for(teller);
        kill(command, SIGKILL);
    }
    return wait_for(command);
}
