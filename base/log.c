/* The log: lines to a function of the program's.
 * SPDX-License-Identifier: MIT
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void base_log_write(const struct base_log *log, int32_t level, const char *format, ...)
{
    char line[1024];
    if (log->write == NULL || level > log->level)
        return;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (written >= 0)
        log->write(log->user, level, line);
}
