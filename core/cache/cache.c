/* Finds and stores files of the cache.
 * SPDX-License-Identifier: MIT
 */
#include "core/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "core/cache/cache_file.h"
#include "core/cache/cache_folder.h"
#include "core/cache/cache_trim.h"
#include "core/object/object.h"
#include "core/settings/settings.h"

#define NONE "none"

/* ---- names --------------------------------------------------------------------------------- */

/* The digest that names a file. It covers the version, since another one may make another file of the same
 * key. */
static void digest_key(const char *key, uint8_t digest[BASE_SHA256_BYTES])
{
    const char *version = trm_version();
    struct base_sha256 hash;

    base_sha256_init(&hash);
    base_sha256_update(&hash, version, strlen(version) + 1);
    base_sha256_update(&hash, key, strlen(key));
    base_sha256_final(&hash, digest);
}

static int32_t check_extension(const char *extension)
{
    size_t length = strlen(extension);

    if (length == 0 || length > 16 || extension[0] != '.' ||
        strspn(extension + 1, "abcdefghijklmnopqrstuvwxyz0123456789") != length - 1)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "\"%.32s\" is not an extension of a cached file; use a dot and 1 to 15 lower-case "
                         "letters or digits",
                         extension);
    return TRM_OK;
}

static int32_t final_path(const char *folder, const uint8_t digest[BASE_SHA256_BYTES], const char *extension,
                          char *path)
{
    char name[2 * BASE_SHA256_BYTES + 1];

    base_sha256_text(digest, name);
    int written = snprintf(path, TRM_PATH_MOST, "%s/%s%s", folder, name, extension);
    if (written < 0 || (size_t)written >= TRM_PATH_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED, "the path of the cache, %.64s..., is too long", folder);
    return TRM_OK;
}

/* ---- the folder ---------------------------------------------------------------------------- */

int32_t core_cache_folder(struct core_context *context, bool may_create, const char **folder)
{
    const char *set = core_setting_text(context, "kernel.cache");

    if (set[0] == '\0')
        set = core_setting_cache_home(context);
    if (set == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "there is no cache: neither kernel.cache nor XDG_CACHE_HOME nor HOME is set");
    if (strcmp(set, NONE) == 0 || core_setting_number(context, "kernel.cache.size") == 0)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "the settings kernel.cache and kernel.cache.size turn the cache off");
    int32_t status = may_create ? base_folder_make(set) : base_folder_permissions_check(set);
    if (status == TRM_OK)
        *folder = set;
    return status;
}

/* ---- the calls ----------------------------------------------------------------------------- */

/* Logs why the cache cannot be used and passes on `status`. Permissions and a full or broken disk (BACKEND)
 * are something to repair and give one warning in each context; the rest is logged at debug level. Lack of
 * memory and invalid arguments are errors of the call. */
static int32_t without_cache(struct core_context *context, int32_t cause, int32_t status)
{
    bool is_fault = cause == TRM_ERROR_PERMISSION || cause == TRM_ERROR_BACKEND;

    if (cause == TRM_ERROR_OUT_OF_HOST_MEMORY || cause == TRM_ERROR_INVALID_ARGUMENT)
        return cause;
    bool is_first = is_fault && !atomic_exchange(&context->has_warned_of_cache, true);
    core_log(context, is_first ? TRM_LOG_WARNING : TRM_LOG_DEBUG, "the kernel cache is not used: %s",
             trm_last_error().sentence);
    return base_fail(status, "%s", trm_last_error().sentence);
}

int32_t core_cache_find(struct core_context *context, const char *key, const char *extension, char *path)
{
    uint8_t digest[BASE_SHA256_BYTES];
    char found[TRM_PATH_MOST];
    const char *folder = NULL;

    int32_t status = check_extension(extension);
    if (status == TRM_OK)
        status = core_cache_folder(context, false, &folder);
    if (status != TRM_OK)
        return without_cache(context, status, TRM_ERROR_NOT_FOUND);
    digest_key(key, digest);
    status = final_path(folder, digest, extension, found);
    if (status == TRM_OK)
        status = core_cache_file_check(found, digest);
    if (status == TRM_OK) {
        memcpy(path, found, strlen(found) + 1);
        core_log(context, TRM_LOG_DEBUG, "hit: %s", path);
        return TRM_OK;
    }
    if (status == TRM_ERROR_NOT_FOUND)
        core_log(context, TRM_LOG_DEBUG, "miss: %s", found);
    if (status == TRM_ERROR_NOT_FOUND)
        return base_fail(status, "the cache has no file for this key");
    core_log(context, TRM_LOG_WARNING, "removed from the kernel cache: %s", trm_last_error().sentence);
    (void)unlink(found);
    return base_fail(TRM_ERROR_NOT_FOUND, "%s", trm_last_error().sentence);
}

