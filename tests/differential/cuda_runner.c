/* A kernel's parameters are those that compiler/translate/targets/cuda_target.c documents: a pointer for each
 * buffer, then one struct with everything that is no buffer, then the sizes of the buffers.
 * SPDX-License-Identifier: MIT
 */
#include "tests/differential/cuda_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/differential/cuda_library.h"
#include "tests/differential/local_size.h"

#define BUFFERS_MOST 32u
#define CONSTANTS_MOST 64u
#define BLOCK_MOST 4096u

struct cuda_runner {
    struct runner base;
    struct trm_context *context; /* translates */
    struct cuda_library cuda;
    int device;
    int has_primary;
    char architecture[48]; /* for NVRTC */
};

/* What one run makes. */
struct work {
    struct cuda_runner *runner;
    const struct run_request *request;
    struct trm_shader *shader;
    struct trm_kernel_info kernel;
    char *ptx;
    char symbol[256];
    uint32_t coarsening;
    void *module, *function;
    uint64_t addresses[BUFFERS_MOST]; /* by buffer of the request */
    uint64_t pointers[BUFFERS_MOST];  /* by parameter */
    uint64_t sizes[BUFFERS_MOST];
    uint32_t pointer_count;
    unsigned char block[BLOCK_MOST];
    uint32_t block_size;
};

static int check(struct work *work, int error, const char *call)
{
    const char *text = "";
    if (error == 0)
        return 1;
    work->runner->cuda.cuGetErrorString(error, &text);
    runner_say(&work->runner->base, RUN_FAILED, "%s: %s (%d)", call, text ? text : "", error);
    return 0;
}

static int say(struct work *work, const char *what)
{
    runner_say(&work->runner->base, RUN_FAILED, "%s: %s", what, trm_last_error().sentence);
    return 0;
}

/* ---- from SPIR-V to PTX ---- */

/* NULL, with the compiler's messages noted, when it does not compile. */
static char *compile(struct work *work, const char *text)
{
    const struct cuda_library *cuda = &work->runner->cuda;
    const char *options[]           = {work->runner->architecture, "--std=c++17"};
    void *program                   = NULL;
    size_t size                     = 0;
    char *ptx                       = NULL;
    if (cuda->nvrtcCreateProgram(&program, text, "shader.cu", 0, NULL, NULL) != 0) {
        runner_say(&work->runner->base, RUN_FAILED, "nvrtcCreateProgram failed");
        return NULL;
    }
    int error = cuda->nvrtcCompileProgram(program, 2, options);
    if (error != 0) {
        char *log = NULL;
        if (cuda->nvrtcGetProgramLogSize(program, &size) == 0)
            log = calloc(1, size + 1);
        if (log)
            cuda->nvrtcGetProgramLog(program, log);
        runner_say(&work->runner->base, RUN_FAILED, "%s: %s", cuda->nvrtcGetErrorString(error),
                   log ? log : "");
        free(log);
    } else if (cuda->nvrtcGetPTXSize(program, &size) == 0) {
        ptx = calloc(1, size + 1);
        if (ptx)
            cuda->nvrtcGetPTX(program, ptx);
    }
    cuda->nvrtcDestroyProgram(&program);
    return ptx;
}

/* The function's name stands behind its launch bounds. */
static int find_symbol(struct work *work, const char *text)
{
    const char *at = strstr(text, "__launch_bounds__(");
    if (at && strstr(at, "_coarsened(") != NULL) /* where the launch chooses: behind the other form */
        at = strstr(at + 1, "__launch_bounds__(");
    if (at && sscanf(at, "__launch_bounds__(%*u) %255[A-Za-z0-9_]", work->symbol) == 1)
        return 1;
    runner_say(&work->runner->base, RUN_FAILED, "the translated text has no kernel");
    return 0;
}

/* How many items a thread does: the last line ends with the function's name, and *COUNT where they are
 * several, or /COUNT where they may be. */
static void find_coarsening(struct work *work, const char *text)
{
    const char *line = strstr(text, "\n// trireme "),
               *mark = line ? strpbrk(line + strlen("\n//"), "*/") : NULL;
    work->coarsening = mark ? (uint32_t)strtoul(mark + 1, NULL, 10) : 0;
}

