/* Modules of native code: the program's description of their kernels, and the names of formats.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/module_native.h"

#include <inttypes.h>

#include "core/object/object.h"

#define OPTIONS_MIN 32 /* bytes of struct trm_native_options in the first version */
#define INFO_MIN 40    /* bytes of struct trm_kernel_info in the first version */

/* The options, with a copy of the list of kernels, whose elements may have another size in the program. */
struct native {
    struct trm_native_options options;
    uint64_t size; /* bytes of the allocation */
    struct trm_kernel_info kernels[];
};

const char *core_module_format_text(int32_t format)
{
    static const char *const texts[] = {
        [TRM_MODULE_FUNCTIONS]     = "functions of the program",
        [TRM_MODULE_SHARED_OBJECT] = "shared objects",
        [TRM_MODULE_SPIRV]         = "SPIR-V",
        [TRM_MODULE_GLSL]          = "GLSL",
        [TRM_MODULE_NAMED]         = "kernels by name",
        [TRM_MODULE_SHADER]        = "shaders",
        [TRM_MODULE_CUBIN]         = "cubins",
        [TRM_MODULE_PTX]           = "PTX",
        [TRM_MODULE_CUDA]          = "CUDA C",
    };

    return format > 0 && (size_t)format < sizeof(texts) / sizeof(texts[0]) ? texts[format] : NULL;
}

/* ---- checks -------------------------------------------------------------------------------- */

static int32_t check_parameter(const struct trm_kernel_info *kernel, uint32_t index)
{
    const struct trm_parameter *parameter = &kernel->parameters[index];
    bool is_valid;

    switch (parameter->kind) {
    case TRM_PARAMETER_BUFFER:
        is_valid = true;
        break;
    case TRM_PARAMETER_SCALAR:
        is_valid = trm_type_size(parameter->type) != 0;
        break;
    case TRM_PARAMETER_BLOCK:
    case TRM_PARAMETER_BYTES:
        is_valid = parameter->size != 0;
        break;
    default:
        is_valid = false;
        break;
    }
    if (is_valid)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "parameter %" PRIu32
                     " of kernel \"%s\" is neither a buffer nor a scalar with a type nor a block with a size",
                     index, kernel->name);
}

static int32_t check_kernel(const struct trm_kernel_info *kernel, uint32_t index)
{
    int32_t status = TRM_OK;

    if (kernel->name == NULL || (kernel->parameter_count != 0 && kernel->parameters == NULL))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "kernel %" PRIu32 " of the interface of a module has no name or no parameters",
                         index);
    for (uint32_t i = 0; i < kernel->parameter_count && status == TRM_OK; i++)
        status = check_parameter(kernel, i);
    return status;
}

static int32_t check_options(const struct trm_native_options *options)
{
    if (options->kernel_count != 0 && options->kernels == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the interface of a module has no kernels");
    if (options->compiler_option_count != 0 && options->compiler_options == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the compiler's options of a module are missing");
    for (uint32_t i = 0; i < options->compiler_option_count; i++)
        if (options->compiler_options[i] == NULL)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "option %" PRIu32 " for the compiler is NULL", i);
    return TRM_OK;
}

/* ---- copies -------------------------------------------------------------------------------- */

/* Every element has the struct_size of the first one. */
static int32_t copy_kernels(struct native *native)
{
    const unsigned char *next = (const unsigned char *)native->options.kernels;
    int32_t status            = TRM_OK;

    for (uint32_t i = 0; i < native->options.kernel_count && status == TRM_OK; i++) {
        if (!core_struct_copy_in(&native->kernels[i], sizeof(native->kernels[i]), next, INFO_MIN))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "kernel %" PRIu32 " of the interface of a module lacks its struct_size", i);
        status = check_kernel(&native->kernels[i], i);
        next += native->options.kernels->struct_size;
    }
    native->options.kernels = native->kernels;
    return status;
}

int32_t core_native_options_create(struct core_context *context, const struct trm_native_options *given,
                                   const struct trm_native_options **options)
{
    struct trm_native_options own = {.struct_size = sizeof(own)};

    if (given != NULL && !core_struct_copy_in(&own, sizeof(own), given, OPTIONS_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the options of native code lack their struct_size");
    int32_t status = check_options(&own);
    if (status != TRM_OK)
        return status;
    uint64_t size       = sizeof(struct native) + (uint64_t)own.kernel_count * sizeof(struct trm_kernel_info);
    struct native *made = core_allocate(context, size);
    if (made == NULL)
        return base_fail_memory("loading a module");
    made->options = own;
    made->size    = size;
    status        = copy_kernels(made);
    if (status != TRM_OK) {
        core_free(context, made, size);
        return status;
    }
    *options = &made->options;
    return TRM_OK;
}

void core_native_options_destroy(struct core_context *context, const struct trm_native_options *options)
{
    if (options == NULL)
        return;
    struct native *native = (struct native *)(uintptr_t)options; /* its first member */
    core_free(context, native, native->size);
}
