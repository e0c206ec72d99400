/* Runs a program under a supervisor.
 * SPDX-License-Identifier: MIT
 */
#include "base/program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/program/supervise.h"

#define MESSAGES_MOST (64u << 10)
#define ROOM_LEAST ((uint64_t)64 << 20) /* bytes that a place for folders should have free */
#define PLACES_MOST 4

/* ---- places for folders --------------------------------------------------------------------- */

/* A full place, and one whose files cannot be mapped as code, comes after the others. */
static bool is_good(const char *place)
{
    struct statvfs facts;
    return statvfs(place, &facts) == 0 && !(facts.f_flag & (ST_RDONLY | ST_NOEXEC)) &&
           (uint64_t)facts.f_bavail * facts.f_frsize >= ROOM_LEAST;
}

/* Lists the places where no other user can replace a folder of this user, in the order to try them. */
static size_t list_places(const char *first, const char *places[PLACES_MOST])
{
    const char *const all[PLACES_MOST] = {first, "/tmp", "/var/tmp", "/dev/shm"};
    bool is_listed[PLACES_MOST]        = {false};
    struct base_saved_error before;
    size_t count = 0;
    base_error_save(&before);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < PLACES_MOST; i++) {
            if (is_listed[i] || all[i] == NULL || (pass == 0 && !is_good(all[i])) ||
                base_place_permissions_check(all[i]) != TRM_OK)
                continue;
            is_listed[i]    = true;
            places[count++] = all[i];
        }
    base_error_restore(&before);
    return count;
}

/* ---- starting the supervisor ---------------------------------------------------------------- */

static const char **make_arguments(struct base_arena *arena, const struct base_program_rules *rules,
                                   const char *const *arguments)
{
    const char *places[PLACES_MOST];
    size_t place_count = list_places(rules->first_place, places), count = 0, own = 0;
    while (arguments[count] != NULL)
        count++;
    const char **made = base_arena_allocate(arena, place_count + count + 7, sizeof(*made));
    if (made == NULL)
        return NULL;
    made[own++] = rules->supervisor;
    made[own++] = base_arena_format(arena, "%ld", (long)getpid());
    made[own++] = base_arena_format(arena, "%" PRIu64, rules->seconds);
    made[own++] = base_arena_format(arena, "%" PRIu64, rules->memory);
    made[own++] = base_arena_format(arena, "%" PRIu64, rules->output);
    memcpy(made + own, places, place_count * sizeof(*places));
    own += place_count;
    made[own++] = "--";
    memcpy(made + own, arguments, count * sizeof(*arguments));
    return arena->failed ? NULL : made;
}

/* Moves a descriptor above those that the supervisor gets: the calling process may have closed its own. */
static int move_up(int file)
{
    if (file < 0 || file > SUPERVISE_SOCKET)
        return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, SUPERVISE_SOCKET + 1);
    close(file);
    return moved;
}

static int set_files(posix_spawn_file_actions_t *actions, int output, int socket)
{
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, socket, SUPERVISE_SOCKET);
    return error;
}

/* In a process group of its own and with all signals blocked, the supervisor outlives an interrupt from the
 * terminal. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all;
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                         POSIX_SPAWN_SETPGROUP);
    return error;
}

static int spawn(const char **arguments, int output, int socket, pid_t *child)
{
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0)
        goto destroy_actions;
    error = set_files(&actions, output, socket);
    if (error == 0)
        error = set_attributes(&attributes);
    if (error == 0)
        error = posix_spawn(child, arguments[0], &actions, &attributes, (char *const *)(uintptr_t)arguments,
                            (char *const *)(uintptr_t)environment);
    posix_spawnattr_destroy(&attributes);

destroy_actions:
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int32_t check_supervisor(const char *path)
{
    int32_t status = base_file_permissions_check(path);
    if (status == TRM_ERROR_NOT_FOUND)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "compilers cannot be run: %s, which comes with Trireme, is missing; install Trireme "
                         "again",
                         path);
    return status;
}

/* Opens a descriptor of the supervisor's process. There is none if the supervisor has ended and this process
 * has reaped it elsewhere. The kernel gives numbers out in turn, so this moment is too short for another
 * process to get the same one; later its number may belong to any process. Valgrind 3.19 and some sandboxes
 * have no descriptors of processes: there the number has to do. 0 or an errno. */
