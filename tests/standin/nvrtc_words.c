/* Text that grows, and files.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/nvrtc.h"

static bool make_room(struct words *words, size_t length)
{
    if (words->failed)
        return false;
    if (words->capacity - words->length > length)
        return true;
    size_t capacity = 2 * (words->length + length) + 256;
    char *more      = realloc(words->bytes, capacity);
    if (more == NULL) {
        words->failed = true;
        return false;
    }
    words->bytes    = more;
    words->capacity = capacity;
    return true;
}

void words_add(struct words *words, const char *bytes, size_t length)
{
    if (!make_room(words, length))
        return;
    memcpy(words->bytes + words->length, bytes, length);
    words->length += length;
    words->bytes[words->length] = '\0';
}

void words_print(struct words *words, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !make_room(words, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(words->bytes + words->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    words->length += (size_t)length;
}

void words_clear(struct words *words)
{
    free(words->bytes);
    *words = (struct words){.bytes = NULL};
}

bool words_read(struct words *words, const char *path)
{
    char part[4096];
    size_t count;
    FILE *file = fopen(path, "rbe");

    if (file == NULL)
        return false;
    while ((count = fread(part, 1, sizeof(part), file)) != 0)
        words_add(words, part, count);
    int failed = ferror(file);
    fclose(file);
    return !failed && !words->failed;
}

bool words_write(const struct words *words, const char *path)
{
    FILE *file = fopen(path, "wbe");

    if (file == NULL)
        return false;
    size_t written = words->length == 0 ? 0 : fwrite(words->bytes, 1, words->length, file);
    return fclose(file) == 0 && written == words->length;
}
