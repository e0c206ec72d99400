/* The folder that configure chose for backends is not there for these tests, which count plugins: where the
 * library is installed it has real ones.
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

    if (strcmp(path, core_folders_of_backends.installed) == 0) {
        errno = ENOENT;
        return NULL;
    }
    *(void **)&next = dlsym(RTLD_NEXT, "realpath");
    return next(path, resolved);
}