static int watch(struct base_program *program, pid_t number)
{
    program->supervisor = pidfd_open(number, 0);
    if (program->supervisor >= 0 || errno == ESRCH)
        return 0;
    program->number = number;
    return errno == ENOSYS || errno == EPERM ? 0 : errno;
}

static int32_t start_supervisor(struct base_program *program, const char **arguments)
{
    int ends[2] = {-1, -1}, error = 0;
    pid_t number;
    program->output = move_up(memfd_create("messages", MFD_CLOEXEC));
    if (program->output < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        error = errno;
    ends[0] = move_up(ends[0]);
    ends[1] = move_up(ends[1]);
    if (error == 0 && (ends[0] < 0 || ends[1] < 0))
        error = errno;
    program->socket = ends[0];
    if (error == 0)
        error = spawn(arguments, program->output, ends[1], &number);
    if (error == 0)
        error = watch(program, number);
    if (ends[1] >= 0)
        close(ends[1]);
    if (error == 0)
        return TRM_OK;
    errno = error; /* for %m */
    return base_fail(error == ENOMEM ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_ERROR_BACKEND,
                     "%s cannot be started: %m", program->rules.supervisor);
}

/* ---- talking to it -------------------------------------------------------------------------- */

/* False when the supervisor has ended. The socket alone does not tell: a process that was forked while the
 * supervisor was started has the other end too. */
static bool receive(const struct base_program *program, void *packet, size_t size)
{
    struct pollfd look[] = {{.fd = program->socket, .events = POLLIN},
                            {.fd = program->supervisor, .events = POLLIN}};
    ssize_t count;
    while ((program->supervisor >= 0 || program->number > 0) && poll(look, 2, -1) < 0 && errno == EINTR)
        continue;
    do
        count = recv(program->socket, packet, size, MSG_DONTWAIT); /* it may have sent before it ended */
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)size;
}

static int32_t fail_lost(const struct base_program *program)
{
    return base_fail(TRM_ERROR_BACKEND, "%s, which runs %s, has ended unexpectedly",
                     program->rules.supervisor, program->path);
}

static int32_t receive_folder(struct base_program *program)
{
    struct supervise_folder made;
    if (!receive(program, &made, sizeof(made)))
        return fail_lost(program);
    made.path[sizeof(made.path) - 1] = '\0';
    errno                            = made.error; /* for %m */
    if (made.error != 0)
        return base_fail(TRM_ERROR_BACKEND,
                         "no folder can be made in /tmp, /var/tmp or /dev/shm to run %s in: %m",
                         program->path);
    program->folder = base_arena_text(program->arena, made.path, strlen(made.path));
    return program->folder != NULL ? TRM_OK : base_fail_memory("running a program");
}

int32_t base_program_open(struct base_program *program, struct base_arena *arena,
                          const struct base_program_rules *rules, const char *const *arguments)
{
    *program = (struct base_program){
        .arena = arena, .rules = *rules, .path = arguments[0], .socket = -1, .output = -1, .supervisor = -1};
    int32_t status = check_supervisor(rules->supervisor);
    if (status != TRM_OK)
        return status;
    const char **all = make_arguments(arena, rules, arguments);
    if (all == NULL)
        return base_fail_memory("running a program");
    status = start_supervisor(program, all);
    if (status == TRM_OK)
        status = receive_folder(program);
    if (status != TRM_OK)
        base_program_close(program);
    return status;
}

/* shutdown() also takes effect when a process that was forked meanwhile has the socket too. */
void base_program_close(struct base_program *program)
{
    siginfo_t ended;
    if (program->socket >= 0) {
        (void)shutdown(program->socket, SHUT_RDWR);
        close(program->socket);
    }
    if (program->output >= 0)
        close(program->output);
    if (program->supervisor >= 0) {
        /* Fails after the end if the process ignores SIGCHLD or reaps all its children elsewhere. */
        while (waitid(P_PIDFD, (id_t)program->supervisor, &ended, WEXITED) < 0 && errno == EINTR)
            continue;
        close(program->supervisor);
    }
    while (program->number > 0 && waitpid(program->number, NULL, 0) < 0 && errno == EINTR)
        continue;
    program->number = 0;
    program->socket = program->output = program->supervisor = -1;
}

