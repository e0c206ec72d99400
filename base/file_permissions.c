/* Checks that only root and the user of this process can replace a file. The path is walked component by
 * component, as the kernel does, so that symbolic links on the way are checked too.
 * SPDX-License-Identifier: MIT
 */
#include "base/file_permissions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define MAX_LINKS 40

/* `done` has been checked, `left` follows. */
struct walk {
    const char *path; /* the whole path, for error messages */
    int links;
    char done[PATH_MAX];
    char left[PATH_MAX];
};

static int32_t fail_errno(const char *where)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return base_fail(TRM_ERROR_NOT_FOUND, "%s does not exist", where);
    if (errno == EACCES)
        return base_fail(TRM_ERROR_PERMISSION, "%s cannot be reached: permission denied", where);
    return base_fail(TRM_ERROR_NOT_FOUND, "%s cannot be examined: %m", where);
}

static int32_t check_owner(const char *where, const struct stat *status)
{
    if (status->st_uid == 0 || status->st_uid == geteuid())
        return TRM_OK;
    return base_fail(TRM_ERROR_PERMISSION,
                     "%s is owned by user %u, who is neither root nor the user of this process", where,
                     (unsigned)status->st_uid);
}

/* A sticky folder that all may write (/tmp) is safe: only the owner of an entry can replace it, and the
 * owner of the next component is checked too. */
static int32_t check_mode(const char *where, const struct stat *status)
{
    const char *what = S_ISDIR(status->st_mode) ? "the folder" : "the file";
    if (S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX))
        return TRM_OK;
    if (status->st_mode & S_IWOTH)
        return base_fail(TRM_ERROR_PERMISSION, "%s %s is writable by all users", what, where);
    if (status->st_mode & S_IWGRP)
        return base_fail(TRM_ERROR_PERMISSION, "%s %s is writable by its group", what, where);
    return TRM_OK;
}

static int32_t check(const char *where, const struct stat *status)
{
    int32_t verdict = check_owner(where, status);
    /* The mode of a symbolic link has no meaning. */
    if (verdict != TRM_OK || S_ISLNK(status->st_mode))
        return verdict;
    return check_mode(where, status);
}

/* Removes the next component from `left`. False when there is none. */
static bool next_component(struct walk *walk, char component[NAME_MAX + 1])
{
    char *begin = walk->left + strspn(walk->left, "/");
    if (*begin == '\0')
        return false;
    size_t length = strcspn(begin, "/");
    size_t kept   = length <= NAME_MAX ? length : NAME_MAX;
    memcpy(component, begin, kept);
    component[kept] = '\0';
    memmove(walk->left, begin + length, strlen(begin + length) + 1);
    return true;
}

static void leave_component(char *path)
{
    char *slash                  = strrchr(path, '/');
    slash[slash == path ? 1 : 0] = '\0';
}

static int32_t enter_component(struct walk *walk, const char *component)
{
    size_t length       = strlen(walk->done);
    const char *between = length == 1 ? "" : "/";
    int written = snprintf(walk->done + length, sizeof(walk->done) - length, "%s%s", between, component);
    if ((size_t)written >= sizeof(walk->done) - length)
        return base_fail(TRM_ERROR_NOT_FOUND, "the path %.64s... is too long", walk->path);
    return TRM_OK;
}

/* `done` is a symbolic link: its target goes before the rest of the path. */
static int32_t follow_link(struct walk *walk)
{
    char target[PATH_MAX];
    char rest[PATH_MAX];
    ssize_t length = readlink(walk->done, target, sizeof(target) - 1);
    if (length < 0)
        return fail_errno(walk->done);
    target[length] = '\0';
    if (++walk->links > MAX_LINKS)
        return base_fail(TRM_ERROR_NOT_FOUND, "%s has too many symbolic links", walk->path);
    memcpy(rest, walk->left, strlen(walk->left) + 1);
    int written = snprintf(walk->left, sizeof(walk->left), "%s/%s", target, rest);
    if ((size_t)written >= sizeof(walk->left))
        return base_fail(TRM_ERROR_NOT_FOUND, "the path %.64s... is too long", walk->path);
    if (target[0] == '/')
        memcpy(walk->done, "/", 2);
    else
        leave_component(walk->done);
    return TRM_OK;
}

/* Checks the last component of `done`. */
static int32_t check_done(struct walk *walk, struct stat *status)
{
    if (lstat(walk->done, status) != 0)
        return fail_errno(walk->done);
    int32_t verdict = check(walk->done, status);
    if (verdict == TRM_OK && S_ISLNK(status->st_mode))
        return follow_link(walk);
    return verdict;
}

