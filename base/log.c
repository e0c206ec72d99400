/* The log: lines to the program's callback. The library itself prints nothing.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>

#include "core/object/context.h"

void core_log(const struct core_context *context, int32_t level, const char *format, ...)
{
    if (context->log == NULL || level > context->log_level)
        return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (written >= 0)
        context->log(context->log_user, level, line);
}
