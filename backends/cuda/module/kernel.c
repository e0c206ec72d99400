/* cuda backend: makes kernels of the driver's functions.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "module.h"
#include "trailer.h"

#define SHARED_ALWAYS 49152u /* bytes of shared memory that a group has without opting in */
#define ADDRESS_BYTES 8u
#define BLOCK_ALIGNMENT 16u
#define PADDING 512u
#define THREADS_OF_UNIT 2048u /* that a multiprocessor holds at most */

/* What the driver says of a function's parameters. */
struct found {
    bool is_known;
    uint32_t count;
    uint32_t offset[CUDA_MAX_ARGUMENTS], size[CUDA_MAX_ARGUMENTS];
};

/* An alignment of 0 is that of a type without a size, which the core refuses before it gets here. */
static uint32_t align(uint32_t offset, uint32_t alignment)
{
    if (alignment == 0)
        return offset;
    return (offset + alignment - 1) / alignment * alignment;
}

/* Images, samplers and texel buffers are two words: an address and a state. */
static bool is_image(const struct trm_parameter *parameter)
{
    return parameter->kind >= TRM_PARAMETER_IMAGE && parameter->kind <= TRM_PARAMETER_TEXELS;
}

static uint32_t parameter_size(const struct trm_parameter *parameter)
{
    switch (parameter->kind) {
    case TRM_PARAMETER_BUFFER:
        return ADDRESS_BYTES;
    case TRM_PARAMETER_SCALAR:
        return trm_util_type_size(parameter->type);
    default:
        return is_image(parameter) ? (uint32_t)sizeof(struct trm_image_words) : parameter->size;
    }
}

/* ---- querying the driver --------------------------------------------------------------------- */

static int32_t fail_too_many(const struct trm_backend_module *module, const char *name)
{
    return trm_util_fail(module->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "Kernel '%.100s' has more than %u parameters, or more than %u bytes of them.", name,
                         CUDA_MAX_ARGUMENTS, CUDA_ARGUMENT_BYTES);
}

static int32_t find_parameters(struct trm_backend_module *module, const char *name, CUfunction function,
                               struct found *found)
{
    const struct cuda_functions *cuda = module->device->cuda;
    size_t offset, size;
    found->count    = 0;
    found->is_known = function != NULL && cuda->cuFuncGetParamInfo != NULL;
    while (found->is_known) {
        CUresult result = cuda->cuFuncGetParamInfo(function, found->count, &offset, &size);
        if (result == CUDA_ERROR_INVALID_VALUE)
            return TRM_OK; /* there are no more */
        if (result != CUDA_SUCCESS)
            return cuda_device_fail(module->device, result, "cuFuncGetParamInfo");
        if (found->count == CUDA_MAX_ARGUMENTS || offset > CUDA_ARGUMENT_BYTES ||
            size > CUDA_ARGUMENT_BYTES - offset)
            return fail_too_many(module, name);
        found->offset[found->count] = (uint32_t)offset;
        found->size[found->count]   = (uint32_t)size;
        found->count++;
    }
    return TRM_OK;
}

/* Loading code may wait for all work of the device. */
static CUresult load(struct trm_backend_device *device, CUfunction function)
{
    if (device->cuda->cuFuncLoad == NULL)
        return CUDA_SUCCESS;
    cuda_quiet_begin(device);
    CUresult result = device->cuda->cuFuncLoad(function);
    cuda_quiet_end(device);
    return result;
}

