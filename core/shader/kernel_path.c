/* Kernels that are found by their names.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/kernel_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/plugin.h"

#define NAME_MOST 100
#define EXTENSION ".spv"

static int32_t is_name(const char *name)
{
    size_t length = strlen(name);

    return length != 0 && length <= NAME_MOST && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == length;
}

/* ---- one of them --------------------------------------------------------------------------- */

static int32_t fail_not_found(const struct core_folders *folders, const char *name)
{
    char list[1024] = "";
    size_t length   = 0;

    for (uint32_t i = 0; i < folders->count && length < sizeof(list); i++)
        length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s", i == 0 ? "" : ", ",
                                   folders->paths[i]);
    if (length >= sizeof(list))
        memcpy(list + sizeof(list) - 4, "...", 4);
    if (folders->count == 0)
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "there is no kernel \"%s\": none of the folders for kernels is there", name);
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
    return fail_not_found(folders, name);
}

int32_t core_kernel_path_find(struct core_context *context, struct base_arena *arena, const char *name,
                              const char **path)
{
    struct core_folders folders;

    if (!is_name(name))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "\"%.100s\" is no name of a kernel: it has 1 to %d letters, digits, '_' and '-'",
                         name, NAME_MOST);
    int32_t status = core_folders_create(context, &core_folders_of_kernels, &folders);
    if (status != TRM_OK)
        return status;
    status = find_in(arena, &folders, name, path);
    core_folders_destroy(context, &folders);
    return status;
}

/* ---- all of them --------------------------------------------------------------------------- */

struct place {
    const char *name;
    const char *path;
    uint32_t order; /* of its folder */
};

struct places {
    struct core_context *context;
    struct base_arena arena;
    struct place *list;
    uint32_t count, capacity;
    uint32_t order;
};

static int32_t found_file(void *user, const char *folder, const char *file)
{
    struct places *places = user;
    struct place place    = {.order = places->order};

    place.name = base_arena_text(&places->arena, file, strlen(file) - strlen(EXTENSION));
    place.path = base_arena_format(&places->arena, "%s/%s", folder, file);
    if (place.name == NULL || place.path == NULL ||
        !base_arena_grow(&places->arena, &places->list, places->count, &places->capacity, sizeof(place)))
        return base_fail_memory("listing the kernels");
    if (is_name(place.name))
        places->list[places->count++] = place;
    return TRM_OK;
}

/* By name, and of one name that which is found first. */
static int compare_places(const void *left, const void *right)
{
    const struct place *one = left, *two = right;
    int order = strcmp(one->name, two->name);

    return order != 0 ? order : (one->order > two->order) - (one->order < two->order);
}

static int32_t visit_all(const struct places *places, trm_shader_visit_fn visit, void *user)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < places->count && status == TRM_OK; i++) {
        const struct place *place      = &places->list[i];
        struct trm_shader_place public = {
            .struct_size = sizeof(public), .name = place->name, .path = place->path};
        if (i != 0 && strcmp(place->name, places->list[i - 1].name) == 0)
            continue;
        if (base_file_permissions_check(place->path) == TRM_OK)
            status = visit(user, &public);
        else
            core_log(places->context, TRM_LOG_WARNING, "%s is left out: %s", place->path,
                     trm_last_error().sentence);
    }
    return status;
}

static int32_t list_folders(struct places *places, const struct core_folders *folders)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < folders->count && status == TRM_OK; i++) {
        places->order = i;
        status = core_folder_list(places->context, &core_folders_of_kernels, folders->paths[i], found_file,
                                  places);
    }
    if (places->count != 0)
        qsort(places->list, places->count, sizeof(*places->list), compare_places);
    return status;
}

int32_t core_kernel_path_list(struct core_context *context, trm_shader_visit_fn visit, void *user)
{
    struct places places = {.context = context};
    struct core_folders folders;

    int32_t status = core_folders_create(context, &core_folders_of_kernels, &folders);
    if (status != TRM_OK)
        return status;
    base_arena_init(&places.arena, &context->allocator);
    status = list_folders(&places, &folders);
    core_folders_destroy(context, &folders);
    if (status == TRM_OK)
        status = visit_all(&places, visit, user);
    base_arena_fini(&places.arena);
    return status;
}
