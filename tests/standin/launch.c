/* Launches of kernels.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/fiber_switch.h"
#include "tests/standin/object.h"
#include "tests/standin/standin.h"

#define ITEMS_MOST 1024
#define PARAMETERS_MOST 1024

/* ---- arguments */

/* Those that come as one buffer; its size must be the right one. */
static CUresult copy_buffer(const struct standin_kernel *kernel, unsigned char *arguments, void **extra)
{
    const void *buffer = NULL;
    size_t size        = 0;

    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (size != kernel->parameter_bytes)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (size == 0)
        return CUDA_SUCCESS;
    if (buffer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(arguments, buffer, size);
    return CUDA_SUCCESS;
}

static CUresult copy_arguments(const struct standin_kernel *kernel, unsigned char *arguments,
                               void **parameters, void **extra)
{
    if (parameters != NULL && extra != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (extra != NULL)
        return copy_buffer(kernel, arguments, extra);
    if (parameters == NULL)
        return kernel->parameter_count == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < kernel->parameter_count; i++)
        memcpy(arguments + kernel->parameters[i].offset, parameters[i], kernel->parameters[i].size);
    return CUDA_SUCCESS;
}

static CUresult check_sizes(const struct function *function, const unsigned int sizes[6],
                            unsigned int dynamic_bytes)
{
    static const unsigned int most[6] = {2147483647, 65535, 65535, 1024, 1024, 64};

    for (int i = 0; i < 6; i++)
        if (sizes[i] == 0 || sizes[i] > most[i])
            return CUDA_ERROR_INVALID_VALUE;
    uint64_t items = (uint64_t)sizes[3] * sizes[4] * sizes[5];
    if (items > ITEMS_MOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (function->kernel->items_most != 0 && items > function->kernel->items_most)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (dynamic_bytes > function->dynamic_most)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static char launched[256];

const char *standin_launched(void)
{
    return launched;
}

CUresult launch_make(struct launch *launch, const struct context *context, CUfunction handle,
                     const unsigned int sizes[6], unsigned int dynamic_bytes, void **parameters, void **extra)
{
    struct function *function = object_find(OBJECT_FUNCTION, handle);

    if (function == NULL || function->object.context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = check_sizes(function, sizes, dynamic_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    const struct standin_kernel *kernel = function->kernel;
    unsigned char *arguments            = calloc(1, kernel->parameter_bytes + 16);
    if (arguments == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = copy_arguments(kernel, arguments, parameters, extra);
    if (result != CUDA_SUCCESS) {
        free(arguments);
        return result;
    }
    *launch = (struct launch){.module        = function->module,
                              .kernel        = kernel,
                              .function      = function->object.handle,
                              .groups        = {sizes[0], sizes[1], sizes[2]},
                              .items         = {sizes[3], sizes[4], sizes[5]},
                              .dynamic_bytes = dynamic_bytes,
                              .arguments     = arguments};
    launch->module->references++;
    snprintf(launched, sizeof(launched), "%s", kernel->name);
    return CUDA_SUCCESS;
}

bool launch_copy(struct launch *copy, const struct launch *launch)
{
    unsigned char *arguments = malloc(launch->kernel->parameter_bytes + 16);

    if (arguments == NULL)
        return false;
    memcpy(arguments, launch->arguments, launch->kernel->parameter_bytes);
    *copy           = *launch;
    copy->arguments = arguments;
    copy->module->references++;
    return true;
}

void launch_clear(struct launch *launch)
{
    free(launch->arguments);
    module_drop(launch->module);
}

/* ---- running */

NOT_INSTRUMENTED static struct standin_index index_of(const struct launch *launch, uint64_t number)
{
    uint32_t x = launch->groups[0], y = launch->groups[1];

    return (struct standin_index){(uint32_t)(number % x), (uint32_t)(number / x % y),
                                  (uint32_t)(number / x / y)};
}

NOT_INSTRUMENTED static CUresult run_group(const struct portion *portion, void **parameters)
{
    if (portion->code->is_collective)
        return fiber_run_group();
    portion->kernel->group(parameters);
    return CUDA_SUCCESS;
}

/* Groups of a cooperative launch may wait for each other: they can be stopped. */
NOT_INSTRUMENTED static CUresult run_stoppable_group(const struct portion *portion, void **parameters)
{
    guard_allow_stop();
    CUresult result = run_group(portion, parameters);
    guard_refuse_stop();
    return result;
}

/* A launch may have a million groups, which no other thread sees. */
NOT_INSTRUMENTED static CUresult run_groups(const struct portion *portion, void **parameters)
{
    struct standin_item *item = portion->code->item;
    CUresult result           = CUDA_SUCCESS;

    for (uint64_t i = 0; i < portion->count && result == CUDA_SUCCESS; i++) {
        item->block = index_of(portion->launch, portion->first + i);
        result      = portion->launch->is_cooperative ? run_stoppable_group(portion, parameters)
                                                      : run_group(portion, parameters);
    }
    return result;
}

static CUresult run(const void *data)
{
    const struct portion *portion = data;
    const struct launch *launch   = portion->launch;
    struct standin_item *item     = portion->code->item;
    void *parameters[PARAMETERS_MOST];

    for (unsigned int i = 0; i < launch->kernel->parameter_count && i < PARAMETERS_MOST; i++)
        parameters[i] = launch->arguments + launch->kernel->parameters[i].offset;
    item->blocks  = (struct standin_index){launch->groups[0], launch->groups[1], launch->groups[2]};
    item->threads = (struct standin_index){launch->items[0], launch->items[1], launch->items[2]};
    if (portion->code->is_collective && !fiber_prepare(portion, parameters))
        return CUDA_ERROR_OUT_OF_MEMORY;
    return run_groups(portion, parameters);
}

CUresult launch_run_portion(const struct portion *portion)
{
    /* Shared memory begins with rubbish, as that of the last group on a real device. */
    memset(portion->code->dynamic, STANDIN_GARBAGE, portion->launch->dynamic_bytes);
    return guard_run(run, portion);
}

uint64_t launch_group_count(const struct launch *launch)
{
    return (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2];
}

CUresult launch_run(const struct launch *launch)
{
    const struct portion all = {.launch = launch,
                                .code   = launch->module->code,
                                .kernel = launch->kernel,
                                .count  = launch_group_count(launch)};

    pthread_mutex_lock(&launch->module->mutex);
    CUresult result = launch->is_cooperative ? cooperative_run(launch) : launch_run_portion(&all);
    pthread_mutex_unlock(&launch->module->mutex);
    return result;
}

/* ---- in a stream */

struct kernel_operation {
    struct operation operation;
    struct launch launch;
};

static CUresult kernel_run(struct operation *operation)
{
    return launch_run(&((struct kernel_operation *)operation)->launch);
}

static void kernel_end(struct operation *operation, bool was_run)
{
    (void)was_run;
    launch_clear(&((struct kernel_operation *)operation)->launch);
}

static const struct operation_kind kernel_kind = {.name = "kernel", .run = kernel_run, .end = kernel_end};

static CUresult make_operation(struct kernel_operation *operation, const struct context *context,
                               CUfunction function, const unsigned int sizes[6], unsigned int dynamic_bytes,
                               void **parameters, void **extra, bool is_cooperative)
{
    struct launch *launch = &operation->launch;
    CUresult result       = launch_make(launch, context, function, sizes, dynamic_bytes, parameters, extra);

    if (result != CUDA_SUCCESS)
        return result;
    operation->operation.kind = &kernel_kind;
    launch->is_cooperative    = is_cooperative;
    if (!is_cooperative || launch_group_count(launch) <= cooperative_groups_most(launch))
        return CUDA_SUCCESS;
    launch_clear(launch);
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

/* Behind enter_stream(); leaves. */
static CUresult enqueue(const struct context *context, struct stream *stream, CUfunction function,
                        const unsigned int sizes[6], unsigned int dynamic_bytes, void **parameters,
                        void **extra, bool is_cooperative)
{
    struct kernel_operation *operation = calloc(1, sizeof(*operation));

    if (operation == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    CUresult result =
        make_operation(operation, context, function, sizes, dynamic_bytes, parameters, extra, is_cooperative);
    if (result == CUDA_SUCCESS)
        stream_enqueue(stream, &operation->operation);
    else
        free(operation);
    return leave(result);
}

CUresult CUDAAPI cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                void **kernelParams, void **extra)
{
    const unsigned int sizes[6] = {gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ};
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuLaunchKernel, hStream, &context, &stream);

    return result == CUDA_SUCCESS
               ? enqueue(context, stream, f, sizes, sharedMemBytes, kernelParams, extra, false)
               : result;
}

CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                           unsigned int gridDimZ, unsigned int blockDimX,
                                           unsigned int blockDimY, unsigned int blockDimZ,
                                           unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
    const unsigned int sizes[6] = {gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ};
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuLaunchCooperativeKernel, hStream, &context, &stream);

    return result == CUDA_SUCCESS
               ? enqueue(context, stream, f, sizes, sharedMemBytes, kernelParams, NULL, true)
               : result;
}
