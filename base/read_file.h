/* Reading a whole file.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_READ_FILE_H
#define BASE_READ_FILE_H

#include "base/arena.h"

/* A regular file of at most `most` bytes, into the arena, with a zero behind it. 0, or the number of the
 * error (errno); EFBIG for a larger one. */
int32_t base_read_file(struct base_arena *arena, const char *path, uint64_t most, const void **bytes,
                       uint64_t *size);

#endif
