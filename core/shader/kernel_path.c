/* Finds kernels by name in the folders for kernels.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/kernel_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/plugin.h"

#define KERNEL_NAME_MAX BASE_EDIT_NAME_MAX
#define EXTENSION ".spv"

static bool is_name(const char *name)
{
    size_t length = strlen(name);

    return length != 0 && length <= KERNEL_NAME_MAX && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == length;
}

/* ---- one kernel ---------------------------------------------------------------------------- */

/* The GLSL of a kernel that is not compiled. NULL: there is none. */
static const char *find_source(struct base_arena *arena, const struct core_folders *folders, const char *name)
{
    for (uint32_t i = 0; i < folders->count; i++) {
        const char *path = base_arena_format(arena, "%s/%s.comp", folders->paths[i], name);
        if (path != NULL && access(path, F_OK) == 0)
            return path;
    }
    return NULL;
}

static int32_t fail_not_found(struct base_arena *arena, const struct core_folders *folders, const char *name)
{
    const char *source = find_source(arena, folders, name);
    char list[1024]    = "";
    size_t length      = 0;

    for (uint32_t i = 0; i < folders->count && length < sizeof(list); i++)
        length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s", i == 0 ? "" : ", ",
                                   folders->paths[i]);
    if (length >= sizeof(list))
        memcpy(list + sizeof(list) - 4, "...", 4);
    if (folders->count == 0)
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "there is no kernel \"%s\": none of the folders for kernels exists", name);
    if (source != NULL)
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "there is no kernel \"%s\" in %s, but its source: compile %s with trireme kc", name,
                         list, source);
    return base_fail(TRM_ERROR_NOT_FOUND, "there is no kernel \"%s\" in %s", name, list);
}

static int32_t find_in(struct base_arena *arena, const struct core_folders *folders, const char *name,
                       const char **found)
{
    for (uint32_t i = 0; i < folders->count; i++) {
        const char *path = base_arena_format(arena, "%s/%s" EXTENSION, folders->paths[i], name);
        if (path == NULL)
            return base_fail_memory("looking for a kernel");
        if (access(path, F_OK) != 0)
            continue;
        int32_t status = base_file_permissions_check(path);
        if (status == TRM_OK)
            *found = path;
        return status;
    }
    return fail_not_found(arena, folders, name);
}

const char *core_kernel_path_matrix(struct base_arena *arena, const char *path)
{
    const char *form =
        base_arena_format(arena, "%.*s.matrix" EXTENSION, (int)(strlen(path) - strlen(EXTENSION)), path);

    return form != NULL && access(form, F_OK) == 0 && base_file_permissions_check(form) == TRM_OK ? form
                                                                                                  : NULL;
}

/* ---- all kernels --------------------------------------------------------------------------- */

struct kernel_file {
    const char *name;
    const char *path;
    uint32_t order; /* of its folder in the search */
};

struct kernel_list {
    struct core_context *context;
    struct base_arena arena;
    struct kernel_file *list;
    uint32_t count, capacity;
    uint32_t order;
};

static int32_t found_file(void *user, const char *folder, const char *file)
{
    struct kernel_list *kernels = user;
    struct kernel_file kernel   = {.order = kernels->order};

    kernel.name = base_arena_text(&kernels->arena, file, strlen(file) - strlen(EXTENSION));
    kernel.path = base_arena_format(&kernels->arena, "%s/%s", folder, file);
    if (kernel.name == NULL || kernel.path == NULL ||
        !base_arena_grow(&kernels->arena, &kernels->list, kernels->count, &kernels->capacity, sizeof(kernel)))
        return base_fail_memory("listing the kernels");
    if (is_name(kernel.name))
        kernels->list[kernels->count++] = kernel;
    return TRM_OK;
}

/* Orders by name, then by the order of the search. */
static int compare_kernels(const void *left, const void *right)
{
    const struct kernel_file *one = left, *two = right;
    int order = strcmp(one->name, two->name);

    return order != 0 ? order : (one->order > two->order) - (one->order < two->order);
}

