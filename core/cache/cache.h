/* The cache of compiled code: files of the user that all of his processes share.
 *
 * A file is found by the SHA-256 of its key and of the library's version. It ends with a trailer
 * (cache_file.h) that holds a checksum of all before it, and is used only when that is right, the file and
 * its folder belong to the user, and nobody else may write them. Files appear under their names whole, by
 * rename; those of processes that died while they wrote are removed by others. When all files together are
 * larger than the setting kernel.cache.size, those go first that were used last the longest time ago.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_H
#define CORE_CACHE_CACHE_H

#include <stdint.h>
#include <trireme/backend.h>

struct core_context;

/* As the functions of struct trm_host; `path` has room for TRM_PATH_MOST bytes. What goes wrong with the
 * cache itself is no reason to fail: it is logged, and answered as NOT_FOUND or UNSUPPORTED. */
int32_t core_cache_find(struct core_context *context, const char *key, const char *extension, char *path);
int32_t core_cache_begin(struct core_context *context, const char *key, const char *extension, char *path);
int32_t core_cache_commit(struct core_context *context, const char *key, const char *extension,
                          const char *begun, char *path);
void core_cache_discard(struct core_context *context, const char *begun);

#endif
