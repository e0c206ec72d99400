/* Trireme: writing files atomically.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of the temporary file: hidden, with six random letters, and with the same extension, which
 * compilers need. */
static bool name_temporary(const char *path, struct kc_file *file, int *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *name  = slash ? slash + 1 : path;
    const char *dot   = strrchr(name, '.');
    int length;

    if (!dot)
        dot = name + strlen(name);
    *suffix = (int)strlen(dot);
    length  = snprintf(file->temporary, sizeof(file->temporary), "%.*s.%.*s.XXXXXX%s", (int)(name - path),
                       path, (int)(dot - name), name, dot);
    return length > 0 && (size_t)length < sizeof(file->temporary);
}

bool kc_file_begin(struct kc_job *job, const char *path, struct kc_file *file)
{
    mode_t mask;
    int suffix;

    if (strlen(path) >= sizeof(file->path) || !name_temporary(path, file, &suffix)) {
        kc_fail(job, "%s: %s", path, strerror(ENAMETOOLONG));
        return false;
    }
    memcpy(file->path, path, strlen(path) + 1);
    file->descriptor = mkstemps(file->temporary, suffix);
    if (file->descriptor < 0) {
        kc_fail(job, "%s cannot be written: %s", path, strerror(errno));
        return false;
    }
    /* The library rejects files that others may write, so the group gets no write permission, whatever the
     * umask. */
    mask = umask(0);
    umask(mask);
    if (fchmod(file->descriptor, 0644 & ~mask) == 0)
        return true;
    kc_fail(job, "%s: %s", path, strerror(errno));
    kc_file_discard(file);
    return false;
}

bool kc_file_write(struct kc_job *job, struct kc_file *file, const void *bytes, uint64_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t written = write(file->descriptor, at, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            kc_fail(job, "%s: %s", file->path, strerror(errno));
            return false;
        }
        at += written;
        size -= (uint64_t)written;
    }
    return true;
}

bool kc_file_commit(struct kc_job *job, struct kc_file *file)
{
    int descriptor = file->descriptor;

    file->descriptor = -1;
    if (close(descriptor) == 0 && rename(file->temporary, file->path) == 0) {
        kc_add_output(job, file->path);
        return true;
    }
    kc_fail(job, "%s: %s", file->path, strerror(errno));
    kc_file_discard(file);
    return false;
}

void kc_file_discard(struct kc_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    unlink(file->temporary);
}

bool kc_write(struct kc_job *job, const char *path, const void *bytes, uint64_t size)
{
    struct kc_file file;

    if (!kc_file_begin(job, path, &file))
        return false;
    if (kc_file_write(job, &file, bytes, size))
        return kc_file_commit(job, &file);
    kc_file_discard(&file);
    return false;
}
