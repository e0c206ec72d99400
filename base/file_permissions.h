/* Checks that only root and the user of this process can replace a file that names code.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FILE_PERMISSIONS_H
#define BASE_FILE_PERMISSIONS_H

#include <stdint.h>
#include <trireme/status.h>

/* TRM_OK when only root and the user of this process can replace the regular file at an absolute path: one
 * of the two owns it, every folder above it and every symbolic link on the way, and none of them is
 * writable by group or others. A sticky folder such as /tmp may be writable: in it, only the owner of an
 * entry can replace it. Errors: NOT_FOUND, also when it is no regular file; PERMISSION, also for a relative
 * path. Explained. */
int32_t base_file_permissions_check(const char *path);

/* The same for a folder in which this process writes files that it trusts later: this user owns it, and no
 * other user may write it, sticky or not. */
int32_t base_folder_permissions_check(const char *path);

/* The same for a folder in which this process makes a folder for itself: root or this user owns it, and
 * others may write it only if it is sticky, as /tmp is. */
int32_t base_place_permissions_check(const char *path);

/* Makes the folder at an absolute path and missing ones above it, for this user alone, unless it exists.
 * Checks what exists of the path first, and makes nothing below a folder that base_folder_permissions_check()
 * would refuse. Errors: also BACKEND for a full or broken disk. */
int32_t base_folder_make(const char *path);

/* Opens a file of this user for this user alone, with more `flags` for open(). Refuses what is no regular
 * file and files of other users (EPERM); follows no symbolic link. 0, or an errno. */
int base_file_open_own(const char *path, int flags, int *fd);

#endif
