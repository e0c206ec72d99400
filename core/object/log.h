/* Lines of the log that name their object.
 *
 * A line costs a load and a branch when its level is off: its arguments are not evaluated.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_LOG_H
#define CORE_OBJECT_LOG_H

#include "core/object/context.h"

/* A line about the context as a whole. */
#define core_log(context, level, ...)                             \
    do {                                                          \
        const struct base_log *log_ = &(context)->log;            \
        if (base_log_is_on(log_, (level)))                        \
            base_log_write(log_, (level), __FILE__, __VA_ARGS__); \
    } while (0)

/* A line about an object, which it names: "stream 3 on cuda:0: …". */
#define core_object_log(object, level, ...)                                 \
    do {                                                                    \
        const struct core_object *object_ = (object);                       \
        if (base_log_is_on(&object_->context->log, (level)))                \
            core_object_log_write(object_, (level), __FILE__, __VA_ARGS__); \
    } while (0)

void core_object_log_write(const struct core_object *object, int32_t level, const char *source,
                           const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

#endif
