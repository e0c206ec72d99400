/* cuda backend: compiles CUDA C for a device, through the cache.
 * SPDX-License-Identifier: MIT
 */
#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"

#define MAX_FILE_BYTES ((int64_t)256 << 20)
#define MAX_OPTIONS 64
#define SENTENCE_BYTES 600
#define LOCKED_BEFORE 12 /* From this version on, several threads may compile at once. */

/* One compilation. */
struct job {
    struct trm_backend_device *device;
    struct cuda_compiler *compiler;
    const struct cuda_text *text;
    bool as_ptx;
    char architecture[64];
    char include[TRM_PATH_MOST + 16];
    const char *options[MAX_OPTIONS];
    int option_count;
};

/* ---- options --------------------------------------------------------------------------------- */

/* The latest architecture that NVRTC knows and whose code or PTX runs on the device; 0: there is none. */
static int find_architecture(const struct cuda_compiler *compiler, int own)
{
    int best = 0;
    for (int i = 0; i < compiler->architecture_count; i++)
        if (compiler->architectures[i] <= own && compiler->architectures[i] > best)
            best = compiler->architectures[i];
    return best;
}

/* Code for an architecture runs on all later ones of its major version; PTX runs on all later ones. */
static int32_t choose_architecture(struct job *job)
{
    const struct cuda_physical *physical = job->device->physical;
    int own                              = physical->major * 10 + physical->minor;
    int found                            = find_architecture(job->compiler, own);
    if (found == 0)
        return trm_util_fail(
            job->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
            "Module '%.80s' cannot be compiled: NVRTC %d.%d knows architectures from sm_%d on, device %.80s "
            "is sm_%d.",
            job->text->name, job->compiler->major, job->compiler->minor, job->compiler->architectures[0],
            physical->name, own);
    bool is_code = found / 10 == physical->major && !job->as_ptx;
    snprintf(job->architecture, sizeof(job->architecture), "--gpu-architecture=%s_%d",
             is_code ? "sm" : "compute", found);
    return TRM_OK;
}

static bool names_architecture(const char *option)
{
    return strncmp(option, "--gpu-architecture", 18) == 0 || strncmp(option, "-arch", 5) == 0;
}

static int32_t set_options(struct job *job)
{
    const struct cuda_text *text = job->text;
    bool is_named                = false;
    if (text->option_count > MAX_OPTIONS - 4)
        return trm_util_fail(job->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "Module '%.80s' has %u options for the compiler; at most %d are accepted.",
                             text->name, text->option_count, MAX_OPTIONS - 4);
    for (uint32_t i = 0; i < text->option_count; i++) {
        job->options[job->option_count++] = text->options[i];
        is_named                          = is_named || names_architecture(text->options[i]);
    }
    if (!text->is_ours && job->compiler->include[0] != '\0') {
        snprintf(job->include, sizeof(job->include), "-I%s", job->compiler->include);
        job->options[job->option_count++] = job->include;
    }
    if (is_named)
        return TRM_OK;
    int32_t status                    = choose_architecture(job);
    job->options[job->option_count++] = job->architecture;
    return status;
}

/* ---- the cache ------------------------------------------------------------------------------- */

/* Everything that the code depends on. */
static char *make_key(const struct job *job, uint64_t *size)
{
    char version[64];
    snprintf(version, sizeof(version), "cuda\nNVRTC %d.%d\n", job->compiler->major, job->compiler->minor);
    *size = strlen(version) + job->text->length + 1;
    for (int i = 0; i < job->option_count; i++)
        *size += strlen(job->options[i]) + 1;
    char *key = trm_util_allocate(job->device->instance->host, *size);
    if (key == NULL)
        return NULL;
    char *end = stpcpy(key, version);
    for (int i = 0; i < job->option_count; i++) {
        end    = stpcpy(end, job->options[i]);
        *end++ = '\n';
    }
    memcpy(end, job->text->text, job->text->length);
    end[job->text->length] = '\0';
    return key;
}

/* Options that make the compiler read a file: --pre-include=FILE, --use-pch=FILE, and their short names. */
static bool names_file(const char *option)
{
    return strncmp(option, "-include", 8) == 0 || strstr(option, "-pre-include") != NULL ||
           strstr(option, "pch") != NULL;
}

/* The key does not cover files that the text includes, so such text is compiled each time. */
static bool can_be_cached(const struct cuda_text *text)
{
    for (uint32_t i = 0; i < text->option_count; i++)
        if (names_file(text->options[i]))
            return false;
    return text->is_ours || memmem(text->text, text->length, "include", 7) == NULL;
}

