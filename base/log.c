/* The log: lines to a function of the program's, to standard error or to a file.
 * SPDX-License-Identifier: MIT
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file_permissions.h"

#define MESSAGE_BYTES 1024
#define LINE_BYTES (MESSAGE_BYTES + 128)

static const char *const level_names[] = {"none", "error", "warning", "info", "debug"};

const char *base_log_level_name(int32_t level)
{
    return level >= TRM_LOG_ERROR && level <= TRM_LOG_DEBUG ? level_names[level] : "none";
}

int32_t base_log_level(const char *text)
{
    if (text[0] >= '0' && text[0] <= '0' + TRM_LOG_DEBUG && text[1] == '\0')
        return text[0] - '0';
    for (int32_t level = 0; level <= TRM_LOG_DEBUG; level++)
        if (strcasecmp(text, level_names[level]) == 0)
            return level;
    return -1;
}

/* ---- the file ---- */

int base_log_open(struct base_log *log, const char *path)
{
    int error = base_file_open_own(path, O_WRONLY | O_CREAT | O_APPEND, &log->fd);
    if (error == 0)
        log->owns_fd = true;
    return error;
}

void base_log_close(struct base_log *log)
{
    if (log->owns_fd)
        close(log->fd);
    log->fd      = -1;
    log->owns_fd = false;
}

/* ---- lines ---- */

/* The folder that a source file is in: "stream" of ".../core/stream/event.c". */
static int room_of(const char *source, const char **room)
{
    const char *end   = strrchr(source, '/');
    const char *begin = end;
    *room             = "";
    if (end == NULL)
        return 0;
    while (begin > source && begin[-1] != '/')
        begin--;
    *room = begin;
    return (int)(end - begin);
}

/* Control characters of a file's name or a compiler's message would forge lines. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

static void write_whole_line(int fd, int32_t level, const char *source, const char *message)
{
    struct timespec now;
    struct tm day;
    char line[LINE_BYTES];
    const char *room;
    int room_length = room_of(source, &room);

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &day);
    int length = snprintf(line, sizeof(line), "%02d:%02d:%02d.%06ld %-7s [%ld] %.*s: %s\n", day.tm_hour,
                          day.tm_min, day.tm_sec, now.tv_nsec / 1000, base_log_level_name(level),
                          syscall(SYS_gettid), room_length, room, message);
    if (length >= LINE_BYTES) {
        length           = LINE_BYTES - 1;
        line[length - 1] = '\n';
    }
    /* A log that cannot be written (a full disk, a closed terminal) stops nothing. */
    if (length > 0 && write(fd, line, (size_t)length) < 0)
        return;
}

void base_log_write(const struct base_log *log, int32_t level, const char *source, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    int saved = errno;
    va_list arguments;

    va_start(arguments, format);
    int written = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (written < 0)
        return;
    if (log->write != NULL)
        log->write(log->user, level, message);
    if (log->fd >= 0) {
        make_printable(message);
        write_whole_line(log->fd, level, source, message);
    }
    errno = saved;
}
