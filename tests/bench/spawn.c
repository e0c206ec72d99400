/* spawn NAME PROGRAM [ARGUMENT…]: start a program several times; print the time to its first output, and its
 * peak memory.
 *
 * The first start is told apart from the later ones, which find files and compiled kernels in caches.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STARTS = 8
};

extern char **environ;

struct start {
    double milliseconds; /* to the first output */
    double peak_mib;
};

static pid_t spawn_into_pipe(char **command, int pipe_end, int other_end)
{
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    int error;

    if (posix_spawn_file_actions_init(&actions) != 0)
        measure_fail("no memory");
    posix_spawn_file_actions_adddup2(&actions, pipe_end, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, other_end);
    error = posix_spawn(&child, command[0], &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0)
        return child;
    fprintf(stderr, "%s: %s\n", command[0], strerror(error));
    return -1;
}

/* Read until the end; the time at which the first bytes came, 0 when none did. */
static uint64_t wait_for_output(int pipe_end)
{
    char bytes[4096];
    uint64_t first = 0;
    ssize_t got;

    while ((got = read(pipe_end, bytes, sizeof(bytes))) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0 && first == 0)
            first = measure_now();
    }
    return first;
}

/* 0 on success. */
static int start_once(char **command, struct start *start)
{
    struct rusage usage;
    uint64_t begin, ready;
    int ends[2], status;
    pid_t child;

    if (pipe(ends) != 0)
        return -1;
    begin = measure_now();
    child = spawn_into_pipe(command, ends[1], ends[0]);
    close(ends[1]);
    ready = wait_for_output(ends[0]);
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0 || ready == 0)
        return -1;
    start->milliseconds = (double)(ready - begin) * 1e-6;
    start->peak_mib     = (double)usage.ru_maxrss / 1024.0;
    return 0;
}

int main(int argc, char **argv)
{
    double later[STARTS], peak[STARTS], cold = 0.0;
    struct start start;

    if (argc < 3) {
        fprintf(stderr, "Usage: %s NAME PROGRAM [ARGUMENT…]\n", argv[0]);
        return 2;
    }
    for (int i = 0; i <= STARTS; i++) {
        if (start_once(argv + 2, &start) != 0) {
            fprintf(stderr, "%s: it failed\n", argv[2]);
            return 1;
        }
        if (i == 0) {
            cold = start.milliseconds;
            continue;
        }
        later[i - 1] = start.milliseconds;
        peak[i - 1]  = start.peak_mib;
    }
    measure_print("start", "first_kernel_cold", argv[1], "ms", &cold, 1);
    measure_print("start", "first_kernel", argv[1], "ms", later, STARTS);
    measure_print("start", "peak_memory", argv[1], "MiB", peak, STARTS);
    return 0;
}
