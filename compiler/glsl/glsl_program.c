/* Compiles GLSL with the program glslc.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define HAVE_CLOSEFROM 1
#endif
#endif

#define OUTPUT_MOST (256u << 20) /* bytes */

static const char stdin_name[] = "<stdin>";

const char *glsl_program_find(void)
{
    static const char *const paths[] = {"/usr/local/bin/glslc", "/usr/bin/glslc", "/bin/glslc"};

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (access(paths[i], X_OK) == 0 && base_file_permissions_check(paths[i]) == TRM_OK)
            return paths[i];
    return NULL;
}

/* ---- the command line ---------------------------------------------------------------------- */

/* The include option for the folder of the file, since the program reads the text from standard input. It
 * precedes the other folders. */
static const char *folder_of(struct base_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');

    if (slash == NULL)
        return "-I.";
    return base_arena_format(arena, "-I%.*s", slash == file ? 1 : (int)(slash - file), file);
}

static const char **make_arguments(struct base_arena *arena, const char *program,
                                   const struct trm_glsl_options *options)
{
    const char **arguments = base_arena_allocate(
        arena, 16 + (size_t)options->define_count + options->include_count, sizeof(char *));
    size_t count = 0;

    if (arguments == NULL)
        return NULL;
    arguments[count++] = program;
    arguments[count++] = "-fshader-stage=compute";
    arguments[count++] = "--target-env=vulkan1.1";
    arguments[count++] = "--target-spv=spv1.3";
    arguments[count++] = options->flags & TRM_GLSL_UNOPTIMIZED ? "-O0" : "-O";
    if (!(options->flags & TRM_GLSL_NO_DEBUG))
        arguments[count++] = "-g";
    for (uint32_t i = 0; i < options->define_count; i++)
        arguments[count++] = base_arena_format(arena, "-D%s", options->defines[i]);
    if (options->file != NULL)
        arguments[count++] = folder_of(arena, options->file);
    for (uint32_t i = 0; i < options->include_count; i++)
        arguments[count++] = base_arena_format(arena, "-I%s", options->includes[i]);
    arguments[count++] = "-o";
    arguments[count++] = "-";
    arguments[count]   = "-";
    return arena->failed ? NULL : arguments;
}

/* ---- running it ---------------------------------------------------------------------------- */

/* Files in memory that the program reads and writes. Unlike with pipes, neither process waits for the
 * other. */
struct files {
    int input, output, messages;
};

static void close_files(const struct files *files)
{
    if (files->input >= 0)
        close(files->input);
    if (files->output >= 0)
        close(files->output);
    if (files->messages >= 0)
        close(files->messages);
}

static bool write_all(int file, const char *text, uint64_t length)
{
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (uint64_t)written;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

static int32_t open_files(struct files *files, const char *text, uint64_t length)
{
    files->input    = memfd_create("glsl", MFD_CLOEXEC);
    files->output   = memfd_create("spirv", MFD_CLOEXEC);
    files->messages = memfd_create("messages", MFD_CLOEXEC);
    if (files->input >= 0 && files->output >= 0 && files->messages >= 0 &&
        write_all(files->input, text, length))
        return TRM_OK;
    close_files(files);
    return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "cannot create files in memory to compile GLSL: %m");
}

static int start(const char **arguments, const struct files *files, pid_t *child)
{
    /* The child gets a fixed environment, default signal handling and, where posix_spawn() can close them, no
     * other descriptors of this process. */
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0)
        goto destroy_actions;
    if ((error = posix_spawnattr_setsigmask(&attributes, &none)) != 0 ||
        (error = posix_spawnattr_setsigdefault(&attributes, &all)) != 0 ||
        (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)) !=
            0 ||
        (error = posix_spawn_file_actions_adddup2(&actions, files->input, STDIN_FILENO)) != 0 ||
        (error = posix_spawn_file_actions_adddup2(&actions, files->output, STDOUT_FILENO)) != 0 ||
        (error = posix_spawn_file_actions_adddup2(&actions, files->messages, STDERR_FILENO)) != 0)
        goto destroy_attributes;
#ifdef HAVE_CLOSEFROM
    if ((error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)) != 0)
        goto destroy_attributes;
#endif
    error = posix_spawn(child, arguments[0], &actions, &attributes, (char *const *)(uintptr_t)arguments,
                        (char *const *)(uintptr_t)environment);
