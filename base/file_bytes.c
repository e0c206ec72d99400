/* Reads and writes bytes of an open file.
 * SPDX-License-Identifier: MIT
 */
#include "base/file_bytes.h"

#include <errno.h>
#include <unistd.h>

int32_t base_file_read(int file, void *to, uint64_t size, uint64_t offset, uint64_t *count)
{
    *count = 0;
    while (*count < size) {
        ssize_t part = pread(file, (char *)to + *count, size - *count, (off_t)(offset + *count));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return errno;
        if (part == 0)
            break;
        *count += (uint64_t)part;
    }
    return 0;
}

int32_t base_file_write(int file, const void *from, uint64_t size, uint64_t offset)
{
    for (uint64_t done = 0; done < size;) {
        ssize_t part = pwrite(file, (const char *)from + done, size - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return part < 0 ? errno : EIO;
        done += (uint64_t)part;
    }
    return 0;
}
