/* Reading a whole file.
 * SPDX-License-Identifier: MIT
 */
#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads up to `limit` bytes; fewer if the file has shrunk. 0 or an errno. */
static int32_t read_open(int file, char *to, uint64_t limit, uint64_t *size)
{
    *size = 0;
    while (*size < limit) {
        ssize_t count = read(file, to + *size, limit - *size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        if (count == 0)
            break;
        *size += (uint64_t)count;
    }
    to[*size] = '\0';
    return 0;
}

int32_t base_read_file(struct base_arena *arena, const char *path, uint64_t limit, const void **bytes,
                       uint64_t *size)
{
    struct stat facts;
    int32_t error = 0;
    char *text    = NULL;

    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return errno;
    if (fstat(file, &facts) != 0)
        error = errno;
    else if (!S_ISREG(facts.st_mode))
        error = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
    else if ((uint64_t)facts.st_size > limit)
        error = EFBIG;
    else if ((text = base_arena_allocate(arena, (size_t)facts.st_size + 1, 1)) == NULL)
        error = ENOMEM;
    else
        error = read_open(file, text, (uint64_t)facts.st_size, size);
    close(file);
    *bytes = text;
    return error;
}
