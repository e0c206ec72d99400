/* Kernels: finding and describing them.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/module/kernel_interface.h"
#include "core/object/object.h"
#include "core/settings/settings.h"
#include "core/shader/shader.h"

#define INFO_MIN 40 /* bytes of struct trm_kernel_info in the first version */

static void kernel_retire(struct core_object *object)
{
    core_device_uncount_child(((struct core_kernel *)object)->module->device, CORE_KERNEL);
}

static void free_parameters(const struct core_context *context, const struct core_kernel *kernel)
{
    if (kernel->own_bytes != 0)
        core_free(context, (void *)kernel->parameters, kernel->own_bytes);
}

static void kernel_release(struct core_object *object)
{
    struct core_kernel *kernel = (struct core_kernel *)object;
    struct core_module *module = kernel->module;
    struct core_device *device = module->device;

    core_free(object->context, kernel->name, strlen(kernel->name) + 1);
    free_parameters(object->context, kernel);
    core_free(object->context, kernel, sizeof(*kernel));
    core_object_release(&module->object);
    core_object_release(&device->object);
}

static const char *kernel_device_id(const struct core_object *object)
{
    return ((const struct core_kernel *)object)->module->device->id;
}

static const struct core_object_ops kernel_ops = {
    .type      = CORE_KERNEL,
    .name      = "kernel",
    .source    = __FILE__,
    .device_id = kernel_device_id,
    .retire    = kernel_retire,
    .release   = kernel_release,
};

/* ---- launching ----------------------------------------------------------------------------- */

int32_t core_kernel_commit_observed(struct core_stream *stream, uint64_t value, int32_t answer,
                                    const struct core_kernel *kernel)
{
    const struct core_work work = {
        .kind = CORE_WORK_LAUNCH, .kernel = kernel->name, .handle = kernel->object.handle};
    return core_stream_commit_observed(stream, value, "stream.launch", answer, &work);
}

/* ---- finding ------------------------------------------------------------------------------- */

#define NAMES_BYTES 160 /* of all names, for a sentence */
#define NAME_BYTES 1024 /* of a kernel's name in a backend, which may lack its end */

/* Gets the name of kernel number `index` of a module, cut to NAME_BYTES. False past the last one, and when
 * the backend does not list them. */
static bool name_at(const struct core_module *module, uint32_t index, char name[NAME_BYTES])
{
    const struct trm_module_ops *ops = &module->device->backend->module;
    const char *found                = NULL;

    if (module->portable != NULL)
        found = index < module->portable->reflection.kernel_count
                    ? module->portable->reflection.kernels[index].name
                    : NULL;
    else if (ops->kernel_name != NULL)
        found = ops->kernel_name(module->module, index);
    if (found != NULL)
        base_text_copy(name, NAME_BYTES, found);
    return found != NULL;
}

/* Lists the kernels' names, as many as a sentence holds. */
static void list_names(const struct core_module *module, char names[NAMES_BYTES])
{
    char next[NAME_BYTES];
    size_t length = 0;

    names[0] = '\0';
    for (uint32_t i = 0; length < NAMES_BYTES && name_at(module, i, next); i++)
        length += (size_t)snprintf(names + length, NAMES_BYTES - length, "%s%s", i == 0 ? "" : ", ", next);
    if (length >= NAMES_BYTES)
        memcpy(names + NAMES_BYTES - 4, "...", 4);
}

static int32_t fail_not_found(const struct core_module *module, const char *name)
{
    char names[NAMES_BYTES];

    list_names(module, names);
    return base_fail(TRM_ERROR_NOT_FOUND, "no kernel \"%s\" in module \"%s\"%s%s", name, module->name,
                     names[0] != '\0' ? "; there are: " : "", names);
}

/* Gets the name of the only kernel. */
static int32_t only_name(const struct core_module *module, char name[NAME_BYTES])
{
    char names[NAMES_BYTES], next[NAME_BYTES];

    if (!name_at(module, 0, name))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "module \"%s\" does not list its kernels, so the kernel has to be named",
                         module->name);
    if (!name_at(module, 1, next))
        return TRM_OK;
    list_names(module, names);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "module \"%s\" has several kernels, so the kernel has to be named: %s", module->name,
                     names);
}

