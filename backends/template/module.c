/* Trireme: the template backend's modules: arrays of C functions (<trireme/cpu_kernel.h>), run in the
 * calling thread.
 *
 * On a real device a module is an object of the driver, made from code in one of the formats of
 * <trireme/kernel.h>. A kernel is an entry of it whose parameters are reflected.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "template.h"

struct trm_backend_module {
    struct trm_backend_device *device;
    const struct trm_cpu_kernel *kernels; /* the program's; they outlive the module */
    uint64_t count;
};

static int32_t template_module_supports(struct trm_backend_device *device, int32_t format)
{
    (void)device;
    return format == TRM_MODULE_FUNCTIONS ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

/* The program wrote the module's contents and the core has not checked them: check them here, once.
 * Returns what is wrong, or NULL. */
static const char *template_module_fault(const struct trm_cpu_kernel *kernels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (kernels[i].name == NULL)
            return "a kernel has no name";
        if (kernels[i].function == NULL)
            return "a kernel has no function";
        if (kernels[i].parameter_count > TEMPLATE_MAX_ARGUMENTS)
            return "a kernel has more parameters than the device allows";
        if (kernels[i].parameters == NULL && kernels[i].parameter_count != 0)
            return "a kernel has a parameter count but no parameters";
    }
    return NULL;
}

static int32_t template_module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                                    struct trm_backend_module **module)
{
    const struct trm_host *host = device->instance->host;
    struct trm_backend_module *made;
    const char *fault;

    if (source->format != TRM_MODULE_FUNCTIONS)
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0, "The template device loads C functions only.");
    if (source->size % sizeof(struct trm_cpu_kernel) != 0)
        fault = "its size is not that of an array of struct trm_cpu_kernel";
    else
        fault = template_module_fault(source->data, source->size / sizeof(struct trm_cpu_kernel));
    if (fault != NULL)
        return trm_util_fail(host, TRM_ERROR_INVALID_ARGUMENT, 0, "Module %.100s cannot be loaded: %s.",
                             source->name, fault);

    made = trm_util_allocate(host, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(host, "a module");
    made->device  = device;
    made->kernels = source->data;
    made->count   = source->size / sizeof(struct trm_cpu_kernel);
    *module       = made;
    return TRM_OK;
}

static void template_module_unload(struct trm_backend_module *module)
{
    trm_util_release(module->device->instance->host, module, sizeof(*module));
}

/* A kernel needs no object of its own here: its handle is its entry in the program's array. */
static int32_t template_module_kernel(struct trm_backend_module *module, const char *name,
                                      struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    const struct trm_cpu_kernel *entry;

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
    return trm_util_fail(module->device->instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The module has no kernel named %.100s.", name);
}

/* Write the arguments as <trireme/cpu_kernel.h> says: in order, each at its natural alignment. Images,
 * samplers and texel buffers are two words like a buffer: an address and a state. The block has room for
 * TEMPLATE_MAX_ARGUMENTS of the largest. */
static void template_pack_arguments(const struct trm_launch_desc *desc, unsigned char *block)
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
            /* On the little-endian machines that this runs on, the low bytes come first. */
            at = (at + argument->size - 1) & ~(argument->size - 1);
            memcpy(block + at, &argument->scalar, argument->size);
            at += argument->size;
        }
    }
}

int32_t template_module_run(struct trm_backend_device *device, const struct trm_launch_desc *desc,
                            int32_t *result)
{
    const struct trm_host *host        = device->instance->host;
    const struct trm_cpu_kernel *entry = (const struct trm_cpu_kernel *)(uintptr_t)desc->kernel;
    _Alignas(16) unsigned char block[TEMPLATE_MAX_ARGUMENTS * sizeof(struct trm_cpu_buffer)];
    struct trm_cpu_groups groups = {
        .struct_size   = sizeof(groups),
        .worker        = 0,
        .begin         = 0,
        .end           = (uint64_t)desc->groups[0] * desc->groups[1] * desc->groups[2],
        .scratch_bytes = (uint64_t)desc->shared_bytes + entry->shared_bytes,
    };

    memcpy(groups.groups, desc->groups, sizeof(groups.groups));
    memcpy(groups.group_size, desc->group_size, sizeof(groups.group_size));
    if (groups.scratch_bytes != 0) {
        groups.scratch = host->allocate(host->context, groups.scratch_bytes, 64);
        if (groups.scratch == NULL)
            return trm_util_fail_host_memory(host, "the shared memory of a launch");
    }
    template_pack_arguments(desc, block);

    /* No two threads may run kernels as the same worker at once, and there is only worker 0. */
    pthread_mutex_lock(&device->instance->unit);
    *result = entry->function(&groups, block);
    pthread_mutex_unlock(&device->instance->unit);

    trm_util_release(host, groups.scratch, groups.scratch_bytes);
    return TRM_OK;
}

const struct trm_module_ops template_module_ops = {
    .struct_size = sizeof(template_module_ops),
    .supports    = template_module_supports,
    .load        = template_module_load,
    .unload      = template_module_unload,
    .kernel      = template_module_kernel,
};
