/* The calls of NVRTC.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/nvrtc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/control.h"

#define PROGRAM_MARK 0x70726f67u
#define OPTIONS_MOST 64

static const int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
#define ARCHITECTURES ((int)(sizeof(architectures) / sizeof(architectures[0])))

struct _nvrtcProgram {
    unsigned int mark;
    char *text, *name;
    int header_count;
    char **headers, **header_names;
    struct words image, log;
    bool is_compiled, is_ptx;
};

/* ---- what tests are told and may ask for */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t compilation_count, failing_nth;
static int failing_result;

static uint64_t compilations(void)
{
    pthread_mutex_lock(&mutex);
    uint64_t count = compilation_count;
    pthread_mutex_unlock(&mutex);
    return count;
}

static void fail_compilation(uint64_t nth, int result)
{
    pthread_mutex_lock(&mutex);
    failing_nth    = nth;
    failing_result = result;
    pthread_mutex_unlock(&mutex);
}

static nvrtcResult count_compilation(void)
{
    nvrtcResult result = NVRTC_SUCCESS;

    pthread_mutex_lock(&mutex);
    compilation_count++;
    if (failing_nth != 0 && --failing_nth == 0)
        result = (nvrtcResult)failing_result;
    pthread_mutex_unlock(&mutex);
    return result;
}

extern __attribute__((visibility("default"))) const struct cuda_standin_compiler cuda_standin_compiler;

const struct cuda_standin_compiler cuda_standin_compiler = {.compilations     = compilations,
                                                            .fail_compilation = fail_compilation};