/* Finds a shader's kernel, also by the name "main" that it has in the shader. NULL: there is none of that
 * name. */
static const struct trm_kernel_info *find_reflected(const struct core_shader_code *portable, const char *name)
{
    for (uint32_t i = 0; i < portable->reflection.kernel_count; i++)
        if (strcmp(portable->reflection.kernels[i].name, name) == 0)
            return &portable->reflection.kernels[i];
    return strcmp(name, "main") == 0 && strcmp(portable->name, name) != 0
               ? find_reflected(portable, portable->name)
               : NULL;
}

/* The same kernel as the backend has it. */
static const struct trm_kernel_info *flat_of(const struct core_shader_code *portable,
                                             const struct trm_kernel_info *reflected)
{
    return reflected == NULL ? NULL : &portable->flat[reflected - portable->reflection.kernels];
}

/* `reflected` is NULL for native code. */
static int32_t get_from_backend(const struct core_module *module, const char *name,
                                const struct trm_kernel_info *reflected, struct core_kernel *made,
                                struct trm_kernel_desc *desc)
{
    struct core_device *device = module->device;

    base_error_clear();
    int32_t status = core_answer(device->backend, "module.kernel",
                                 device->backend->module.kernel(module->module, name, &made->kernel, desc));
    if (status == TRM_ERROR_NOT_FOUND)
        return fail_not_found(module, name);
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    if (reflected != NULL)
        return core_kernel_interface_match(reflected, desc);
    return core_kernel_interface_copy(module->object.context, desc, name, &made->own_bytes);
}

/* A kernel with its own group size has one in all three directions: zeros become ones. */
static void set_group_size(struct core_kernel *kernel, const uint32_t given[3])
{
    uint32_t any = given[0] | given[1] | given[2];

    for (uint32_t i = 0; i < 3; i++)
        kernel->group_size[i] = any != 0 && given[i] == 0 ? 1 : given[i];
}

static int32_t kernel_create(struct core_module *module, const char *name, struct core_kernel **kernel)
{
    struct core_context *context            = module->object.context;
    struct trm_kernel_desc desc             = {.struct_size = sizeof(desc)};
    const struct trm_kernel_info *reflected = NULL;

    if (module->portable != NULL) {
        reflected = find_reflected(module->portable, name);
        if (reflected == NULL)
            return fail_not_found(module, name);
        name = reflected->name;
    }

    struct core_kernel *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("creating a kernel");
    const struct trm_kernel_info *flat = flat_of(module->portable, reflected);
    int32_t status                     = get_from_backend(module, name, flat, made, &desc);
    if (status != TRM_OK)
        goto release;
    made->module          = module;
    made->parameters      = desc.parameters;
    made->parameter_count = desc.parameter_count;
    made->shared_bytes    = desc.shared_bytes;
    if (reflected != NULL && flat->parameters != reflected->parameters) {
        made->flat            = desc.parameters;
        made->flat_count      = desc.parameter_count;
        made->parameters      = reflected->parameters;
        made->parameter_count = reflected->parameter_count;
    }
    set_group_size(made, desc.group_size);
    atomic_init(&made->overlap_pairs, core_setting_flag(context, "kernel.bounds") ? CORE_OVERLAP_PAIRS : 0);
    made->name = core_copy_text(context, name);
    if (made->name == NULL) {
        status = base_fail_memory("creating a kernel");
        goto release_parameters;
    }
    status = core_object_init(&made->object, &kernel_ops, context);
    if (status != TRM_OK)
        goto release_name;
    core_object_retain(&module->object);
    core_device_add_child(module->device, CORE_KERNEL);
    *kernel = made;
    return TRM_OK;

release_name:
    core_free(context, made->name, strlen(made->name) + 1);
release_parameters:
    free_parameters(context, made);
release:
    core_free(context, made, sizeof(*made));
    return status;
}

