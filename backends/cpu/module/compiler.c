/* cpu backend: compiling C to a shared object, in a temporary folder.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/compiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpu/module/spawn.h"

#define TIMEOUT_MS 300000u
#define WORDS_MOST 32
#define SENTENCE_LINES 3

/* ---- flags */

/* Floats follow the rules of GLSL: no traps, no errno, and a product and a sum may be rounded once. */
#define COMMON                                                                                   \
    "-std=gnu11 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fno-strict-aliasing " \
    "-fPIC -shared -w "

/* With -march=native the compiler looks at the processor itself. An emulator of this process alone (valgrind)
 * may lack some of its instructions; this is noticed by comparing its features with those of
 * /proc/cpuinfo. */
const char *cpu_compile_flags(uint32_t flags)
{
    if (flags & TRM_BUILD_PORTABLE)
        return COMMON "-DTRM_PORTABLE";
#if defined(__x86_64__)
    char machine[CPU_MODEL_BYTES];
    cpu_machine_model(machine);
    bool has_avx2 = __builtin_cpu_supports("avx2"), has_avx512 = __builtin_cpu_supports("avx512f");
    if (has_avx2 == (strstr(machine, " avx2") != NULL) && has_avx512 == (strstr(machine, " avx512f") != NULL))
        return COMMON "-march=native";
    return has_avx2 && __builtin_cpu_supports("fma") ? COMMON "-march=x86-64-v3" : COMMON "-march=x86-64";
#elif defined(__i386__)
    return COMMON "-march=native";
#else
    return COMMON "-mcpu=native";
#endif
}

/* Split a line at its blanks, in place. */
static int split(char *line, char *words[], int most)
{
    int count  = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word != NULL && count < most;
         word       = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    return count;
}

/* ---- the temporary folder */

struct work_folder {
    char path[64];
    char source[80];
    char temporary[80]; /* "TMPDIR=…", for the environment of the compiler */
};

static int32_t create_folder(struct trm_backend_instance *instance, struct work_folder *folder)
{
    static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(folder->path, sizeof(folder->path), "%s/trireme-XXXXXX", places[i]);
        if (mkdtemp(folder->path) == NULL)
            continue;
        snprintf(folder->source, sizeof(folder->source), "%s/kernel.c", folder->path);
        snprintf(folder->temporary, sizeof(folder->temporary), "TMPDIR=%s", folder->path);
        return TRM_OK;
    }
    return trm_util_fail(instance->host, TRM_ERROR_BACKEND, errno,
                         "No folder can be created in /tmp, /var/tmp or /dev/shm to compile in: %m.");
}

static void remove_folder(const struct work_folder *folder)
{
    const struct dirent *entry;
    DIR *listing = opendir(folder->path);
    if (listing != NULL) {
        while ((entry = readdir(listing)) != NULL)
            (void)unlinkat(dirfd(listing), entry->d_name, 0);
        closedir(listing);
    }
    (void)rmdir(folder->path);
}

static int32_t write_source(struct trm_backend_instance *instance, const struct work_folder *folder,
                            const char *text, uint64_t length)
{
    ssize_t count = 0;
    int file      = open(folder->source, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (file >= 0 && length != 0) {
        count = write(file, text, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            break;
        text += count;
        length -= (uint64_t)count;
    }
    int error = errno;
    if (file >= 0 && close(file) == 0 && length == 0)
        return TRM_OK;
    errno = error; /* for %m */
    return trm_util_fail(instance->host, TRM_ERROR_BACKEND, error, "%s cannot be written: %m.",
                         folder->source);
}

/* ---- running the compiler */

static void log_output(struct trm_backend_instance *instance, char *output)
{
    const struct trm_host *host = instance->host;
    char *rest                  = NULL;
    for (char *line = strtok_r(output, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        host->log(host->context, TRM_LOG_ERROR, line);
}

/* Write the first lines that contain an error to `words`. */
static void find_errors(const char *output, char *words, size_t capacity)
{
    size_t used = 0;
    words[0]    = '\0';
    for (int lines = 0; *output != '\0' && lines < SENTENCE_LINES && used + 1 < capacity;) {
        size_t length = strcspn(output, "\n");
        char line[400];
        snprintf(line, sizeof(line), "%.*s", (int)length, output);
        if (strstr(line, "error") != NULL) {
            used += (size_t)snprintf(words + used, capacity - used, "%s%s", lines == 0 ? "" : "; ", line);
            lines++;
        }
        output += length + (output[length] == '\n');
    }
    if (words[0] == '\0')
        snprintf(words, capacity, "it printed no error");
}

/* Where the exit status was lost, the file decides: compilers remove a file that they could not finish. */
static bool has_succeeded(const struct cpu_spawn *spawn, const char *path)
{
    struct stat facts;
    if (spawn->has_timed_out)
        return false;
    if (spawn->has_status)
        return WIFEXITED(spawn->status) && WEXITSTATUS(spawn->status) == 0;
    return stat(path, &facts) == 0 && facts.st_size != 0;
}

static int32_t check_result(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                            const char *name, struct cpu_spawn *spawn, const char *path)
{
    char words[320];
    if (has_succeeded(spawn, path))
        return TRM_OK;
    if (spawn->has_timed_out)
        return trm_util_fail(instance->host, TRM_ERROR_TIMEOUT, 0,
                             "%.100s did not finish kernel '%.40s' within %u seconds.", compiler->path, name,
                             TIMEOUT_MS / 1000);
    find_errors(spawn->output, words, sizeof(words));
    log_output(instance, spawn->output);
    return trm_util_fail(instance->host, TRM_ERROR_BACKEND, spawn->status,
                         "%.60s cannot compile kernel '%.40s': %s.", compiler->path, name, words);
}

static int32_t run_compiler(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                            const char *name, const struct work_folder *folder, uint32_t flags,
                            const char *path)
{
    char line[512], *words[WORDS_MOST];
    static char folders[] = "PATH=/usr/local/bin:/usr/bin:/bin", language[] = "LC_ALL=C", output[] = "-o",
                maths[]    = "-lm";
    char *environment[]    = {folders, language, (char *)folder->temporary, NULL};
    struct cpu_spawn spawn = {.arguments = words, .environment = environment, .timeout_ms = TIMEOUT_MS};
    snprintf(line, sizeof(line), "%s", cpu_compile_flags(flags));
    words[0]         = (char *)compiler->path;
    int count        = 1 + split(line, words + 1, WORDS_MOST - 6);
    words[count]     = output;
    words[count + 1] = (char *)path;
    words[count + 2] = (char *)folder->source;
    words[count + 3] = maths;
    words[count + 4] = NULL;
    int error        = cpu_spawn_run(&spawn);
    errno            = error; /* for %m */
    if (error != 0)
        return trm_util_fail(instance->host, TRM_ERROR_BACKEND, error, "%.200s cannot be run: %m.",
                             compiler->path);
    return check_result(instance, compiler, name, &spawn, path);
}

int32_t cpu_compile(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                    const char *name, const char *text, uint64_t length, uint32_t flags, const char *path)
{
    struct work_folder folder;
    int32_t status = create_folder(instance, &folder);
    if (status != TRM_OK)
        return status;
    status = write_source(instance, &folder, text, length);
    if (status == TRM_OK)
        status = run_compiler(instance, compiler, name, &folder, flags, path);
    remove_folder(&folder);
    return status;
}
