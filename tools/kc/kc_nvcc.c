/* Trireme: CUDA's compiler as a child process.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- signals ---- */

/* A signal that arrives while the compiler runs is forwarded to it, and ends this program after the temporary
 * files are removed. */

#define SIGNALS 3

static const int signals[SIGNALS] = {SIGHUP, SIGINT, SIGTERM};
static volatile sig_atomic_t running, came; /* the process id of the compiler; the signal. 0: none */

static void pass_on(int number)
{
    came = number;
    if (running != 0)
        kill(running, number);
}

/* Ignored signals stay ignored. */
static void hold_signals(struct sigaction before[SIGNALS])
{
    struct sigaction action = {.sa_handler = pass_on};

    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void release_signals(const struct sigaction before[SIGNALS])
{
    running = 0;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

/* Forward a signal that arrived before the process id of the compiler was known. */
static void expect(pid_t child)
{
    running = child;
    if (came != 0)
        kill(child, came);
}

/* ---- a program ---- */

/* Run a program to its end, with its output on stderr. Returns 0, the errno if it could not be started, or -1
 * if it failed. */
static int run_program(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;

    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return error;
    expect(child);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int run_compiler(char *const *arguments)
{
    struct sigaction before[SIGNALS];

    hold_signals(before);
    int error = run_program(arguments);
    release_signals(before);
    return error;
}

/* ---- architectures ---- */

enum {
    MOST_ARCHITECTURES = 32,
    ARCHITECTURE_TEXT  = 64
};

/* The architecture options of nvcc. */
struct architectures {
    char text[MOST_ARCHITECTURES + 1][ARCHITECTURE_TEXT];
    uint32_t count;
};

static bool is_word(const char *list)
{
    return strcmp(list, "all-major") == 0 || strcmp(list, "all") == 0 || strcmp(list, "native") == 0;
}

/* The number of the next entry of a list, such as 90 of "90", "sm_90" or "90a", with the `length` of the
 * entry. 0: it has no number. */
static unsigned long next_number(const char *list, const char **begin, size_t *length)
{
    char *end;

    *begin               = strncmp(list, "sm_", 3) == 0 ? list + 3 : list;
    *length              = strcspn(*begin, ",");
    unsigned long number = **begin >= '1' && **begin <= '9' ? strtoul(*begin, &end, 10) : 0;
    if (number < 10 || number > 9999)
        return 0;
    if (end < *begin + *length && *end >= 'a' && *end <= 'z')
        end++; /* code for this architecture alone */
    return end == *begin + *length ? number : 0;
}

bool kc_cuda_arch_is_valid(const char *list)
{
    const char *begin;
    size_t length;

    if (is_word(list))
        return true;
    for (uint32_t i = 0; i < MOST_ARCHITECTURES; i++) {
        if (next_number(list, &begin, &length) == 0)
            return false;
        if (begin[length] == '\0')
            return true;
        list = begin + length + 1;
    }
    return false;
}

/* Code for each architecture, and PTX of the newest. */
static void list_architectures(const char *list, struct architectures *architectures)
{
    unsigned long latest = 0;
    const char *begin;
    size_t length;

    architectures->count = 0;
    if (is_word(list)) {
        snprintf(architectures->text[architectures->count++], ARCHITECTURE_TEXT, "-arch=%s", list);
        return;
    }
    do {
        unsigned long number = next_number(list, &begin, &length);
        latest               = number > latest ? number : latest;
        snprintf(architectures->text[architectures->count++], ARCHITECTURE_TEXT,
                 "-gencode=arch=compute_%.*s,code=sm_%.*s", (int)length, begin, (int)length, begin);
        list = begin + length + 1;
    } while (begin[length] != '\0');
    snprintf(architectures->text[architectures->count++], ARCHITECTURE_TEXT,
             "-gencode=arch=compute_%lu,code=compute_%lu", latest, latest);
}

/* ---- the compiler ---- */

static bool compile(const struct kc_options *options, struct kc_job *job, const char *source,
                    const char *output)
{
    const char *arguments[MOST_ARCHITECTURES + 8] = {options->nvcc, "-fatbin", "-o", output, source};
    struct architectures architectures;
    int error;

    list_architectures(options->cuda_arch, &architectures);
    for (uint32_t i = 0; i < architectures.count; i++)
        arguments[5 + i] = architectures.text[i];
    error = run_compiler((char *const *)(uintptr_t)arguments);
    if (error == 0)
        return true;
    if (error == ENOENT) {
        kc_fail(job,
                "%s was not found: install CUDA's toolkit, or name its compiler with --nvcc=FILE; "
                "--emit=cuda shows the text without it",
                options->nvcc);
        return false;
    }
    if (error > 0) {
        kc_fail(job, "%s cannot be run: %s", options->nvcc, strerror(error));
        return false;
    }
    kc_fail(job, "%s failed; --emit=cuda shows its input", options->nvcc);
    return false;
}

/* Append the line that names the origin of the code. */
static bool append_origin(struct kc_job *job, const char *text, uint64_t length, const struct kc_file *file)
{
    const char *line      = length > 1 ? memrchr(text, '\n', length - 1) : NULL;
    struct kc_file behind = *file;
    bool well;

    if (!line)
        return true;
    behind.descriptor = open(file->temporary, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (behind.descriptor < 0) {
        kc_fail(job, "%s: %s", file->path, strerror(errno));
        return false;
    }
    well = kc_file_write(job, &behind, line, length - (uint64_t)(line - text));
    if (close(behind.descriptor) != 0 && well) {
        kc_fail(job, "%s: %s", file->path, strerror(errno));
        well = false;
    }
    return well;
}

/* Open a temporary file beside `path` with a name that nvcc accepts: it rejects some characters of variants'
 * names. */
static bool begin_beside(struct kc_job *job, const char *path, const char *name, struct kc_file *file)
{
    const char *slash = strrchr(path, '/');
    char beside[PATH_MAX];
    int length = slash ? (int)(slash + 1 - path) : 0;

    if (snprintf(beside, sizeof(beside), "%.*s%s", length, path, name) >= PATH_MAX) {
        kc_fail(job, "%s: %s", path, strerror(ENAMETOOLONG));
        return false;
    }
    return kc_file_begin(job, beside, file);
}

bool kc_nvcc(const struct kc_options *options, struct kc_job *job, const char *text, uint64_t length,
             const char *path)
{
    struct kc_file source, output;
    bool well;

    if (!begin_beside(job, path, "kernel.cu", &source))
        return false;
    if (!begin_beside(job, path, "kernel.fatbin", &output)) {
        kc_file_discard(&source);
        return false;
    }
    snprintf(output.path, sizeof(output.path), "%s", path);
    well = kc_file_write(job, &source, text, length) &&
           compile(options, job, source.temporary, output.temporary) &&
           append_origin(job, text, length, &output) && kc_file_commit(job, &output);
    if (!well)
        kc_file_discard(&output);
    kc_file_discard(&source);
    if (came != 0)
        raise(came);
    return well;
}
