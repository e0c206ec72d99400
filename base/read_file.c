/* Reading a whole file.
 * SPDX-License-Identifier: MIT
 */
#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_bytes.h"

int32_t base_read_file(struct base_arena *arena, const char *path, uint64_t limit, const void **bytes,
                       uint64_t *size)
{
    struct stat facts;
    int32_t error = 0;
    char *text    = NULL;

    *size = 0;
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
        error =
            base_file_read(file, text, (uint64_t)facts.st_size, 0, size); /* fewer if the file has shrunk */
    if (text != NULL)
        text[*size] = '\0';
    close(file);
    *bytes = text;
    return error;
}
