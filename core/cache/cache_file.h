/* One file of the cache: its contents and a trailer that shows whether they are complete. The dynamic
 * linker and most other readers ignore bytes behind the contents.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_FILE_H
#define CORE_CACHE_CACHE_FILE_H

#include <stdint.h>

#include "base/base.h"

/* Each of these opens the file, follows no link, and accepts only regular files with one name that this
 * user owns and that other users cannot access. `name` is the digest of the file's key, so that a renamed
 * file is not taken for another. Errors: NOT_FOUND, PERMISSION, BACKEND, explained. */

/* Copies the contents of another file into the empty file at `path`. */
int32_t core_cache_file_copy(const char *from, const char *path);

/* Appends the trailer. `size` is the size of the whole file. */
int32_t core_cache_file_seal(const char *path, const uint8_t name[BASE_SHA256_BYTES], uint64_t *size);

/* Checks that the file is complete, and marks it as used now. */
int32_t core_cache_file_check(const char *path, const uint8_t name[BASE_SHA256_BYTES]);

#endif