/* A failure to store is not reported: the cache logs what is wrong with it. */
static void store(const struct job *job, const char *key, const struct cuda_code *code)
{
    const struct trm_host *host = job->device->instance->host;
    char begun[TRM_PATH_MOST], stored[TRM_PATH_MOST];
    if (host->cache_begin(host->context, key, ".cubin", begun) != TRM_OK)
        return;
    int file        = open(begun, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0600);
    bool is_written = file >= 0 && cuda_write_all(file, code->bytes, code->size + 1);
    if (file >= 0 && close(file) != 0)
        is_written = false;
    if (is_written)
        (void)host->cache_commit(host->context, key, ".cubin", begun, stored);
    else
        host->cache_discard(host->context, begun);
}

static bool find_cached(const struct job *job, const char *key, struct cuda_code *code)
{
    const struct trm_host *host = job->device->instance->host;
    char path[TRM_PATH_MOST];
    return host->cache_find(host->context, key, ".cubin", path) == TRM_OK &&
           cuda_code_read_file(job->device, path, code) == TRM_OK;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static bool code_allocate(struct trm_backend_device *device, uint64_t size, struct cuda_code *code)
{
    *code = (struct cuda_code){.size = size, .allocated = size + 1};
    if (size < UINT64_MAX)
        code->bytes = trm_util_allocate(device->instance->host, code->allocated);
    return code->bytes != NULL;
}

static void log_lines(const struct trm_backend_instance *instance, char *log)
{
    const struct trm_host *host = instance->host;
    char *rest                  = NULL;
    for (char *line = strtok_r(log, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        host->log(host->context, TRM_LOG_ERROR, line);
}

/* The line of the first error. */
static const char *find_error(const char *log, int *length)
{
    const char *first = strstr(log, "error");
    while (first != NULL && first > log && first[-1] != '\n')
        first--;
    if (first == NULL)
        first = log;
    *length = (int)strcspn(first, "\n");
    if (*length > SENTENCE_BYTES)
        *length = SENTENCE_BYTES;
    return first;
}

/* All the compiler's words go to the log, the first error into the sentence. */
static int32_t fail_compilation(const struct job *job, nvrtcProgram program, nvrtcResult result)
{
    const struct trm_backend_instance *instance = job->device->instance;
    const struct cuda_nvrtc_functions *nvrtc    = &job->compiler->nvrtc;
    size_t size                                 = 0;
    char *log                                   = NULL;
    int32_t status;
    int length;
    if (nvrtc->nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 1)
        log = trm_util_allocate(instance->host, size + 1);
    if (log == NULL || nvrtc->nvrtcGetProgramLog(program, log) != NVRTC_SUCCESS || log[0] == '\0') {
        status = trm_util_fail(instance->host, TRM_ERROR_BACKEND, result,
                               "NVRTC cannot compile module '%.80s': %s.", job->text->name,
                               nvrtc->nvrtcGetErrorString(result));
    } else {
        const char *error = find_error(log, &length);

        status = trm_util_fail(instance->host, TRM_ERROR_BACKEND, result,
                               "Module '%.80s' does not compile: %.*s", job->text->name, length, error);
        log_lines(instance, log);
    }
    trm_util_release(instance->host, log, size + 1);
    return status;
}

/* A cubin; or PTX where the architecture is a virtual one. */
static int32_t take_code(const struct job *job, nvrtcProgram program, struct cuda_code *code)
{
    const struct cuda_nvrtc_functions *nvrtc = &job->compiler->nvrtc;
    size_t size                              = 0;
    nvrtcResult result                       = nvrtc->nvrtcGetCUBINSize(program, &size);
    bool is_cubin                            = result == NVRTC_SUCCESS && size != 0;
    if (!is_cubin)
        result = nvrtc->nvrtcGetPTXSize(program, &size);
    if (result != NVRTC_SUCCESS || size == 0)
        return fail_compilation(job, program, result);
    if (!code_allocate(job->device, size, code))
        return trm_util_fail_host_memory(job->device->instance->host, "a kernel's code");
    result = is_cubin ? nvrtc->nvrtcGetCUBIN(program, code->bytes) : nvrtc->nvrtcGetPTX(program, code->bytes);
    if (result == NVRTC_SUCCESS)
        return TRM_OK;
    cuda_code_release(job->device, code);
    return fail_compilation(job, program, result);
}

/* Old versions compile for one thread at a time. */
static nvrtcResult compile_program(const struct job *job, nvrtcProgram program)
{
    struct trm_backend_instance *instance = job->device->instance;
    bool is_locked                        = job->compiler->major < LOCKED_BEFORE;
    if (is_locked)
        pthread_mutex_lock(&instance->compiler_lock);
    nvrtcResult result = job->compiler->nvrtc.nvrtcCompileProgram(program, job->option_count, job->options);
    if (is_locked)
        pthread_mutex_unlock(&instance->compiler_lock);
    return result;
}

/* `text` ends with a zero. */
static int32_t run_compiler(const struct job *job, const char *text, struct cuda_code *code)
{
    const struct trm_backend_instance *instance = job->device->instance;
    const struct cuda_nvrtc_functions *nvrtc    = &job->compiler->nvrtc;
    nvrtcProgram program                        = NULL;
    char file[128];
    snprintf(file, sizeof(file), "%.100s.cu", job->text->name);
    nvrtcResult result = nvrtc->nvrtcCreateProgram(&program, text, file, 0, NULL, NULL);
    if (result != NVRTC_SUCCESS)
        return trm_util_fail(instance->host, TRM_ERROR_BACKEND, result,
                             "NVRTC cannot read module '%.80s': %s.", job->text->name,
                             nvrtc->nvrtcGetErrorString(result));
    result = compile_program(job, program);
    int32_t status =
        result == NVRTC_SUCCESS ? take_code(job, program, code) : fail_compilation(job, program, result);
    nvrtc->nvrtcDestroyProgram(&program);
    return status;
}

static int32_t find_or_compile(const struct job *job, struct cuda_code *code)
{
    const struct trm_backend_instance *instance = job->device->instance;
    uint64_t size                               = 0;
    char *key                                   = make_key(job, &size);
    int32_t status                              = TRM_OK;
    if (key == NULL)
        return trm_util_fail_host_memory(instance->host, "a key of the cache");
    bool is_cacheable = can_be_cached(job->text);
    if (!is_cacheable || !find_cached(job, key, code)) {
        /* the text stands at the end of the key, with a zero behind it */
        status = run_compiler(job, key + (size - 1 - job->text->length), code);
        if (status == TRM_OK && is_cacheable)
            store(job, key, code);
    }
    trm_util_release(instance->host, key, size);
    return status;
}

int32_t cuda_compile(struct trm_backend_device *device, const struct cuda_text *text, bool as_ptx,
                     struct cuda_code *code)
{
    struct trm_backend_instance *instance = device->instance;
    struct job *job                       = trm_util_allocate(instance->host, sizeof(*job));
    if (job == NULL)
        return trm_util_fail_host_memory(instance->host, "compiling a module");
    *job           = (struct job){.device = device, .text = text, .as_ptx = as_ptx};
    int32_t status = cuda_compiler_get(instance, &job->compiler);
    if (status == TRM_OK)
        status = set_options(job);
    if (status == TRM_OK)
        status = find_or_compile(job, code);
    trm_util_release(instance->host, job, sizeof(*job));
    return status;
}

void cuda_code_release(struct trm_backend_device *device, struct cuda_code *code)
{
    trm_util_release(device->instance->host, code->bytes, code->allocated);
    *code = (struct cuda_code){0};
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_all(int file, unsigned char *bytes, uint64_t size)
{
    while (size != 0) {
        ssize_t count = read(file, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        size -= (uint64_t)count;
    }
    return true;
}

int32_t cuda_code_read_file(struct trm_backend_device *device, const char *path, struct cuda_code *code)
{
    struct stat about;
    int32_t status = TRM_OK;
    int file       = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_NOT_FOUND, errno, "%.300s cannot be read: %m.",
                             path);
    if (fstat(file, &about) != 0 || about.st_size <= 0 || about.st_size > MAX_FILE_BYTES) {
        status = trm_util_fail(device->instance->host, TRM_ERROR_BACKEND, 0,
                               "%.300s is not a file of code: it is empty or too large.", path);
    } else if (!code_allocate(device, (uint64_t)about.st_size, code)) {
        status = trm_util_fail_host_memory(device->instance->host, "a kernel's code");
    } else if (!read_all(file, code->bytes, code->size)) {
        status = trm_util_fail(device->instance->host, TRM_ERROR_BACKEND, errno, "%.300s cannot be read: %m.",
                               path);
        cuda_code_release(device, code);
    }
    close(file);
    return status;
}

bool cuda_write_all(int file, const void *bytes, uint64_t size)
{
    const unsigned char *rest = bytes;
    while (size != 0) {
        ssize_t written = write(file, rest, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        rest += written;
        size -= (uint64_t)written;
    }
    return true;
}
