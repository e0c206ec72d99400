/* For tests that count plugins or kernels: the folders that configure chose for them are not there. Where the
 * library is installed, they have real ones.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/plugin/folders.h"

/* In place of the C library's. */
char *realpath(const char *path, char *resolved)
{
    char *(*next)(const char *, char *);

    if (strcmp(path, core_folders_of_backends.installed) == 0 ||
        strcmp(path, core_folders_of_kernels.installed) == 0) {
        errno = ENOENT;
        return NULL;
    }
    *(void **)&next = dlsym(RTLD_NEXT, "realpath");
    return next(path, resolved);
}