int32_t trm_kernel_get(struct trm_module *module, const char *name, struct trm_kernel **kernel)
{
    struct core_kernel *made = NULL;
    char only[NAME_BYTES];

    struct core_module *found = core_object_enter(module, CORE_MODULE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(kernel, "trm_kernel_get", "kernel");
    if (status == TRM_OK && name == NULL)
        status = only_name(found, only);
    if (status == TRM_OK)
        status = kernel_create(found, name != NULL ? name : only, &made);
    if (status == TRM_OK)
        *kernel = core_object_publish(&made->object);
    core_object_leave(&found->object);
    return status;
}

void trm_kernel_destroy(struct trm_kernel *kernel)
{
    core_object_kill_handle(kernel, CORE_KERNEL);
}

bool core_kernel_source(const struct core_kernel *kernel, struct trm_module_source *source)
{
    if (kernel->module->portable == NULL)
        return false;
    core_shader_code_source(kernel->module->portable, source);
    return true;
}

bool core_kernel_digest(const struct core_kernel *kernel, uint8_t digest[BASE_SHA256_BYTES])
{
    const struct core_shader_code *code = kernel->module->portable;
    struct base_sha256 hash;
    if (code == NULL)
        return false;
    base_sha256_init(&hash);
    base_sha256_update(&hash, code->digest, sizeof(code->digest));
    base_sha256_update(&hash, kernel->name, strlen(kernel->name));
    base_sha256_final(&hash, digest);
    return true;
}

static int32_t describe(const struct core_kernel *found, struct trm_kernel_info *info)
{
    struct trm_kernel_info known = {
        .struct_size     = sizeof(known),
        .parameter_count = found->parameter_count,
        .parameters      = found->parameters,
        .name            = found->name,
        .group_size      = {found->group_size[0], found->group_size[1], found->group_size[2]},
        .shared_bytes    = found->shared_bytes,
    };
    if (info == NULL || !core_struct_copy_out(info, &known, sizeof(known), INFO_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_kernel_describe() needs info with its struct_size");
    return TRM_OK;
}

int32_t trm_kernel_describe(struct trm_kernel *kernel, struct trm_kernel_info *info)
{
    struct core_kernel *found = core_object_enter(kernel, CORE_KERNEL);
    if (found == NULL)
        return base_last_status();
    int32_t status = describe(found, info);
    core_object_leave(&found->object);
    return status;
}

static int32_t set_groups(const struct core_kernel *kernel, const uint64_t items[3], struct trm_grid *grid)
{
    struct trm_grid made = {.shared_bytes = 0};

    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size = kernel->group_size[i], groups = items[i] / size + (items[i] % size != 0);
        if (groups > UINT32_MAX)
            return base_fail(TRM_ERROR_OUT_OF_RANGE,
                             "%" PRIu64 " work-items in %c are %" PRIu64
                             " groups of kernel \"%s\", more than 32 bits can count",
                             items[i], (char)('x' + (int)i), groups, kernel->name);
        made.groups[i]     = (uint32_t)groups;
        made.group_size[i] = kernel->group_size[i];
    }
    *grid = made;
    return TRM_OK;
}

static int32_t find_grid(const struct core_kernel *found, uint64_t items_x, uint64_t items_y,
                         uint64_t items_z, struct trm_grid *grid)
{
    uint64_t items[3] = {items_x, items_y, items_z};

    int32_t status = core_output_check(grid, "trm_kernel_grid", "grid");
    if (status != TRM_OK)
        return status;
    if (found->group_size[0] == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "kernel \"%s\" has no group size of its own",
                         found->name);
    if (items_x == 0 || items_y == 0 || items_z == 0) {
        memset(grid, 0, sizeof(*grid)); /* no launch */
        return TRM_OK;
    }
    return set_groups(found, items, grid);
}

int32_t trm_kernel_grid(struct trm_kernel *kernel, uint64_t items_x, uint64_t items_y, uint64_t items_z,
                        struct trm_grid *grid)
{
    struct core_kernel *found = core_object_enter(kernel, CORE_KERNEL);
    if (found == NULL)
        return base_last_status();
    int32_t status = find_grid(found, items_x, items_y, items_z, grid);
    core_object_leave(&found->object);
    return status;
}
