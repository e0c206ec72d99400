/* Trireme: CUDA's compiler as a child process.
 * SPDX-License-Identifier: MIT
 */
#include "kc.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run a program to its end, with stdin closed and what it prints on stderr. Returns 0, the errno of not being able to
 * start it, or -1 when it failed. */
static int run_program(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error, status;

    error = posix_spawn_file_actions_init(&actions);
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
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool compile(const struct kc_options *options, struct kc_job *job, const char *source,
                    const char *output)
{
    const char *arguments[] = {options->nvcc, "--ptx", "-O3", "-o", output, source, NULL};
    int error               = run_program((char *const *)(uintptr_t)arguments);

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
    kc_fail(job, "%s failed; --emit=cuda shows what it was given", options->nvcc);
    return false;
}

bool kc_nvcc(const struct kc_options *options, struct kc_job *job, const char *text, uint64_t length,
             const char *path)
{
    struct kc_file source, output;
    char source_path[PATH_MAX];
    bool well;

    if (strlen(path) >= sizeof(source_path)) {
        kc_fail(job, "%s: %s", path, strerror(ENAMETOOLONG));
        return false;
    }
    snprintf(source_path, sizeof(source_path), "%.*s.cu", (int)(strrchr(path, '.') - path), path);
    if (!kc_file_begin(job, source_path, &source))
        return false;
    if (!kc_file_begin(job, path, &output)) {
        kc_file_discard(&source);
        return false;
    }
    well = kc_file_write(job, &source, text, length) &&
           compile(options, job, source.temporary, output.temporary) && kc_file_commit(job, &output);
    if (!well)
        kc_file_discard(&output);
    kc_file_discard(&source);
    return well;
}
