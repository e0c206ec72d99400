/* The folders that are searched for plugins and kernels.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/folders.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/object/object.h"
#include "core/settings/settings.h"
#include "installed_folders.h"

static bool is_known(const struct core_folders *folders, const char *path)
{
    for (uint32_t i = 0; i < folders->count; i++) {
        if (strcmp(folders->paths[i], path) == 0)
            return true;
    }
    return false;
}

/* Adds the real path of a folder, unless it is there already. */
static int32_t add_folder(struct core_context *context, const struct core_folders_kind *kind,
                          struct core_folders *folders, const char *path)
{
    char real[PATH_MAX];
    if (path[0] != '/' || realpath(path, real) == NULL || is_known(folders, real))
        return TRM_OK;
    if (folders->count == CORE_FOLDERS_MAX) {
        core_log(context, TRM_LOG_WARNING, "%s is not searched for %s: the limit is %d folders", real,
                 kind->what, CORE_FOLDERS_MAX);
        return TRM_OK;
    }
    char *copy = core_copy_text(context, real);
    if (copy == NULL)
        return base_fail_memory("collecting folders to search");
    folders->paths[folders->count++] = copy;
    return TRM_OK;
}

static int32_t add_list(struct core_context *context, const struct core_folders_kind *kind,
                        struct core_folders *folders, const char *list)
{
    char path[PATH_MAX];
    int32_t status = TRM_OK;
    while (status == TRM_OK && *list != '\0') {
        size_t length = strcspn(list, ":");
        if (length < sizeof(path)) {
            memcpy(path, list, length);
            path[length] = '\0';
            status       = add_folder(context, kind, folders, path);
        }
        list += length + (list[length] == ':');
    }
    return status;
}

static int32_t add_beside_library(struct core_context *context, const struct core_folders_kind *kind,
                                  struct core_folders *folders)
{
    char path[PATH_MAX];
    if (!base_beside_library(kind->below, path))
        return TRM_OK;
    return add_folder(context, kind, folders, path);
}

int32_t core_folders_create(struct core_context *context, const struct core_folders_kind *kind,
                            struct core_folders *folders)
{
    folders->count = 0;
    int32_t status = add_list(context, kind, folders, core_setting_text(context, kind->setting));
    if (status == TRM_OK)
        status = add_beside_library(context, kind, folders);
    if (status == TRM_OK)
        status = add_folder(context, kind, folders, kind->installed);
    if (status != TRM_OK)
        core_folders_destroy(context, folders);
    return status;
}

void core_folders_destroy(struct core_context *context, struct core_folders *folders)
{
    for (uint32_t i = 0; i < folders->count; i++)
        core_free(context, folders->paths[i], strlen(folders->paths[i]) + 1);
    folders->count = 0;
}

/* ---- one folder ---- */

struct entries {
    uint32_t count;
    char names[][NAME_MAX + 1]; /* room for max_files */
};

static bool has_extension(const char *name, const char *extension)
{
    size_t length = strlen(name), end = strlen(extension);
    return name[0] != '.' && length > end && strcmp(name + length - end, extension) == 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(one, other);
}

static void read_entries(struct core_context *context, const struct core_folders_kind *kind,
                         const char *folder, DIR *handle, struct entries *entries)
{
    const struct dirent *entry;
    while ((entry = readdir(handle)) != NULL) {
        if (!has_extension(entry->d_name, kind->extension))
            continue;
        if (entries->count == kind->max_files) {
            core_log(context, TRM_LOG_WARNING, "%s has more than %u %s; the others are ignored", folder,
                     kind->max_files, kind->what);
            break;
        }
        memcpy(entries->names[entries->count++], entry->d_name, strlen(entry->d_name) + 1);
    }
    qsort(entries->names, entries->count, sizeof(entries->names[0]), compare_names);
}

int32_t core_folder_list(struct core_context *context, const struct core_folders_kind *kind,
                         const char *folder, core_folder_entry_fn found, void *user)
{
    DIR *handle = opendir(folder);
    if (handle == NULL) {
        core_log(context, TRM_LOG_WARNING, "%s cannot be searched for %s: %m", folder, kind->what);
        return TRM_OK;
    }
    int32_t status = TRM_OK;
    size_t size    = sizeof(struct entries) + kind->max_files * sizeof(((struct entries *)0)->names[0]);
    struct entries *entries = core_allocate(context, size);
    if (entries == NULL)
        status = base_fail_memory("searching a folder");
    else
        read_entries(context, kind, folder, handle, entries);
    closedir(handle);
    for (uint32_t i = 0; status == TRM_OK && i < entries->count; i++)
        status = found(user, folder, entries->names[i]);
    core_free(context, entries, size);
    return status;
}

/* ---- the two kinds ---- */

const struct core_folders_kind core_folders_of_backends = {
    .what      = "backends",
    .setting   = "backend.path",
    .below     = "/trireme/backends",
    .installed = TRM_BACKENDDIR,
    .extension = ".so",
    .max_files = 256,
};

const struct core_folders_kind core_folders_of_kernels = {
    .what      = "kernels",
    .setting   = "kernel.path",
    .below     = "/trireme/kernels",
    .installed = TRM_KERNELDIR,
    .extension = ".spv",
    .max_files = 1024,
};
