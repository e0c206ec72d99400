/* Text that grows.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_init(struct text *text, struct base_arena *arena, struct text_limit *limit)
{
    *text = (struct text){.arena = arena, .limit = limit};
}

/* Makes room for `more` bytes and a zero. False without memory. */
static bool make_room(struct text *text, size_t more)
{
    if (more > text->limit->bytes || text->length > text->limit->bytes - more) {
        text->limit->is_exceeded = text->arena->failed = true;
        return false;
    }
    if (more < text->capacity - text->length && text->capacity != 0)
        return true;
    size_t capacity = (text->length + more + 1) * 2 + 1024;
    char *bytes     = base_arena_allocate(text->arena, capacity, 1);
    if (bytes == NULL)
        return false;
    if (text->length != 0)
        memcpy(bytes, text->bytes, text->length);
    text->bytes    = bytes;
    text->capacity = capacity;
    return true;
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    if (length == 0 || !make_room(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static __attribute__((format(printf, 2, 0))) void add(struct text *text, const char *format,
                                                      va_list arguments)
{
    char space[256];
    va_list again;

    va_copy(again, arguments);
    int length = vsnprintf(space, sizeof(space), format, arguments);
    if (length > 0 && (size_t)length < sizeof(space)) {
        text_add_bytes(text, space, (size_t)length);
    } else if (length > 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(text, format, arguments);
    va_end(arguments);
}

void text_begin_line(struct text *text)
{
    if (text->length != 0 && text->bytes[text->length - 1] != '\n')
        text_add_bytes(text, "\n", 1);
    for (uint32_t i = 0; i < text->indent; i++)
        text_add_bytes(text, "    ", 4);
}

void text_line(struct text *text, const char *format, ...)
{
    va_list arguments;

    text_begin_line(text);
    va_start(arguments, format);
    add(text, format, arguments);
    va_end(arguments);
    if (text->length != 0 && text->bytes[text->length - 1] == '{')
        text->indent++;
    text_add_bytes(text, "\n", 1);
}

void text_close(struct text *text, const char *line)
{
    if (text->indent > 0)
        text->indent--;
    text_line(text, "%s", line);
}