/* Creates a file with a name of its own. */
static int32_t create_file(const char *folder, const char *extension, char *path)
{
    char owner[CORE_CACHE_OWNER_BYTES];
    uint64_t number;

    core_cache_owner(owner);
    for (int attempt = 0; attempt < 16; attempt++) {
        if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
            break;
        int written =
            snprintf(path, TRM_PATH_MOST, "%s/%s%016" PRIx64 "%s", folder, owner, number, extension);
        if (written < 0 || (size_t)written >= TRM_PATH_MOST)
            return base_fail(TRM_ERROR_UNSUPPORTED, "the path of the cache, %.64s..., is too long", folder);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0) {
            close(file);
            return TRM_OK;
        }
        if (errno != EEXIST)
            break;
    }
    bool is_disk = errno == ENOSPC || errno == EDQUOT || errno == EIO;
    return base_fail(is_disk ? TRM_ERROR_BACKEND : TRM_ERROR_UNSUPPORTED, "cannot create a file in %s: %m",
                     folder);
}

int32_t core_cache_begin(struct core_context *context, const char *key, const char *extension, char *path)
{
    const char *folder = NULL;

    (void)key; /* the commit names the file */
    int32_t status = check_extension(extension);
    if (status == TRM_OK)
        status = core_cache_folder(context, true, &folder);
    if (status == TRM_OK)
        status = create_file(folder, extension, path);
    return status == TRM_OK ? TRM_OK : without_cache(context, status, TRM_ERROR_UNSUPPORTED);
}

static int32_t store(struct core_context *context, const char *key, const char *extension, const char *begun,
                     char *path)
{
    uint64_t limit = core_setting_number(context, "kernel.cache.size"), size = 0;
    uint8_t digest[BASE_SHA256_BYTES];
    const char *folder = NULL;

    int32_t status = check_extension(extension);
    if (status == TRM_OK)
        status = core_cache_folder(context, false, &folder);
    if (status != TRM_OK)
        return status;
    digest_key(key, digest);
    status = final_path(folder, digest, extension, path);
    if (status == TRM_OK)
        status = core_cache_file_seal(begun, digest, &size);
    if (status != TRM_OK)
        return status;
    if (size > limit)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "a file of %" PRIu64 " bytes exceeds the size of the cache, %" PRIu64 " bytes", size,
                         limit);
    if (rename(begun, path) != 0)
        return base_fail(TRM_ERROR_UNSUPPORTED, "cannot rename %s to %s: %m", begun, path);
    core_cache_trim(context, folder, strrchr(path, '/') + 1, limit);
    return TRM_OK;
}

int32_t core_cache_commit(struct core_context *context, const char *key, const char *extension,
                          const char *begun, char *path)
{
    char stored[TRM_PATH_MOST];

    int32_t status = store(context, key, extension, begun, stored);
    if (status != TRM_OK) {
        core_cache_discard(context, begun);
        return without_cache(context, status, TRM_ERROR_UNSUPPORTED);
    }
    memcpy(path, stored, strlen(stored) + 1);
    return TRM_OK;
}

int32_t core_cache_store(struct core_context *context, const char *key, const char *extension,
                         const char *from, char *path)
{
    char begun[TRM_PATH_MOST];

    int32_t status = core_cache_begin(context, key, extension, begun);
    if (status != TRM_OK)
        return status;
    status = core_cache_file_copy(from, begun);
    if (status == TRM_OK)
        return core_cache_commit(context, key, extension, begun, path);
    core_cache_discard(context, begun);
    return without_cache(context, status, TRM_ERROR_UNSUPPORTED);
}

void core_cache_discard(struct core_context *context, const char *begun)
{
    if (unlink(begun) != 0 && errno != ENOENT)
        core_log(context, TRM_LOG_DEBUG, "cannot remove %s: %m", begun);
}
