/* Reading trireme.conf: lines of `key = value`.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SETTINGS_CONFIG_FILE_H
#define CORE_SETTINGS_CONFIG_FILE_H

#include <stddef.h>
#include <stdint.h>

struct core_context;

/* Called for each line that sets something, in order. A status other than TRM_OK ends the reading. */
typedef int32_t (*core_config_set_fn)(void *user, const char *key, const char *value, unsigned line);

/* Reads a text of `size` bytes, which is changed on the way and has room for one more byte behind
 * it. `path` is for sentences.
 *
 * A line is empty, a comment (`#` to its end), or `key = value` and perhaps a comment. The value may
 * stand in '...' or "..." and then have any character but that quote; without, it begins and ends
 * with what is not a space, and ` #` ends it.
 * Errors: INVALID_ARGUMENT, naming file and line. */
int32_t core_config_parse(char *text, size_t size, const char *path, core_config_set_fn set, void *user);

/* The same for a file. Errors: also NOT_FOUND, PERMISSION, OUT_OF_HOST_MEMORY. */
int32_t core_config_read(struct core_context *context, const char *path, core_config_set_fn set, void *user);

#endif
