/* Who may write the files and folders that name code.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_TRUST_H
#define CORE_TRUST_H

#include <stdint.h>
#include <trireme/status.h>

enum core_trust {
    CORE_TRUST_FILE   = 0, /* the path is a regular file */
    CORE_TRUST_FOLDER = 1,
};

/* TRM_OK when nobody but root and the user of this process may put something else in the place of
 * what the absolute path names: it, every folder above it and every symbolic link on the way is
 * owned by one of the two, and no folder is writable by group or others (a sticky one such as /tmp is:
 * there nobody can replace what belongs to another).
 * Errors: NOT_FOUND (also when it is not of the kind), PERMISSION (also for a relative path), explained. */
int32_t core_trust_path(const char *path, enum core_trust kind);

#endif
