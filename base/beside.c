/* The folder of the library file.
 * SPDX-License-Identifier: MIT
 */
#include "base/beside.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

bool base_beside_library(const char *below, char path[PATH_MAX])
{
    size_t length = strlen(below) + 1;
    Dl_info library;
    if (dladdr(&base_system_allocator, &library) == 0 || library.dli_fname == NULL)
        return false;
    /* A relative name may be relative to a folder that is no longer current. */
    if (library.dli_fname[0] != '/' || realpath(library.dli_fname, path) == NULL)
        return false;
    char *slash = strrchr(path, '/');
    if ((size_t)(slash - path) + length > PATH_MAX)
        return false;
    memcpy(slash, below, length);
    return true;
}
