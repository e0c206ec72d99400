/* The supervisor: a program that runs a compiler for the library, under limits, in a temporary folder, and
 * ends both when the library or its program ends. supervise.h says how it is called.
 *
 * All signals are blocked; those that matter are read from a descriptor. The compiler leads a process group
 * of its own. Processes of that group whose parent ends become children of the supervisor (it is a
 * subreaper), so it can wait until each of them is gone, and only then removes the folder. The kernel sends
 * SIGTERM when the thread that started the supervisor ends: a socket alone would stay open in a process that
 * was forked meanwhile.
 * SPDX-License-Identifier: MIT
 */
#include "base/program/supervise.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct supervisor {
    pid_t parent;
    uint64_t seconds, memory, output; /* the limits; 0: none */
    char **places;                    /* up to "--" */
    char **arguments;                 /* behind it */
    char folder[SUPERVISE_PATH];
    int signals; /* a descriptor for SIGCHLD and SIGTERM */
};

/* ---- beginning ------------------------------------------------------------------------------ */

static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

static bool read_arguments(char **argv, int argc, struct supervisor *supervisor)
{
    uint64_t parent;
    if (argc < 8 || !read_number(argv[1], &parent) || !read_number(argv[2], &supervisor->seconds) ||
        !read_number(argv[3], &supervisor->memory) || !read_number(argv[4], &supervisor->output))
        return false;
    supervisor->parent    = (pid_t)parent;
    supervisor->places    = &argv[5];
    supervisor->arguments = &argv[5];
    while (*supervisor->arguments != NULL && strcmp(*supervisor->arguments, "--") != 0)
        supervisor->arguments++;
    return *supervisor->arguments++ != NULL && *supervisor->arguments != NULL;
}

/* Closes what the program left open without FD_CLOEXEC. */
static void close_others(void)
{
    const struct dirent *entry;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL) {
        int file = atoi(entry->d_name);
        if (file > SUPERVISE_SOCKET && file != dirfd(folder))
            close(file);
    }
    closedir(folder);
}

