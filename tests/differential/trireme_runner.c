/* SPDX-License-Identifier: MIT */
#include "tests/differential/trireme_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/differential/trireme_images.h"

#define ARGUMENTS_MOST 64u
#define CONSTANTS_MOST 64u

struct trireme_runner {
    struct runner base;
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
    int is_complete; /* the device must run every shader that the core accepts */
    char said[1024]; /* by a validation layer */
};

/* With TRIREME_VULKAN_VALIDATION=yes. */
static void note_validation(void *user, int32_t level, const char *line)
{
    struct trireme_runner *runner = user;
    (void)level;
    if (strncmp(line, "vulkan validation: ", strlen("vulkan validation: ")) == 0)
        snprintf(runner->said, sizeof(runner->said), "%s", line);
}

static enum run_status say_error(struct trireme_runner *runner, int32_t status, const char *call)
{
    enum run_status answer =
        status == TRM_ERROR_UNSUPPORTED && !runner->is_complete ? RUN_UNSUPPORTED : RUN_FAILED;
    return runner_say(&runner->base, answer, "%s: %s: %s", call, trm_status_name(status),
                      trm_last_error().sentence);
}

static int32_t load(struct trireme_runner *runner, const struct run_request *request,
                    struct trm_module **module)
{
    struct trm_constant constants[CONSTANTS_MOST];
    for (uint32_t i = 0; i < request->constant_count; i++) {
        constants[i] = (struct trm_constant){
            .id   = request->constants[i].id,
            .type = request->constants[i].type,
            .bits = request->constants[i].bits,
        };
    }
    struct trm_module_desc desc = {
        .struct_size    = sizeof(desc),
        .format         = TRM_MODULE_SPIRV,
        .data           = request->words,
        .size           = request->word_count * sizeof(uint32_t),
        .constants      = constants,
        .constant_count = request->constant_count,
    };
    return trm_module_load(runner->device, &desc, module);
}

/* The argument for one parameter, taken from where the request has it by set and binding, or by offset. */
static enum run_status argument_of(struct trireme_runner *runner, const struct run_request *request,
                                   const struct trm_parameter *parameter, struct trireme_memory *memory,
                                   struct trm_argument *argument)
{
    if (parameter->kind != TRM_PARAMETER_SCALAR && parameter->kind != TRM_PARAMETER_BLOCK) {
        if (trireme_memory_argument(memory, request, parameter, argument))
            return RUN_DONE;
        return runner_say(&runner->base, RUN_FAILED, "nothing was given for \"%s\" (set %u, binding %u)",
                          parameter->name, parameter->set, parameter->place);
    }
    if (parameter->place > request->push_size || parameter->size > request->push_size - parameter->place)
        return runner_say(&runner->base, RUN_FAILED, "\"%s\" ends behind the push constants that were given",
                          parameter->name);
    const unsigned char *bytes = (const unsigned char *)request->push + parameter->place;
    *argument                  = trm_arg_block(bytes, parameter->size);
    if (parameter->kind == TRM_PARAMETER_SCALAR) {
        argument->kind      = TRM_PARAMETER_SCALAR;
        argument->type      = parameter->type;
        argument->value.u64 = 0;
        memcpy(&argument->value, bytes, parameter->size);
    }
    return RUN_DONE;
}

static enum run_status launch(struct trireme_runner *runner, const struct run_request *request,
                              struct trm_kernel *kernel, struct trireme_memory *memory)
{
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    int32_t status              = trm_kernel_describe(kernel, &info);
    if (status != TRM_OK)
        return say_error(runner, status, "trm_kernel_describe");
    if (info.parameter_count > ARGUMENTS_MOST)
        return runner_say(&runner->base, RUN_FAILED, "too many parameters for this runner");
    struct trm_argument arguments[ARGUMENTS_MOST + MEMORY_MOST];
    uint32_t count = info.parameter_count;
    for (uint32_t i = 0; i < info.parameter_count; i++) {
        if (argument_of(runner, request, &info.parameters[i], memory, &arguments[i]) != RUN_DONE)
            return RUN_FAILED;
    }
    struct trm_grid grid = {.groups = {request->groups[0], request->groups[1], request->groups[2]}};
    for (uint32_t i = 0; request->address_count != 0 && i < request->buffer_count; i++)
        if (memory->buffers[i])
            arguments[count++] = trm_arg_reached(memory->buffers[i]);
    status = trm_launch(runner->stream, kernel, &grid, arguments, count);
    if (status != TRM_OK)
        return say_error(runner, status, "trm_launch");
    status = trm_stream_sync(runner->stream);
    return status == TRM_OK ? RUN_DONE : say_error(runner, status, "trm_stream_sync");
}

