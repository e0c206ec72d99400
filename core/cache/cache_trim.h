/* Keeping the cache small, and clearing away what processes left behind.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_TRIM_H
#define CORE_CACHE_CACHE_TRIM_H

#include <stdint.h>

struct core_context;

#define CORE_CACHE_OWNER_BYTES 64

/* How the names of files begin that this process is writing: they say which process it is, and in which
 * space of process numbers. */
void core_cache_owner(char owner[CORE_CACHE_OWNER_BYTES]);

/* Removes unfinished files of processes that are gone, and of the others those that were used last the
 * longest time ago until all together have `most` bytes; but not `newest`. */
void core_cache_trim(struct core_context *context, const char *folder, const char *newest, uint64_t most);

#endif