/* Query what a launch of the function must know. Load it now, so that its first launch does not. */
static int32_t prepare(struct trm_backend_device *device, CUfunction function, int *items, int *shared)
{
    const struct cuda_functions *cuda = device->cuda;
    int most                          = device->physical->shared_bytes;
    CUresult result                   = load(device, function);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuFuncLoad");
    result = cuda->cuFuncGetAttribute(items, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (result == CUDA_SUCCESS)
        result = cuda->cuFuncGetAttribute(shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuFuncGetAttribute");
    if (most > (int)SHARED_ALWAYS && *shared < most) {
        result = cuda->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          most - *shared);
        if (result != CUDA_SUCCESS)
            return cuda_device_fail(device, result, "cuFuncSetAttribute");
    }
    return TRM_OK;
}

/* A launch may take either function. */
static int32_t find_attributes(struct trm_backend_kernel *kernel)
{
    struct trm_backend_device *device = kernel->module->device;
    int items = 0, shared = 0, other_items = 0, other_shared = 0;
    if (kernel->function == NULL) {
        kernel->max_group_items = UINT32_MAX;
        return TRM_OK;
    }
    int32_t status = prepare(device, kernel->function, &items, &shared);
    if (status == TRM_OK && kernel->special != NULL) {
        status = prepare(device, kernel->special, &other_items, &other_shared);
        items  = other_items < items ? other_items : items;
        shared = other_shared > shared ? other_shared : shared;
    }
    kernel->max_group_items = items > 0 ? (uint32_t)items : 0;
    kernel->shared_bytes    = (shared > 0 ? (uint32_t)shared : 0) + kernel->dynamic_bytes;
    if (status == TRM_OK && kernel->threads > kernel->max_group_items)
        return trm_util_fail(device->instance->host, TRM_ERROR_ABI, 0,
                             "The code of kernel '%.100s' wants blocks of %u threads, but its function takes "
                             "at most %u.",
                             kernel->name, kernel->threads, kernel->max_group_items);
    return status;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* One allocation: the kernel, its own parameters if it has any, offsets, entries, masks, name. */
static struct trm_backend_kernel *kernel_new(struct trm_backend_module *module, const char *name,
                                             uint32_t parameter_count, uint32_t own_parameters,
                                             uint32_t entry_count)
{
    uint64_t parameters  = sizeof(struct trm_backend_kernel);
    uint64_t offsets     = parameters + (uint64_t)own_parameters * sizeof(struct trm_parameter);
    uint64_t entries     = offsets + (uint64_t)parameter_count * sizeof(uint32_t);
    uint64_t masks       = entries + (uint64_t)entry_count * sizeof(uint32_t);
    uint64_t text        = masks + (uint64_t)parameter_count * sizeof(uint32_t);
    uint64_t size        = text + strlen(name) + 1;
    unsigned char *block = trm_util_allocate(module->device->instance->host, size);
    if (block == NULL)
        return NULL;
    struct trm_backend_kernel *kernel = (struct trm_backend_kernel *)block;
    kernel->module                    = module;
    kernel->size                      = size;
    kernel->parameter_count           = parameter_count;
    kernel->parameters                = (const struct trm_parameter *)(block + parameters);
    kernel->offsets                   = (const uint32_t *)(block + offsets);
    kernel->entries                   = (const uint32_t *)(block + entries);
    kernel->masks                     = (const uint32_t *)(block + masks);
    kernel->serial                    = 1 + atomic_fetch_add(&module->device->kernels_created, 1);
    kernel->name                      = memcpy(block + text, name, strlen(name) + 1);
    return kernel;
}

void cuda_kernel_destroy(struct trm_backend_kernel *kernel)
{
    trm_util_release(kernel->module->device->instance->host, kernel, kernel->size);
}

/* The last step that can fail. */
static int32_t finish(struct trm_backend_kernel *kernel)
{
    struct trm_backend_module *module = kernel->module;
    int32_t status                    = find_attributes(kernel);
    if (status != TRM_OK) {
        cuda_kernel_destroy(kernel);
        return status;
    }
    kernel->next    = module->kernels;
    module->kernels = kernel;
    return TRM_OK;
}

/* ---- translated kernels (compiler/translate/targets/cuda_target.c) --------------------------- */

struct layout {
    uint32_t *offsets, *entries;
    uint32_t entry_sizes[CUDA_MAX_ARGUMENTS];
    uint32_t count, bytes; /* so far */
    uint32_t plain_bytes;  /* without sizes */
};

static void add_entry(struct layout *layout, uint32_t size, uint32_t alignment)
{
    layout->bytes                      = align(layout->bytes, alignment);
    layout->entry_sizes[layout->count] = size;
    layout->entries[layout->count++]   = layout->bytes;
    layout->bytes += size;
}

static uint32_t scalar_alignment(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_SCALAR ? trm_util_type_size(parameter->type) : BLOCK_ALIGNMENT;
}

static void lay_out_struct(const struct trm_kernel_info *info, struct layout *layout)
{
    uint32_t most = 0, size = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct trm_parameter *parameter = &info->parameters[i];
        if (trm_util_has_descriptor(parameter))
            continue;
        uint32_t alignment = scalar_alignment(parameter);
        most               = alignment > most ? alignment : most;
        layout->offsets[i] = align(size, alignment);
        size               = layout->offsets[i] + parameter_size(parameter);
    }
    if (most == 0)
        return;
    add_entry(layout, align(size, most), most);
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (!trm_util_has_descriptor(&info->parameters[i]))
            layout->offsets[i] += layout->entries[layout->count - 1];
}

static void add_element(struct layout *layout, uint32_t size)
{
    layout->entry_sizes[layout->count - 1] += size;
    layout->bytes += size;
}

/* How many parameters of the code are addresses or sizes of buffers. */
static uint32_t count_buffers(const struct trm_kernel_info *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++)
        count += info->parameters[i].kind == TRM_PARAMETER_BUFFER && !trm_util_is_next_element(info, i);
    return count;
}