static int translate(struct work *work)
{
    const struct run_request *request = work->request;
    struct trm_constant constants[CONSTANTS_MOST];
    for (uint32_t i = 0; i < request->constant_count; i++) {
        constants[i] = (struct trm_constant){.id   = request->constants[i].id,
                                             .type = request->constants[i].type,
                                             .bits = request->constants[i].bits};
    }
    struct trm_shader_desc shader = {
        .struct_size = sizeof(shader),
        .format      = TRM_MODULE_SPIRV,
        .data        = request->words,
        .size        = request->word_count * sizeof(uint32_t),
        .name        = "kernel",
    };
    struct trm_translate_desc desc = {
        .struct_size    = sizeof(desc),
        .language       = TRM_LANGUAGE_CUDA,
        .constants      = constants,
        .constant_count = request->constant_count,
    };
    const char *text = NULL;
    uint64_t length  = 0;
    if (trm_shader_create(work->runner->context, &shader, &work->shader) != TRM_OK)
        return say(work, "trm_shader_create");
    work->kernel.struct_size = sizeof(work->kernel);
    if (trm_shader_kernel(work->shader, 0, &work->kernel) != TRM_OK)
        return say(work, "trm_shader_kernel");
    if (trm_shader_translate(work->shader, &desc, &text, &length) != TRM_OK)
        return say(work, "trm_shader_translate");
    find_coarsening(work, text);
    work->ptx = find_symbol(work, text) ? compile(work, text) : NULL;
    return work->ptx != NULL;
}

/* ---- arguments ---- */

static int add_buffer(struct work *work, const struct trm_parameter *parameter)
{
    const struct run_request *request = work->request;
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        if (request->buffers[i].set != parameter->set || request->buffers[i].binding != parameter->place)
            continue;
        work->pointers[work->pointer_count] = work->addresses[i];
        work->sizes[work->pointer_count++]  = request->buffers[i].size;
        return 1;
    }
    runner_say(&work->runner->base, RUN_FAILED, "nothing was given for \"%s\"", parameter->name);
    return 0;
}

static int add_value(struct work *work, const struct trm_parameter *parameter)
{
    const struct run_request *request = work->request;
    uint32_t alignment = parameter->kind == TRM_PARAMETER_BLOCK ? 16 : trm_type_size(parameter->type);
    work->block_size   = (work->block_size + alignment - 1) / alignment * alignment;
    if (parameter->place + parameter->size > request->push_size ||
        work->block_size + parameter->size > BLOCK_MOST) {
        runner_say(&work->runner->base, RUN_FAILED, "\"%s\" ends behind the push constants that were given",
                   parameter->name);
        return 0;
    }
    memcpy(work->block + work->block_size, (const unsigned char *)request->push + parameter->place,
           parameter->size);
    work->block_size += parameter->size;
    return 1;
}

static int make_arguments(struct work *work)
{
    const struct cuda_library *cuda   = &work->runner->cuda;
    const struct run_request *request = work->request;
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        size_t size = request->buffers[i].size;
        if (!check(work, cuda->cuMemAlloc(&work->addresses[i], size), "cuMemAlloc"))
            return 0;
    }
    run_place_addresses(request, work->addresses);
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        size_t size = request->buffers[i].size;
        if (!check(work, cuda->cuMemcpyHtoD(work->addresses[i], request->buffers[i].bytes, size),
                   "cuMemcpyHtoD"))
            return 0;
    }
    for (uint32_t i = 0; i < work->kernel.parameter_count; i++) {
        const struct trm_parameter *parameter = &work->kernel.parameters[i];
        int worked = parameter->kind == TRM_PARAMETER_BUFFER ? add_buffer(work, parameter)
                                                             : add_value(work, parameter);
        if (!worked)
            return 0;
    }
    return 1;
}

/* ---- the run ---- */

static int launch(struct work *work)
{
    const struct cuda_library *cuda   = &work->runner->cuda;
    const struct run_request *request = work->request;
    void *parameters[2 * BUFFERS_MOST + 2];
    uint32_t count = 0, size[3], groups = request->groups[0], groups_x = groups;
    for (uint32_t i = 0; i < work->pointer_count; i++)
        parameters[count++] = &work->pointers[i];
    if (work->block_size)
        parameters[count++] = work->block;
    if (work->coarsening) {
        parameters[count++] = &groups;
        groups_x            = (groups - 1) / work->coarsening + 1;
    }
    for (uint32_t i = 0; i < work->pointer_count; i++)
        parameters[count++] = &work->sizes[i];
    if (!local_size_of(request, size)) {
        runner_say(&work->runner->base, RUN_FAILED, "the module does not say how large its groups are");
        return 0;
    }
    return check(work, cuda->cuModuleLoadData(&work->module, work->ptx), "cuModuleLoadData") &&
           check(work, cuda->cuModuleGetFunction(&work->function, work->module, work->symbol),
                 "cuModuleGetFunction") &&
           check(work,
                 cuda->cuLaunchKernel(work->function, groups_x, request->groups[1], request->groups[2],
                                      size[0], size[1], size[2], 0, NULL, parameters, NULL),
                 "cuLaunchKernel") &&
           check(work, cuda->cuCtxSynchronize(), "cuCtxSynchronize");
}

