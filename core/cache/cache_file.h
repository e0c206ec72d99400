/* One file of the cache: its contents, and behind them a trailer that says whether they are whole. The
 * dynamic linker and most other readers do not look behind what they know.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_FILE_H
#define CORE_CACHE_CACHE_FILE_H

#include <stdint.h>

#include "base/base.h"

/* Each of these opens the file anew, follows no link, and takes only regular files that belong to the user
 * of this process and that nobody else may read or write. `name` is the digest of the file's key: a file
 * that was renamed is not taken for another. Errors: NOT_FOUND, PERMISSION, BACKEND, explained. */

/* Put the trailer behind what was written. The size of it all comes out. */
int32_t core_cache_file_seal(const char *path, const uint8_t name[BASE_SHA256_BYTES], uint64_t *size);

/* Is the file whole? Then it is marked as used now. */
int32_t core_cache_file_check(const char *path, const uint8_t name[BASE_SHA256_BYTES]);

#endif
