/* Lists and removes the files of an extension.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "core/cache/cache.h"
#include "core/cache/cache_file.h"
#include "core/cache/cache_folder.h"
#include "core/cache/cache_trim.h"
#include "core/object/object.h"

static uint8_t digit_of(char digit)
{
    return (uint8_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* The digest in the name of a stored file. */
static void digest_of(const char *name, uint8_t digest[BASE_SHA256_BYTES])
{
    for (size_t i = 0; i < BASE_SHA256_BYTES; i++)
        digest[i] = (uint8_t)(digit_of(name[2 * i]) << 4 | digit_of(name[2 * i + 1]));
}

static bool has_extension(const char *name, const char *extension)
{
    return core_cache_is_stored(name) && strcmp(name + (size_t)2 * BASE_SHA256_BYTES, extension) == 0;
}

/* Opens the folder. TRM_OK with NULL: there is no cache. */
static int32_t open_folder(struct core_context *context, const char **folder, DIR **opened)
{
    int32_t status = core_cache_folder(context, false, folder);
    *opened        = NULL;
    if (status == TRM_ERROR_NOT_FOUND || status == TRM_ERROR_UNSUPPORTED)
        return TRM_OK;
    if (status != TRM_OK)
        return status;
    *opened = opendir(*folder);
    if (*opened == NULL && errno != ENOENT)
        return base_fail(TRM_ERROR_BACKEND, "cannot read the folder %s: %m", *folder);
    return TRM_OK;
}

static int32_t visit_file(struct core_context *context, const char *folder, const char *name,
                          core_cache_visit_fn visit, void *user)
{
    uint8_t digest[BASE_SHA256_BYTES];
    char path[TRM_PATH_MOST];
    int written = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (written < 0 || (size_t)written >= sizeof(path))
        return TRM_OK;
    digest_of(name, digest);
    int32_t status = core_cache_file_check(path, digest);
    if (status == TRM_OK)
        return visit(user, path);
    if (status == TRM_ERROR_NOT_FOUND)
        return TRM_OK; /* another process has removed it */
    core_log(context, TRM_LOG_WARNING, "removed from the kernel cache: %s", trm_last_error().sentence);
    (void)unlink(path);
    return TRM_OK;
}

int32_t core_cache_list(struct core_context *context, const char *extension, core_cache_visit_fn visit,
                        void *user)
{
    const struct dirent *entry;
    const char *folder;
    DIR *opened;
    int32_t status = open_folder(context, &folder, &opened);
    if (status != TRM_OK || opened == NULL)
        return status;
    while (status == TRM_OK && (entry = readdir(opened)) != NULL)
        if (has_extension(entry->d_name, extension))
            status = visit_file(context, folder, entry->d_name, visit, user);
    closedir(opened);
    return status;
}

int32_t core_cache_forget(struct core_context *context, const char *extension, uint32_t *count)
{
    const struct dirent *entry;
    const char *folder;
    uint32_t removed = 0;
    DIR *opened;
    int32_t status = open_folder(context, &folder, &opened);
    while (status == TRM_OK && opened != NULL && (entry = readdir(opened)) != NULL) {
        if (!has_extension(entry->d_name, extension))
            continue;
        if (unlinkat(dirfd(opened), entry->d_name, 0) == 0)
            removed++;
        else if (errno != ENOENT)
            status = base_fail(TRM_ERROR_BACKEND, "cannot remove %s/%s: %m", folder, entry->d_name);
    }
    if (opened != NULL)
        closedir(opened);
    if (status == TRM_OK)
        *count = removed;
    return status;
}
