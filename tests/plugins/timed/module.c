/* The timed backend: modules are arrays of C functions (<trireme/cpu_kernel.h>).
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct trm_backend_module {
    struct trm_backend_device *device;
    const struct trm_cpu_kernel *kernels; /* the program's; they outlive the module */
    uint64_t count;
};

static int32_t timed_module_supports(struct trm_backend_device *device, int32_t format)
{
    (void)device;
    return format == TRM_MODULE_FUNCTIONS ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

/* What a module holds comes from the program and has not been looked at by the core: check it
 * here, once. NULL when all is well. */
static const char *timed_module_fault(const struct trm_cpu_kernel *kernels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (kernels[i].name == NULL)
            return "a kernel has no name";
        if (kernels[i].function == NULL)
            return "a kernel has no function";
        if (kernels[i].parameter_count > TIMED_MAX_ARGUMENTS)
            return "a kernel has more parameters than the device allows";
        if (kernels[i].parameters == NULL && kernels[i].parameter_count != 0)
            return "a kernel counts parameters that it does not describe";
    }
    return NULL;
}

static int32_t timed_module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                                 struct trm_backend_module **module)
{
    const struct trm_host *host = device->instance->host;
    struct trm_backend_module *made;
    const char *fault;
    char sentence[256];

    if (source->format != TRM_MODULE_FUNCTIONS)
        return host->fail(host->context, TRM_ERROR_UNSUPPORTED, 0,
                          "The timed device loads C functions only.");
    if (source->size % sizeof(struct trm_cpu_kernel) != 0)
        fault = "its size is not that of an array of struct trm_cpu_kernel";
    else
        fault = timed_module_fault(source->data, source->size / sizeof(struct trm_cpu_kernel));
    if (fault != NULL) {
        snprintf(sentence, sizeof(sentence), "Module %.100s cannot be loaded: %s.", source->name, fault);
        return host->fail(host->context, TRM_ERROR_INVALID_ARGUMENT, 0, sentence);
    }

    made = host->allocate(host->context, sizeof(*made), _Alignof(struct trm_backend_module));
    if (made == NULL)
        return host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0, "There is no memory for a module.");
    made->device  = device;
    made->kernels = source->data;
    made->count   = source->size / sizeof(struct trm_cpu_kernel);
    *module       = made;
    return TRM_OK;
}

static void timed_module_unload(struct trm_backend_module *module)
{
    const struct trm_host *host = module->device->instance->host;

    host->release(host->context, module, sizeof(*module));
}

/* There is nothing to make for a kernel here: its entry in the program's array is all, so that
 * is the handle. */
static int32_t timed_module_kernel(struct trm_backend_module *module, const char *name,
                                   struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    const struct trm_host *host = module->device->instance->host;
    const struct trm_cpu_kernel *entry;
    char sentence[160];

    for (uint64_t i = 0; i < module->count; i++) {
        entry = &module->kernels[i];
        if (strcmp(entry->name, name) != 0)
            continue;
        desc->parameter_count = entry->parameter_count;
        desc->parameters      = entry->parameters;
        desc->shared_bytes    = entry->shared_bytes;
        memcpy(desc->group_size, entry->group_size, sizeof(desc->group_size));
        *kernel = (struct trm_backend_kernel *)(uintptr_t)entry;
        return TRM_OK;
    }
    snprintf(sentence, sizeof(sentence), "The module has no kernel named %.100s.", name);
    return host->fail(host->context, TRM_ERROR_NOT_FOUND, 0, sentence);
}

/* Lay the arguments out as <trireme/cpu_kernel.h> has it: in order, each at its natural alignment; of an
 * image, sampler or texel buffer an address and a state. The block has room for TIMED_MAX_ARGUMENTS of the
 * largest. */
void timed_launch_pack(const struct trm_launch_desc *desc, unsigned char *block)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < desc->argument_count; i++) {
        const struct trm_launch_argument *argument = &desc->arguments[i];

        if (argument->kind != TRM_PARAMETER_SCALAR) {
            bool is_buffer               = argument->kind == TRM_PARAMETER_BUFFER;
            struct trm_cpu_buffer buffer = {NULL, is_buffer ? argument->size : argument->scalar};

            if (argument->memory != NULL)
                buffer.data = argument->memory->bytes + argument->offset;
            at = (at + 7) & ~(uint64_t)7;
            memcpy(block + at, &buffer, sizeof(buffer));
            at += sizeof(buffer);
        } else {
            /* The low bytes come first: this runs on little-endian machines. */
            at = (at + argument->size - 1) & ~(argument->size - 1);
            memcpy(block + at, &argument->scalar, argument->size);
            at += argument->size;
        }
    }
}

uint64_t timed_launch_duration(const struct trm_backend_device *device, const struct trm_launch_desc *desc)
{
    const struct trm_cpu_kernel *entry = (const struct trm_cpu_kernel *)(uintptr_t)desc->kernel;

    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        const struct trm_parameter *parameter = &entry->parameters[i];

        if (parameter->kind == TRM_PARAMETER_SCALAR && parameter->name != NULL &&
            strcmp(parameter->name, "ns") == 0)
            return desc->arguments[i].scalar;
    }
    return device->instance->settings.launch_ns;
}

int32_t timed_launch_run(struct trm_backend_device *device, const struct timed_operation *operation)
{
    const struct trm_host *host        = device->instance->host;
    const struct trm_launch_desc *desc = &operation->launch;
    const struct trm_cpu_kernel *entry = (const struct trm_cpu_kernel *)(uintptr_t)desc->kernel;
    struct trm_cpu_groups groups       = {
              .struct_size   = sizeof(groups),
              .worker        = 0,
              .begin         = 0,
              .end           = (uint64_t)desc->groups[0] * desc->groups[1] * desc->groups[2],
              .scratch_bytes = (uint64_t)desc->shared_bytes + entry->shared_bytes,
    };
    int32_t result;

    memcpy(groups.groups, desc->groups, sizeof(groups.groups));
    memcpy(groups.group_size, desc->group_size, sizeof(groups.group_size));
    if (groups.scratch_bytes != 0) {
        groups.scratch = host->allocate(host->context, groups.scratch_bytes, 64);
        if (groups.scratch == NULL)
            return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }

    /* Kernels rely on no two threads being the same worker at once, and there is only worker 0. */
    pthread_mutex_lock(&device->instance->unit);
    result = entry->function(&groups, operation->block);
    pthread_mutex_unlock(&device->instance->unit);

    host->release(host->context, groups.scratch, groups.scratch_bytes);
    return result;
}

const struct trm_module_ops timed_module_ops = {
    .struct_size = sizeof(timed_module_ops),
    .supports    = timed_module_supports,
    .load        = timed_module_load,
    .unload      = timed_module_unload,
    .kernel      = timed_module_kernel,
};