/* ---- what it is */

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (major == NULL || minor == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = CUDA_STANDIN_COMPILER_MAJOR;
    *minor = CUDA_STANDIN_COMPILER_MINOR;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs)
{
    if (numArchs == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    *numArchs = ARCHITECTURES;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs)
{
    if (supportedArchs == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(supportedArchs, architectures, sizeof(architectures));
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
    };

    if (result < 0 || (size_t)result >= sizeof(names) / sizeof(names[0]))
        return "NVRTC_ERROR unknown";
    return names[result];
}

/* ---- programs */

static void program_free(struct _nvrtcProgram *program)
{
    for (int i = 0; i < program->header_count; i++) {
        free(program->headers[i]);
        free(program->header_names[i]);
    }
    free(program->headers);
    free(program->header_names);
    free(program->text);
    free(program->name);
    words_clear(&program->image);
    words_clear(&program->log);
    program->mark = 0;
    free(program);
}

static bool copy_headers(struct _nvrtcProgram *program, int count, const char *const *headers,
                         const char *const *names)
{
    program->headers      = calloc((size_t)count + 1, sizeof(*program->headers));
    program->header_names = calloc((size_t)count + 1, sizeof(*program->header_names));
    if (program->headers == NULL || program->header_names == NULL)
        return false;
    for (; program->header_count < count; program->header_count++) {
        char *header = strdup(headers[program->header_count]), *name = strdup(names[program->header_count]);
        program->headers[program->header_count]      = header;
        program->header_names[program->header_count] = name;
        if (header == NULL || name == NULL)
            return false;
    }
    return true;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                               const char *const *headers, const char *const *includeNames)
{
    if (prog == NULL || src == NULL || numHeaders < 0 ||
        (numHeaders != 0 && (headers == NULL || includeNames == NULL)))
        return NVRTC_ERROR_INVALID_INPUT;
    struct _nvrtcProgram *program = calloc(1, sizeof(*program));
    if (program == NULL)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    program->mark = PROGRAM_MARK;
    program->text = strdup(src);
    program->name = strdup(name == NULL ? "default_program" : name);
    if (program->text == NULL || program->name == NULL ||
        !copy_headers(program, numHeaders, headers, includeNames)) {
        program_free(program);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *prog = program;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
    if (prog == NULL || *prog == NULL || (*prog)->mark != PROGRAM_MARK)
        return NVRTC_ERROR_INVALID_PROGRAM;
    program_free(*prog);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

/* ---- options */

static bool is_architecture(int number)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        if (architectures[i] == number)
            return true;
    return false;
}

/* "sm_90", "compute_90", with or without an "a" or "f" behind. */
static bool read_architecture(const char *text, struct nvrtc_request *request)
{
    unsigned int number;

    request->is_ptx = strncmp(text, "compute_", 8) == 0;
    if (sscanf(text, request->is_ptx ? "compute_%u" : "sm_%u", &number) != 1 || !is_architecture((int)number))
        return false;
    request->capability = number;
    return true;
}

/* The value of an option that has one of these names; NULL: it is another. */
static const char *value_of(const char *option, const char *name, const char *other_name)
{
    const char *names[] = {name, other_name};

    for (int i = 0; i < 2; i++)
        if (strncmp(option, names[i], strlen(names[i])) == 0)
            return option + strlen(names[i]);
    return NULL;
}

/* What the stand-in need not heed. */
static bool is_heeded_not(const char *option)
{
    static const char *const prefixes[] = {"--std=",
                                           "-std=",
                                           "--fmad=",
                                           "-fmad=",
                                           "--use_fast_math",
                                           "-use_fast_math",
                                           "--ftz=",
                                           "-ftz=",
                                           "--prec-",
                                           "-prec-",
                                           "--generate-line",
                                           "-lineinfo",
                                           "--device-",
                                           "-G",
                                           "-dopt",
                                           "--dopt",
                                           "--maxrregcount=",
                                           "-maxrregcount=",
                                           "--restrict",
                                           "-restrict",
                                           "-default-device",
                                           "--default-device",
                                           "--extra-device-vectorization",
                                           "-w",
                                           "--disable-warnings",
                                           "--diag-",
                                           "-diag-",
                                           "--ptxas-options",
                                           "-Xptxas",
                                           "--minimal",
                                           "-minimal",
                                           "--no-source-include",
                                           "-no-source-include",
                                           "--split-compile",
                                           "--ofast-compile",
                                           "-Ofast-compile",
                                           "--extensible-whole-program",
                                           "--relocatable-device-code=false"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(option, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool keep_option(const char *name, const char *value, struct nvrtc_request *request)
{
    char *kept;

    if (asprintf(&kept, "%s%s", name, value) < 0)
        return false;
    request->options[request->option_count++] = kept;
    return true;
}

/* Those that the CPU's compiler has too. */
static bool read_option(const char *option, struct nvrtc_request *request)
{
    static const char *const names[][3] = {{"--define-macro=", "-D", "-D"},
                                           {"--include-path=", "-I", "-I"},
                                           {"--pre-include=", "-include=", "-include"}};
    const char *value                   = value_of(option, "--gpu-architecture=", "-arch=");

    if (value != NULL)
        return read_architecture(value, request);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        value = value_of(option, names[i][0], names[i][1]);
        if (value != NULL)
            return keep_option(names[i][2], value, request);
    }
    return is_heeded_not(option);
}

static bool read_options(int count, const char *const *options, struct nvrtc_request *request)
{
    for (int i = 0; i < count; i++)
        if (!read_option(options[i], request))
            return false;
    return true;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options)
{
    char *kept[OPTIONS_MOST];

    if (prog == NULL || prog->mark != PROGRAM_MARK)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (numOptions < 0 || numOptions > OPTIONS_MOST || (numOptions != 0 && options == NULL))
        return NVRTC_ERROR_INVALID_INPUT;
    struct nvrtc_request request = {.text         = prog->text,
                                    .name         = prog->name,
                                    .header_count = prog->header_count,
                                    .headers      = prog->headers,
                                    .header_names = prog->header_names,
                                    .options      = kept,
                                    .capability   = 75,
                                    .is_ptx       = true};
    words_clear(&prog->image);
    words_clear(&prog->log);
    nvrtcResult result = count_compilation();
    if (result == NVRTC_SUCCESS && !read_options(numOptions, options, &request))
        result = NVRTC_ERROR_INVALID_OPTION;
    if (result == NVRTC_SUCCESS)
        result = nvrtc_build(&request, &prog->image, &prog->log);
    for (int i = 0; i < request.option_count; i++)
        free(kept[i]);
    prog->is_compiled = result == NVRTC_SUCCESS;
    prog->is_ptx      = request.is_ptx;
    return result;
}

/* ---- results */

static nvrtcResult size_of_image(nvrtcProgram prog, bool wants_ptx, size_t *size)
{
    if (prog == NULL || prog->mark != PROGRAM_MARK || !prog->is_compiled)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (size == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    /* For an architecture that is virtual there is no code; PTX there always is. */
    *size = !wants_ptx && prog->is_ptx ? 0 : prog->image.length;
    return NVRTC_SUCCESS;
}

static nvrtcResult copy_image(nvrtcProgram prog, bool wants_ptx, char *to)
{
    size_t size;
    nvrtcResult result = size_of_image(prog, wants_ptx, &size);

    if (result != NVRTC_SUCCESS)
        return result;
    if (to == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    if (size != 0)
        memcpy(to, prog->image.bytes, size);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet)
{
    return size_of_image(prog, false, cubinSizeRet);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin)
{
    return copy_image(prog, false, cubin);
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet)
{
    return size_of_image(prog, true, ptxSizeRet);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx)
{
    return copy_image(prog, true, ptx);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet)
{
    if (prog == NULL || prog->mark != PROGRAM_MARK)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (logSizeRet == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    *logSizeRet = prog->log.length + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log)
{
    if (prog == NULL || prog->mark != PROGRAM_MARK)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (log == NULL)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(log, prog->log.length == 0 ? "" : prog->log.bytes, prog->log.length + 1);
    return NVRTC_SUCCESS;
}
