/* Reading a whole file.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_READ_FILE_H
#define BASE_READ_FILE_H

#include "base/arena.h"

/* Reads a regular file of at most `limit` bytes into the arena, with a terminating zero. 0 or an errno:
 * EFBIG for a larger file, EISDIR for a folder. */
int32_t base_read_file(struct base_arena *arena, const char *path, uint64_t limit, const void **bytes,
                       uint64_t *size);

#endif