destroy_attributes:
    posix_spawnattr_destroy(&attributes);
destroy_actions:
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* In a process that ignores SIGCHLD, waitpid() waits for the child but cannot return its status. In this case
 * the child has succeeded if it has written a result. */
static bool has_succeeded(pid_t child, const struct files *files, int32_t *signal)
{
    struct stat output;
    int status;

    *signal = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fstat(files->output, &output) == 0 && output.st_size > 0;
    if (WIFSIGNALED(status))
        *signal = WTERMSIG(status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *read_all(struct base_arena *arena, int file, uint64_t *size)
{
    struct stat info;

    if (fstat(file, &info) != 0 || info.st_size > OUTPUT_MOST)
        return NULL;
    char *bytes = base_arena_allocate(arena, (size_t)info.st_size + 1, 1);
    *size       = 0;
    while (bytes != NULL && *size < (uint64_t)info.st_size) {
        ssize_t count = pread(file, bytes + *size, (size_t)info.st_size - *size, (off_t)*size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return NULL;
        *size += (uint64_t)count;
    }
    return bytes;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Replaces <stdin> in the messages by the name of the file. */
static const char *rename_text(struct base_arena *arena, const char *text, const char *file)
{
    const char *found = strstr(text, stdin_name);

    while (found != NULL && text != NULL) {
        const char *rest = found + strlen(stdin_name);
        size_t begin     = (size_t)(found - text) + strlen(file);

        text  = base_arena_format(arena, "%.*s%s%s", (int)(found - text), text, file, rest);
        found = text != NULL ? strstr(text + begin, stdin_name) : NULL;
    }
    return text;
}

/* Replaces <stdin> in the SPIR-V, where it is one OpString (opcode 7). */
static int32_t rename_module(struct base_arena *arena, const char *file, struct glsl_program_result *result)
{
    const uint32_t *words = result->bytes;
    size_t count = result->size / 4, at = 5, length = 0;

    for (; at < count; at += length) {
        length = words[at] >> 16;
        if (length == 0 || length > count - at)
            return TRM_OK; /* spirv_read() reports the error */
        if ((words[at] & 0xffff) == 7 && length == 4 &&
            memcmp(words + at + 2, stdin_name, sizeof(stdin_name)) == 0)
            break;
    }
    if (at >= count)
        return TRM_OK;
    size_t longer   = 2 + strlen(file) / 4 + 1;
    uint32_t *named = base_arena_allocate(arena, count - length + longer, sizeof(*named));
    if (longer > 0xffff || named == NULL)
        return base_fail_memory("compiling GLSL");
    memcpy(named, words, at * 4);
    named[at]     = (uint32_t)longer << 16 | 7;
    named[at + 1] = words[at + 1];
    memcpy(named + at + 2, file, strlen(file));
    memcpy(named + at + longer, words + at + length, (count - at - length) * 4);
    result->bytes = named;
    result->size  = (count - length + longer) * 4;
    return TRM_OK;
}

/* ---- calling it ---------------------------------------------------------------------------- */

static int32_t read_results(struct base_arena *arena, const struct files *files, const char *file,
                            struct glsl_program_result *result)
{
    uint64_t length;

    result->message = read_all(arena, files->messages, &length);
    if (result->message != NULL)
        result->message = rename_text(arena, result->message, file);
    result->bytes = read_all(arena, files->output, &result->size);
    if (result->message == NULL || result->bytes == NULL)
        return base_fail_memory("compiling GLSL");
    return result->succeeded ? rename_module(arena, file, result) : TRM_OK;
}

int32_t glsl_program_run(struct base_arena *arena, const char *program, const char *text, uint64_t length,
                         const char *file, const struct trm_glsl_options *options,
                         struct glsl_program_result *result)
{
    struct files files;
    pid_t child;

    const char **arguments = make_arguments(arena, program, options);
    if (arguments == NULL)
        return base_fail_memory("compiling GLSL");
    int32_t status = open_files(&files, text, length);
    if (status != TRM_OK)
        return status;
    int error = start(arguments, &files, &child);
    if (error != 0) {
        errno  = error; /* for %m */
        status = base_fail(TRM_ERROR_UNSUPPORTED, "%s cannot be run: %m", program);
    } else {
        result->succeeded = has_succeeded(child, &files, &result->signal);
        status            = read_results(arena, &files, file, result);
    }
    close_files(&files);
    return status;
}
