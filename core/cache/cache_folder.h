/* Where the cache is.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_FOLDER_H
#define CORE_CACHE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

struct core_context;

/* Finds the folder, or makes it, and checks that no other user can write it. The path lives as long as the
 * context. Errors: UNSUPPORTED when there is no cache, NOT_FOUND, PERMISSION, explained. */
int32_t core_cache_folder(struct core_context *context, bool may_create, const char **folder);

#endif