static void lay_out_sizes(const struct trm_kernel_info *info, struct layout *layout)
{
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        if (info->parameters[i].kind != TRM_PARAMETER_BUFFER)
            continue;
        if (trm_util_is_next_element(info, i))
            add_element(layout, ADDRESS_BYTES);
        else
            add_entry(layout, ADDRESS_BYTES, ADDRESS_BYTES);
    }
}

static void lay_out(struct trm_backend_kernel *kernel, const struct trm_kernel_info *info,
                    struct layout *layout)
{
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        uint32_t size = parameter_size(&info->parameters[i]);
        if (!trm_util_has_descriptor(&info->parameters[i]))
            continue;
        if (trm_util_is_next_element(info, i))
            add_element(layout, size);
        else
            add_entry(layout, size, ADDRESS_BYTES);
        layout->offsets[i] = layout->bytes - size;
    }
    lay_out_struct(info, layout);
    if (kernel->coarsening != 0) {
        add_entry(layout, sizeof(uint32_t), sizeof(uint32_t));
        kernel->groups_offset = layout->entries[layout->count - 1];
    }
    kernel->notes_faults = kernel->module->notes_faults;
    if (kernel->notes_faults) {
        add_entry(layout, ADDRESS_BYTES, ADDRESS_BYTES);
        kernel->fault_offset = layout->entries[layout->count - 1];
    }
    layout->plain_bytes  = layout->bytes;
    kernel->sizes_offset = align(layout->bytes, ADDRESS_BYTES);
    lay_out_sizes(info, layout);
}

/* The code loads vectors from a buffer of vectors, so its address must be aligned to one. */
static void set_masks(struct trm_backend_kernel *kernel)
{
    uint32_t *masks = (uint32_t *)(uintptr_t)kernel->masks, all = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        uint32_t bytes                        = parameter->components * trm_util_type_size(parameter->type);
        if (parameter->kind == TRM_PARAMETER_BUFFER && parameter->type != TRM_TYPE_NONE &&
            parameter->components > 1 && (bytes == 8 || bytes == 16))
            masks[i] = bytes - 1;
        all |= masks[i];
    }
    if (all == 0)
        kernel->masks = NULL;
}

/* Whether the driver sees the parameters that were laid out. The sizes are there for all buffers or for
 * none. */
static bool is_as_laid_out(struct trm_backend_kernel *kernel, const struct layout *layout,
                           const struct found *found, uint32_t buffers)
{
    if (found->count != layout->count && found->count != layout->count - buffers)
        return false;
    for (uint32_t i = 0; i < found->count; i++)
        if (found->size[i] != layout->entry_sizes[i] || found->offset[i] != layout->entries[i])
            return false;
    kernel->entry_count = found->count;
    kernel->wants_sizes = buffers != 0 && found->count == layout->count;
    return true;
}