static int32_t visit_all(const struct kernel_list *kernels, trm_shader_visit_fn visit, void *user)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < kernels->count && status == TRM_OK; i++) {
        const struct kernel_file *kernel = &kernels->list[i];
        struct trm_shader_place public   = {
              .struct_size = sizeof(public), .name = kernel->name, .path = kernel->path};
        if (i != 0 && strcmp(kernel->name, kernels->list[i - 1].name) == 0)
            continue;
        if (base_file_permissions_check(kernel->path) == TRM_OK)
            status = visit(user, &public);
        else
            core_log(kernels->context, TRM_LOG_WARNING, "the kernel %s is ignored: %s", kernel->path,
                     trm_last_error().sentence);
    }
    return status;
}

static int32_t list_folders(struct kernel_list *kernels, const struct core_folders *folders)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < folders->count && status == TRM_OK; i++) {
        kernels->order = i;
        status = core_folder_list(kernels->context, &core_folders_of_kernels, folders->paths[i], found_file,
                                  kernels);
    }
    if (kernels->count != 0)
        qsort(kernels->list, kernels->count, sizeof(*kernels->list), compare_kernels);
    return status;
}

int32_t core_kernel_path_list(struct core_context *context, trm_shader_visit_fn visit, void *user)
{
    struct kernel_list kernels = {.context = context};
    struct core_folders folders;

    int32_t status = core_folders_create(context, &core_folders_of_kernels, &folders);
    if (status != TRM_OK)
        return status;
    base_arena_init(&kernels.arena, &context->allocator);
    status = list_folders(&kernels, &folders);
    core_folders_destroy(context, &folders);
    if (status == TRM_OK)
        status = visit_all(&kernels, visit, user);
    base_arena_fini(&kernels.arena);
    return status;
}

/* ---- a name that is misspelt ---------------------------------------------------------------- */

struct nearest {
    const char *name;
    uint32_t distance;
    char found[KERNEL_NAME_MAX + 1];
};

static int32_t compare_with(void *user, const struct trm_shader_place *place)
{
    struct nearest *nearest = user;
    uint32_t distance       = base_edit_distance(nearest->name, place->name);

    if (distance < nearest->distance && distance < strlen(nearest->name)) {
        nearest->distance = distance;
        snprintf(nearest->found, sizeof(nearest->found), "%s", place->name);
    }
    return TRM_OK;
}

/* Appends the nearest name to the failure that the thread has. Answers its status. */
static int32_t suggest(struct core_context *context, const char *name)
{
    struct nearest nearest = {.name = name, .distance = BASE_EDIT_FAR};
    char sentence[1024];

    snprintf(sentence, sizeof(sentence), "%s", trm_last_error().sentence);
    if (core_kernel_path_list(context, compare_with, &nearest) != TRM_OK || nearest.found[0] == '\0')
        return base_fail(TRM_ERROR_NOT_FOUND, "%s", sentence);
    return base_fail(TRM_ERROR_NOT_FOUND, "%s; did you mean \"%s\"?", sentence, nearest.found);
}

/* ---- one kernel by its name ----------------------------------------------------------------- */

int32_t core_kernel_path_find(struct core_context *context, struct base_arena *arena, const char *name,
                              const char **path)
{
    struct core_folders folders;

    if (!is_name(name))
        return base_fail(
            TRM_ERROR_INVALID_ARGUMENT,
            "\"%.100s\" is not the name of a kernel, which is 1 to %d letters, digits, '_' and '-'", name,
            KERNEL_NAME_MAX);
    int32_t status = core_folders_create(context, &core_folders_of_kernels, &folders);
    if (status != TRM_OK)
        return status;
    status = find_in(arena, &folders, name, path);
    core_folders_destroy(context, &folders);
    return status == TRM_ERROR_NOT_FOUND ? suggest(context, name) : status;
}
