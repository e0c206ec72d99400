/* Evicts files from the cache, and removes unfinished files of processes that died.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_CACHE_CACHE_TRIM_H
#define CORE_CACHE_CACHE_TRIM_H

#include <stdbool.h>
#include <stdint.h>

struct core_context;

#define CORE_CACHE_OWNER_BYTES 64

/* The start of the names of this process's unfinished files: it identifies the process and the machine,
 * boot and PID namespace in which its id is unique. */
void core_cache_owner(char owner[CORE_CACHE_OWNER_BYTES]);

/* Is it the name of a finished file? */
bool core_cache_is_stored(const char *name);

/* Removes unfinished files of processes that died, then the least recently used files except `newest`,
 * until the total is at most `limit` bytes. */
void core_cache_trim(struct core_context *context, const char *folder, const char *newest, uint64_t limit);

#endif