/* Each variable begins at a multiple of 16, and their number is unknown here. Hence the padding. */
static uint32_t dynamic_bytes(const struct trm_backend_module *module, const struct trm_kernel_info *info)
{
    uint32_t most = (uint32_t)module->device->physical->shared_bytes;
    if (info->shared_bytes <= SHARED_ALWAYS)
        return 0;
    return info->shared_bytes + PADDING < most ? info->shared_bytes + PADDING : most;
}

/* From how many groups that are then full on, the threads of a launch compute several items. With as many
 * threads as the device holds short loops gain, and long ones lose a few hundredths at most
 * (doc/results/2026-11-29-streaming-h200.md). */
static uint64_t coarsen_from(const struct trm_backend_device *device, const struct trm_kernel_info *info,
                             const struct cuda_launch_shape *shape)
{
    uint64_t items = (uint64_t)info->group_size[0] * info->group_size[1] * info->group_size[2];
    uint64_t held  = (uint64_t)device->physical->units * THREADS_OF_UNIT;
    if (!shape->is_choice || device->instance->coarsening == CUDA_COARSEN_ALWAYS)
        return 0;
    if (device->instance->coarsening == CUDA_COARSEN_NEVER || items == 0)
        return UINT64_MAX;
    return (held + items - 1) / items;
}

static void log_choice(const struct trm_backend_kernel *kernel)
{
    const struct trm_host *host = kernel->module->device->instance->host;
    char line[384];
    if (kernel->coarsen_from == UINT64_MAX)
        return;
    snprintf(line, sizeof(line),
             "kernel '%.100s' of module '%.80s': threads compute %" PRIu32
             " items each where that fills %" PRIu64 " groups or more",
             kernel->name, kernel->module->name, kernel->coarsening, kernel->coarsen_from);
    host->log(host->context, TRM_LOG_DEBUG, line);
}

int32_t cuda_kernel_translated(struct trm_backend_module *module, const struct trm_kernel_info *info,
                               const struct cuda_launch_shape *shape, CUfunction function, CUfunction special)
{
    uint32_t buffers = count_buffers(info), own = 0;
    struct found found;
    for (uint32_t i = 0; i < info->parameter_count; i++)
        own += trm_util_has_descriptor(&info->parameters[i]);
    uint32_t entries =
        own + buffers + (own != info->parameter_count) + (shape->coarsening != 0) + module->notes_faults;
    if (info->parameter_count > CUDA_MAX_ARGUMENTS || entries > CUDA_MAX_ARGUMENTS)
        return fail_too_many(module, info->name);
    int32_t status = find_parameters(module, info->name, function, &found);
    if (status != TRM_OK)
        return status;
    struct trm_backend_kernel *kernel = kernel_new(module, info->name, info->parameter_count, 0, entries);
    if (kernel == NULL)
        return trm_util_fail_host_memory(module->device->instance->host, "a kernel");
    struct layout layout = {.offsets = (uint32_t *)(uintptr_t)kernel->offsets,
                            .entries = (uint32_t *)(uintptr_t)kernel->entries};
    kernel->coarsening   = shape->coarsening;
    kernel->coarsen_from = coarsen_from(module->device, info, shape);
    lay_out(kernel, info, &layout);
    kernel->function       = function;
    kernel->special        = special;
    kernel->parameters     = info->parameters;
    kernel->entry_count    = layout.count;
    kernel->wants_sizes    = buffers != 0;
    kernel->argument_bytes = layout.bytes;
    kernel->threads        = shape->threads;
    kernel->dynamic_bytes  = shape->shared_bytes != 0 ? shape->shared_bytes : dynamic_bytes(module, info);
    set_masks(kernel);
    memcpy(kernel->group_size, info->group_size, sizeof(kernel->group_size));
    if (layout.bytes > CUDA_ARGUMENT_BYTES)
        status = fail_too_many(module, info->name);
    else if (found.is_known && !is_as_laid_out(kernel, &layout, &found, buffers))
        status = trm_util_fail(module->device->instance->host, TRM_ERROR_ABI, 0,
                               "The code of kernel '%.100s' does not have the parameters of its shader.",
                               info->name);
    if (status != TRM_OK) {
        cuda_kernel_destroy(kernel);
        return status;
    }
    if (!kernel->wants_sizes)
        kernel->argument_bytes = layout.plain_bytes;
    if (shape->is_choice)
        log_choice(kernel);
    return finish(kernel);
}

