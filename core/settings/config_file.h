/* Reads trireme.conf: lines of `key = value`.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SETTINGS_CONFIG_FILE_H
#define CORE_SETTINGS_CONFIG_FILE_H

#include <stddef.h>
#include <stdint.h>

struct core_context;

/* Called for each setting in the order of the file. A status other than TRM_OK stops the reader, which
 * returns it. */
typedef int32_t (*core_config_set_fn)(void *user, const char *key, const char *value, unsigned line);

/* Parses a text of `size` bytes with room for one more byte behind it, and overwrites it. `path` is for
 * error messages.
 *
 * A line is empty, a comment (`#` to its end), or `key = value` with an optional comment. A value in '...'
 * or "..." may contain any character but its quote; without quotes it starts and ends with a character that
 * is not a space, and ` #` ends it. Errors: INVALID_ARGUMENT, with file and line. */
int32_t core_config_parse(char *text, size_t size, const char *path, core_config_set_fn set, void *user);

/* The same for a file. Errors: also NOT_FOUND, PERMISSION, OUT_OF_HOST_MEMORY. */
int32_t core_config_read(struct core_context *context, const char *path, core_config_set_fn set, void *user);

#endif
