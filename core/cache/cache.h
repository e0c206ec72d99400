/* The cache room: compiled code, and what was learned of it, in files that all processes of a user share.
 *
 * cache       finds, creates and stores files
 * cache_list  lists and removes the files of an extension
 * cache_file  seals and checks a file
 * cache_trim  evicts files and removes abandoned ones
 *
 * The SHA-256 of its key and of the library's version names a file. The file ends with a trailer that holds
 * a checksum of the rest. The cache uses a file only if the checksum is right, this user owns the file and
 * its folder, and other users cannot write them. A rename puts a complete file under its name; other
 * processes remove the unfinished files of processes that died. When the total size exceeds the setting
 * kernel.cache.size, the least recently used files are evicted.
 *
 * There is no lock: threads and processes meet in the file system only.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_H
#define CORE_CACHE_CACHE_H

#include <stdint.h>
#include <trireme/backend.h>

struct core_context;

/* As the functions of struct trm_host; `path` has room for TRM_PATH_MOST bytes. A failure of the cache
 * itself is logged and returned as NOT_FOUND or UNSUPPORTED, so that the caller goes on without a cache. */
int32_t core_cache_find(struct core_context *context, const char *key, const char *extension, char *path);
int32_t core_cache_store(struct core_context *context, const char *key, const char *extension,
                         const char *from, char *path);
int32_t core_cache_begin(struct core_context *context, const char *key, const char *extension, char *path);
int32_t core_cache_commit(struct core_context *context, const char *key, const char *extension,
                          const char *begun, char *path);
void core_cache_discard(struct core_context *context, const char *begun);

/* Receives the path of one file. A status other than TRM_OK ends the listing. */
typedef int32_t (*core_cache_visit_fn)(void *user, const char *path);

/* Visits the files with an extension that are sound; removes the others, which it logs. Without a cache there
 * are none. Errors: what `visit` returns; PERMISSION for a folder that others can write. */
int32_t core_cache_list(struct core_context *context, const char *extension, core_cache_visit_fn visit,
                        void *user);

/* Removes the files with an extension; `count` receives how many there were. Errors: PERMISSION; BACKEND for
 * a file that cannot be removed. */
int32_t core_cache_forget(struct core_context *context, const char *extension, uint32_t *count);

#endif
