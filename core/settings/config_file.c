/* Reads trireme.conf.
 * SPDX-License-Identifier: MIT
 */
#include "core/settings/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/object/object.h"

#define MAX_FILE_BYTES (1 << 20)

#define KEY_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789._-"

struct position {
    const char *path;
    unsigned line;
};

static int32_t fail_at(const struct position *position, const char *what)
{
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s:%u: %s", position->path, position->line, what);
}

static char *skip_spaces(char *text)
{
    return text + strspn(text, " \t\r");
}

static bool is_end(const char *text)
{
    return *text == '\0' || *text == '#';
}

/* Reads the quoted value that begins at `text`; `rest` is the text behind the closing quote. */
static int32_t read_quoted(const struct position *position, char *text, char **value, char **rest)
{
    char *end = strchr(text + 1, *text);
    if (end == NULL)
        return fail_at(position, "the value's closing quote is missing");
    *end   = '\0';
    *value = text + 1;
    *rest  = skip_spaces(end + 1);
    if (!is_end(*rest))
        return fail_at(position, "only a comment may follow the value's closing quote");
    return TRM_OK;
}

static char *read_bare(char *text)
{
    char *end = text;
    for (char *at = text; *at != '\0'; at++) {
        if (*at == '#' && (at == text || at[-1] == ' ' || at[-1] == '\t'))
            break;
        if (*at != ' ' && *at != '\t' && *at != '\r')
            end = at + 1;
    }
    *end = '\0';
    return text;
}

static int32_t parse_line(const struct position *position, char *line, core_config_set_fn set, void *user)
{
    char *key = skip_spaces(line);
    if (is_end(key))
        return TRM_OK;
    if (*key == '[')
        return fail_at(position, "sections are not supported; write the whole name, as in cpu.workers = 2");
    char *end    = key + strspn(key, KEY_LETTERS);
    char *equals = skip_spaces(end);
    if (end == key || *equals != '=')
        return fail_at(position, "expected a line such as pool.slab = 32M");
    *end = '\0';

    char *rest;
    char *value = skip_spaces(equals + 1);
    if (*value != '"' && *value != '\'')
        return set(user, key, read_bare(value), position->line);
    int32_t status = read_quoted(position, value, &value, &rest);
    return status == TRM_OK ? set(user, key, value, position->line) : status;
}

int32_t core_config_parse(char *text, size_t size, const char *path, core_config_set_fn set, void *user)
{
    struct position position = {path, 0};
    char *end                = text + size;
    *end                     = '\0';
    for (char *line = text; line < end;) {
        position.line++;
        char *line_end = memchr(line, '\n', (size_t)(end - line));
        if (line_end == NULL)
            line_end = end;
        *line_end = '\0';
        if (strlen(line) != (size_t)(line_end - line))
            return fail_at(&position, "the line has a zero byte, so this is not a text file");
        int32_t status = parse_line(&position, line, set, user);
        if (status != TRM_OK)
            return status;
        line = line_end + 1;
    }
    return TRM_OK;
}

static int32_t fail_file(const char *path)
{
    int code       = errno;
    int32_t status = code == ENOENT || code == ENOTDIR ? TRM_ERROR_NOT_FOUND
                     : code == EACCES                  ? TRM_ERROR_PERMISSION
                                                       : TRM_ERROR_INVALID_ARGUMENT;
    errno          = code;
    return base_fail(status, "%s cannot be read: %m", path);
}

/* Reads at most *size bytes and sets *size to their number. False on an error. */
static bool read_all(int file, char *text, size_t *size)
{
    size_t capacity = *size;
    *size           = 0;
    while (*size < capacity) {
        ssize_t got = read(file, text + *size, capacity - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        *size += (size_t)got;
    }
    return true;
}

static int32_t read_open(struct core_context *context, int file, const char *path, core_config_set_fn set,
                         void *user)
{
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return fail_file(path);
    if (!S_ISREG(facts.st_mode))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s is not a regular file", path);
    if (facts.st_size > MAX_FILE_BYTES)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s is too large for a file of settings; the limit is 1 MiB", path);

    size_t size    = (size_t)facts.st_size;
    size_t memory  = size + 1;
    char *text     = core_allocate(context, memory);
    int32_t status = TRM_OK;
    if (text == NULL)
        return base_fail_memory("reading a file of settings");
    if (!read_all(file, text, &size))
        status = fail_file(path);
    if (status == TRM_OK)
        status = core_config_parse(text, size, path, set, user);
    core_free(context, text, memory);
    return status;
}

int32_t core_config_read(struct core_context *context, const char *path, core_config_set_fn set, void *user)
{
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return fail_file(path);
    int32_t status = read_open(context, file, path, set, user);
    close(file);
    return status;
}
