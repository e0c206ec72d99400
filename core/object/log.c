/* Lines of the log that name their object.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/log.h"

#include <stdarg.h>
#include <stdio.h>

void core_object_log_write(const struct core_object *object, int32_t level, const char *source,
                           const char *format, ...)
{
    char message[960];
    const char *device = object->ops->device_id != NULL ? object->ops->device_id(object) : NULL;
    uint32_t number    = core_object_number(object);
    va_list arguments;

    va_start(arguments, format);
    int written = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (written < 0)
        return;
    if (object->ops->type == CORE_DEVICE)
        base_log_write(&object->context->log, level, source, "device %s: %s", device, message);
    else if (device != NULL)
        base_log_write(&object->context->log, level, source, "%s %u on %s: %s", object->ops->name, number,
                       device, message);
    else
        base_log_write(&object->context->log, level, source, "%s %u: %s", object->ops->name, number, message);
}