/* ---- files ---------------------------------------------------------------------------------- */

const char *base_program_file(const struct base_program *program, const char *name)
{
    return base_arena_format(program->arena, "%s/%s", program->folder, name);
}

int32_t base_program_write(const struct base_program *program, const char *name, const void *bytes,
                           uint64_t size)
{
    const char *path = base_program_file(program, name);
    if (path == NULL)
        return base_fail_memory("running a program");
    int file      = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int32_t error = file < 0 ? errno : base_file_write(file, bytes, size, 0);
    if (file >= 0 && close(file) != 0 && error == 0)
        error = errno;
    errno = error; /* for %m */
    return error == 0 ? TRM_OK : base_fail(TRM_ERROR_BACKEND, "%s cannot be written: %m", path);
}

/* ---- running -------------------------------------------------------------------------------- */

/* Reads the beginning of the messages and tells their whole size. */
static int32_t read_messages(struct base_program *program, uint64_t *size)
{
    struct stat facts;
    uint64_t length;
    char *text = base_arena_allocate(program->arena, MESSAGES_MOST + 1, 1);
    if (text == NULL)
        return base_fail_memory("running a program");
    (void)base_file_read(program->output, text, MESSAGES_MOST, 0, &length);
    program->messages = text;
    *size             = fstat(program->output, &facts) == 0 ? (uint64_t)facts.st_size : length;
    return TRM_OK;
}

static bool has_any(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcasestr(text, *words) != NULL)
            return true;
    return false;
}

/* A shell adds 128 to the number of the signal that killed its child. */
static bool has_exceeded_output(const struct base_program *program, uint64_t size)
{
    static const char *const words[] = {"File size limit exceeded", "File too large", NULL};
    return program->rules.output != 0 &&
           (size >= program->rules.output || program->signal == SIGXFSZ ||
            program->exit_status == 128 + SIGXFSZ || has_any(program->messages, words));
}

/* Only the program can tell that an allocation failed. */
static bool has_exceeded_memory(const struct base_program *program)
{
    static const char *const words[] = {"out of memory",  "memory exhausted",  "cannot allocate",
                                        "std::bad_alloc", "not enough memory", NULL};
    return program->rules.memory != 0 && has_any(program->messages, words);
}

static int32_t judge_end(struct base_program *program, int status, uint64_t size, const char *what)
{
    program->signal      = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    program->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (program->signal == 0 && program->exit_status == 0)
        return TRM_OK;
    if (has_exceeded_output(program, size))
        return base_fail(TRM_ERROR_BACKEND,
                         "%s wrote more than %" PRIu64 " bytes for %s; the setting compiler.output sets this "
                         "limit",
                         program->path, program->rules.output, what);
    if (has_exceeded_memory(program))
        return base_fail(TRM_ERROR_BACKEND,
                         "%s needed more than %" PRIu64
                         " bytes of memory for %s; the setting compiler.memory "
                         "sets this limit",
                         program->path, program->rules.memory, what);
    return TRM_OK;
}

int32_t base_program_run(struct base_program *program, const char *what)
{
    struct supervise_end end;
    uint64_t size;
    if (send(program->socket, "", 1, MSG_NOSIGNAL) != 1 || !receive(program, &end, sizeof(end)))
        return fail_lost(program);
    int32_t status = read_messages(program, &size);
    if (status != TRM_OK)
        return status;
    if (end.how == SUPERVISE_TIMED_OUT)
        return base_fail(TRM_ERROR_TIMEOUT,
                         "%s did not finish %s within %" PRIu64
                         " seconds; the setting compiler.time sets this "
                         "limit",
                         program->path, what, program->rules.seconds);
    errno = end.detail; /* for %m */
    if (end.how == SUPERVISE_NOT_STARTED)
        return base_fail(TRM_ERROR_UNSUPPORTED, "%s cannot be run: %m", program->path);
    return judge_end(program, end.detail, size, what);
}