static enum run_status run_kernel(struct trireme_runner *runner, const struct run_request *request,
                                  struct trm_kernel *kernel)
{
    struct trireme_memory memory = {0};
    enum run_status answer       = RUN_DONE;
    int32_t status               = trireme_memory_make(&memory, runner->device, runner->stream, request);
    if (status != TRM_OK)
        answer = say_error(runner, status, "making buffers and images");
    if (answer == RUN_DONE)
        answer = launch(runner, request, kernel, &memory);
    if (answer == RUN_DONE) {
        status = trireme_memory_read(&memory, runner->stream, request);
        if (status != TRM_OK)
            answer = say_error(runner, status, "trm_download");
    }
    trireme_memory_end(&memory);
    return answer;
}

static enum run_status trireme_run(struct runner *base, const struct run_request *request)
{
    struct trireme_runner *runner = (struct trireme_runner *)base;
    if (request->buffer_count > MEMORY_MOST || request->sampler_count > MEMORY_MOST ||
        request->constant_count > CONSTANTS_MOST)
        return runner_say(base, RUN_FAILED, "too many buffers or constants for this runner");
    struct trm_module *module = NULL;
    struct trm_kernel *kernel = NULL;
    int32_t status            = load(runner, request, &module);
    if (status != TRM_OK)
        return say_error(runner, status, "trm_module_load");
    status = trm_kernel_get(module, request->entry, &kernel);
    enum run_status answer =
        status == TRM_OK ? run_kernel(runner, request, kernel) : say_error(runner, status, "trm_kernel_get");
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
    if (runner->said[0] != '\0')
        return runner_say(base, RUN_FAILED, "%s", runner->said);
    return answer;
}

static void trireme_close(struct runner *base)
{
    struct trireme_runner *runner = (struct trireme_runner *)base;
    trm_stream_destroy(runner->stream);
    trm_device_destroy(runner->device);
    trm_context_destroy(runner->context);
    free(runner);
}

static int32_t open_device(struct trireme_runner *runner, const char *backend)
{
    struct trm_setting settings[] = {{.name = "backend", .value = backend}};
    struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                     .settings      = settings,
                                     .setting_count = 1,
                                     .log           = note_validation,
                                     .log_user      = runner};
    int32_t status                = trm_context_create(&desc, &runner->context);
    if (status == TRM_OK)
        status = trm_device_open(runner->context, NULL, &runner->device);
    if (status == TRM_OK)
        status = trm_module_supported(runner->device, TRM_MODULE_SPIRV);
    if (status == TRM_OK)
        status = trm_stream_create(runner->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &runner->stream);
    return status;
}

static struct runner *open_on(const char *name, const char *backend, int is_complete, char *reason,
                              size_t capacity)
{
    struct trireme_runner *runner            = calloc(1, sizeof(*runner));
    char device[sizeof(runner->base.device)] = "";
    if (!runner) {
        snprintf(reason, capacity, "no memory");
        return NULL;
    }
    runner->base.name   = name;
    runner->base.run    = trireme_run;
    runner->base.close  = trireme_close;
    runner->is_complete = is_complete;
    if (open_device(runner, backend) != TRM_OK ||
        trm_device_get_info(runner->device, TRM_DEVICE_NAME, device, sizeof(device), NULL) != TRM_OK) {
        snprintf(reason, capacity, "opening %.200s: %s", backend, trm_last_error().sentence);
        trireme_close(&runner->base);
        return NULL;
    }
    snprintf(runner->base.device, sizeof(runner->base.device), "%.100s by %.100s", device, backend);
    return &runner->base;
}

struct runner *cpu_runner_open(char *reason, size_t capacity)
{
    return open_on("cpu", "cpu", 1, reason, capacity);
}

struct runner *backend_runner_open(char *reason, size_t capacity)
{
    const char *backend = getenv("CONFORMANCE_BACKEND");
    return open_on("backend", backend ? backend : "vulkan", 0, reason, capacity);
}