static bool prepare(struct supervisor *supervisor)
{
    sigset_t all, read;
    sigfillset(&all);
    sigemptyset(&read);
    sigaddset(&read, SIGCHLD);
    sigaddset(&read, SIGTERM);
    close_others();
    if (sigprocmask(SIG_SETMASK, &all, NULL) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 ||
        prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return false;
    supervisor->signals = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
    return supervisor->signals >= 0 && fcntl(SUPERVISE_SOCKET, F_SETFD, FD_CLOEXEC) == 0 &&
           getppid() == supervisor->parent; /* it may have ended before prctl() */
}

static bool say(const void *packet, size_t size)
{
    return send(SUPERVISE_SOCKET, packet, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* ---- the folder ----------------------------------------------------------------------------- */

static bool make_folder(struct supervisor *supervisor)
{
    struct supervise_folder made = {.error = ENOENT};
    for (char **place = supervisor->places; made.error != 0 && strcmp(*place, "--") != 0; place++) {
        int length = snprintf(made.path, sizeof(made.path), "%s/trireme-XXXXXX", *place);
        if (length < 0 || (size_t)length >= sizeof(made.path))
            made.error = ENAMETOOLONG;
        else if (mkdtemp(made.path) == NULL)
            made.error = errno;
        else
            made.error = 0;
    }
    if (made.error == 0) {
        memcpy(supervisor->folder, made.path, sizeof(made.path));
        if (chdir(made.path) != 0)
            made.error = errno;
    }
    return say(&made, sizeof(made)) && made.error == 0;
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    (void)remove(path);
    return 0;
}

static void remove_folder(const struct supervisor *supervisor)
{
    if (supervisor->folder[0] != '\0')
        (void)nftw(supervisor->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- waiting -------------------------------------------------------------------------------- */

enum event {
    PACKET, /* of the library */
    CLOSED, /* by the library, or its thread has ended */
    CHILD,  /* some child has ended */
    TIMEOUT
};

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static enum event read_socket(void)
{
    char packet;
    return recv(SUPERVISE_SOCKET, &packet, 1, MSG_DONTWAIT) == 1 ? PACKET : CLOSED;
}

/* Waits until `deadline`, a time of now_ms(); negative: without limit. */
static enum event wait_for_event(const struct supervisor *supervisor, int64_t deadline)
{
    struct signalfd_siginfo info;
    for (;;) {
        struct pollfd look[] = {{.fd = SUPERVISE_SOCKET, .events = POLLIN},
                                {.fd = supervisor->signals, .events = POLLIN}};
        int64_t left         = deadline < 0 ? -1 : deadline - now_ms();
        if (deadline >= 0 && left <= 0)
            return TIMEOUT;
        if (poll(look, 2, left > 1000000 ? 1000000 : (int)left) <= 0)
            continue;
        if (look[0].revents != 0)
            return read_socket();
        if (read(supervisor->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
            return info.ssi_signo == SIGTERM ? CLOSED : CHILD;
    }
}

/* ---- the compiler --------------------------------------------------------------------------- */

static void lower_limit(int resource, uint64_t value)
{
    struct rlimit limit;
    if (value == 0 || getrlimit(resource, &limit) != 0)
        return;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value)
        limit.rlim_max = value;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(resource, &limit);
}

/* The limit of processor time only matters when the supervisor is killed: within the limit of time a process
 * cannot use more than this. */
static void lower_limits(const struct supervisor *supervisor)
{
    struct rlimit no_core = {0, 0};
    long processors       = sysconf(_SC_NPROCESSORS_ONLN);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    lower_limit(RLIMIT_CPU, supervisor->seconds * (uint64_t)(processors > 0 ? processors : 1));
    lower_limit(RLIMIT_FSIZE, supervisor->output);
    lower_limit(RLIMIT_AS, supervisor->memory);
}

/* In the child. Writes the errno of a failure to `failed`, which a successful execve() closes. */
static void execute(const struct supervisor *supervisor, int failed)
{
    char temporary[SUPERVISE_PATH + 8];
    char *environment[] = {(char *)"PATH=/usr/local/bin:/usr/bin:/bin", (char *)"LC_ALL=C", temporary, NULL};
    sigset_t none;
    snprintf(temporary, sizeof(temporary), "TMPDIR=%s", supervisor->folder);
    sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    lower_limits(supervisor);
    if (sigprocmask(SIG_SETMASK, &none, NULL) == 0)
        execve(supervisor->arguments[0], supervisor->arguments, environment);
    int error = errno;
    /* Not write(): that of the thread sanitizer needs more memory than compiler.memory allows. */
    (void)syscall(SYS_write, failed, &error, sizeof(error));
    _exit(127);
}

/* Starts the program. 0 or an errno. */
static int start(const struct supervisor *supervisor, pid_t *child)
{
    int failed[2], error = 0;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return errno;
    *child = fork();
    if (*child == 0)
        execute(supervisor, failed[1]);
    error = *child < 0 ? errno : 0;
    close(failed[1]);
    if (*child > 0) {
        (void)setpgid(*child, *child); /* whichever of the two processes comes first */
        if (read(failed[0], &error, sizeof(error)) != (ssize_t)sizeof(error))
            error = 0;
    }
    close(failed[0]);
    return error;
}

/* Kills the whole group and waits until each of its processes is gone. The leader is not reaped before the
 * kill, so that the number of the group belongs to no other group. */
static int end_group(pid_t child)
{
    int status = 0, some;
    pid_t ended;
    (void)kill(-child, SIGKILL);
    while ((ended = waitpid(-child, &some, 0)) > 0 || errno == EINTR)
        if (ended == child)
            status = some;
    return status;
}

static bool has_ended(pid_t child)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

/* False when the library has closed the socket. */
static bool run(const struct supervisor *supervisor, struct supervise_end *end)
{
    int64_t deadline = supervisor->seconds != 0 ? now_ms() + (int64_t)supervisor->seconds * 1000 : -1;
    enum event event = CHILD;
    pid_t child      = -1;
    int error        = start(supervisor, &child);
    if (error == 0) {
        while (event == CHILD && !has_ended(child))
            event = wait_for_event(supervisor, deadline);
    }
    int status = child > 0 ? end_group(child) : 0;
    end->how = error != 0 ? SUPERVISE_NOT_STARTED : event == TIMEOUT ? SUPERVISE_TIMED_OUT : SUPERVISE_ENDED;
    end->detail = error != 0 ? error : status;
    return error != 0 || event == TIMEOUT || event == CHILD;
}

int main(int argc, char **argv)
{
    struct supervisor supervisor = {.parent = 0};
    struct supervise_end end;
    if (!read_arguments(argv, argc, &supervisor) || !prepare(&supervisor)) {
        fputs("This program belongs to Trireme's library, which runs compilers with it.\n", stderr);
        return 2;
    }
    if (make_folder(&supervisor) && wait_for_event(&supervisor, -1) == PACKET && run(&supervisor, &end) &&
        say(&end, sizeof(end))) {
        while (wait_for_event(&supervisor, -1) != CLOSED)
            continue;
    }
    remove_folder(&supervisor);
    _exit(0);
}
