/* cpu backend: running a program and reading its output.
 *
 * The program and all processes that it started have ended when the pipe has no writer any more. The exit
 * status may be lost: a program that ignores SIGCHLD, or that waits for any child in a handler, takes it
 * away.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trireme/backend_util.h>

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define HAVE_CLOSEFROM 1
#endif
#endif

/* ---- starting the child */

#ifdef HAVE_CLOSEFROM
static int close_others(posix_spawn_file_actions_t *actions)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}
#else
/* Closes the files that are open now. A file that another thread opens meanwhile without O_CLOEXEC stays
 * open. */
static int close_others(posix_spawn_file_actions_t *actions)
{
    const struct dirent *entry;
    int error   = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    while (error == 0 && (entry = readdir(folder)) != NULL) {
        int file = atoi(entry->d_name);
        if (file > STDERR_FILENO && file != dirfd(folder) && (fcntl(file, F_GETFD) & FD_CLOEXEC) == 0)
            error = posix_spawn_file_actions_addclose(actions, file);
    }
    closedir(folder);
    return error;
}
#endif

static int set_files(posix_spawn_file_actions_t *actions, int output)
{
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
    return error == 0 ? close_others(actions) : error;
}

/* The child leads a process group of its own, so that the whole group can be killed. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                         POSIX_SPAWN_SETPGROUP);
    return error;
}

static int start_child(const struct cpu_spawn *spawn, int output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0)
        goto destroy_actions;
    error = set_files(&actions, output);
    if (error == 0)
        error = set_attributes(&attributes);
    if (error == 0)
        error = posix_spawn(child, spawn->arguments[0], &actions, &attributes, spawn->arguments,
                            spawn->environment);
    posix_spawnattr_destroy(&attributes);

destroy_actions:
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* ---- reading its output */

/* Read once. Output beyond the buffer is dropped. False at the end. */
static bool read_output(struct cpu_spawn *spawn, int input, size_t *length)
{
    char rest[1024];
    size_t room   = sizeof(spawn->output) - 1 - *length;
    ssize_t count = read(input, room != 0 ? spawn->output + *length : rest, room != 0 ? room : sizeof(rest));
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    if (room != 0)
        *length += (size_t)count;
    return count != 0;
}

/* Read until the end or the time-out. */
static void read_all(struct cpu_spawn *spawn, int input)
{
    uint64_t deadline = trm_util_deadline(spawn->timeout_ms * UINT64_C(1000000));
    size_t length     = 0;
    bool is_open      = true;
    while (is_open) {
        struct pollfd wait = {.fd = input, .events = POLLIN};
        uint64_t left_ms   = (trm_util_remaining(deadline) + 999999) / 1000000;
        if (left_ms == 0) {
            spawn->has_timed_out = true;
            break;
        }
        if (poll(&wait, 1, (int)left_ms) > 0)
            is_open = read_output(spawn, input, &length);
    }
    spawn->output[length] = '\0';
}

static void reap(struct cpu_spawn *spawn, pid_t child)
{
    pid_t ended;
    if (spawn->has_timed_out)
        (void)kill(-child, SIGKILL);
    do
        ended = waitpid(child, &spawn->status, 0);
    while (ended < 0 && errno == EINTR);
    spawn->has_status = ended == child;
}

int cpu_spawn_run(struct cpu_spawn *spawn)
{
    int ends[2];
    pid_t child          = 0;
    spawn->output[0]     = '\0';
    spawn->has_timed_out = false;
    spawn->has_status    = false;
    spawn->status        = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int error = start_child(spawn, ends[1], &child);
    close(ends[1]);
    if (error == 0) {
        read_all(spawn, ends[0]);
        reap(spawn, child);
    }
    close(ends[0]);
    return error;
}
