/* The C++ compiler at work.
 * SPDX-License-Identifier: MIT
 */
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/nvrtc.h"
#include "tests/standin/object.h"

#define ARGUMENTS_MOST 128
#define PATH_BYTES 4096

/* A folder for one compilation. */
struct folder {
    char path[64];
};

static void file_in(const struct folder *folder, const char *name, char *path)
{
    snprintf(path, PATH_BYTES, "%s/%s", folder->path, name);
}

static void remove_folder(const struct folder *folder, const struct nvrtc_request *request)
{
    static const char *const names[] = {"text.cpp", "text.ii", "code.ii", "code.so", "log"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        file_in(folder, names[i], path);
        unlink(path);
    }
    for (int i = 0; i < request->header_count; i++) {
        file_in(folder, request->header_names[i], path);
        unlink(path);
    }
    rmdir(folder->path);
}

/* The compiler must not load what LD_PRELOAD adds to this process, such as a sanitizer. */
static char **environment_without_preload(void)
{
    size_t count = 0, kept = 0;

    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof(*copy));
    for (size_t i = 0; copy != NULL && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            copy[kept++] = environ[i];
    return copy;
}

/* Runs the compiler with these arguments and adds its output to the log. False: it failed, or there is
 * none. */
static bool run_compiler(const struct folder *folder, const char *const *words, struct words *log)
{
    char *arguments[ARGUMENTS_MOST] = {NULL};
    char compiler[]                 = NVRTC_STANDIN_CXX; /* may be several words, such as "ccache g++" */
    int count                       = 0;
    char log_path[PATH_BYTES];
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status         = -1;
    char **environment = environment_without_preload();

    if (environment == NULL)
        return false;
    for (char *rest, *word = strtok_r(compiler, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        arguments[count++] = word;
    /* posix_spawn does not change them. */
    for (int i = 0; words[i] != NULL && count < ARGUMENTS_MOST - 1; i++)
        memcpy(&arguments[count++], &words[i], sizeof(words[i]));
    file_in(folder, "log", log_path);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environment) == 0) {
        while (waitpid(child, &status, 0) < 0)
            continue;
        (void)words_read(log, log_path);
    } else {
        words_print(log, "%s cannot be run\n", arguments[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the text */

static bool write_headers(const struct folder *folder, const struct nvrtc_request *request)
{
    char path[PATH_BYTES];

    for (int i = 0; i < request->header_count; i++) {
        struct words header = {.bytes = NULL};
        if (strchr(request->header_names[i], '/') != NULL)
            return false;
        words_print(&header, "%s", request->headers[i]);
        file_in(folder, request->header_names[i], path);
        bool worked = words_write(&header, path);
        words_clear(&header);
        if (!worked)
            return false;
    }
    return true;
}

static bool write_text(const struct nvrtc_request *request, const char *path)
{
    struct words text = {.bytes = NULL};

    words_print(&text,
                "#include \"tests/standin/prelude/begin.h\"\n" NVRTC_BEGIN "\n"
                "#line 1 \"%s\"\n%s\n" NVRTC_END "\n#include \"tests/standin/prelude/end.h\"\n",
                request->name, request->text);
    bool worked = words_write(&text, path);
    words_clear(&text);
    return worked;
}

static bool preprocess(const struct folder *folder, const struct nvrtc_request *request, struct words *log)
{
    static char sources[] = "-I" NVRTC_STANDIN_SOURCES;
    char from[PATH_BYTES], to[PATH_BYTES], include[PATH_BYTES], architecture[64];
    const char *arguments[ARGUMENTS_MOST] = {"-std=c++17", "-E",    "-w",    "-o",        to,
                                             from,         sources, include, architecture};
    int count                             = 9;

    file_in(folder, "text.cpp", from);
    file_in(folder, "text.ii", to);
    snprintf(include, sizeof(include), "-I%s", folder->path);
    snprintf(architecture, sizeof(architecture), "-D__CUDA_ARCH__=%u", request->capability * 10);
    for (int i = 0; i < request->option_count && count < ARGUMENTS_MOST - 1; i++)
        arguments[count++] = request->options[i];
    return write_text(request, from) && run_compiler(folder, arguments, log);
}

/* Nothing is contracted, and nothing is assumed of numbers: results are those of the text. */
static bool compile(const struct folder *folder, struct words *log)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    const char *arguments[] = {"-std=c++17",
                               "-x",
                               "c++-cpp-output",
                               "-w",
                               "-O1",
                               "-march=native",
                               "-ffp-contract=off",
                               "-fno-math-errno",
                               "-fno-strict-aliasing",
                               "-fwrapv",
                               "-fno-reorder-blocks",
                               "-fno-exceptions",
                               "-fno-asynchronous-unwind-tables",
                               "-fvisibility=hidden",
                               "-fPIC",
                               "-shared",
                               "-o",
                               to,
                               from,
                               "-lm",
                               NULL};

    file_in(folder, "code.ii", from);
    file_in(folder, "code.so", to);
    return run_compiler(folder, arguments, log);
}

/* ---- the image */

static bool make_image(const struct folder *folder, const struct nvrtc_request *request, struct words *image)
{
    char path[PATH_BYTES];
    Elf64_Ehdr header;

    file_in(folder, "code.so", path);
    if (!words_read(image, path) || image->length < sizeof(header))
        return false;
    memcpy(&header, image->bytes, sizeof(header));
    /* The loader takes this for the size of the image. */
    if (header.e_shoff + (uint64_t)header.e_shentsize * header.e_shnum != image->length)
        return false;
    memcpy(&header.e_ident[EI_PAD], STANDIN_MARK, sizeof(STANDIN_MARK));
    header.e_machine = STANDIN_MACHINE_CUDA;
    header.e_flags   = request->capability | (request->is_ptx ? STANDIN_IS_PTX : 0);
    memcpy(image->bytes, &header, sizeof(header));
    return true;
}

static nvrtcResult build_in(const struct folder *folder, const struct nvrtc_request *request,
                            struct words *image, struct words *log)
{
    char path[PATH_BYTES];
    struct words text = {.bytes = NULL}, code = {.bytes = NULL};

    if (!write_headers(folder, request))
        return NVRTC_ERROR_INVALID_INPUT;
    if (!preprocess(folder, request, log))
        return NVRTC_ERROR_COMPILATION;
    file_in(folder, "text.ii", path);
    bool worked = words_read(&text, path);
    if (worked) {
        nvrtc_rewrite(&text, request->capability, &code);
        file_in(folder, "code.ii", path);
        worked = !code.failed && words_write(&code, path);
    }
    words_clear(&text);
    words_clear(&code);
    if (!worked)
        return NVRTC_ERROR_INTERNAL_ERROR;
    if (!compile(folder, log))
        return NVRTC_ERROR_COMPILATION;
    return make_image(folder, request, image) ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult nvrtc_build(const struct nvrtc_request *request, struct words *image, struct words *log)
{
    struct folder folder = {.path = "/tmp/cuda-stand-in-XXXXXX"};

    if (mkdtemp(folder.path) == NULL)
        return NVRTC_ERROR_INTERNAL_ERROR;
    nvrtcResult result = build_in(&folder, request, image, log);
    remove_folder(&folder, request);
    return result;
}
