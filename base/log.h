/* The log: lines to a function of the program's.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdint.h>
#include <trireme/context.h>

struct base_log {
    trm_log_fn write; /* NULL: no line is written */
    void *user;
    int32_t level; /* enum trm_log_level: lines above it are left out */
};

/* Writes one line of at most 1023 bytes, if the level lets it through. Any thread. */
void base_log_write(const struct base_log *log, int32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
