/* Who may write the files and folders that name code.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FILE_PERMISSIONS_H
#define BASE_FILE_PERMISSIONS_H

#include <stdint.h>
#include <trireme/status.h>

/* TRM_OK when nobody but root and the user of this process may put something else in the place of
 * the regular file that the absolute path names: it, every folder above it and every symbolic link on
 * the way is owned by one of the two, and none is writable by group or others (a sticky folder such as
 * /tmp may be: there nobody can replace what belongs to another).
 * Errors: NOT_FOUND (also when it is no regular file), PERMISSION (also for a relative path), explained. */
int32_t base_file_permissions_check(const char *path);

/* The same of a folder in which this process means to write what it will trust later: it belongs to the
 * user, and is no sticky folder that others may write too. */
int32_t base_folder_permissions_check(const char *path);

#endif