/* Walks the whole path and returns the facts of the file at its end. */
static int32_t check_path(const char *path, struct stat *status)
{
    struct walk walk = {.path = path, .done = "/"};
    char component[NAME_MAX + 1];
    if (path == NULL || path[0] != '/')
        return base_fail(TRM_ERROR_PERMISSION,
                         "%s is not an absolute path; only absolute paths may name code",
                         path ? path : "NULL");
    if (strlen(path) >= sizeof(walk.left))
        return base_fail(TRM_ERROR_NOT_FOUND, "the path %.64s... is too long", path);
    memcpy(walk.left, path, strlen(path) + 1);

    int32_t verdict = check_done(&walk, status);
    while (verdict == TRM_OK && next_component(&walk, component)) {
        if (strcmp(component, ".") == 0)
            continue;
        if (strcmp(component, "..") == 0) {
            leave_component(walk.done);
            continue;
        }
        verdict = enter_component(&walk, component);
        if (verdict == TRM_OK)
            verdict = check_done(&walk, status);
    }
    if (verdict != TRM_OK)
        return verdict;
    /* The last component may have been a link or "..". */
    return stat(walk.done, status) == 0 ? TRM_OK : fail_errno(walk.done);
}

int32_t base_file_permissions_check(const char *path)
{
    struct stat status;
    int32_t verdict = check_path(path, &status);
    if (verdict == TRM_OK && !S_ISREG(status.st_mode))
        return base_fail(TRM_ERROR_NOT_FOUND, "%s is not a regular file", path);
    return verdict;
}

int32_t base_place_permissions_check(const char *path)
{
    struct stat status;
    int32_t verdict = check_path(path, &status);
    if (verdict == TRM_OK && !S_ISDIR(status.st_mode))
        return base_fail(TRM_ERROR_NOT_FOUND, "%s is not a folder", path);
    return verdict;
}

int32_t base_folder_permissions_check(const char *path)
{
    struct stat status;
    int32_t verdict = check_path(path, &status);
    if (verdict != TRM_OK)
        return verdict;
    if (!S_ISDIR(status.st_mode))
        return base_fail(TRM_ERROR_NOT_FOUND, "%s is not a folder", path);
    if (status.st_uid != geteuid())
        return base_fail(TRM_ERROR_PERMISSION,
                         "the folder %s is owned by user %u, not by the user of this process", path,
                         (unsigned)status.st_uid);
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return base_fail(TRM_ERROR_PERMISSION, "the folder %s is writable by other users", path);
    return TRM_OK;
}

/* Cuts the last component off. False when none is left. */
static bool shorten(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return false;
    *slash = '\0';
    return true;
}

/* Makes the folders of `path` behind the first `existing` bytes. */
static int32_t make_below(const char *path, size_t existing)
{
    char begun[PATH_MAX];
    for (size_t at = existing; path[at] != '\0';) {
        at += strspn(path + at, "/");
        at += strcspn(path + at, "/");
        memcpy(begun, path, at);
        begun[at] = '\0';
        if (mkdir(begun, 0700) == 0 || errno == EEXIST)
            continue;
        bool is_disk = errno == ENOSPC || errno == EDQUOT || errno == EIO;
        return base_fail(is_disk ? TRM_ERROR_BACKEND : TRM_ERROR_NOT_FOUND,
                         "the folder %s cannot be made: %m", begun);
    }
    return TRM_OK;
}

int32_t base_folder_make(const char *path)
{
    struct stat status;
    char existing[PATH_MAX];
    if (strlen(path) >= sizeof(existing))
        return base_fail(TRM_ERROR_NOT_FOUND, "the path %.64s... is too long", path);
    memcpy(existing, path, strlen(path) + 1);
    int32_t verdict = check_path(existing, &status);
    while (verdict == TRM_ERROR_NOT_FOUND && shorten(existing))
        verdict = check_path(existing, &status);
    if (verdict == TRM_OK)
        verdict = make_below(path, strlen(existing));
    return verdict == TRM_OK ? base_folder_permissions_check(path) : verdict;
}

/* ---- the user's own files ---- */

/* O_NONBLOCK: opening a FIFO must not wait for a reader; regular files ignore it. */
int base_file_open_own(const char *path, int flags, int *fd)
{
    struct stat stat;
    int opened = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (opened < 0)
        return errno;
    if (fstat(opened, &stat) != 0 || !S_ISREG(stat.st_mode) || stat.st_uid != geteuid()) {
        close(opened);
        return EPERM;
    }
    *fd = opened;
    return 0;
}
