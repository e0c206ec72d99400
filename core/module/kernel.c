/* Kernels: finding and describing them.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/module/kernel_interface.h"
#include "core/object/object.h"
#include "core/shader/shader.h"

#define INFO_MIN 40 /* bytes of struct trm_kernel_info in the first version */

static void kernel_retire(struct core_object *object)
{
    core_device_uncount_child(((struct core_kernel *)object)->module->device, CORE_KERNEL);
}

static void kernel_release(struct core_object *object)
{
    struct core_kernel *kernel = (struct core_kernel *)object;
    struct core_module *module = kernel->module;
    struct core_device *device = module->device;

    core_free(object->context, kernel->name, strlen(kernel->name) + 1);
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

/* ---- finding ------------------------------------------------------------------------------- */

#define NAMES_BYTES 160

/* The name of kernel number `index` of a module; NULL past the last one, or when the backend does not
 * list them. */
static const char *name_at(const struct core_module *module, uint32_t index)
{
    const struct trm_module_ops *ops = &module->device->backend->module;

    if (module->portable != NULL)
        return index < module->portable->reflection.kernel_count
                   ? module->portable->reflection.kernels[index].name
                   : NULL;
    return ops->kernel_name != NULL ? ops->kernel_name(module->module, index) : NULL;
}

/* Lists the kernels' names, as many as a sentence holds. */
static void list_names(const struct core_module *module, char names[NAMES_BYTES])
{
    const char *next;
    size_t length = 0;

    names[0] = '\0';
    for (uint32_t i = 0; length < NAMES_BYTES && (next = name_at(module, i)) != NULL; i++)
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
static int32_t only_name(const struct core_module *module, const char **name)
{
    char names[NAMES_BYTES];

    *name = name_at(module, 0);
    if (*name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "module \"%s\" does not list its kernels, so the kernel has to be named",
                         module->name);
    if (name_at(module, 1) == NULL)
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

/* A backend may reflect a module of any origin, so its answer is checked once. */
static int32_t check_parameters(const struct trm_kernel_desc *desc, const char *name)
{
    if (desc->parameter_count != 0 && desc->parameters == NULL)
        return base_fail(TRM_ERROR_ABI, "the parameters of kernel \"%s\" are missing", name);
    for (uint32_t i = 0; i < desc->parameter_count; i++) {
        const struct trm_parameter *parameter = &desc->parameters[i];
        int32_t kind                          = parameter->kind;
        if ((kind == TRM_PARAMETER_SCALAR && trm_type_size(parameter->type) == 0) ||
            ((kind == TRM_PARAMETER_BLOCK || kind == TRM_PARAMETER_BYTES) && parameter->size == 0) ||
            kind < TRM_PARAMETER_BUFFER || kind > TRM_PARAMETER_BYTES)
            return base_fail(
                TRM_ERROR_INVALID_ARGUMENT,
                "parameter %" PRIu32
                " of kernel \"%s\" is neither a buffer nor a scalar with a type nor a block with a "
                "size",
                i, name);
    }
    return TRM_OK;
}

/* `reflected` is NULL for native code. */
static int32_t get_from_backend(const struct core_module *module, const char *name,
                                const struct trm_kernel_info *reflected, struct trm_backend_kernel **kernel,
                                struct trm_kernel_desc *desc)
{
    struct core_device *device = module->device;

    base_error_clear();
    int32_t status = device->backend->module.kernel(module->module, name, kernel, desc);
    if (status == TRM_ERROR_NOT_FOUND)
        return fail_not_found(module, name);
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    return reflected != NULL ? core_kernel_interface_match(reflected, desc) : check_parameters(desc, name);
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
    int32_t status = get_from_backend(module, name, reflected, &made->kernel, &desc);
    if (status != TRM_OK)
        goto release;
    atomic_init(&made->users, 1);
    made->module          = module;
    made->parameters      = desc.parameters;
    made->parameter_count = desc.parameter_count;
    made->shared_bytes    = desc.shared_bytes;
    set_group_size(made, desc.group_size);
    made->name = core_copy_text(context, name);
    if (made->name == NULL) {
        status = base_fail_memory("creating a kernel");
        goto release;
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
release:
    core_free(context, made, sizeof(*made));
    return status;
}

int32_t trm_kernel_get(struct trm_module *module, const char *name, struct trm_kernel **kernel)
{
    struct core_kernel *made = NULL;

    struct core_module *found = core_module_find(module);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(kernel, "trm_kernel_get", "kernel");
    if (status == TRM_OK && name == NULL)
        status = only_name(found, &name);
    if (status == TRM_OK)
        status = kernel_create(found, name, &made);
    if (status == TRM_OK)
        *kernel = made->object.handle;
    return status;
}

/* Changes the count of users, unless it is 0: then the handle is dead or about to be. Returns the old
 * count. */
static uint32_t change_users(struct core_kernel *kernel, uint32_t change)
{
    uint32_t users = atomic_load_explicit(&kernel->users, memory_order_relaxed);

    while (users != 0 && !atomic_compare_exchange_weak_explicit(&kernel->users, &users, users + change,
                                                                memory_order_acq_rel, memory_order_relaxed))
        ;
    return users;
}

int32_t core_kernel_retain(struct trm_kernel *kernel)
{
    int32_t status            = TRM_OK;
    struct core_kernel *found = core_object_enter(kernel, CORE_KERNEL);
    if (found == NULL)
        return base_last_status();
    if (change_users(found, 1) == 0)
        status = base_fail(TRM_ERROR_INVALID_HANDLE, "this kernel has been destroyed");
    core_object_leave(&found->object);
    return status;
}

void trm_kernel_destroy(struct trm_kernel *kernel)
{
    if (kernel == NULL)
        return;
    struct core_kernel *found = core_object_enter(kernel, CORE_KERNEL);
    if (found == NULL)
        return;
    if (change_users(found, UINT32_MAX) == 1)
        core_object_kill(&found->object);
    core_object_leave(&found->object);
}

int32_t trm_kernel_describe(struct trm_kernel *kernel, struct trm_kernel_info *info)
{
    const struct core_kernel *found = core_kernel_find(kernel);
    if (found == NULL)
        return base_last_status();
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

int32_t trm_kernel_grid(struct trm_kernel *kernel, uint64_t items_x, uint64_t items_y, uint64_t items_z,
                        struct trm_grid *grid)
{
    uint64_t items[3] = {items_x, items_y, items_z};

    const struct core_kernel *found = core_kernel_find(kernel);
    if (found == NULL)
        return base_last_status();
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