static int fetch(struct work *work)
{
    const struct run_request *request = work->request;
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        if (!check(work,
                   work->runner->cuda.cuMemcpyDtoH(request->buffers[i].bytes, work->addresses[i],
                                                   request->buffers[i].size),
                   "cuMemcpyDtoH"))
            return 0;
    }
    return 1;
}

static enum run_status cuda_run(struct runner *base, const struct run_request *request)
{
    struct cuda_runner *runner      = (struct cuda_runner *)base;
    const struct cuda_library *cuda = &runner->cuda;
    if (run_has_images(request))
        return runner_say(base, RUN_UNSUPPORTED, "images are compared with Trireme's own CUDA only");
    if (run_has_arrays(request))
        return runner_say(base, RUN_UNSUPPORTED, "arrays are compared with Trireme's own CUDA only");
    struct work work = {.runner = runner, .request = request};
    if (request->buffer_count > BUFFERS_MOST || request->constant_count > CONSTANTS_MOST)
        return runner_say(base, RUN_FAILED, "too many buffers or constants for this runner");
    int worked = translate(&work) && make_arguments(&work) && launch(&work) && fetch(&work);
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        if (work.addresses[i])
            cuda->cuMemFree(work.addresses[i]);
    }
    if (work.module)
        cuda->cuModuleUnload(work.module);
    free(work.ptx);
    trm_shader_destroy(work.shader);
    return worked ? RUN_DONE : RUN_FAILED;
}

static void cuda_close(struct runner *base)
{
    struct cuda_runner *runner = (struct cuda_runner *)base;
    if (runner->has_primary)
        runner->cuda.cuDevicePrimaryCtxRelease(runner->device);
    cuda_library_close(&runner->cuda);
    trm_context_destroy(runner->context);
    free(runner);
}

/* NULL, or what was missing. */
static const char *open_device(struct cuda_runner *runner)
{
    const struct cuda_library *cuda = &runner->cuda;
    void *primary;
    int major = 0, minor = 0;
    if (cuda->cuInit(0) != 0 || cuda->cuDeviceGet(&runner->device, 0) != 0)
        return "CUDA has no device";
    cuda->cuDeviceGetName(runner->base.device, sizeof(runner->base.device), runner->device);
    cuda->cuDeviceGetAttribute(&major, CUDA_COMPUTE_CAPABILITY_MAJOR, runner->device);
    cuda->cuDeviceGetAttribute(&minor, CUDA_COMPUTE_CAPABILITY_MINOR, runner->device);
    snprintf(runner->architecture, sizeof(runner->architecture), "--gpu-architecture=compute_%d%d", major,
             minor);
    if (cuda->cuDevicePrimaryCtxRetain(&primary, runner->device) != 0)
        return "CUDA's device could not be opened";
    runner->has_primary = 1;
    if (cuda->cuCtxSetCurrent(primary) != 0)
        return "CUDA's device could not be opened";
    return trm_context_create(NULL, &runner->context) == TRM_OK ? NULL : trm_last_error().sentence;
}

struct runner *cuda_runner_open(char *reason, size_t capacity)
{
    struct cuda_runner *runner = calloc(1, sizeof(*runner));
    if (!runner) {
        snprintf(reason, capacity, "no memory");
        return NULL;
    }
    if (!cuda_library_open(&runner->cuda, reason, capacity)) {
        free(runner);
        return NULL;
    }
    runner->base.name  = "cuda";
    runner->base.run   = cuda_run;
    runner->base.close = cuda_close;
    const char *why    = open_device(runner);
    if (!why)
        return &runner->base;
    snprintf(reason, capacity, "%s", why);
    cuda_close(&runner->base);
    return NULL;
}