/* ---- native kernels -------------------------------------------------------------------------- */

/* For when the driver does not tell: lay the parameters out as the C++ compiler does. The alignment of a
 * block is unknown; assume the largest. */
static int32_t lay_out_native(const struct trm_backend_module *module, const struct trm_kernel_info *info,
                              struct found *found)
{
    uint32_t bytes = 0;
    if (info->parameter_count > CUDA_MAX_ARGUMENTS)
        return fail_too_many(module, info->name);
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        uint32_t size      = parameter_size(&info->parameters[i]);
        uint32_t alignment = is_image(&info->parameters[i]) ? ADDRESS_BYTES
                             : info->parameters[i].kind == TRM_PARAMETER_BUFFER ||
                                     info->parameters[i].kind == TRM_PARAMETER_SCALAR
                                 ? size
                                 : BLOCK_ALIGNMENT;
        found->offset[i]   = align(bytes, alignment);
        found->size[i]     = size;
        if (size > CUDA_ARGUMENT_BYTES || found->offset[i] > CUDA_ARGUMENT_BYTES - size)
            return fail_too_many(module, info->name);
        bytes = found->offset[i] + size;
    }
    found->count = info->parameter_count;
    return TRM_OK;
}

static int32_t match_interface(const struct trm_backend_module *module, const struct trm_kernel_info *info,
                               const struct found *found)
{
    const struct trm_backend_instance *instance = module->device->instance;
    if (info->parameter_count != found->count)
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "Kernel '%.100s' of module '%.80s' has %u parameters, but %u are described.",
                             info->name, module->name, found->count, info->parameter_count);
    for (uint32_t i = 0; i < found->count; i++)
        if (parameter_size(&info->parameters[i]) != found->size[i])
            return trm_util_fail(
                instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                "Parameter %u of kernel '%.100s' of module '%.80s' has %u bytes, but is described with %u.",
                i, info->name, module->name, found->size[i], parameter_size(&info->parameters[i]));
    return TRM_OK;
}

static int32_t find_native(struct trm_backend_module *module, const char *name,
                           const struct trm_kernel_info *info, CUfunction function, struct found *found)
{
    int32_t status = find_parameters(module, name, function, found);
    if (status != TRM_OK)
        return status;
    if (found->is_known)
        return info != NULL ? match_interface(module, info, found) : TRM_OK;
    if (info != NULL)
        return lay_out_native(module, info, found);
    return trm_util_fail(module->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "The driver does not tell the parameters of kernel '%.100s' (CUDA 12.4 "
                         "does), so the module needs a description of it (struct "
                         "trm_native_options).",
                         name);
}

int32_t cuda_kernel_native(struct trm_backend_module *module, const char *name,
                           const struct trm_kernel_info *info, CUfunction function)
{
    struct found found;
    int32_t status = find_native(module, name, info, function, &found);
    if (status != TRM_OK)
        return status;
    struct trm_backend_kernel *kernel =
        kernel_new(module, name, found.count, info != NULL ? 0 : found.count, found.count);
    if (kernel == NULL)
        return trm_util_fail_host_memory(module->device->instance->host, "a kernel");
    struct trm_parameter *own = (struct trm_parameter *)(uintptr_t)kernel->parameters;
    for (uint32_t i = 0; i < found.count; i++) {
        ((uint32_t *)(uintptr_t)kernel->offsets)[i] = found.offset[i];
        ((uint32_t *)(uintptr_t)kernel->entries)[i] = found.offset[i];
        kernel->argument_bytes                      = found.offset[i] + found.size[i];
        if (info == NULL)
            own[i] = (struct trm_parameter){.kind = TRM_PARAMETER_BYTES, .size = found.size[i]};
    }
    kernel->function     = function;
    kernel->masks        = NULL; /* native code has no known alignment */
    kernel->entry_count  = found.count;
    kernel->sizes_offset = kernel->argument_bytes;
    if (info != NULL) {
        kernel->parameters = info->parameters;
        memcpy(kernel->group_size, info->group_size, sizeof(kernel->group_size));
    }
    return finish(kernel);
}
