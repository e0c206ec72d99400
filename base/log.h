/* The log: lines to a function of the program's, to standard error or to a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/context.h>

#include "base/compiler.h"

/* Constant once the context is made, so that any thread may read it without a lock. */
struct base_log {
    /* The program's function, which gets the message alone; NULL: none. */
    trm_log_fn write;
    void *user;
    /* Where whole lines go, with time, level, thread and room: standard error, a file, or -1. */
    int fd;
    bool owns_fd;
    /* enum trm_log_level; lines above it are left out. 0 when there is nowhere to write. */
    int32_t level;
};

/* The whole cost of a line that is left out. */
static inline bool base_log_is_on(const struct base_log *log, int32_t level)
{
    return UNLIKELY(level <= log->level);
}

/* Opens `path` for appending, for this user alone. Refuses what is no regular file and files of other users;
 * follows no symbolic link. 0, or an errno. */
int base_log_open(struct base_log *log, const char *path);

/* Closes the file, if there is one. */
void base_log_close(struct base_log *log);

/* Writes one line of at most 1023 bytes, whatever the level: the caller has asked base_log_is_on().
 * `source` is __FILE__, whose folder is the room that the line names. The last error and errno stay as they
 * are. Any thread: a line is one write(), so lines of several threads do not mix. */
void base_log_write(const struct base_log *log, int32_t level, const char *source, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* "error", "warning", "info", "debug". */
const char *base_log_level_name(int32_t level);

/* The level of a name, of "none" (0) or of a digit; -1 for anything else. */
int32_t base_log_level(const char *text);

#endif
